package kernels_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// A correctly rounded result is the float32 that is nearest to the exact one. The fast function has an error below 1.0 ulp, so it may
// return the float32 directly before or after the nearest one.
func ExampleExpRounded() {
	x := []float32{0x1.20601ap+2} // 4.505866
	fast, rounded := make([]float32, 1), make([]float32, 1)
	kernels.Exp(fast, x)
	kernels.ExpRounded(rounded, x)
	fmt.Printf("%.9g %.9g %.11g\n", fast[0], rounded[0], math.Exp(float64(x[0])))
	// Output: 90.5466919 90.5466843 90.546684985
}

// These are the correctly rounded functions for a single number. Each returns the bits of the function for slices.
func ExampleSinRoundedOf() {
	for _, f := range []struct {
		name string
		of   func(float32) float32
		x    float32
	}{
		{"sin", kernels.SinRoundedOf, 1}, {"cos", kernels.CosRoundedOf, 1}, {"tan", kernels.TanRoundedOf, 1},
		{"asin", kernels.AsinRoundedOf, 0.5}, {"acos", kernels.AcosRoundedOf, 0.5}, {"atan", kernels.AtanRoundedOf, 1},
		{"sinh", kernels.SinhRoundedOf, 1}, {"cosh", kernels.CoshRoundedOf, 1}, {"tanh", kernels.TanhRoundedOf, 1},
		{"exp", kernels.ExpRoundedOf, 1}, {"exp2", kernels.Exp2RoundedOf, 0.5}, {"expm1", kernels.Expm1RoundedOf, 1e-9},
		{"log", kernels.LogRoundedOf, 10}, {"log2", kernels.Log2RoundedOf, 8}, {"log10", kernels.Log10RoundedOf, 1000}, {"log1p", kernels.Log1pRoundedOf, 1e-9},
		{"cbrt", kernels.CbrtRoundedOf, 27}, {"rsqrt", kernels.RsqrtRoundedOf, 16}, {"erf", kernels.ErfRoundedOf, 1}, {"erfc", kernels.ErfcRoundedOf, 6},
	} {
		fmt.Printf("%s(%v) = %.6g\n", f.name, f.x, f.of(f.x))
	}
	fmt.Println(kernels.HypotRoundedOf(3, 4), kernels.Atan2RoundedOf(1, -1), kernels.PowRoundedOf(2, 0.5))
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
	// rsqrt(16) = 0.25
	// erf(1) = 0.842701
	// erfc(6) = 2.15197e-17
	// 5 2.3561945 1.4142135
}
