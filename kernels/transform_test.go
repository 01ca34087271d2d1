package kernels

import "testing"

// TestTransformFull multiplies a matrix by vectors of four numbers and by matrices that have these
// vectors as columns. Each product with a vector must be exactly the column of the product with the
// matrix.
func TestTransformFull(t *testing.T) {
	eachPathAndType(t, testTransformFull[float32], testTransformFull[float64])
}

func testTransformFull[T Float](t *testing.T) {
	const n = 131
	x := &Vec4s[T]{randomLane[T](n), randomLane[T](n), randomLane[T](n), randomLane[T](n)}
	one, local := &Mat4s[T]{make([][16]T, n)}, &Mat4s[T]{make([][16]T, n)}
	m := [16]T(randomLane[T](16))
	for i := range n {
		one.M[i] = m
		copy(local.M[i][4:], []T{x.X[i], x.Y[i], x.Z[i], x.W[i]})
	}
	got, want := new(Vec4s[T]), new(Mat4s[T])
	for k := range vec4Lanes(got) {
		vec4Lanes(got)[k] = make([]T, n)
	}
	want.M = make([][16]T, n)
	same := func(name string) {
		t.Helper()
		for k, lane := range vec4Lanes(got) {
			for i := range lane {
				if err := sameBits(lane[i:i+1], want.M[i][4+k:5+k]); err != nil {
					t.Fatalf("%s: row %d, lane %d: %v", name, i, k, err)
				}
			}
		}
	}
	got.TransformBy(m, x)
	want.MulFull(one, local)
	same("TransformBy")
	got.Transform(one, x)
	same("Transform")

	got.Transform(randomFull(one), x)
	want.MulFull(one, local)
	same("Transform by many")
}

// randomFull fills all sixteen elements of each matrix of m.
func randomFull[T Float](m *Mat4s[T]) *Mat4s[T] {
	for i := range m.M {
		m.M[i] = [16]T(randomLane[T](16))
	}
	return m
}
