package order

import (
	"fmt"
	"math"
)

// Key is the set of key types.
type Key interface {
	uint32 | uint64 | int32 | int64 | float32 | float64
}

// Less reports whether a comes before b. Floats have a total order, in which −0
// comes before +0, and NaN comes after all other numbers.
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

// less does the same as Less, but takes less time in loops: it checks for NaN and the signs of
// zeros only if neither operand is greater than the other.
func less[K Key](a, b K, float bool) bool { return a < b || float && !(a > b) && floatTie(a, b) }

// floatTie orders two floats if neither is less than the other.
func floatTie[K Key](a, b K) bool {
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

// Groups appends the start of each run of equal keys to starts, and then the
// number of keys. Group g of sorted keys is keys[starts[g]:starts[g+1]]. So Groups
// appends one entry for each group and one more at the end. If there are no keys, it
// appends only the last entry, 0. It allocates only if starts is too small.
//
// Groups panics if there are more than 2^31-1 keys.
func Groups[K Key](starts []int32, keys []K) []int32 {
	checkRows("Groups", int64(len(keys)))
	float := isFloat[K]()
	for i := range keys {
		if i == 0 || less(keys[i-1], keys[i], float) || less(keys[i], keys[i-1], float) {
			starts = append(starts, int32(i))
		}
	}
	return append(starts, int32(len(keys)))
}

const maxRows = math.MaxInt32

// checkRows panics if the number of rows, n, does not fit in an int32.
func checkRows(name string, n int64) {
	if n > maxRows {
		panic(fmt.Sprintf("order: %s: there are %d rows, the most is %d", name, n, int64(maxRows)))
	}
}

// checkLengths panics unless two lengths are equal.
func checkLengths(name, x string, n int, y string, want int) {
	if n != want {
		panic(fmt.Sprintf("order: %s: len(%s) is %d, len(%s) is %d", name, x, n, y, want))
	}
}
