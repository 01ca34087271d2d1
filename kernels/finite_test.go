package kernels

import (
	"math"
	"testing"
)

// TestAllFinite checks that AllFinite finds a single infinity or NaN in any row, and that memory
// around the lane does not affect the result.
func TestAllFinite(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		testAllFinite[float32](t, math.MaxFloat32, math.SmallestNonzeroFloat32)
		testAllFinite[float64](t, math.MaxFloat64, math.SmallestNonzeroFloat64)
	})
}

func testAllFinite[T Float](t *testing.T, largest, smallest T) {
	room := make([]T, 300)
	for n := range 131 {
		x := room[1 : n+1]
		for i := range room {
			room[i] = T(math.NaN()) // around the lane
		}
		for i := range x {
			x[i] = [...]T{0, 1, -largest, smallest, T(math.Copysign(0, -1)), largest}[i%6]
		}
		if !AllFinite(x) {
			t.Fatalf("%T: %d finite numbers are not", x, n)
		}
		for i := range x {
			for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				old := x[i]
				if x[i] = T(odd); AllFinite(x) {
					t.Fatalf("%T: %v at %d of %d is finite", x, odd, i, n)
				}
				x[i] = old
			}
		}
	}
	long := make([]T, 2*piece+5)
	for _, at := range []int{0, piece - 1, piece, len(long) - 1} {
		long[at] = T(math.Inf(1))
		if AllFinite(long) {
			t.Errorf("%T: all but %d is finite", long, at)
		}
		long[at] = 0
	}
	if !AllFinite(long) {
		t.Errorf("%T: zeros are not finite", long)
	}
}

func BenchmarkAllFinite(b *testing.B) { bench(b, contestAllFinite[float32], contestAllFinite[float64]) }

func contestAllFinite[T Float](n int) contest {
	x := randomLane[T](n)
	return contest{func() { AllFinite(x) }, nil, size[T](1)}
}
