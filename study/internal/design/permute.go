package design

import "github.com/lanewise/lanewise/random"

// rounds is the number of rounds of the Feistel network in permute. Four rounds suffice to make the
// permutation look random.
const rounds = 6

// permute returns the position of i in a random permutation of the numbers below n. A seed, a
// stream and an axis determine the permutation. permute is a Feistel network on numbers with as
// many bits as n needs, rounded up to an even number. If the result of the network is not below n,
// the network is applied again (cycle walking), at most four times on average.
func permute(seed uint64, stream uint32, axis, i, n int) int {
	half := uint(1)
	for uint64(1)<<(2*half) < uint64(n) {
		half++
	}
	size := uint64(1) << half
	for x := uint64(i); ; {
		left, right := x>>half, x&(size-1)
		for round := range uint32(rounds) {
			key := random.Key{Seed: seed, Tick: uint32(axis)*rounds + round, Stream: stream}
			left, right = right, left^random.BelowOf(key.ID(right), size)
		}
		if x = left<<half | right; x < uint64(n) {
			return int(x)
		}
	}
}
