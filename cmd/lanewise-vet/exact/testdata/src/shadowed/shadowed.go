// Package shadowed gives the names of imports other meanings, so that a fix cannot use them there.
package shadowed

import (
	"math"
	m "math"

	_ "github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"gonum.org/v1/gonum/floats"
)

type image struct{}

func (image) Sum(x []float64) float64 { return 0 }

func (image) SinOf(x float64) float64 { return 0 }

func parameter(kernels image, x []float64) float64 {
	return floats.Sum(x) + math.Sin(x[0]) // want `kernels.Sum has` `kernels.SinOf`
}

func local(x []float64) float64 {
	s := floats.Sum(x) // want `kernels.Sum has`
	kernels := 3
	return s + floats.Sum(x[kernels:]) + math.Exp(x[0]) // want `kernels.Sum has` `kernels.ExpOf`
}

// root can name package math only by its second import, and hypot needs no name of it.
func root(math float64) float64 {
	return m.Pow(math, 0.5) // want `math.Pow has`
}

func hypot(math, y float64) float64 {
	return m.Hypot(math, y) // want `math.Hypot has`
}

func before(x []float64) float64 {
	s := floats.Sum(x) // want `kernels.Sum has`
	return s + kernels.CosOf(s)
}
