package ints

// And sets dst[i] = x[i] & y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact. For masks see kernels.And.
// It panics if the lengths differ. It does not allocate.
func And[T Integer](dst, x, y []T) {
	checkLengths("And", len(dst), len(x), len(y))
	if narrow[T]() {
		and32(as[uint32](dst), as[uint32](x), as[uint32](y))
	} else {
		and64(as[uint64](dst), as[uint64](x), as[uint64](y))
	}
}

// and is the loop.
//
//lanec:kernel and32[uint32]
//lanec:kernel and64[uint64]
func and[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] & y[i]
	}
}

// Or sets dst[i] = x[i] | y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact. For masks see kernels.Or.
// It panics if the lengths differ. It does not allocate.
func Or[T Integer](dst, x, y []T) {
	checkLengths("Or", len(dst), len(x), len(y))
	if narrow[T]() {
		or32(as[uint32](dst), as[uint32](x), as[uint32](y))
	} else {
		or64(as[uint64](dst), as[uint64](x), as[uint64](y))
	}
}

// or is the loop.
//
//lanec:kernel or32[uint32]
//lanec:kernel or64[uint64]
func or[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] | y[i]
	}
}

// Xor sets dst[i] = x[i] ^ y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func Xor[T Integer](dst, x, y []T) {
	checkLengths("Xor", len(dst), len(x), len(y))
	if narrow[T]() {
		xor32(as[uint32](dst), as[uint32](x), as[uint32](y))
	} else {
		xor64(as[uint64](dst), as[uint64](x), as[uint64](y))
	}
}

// xor is the loop.
//
//lanec:kernel xor32[uint32]
//lanec:kernel xor64[uint64]
func xor[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] ^ y[i]
	}
}

// AndNot sets dst[i] = x[i] &^ y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact. For masks see kernels.AndNot.
// It panics if the lengths differ. It does not allocate.
func AndNot[T Integer](dst, x, y []T) {
	checkLengths("AndNot", len(dst), len(x), len(y))
	if narrow[T]() {
		andNot32(as[uint32](dst), as[uint32](x), as[uint32](y))
	} else {
		andNot64(as[uint64](dst), as[uint64](x), as[uint64](y))
	}
}

// andNot is the loop.
//
//lanec:kernel andNot32[uint32]
//lanec:kernel andNot64[uint64]
func andNot[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] &^ y[i]
	}
}

// Not sets dst[i] = ^x[i] for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. For masks see kernels.Not.
// It panics if the lengths differ. It does not allocate.
func Not[T Integer](dst, x []T) {
	checkLengths("Not", len(dst), len(x))
	if narrow[T]() {
		not32(as[uint32](dst), as[uint32](x))
	} else {
		not64(as[uint64](dst), as[uint64](x))
	}
}

// not is the loop.
//
//lanec:kernel not32[uint32]
//lanec:kernel not64[uint64]
func not[T Integer](dst, x []T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = ^x[i]
	}
}

// ShiftLeft sets dst[i] = x[i] << k for every i.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact, modulo 2^32 or 2^64; 0 if k is at least the number of bits of
// T.
// It panics if the lengths differ. It does not allocate.
func ShiftLeft[T Integer](dst, x []T, k uint) {
	checkLengths("ShiftLeft", len(dst), len(x))
	if narrow[T]() {
		shiftLeft32(as[uint32](dst), as[uint32](x), uint32(min(k, 64)))
	} else {
		shiftLeft64(as[uint64](dst), as[uint64](x), uint64(min(k, 64)))
	}
}

// shiftLeft is the loop for unsigned numbers.
//
//lanec:kernel shiftLeft32[uint32]
//lanec:kernel shiftLeft64[uint64]
func shiftLeft[T Integer](dst, x []T, k T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] << k
	}
}

// ShiftRight sets dst[i] = x[i] >> k for every i. If T is signed, the shift copies the
// sign bit.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. If k is at least the number of bits of T, the result is 0, or -1 for a
// negative x[i].
// It panics if the lengths differ. It does not allocate.
func ShiftRight[T Integer](dst, x []T, k uint) {
	checkLengths("ShiftRight", len(dst), len(x))
	k = min(k, 64)
	switch dst := any(dst).(type) {
	case []int32:
		shiftRightI32(dst, as[int32](x), uint32(k))
	case []uint32:
		shiftRightU32(dst, as[uint32](x), uint32(k))
	case []int64:
		shiftRightI64(dst, as[int64](x), uint64(k))
	case []uint64:
		shiftRightU64(dst, as[uint64](x), uint64(k))
	}
}

// shiftRight is the loop for unsigned numbers.
//
//lanec:kernel shiftRightU32[uint32]
//lanec:kernel shiftRightU64[uint64]
func shiftRight[T Integer](dst, x []T, k T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] >> k
	}
}

// signed32 and signed64 are the loops for signed numbers.
//
//lanec:kernel shiftRightI32
func signed32(dst, x []int32, k uint32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] >> k
	}
}

//lanec:kernel shiftRightI64
func signed64(dst, x []int64, k uint64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] >> k
	}
}
