package random

import "github.com/lanewise/lanewise/kernels"

// Exponential sets dst[i] = mean * -log u, a number of the exponential
// distribution with this mean: how long to wait for what comes once in mean.
//
// Shape: by ids, there is one for each row; any length.
// Values: the same bits on every CPU; u is above 0 and at most 1, the logarithm is
// within 1 ulp. A mean of 1 gives at most 21.49 for float32, which one of 2·10^9
// draws would exceed, and 36.74 for float64, one of 10^16.
// It panics if there are not as many ids as rows. It does not allocate.
func Exponential[T kernels.Float](dst []T, r Rows, mean T) {
	r.fits("Exponential", len(dst))
	var w words
	for lo := 0; lo < len(dst); lo += some {
		d := dst[lo:min(lo+some, len(dst))]
		switch d := any(d).(type) {
		case []float32:
			r.fill(&w, lo, len(d), 0, 1)
			for i := range d {
				d[i] = exponential32(w[0][i&(some-1)])
			}
		case []float64:
			r.fill(&w, lo, len(d), 0, 2)
			for i := range d {
				d[i] = exponential64(w.long(0, i))
			}
		}
		for i := range d {
			d[i] *= mean
		}
	}
}

// ExponentialOf returns what [Exponential] gives the row.
func ExponentialOf[T kernels.Float](r Row, mean T) (x T) {
	switch x := any(&x).(type) {
	case *float32:
		*x = exponential32(r.word(0))
	case *float64:
		*x = exponential64(r.long(0))
	}
	return T(x * mean)
}

// 0 - log and not -log, so that a u of 1 gives +0.
func exponential32(w uint32) float32 { return 0 - log32(positive32(w)) }
func exponential64(u uint64) float64 { return 0 - log64(positive64(u)) }
