package transform

import (
	"fmt"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// inverse is the inverse of an affine matrix, by elimination.
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

// turn is the matrix of a rotation.
func turn[T kernels.Float](r RotationOf[T]) matrix {
	return rotation(float64(r.X), float64(r.Y), float64(r.Z), float64(r.W))
}

// Every combination of what a matrix with pivots consists of, as a root and as a
// child, against the formulas.
func testPivots[T kernels.Float](t *testing.T, limit float64) {
	b := newBench(t)
	top := b.w.Spawn(TranslationOf[T]{1, 2, 3}, ScaleOf[T]{2}, LocalToWorldOf[T]{})
	type wanted struct {
		set   int
		e     ecs.Entity
		world matrix
	}
	var all []wanted
	r, post := about[T](0, 0.6, 0.8, 1), about[T](1, 0, 0, -0.5)
	for set := range 256 {
		own, q := scaling(1, 1, 1), scaling(1, 1, 1)
		values := []any{LocalToWorldOf[T]{}, CompositeScaleOf[T]{IdentityMatrix[T]()}, CompositeRotationOf[T]{IdentityMatrix[T]()}}
		if set&1 != 0 {
			values = append(values, NonUniformScaleOf[T]{1, 2, -3})
			own = scaling(1, 2, -3)
		}
		if set&2 != 0 {
			values = append(values, ScalePivotOf[T]{1, -1, 2})
			own = translation(1, -1, 2).mul(own).mul(translation(-1, 1, -2))
		}
		if set&4 != 0 {
			values = append(values, ScalePivotTranslationOf[T]{0, 5, 0})
			own = translation(0, 5, 0).mul(own)
		}
		if set&8 != 0 {
			values = append(values, r)
			q = q.mul(turn(r))
		}
		if set&16 != 0 {
			values = append(values, PostRotationOf[T](post))
			q = q.mul(turn(post))
		}
		if set&32 != 0 {
			values = append(values, RotationPivotOf[T]{2, 0, 1})
			q = translation(2, 0, 1).mul(q).mul(translation(-2, 0, -1))
		}
		if set&64 != 0 {
			values = append(values, RotationPivotTranslationOf[T]{0, 0, 4})
			q = translation(0, 0, 4).mul(q)
		}
		own = q.mul(own)
		if set&128 != 0 {
			values = append(values, Parent{top}, LocalToParentOf[T]{}, ParentScaleInverseOf[T]{})
			own = translation(1, 2, 3).mul(scaling(2, 2, 2)).mul(translation(4, 0, 0)).mul(scaling(0.5, 0.5, 0.5)).mul(own)
		} else {
			own = translation(4, 0, 0).mul(own)
		}
		values = append(values, TranslationOf[T]{4, 0, 0})
		all = append(all, wanted{set, b.w.Spawn(values...), own})
	}
	b.update()
	for _, want := range all {
		got := get[LocalToWorldOf[T]](b, want.e)
		if d := off(got.M, want.world); !(d <= limit) {
			t.Fatalf("components %08b: matrix %v is off by %g, want %v", want.set, got.M, d, want.world)
		}
		computed, err := ComputeLocalToWorld[T](b.w, want.e)
		b.ok(err)
		if !sameBits(computed.M, got.M) {
			t.Fatalf("components %08b: on demand the matrix is %v, the systems have made %v", want.set, computed.M, got.M)
		}
	}
}

func TestPivots(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testPivots[float32](t, 1e-6) })
	t.Run("float64", func(t *testing.T) { testPivots[float64](t, 1e-14) })
}

// A composite of its own making is kept, and counts.
func TestGivenComposites(t *testing.T) {
	b := newBench(t)
	var turned, scaled [16]float32
	for i, v := range rotation(0, 0, math.Sqrt2/2, math.Sqrt2/2) {
		turned[i] = float32(v)
	}
	for i, v := range scaling(3, 1, 1).mul(translation(1, 0, 0)) {
		scaled[i] = float32(v)
	}
	both := b.root(CompositeRotation{turned}, CompositeScale{scaled}, Translation{Z: 1})
	one := b.root(CompositeRotation{turned}, NonUniformScale{2, 1, 1})
	other := b.root(CompositeScale{scaled}, Rotation{Z: math.Sqrt2 / 2, W: math.Sqrt2 / 2})
	b.update()
	b.wantAt(both, 0, 3, 1)
	b.wantAt(other, 0, 3, 0)
	if l := get[LocalToWorld](b, one); math.Abs(float64(l.M[1]-2)) > 1e-6 {
		t.Errorf("matrix %v, want its X axis to be (0, 2, 0)", l.M)
	}
}

// The inverse follows the parent's scale, and its going.
func TestParentScaleInverse(t *testing.T) {
	b := newBench(t)
	parent := b.root(Translation{X: 1}, NonUniformScale{2, 4, 8})
	child := b.child(parent, Translation{X: 1}, ParentScaleInverse{}, Identity)
	free := b.w.Spawn(ParentScaleInverse{}, LocalToParent{}, Translation{})
	leaf := b.child(child, Translation{Y: 1})
	b.update()
	b.wantAt(child, 3, 0, 0)
	b.wantAt(leaf, 3, 1, 0)
	b.ok(ecs.Set(b.w, parent, NonUniformScale{4, 4, 4}))
	b.update()
	b.wantAt(leaf, 5, 1, 0)
	version := ecs.ChangeVersion[ParentScaleInverse](b.w, child)
	for range 2 {
		b.ok(ecs.Set(b.w, parent, Translation{X: 1}))
		b.update()
	}
	if ecs.ChangeVersion[ParentScaleInverse](b.w, child) != version {
		t.Error("written again, and no scale has changed")
	}
	_, err := ecs.Remove[NonUniformScale](b.w, parent)
	b.ok(err)
	b.update()
	b.wantAt(leaf, 2, 1, 0)
	b.ok(ecs.Add(b.w, parent, Scale{8}))
	b.update()
	b.wantAt(leaf, 9, 1, 0)
	b.ok(ecs.Add(b.w, parent, CompositeScale{}))
	b.ok(ecs.Set(b.w, child, Parent{b.root(Scale{2})}))
	b.update()
	b.wantAt(leaf, 2, 1, 0)
	if b.w.Exists(free) && get[ParentScaleInverse](b, free) != (ParentScaleInverse{}) {
		t.Error("one without a parent was written")
	}
}

// Parents that lose their scale, without a write to any other: the inverses of
// their children follow, whether one goes, all of a chunk or those of several.
func TestParentScaleInverseOfScaleGone(t *testing.T) {
	for name, lost := range map[string]func(i, n int) bool{
		"the last": func(i, n int) bool { return i == n-1 },
		"a third":  func(i, n int) bool { return i%3 == 0 },
		"all":      func(i, n int) bool { return true },
	} {
		for _, n := range []int{1, 2, 300} {
			t.Run(fmt.Sprintf("%s of %d", name, n), func(t *testing.T) {
				b := newBench(t)
				parents, children := make([]ecs.Entity, n), make([]ecs.Entity, n)
				for i := range parents {
					parents[i] = b.root(Translation{X: 1}, Scale{Value: 4})
					children[i] = b.child(parents[i], Translation{X: 1}, ParentScaleInverse{})
				}
				for range 3 { // then nothing is new any more
					b.update()
				}
				scaled := system.Find[ParentScaleInverseSystemOf[float32]](b.w).parents
				if !scaled.Empty() {
					t.Error("parents at rest are taken for scaled in another way")
				}
				for i, p := range parents {
					if lost(i, n) {
						_, err := ecs.Remove[Scale](b.w, p)
						b.ok(err)
					}
				}
				if scaled.Empty() { // Quiet, which looks at archetypes, would see more
					t.Error("parents without their scale are not taken for scaled in another way")
				}
				b.update()
				for i, c := range children {
					want := IdentityMatrix[float32]()
					if !lost(i, n) {
						want[0], want[5], want[10] = 0.25, 0.25, 0.25
					}
					if got := get[ParentScaleInverse](b, c).M; got != want {
						t.Fatalf("child %d has %v, want %v", i, got, want)
					}
					world, err := ComputeLocalToWorld[float32](b.w, c)
					if b.ok(err); world != get[LocalToWorld](b, c) {
						t.Fatalf("child %d stands at %v, ComputeLocalToWorld says %v", i, get[LocalToWorld](b, c), world)
					}
				}
			})
		}
	}
}

func testWorldToLocal[T kernels.Float](t *testing.T, limit float64) {
	b := newBench(t)
	parent := b.w.Spawn(TranslationOf[T]{1, 2, 3}, about[T](0.6, 0, 0.8, 1), ScaleOf[T]{2}, LocalToWorldOf[T]{})
	child := b.w.Spawn(TranslationOf[T]{0, -1, 0}, NonUniformScaleOf[T]{1, 2, -4}, Parent{parent},
		LocalToParentOf[T]{}, LocalToWorldOf[T]{}, WorldToLocalOf[T]{})
	for step := range 3 {
		b.ok(ecs.Set(b.w, parent, TranslationOf[T]{1, 2, T(step)}))
		b.update()
		world, back := get[LocalToWorldOf[T]](b, child), get[WorldToLocalOf[T]](b, child)
		var wide matrix
		for i, v := range world.M {
			wide[i] = float64(v)
		}
		if d := off(back.M, wide.inverse()); !(d <= limit) {
			t.Errorf("inverse %v is off by %g, want %v", back.M, d, wide.inverse())
		}
		if back != world.Inverse() {
			t.Errorf("the system says %v, Inverse %v", back, world.Inverse())
		}
		x, y, z := back.Point(world.Point(1, 2, 3))
		dx, dy, dz := back.Direction(world.Direction(1, 2, 3))
		for i, d := range [6]T{x - 1, y - 2, z - 3, dx - 1, dy - 2, dz - 3} {
			if math.Abs(float64(d)) > 20*limit {
				t.Errorf("coordinate %d of a point or direction, there and back, is off by %g", i, d)
			}
		}
	}
	version := ecs.ChangeVersion[WorldToLocalOf[T]](b.w, child)
	b.update()
	if ecs.ChangeVersion[WorldToLocalOf[T]](b.w, child) != version {
		t.Error("inverted again, and nothing has moved")
	}
}

func TestWorldToLocal(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testWorldToLocal[float32](t, 1e-6) })
	t.Run("float64", func(t *testing.T) { testWorldToLocal[float64](t, 1e-14) })
}

func TestDecompose(t *testing.T) {
	b := newBench(t)
	for _, want := range []NonUniformScale{{1, 1, 1}, {2, 3, 4}, {-2, 3, 0.5}, {0, 3, 4}, {2, 0, 4}, {2, 3, 0}} { // two axes determine the rotation
		r := about[float32](0.48, 0.6, 0.64, 2.5)
		e := b.root(Translation{1, 2, 3}, r, want)
		b.update()
		l := get[LocalToWorld](b, e)
		at, turn, scale := l.Decompose()
		dot := turn.X*r.X + turn.Y*r.Y + turn.Z*r.Z + turn.W*r.W
		if at != (Translation{1, 2, 3}) || math.Abs(math.Abs(float64(dot))-1) > 1e-6 ||
			off32([3]float32{scale.X, scale.Y, scale.Z}, [3]float32{want.X, want.Y, want.Z}) > 1e-6 {
			t.Errorf("scale %v: apart it is %v, %v, %v", want, at, turn, scale)
		}
	}
}
