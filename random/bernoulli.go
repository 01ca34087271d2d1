package random

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Bernoulli sets each bit of the mask with probability p. Bit i belongs to row i. For
// example, kernels.Select, Compress and Indices take such a mask.
//
// A row is chosen if its first two words, taken as a 64-bit number, are below p·2^64. The second
// word is drawn only if the first word alone does not determine the result. So p may be as small
// as 2^-64, and p = 1 chooses all rows. If each row has a different probability, compare the
// numbers of [Uniform] with a lane of probabilities (kernels.Less).
//
// Shape: n rows, len(mask) == kernels.MaskLen(n); by ids, one id for each row.
// Bits after the last row are 0.
// Values: the same bits on every CPU.
// It panics if p is not in [0, 1], or if the lengths do not fit. It does not
// allocate.
func Bernoulli(mask []uint64, n int, r Rows, p float64) {
	if n < 0 || len(mask) != kernels.MaskLen(n) {
		panic(fmt.Sprintf("random: Bernoulli: len(mask) is %d, n is %d, for which a mask has %d words", len(mask), n, kernels.MaskLen(max(n, 0))))
	}
	r.checkIDs("Bernoulli", n)
	limit := thresholdOf("Bernoulli", p)
	var w wordBatch
	for lo := 0; lo < n; lo += batchRows {
		rows := min(batchRows, n-lo)
		r.fillWords(&w, lo, rows, 0, 1)
		bits := uint64(0)
		for i, first := range w[0][:rows] {
			chosen := uint64(first) < limit.high
			if uint64(first) == limit.high {
				chosen = r.rowAt(lo+i).word(1) < limit.low
			}
			if chosen {
				bits |= 1 << i
			}
		}
		mask[lo/batchRows] = bits
	}
}

// BernoulliOf reports whether [Bernoulli] chooses the row.
func BernoulliOf(r Row, p float64) bool {
	limit, first := thresholdOf("BernoulliOf", p), uint64(r.word(0))
	return first < limit.high || first == limit.high && r.word(1) < limit.low
}

// A threshold is p·2^64 as two words. The first word is 2^32 if p is 1. A row is chosen if its
// first two words are below the threshold.
type threshold struct {
	high uint64
	low  uint32
}

func thresholdOf(name string, p float64) threshold {
	if !(0 <= p && p <= 1) {
		panic(fmt.Sprintf("random: %s: p is %v, want a probability, 0 to 1", name, p))
	}
	first := math.Floor(p * 0x1p32) // exact, and so is the remainder
	return threshold{uint64(first), uint32(float64(p*0x1p64) - float64(first*0x1p32))}
}
