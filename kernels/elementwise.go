package kernels

//go:generate go run ../internal/kernelgen

// Copy sets dst[i] = x[i] for every i. It does the same as Go's builtin copy for slices
// of equal length, but the scheduler can stop the goroutine between two pieces.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact, NaN included.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Copy[T Float](dst, x []T) {
	if len(x) != len(dst) {
		panic(differ("Copy", "dst x", len(dst), len(x)))
	}
	if checked {
		inspect("Copy", lane("dst", dst), lane("x", x))
	}
	for len(dst) > piece {
		copy(dst[:piece], x[:piece])
		dst, x = dst[piece:], x[piece:]
	}
	copy(dst, x)
}

// Add sets dst[i] = x[i] + y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func addGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// AddConst sets dst[i] = x[i] + s for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func addConstGeneric[T Float](dst, x []T, s T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + s
	}
}

// Sub sets dst[i] = x[i] - y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func subGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

// Mul sets dst[i] = x[i]*y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func mulGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// Div sets dst[i] = x[i]/y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact; a division by zero gives ±Inf, or NaN for 0/0.
// It panics if the lengths differ. It does not allocate.
func divGeneric[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

// Scale sets dst[i] = s*x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func scaleGeneric[T Float](dst, x []T, s T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = T(s * x[i])
	}
}

// MulAdd sets dst[i] = x[i]*y[i] + z[i] for every i.
//
// Shape: len(dst) == len(x) == len(y) == len(z); any length, any alignment.
// Alias: dst may be x, y or z; a partial overlap is not supported.
// Values: exact; product and sum are rounded separately.
// It panics if the lengths differ. It does not allocate.
func mulAddGeneric[T Float](dst, x, y, z []T) {
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	for i := range dst {
		dst[i] = T(x[i]*y[i]) + z[i]
	}
}

// Lerp sets dst[i] = x[i] + s*(y[i]-x[i]) for every i. So s = 0 gives x, and s
// = 1 gives y except for the last bits.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact; difference, product and sum are rounded separately.
// It panics if the lengths differ. It does not allocate.
func lerpGeneric[T Float](dst, x, y []T, s T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + T(s*(y[i]-x[i]))
	}
}
