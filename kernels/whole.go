package kernels

import "math"

// Go does not define the result of converting a float that is out of the range of the integer type,
// and CPUs differ. These functions define the result, which must be the same everywhere: the
// nearest integer of the type, or 0 for NaN. lanec can compile them.

// ToInt32 returns x without its fraction. If that is out of range, it returns the nearest int32,
// and if x is NaN, it returns 0.
func ToInt32[T Float](x T) int32 {
	switch {
	case x >= 1<<31:
		return math.MaxInt32
	case x >= -1<<31:
		return int32(x)
	case x < 0:
		return math.MinInt32
	}
	return 0
}

// ToUint32 returns x without its fraction. If that is out of range, it returns the nearest uint32,
// and if x is NaN, it returns 0.
func ToUint32[T Float](x T) uint32 {
	switch {
	case x >= 1<<32:
		return math.MaxUint32
	case x >= 0:
		return uint32(x)
	}
	return 0
}

// ToInt64 returns x without its fraction. If that is out of range, it returns the nearest int64,
// and if x is NaN, it returns 0.
func ToInt64[T Float](x T) int64 {
	switch {
	case x >= 1<<63:
		return math.MaxInt64
	case x >= -1<<63:
		return int64(x)
	case x < 0:
		return math.MinInt64
	}
	return 0
}

// ToUint64 returns x without its fraction. If that is out of range, it returns the nearest uint64,
// and if x is NaN, it returns 0.
func ToUint64[T Float](x T) uint64 {
	switch {
	case x >= 1<<64:
		return math.MaxUint64
	case x >= 0:
		return uint64(x)
	}
	return 0
}
