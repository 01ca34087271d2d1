package host

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// newPosed returns an object at (7, 8, 9), rotated about Z and scaled.
func newPosed[T kernels.Float](x, y, z float64) *thing[T] {
	o := newThing[T](0)
	s, c := math.Sincos(0.5)
	for i, v := range [16]float64{x * c, x * s, 0, 0, -y * s, y * c, 0, 0, 0, 0, z, 0, 7, 8, 9, 1} {
		o.m[i] = T(v)
	}
	return o
}

// hasMatrix reports whether the matrix of e is m.
func hasMatrix[T kernels.Float](t *testing.T, w *ecs.World, e ecs.Entity, m [16]T) bool {
	t.Helper()
	l, err := ecs.Get[transform.LocalToWorldOf[T]](w, e)
	check(t, err)
	for i := range m {
		if !(math.Abs(float64(l.M[i]-m[i])) < 1e-5) {
			t.Logf("matrix %v, want %v", l.M, m)
			return false
		}
	}
	return true
}

// For every set of transform components, with and without a parent, the components that an entity
// gets must produce the matrix of its object.
func testInitialParts[T kernels.Float](t *testing.T) {
	even, uneven, mirror := newPosed[T](2, 2, 2), newPosed[T](2, 3, 4), newPosed[T](-2, 3, 4)
	sheared := newPosed[T](2, 3, 4)
	sheared.m[4] += 1
	translation, rotation := transform.TranslationOf[T]{}, transform.RotationOf[T]{W: 1}
	for _, c := range []struct {
		name   string
		object *thing[T]
		parts  []any
	}{
		{"uneven", uneven, []any{translation, rotation, transform.NonUniformScaleOf[T]{}}},
		{"mirror image", mirror, []any{translation, rotation, transform.NonUniformScaleOf[T]{}}},
		{"even", even, []any{translation, rotation, transform.ScaleOf[T]{}}},
		{"both scales", uneven, []any{translation, rotation, transform.ScaleOf[T]{Value: 5}, transform.NonUniformScaleOf[T]{}}},
		{"whole", even, []any{transform.At[T](0, 0, 0)}},
		{"whole and the rest", uneven, []any{transform.At[T](0, 0, 0), transform.PostTransformMatrixOf[T]{}}},
		{"whole, and a mirror image", mirror, []any{transform.At[T](0, 0, 0), transform.PostTransformMatrixOf[T]{}}},
		{"whole and sheared", sheared, []any{transform.At[T](0, 0, 0), transform.PostTransformMatrixOf[T]{}}},
		{"whole and flat", newPosed[T](0, 0, 0), []any{transform.At[T](0, 0, 0), transform.PostTransformMatrixOf[T]{}}},
	} {
		w := newWorld(t)
		tags := []any{CopyInitialTransform{}, transform.LocalToWorldOf[T]{}}
		base := w.Spawn(transform.TranslationOf[T]{X: 1}, transform.NonUniformScaleOf[T]{X: 2, Y: 2, Z: 2}, transform.LocalToWorldOf[T]{})
		root := w.Spawn(append(tags, c.parts...)...)
		child := w.Spawn(append(append(tags, c.parts...), transform.Parent{Entity: base}, transform.LocalToParentOf[T]{})...)
		for _, e := range []ecs.Entity{root, child} {
			o := *c.object
			check(t, Bind(w, e, ObjectOf[T](&o)))
		}
		check(t, system.Update(w))
		if !hasMatrix(t, w, root, c.object.m) || !hasMatrix(t, w, child, c.object.m) {
			t.Errorf("%s: not where the object is", c.name)
		}
	}
}

func TestInitialParts(t *testing.T) {
	t.Run("float32", testInitialParts[float32])
	t.Run("float64", testInitialParts[float64])
}

// A component with a single scale must get the mean of the three scales.
func TestInitialMeanScale(t *testing.T) {
	w := newWorld(t)
	a := w.Spawn(CopyInitialTransform{}, transform.Scale{}, transform.LocalToWorld{})
	b := w.Spawn(CopyInitialTransform{}, transform.At[float32](0, 0, 0), transform.LocalToWorld{})
	for _, e := range []ecs.Entity{a, b} {
		check(t, Bind(w, e, Object(newPosed[float32](-2, 3, 4))))
	}
	check(t, system.Update(w))
	s, err := ecs.Get[transform.Scale](w, a)
	check(t, err)
	l, err := ecs.Get[transform.LocalTransform](w, b)
	check(t, err)
	if math.Abs(float64(s.Value-3)) > 1e-6 || math.Abs(float64(l.Scale-3)) > 1e-6 || l.X != 7 {
		t.Errorf("scales %v and %v at %v, want 3 at 7", s.Value, l.Scale, l.X)
	}
}

// Every entity of a tree must be at the place of its object. This must hold for any order of the
// entities, and even if some entities of the tree have no objects.
func TestInitialTree(t *testing.T) {
	w := newWorld(t)
	follows := func(p ecs.Entity, values ...any) ecs.Entity {
		return w.Spawn(append(values, transform.Parent{Entity: p}, transform.LocalToWorld{})...)
	}
	tagged := func(p ecs.Entity, x float32, values ...any) ecs.Entity {
		e := follows(p, append(values, CopyInitialTransform{})...)
		check(t, Bind(w, e, Object(newThing(x))))
		return e
	}
	local, one := transform.LocalToParent{}, transform.Translation{X: 1}
	root := w.Spawn(one, transform.Rotation{W: 1}, transform.LocalToWorld{})
	deep := w.Spawn(transform.Parent{}, CopyInitialTransform{}, local, one, transform.LocalToWorld{}) // the first row of its archetype
	check(t, Bind(w, deep, Object(newThing[float32](50))))
	a := tagged(root, 20, local, one) // 19 from the root
	b := follows(a, local, one)       // no object: at 21
	c := tagged(b, 30, local, one)    // 9 from b
	d := tagged(c, 40, local)         // has only a matrix
	whole := tagged(c, 44, transform.At[float32](0, 0, 0), transform.PostTransformMatrix{})
	check(t, ecs.Set(w, deep, transform.Parent{Entity: follows(d, local, one)}))
	still := tagged(root, 60, one) // has no parent to follow
	lost := tagged(ecs.Entity{Index: 1 << 20, Version: 1}, 70, one, local)
	flat := tagged(w.Spawn(transform.Scale{}, transform.LocalToWorld{}), 80, local, one)
	bare := tagged(w.Spawn(), 90, local, one) // its parent has no matrix
	check(t, system.Update(w))
	for _, x := range []struct {
		name string
		e    ecs.Entity
		want float32
	}{{"a", a, 20}, {"b", b, 21}, {"c", c, 30}, {"d", d, 40}, {"whole", whole, 44}, {"deep", deep, 50}, {"still", still, 60}, {"flat", flat, 0}} {
		if got := at[float32](t, w, x.e); got != x.want {
			t.Errorf("%s is at %v, want %v", x.name, got, x.want)
		}
	}
	for _, e := range []ecs.Entity{lost, bare} {
		if ecs.Has[CopyInitialTransform](w, e) {
			t.Errorf("entity %v has its tag still", e)
		}
	}
	moved, err := ecs.Get[transform.Translation](w, lost)
	if check(t, err); moved.X != 70 {
		t.Errorf("of a parent that is no more: moved by %v, want 70", moved.X)
	}
	// Parents that form a cycle define no place for their entities, so the update must return an
	// error.
	x, y := tagged(root, 1, local, one), tagged(root, 2, local, one)
	z := follows(y, local, one)
	check(t, ecs.Set(w, x, transform.Parent{Entity: z}))
	check(t, ecs.Set(w, y, transform.Parent{Entity: z}))
	if err := system.Update(w); err == nil {
		t.Error("no error of the circle")
	}
}
