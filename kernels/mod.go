package kernels

import "math"

// Mod sets dst[i] to the remainder of x[i] after division by y[i], for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact, like fmod of C. The result has the sign of x[i] and is nearer
// to zero than y[i]. It is x[i] where y[i] is ±Inf. It is NaN where x[i] is
// ±Inf, y[i] is ±0, or one of them is NaN.
// It panics if the lengths differ. It does not allocate.
func modGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = ModOf(x[i], y[i])
	}
}

// ModOf returns the remainder of x after division by y.
// The result has the same bits as that of [Mod].
func ModOf[T Float](x, y T) T {
	var f T
	if single[T]() {
		f = T(modFloat32(float32(x), float32(y)))
	} else {
		f = T(modFloat64(float64(x), float64(y)))
	}
	return f
}

// modFloat32 multiplies y by a quotient below 2^29. The product is exact, because it is computed in
// float64. The quotient may have been rounded up to the next integer.
func modFloat32(x, y float32) float32 {
	a, b := math.Abs(float64(x)), math.Abs(float64(y))
	q := a / b
	if rarely(q >= 0x1p29) {
		return float32(math.Mod(float64(x), float64(y)))
	}
	r := a - float64(math.Trunc(q)*b)
	if r < 0 {
		r += b
	}
	if a < b {
		r = a
	}
	f := float32(r)
	return math.Float32frombits(math.Float32bits(f) | math.Float32bits(x)&(1<<31))
}

// modFloat64 does the same as modFloat32, but holds the product in two parts.
func modFloat64(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	q := a / b
	if rarely(q >= 0x1p53 || q >= 1 && (a > 0x1p990 || b < 0x1p-900)) {
		return math.Mod(x, y)
	}
	p, rest := twoProduct(math.Trunc(q), b)
	r := (a - p) - rest
	if r < 0 {
		r += b
	}
	if a < b {
		r = a
	}
	return math.Float64frombits(math.Float64bits(r) | math.Float64bits(x)&(1<<63))
}
