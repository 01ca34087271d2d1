// Package gonums calls functions of gonum for which there are kernels.
package gonums

import (
	"math"

	_ "github.com/lanewise/lanewise/ecs"
	"gonum.org/v1/gonum/floats"
	stats "gonum.org/v1/gonum/stat"
)

type row struct{ x []float64 }

func next() []float64 { return nil }

func numbers(x, y []float64, l float64) float64 {
	s := floats.Sum(x) + floats.Dot(x, next()) // want `Sum is not exact.*; kernels.Sum has the same bits` `Dot is not exact.*kernels.Dot`
	s += floats.Norm(x, 1)                     // want `kernels.Norm1`
	s += floats.Norm(x, 2)                     // want `kernels.NormScaled`
	s += floats.Norm(x, 2 /* Euclid */)        // want `kernels.NormScaled`
	s += floats.Norm(x, math.Inf(1))           // want `kernels.NormInf`
	s += floats.Norm(x, 3)                     // want `floats.Norm is not exact`
	s += floats.Norm(x, l)                     // want `floats.Norm is not exact`
	s += floats.Norm(x, math.Inf(-1))          // want `floats.Norm is not exact`
	s += floats.Distance(x, y, 2)              // want `kernels.Distance has`
	s += floats.Distance(x, y, math.Inf(+1))   // want `kernels.DistanceInf`
	s += float64(floats.MaxIdx(x))
	return s
}

func two() (float64, []float64) { return 2, nil }

func three() (dst, x []float64, y []float64) { return }

// spread passes the results of one call as all arguments, so its calls have no fix.
func spread() {
	floats.AddConst(two()) // want `kernels.AddConst`
	floats.Scale(two())    // want `kernels.Scale`
	floats.AddTo(three())  // want `kernels.Add `
}

// commented has comments that a fix would drop.
func commented(dst, x []float64, c float64) {
	floats.Scale( // want `kernels.Scale`
		c, // the factor
		dst,
	)
	floats.Scale(c, dst /* all */)             // want `kernels.Scale`
	floats.AddConst(c /* one */, dst)          // want `kernels.AddConst`
	floats.AddScaled(dst /* in place */, c, x) // want `kernels.AddScaled`
	_ = floats.Dot(x /* kept */, dst)          // want `kernels.Dot`
}

func lanes(dst, x, y []float64, r *row, c float64) []float64 {
	floats.CumSum(dst, x)                      // want `kernels.PrefixSum`
	floats.Add(r.x, x)                         // want `kernels.Add `
	floats.Add(next(), x)                      // want `kernels.Add `
	floats.AddTo(dst, x[1:], y[1:])            // want `kernels.Add `
	floats.SubTo(dst, next(), next())          // want `kernels.Sub `
	floats.AddConst(2, dst)                    // want `kernels.AddConst`
	floats.AddScaled(dst, -c, x)               // want `kernels.AddScaled`
	floats.AddScaledTo(dst, y, c*2, next())    // want `kernels.AddScaled`
	floats.AddScaledTo(dst, next(), c, next()) // want `kernels.AddScaled`
	floats.Scale(floats.Sum(x), dst)           // want `kernels.Scale` `kernels.Sum`
	floats.Scale(1/c, dst)                     // want `kernels.Scale`
	f := floats.Sum                            // want `floats.Sum is not exact`
	f(x)
	return floats.AddTo(dst, x, y) // want `floats.AddTo is not exact`
}

func moments(x, y, weights []float64) (float64, float64) {
	mean, std := stats.MeanStdDev(x, nil) // want `kernels.MeanStdDev`
	mean += stats.Mean(x, weights)        // want `stat.Mean is not exact`
	mean += stats.Mean(                   // want `kernels.Mean has`
		x,
		nil,
	) + stats.Covariance(x, y, nil) // want `kernels.Covariance`
	return mean, std
}
