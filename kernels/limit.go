package kernels

import "math"

// Minimum sets dst[i] = x[i] where x[i] < y[i], and y[i] elsewhere. So it is
// y[i] where one of the two is NaN or both are zeros: of NaN and 2 it is 2, of 1
// and NaN it is NaN. That is what SSE's MINPS does; the minimum of NumPy, of the same
// name, is NaN in both cases. [Min] is the smallest element of one slice.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Minimum[T Float](dst, x, y []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst) || len(y) != len(dst):
		minimumPieces(dst, x, y)
	case single[T]():
		minimum32(f32(dst), f32(x), f32(y))
	default:
		minimum64(f64(dst), f64(x), f64(y))
	}
}

func minimumGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = lesser(x[i], y[i])
	}
}

// lesser returns a < b ? a : b.
func lesser[T Float](a, b T) T {
	if a < b {
		return a
	}
	return b
}

// Maximum sets dst[i] = x[i] where x[i] > y[i], and y[i] elsewhere. So it is
// y[i] where one of the two is NaN or both are zeros, as with [Minimum]: of NaN and
// 2 it is 2, of 1 and NaN it is NaN. [Max] is the largest element of one slice.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Maximum[T Float](dst, x, y []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst) || len(y) != len(dst):
		maximumPieces(dst, x, y)
	case single[T]():
		maximum32(f32(dst), f32(x), f32(y))
	default:
		maximum64(f64(dst), f64(x), f64(y))
	}
}

func maximumGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = greater(x[i], y[i])
	}
}

// greater returns a > b ? a : b.
func greater[T Float](a, b T) T {
	if a > b {
		return a
	}
	return b
}

// Clamp sets dst[i] to x[i], or to the bound that x[i] is beyond, for every i.
//
//	t = lo > x[i] ? lo : x[i]
//	dst[i] = hi < t ? hi : t
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. NaN stays NaN; a bound that is NaN binds nothing; where lo > hi
// the result is hi; a zero keeps its sign between zero bounds.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Clamp[T Float](dst, x []T, lo, hi T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		clampPieces(dst, x, lo, hi)
	case single[T]():
		clamp32(f32(dst), f32(x), float32(lo), float32(hi))
	default:
		clamp64(f64(dst), f64(x), float64(lo), float64(hi))
	}
}

func clampGeneric[T Float](dst, x []T, lo, hi T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = lesser(hi, greater(lo, x[i]))
	}
}

// Abs sets dst[i] = |x[i]| for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact; |-0| is +0.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Abs[T Float](dst, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		absPieces(dst, x)
	case single[T]():
		abs32(f32(dst), f32(x))
	default:
		abs64(f64(dst), f64(x))
	}
}

func absGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = T(math.Abs(float64(x[i])))
	}
}

// Neg sets dst[i] = -x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact; zeros change their sign, too.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Neg[T Float](dst, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		negPieces(dst, x)
	case single[T]():
		neg32(f32(dst), f32(x))
	default:
		neg64(f64(dst), f64(x))
	}
}

func negGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = -x[i]
	}
}

// Sqrt sets dst[i] = √x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact, that is correctly rounded; √-0 is -0, NaN below zero.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Sqrt[T Float](dst, x []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst):
		sqrtPieces(dst, x)
	case single[T]():
		sqrt32(f32(dst), f32(x))
	default:
		sqrt64(f64(dst), f64(x))
	}
}

func sqrtGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = T(math.Sqrt(float64(x[i])))
	}
}
