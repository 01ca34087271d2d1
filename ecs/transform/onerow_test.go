package transform

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// oddNumber sometimes returns a number that arithmetic may treat specially.
func oddNumber[T kernels.Float](r *rand.Rand) T {
	switch r.IntN(12) {
	case 0:
		return T(math.Copysign(0, float64(r.IntN(2))-0.5))
	case 1:
		return T(math.Inf(r.IntN(2) - 1))
	case 2:
		return T(math.NaN())
	case 3:
		return T(math.SmallestNonzeroFloat32) * T(r.IntN(9)-4)
	}
	return T(r.NormFloat64())
}

func testOneRow[T kernels.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 41))
	for range 4000 {
		var a, b [16]T
		for i := range a {
			a[i], b[i] = oddNumber[T](r), oddNumber[T](r)
		}
		x, y := matrixColumn(a), matrixColumn(b)
		l := LocalTransformOf[T]{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]}
		lane, q := l.row(), RotationOf[T]{a[4], a[5], a[6], a[7]}.row()
		var product [16]T
		multiply(&product, &a, &b)
		inPlace := b
		multiply(&inPlace, &a, &inPlace)
		for _, c := range []struct {
			name   string
			one    [16]T
			kernel func(m *kernels.Mat4s[T])
		}{
			{"multiply", product, func(m *kernels.Mat4s[T]) { m.MulAffine(&x, &y) }},
			{"multiply by parent", product, func(m *kernels.Mat4s[T]) { m.MulAffineByParent(&x, []int32{0}, &y) }},
			{"multiply in place", inPlace, func(m *kernels.Mat4s[T]) { m.MulAffine(&x, &y) }},
			{"rotationMatrix", rotationMatrix(a[4], a[5], a[6], a[7]), func(m *kernels.Mat4s[T]) { m.FromQuats(&q) }},
			{"inverted", invert(&a), func(m *kernels.Mat4s[T]) { m.Inverse(&x) }},
			{"LocalTransformOf.Matrix", l.Matrix(), func(m *kernels.Mat4s[T]) { lane.composeTo(m, nil) }},
		} {
			m := matrixColumn([16]T{})
			c.kernel(&m)
			if !SameBits(c.one, m.M[0]) {
				t.Fatalf("%s of %v and %v: %v, the kernel says %v", c.name, a, b, c.one, m.M[0])
			}
		}
	}
}

// The arithmetic of this package for single matrices gives the bits of the kernels.
func TestOneRow(t *testing.T) {
	t.Run("float32", testOneRow[float32])
	t.Run("float64", testOneRow[float64])
}
