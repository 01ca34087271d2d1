package kernels

import "math"

// Abs sets dst[i] = |x[i]| for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact; |-0| is +0.
// It panics if the lengths differ. It does not allocate.
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
// Values: exact; zeros change their sign too.
// It panics if the lengths differ. It does not allocate.
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
// Values: exact, that is correctly rounded; √-0 is -0, and the result is NaN if x[i] is below zero.
// It panics if the lengths differ. It does not allocate.
func sqrtGeneric[T Float](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = T(math.Sqrt(float64(x[i])))
	}
}
