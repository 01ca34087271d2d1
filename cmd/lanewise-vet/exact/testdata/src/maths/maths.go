// Package maths calls functions that differ between CPUs, and some that do not.
package maths

import (
	"math"
	"math/cmplx"
	"math/rand"

	_ "github.com/lanewise/lanewise/ecs"
)

func same(x, y float64) float64 {
	return math.Sqrt(x) + math.Abs(y) + math.Floor(x) + math.Mod(x, y) + math.FMA(x, x, y) + math.Max(x, y) + math.Round(x)
}
func sine(x float64) float64            { return math.Sin(x) }          // want `math.Sin has other bits on other CPUs: use kernels.SinOf, or kernels.Sin for all rows at once`
func tangent(x float64) float64         { return math.Tan(x + 1) }      // want `math.Tan has other bits`
func both(x float64) (float64, float64) { return math.Sincos(x) }       // want `math.Sincos has other bits`
func length(x, y float64) float64       { return math.Hypot(x, -y) }    // want `math.Hypot has other bits on other CPUs: use kernels.HypotOf, or kernels.Hypot for all rows at once`
func calls(x, y func() float64) float64 { return math.Hypot(x(), y()) } // want `math.Hypot has other bits`
func unit() float64                     { return math.Hypot(3, 4) }     // want `math.Hypot has other bits`
func squared(x float64) float64         { return math.Pow(x, 2) }       // want `math.Pow has other bits`
func cubed(x float64) float64           { return math.Pow(x-1, 3) }     // want `math.Pow has other bits`
func root(x float64) float64            { return math.Pow(x, 0.5) }     // want `math.Pow has other bits`
func power(x, y float64) float64        { return math.Pow(x, y) }       // want `math.Pow has other bits.*PowOf`
func three(x float64) float64           { return math.Pow(x, 1.5) }     // want `math.Pow has other bits.*use kernels.PowOf`
func fourth(x float64) float64          { return math.Pow(x, 4) }       // want `math.Pow has other bits.*use kernels.PowOf`
func inverse(x func() float64) float64  { return math.Pow(x(), -2) }    // want `math.Pow has other bits.*use kernels.PowOf`
func decay(t float64) float64           { return math.Exp(-t) }         // want `math.Exp has other bits.*ExpOf`
func turned() float64                   { return math.Cos(1) }          // want `math.Cos has other bits`
func gamma(x float64) float64           { return math.Gamma(x) }        // want `math.Gamma has other bits.*table`
func lgamma(x float64) (float64, int)   { return math.Lgamma(x) }       // want `math.Lgamma has other bits.*LgammaOf, which returns no sign`
func taken() func(float64) float64      { return math.Cos }             // want `math.Cos has other bits`
func complicated(z complex128) float64  { return cmplx.Abs(z) }         // want `cmplx.Abs has other bits`
func noise(r *rand.Rand) float64        { return r.NormFloat64() }      // want `rand.NormFloat64 has other bits`
func uniform(r *rand.Rand) float64      { return r.Float64() }
