package order

import "math"

// Key is the set of types that can be sorted by.
type Key interface {
	uint32 | uint64 | int32 | int64 | float32 | float64
}

// Less reports whether a comes before b: floats in total order, in which −0 comes
// before +0, and NaN behind everything else.
func Less[K Key](a, b K) bool { return less(a, b, isFloat[K]()) }

// Sorted reports whether keys are in order.
func Sorted[K Key](keys []K) bool {
	float := isFloat[K]()
	for i := 1; i < len(keys); i++ {
		if less(keys[i], keys[i-1], float) {
			return false
		}
	}
	return true
}

// less is Less, for loops: what equal floats are is looked at only where they meet.
func less[K Key](a, b K, float bool) bool { return a < b || float && !(a > b) && tie(a, b) }

// tie orders floats of which none is less than the other.
func tie[K Key](a, b K) bool {
	switch {
	case a != a:
		return false
	case b != b:
		return true
	}
	return math.Signbit(float64(a)) && !math.Signbit(float64(b))
}

func isFloat[K Key]() bool {
	var k K
	switch any(k).(type) {
	case float32, float64:
		return true
	}
	return false
}
