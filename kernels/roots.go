package kernels

import "math"

// Rsqrt sets dst[i] = 1/√x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: within 1.5 ulp: root and quotient are each rounded once, without a
// CPU's estimate. ±Inf for ±0, +0 for +Inf, NaN below zero.
// It panics if the lengths differ. It does not allocate.
func rsqrtGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = RsqrtOf(x[i])
	}
}

// RsqrtOf returns 1/√x.
// The result has the same bits as that of [Rsqrt].
func RsqrtOf[T Float](x T) T { return 1 / T(math.Sqrt(float64(x))) }

// Hypot sets dst[i] = √(x[i]² + y[i]²) for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: within 1.0 ulp, without intermediate overflow or underflow. The
// result is +Inf where x[i] or y[i] is ±Inf, even if the other operand is
// NaN.
// It panics if the lengths differ. It does not allocate.
func hypotGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = HypotOf(x[i], y[i])
	}
}

// HypotOf returns √(x² + y²).
// The result has the same bits as that of [Hypot].
func HypotOf[T Float](x, y T) T {
	var f T
	if single[T]() {
		f = T(hypotFloat32(float32(x), float32(y)))
	} else {
		f = T(hypotFloat64(float64(x), float64(y)))
	}
	return f
}

// hypotFloat32 computes in float64, where the squares are exact.
func hypotFloat32(x, y float32) float32 {
	a, b := math.Abs(float64(x)), math.Abs(float64(y))
	h := math.Sqrt(float64(a*a) + float64(b*b))
	if a > math.MaxFloat64 {
		h = a
	}
	if b > math.MaxFloat64 {
		h = b
	}
	return float32(h)
}

// hypotFloat64 adds squares that are computed in two parts. It scales the numbers so that their
// squares are normal.
func hypotFloat64(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	high, low := a, b
	if a < b {
		high, low = b, a
	}
	scale, back := 1.0, 1.0
	if high > 0x1p500 {
		scale, back = 0x1p-600, 0x1p600
	}
	if high < 0x1p-400 {
		scale, back = 0x1p600, 0x1p-600
	}
	p, pe := twoProduct(float64(high*scale), float64(high*scale))
	q, qe := twoProduct(float64(low*scale), float64(low*scale))
	s := p + q
	h := float64(math.Sqrt(s+(((p-s)+q)+(pe+qe))) * back)
	if a > math.MaxFloat64 {
		h = a
	}
	if b > math.MaxFloat64 {
		h = b
	}
	return h
}
