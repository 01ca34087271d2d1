package transform_test

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// matrix is a 4×4 matrix for checks, computed by the textbook formulas.
type matrix [16]float64

func (m matrix) mul(o matrix) (p matrix) {
	for c := range 4 {
		for r := range 4 {
			for k := range 4 {
				p[4*c+r] += m[4*k+r] * o[4*c+k]
			}
		}
	}
	return p
}

func translation(x, y, z float64) matrix {
	return matrix{0: 1, 5: 1, 10: 1, 12: x, 13: y, 14: z, 15: 1}
}

func scaling(x, y, z float64) matrix { return matrix{0: x, 5: y, 10: z, 15: 1} }

// rotation returns the matrix of a unit quaternion: its columns are the turned axes.
func rotation(x, y, z, w float64) matrix {
	return matrix{
		1 - 2*(y*y+z*z), 2 * (x*y + w*z), 2 * (x*z - w*y), 0,
		2 * (x*y - w*z), 1 - 2*(x*x+z*z), 2 * (y*z + w*x), 0,
		2 * (x*z + w*y), 2 * (y*z - w*x), 1 - 2*(x*x+y*y), 0,
		0, 0, 0, 1,
	}
}

// inFloat64 returns a matrix for comparison.
func inFloat64[T kernels.Float](m [16]T) (wide matrix) {
	for i, v := range m {
		wide[i] = float64(v)
	}
	return wide
}

// maxDifference returns the largest difference of two matrices, relative to the larger elements.
func maxDifference[T kernels.Float](got [16]T, want matrix) float64 {
	size, worst := 1.0, 0.0
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for i, v := range want {
		if d := math.Abs(float64(got[i]) - v); !(d <= worst) {
			worst = d
		}
	}
	return worst / size
}

// The test covers every combination of components, for a root and for a child whose parent does not
// move.
func testCombinations[T kernels.Float](t *testing.T, limit float64) {
	for set := range 16 {
		for _, child := range []bool{false, true} {
			b := newBench(t)
			want := scaling(1, 1, 1)
			var values []any
			if set&1 != 0 {
				values = append(values, transform.TranslationOf[T]{X: 1, Y: -2, Z: 3.5})
				want = want.mul(translation(1, -2, 3.5))
			}
			if set&2 != 0 {
				r := rotationAbout[T](0.6, 0, 0.8, 1.25)
				values = append(values, r)
				want = want.mul(rotation(float64(r.X), float64(r.Y), float64(r.Z), float64(r.W)))
			}
			if set&4 != 0 {
				values = append(values, transform.ScaleOf[T]{Value: 3})
			}
			switch {
			case set&8 != 0: // replaces Scale
				values = append(values, transform.NonUniformScaleOf[T]{X: 0.5, Y: 2, Z: -4})
				want = want.mul(scaling(0.5, 2, -4))
			case set&4 != 0:
				want = want.mul(scaling(3, 3, 3))
			}
			values = append(values, transform.LocalToWorldOf[T]{M: transform.IdentityMatrix[T]()})
			if child {
				parent := b.w.Spawn(transform.LocalToWorldOf[T]{M: transform.IdentityMatrix[T]()})
				values = append(values, transform.Parent{Entity: parent}, transform.LocalToParentOf[T]{M: transform.IdentityMatrix[T]()})
			}
			var es []ecs.Entity
			for range 20 {
				es = append(es, b.w.Spawn(values...))
			}
			b.update()
			for _, e := range es {
				if d := maxDifference(get[transform.LocalToWorldOf[T]](b, e).M, want); d > limit {
					t.Fatalf("components %04b, child %v: matrix %v is off by %g, want %v", set, child, get[transform.LocalToWorldOf[T]](b, e).M, d, want)
				}
			}
		}
	}
}

func TestCombinations(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testCombinations[float32](t, 1e-6) })
	t.Run("float64", func(t *testing.T) { testCombinations[float64](t, 1e-15) })
}

// An entity may have both widths, each computed from its own components.
func TestBothWidths(t *testing.T) {
	b := newBench(t)
	parent := b.w.Spawn(transform.Translation{X: 1}, transform.LocalToWorld{}, transform.Translation64{X: 10}, transform.LocalToWorld64{})
	child := b.w.Spawn(transform.Translation{Y: 2}, transform.LocalToParent{}, transform.LocalToWorld{}, transform.Translation64{Y: 20}, transform.LocalToParent64{}, transform.LocalToWorld64{}, transform.Parent{Entity: parent})
	b.update()
	b.wantAt(child, 1, 2, 0)
	l := get[transform.LocalToWorld64](b, child)
	if x, y, z := l.Position(); x != 10 || y != 20 || z != 0 {
		t.Errorf("in float64 the child is at (%v, %v, %v)", x, y, z)
	}
}

// A matrix that does not change is not written, and a matrix that changes is written.
func TestUnchanged(t *testing.T) {
	b := newBench(t)
	e := b.root(transform.Translation{X: 1})
	still := b.root(transform.Translation{X: 5}, transform.Identity) // in another chunk
	child := b.child(e, transform.Translation{Y: 1})
	version := func(e ecs.Entity) uint32 { return ecs.ChangeVersion[transform.LocalToWorld](b.w, e) }
	b.update()
	b.update()
	before := []uint32{version(e), version(still), version(child)}
	for range 3 {
		b.update()
	}
	if got := []uint32{version(e), version(still), version(child)}; got[0] != before[0] || got[1] != before[1] || got[2] != before[2] {
		t.Errorf("nothing moved, and the versions went from %v to %v", before, got)
	}
	b.ok(ecs.Set(b.w, e, transform.Translation{X: 2}))
	b.update()
	b.wantAt(child, 2, 1, 0)
	if version(e) == before[0] || version(child) == before[2] || version(still) != before[1] {
		t.Errorf("one moved, and the versions went from %v to %v", before, []uint32{version(e), version(still), version(child)})
	}
}

// An entity with only a matrix keeps it, and its children use it.
func TestGivenMatrix(t *testing.T) {
	b := newBench(t)
	e := b.w.Spawn(transform.LocalToWorld{M: [16]float32{0: 2, 5: 2, 10: 2, 12: 7, 15: 1}})
	child := b.child(e, transform.Translation{X: 1})
	b.update()
	b.wantAt(e, 7, 0, 0)
	b.wantAt(child, 9, 0, 0)
	b.ok(ecs.Set(b.w, e, transform.LocalToWorld{M: [16]float32{0: 1, 5: 1, 10: 1, 12: 3, 15: 1}}))
	b.update()
	b.wantAt(child, 4, 0, 0)
}

func TestMatrixAccessors(t *testing.T) {
	b := newBench(t)
	for _, r := range []transform.Rotation{transform.Identity, rotationAbout[float32](0, 1, 0, 2), rotationAbout[float32](1, 0, 0, 3.1), rotationAbout[float32](0, 0, 1, -3), rotationAbout[float32](0.48, 0.6, 0.64, 2.5), rotationAbout[float32](0.6, -0.8, 0, math.Pi)} {
		e := b.root(transform.Translation{X: 1, Y: 2, Z: 3}, r, transform.NonUniformScale{X: 2, Y: 3, Z: 4})
		b.update()
		l := get[transform.LocalToWorld](b, e)
		got := l.Rotation()
		if dot := got.X*r.X + got.Y*r.Y + got.Z*r.Z + got.W*r.W; !(math.Abs(math.Abs(float64(dot))-1) < 1e-6) {
			t.Errorf("rotation %v comes out as %v", r, got)
		}
		rx, ry, rz := l.Right()
		ux, uy, uz := l.Up()
		fx, fy, fz := l.Forward()
		px, py, pz := l.Point(1, 1, 1)
		dx, dy, dz := l.Direction(1, 1, 1)
		want := [3]float32{rx + ux + fx, ry + uy + fy, rz + uz + fz}
		if d := [3]float32{dx, dy, dz}; off32(d, want) > 1e-5 {
			t.Errorf("direction (1, 1, 1) is %v, want %v", d, want)
		}
		if p := [3]float32{px - 1, py - 2, pz - 3}; off32(p, want) > 1e-5 {
			t.Errorf("point (1, 1, 1) is %v from the origin, want %v", p, want)
		}
		if n := float64(rx*rx + ry*ry + rz*rz); math.Abs(n-4) > 1e-5 {
			t.Errorf("the X axis has length² %v, want 4", n)
		}
	}
	if flat := (transform.LocalToWorld{M: [16]float32{0: 1, 5: 1}}); flat.Rotation() != transform.Identity {
		t.Errorf("a flat matrix has rotation %v", flat.Rotation())
	}
}

func off32(a, b [3]float32) float64 {
	return max(math.Abs(float64(a[0]-b[0])), math.Abs(float64(a[1]-b[1])), math.Abs(float64(a[2]-b[2])))
}

// The test transforms a rotation to the world by a matrix with a non-uniform scale. Then it transforms
// the result back by a transform that undoes only the rotation.
func testTurn[T kernels.Float](t *testing.T, limit float64) {
	b := newBench(t)
	q, r := rotationAbout[T](0.48, 0.6, 0.64, 2.5), rotationAbout[T](0, 0.6, 0.8, 1)
	e := b.w.Spawn(transform.TranslationOf[T]{X: 1, Y: 2, Z: 3}, q, transform.NonUniformScaleOf[T]{X: 2, Y: 3, Z: 0.5}, transform.LocalToWorldOf[T]{})
	b.update()
	l := get[transform.LocalToWorldOf[T]](b, e)
	in := l.Rotation()
	back := transform.LocalTransformOf[T]{Scale: 1, QX: in.X, QY: in.Y, QZ: in.Z, QW: in.W}.Inverse()
	world := l.Turn(r)
	if d := maxDifference(transform.RotationMatrix(world.X, world.Y, world.Z, world.W), turn(q).mul(turn(r))); !(d <= limit) {
		t.Errorf("in the world it is %v, off by %g", world, d)
	}
	local := back.Turn(world)
	if d := maxDifference(transform.RotationMatrix(local.X, local.Y, local.Z, local.W), turn(r)); !(d <= limit) {
		t.Errorf("there and back it is %v, off by %g, want %v", local, d, r)
	}
}

func TestTurn(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testTurn[float32](t, 1e-6) })
	t.Run("float64", func(t *testing.T) { testTurn[float64](t, 1e-14) })
}
