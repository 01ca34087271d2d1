package kernels

import "math"

// Floor sets dst[i] = ⌊x[i]⌋, the largest integer that is not above x[i], for
// every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. If x[i] is an integer, ±0, ±Inf or NaN, the result is x[i]. A result
// of zero has the sign of x[i].
// It panics if the lengths differ. It does not allocate.
func floorGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = FloorOf(x[i])
	}
}

// FloorOf returns ⌊x⌋.
// The result has the same bits as that of [Floor].
func FloorOf[T Float](x T) T { return T(math.Floor(float64(x))) }

// Ceil sets dst[i] = ⌈x[i]⌉, the smallest integer that is not below x[i], for
// every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. If x[i] is an integer, ±0, ±Inf or NaN, the result is x[i]. A result
// of zero has the sign of x[i].
// It panics if the lengths differ. It does not allocate.
func ceilGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = CeilOf(x[i])
	}
}

// CeilOf returns ⌈x⌉.
// The result has the same bits as that of [Ceil].
func CeilOf[T Float](x T) T { return T(math.Ceil(float64(x))) }

// Trunc sets dst[i] to x[i] without its fraction, for every i. This is the nearest integer towards
// zero.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. If x[i] is an integer, ±0, ±Inf or NaN, the result is x[i]. A result
// of zero has the sign of x[i].
// It panics if the lengths differ. It does not allocate.
func truncGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = TruncOf(x[i])
	}
}

// TruncOf returns x without its fraction.
// The result has the same bits as that of [Trunc].
func TruncOf[T Float](x T) T { return T(math.Trunc(float64(x))) }

// Round sets dst[i] to the integer nearest to x[i] for every i. If two integers are
// equally near, it is the even one.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. ±0, ±Inf and NaN give themselves. A result of zero has the sign of x[i].
// It panics if the lengths differ. It does not allocate.
func roundGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = RoundOf(x[i])
	}
}

// RoundOf returns the integer nearest to x. If two integers are equally near, it is the
// even one. The result has the same bits as that of [Round].
func RoundOf[T Float](x T) T { return T(math.RoundToEven(float64(x))) }

// Fract sets dst[i] = x[i] - ⌊x[i]⌋ for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact except for one rounding where x[i] is negative, so the result
// is 1 just below zero. It is +0 for integers, and NaN for ±Inf and NaN.
// It panics if the lengths differ. It does not allocate.
func fractGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = FractOf(x[i])
	}
}

// FractOf returns x - ⌊x⌋.
// The result has the same bits as that of [Fract].
func FractOf[T Float](x T) T {
	x = T(x) // a product would be fused with the difference
	return x - T(math.Floor(float64(x)))
}

// CopySign sets dst[i] to x[i] with the sign of y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact; the signs of zeros count like any other. The sign of a NaN in y is
// used too. However, if an operation produces a NaN, the sign of the NaN is unspecified
// and may differ between CPUs.
// It panics if the lengths differ. It does not allocate.
func copySignGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = CopySignOf(x[i], y[i])
	}
}

// CopySignOf returns x with the sign of y.
// The result has the same bits as that of [CopySign].
func CopySignOf[T Float](x, y T) T {
	var f T
	if single[T]() {
		f = T(copySignFloat32(float32(x), float32(y)))
	} else {
		f = T(copySignFloat64(float64(x), float64(y)))
	}
	return f
}

func copySignFloat32(x, y float32) float32 {
	return math.Float32frombits(math.Float32bits(x)&^(1<<31) | math.Float32bits(y)&(1<<31))
}

func copySignFloat64(x, y float64) float64 {
	return math.Float64frombits(math.Float64bits(x)&^(1<<63) | math.Float64bits(y)&(1<<63))
}
