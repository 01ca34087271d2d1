package kernels

import (
	"math"
	"testing"
)

// TestTotal checks that Total returns exactly the same result as Sum. It tries lengths near
// multiples of the number of accumulators, and rows that are infinite or zero.
func TestTotal(t *testing.T) {
	testTotal[float32](t)
	testTotal[float64](t)
}

func testTotal[T Float](t *testing.T) {
	t.Helper()
	for n := range 200 {
		x := make([]T, n)
		for i := range x {
			x[i] = T(math.Sin(float64(i*i))) / T(i%7)
			if i%11 == 3 {
				x[i] = T(math.Copysign(0, -1))
			}
			if n%3 > 0 && x[i]-x[i] != 0 {
				x[i] = T(i) * 1e-3
			}
		}
		var total Total[T]
		for i, v := range x {
			total.Add(i, v)
		}
		got, want := total.Sum(), Sum(x)
		if math.Float64bits(float64(got)) != math.Float64bits(float64(want)) && (got == got || want == want) {
			t.Errorf("%d rows: %v, want %v", n, got, want)
		}
		if again := total.Sum(); again == again && again != got {
			t.Errorf("%d rows: the second sum is %v, the first was %v", n, again, got)
		}
		if n == 0 && len(total.Sums())*int(sizeOf[T]()) != 256 {
			t.Errorf("%d accumulators", len(total.Sums()))
		}
	}
}

func sizeOf[T Float]() uintptr {
	if single[T]() {
		return 4
	}
	return 8
}

// TestTotalAllocatesNothing checks that a Total stays on the stack.
func TestTotalAllocatesNothing(t *testing.T) {
	if got := testing.AllocsPerRun(5, func() {
		var total Total[float32]
		for i := range 100 {
			total.Add(i, 1)
		}
		if total.Sum() != 100 {
			t.Error("wrong")
		}
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
