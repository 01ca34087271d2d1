package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary says how the replicates of a point lie.
type Summary struct {
	N        int     // how many there are
	Mean, SD float64 // SD is that of the sample, by N-1; NaN for one
	// Low and High are the ends of the interval in which the mean lies with 95 % confidence, if
	// replicates are independent and not far from normal: by Student's t. NaN for one replicate.
	Low, High float64
	// Min and Max are the ends, Q the quantiles at Levels: at the value itself for a whole number of
	// replicates, else between two values.
	Min, Max float64
	Q        [len(Levels)]float64
}

// Levels are those of the quantiles in a [Summary].
var Levels = [...]float64{0.05, 0.25, 0.5, 0.75, 0.95}

// Summarize returns the summary of finite numbers, of which there must be one at least. It sorts
// them.
func Summarize(x []float64) Summary {
	if len(x) == 0 {
		panic("report: Summarize: there are no numbers")
	}
	slices.Sort(x)
	s := Summary{N: len(x), Min: x[0], Max: x[len(x)-1], SD: math.NaN(), Low: math.NaN(), High: math.NaN()}
	for i, p := range Levels {
		s.Q[i] = stat.Quantile(p, stat.LinInterp, x, nil)
	}
	if len(x) == 1 {
		s.Mean = x[0]
		return s
	}
	s.Mean, s.SD = stat.MeanStdDev(x, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(x) - 1)}.Quantile(0.975)
	half := t * stat.StdErr(s.SD, float64(len(x)))
	s.Low, s.High = s.Mean-half, s.Mean+half
	return s
}
