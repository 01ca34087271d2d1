package kernels

// prefixRows is the number of rows that PrefixSum adds to each other before it
// adds the carry.
const prefixRows = 16

// PrefixSum sets dst[i] = x[0] + x[1] + … + x[i] for every i, in a fixed order. It processes
// groups of sixteen rows; the last group may have fewer:
//
//	t = the sixteen rows
//	for d = 1, 2, 4, 8:  every second run of d of them, t[d:2*d], t[3*d:4*d] and
//	                     so on, gets the last of the run before added to each
//	dst[k] = carry + t[k]
//	carry = carry + t[15]
//
// carry is +0 for the first sixteen rows. This order is fast, because only 4 additions depend on each other instead of 15.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact, in the order above. The last row is near [Sum] but not equal
// to it, because the order differs.
// It panics if the lengths differ. It does not allocate.
//
// Source: J. Sklansky, "Conditional-sum addition logic", IRE Transactions on
// Electronic Computers EC-9 (1960), for the tree.
//
//go:noinline
func PrefixSum[T Float](dst, x []T) {
	if len(x) != len(dst) {
		panic(differ("PrefixSum", "dst x", len(dst), len(x)))
	}
	if checked {
		inspect("PrefixSum", lane("dst", dst), lane("x", x))
	}
	var carry T
	for whole := len(x) &^ (prefixRows - 1); whole > 0; {
		n := min(piece, whole)
		carry = prefixSum(dst[:n], x[:n], carry)
		dst, x, whole = dst[n:], x[n:], whole-n
	}
	if len(x) > 0 { // rows that are not there count as zeros; assembly would wait for the rows that copy stores
		var last [prefixRows]T
		copy(last[:], x)
		prefixSumGeneric(last[:], last[:], carry)
		copy(dst, last[:])
	}
}

// prefixSum processes a multiple of sixteen rows and returns the carry after
// them.
func prefixSum[T Float](dst, x []T, carry T) T {
	if single[T]() {
		return T(prefixSum32(f32(dst), f32(x), float32(carry)))
	}
	return T(prefixSum64(f64(dst), f64(x), float64(carry)))
}

// The sixteen rows are variables and not an array, because an array would be in
// memory, which takes three times as long.
func prefixSumGeneric[T Float](dst, x []T, carry T) T {
	for ; len(x) >= prefixRows; dst, x = dst[prefixRows:], x[prefixRows:] {
		t0, t1, t2, t3, t4, t5, t6, t7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
		t8, t9, t10, t11, t12, t13, t14, t15 := x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]
		t1, t3, t5, t7, t9, t11, t13, t15 = t1+t0, t3+t2, t5+t4, t7+t6, t9+t8, t11+t10, t13+t12, t15+t14    // d = 1
		t2, t3, t6, t7, t10, t11, t14, t15 = t2+t1, t3+t1, t6+t5, t7+t5, t10+t9, t11+t9, t14+t13, t15+t13   // d = 2
		t4, t5, t6, t7, t12, t13, t14, t15 = t4+t3, t5+t3, t6+t3, t7+t3, t12+t11, t13+t11, t14+t11, t15+t11 // d = 4
		t8, t9, t10, t11, t12, t13, t14, t15 = t8+t7, t9+t7, t10+t7, t11+t7, t12+t7, t13+t7, t14+t7, t15+t7 // d = 8

		dst := dst[:prefixRows]
		dst[0], dst[1], dst[2], dst[3], dst[4], dst[5], dst[6], dst[7] = carry+t0, carry+t1, carry+t2, carry+t3, carry+t4, carry+t5, carry+t6, carry+t7
		dst[8], dst[9], dst[10], dst[11], dst[12], dst[13], dst[14], dst[15] = carry+t8, carry+t9, carry+t10, carry+t11, carry+t12, carry+t13, carry+t14, carry+t15
		carry += t15
	}
	return carry
}
