package random

import (
	"fmt"
	"math"
)

// Permutation fills p with the numbers from 0 to len(p)-1 in some order, each
// order as likely as every other, as far as 2^160 keys go. It is made by Fisher and
// Yates' method: number i changes places with the one at [BelowOf] i+1, drawn for
// row i of the key by index.
//
// Values: the same order on every CPU. It panics if p is longer than 2^31-1 or the
// stream is larger than [MaxStream]. It does not allocate.
func Permutation(p []int32, k Key) {
	r := Rows{key: k.checked("Permutation")}
	if len(p) > math.MaxInt32 {
		panic(fmt.Sprintf("random: Permutation: len(p) is %d, the largest is %d", len(p), math.MaxInt32))
	}
	var w words
	for lo := 0; lo < len(p); lo += some {
		n := min(some, len(p)-lo)
		r.fill(&w, lo, n, 0, 1)
		for j := range n {
			i := lo + j
			m := uint64(w[0][j&(some-1)]) * uint64(i+1)
			if uint32(m) <= uint32(i) {
				m = uint64(r.at(i).fair32(m, uint32(i+1))) << 32
			}
			p[i] = p[m>>32]
			p[m>>32] = int32(i)
		}
	}
}
