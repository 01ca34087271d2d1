package random

import (
	"fmt"
	"math"
	"math/bits"
)

// Integer is the set of integer types that Below can draw.
type Integer interface {
	int32 | uint32 | int64 | uint64 | int
}

// Below sets dst[i] to an integer from 0 to n-1, each with the same
// probability.
//
// Below uses Lemire's method ("Fast random integer generation in an interval", 2019): the result is
// the upper half of n times a word. If the lower half shows that this word would bias the result,
// Below tries the next word. For integers of 32 bits, each try takes one word; for all others,
// including int, it takes two words on every CPU.
//
// Shape: any length; by ids, one id for each row.
// Values: the same numbers on every CPU.
// It panics if n is not positive, or if the number of ids is not len(dst). It
// does not allocate.
func Below[I Integer](dst []I, r Rows, n I) {
	mustBePositive("Below", n)
	r.checkIDs("Below", len(dst))
	var w wordBatch
	for lo := 0; lo < len(dst); lo += batchRows {
		d := dst[lo:min(lo+batchRows, len(dst))]
		if takesTwoWords[I]() {
			r.fillWords(&w, lo, len(d), 0, 2)
			below64(d, &w, &r, lo, uint64(n))
		} else {
			r.fillWords(&w, lo, len(d), 0, 1)
			below32(d, &w, &r, lo, uint32(n))
		}
	}
}

// BelowOf returns the number of one row, which is the same value as from [Below].
func BelowOf[I Integer](r Row, n I) I {
	mustBePositive("BelowOf", n)
	if takesTwoWords[I]() {
		high, low := bits.Mul64(r.word64(0), uint64(n))
		return I(r.unbiased64(high, low, uint64(n)))
	}
	return I(r.unbiased32(uint64(r.word(0))*uint64(n), uint32(n)))
}

func mustBePositive[I Integer](name string, n I) {
	if n <= 0 {
		panic(fmt.Sprintf("random: %s: n is %d, and there is no integer from 0 to n-1", name, n))
	}
}

// takesTwoWords reports whether a draw takes two words. A draw of an int does, on every CPU.
func takesTwoWords[I Integer]() bool {
	var x I
	switch any(x).(type) {
	case int32, uint32:
		return false
	}
	return true
}

func below32[I Integer](d []I, w *wordBatch, r *Rows, lo int, n uint32) {
	for i := range d {
		m := uint64(w[0][i&(batchRows-1)]) * uint64(n)
		if uint32(m) < n {
			m = uint64(r.rowAt(lo+i).unbiased32(m, n)) << 32
		}
		d[i] = I(m >> 32)
	}
}

func below64[I Integer](d []I, w *wordBatch, r *Rows, lo int, n uint64) {
	for i := range d {
		high, low := bits.Mul64(w.word64(0, i), n)
		if low < n {
			high = r.rowAt(lo+i).unbiased64(high, low, n)
		}
		d[i] = I(high)
	}
}

// unbiased32 returns the upper half of m, where m is n times the first word of the row. To keep the result unbiased, 2^32 modulo n of the possible
// products must be rejected (Lemire's method). If m is one of them, unbiased32 tries the next word.
func (r Row) unbiased32(m uint64, n uint32) uint32 {
	if uint32(m) < n {
		for k, many := uint64(1), -n%n; uint32(m) < many; k++ {
			m = uint64(r.word(k)) * uint64(n)
		}
	}
	return uint32(m >> 32)
}

// unbiased64 does the same as unbiased32 with pairs of words.
func (r Row) unbiased64(high, low, n uint64) uint64 {
	if low < n {
		for k, many := uint64(1), -n%n; low < many; k++ {
			high, low = bits.Mul64(r.word64(k), n)
		}
	}
	return high
}

// Permutation fills p with the numbers from 0 to len(p)-1 in random order. Each order has the
// same probability. However, there are only 2^160 keys, so for a long p most orders never occur.
// Permutation uses the method of Fisher and Yates: it swaps number i with the number at a random
// index from 0 to i. The index is the result of [BelowOf] for i+1 and for row i of the key by
// index.
//
// Values: the same order on every CPU.
// It panics if p is longer than 2^31-1 or the stream is larger than
// [MaxStream]. It does not allocate.
func Permutation(p []int32, k Key) {
	r := Rows{key: k.checkStream("Permutation")}
	if len(p) > math.MaxInt32 {
		panic(fmt.Sprintf("random: Permutation: len(p) is %d, the largest is %d", len(p), math.MaxInt32))
	}
	var w wordBatch
	for lo := 0; lo < len(p); lo += batchRows {
		n := min(batchRows, len(p)-lo)
		r.fillWords(&w, lo, n, 0, 1)
		for j := range n {
			i := lo + j
			m := uint64(w[0][j&(batchRows-1)]) * uint64(i+1)
			if uint32(m) <= uint32(i) {
				m = uint64(r.rowAt(i).unbiased32(m, uint32(i+1))) << 32
			}
			p[i] = p[m>>32]
			p[m>>32] = int32(i)
		}
	}
}
