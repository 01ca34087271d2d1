//go:build !purego

package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The harness calls an assembly body only through the exported function, which uses Go for the rows
// that the body does not compute. These tests check at which row the body stops.

// TestNEONSpinStops puts one angle beyond the fast range into every row in turn.
func TestNEONSpinStops(t *testing.T) {
	t.Run("type=f32", func(t *testing.T) { testSpinStops(t, quatSpinF32NEON, ordinary32) })
	t.Run("type=f64", func(t *testing.T) { testSpinStops(t, quatSpinF64NEON, ordinary64) })
}

func testSpinStops[T Float](t *testing.T, body func(q, p *Quats[T], axis *[3]T, speed []T, half T) int, ordinary T) {
	axis, half := [3]T{0.6, 0, 0.8}, T(0.5)
	beyond := []T{ordinary * 2.01, -ordinary * 2.01, T(math.Inf(1)), T(math.NaN())}
	for n := range 14 {
		p := Quats[T]{make([]T, n), make([]T, n), make([]T, n), make([]T, n)}
		for i := range n {
			p.X[i], p.Y[i], p.Z[i], p.W[i] = T(rand.Float64()), T(rand.Float64()), T(rand.Float64()), 1
		}
		for far := range n + 1 {
			speed := make([]T, n)
			for i := range speed {
				speed[i] = ordinary * T(4*rand.Float64()-2)
			}
			if far < n {
				speed[far] = beyond[far%len(beyond)]
			}
			q := Quats[T]{make([]T, n), make([]T, n), make([]T, n), make([]T, n)}
			want := Quats[T]{make([]T, n), make([]T, n), make([]T, n), make([]T, n)}
			done, head := want.Slice(0, far), p.Slice(0, far)
			quatSpinGeneric(&done, &head, &axis, speed[:far], half)
			if got := body(&q, &p, &axis, speed, half); got != far {
				t.Fatalf("n=%d: it did %d rows, the angle of row %d is %v", n, got, far, speed[far]*half)
			}
			for i, lanes := range [][2][]T{{q.X, want.X}, {q.Y, want.Y}, {q.Z, want.Z}, {q.W, want.W}} {
				if err := sameBits(lanes[0], lanes[1]); err != nil {
					t.Fatalf("n=%d far=%d: lane %d: %v", n, far, i, err)
				}
			}
		}
	}
}

// TestNEONFunctionStops puts one row that only the Go body can compute at every index in turn. The
// body must stop before that row, or before the vector that contains it.
func TestNEONFunctionStops(t *testing.T) {
	t.Run("type=f32", func(t *testing.T) {
		testFunctionStops(t, 4, ordinary32, sincosF32NEON, keplerF32NEON, sincosGeneric, keplerGeneric)
	})
	t.Run("type=f64", func(t *testing.T) {
		testFunctionStops(t, 2, ordinary64, sincosF64NEON, keplerF64NEON, sincosGeneric, keplerGeneric)
	})
}

func testFunctionStops[T Float](t *testing.T, vector int, ordinary T, sincosRows, keplerRows func(a, b, c []T) int, sincosGo, keplerGo func(a, b, c []T)) {
	beyond := []T{ordinary * 1.01, -ordinary * 1.01, T(math.Inf(1)), T(math.NaN())}
	outside := []T{1, -0x1p-20, 2, T(math.NaN()), T(math.Inf(-1))}
	for n := range 11 {
		for far := range n + 1 {
			angle, e := make([]T, n), make([]T, n)
			for i := range angle {
				angle[i], e[i] = ordinary*T(2*rand.Float64()-1), T(rand.Float64())
			}
			if far < n && n%2 == 0 {
				e[far] = outside[far%len(outside)]
			}
			left := far
			if far < n && far < n/vector*vector {
				left = far / vector * vector // the first row of the vector
			}
			a, b, wantA, wantB := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
			keplerGo(wantA[:left], angle[:left], e[:left])
			if n%2 == 1 && far < n {
				angle[far] = beyond[far%len(beyond)]
			}
			if got := keplerRows(a, angle, e); got != left || sameBits(a, wantA) != nil {
				t.Fatalf("Kepler, n=%d: it did %d rows of %d: %v", n, got, left, sameBits(a, wantA))
			}
			if far < n {
				angle[far] = beyond[far%len(beyond)]
			}
			clear(wantA)
			clear(a)
			sincosGo(wantA[:left], wantB[:left], angle[:left])
			if got := sincosRows(a, b, angle); got != left || sameBits(a, wantA) != nil || sameBits(b, wantB) != nil {
				t.Fatalf("Sincos, n=%d: it did %d rows of %d", n, got, left)
			}
		}
	}
}

// TestNEONParentStops puts one bad index into every row in turn.
func TestNEONParentStops(t *testing.T) {
	t.Run("type=f32", func(t *testing.T) { testParentStops(t, mat4MulByParentF32NEON) })
	t.Run("type=f64", func(t *testing.T) { testParentStops(t, mat4MulByParentF64NEON) })
}

func testParentStops[T Float](t *testing.T, body func(m, parent *Mat4s[T], index []int32, local *Mat4s[T]) int) {
	const n, parents = 5, 3
	m, local, parent := Mat4s[T]{make([][16]T, n)}, matsOf[T](n), matsOf[T](parents)
	for bad := range n + 1 {
		for _, k := range []int32{parents, parents + 1, math.MaxInt32, -1, math.MinInt32} {
			index := []int32{0, 2, 1, 1, 0}
			if bad < n {
				index[bad] = k
			}
			clear(m.M)
			want := Mat4s[T]{make([][16]T, n)}
			mat4MulByParentGeneric(&want, &parent, index, &local)
			if got := body(&m, &parent, index, &local); got != bad {
				t.Fatalf("it did %d rows, index[%d] is %d of %d", got, bad, k, parents)
			}
			if !slices.Equal(m.M, want.M) {
				t.Fatalf("index[%d] = %d: %v, want %v", bad, k, m.M, want.M)
			}
		}
	}
}

// TestNEONHierarchy follows chains of parents within the destination. In such a chain, a row needs
// the row that was stored just before it.
func TestNEONHierarchy(t *testing.T) {
	t.Run("type=f32", func(t *testing.T) { testHierarchy(t, mat4MulByParentF32NEON) })
	t.Run("type=f64", func(t *testing.T) { testHierarchy(t, mat4MulByParentF64NEON) })
}

func testHierarchy[T Float](t *testing.T, body func(m, parent *Mat4s[T], index []int32, local *Mat4s[T]) int) {
	const n = 40
	got, local := matsOf[T](n), matsOf[T](n)
	want := Mat4s[T]{slices.Clone(got.M)}
	index := make([]int32, n)
	for i := 1; i < n; i++ {
		index[i] = int32(i - 1 - rand.IntN(min(i, 3)))
	}
	for i := 1; i < n; i++ { // row 0 is the root
		one, l := want.Slice(i, i+1), local.Slice(i, i+1)
		mat4MulByParentGeneric(&one, &want, index[i:i+1], &l)
	}
	rows, locals := got.Slice(1, n), local.Slice(1, n)
	if done := body(&rows, &got, index[1:], &locals); done != n-1 {
		t.Fatalf("it did %d rows of %d", done, n-1)
	}
	if !slices.Equal(got.M, want.M) {
		t.Fatal("children differ from those made one by one")
	}
}

func matsOf[T Float](n int) Mat4s[T] {
	m := Mat4s[T]{make([][16]T, n)}
	for i := range m.M {
		for j := range m.M[i] {
			m.M[i][j] = T(rand.Float64() - 0.5)
		}
	}
	return m
}
