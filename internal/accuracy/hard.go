package main

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// hardArguments returns arguments that are hard for a function of one float64:
// at these arguments, the function switches between two formulas or loses the
// most precision. Such arguments are zero, the subnormal numbers and their
// neighbours; powers of two; multiples of an eighth turn and of half the
// logarithm of 2; arguments whose results nearly overflow or underflow; and
// the arguments closest to a multiple of a quarter turn, as Muller and Kahan
// published them.
func hardArguments[T kernels.Float]() []T {
	points := []float64{
		0, 1, math.MaxFloat64, 0x1p-1022, math.Sqrt2, math.Sqrt2 / 2, 51200, 12800,
		709.782712893384, 708.3964185322641, 745.1332191019411, 744.4400719213812, 710.4758600739439, 1024, 1022, 1023, 1074, 1075,
		math.Ldexp(6381956970095103, 797), math.Ldexp(5319372648326541, 0), math.Ldexp(6411027962775774, -54), math.Ldexp(6189806365883577, 1002),
	}
	for e := -1074; e < 1024; e++ {
		points = append(points, math.Ldexp(1, e), math.Ldexp(1.5, e))
	}
	for k := 1; k < 16384; k++ {
		points = append(points, float64(k)*(math.Pi/4), float64(float64(k)*(math.Ln2/2)), float64(k)/1024)
	}
	var all []T
	for _, p := range points {
		for d := -3; d <= 3; d++ {
			if x := math.Float64frombits(math.Float64bits(p) + uint64(d)); x == x {
				all = append(all, T(x), T(-x))
			}
		}
	}
	return all
}

// fillPairs fills the beginning of x and y in one of the first blocks with hard
// arguments for a function of two arguments. The results for these pairs are
// powers that nearly overflow or underflow or are close to 1; quotients close
// to 1, 0 and infinity; and sums of squares that need only one rounding.
func fillPairs[T kernels.Float](name string, x, y []T, block int) {
	last, small, most := T(0x1p-52), -1022.0, 1024.0
	if T(1)+last == 1 {
		last, small, most = 0x1p-23, -126, 128
	}
	for i := range len(x) / 4 {
		k := T(i%64 - 32)
		base := T(1) + T(T((i+block*len(x)/4)/64)*0.01)
		switch {
		case name == "Pow" && i%3 == 0: // too large
			x[i], y[i] = base, T(most/math.Log2(float64(base)))*(1+T(k*last)) //lanewise:inexact an argument near the limit: any will do
		case name == "Pow" && i%3 == 1: // subnormal, and too small
			x[i], y[i] = base, T(small*(1+float64(i%48)/1000)/math.Log2(float64(base))) //lanewise:inexact as above
		case name == "Pow": // next to 1
			x[i], y[i] = 1+T(k*last), base/last
		case i%2 == 0:
			x[i], y[i] = base, base*(1+T(k*last))
		default:
			x[i], y[i] = base, T(math.Ldexp(float64(base), int(k)*2))
		}
	}
}
