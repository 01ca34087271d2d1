package kernels

import "math"

// Go leaves open what an integer is that is made of a float out of its range, and CPUs differ. These say what it is, so that it is the same
// everywhere: the nearest integer that there is, and 0 of NaN. lanec knows them.

// ToInt32 returns x without its fraction; the nearest int32 if that is out of range, and 0 if x is NaN.
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

// ToUint32 returns x without its fraction; the nearest uint32 if that is out of range, and 0 if x is NaN.
func ToUint32[T Float](x T) uint32 {
	switch {
	case x >= 1<<32:
		return math.MaxUint32
	case x >= 0:
		return uint32(x)
	}
	return 0
}

// ToInt64 returns x without its fraction; the nearest int64 if that is out of range, and 0 if x is NaN.
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

// ToUint64 returns x without its fraction; the nearest uint64 if that is out of range, and 0 if x is NaN.
func ToUint64[T Float](x T) uint64 {
	switch {
	case x >= 1<<64:
		return math.MaxUint64
	case x >= 0:
		return uint64(x)
	}
	return 0
}
