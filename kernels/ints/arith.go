package ints

// Add sets dst[i] = x[i] + y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact, modulo 2^32 or 2^64.
// It panics if the lengths differ. It does not allocate.
func Add[T Integer](dst, x, y []T) {
	checkLengths("Add", len(dst), len(x), len(y))
	if narrow[T]() {
		add32(as[uint32](dst), as[uint32](x), as[uint32](y))
	} else {
		add64(as[uint64](dst), as[uint64](x), as[uint64](y))
	}
}

// add is the loop.
//
//lanec:kernel add32[uint32]
//lanec:kernel add64[uint64]
func add[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// Sub sets dst[i] = x[i] - y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact, modulo 2^32 or 2^64.
// It panics if the lengths differ. It does not allocate.
func Sub[T Integer](dst, x, y []T) {
	checkLengths("Sub", len(dst), len(x), len(y))
	if narrow[T]() {
		sub32(as[uint32](dst), as[uint32](x), as[uint32](y))
	} else {
		sub64(as[uint64](dst), as[uint64](x), as[uint64](y))
	}
}

// sub is the loop.
//
//lanec:kernel sub32[uint32]
//lanec:kernel sub64[uint64]
func sub[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

// Mul sets dst[i] = x[i] * y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact, modulo 2^32 or 2^64.
// It panics if the lengths differ. It does not allocate.
func Mul[T Integer](dst, x, y []T) {
	checkLengths("Mul", len(dst), len(x), len(y))
	if narrow[T]() {
		mul32(as[uint32](dst), as[uint32](x), as[uint32](y))
	} else {
		mul64(as[uint64](dst), as[uint64](x), as[uint64](y))
	}
}

// mul is the loop.
//
//lanec:kernel mul32[uint32]
//lanec:kernel mul64[uint64]
func mul[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// AddScalar sets dst[i] = x[i] + s for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact, modulo 2^32 or 2^64.
// It panics if the lengths differ. It does not allocate.
func AddScalar[T Integer](dst, x []T, s T) {
	checkLengths("AddScalar", len(dst), len(x))
	if narrow[T]() {
		addScalar32(as[uint32](dst), as[uint32](x), uint32(s))
	} else {
		addScalar64(as[uint64](dst), as[uint64](x), uint64(s))
	}
}

// addScalar is the loop.
//
//lanec:kernel addScalar32[uint32]
//lanec:kernel addScalar64[uint64]
func addScalar[T Integer](dst, x []T, s T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + s
	}
}

// Scale sets dst[i] = s * x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact, modulo 2^32 or 2^64.
// It panics if the lengths differ. It does not allocate.
func Scale[T Integer](dst, x []T, s T) {
	checkLengths("Scale", len(dst), len(x))
	if narrow[T]() {
		scale32(as[uint32](dst), as[uint32](x), uint32(s))
	} else {
		scale64(as[uint64](dst), as[uint64](x), uint64(s))
	}
}

// scale is the loop.
//
//lanec:kernel scale32[uint32]
//lanec:kernel scale64[uint64]
func scale[T Integer](dst, x []T, s T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = s * x[i]
	}
}

// Neg sets dst[i] = -x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact, modulo 2^32 or 2^64.
// It panics if the lengths differ. It does not allocate.
func Neg[T Integer](dst, x []T) {
	checkLengths("Neg", len(dst), len(x))
	if narrow[T]() {
		neg32(as[uint32](dst), as[uint32](x))
	} else {
		neg64(as[uint64](dst), as[uint64](x))
	}
}

// neg is the loop.
//
//lanec:kernel neg32[uint32]
//lanec:kernel neg64[uint64]
func neg[T Integer](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = -x[i]
	}
}

// Abs sets dst[i] = |x[i]| for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact; the smallest integer of a signed type has no positive
// counterpart and gives itself.
// It panics if the lengths differ. It does not allocate.
func Abs[T Integer](dst, x []T) {
	checkLengths("Abs", len(dst), len(x))
	switch dst := any(dst).(type) {
	case []int32:
		absI32(dst, as[int32](x))
	case []uint32:
		absU32(dst, as[uint32](x))
	case []int64:
		absI64(dst, as[int64](x))
	case []uint64:
		absU64(dst, as[uint64](x))
	}
}

// abs is the loop.
//
//lanec:kernel absI32[int32]
//lanec:kernel absU32[uint32]
//lanec:kernel absI64[int64]
//lanec:kernel absU64[uint64]
func abs[T Integer](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		v := x[i]
		if v < 0 {
			v = -v
		}
		dst[i] = v
	}
}
