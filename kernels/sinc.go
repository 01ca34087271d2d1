package kernels

import "math"

// This file has the function sinc. With n, the whole number nearest to x, and r = x - n, sin(πx) is sin(πr) or its
// negative. So sinc x is, up to the sign, Q(r²)·r/x, where Q(u) = sin(π√u)/(π√u) is a polynomial near 1. This product needs no
// factor π.

// Sinc sets dst[i] to sin(π·x[i])/(π·x[i]) for every i. This is the normalized sinc function, as in NumPy and
// MATLAB, which interpolates between equidistant samples.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 0.9 ulp for float64, 0.6 for float32. ±0 gives 1. ±Inf and the other whole
// numbers give +0.
// It panics if the lengths differ. It does not allocate.
func sincGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = SincOf(x[i])
	}
}

// SincOf returns sin(πx)/(πx). The result has the same bits as that of [Sinc].
func SincOf[T Float](x T) T {
	var f T
	if single[T]() {
		f = T(sincFloat32(float32(x)))
	} else {
		f = T(sincFloat64(float64(x)))
	}
	return f
}

func sincFloat32(x float32) float32 {
	a, r, odd := nearestWhole(float64(x))
	u := float64(r * r)
	p := 0x1.abe8edd3965f8p-06 + float64(-0x1.253a48ca99bdcp-09*u)
	p = -0x1.86a6de32653afp-03 + float64(p*u)
	p = 0x1.9f9cacbd35e4fp-01 + float64(p*u)
	p = -0x1.a51a661403a6ep+00 + float64(p*u) // 2^-35.3
	y := float64((1 + float64(u*p)) * (r / a))
	return float32(sincSign(y, a, odd))
}

// nearestWhole returns the absolute value a of x, its distance r from the nearest whole number, and a number whose lowest bit
// is 1 if that whole number is odd. From 2^52 on, all numbers are whole, and a is 2^52.
func nearestWhole(x float64) (float64, float64, float64) {
	a := lesser(1<<52, math.Abs(x))
	n := a + 1<<52
	return a, a - (n - 1<<52), n
}

// sincSign changes the sign of y if the nearest whole number is odd. The result for 0 is 1, and there is no -0.
func sincSign(y, a, odd float64) float64 {
	y = math.Float64frombits(math.Float64bits(y)^math.Float64bits(odd)<<63) + 0
	if a == 0 {
		y = 1
	}
	return y
}

func sincFloat64(x float64) float64 {
	a, r, odd := nearestWhole(x)
	q, qLow := sincNearZero(r)
	d := r / a
	c, cLow := twoProduct(d, a)
	dLow := ((r - c) - cLow) / a
	y, yLow := twoProduct(d, q)
	return sincSign(y+(yLow+(float64(d*qLow)+float64(dLow*q))), a, odd)
}

// sincNearZero returns sinc r in two parts, for |r| ≤ ½.
func sincNearZero(r float64) (float64, float64) {
	u, uLow := twoProduct(r, r)
	p := 0x1.0fa0609fb03b4p-22 + float64(-0x1.e4f9e53dc26fp-28*u)
	p = -0x1.d423bfd8f8301p-18 + float64(p*u)
	p = 0x1.374718a960448p-13 + float64(p*u)
	p = -0x1.33816aa1ebbccp-09 + float64(p*u)
	p = 0x1.ac6805cf2fbefp-06 + float64(p*u)
	p = -0x1.86a8e4720db08p-03 + float64(p*u)
	p = 0x1.9f9cb402bc46cp-01 + float64(p*u) // 2^-68.5
	h, hLow := twoProduct(u, minusSquarePiOverSix)
	hLow += float64(uLow*minusSquarePiOverSix) + float64(u*(minusSquarePiOverSixRest+float64(u*p)))
	q := 1 + h
	return q, ((1 - q) + h) + hLow
}
