package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes the distribution of the replicates of a point.
type Summary struct {
	N        int     // how many there are
	Mean, SD float64 // SD is the standard deviation of the sample, by N-1; NaN for one number
	// Low and High are the ends of the 95 % confidence interval of the mean, by
	// Student's t-distribution. The interval assumes that replicates are
	// independent and approximately normal. Both ends are NaN if there is only one replicate.
	Low, High float64
	// Min and Max are the smallest and the largest number. Q has the quantiles at Levels, of type 7, as in R, numpy
	// and Excel. For example, the median of two numbers is their mean.
	Min, Max float64
	Q        [len(Levels)]float64
}

// Levels are the levels of the quantiles in a [Summary].
var Levels = [...]float64{0.05, 0.25, 0.5, 0.75, 0.95}

// Summarize returns the summary of finite numbers. The list must have at least one number. Summarize sorts the
// numbers in place.
func Summarize(x []float64) Summary {
	if len(x) == 0 {
		panic("report: Summarize: there are no numbers")
	}
	slices.Sort(x)
	s := Summary{N: len(x), Min: x[0], Max: x[len(x)-1], SD: math.NaN(), Low: math.NaN(), High: math.NaN()}
	for i, p := range Levels {
		s.Q[i] = quantile(x, p)
	}
	if len(x) == 1 {
		s.Mean = x[0]
		return s
	}
	y, exp := scaled(x)
	s.Mean, s.SD = stat.MeanStdDev(y, nil)                                          //lanewise:inexact the numbers are rounded on the page
	s.Mean = min(max(s.Mean, y[0]), y[len(y)-1])                                    // so that the mean of equal numbers is this number
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(x) - 1)}.Quantile(0.975) //lanewise:inexact the numbers are rounded on the page
	half := float64(t * stat.StdErr(s.SD, float64(len(x))))
	s.Low, s.High = math.Ldexp(s.Mean-half, exp), math.Ldexp(s.Mean+half, exp)
	s.Mean, s.SD = math.Ldexp(s.Mean, exp), math.Ldexp(s.SD, exp)
	return s
}

// quantile returns a quantile of sorted numbers, of type 7. It interpolates linearly between the numbers. The first
// number has level 0, and the last has level 1.
func quantile(x []float64, p float64) float64 {
	h := float64(float64(len(x)-1) * p)
	at := int(h)
	if at >= len(x)-1 {
		return x[len(x)-1]
	}
	lo, hi, part := x[at], x[at+1], h-float64(at)
	if d := hi - lo; !math.IsInf(d, 0) {
		return min(lo+float64(part*d), hi)
	}
	return float64(lo*(1-part)) + float64(hi*part)
}

// scaled divides numbers by a power of two, so that their sums and squares neither overflow nor vanish. It returns
// the divided numbers and the exponent of that power. Numbers of ordinary size are returned as they are.
func scaled(x []float64) ([]float64, int) {
	_, exp := math.Frexp(max(math.Abs(x[0]), math.Abs(x[len(x)-1])))
	if exp > -400 && exp < 400 {
		return x, 0
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Ldexp(v, -exp)
	}
	return out, exp
}
