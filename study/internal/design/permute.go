package design

import "github.com/lanewise/lanewise/random"

// rounds is how often the halves of a number are mixed: more than the four that
// make a permutation of random functions look random.
const rounds = 6

// permute returns where i is in a random permutation of the numbers below n, which is
// that of a seed, a stream and an axis. It is a Feistel network on the numbers of
// as many bits as n needs, rounded up to an even number; what leads out of those below
// n is led on (cycle walking), at most four times in the mean.
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
