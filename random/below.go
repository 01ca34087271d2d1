package random

import (
	"fmt"
	"math/bits"
)

// Integer is the set of integers that can be drawn.
type Integer interface {
	int32 | uint32 | int64 | uint64 | int
}

// Below sets dst[i] to an integer from 0 to n-1, each as often as every other.
//
// By Lemire's method ("Fast random integer generation in an interval", 2019): the
// upper half of n times a word, or of n times the next word where the lower half
// says that this one must not be used. Integers of 32 bits take one word a try, the
// others, and int on every CPU, two.
//
// Shape: by ids, there is one for each row; any length.
// Values: the same numbers on every CPU.
// It panics if n is not positive, and if there are not as many ids as rows. It does
// not allocate.
func Below[I Integer](dst []I, r Rows, n I) {
	mustBePositive("Below", n)
	r.fits("Below", len(dst))
	var w words
	for lo := 0; lo < len(dst); lo += some {
		d := dst[lo:min(lo+some, len(dst))]
		if wide[I]() {
			r.fill(&w, lo, len(d), 0, 2)
			below64(d, &w, &r, lo, uint64(n))
		} else {
			r.fill(&w, lo, len(d), 0, 1)
			below32(d, &w, &r, lo, uint32(n))
		}
	}
}

// BelowOf returns what [Below] gives the row.
func BelowOf[I Integer](r Row, n I) I {
	mustBePositive("BelowOf", n)
	if wide[I]() {
		high, low := bits.Mul64(r.long(0), uint64(n))
		return I(r.fair64(high, low, uint64(n)))
	}
	return I(r.fair32(uint64(r.word(0))*uint64(n), uint32(n)))
}

func mustBePositive[I Integer](name string, n I) {
	if n <= 0 {
		panic(fmt.Sprintf("random: %s: n is %d, and there is no integer from 0 to n-1", name, n))
	}
}

// wide reports whether a draw takes two words: it does for int everywhere.
func wide[I Integer]() bool {
	var x I
	switch any(x).(type) {
	case int32, uint32:
		return false
	}
	return true
}

func below32[I Integer](d []I, w *words, r *Rows, lo int, n uint32) {
	for i := range d {
		m := uint64(w[0][i&(some-1)]) * uint64(n)
		if uint32(m) < n {
			m = uint64(r.at(lo+i).fair32(m, n)) << 32
		}
		d[i] = I(m >> 32)
	}
}

func below64[I Integer](d []I, w *words, r *Rows, lo int, n uint64) {
	for i := range d {
		high, low := bits.Mul64(w.long(0, i), n)
		if low < n {
			high = r.at(lo+i).fair64(high, low, n)
		}
		d[i] = I(high)
	}
}

// fair32 returns the upper half of m, n times the row's first word, or of the first
// product behind it that may be used: of the 2^32 words, 2^32 modulo n are too many.
func (r Row) fair32(m uint64, n uint32) uint32 {
	if uint32(m) < n {
		for k, many := uint64(1), -n%n; uint32(m) < many; k++ {
			m = uint64(r.word(k)) * uint64(n)
		}
	}
	return uint32(m >> 32)
}

// fair64 does the same with pairs of words.
func (r Row) fair64(high, low, n uint64) uint64 {
	if low < n {
		for k, many := uint64(1), -n%n; low < many; k++ {
			high, low = bits.Mul64(r.long(k), n)
		}
	}
	return high
}
