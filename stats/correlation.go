package stats

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Autocorrelation sets dst[k] to the correlation of samples that are k apart, for each k < len(dst). With the mean m of x and d[i] = x[i] - m, it is
//
//	Σ d[i] d[i+k] / Σ d[i]²
//
// dst[0] is 1. If all samples are equal, or x is empty, all values are NaN. It panics if dst is longer than x.
// Autocorrelation needs len(dst)·len(x) products and allocates a copy of x.
//
// Values: each sum has the bits of [kernels.Dot], so that all machines compute the same bits.
func Autocorrelation(dst, x []float64) {
	if len(dst) > len(x) {
		panic(fmt.Sprintf("stats: Autocorrelation: there are %d results and %d samples", len(dst), len(x)))
	}
	d := deviations(x)
	all := kernels.Dot(d, d)
	for k := range dst {
		dst[k] = kernels.Dot(d[:len(d)-k], d[k:]) / all
	}
}

// deviations returns the differences of x from its mean.
func deviations(x []float64) []float64 {
	d := make([]float64, len(x))
	kernels.AddConst(d, x, -kernels.MeanExact(x)) // exact, so that the differences of equal samples are 0
	return d
}

// AutocorrelationTime returns the integrated autocorrelation time of samples that were taken at equal intervals,
//
//	1 + 2 Σ ρ(k) for 1 ≤ k ≤ window
//
// where ρ is [Autocorrelation]. The window is the smallest number that is at least 5, and at least five times the sum up to
// this number. A longer sum would mostly add noise. If there are too few samples for such a window, they do not determine
// the time: the result is NaN, and the window is 0. A program that need not keep its samples can use [Series.Time].
//
// Source: N. Madras and A. D. Sokal, "The pivot algorithm", Journal of Statistical Physics 50 (1988), appendix C.
func AutocorrelationTime(x []float64) (time float64, window int) {
	d := deviations(x)
	all := kernels.Dot(d, d)
	time = 1
	for k := 1; k < len(d); k++ {
		time += float64(2 * (kernels.Dot(d[:len(d)-k], d[k:]) / all))
		if float64(k) >= 5*max(1, time) {
			return time, k
		}
	}
	return math.NaN(), 0
}
