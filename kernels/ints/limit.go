package ints

// Minimum sets dst[i] to the smaller one of x[i] and y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func Minimum[T Integer](dst, x, y []T) {
	checkLengths("Minimum", len(dst), len(x), len(y))
	switch dst := any(dst).(type) {
	case []int32:
		minimumI32(dst, as[int32](x), as[int32](y))
	case []uint32:
		minimumU32(dst, as[uint32](x), as[uint32](y))
	case []int64:
		minimumI64(dst, as[int64](x), as[int64](y))
	case []uint64:
		minimumU64(dst, as[uint64](x), as[uint64](y))
	}
}

// minimum is the loop.
//
//lanec:kernel minimumI32[int32]
//lanec:kernel minimumU32[uint32]
//lanec:kernel minimumI64[int64]
//lanec:kernel minimumU64[uint64]
func minimum[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}

// Maximum sets dst[i] to the larger one of x[i] and y[i] for every i.
//
// Shape: len(dst) == len(x) == len(y); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func Maximum[T Integer](dst, x, y []T) {
	checkLengths("Maximum", len(dst), len(x), len(y))
	switch dst := any(dst).(type) {
	case []int32:
		maximumI32(dst, as[int32](x), as[int32](y))
	case []uint32:
		maximumU32(dst, as[uint32](x), as[uint32](y))
	case []int64:
		maximumI64(dst, as[int64](x), as[int64](y))
	case []uint64:
		maximumU64(dst, as[uint64](x), as[uint64](y))
	}
}

// maximum is the loop.
//
//lanec:kernel maximumI32[int32]
//lanec:kernel maximumU32[uint32]
//lanec:kernel maximumI64[int64]
//lanec:kernel maximumU64[uint64]
func maximum[T Integer](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

// Clamp sets dst[i] to x[i], or to the bound that x[i] is beyond.
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact. If lo is above hi, the result is hi.
// It panics if the lengths differ. It does not allocate.
func Clamp[T Integer](dst, x []T, lo, hi T) {
	checkLengths("Clamp", len(dst), len(x))
	switch dst := any(dst).(type) {
	case []int32:
		clampI32(dst, as[int32](x), int32(lo), int32(hi))
	case []uint32:
		clampU32(dst, as[uint32](x), uint32(lo), uint32(hi))
	case []int64:
		clampI64(dst, as[int64](x), int64(lo), int64(hi))
	case []uint64:
		clampU64(dst, as[uint64](x), uint64(lo), uint64(hi))
	}
}

// clamp is the loop.
//
//lanec:kernel clampI32[int32]
//lanec:kernel clampU32[uint32]
//lanec:kernel clampI64[int64]
//lanec:kernel clampU64[uint64]
func clamp[T Integer](dst, x []T, lo, hi T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = min(max(x[i], lo), hi)
	}
}
