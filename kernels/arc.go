package kernels

import "math"

// The arc sine on r ≤ ½ is asin r ≈ r + r·z·(arcA + z·(arcB + …)) with z = r². The
// polynomial comes from Remez exchange on the relative error. Each coefficient was rounded
// before the next one was fitted, so that later coefficients correct the rounding. The
// largest errors are 2^-27.6 and 2^-55.9. The last coefficient comes first.
var (
	arc32 = []float32{
		0x1.595c58p-5, 0x1.8c3e54p-6, 0x1.747bb8p-5, 0x1.330204p-4, 0x1.5555c8p-3,
	}
	arc64 = []float64{
		0x1.0570df792855cp-5, -0x1.09dccda3b8c23p-6, 0x1.3ffa876d8e42bp-6, 0x1.abc7394bbc58cp-8,
		0x1.8ec3dfa22b9bcp-7, 0x1.c6fda16a1ae65p-7, 0x1.1c6be326aec70p-6, 0x1.6e89f4293dd18p-6,
		0x1.f1c72c39cceafp-6, 0x1.6db6db427850fp-5, 0x1.333333336e82dp-4, 0x1.5555555555390p-3,
	}
)

const halfPi32 float32 = 0x1.921fb6p+0

// arc returns the arc cosine of x, for 0 ≤ x ≤ 1, within 1.5 ulp:
//
//	x ≤ ½:  π/2 - asin(x)
//	x > ½:  2*asin(√((1-x)/2))
//
// The compiled code may compute both values and select one.
func arc[T Float](x T) T {
	if single[T]() {
		return T(arcBy(float32(x), halfPi32, arc32))
	}
	return T(arcBy(float64(x), halfPi, arc64))
}

func arcBy[T Float](x, halfPi T, series []T) T {
	r, z := x, T(x*x)
	if x > 0.5 {
		z = T(0.5 * (1 - x))
		r = root(z)
	}
	p := series[0]
	for _, c := range series[1:] {
		p = T(p*z) + c
	}
	p = r + T(T(r*z)*p) // asin r
	if x > 0.5 {
		return p + p
	}
	return halfPi - p
}

func magnitude[T Float](x T) T { return T(math.Abs(float64(x))) }
