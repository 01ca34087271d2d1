package kernels_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// This is arithmetic on whole slices. The destination may be one of the sources.
func ExampleMul() {
	x, y := []float64{1, 4, -9}, []float64{2, 2, 3}
	dst := make([]float64, 3)
	for _, of := range []func(dst, x, y []float64){kernels.Add[float64], kernels.Sub[float64], kernels.Mul[float64], kernels.Div[float64], kernels.Minimum[float64], kernels.Maximum[float64]} {
		of(dst, x, y)
		fmt.Println(dst)
	}
	kernels.Abs(dst, x)
	kernels.Sqrt(dst, dst)
	kernels.Neg(dst, dst)
	fmt.Println(dst)
	kernels.Copy(dst, x)
	kernels.Lerp(dst, dst, y, 0.5)
	fmt.Println(dst, kernels.Norm([]float64{3, 4}))
	// Output:
	// [3 6 -6]
	// [-1 2 -12]
	// [2 8 -27]
	// [0.5 2 -3]
	// [1 2 -9]
	// [2 4 3]
	// [-1 -2 -3]
	// [1.5 3 -3] 5
}

// Each number is converted to the nearest value of the destination type, and NaN becomes 0. For the
// last three numbers, the result of Go's own conversion depends on the CPU.
func ExampleToUint32() {
	for _, x := range []float64{2.9, -1, 1e10, math.NaN()} {
		fmt.Println(kernels.ToUint32(x), kernels.ToUint64(x), kernels.ToInt64(x))
	}
	half := make([]float32, 2)
	kernels.Convert(half, []float64{0.1, 1e300})
	fmt.Println(half)
	// Output:
	// 2 2 2
	// 0 0 -1
	// 4294967295 10000000000 10000000000
	// 0 0 0
	// [0.1 +Inf]
}

// Each function kernel has a version for a single number that returns exactly the same result. Use it
// in your own loops, because the functions of package math return different results on different CPUs.
func ExampleSinOf() {
	for _, f := range []struct {
		name string
		of   func(float64) float64
		x    float64
	}{
		{"sin", kernels.SinOf[float64], 1}, {"cos", kernels.CosOf[float64], 1}, {"tan", kernels.TanOf[float64], 1},
		{"asin", kernels.AsinOf[float64], 0.5}, {"acos", kernels.AcosOf[float64], 0.5}, {"atan", kernels.AtanOf[float64], 1},
		{"sinh", kernels.SinhOf[float64], 1}, {"cosh", kernels.CoshOf[float64], 1}, {"tanh", kernels.TanhOf[float64], 1},
		{"exp", kernels.ExpOf[float64], 1}, {"exp2", kernels.Exp2Of[float64], 0.5}, {"expm1", kernels.Expm1Of[float64], 1e-9},
		{"log", kernels.LogOf[float64], 10}, {"log2", kernels.Log2Of[float64], 8}, {"log10", kernels.Log10Of[float64], 1000}, {"log1p", kernels.Log1pOf[float64], 1e-9},
		{"cbrt", kernels.CbrtOf[float64], 27}, {"erf", kernels.ErfOf[float64], 1}, {"erfc", kernels.ErfcOf[float64], 6},
		{"normal cdf", kernels.NormalCDFOf[float64], -2}, {"normal quantile", kernels.NormalQuantileOf[float64], 0.975}, {"sinc", kernels.SincOf[float64], 0.5},
		{"lgamma", kernels.LgammaOf[float64], 0.5}, {"j0", kernels.J0Of[float64], 1}, {"j1", kernels.J1Of[float64], 1}, {"rsqrt", kernels.RsqrtOf[float64], 16},
		{"floor", kernels.FloorOf[float64], -1.5}, {"ceil", kernels.CeilOf[float64], -1.5}, {"round", kernels.RoundOf[float64], -1.5}, {"trunc", kernels.TruncOf[float64], -1.5}, {"fract", kernels.FractOf[float64], -1.25},
	} {
		fmt.Printf("%s(%v) = %.6g\n", f.name, f.x, f.of(f.x))
	}
	fmt.Println(kernels.PowOf(2.0, 10), kernels.HypotOf(3.0, 4), kernels.ModOf(-7.0, 3))
	// Output:
	// sin(1) = 0.841471
	// cos(1) = 0.540302
	// tan(1) = 1.55741
	// asin(0.5) = 0.523599
	// acos(0.5) = 1.0472
	// atan(1) = 0.785398
	// sinh(1) = 1.1752
	// cosh(1) = 1.54308
	// tanh(1) = 0.761594
	// exp(1) = 2.71828
	// exp2(0.5) = 1.41421
	// expm1(1e-09) = 1e-09
	// log(10) = 2.30259
	// log2(8) = 3
	// log10(1000) = 3
	// log1p(1e-09) = 1e-09
	// cbrt(27) = 3
	// erf(1) = 0.842701
	// erfc(6) = 2.15197e-17
	// normal cdf(-2) = 0.0227501
	// normal quantile(0.975) = 1.95996
	// sinc(0.5) = 0.63662
	// lgamma(0.5) = 0.572365
	// j0(1) = 0.765198
	// j1(1) = 0.440051
	// rsqrt(16) = 0.25
	// floor(-1.5) = -2
	// ceil(-1.5) = -1
	// round(-1.5) = -2
	// trunc(-1.5) = -1
	// fract(-1.25) = 0.75
	// 1024 5 -1
}
