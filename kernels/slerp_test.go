package kernels

import (
	"math"
	"slices"
	"testing"
)

// TestSlerpTurns covers each branch of Slerp: t inside and outside [0, 1], and products of a and b
// around ½, 0 and 1.
func TestSlerpTurns(t *testing.T) {
	eachPath(t, func(t *testing.T) { testBoth(t, testSlerpTurns[float32], testSlerpTurns[float64]) })
}

func testSlerpTurns[T Float](t *testing.T) {
	ulp := T(epsilon[T]())
	d := []T{0, ulp * ulp, 1, 1 - ulp, 1 + ulp, 1.5, T(math.NaN()), T(math.Inf(1))}
	for k := range 33 {
		d = append(d, 0.5+T(k-16)*ulp/4)
	}
	for _, x := range slices.Clone(d) {
		d = append(d, -x)
	}
	a, b := newQuats[T](len(d)), newQuats[T](len(d))
	for i := range d {
		a.X[i], b.X[i], b.Y[i] = 1, d[i], T(math.Sqrt(max(0, 1-float64(d[i]*d[i]))))
	}
	got, want := newQuats[T](len(d)), newQuats[T](len(d))
	smallest := T(math.SmallestNonzeroFloat64)
	if single[T]() {
		smallest = math.SmallestNonzeroFloat32
	}
	negative := T(math.Copysign(0, -1))
	for _, at := range []T{0, negative, smallest, 0.001, 0.25, 0.5, 0.75, 1 - ulp, 1, 1 + 2*ulp, 3, -smallest, -0.5, -1, 6000} {
		got.Slerp(a, b, at)
		quatSlerpGeneric(want, a, b, at)
		for k, lanes := range [][2][]T{{got.X, want.X}, {got.Y, want.Y}, {got.Z, want.Z}, {got.W, want.W}} {
			if err := sameBits(lanes[0], lanes[1]); err != nil {
				t.Errorf("t=%v: lane %c: %v", at, "xyzw"[k], err)
			}
		}
	}
}
