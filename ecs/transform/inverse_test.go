package transform_test

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// inverse returns the inverse of an affine matrix, by elimination.
func (m matrix) inverse() matrix {
	var rows [3][6]float64
	for r := range 3 {
		for c := range 3 {
			rows[r][c] = m[4*c+r]
		}
		rows[r][3+r] = 1
	}
	for c := range 3 {
		best := c
		for r := c; r < 3; r++ {
			if math.Abs(rows[r][c]) > math.Abs(rows[best][c]) {
				best = r
			}
		}
		rows[c], rows[best] = rows[best], rows[c]
		for k, d := 0, rows[c][c]; k < 6; k++ {
			rows[c][k] /= d
		}
		for r := range 3 {
			for k, f := 0, rows[r][c]; r != c && k < 6; k++ {
				rows[r][k] -= f * rows[c][k]
			}
		}
	}
	var linear matrix
	for r := range 3 {
		for c := range 3 {
			linear[4*c+r] = rows[r][3+c]
		}
	}
	linear[15] = 1
	return linear.mul(translation(-m[12], -m[13], -m[14]))
}

// turn returns the matrix of a rotation.
func turn[T kernels.Float](r transform.RotationOf[T]) matrix {
	return rotation(float64(r.X), float64(r.Y), float64(r.Z), float64(r.W))
}

// The inverse of a matrix transforms points and directions back.
func testInverse[T kernels.Float](t *testing.T, limit float64) {
	b := newBench(t)
	parent := b.w.Spawn(transform.TranslationOf[T]{X: 1, Y: 2, Z: 3}, rotationAbout[T](0.6, 0, 0.8, 1), transform.ScaleOf[T]{Value: 2}, transform.LocalToWorldOf[T]{})
	child := b.w.Spawn(transform.TranslationOf[T]{X: 0, Y: -1, Z: 0}, transform.NonUniformScaleOf[T]{X: 1, Y: 2, Z: -4}, transform.Parent{Entity: parent}, transform.LocalToParentOf[T]{}, transform.LocalToWorldOf[T]{})
	for step := range 3 {
		b.ok(ecs.Set(b.w, parent, transform.TranslationOf[T]{X: 1, Y: 2, Z: T(step)}))
		b.update()
		world := get[transform.LocalToWorldOf[T]](b, child)
		back := world.Inverse()
		if want := inFloat64(world.M).inverse(); !(maxDifference(back.M, want) <= limit) {
			t.Errorf("inverse %v is off by %g, want %v", back.M, maxDifference(back.M, want), want)
		}
		x, y, z := back.Point(world.Point(1, 2, 3))
		dx, dy, dz := back.Direction(world.Direction(1, 2, 3))
		for i, d := range [6]T{x - 1, y - 2, z - 3, dx - 1, dy - 2, dz - 3} {
			if math.Abs(float64(d)) > 20*limit {
				t.Errorf("coordinate %d of a point or direction, there and back, is off by %g", i, d)
			}
		}
	}
}

func TestInverse(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testInverse[float32](t, 1e-6) })
	t.Run("float64", func(t *testing.T) { testInverse[float64](t, 1e-14) })
}

func TestDecompose(t *testing.T) {
	b := newBench(t)
	for _, want := range []transform.NonUniformScale{{X: 1, Y: 1, Z: 1}, {X: 2, Y: 3, Z: 4}, {X: -2, Y: 3, Z: 0.5}, {X: 0, Y: 3, Z: 4}, {X: 2, Y: 0, Z: 4}, {X: 2, Y: 3, Z: 0}} { // two axes determine the rotation
		r := rotationAbout[float32](0.48, 0.6, 0.64, 2.5)
		e := b.root(transform.Translation{X: 1, Y: 2, Z: 3}, r, want)
		b.update()
		l := get[transform.LocalToWorld](b, e)
		at, turn, scale := l.Decompose()
		dot := turn.X*r.X + turn.Y*r.Y + turn.Z*r.Z + turn.W*r.W
		if at != (transform.Translation{X: 1, Y: 2, Z: 3}) || math.Abs(math.Abs(float64(dot))-1) > 1e-6 ||
			off32([3]float32{scale.X, scale.Y, scale.Z}, [3]float32{want.X, want.Y, want.Z}) > 1e-6 {
			t.Errorf("scale %v: apart it is %v, %v, %v", want, at, turn, scale)
		}
	}
}
