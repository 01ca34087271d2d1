package random

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// unit32 and unit64 return a number in [0, 1), computed from the upper 24 or 53 bits.
func unit32(w uint32) float32 { return float32(float32(w>>8) * 0x1p-24) }
func unit64(u uint64) float64 { return float64(float64(u>>11) * 0x1p-53) }

// Uniform sets dst[i] to a number in [0, 1), a multiple of 2^-24 (float32) or
// 2^-53 (float64).
//
// Shape: any length; by ids, one id for each row.
// Values: the same bits on every CPU; one word for each row (float32) or two.
// It panics if the number of ids is not len(dst). It does not allocate.
func Uniform[T kernels.Float](dst []T, r Rows) {
	r.checkIDs("Uniform", len(dst))
	uniform(dst, &r)
}

func uniform[T kernels.Float](dst []T, r *Rows) {
	var w wordBatch
	switch dst := any(dst).(type) {
	case []float32:
		for lo := 0; lo < len(dst); {
			if n := r.fillUnits(dst[lo:], lo); n > 0 {
				lo += n
				continue
			}
			d := dst[lo:min(lo+r.batchEnd(lo), len(dst))]
			r.fillWords(&w, lo, len(d), 0, 1)
			for i := unitsFast(d, w[0][:]); i < len(d); i++ {
				d[i] = unit32(w[0][i&(batchRows-1)])
			}
			lo += len(d)
		}
	case []float64:
		for lo := 0; lo < len(dst); lo += batchRows {
			d := dst[lo:min(lo+batchRows, len(dst))]
			r.fillWords(&w, lo, len(d), 0, 2)
			for i := range d {
				d[i] = unit64(w.word64(0, i))
			}
		}
	}
}

// UniformOf returns the number of one row, which is exactly the same as from [Uniform].
func UniformOf[T kernels.Float](r Row) (x T) {
	switch p := any(&x).(type) {
	case *float32:
		*p = unit32(r.word(0))
	case *float64:
		*p = unit64(r.word64(0))
	}
	return x
}

// Uniform4 sets a[i], b[i], c[i] and d[i] to the first four numbers of each row
// in [0, 1). The number in a[i] is the one from [Uniform]. If rows are drawn by id, four float32
// numbers take no longer than one, because a block has four words.
//
// Shape: all lanes have the same length; by ids, one id for each row.
// Values: the same bits on every CPU.
// It panics if lengths differ. It does not allocate.
func Uniform4[T kernels.Float](a, b, c, d []T, r Rows) {
	checkLengths("Uniform4", len(a), len(b), len(c), len(d))
	r.checkIDs("Uniform4", len(a))
	var w wordBatch
	lanes := [4][]T{a, b, c, d}
	for lo := 0; lo < len(a); lo += batchRows {
		n := min(batchRows, len(a)-lo)
		switch lanes := any(&lanes).(type) {
		case *[4][]float32:
			r.fillWords(&w, lo, n, 0, 4)
			units32(lanes, lo, n, &w)
		case *[4][]float64: // two words for each number
			r.fillWords(&w, lo, n, 0, 4)
			units64(lanes[0], lanes[1], lo, n, &w)
			r.fillWords(&w, lo, n, 1, 4)
			units64(lanes[2], lanes[3], lo, n, &w)
		}
	}
}

// units32 converts n words of each lane to numbers.
func units32(lanes *[4][]float32, lo, n int, w *wordBatch) {
	for k, lane := range lanes {
		for i := unitsFast(lane[lo:lo+n], w[k][:]); i < n; i++ {
			lane[lo+i] = unit32(w[k][i&(batchRows-1)])
		}
	}
}

// units64 converts n pairs of words to numbers, for each of two lanes.
func units64(even, odd []float64, lo, n int, w *wordBatch) {
	for k, lane := range [2][]float64{even, odd} {
		for i := range lane[lo : lo+n] {
			lane[lo+i] = unit64(w.word64(k, i))
		}
	}
}

// Uniform4Of returns the numbers of one row, which are exactly the same as from [Uniform4].
func Uniform4Of[T kernels.Float](r Row) (x [4]T) {
	switch x := any(&x).(type) {
	case *[4]float32:
		for k := range x {
			x[k] = unit32(r.word(uint64(k)))
		}
	case *[4]float64:
		for k := range x {
			x[k] = unit64(r.word64(uint64(k)))
		}
	}
	return x
}

// Range sets dst[i] = lo + (hi-lo)*u, where u is the number of [Uniform]. The result is in [lo,
// hi). If the sum is rounded up to hi, it is replaced by the largest number
// below hi.
//
// Shape: any length; by ids, one id for each row.
// Values: the same bits on every CPU; hi-lo, product and sum are each rounded.
// It panics unless lo < hi and hi-lo is finite, and if the number of ids is not
// len(dst). It does not allocate.
func Range[T kernels.Float](dst []T, r Rows, lo, hi T) {
	last := largestBelow("Range", lo, hi)
	r.checkIDs("Range", len(dst))
	uniform(dst, &r)
	for i, u := range dst {
		dst[i] = min(lo+T((hi-lo)*u), last)
	}
}

// RangeOf returns the number of one row, which is exactly the same as from [Range].
func RangeOf[T kernels.Float](r Row, lo, hi T) T {
	last := largestBelow("RangeOf", lo, hi)
	return min(lo+T((hi-lo)*UniformOf[T](r)), last)
}

// largestBelow returns the largest number that is less than hi. largestBelow panics unless there
// are numbers between lo and hi.
func largestBelow[T kernels.Float](name string, lo, hi T) (last T) {
	if size := hi - lo; !(size > 0) || math.IsInf(float64(size), 0) {
		panic(fmt.Sprintf("random: %s: lo is %v, hi is %v: want lo < hi, and a finite hi-lo", name, lo, hi))
	}
	switch p := any(&last).(type) {
	case *float32:
		*p = math.Nextafter32(float32(hi), float32(math.Inf(-1)))
	case *float64:
		*p = math.Nextafter(float64(hi), math.Inf(-1))
	}
	return last
}
