package random

// The constants of Philox 4×32: Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC11, section 3 and table 2.
const (
	mulA  = 0xD2511F53
	mulB  = 0xCD9E8D57
	weylA = 0x9E3779B9 // of the golden ratio
	weylB = 0xBB67AE85 // of √3 − 1
)

// philox enciphers the counter c under the key k in ten rounds.
func philox(c0, c1, c2, c3, k0, k1 uint32) (uint32, uint32, uint32, uint32) {
	for range 5 {
		a, b := uint64(c0)*mulA, uint64(c2)*mulB
		c0, c1, c2, c3 = uint32(b>>32)^c1^k0, uint32(b), uint32(a>>32)^c3^k1, uint32(a)
		k0, k1 = k0+weylA, k1+weylB
		a, b = uint64(c0)*mulA, uint64(c2)*mulB
		c0, c1, c2, c3 = uint32(b>>32)^c1^k0, uint32(b), uint32(a>>32)^c3^k1, uint32(a)
		k0, k1 = k0+weylA, k1+weylB
	}
	return c0, c1, c2, c3
}
