package transform_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// spawnLocal spawns an entity with LocalTransform under a parent, or as a root.
func (b *bench) spawnLocal(parent ecs.Entity, l transform.LocalTransform, values ...any) ecs.Entity {
	values = append(values, l, transform.LocalToWorld{})
	if parent != (ecs.Entity{}) {
		values = append(values, transform.Parent{Entity: parent})
	}
	return b.w.Spawn(values...)
}

// Conformance: 275
func TestLocalChildPosition(t *testing.T) {
	b := newBench(t)
	root := b.spawnLocal(ecs.Entity{}, transform.At[float32](0, 0, 0))
	r := rotationAbout[float32](0, 1, 0, math.Pi)
	middle := b.spawnLocal(root, transform.LocalTransform{Scale: 1, QX: r.X, QY: r.Y, QZ: r.Z, QW: r.W})
	leaf := b.spawnLocal(middle, transform.At[float32](0, 0, 1))
	b.update()
	b.wantAt(leaf, 0, 0, -1)
	b.wantChildren(root, middle)
	b.ok(ecs.Set(b.w, root, transform.LocalTransform{X: 5, Scale: 3, QW: 1}))
	b.update()
	b.wantAt(leaf, 5, 0, -3)
}

// Conformance: 287
func TestLocalRotationWithUnevenScale(t *testing.T) {
	b := newBench(t)
	rad := math.Pi / 180
	lane := func() []float32 { return make([]float32, 1) }
	q := kernels.Quats[float32]{X: lane(), Y: lane(), Z: lane(), W: lane()}
	angles := kernels.Vec3s[float32]{X: []float32{float32(10 * rad)}, Y: []float32{float32(20 * rad)}, Z: []float32{float32(30 * rad)}}
	q.FromEuler(&angles, kernels.OrderZXY)
	want := transform.Rotation{X: q.X[0], Y: q.Y[0], Z: q.Z[0], W: q.W[0]}
	e := b.spawnLocal(ecs.Entity{}, transform.LocalTransform{Scale: 1, QX: want.X, QY: want.Y, QZ: want.Z, QW: want.W},
		transform.PostTransformMatrix{M: [16]float32{0: 1, 5: 2, 10: 3, 15: 1}})
	b.update()
	l := get[transform.LocalToWorld](b, e)
	got := l.Rotation()
	if dot := got.X*want.X + got.Y*want.Y + got.Z*want.Z + got.W*want.W; math.Abs(float64(dot)-1) > 1e-6 {
		t.Errorf("rotation %v, want %v", got, want)
	}
	if _, _, s := l.Decompose(); off32([3]float32{s.X, s.Y, s.Z}, [3]float32{1, 2, 3}) > 1e-6 {
		t.Errorf("scale %v, want (1, 2, 3)", s)
	}
}

// Conformance: 276
func TestLocalRemovedParent(t *testing.T) {
	b := newBench(t)
	parent := b.spawnLocal(ecs.Entity{}, transform.At[float32](5, 0, 0))
	child := b.spawnLocal(parent, transform.At[float32](1, 0, 0))
	b.update()
	_, err := ecs.Remove[transform.Parent](b.w, child)
	b.ok(err)
	b.ok(ecs.Set(b.w, parent, transform.At[float32](50, 0, 0)))
	b.update()
	b.wantChildren(parent)
	if ecs.Has[transform.PreviousParent](b.w, child) {
		t.Error("the child still has PreviousParent")
	}
	b.ok(ecs.Set(b.w, child, transform.At[float32](1, 0, 0)))
	b.update()
	b.wantAt(child, 1, 0, 0)
}

// A child with only LocalTransform stays at its place in the world when it loses its parent, until
// a LocalTransform in its chunk is written. In this test, the child is alone in its chunk.
func TestLocalStaysWithoutParent(t *testing.T) {
	b := newBench(t)
	parent := b.spawnLocal(ecs.Entity{}, transform.At[float32](5, 0, 0), modelTag{}) // in a separate chunk
	child := b.spawnLocal(parent, transform.At[float32](1, 0, 0))
	b.update()
	b.wantAt(child, 6, 0, 0)
	_, err := ecs.Remove[transform.Parent](b.w, child)
	b.ok(err)
	b.update()
	b.wantAt(child, 6, 0, 0)
}

// A child with LocalTransform is below a parent with separate components, and the reverse.
func TestMixedSets(t *testing.T) {
	b := newBench(t)
	old := b.root(transform.Translation{X: 1}, transform.Scale{Value: 2})
	fresh := b.spawnLocal(old, transform.LocalTransform{X: 1, Scale: 3, QW: 1})
	leaf := b.child(fresh, transform.Translation{Y: 1})
	b.update()
	b.wantAt(fresh, 3, 0, 0)
	b.wantAt(leaf, 3, 6, 0)
}

// If the parent of an entity does not exist, or has no matrix, the entity loses its Parent.
func TestLocalNoSuchParent(t *testing.T) {
	b := newBench(t)
	gone := b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0))
	b.ok(b.w.Destroy(gone))
	bare := b.w.Spawn(transform.At[float32](1, 0, 0))
	for _, p := range []ecs.Entity{gone, bare} {
		child := b.spawnLocal(p, transform.At[float32](2, 0, 0))
		b.update()
		if ecs.Has[transform.Parent](b.w, child) || ecs.Has[transform.PreviousParent](b.w, child) {
			t.Errorf("child of %v: it has a parent still", p)
		}
	}
}

func testLocalHelpers[T kernels.Float](t *testing.T, limit float64) {
	near := func(what string, got [16]T, want matrix) {
		t.Helper()
		if d := maxDifference(got, want); !(d <= limit) {
			t.Errorf("%s: %v is off by %g, want %v", what, got, d, want)
		}
	}
	ra, rb := rotationAbout[T](0, 0.6, 0.8, 1), rotationAbout[T](0.48, 0.6, 0.64, -2)
	a := transform.LocalTransformOf[T]{X: 1, Y: 2, Z: 3, Scale: 2, QX: ra.X, QY: ra.Y, QZ: ra.Z, QW: ra.W}
	b := transform.LocalTransformOf[T]{X: -4, Y: 0, Z: 1, Scale: 0.5, QX: rb.X, QY: rb.Y, QZ: rb.Z, QW: rb.W}
	ma := translation(1, 2, 3).mul(turn(ra)).mul(scaling(2, 2, 2))
	mb := translation(-4, 0, 1).mul(turn(rb)).mul(scaling(0.5, 0.5, 0.5))
	near("Matrix", a.Matrix(), ma)
	near("Transform", a.Transform(b).Matrix(), ma.mul(mb))
	near("Inverse", a.Inverse().Matrix(), ma.inverse())
	near("At", transform.At[T](7, 8, 9).Matrix(), translation(7, 8, 9))
	x, y, z := a.Point(1, -1, 2)
	m := a.Transform(transform.At[T](1, -1, 2)).Matrix()
	if d := max(math.Abs(float64(x-m[12])), math.Abs(float64(y-m[13])), math.Abs(float64(z-m[14]))); d > 10*limit {
		t.Errorf("Point is off by %g", d)
	}
	r := a.Turn(rb)
	near("Turn", transform.RotationMatrix(r.X, r.Y, r.Z, r.W), turn(ra).mul(turn(rb)))
}

func TestLocalHelpers(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testLocalHelpers[float32](t, 1e-6) })
	t.Run("float64", func(t *testing.T) { testLocalHelpers[float64](t, 1e-14) })
}

func TestComputeLocalToWorld(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 1})
	middle := b.w.Spawn(transform.Parent{Entity: root}, transform.LocalToParent{M: [16]float32{0: 2, 5: 2, 10: 2, 13: 5, 15: 1}}, transform.LocalToWorld{})
	leaf := b.spawnLocal(middle, transform.LocalTransform{X: 1, Scale: 1, QW: 1}, transform.PostTransformMatrix{M: [16]float32{0: 1, 5: 1, 10: 1, 12: 3, 15: 1}})
	given := b.w.Spawn(transform.LocalToWorld{M: [16]float32{0: 1, 5: 1, 10: 1, 12: 9, 15: 1}})
	below := b.child(given, transform.Scale{Value: 2})
	for e, want := range map[ecs.Entity][3]float32{root: {1, 0, 0}, leaf: {9, 5, 0}, below: {9, 0, 0}} {
		l, err := transform.ComputeLocalToWorld[float32](b.w, e) // before the group has run
		b.ok(err)
		if x, y, z := l.Position(); [3]float32{x, y, z} != want {
			t.Errorf("entity %v is at (%v, %v, %v), want %v", e, x, y, z, want)
		}
	}
	bare, gone := b.w.Spawn(transform.Parent{Entity: root}), b.w.Spawn(transform.Translation{})
	b.ok(b.w.Destroy(gone))
	lost := b.child(gone, transform.Translation{})
	x := b.child(root, transform.Translation{})
	y := b.child(x, transform.Translation{})
	b.ok(ecs.Set(b.w, x, transform.Parent{Entity: y}))
	for e, text := range map[ecs.Entity]string{bare: "has no Translation", gone: "does not exist", lost: "does not exist", x: "in a circle"} {
		if _, err := transform.ComputeLocalToWorld[float32](b.w, e); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), text) {
			t.Errorf("entity %v: error %v, want one that says %q", e, err, text)
		}
	}
}

// owned is a component that claims matrices.
type owned struct{ X float32 }

func (owned) Column() (c []float32)   { return }
func (owned) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[transform.LocalToWorld]()} }

// owning writes the matrices of the entities that it claims.
type owning struct {
	_ system.In[transform.Group]
	_ system.Before[transform.HierarchyOf[float32]]
	q *ecs.Query
}

func (s *owning) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.LocalToWorld](), ecs.Read[owned](), ecs.Changed[owned]())
	return nil
}
func (s *owning) Update(f *system.Frame) error { return f.Run(s.q, s) }
func (s *owning) Chunk(c *ecs.Chunk) {
	m := ecs.Column[transform.LocalToWorld](c).M
	for i, x := range *ecs.Column[owned](c) {
		m[i] = transform.IdentityMatrix[float32]()
		m[i][12] = x
	}
}

// A component of the write group claims roots and children, and their children use the claimed
// matrices.
func TestTakenOver(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(append(transforms(), system.Of[owning]())...))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t, w, system.InstanceOf(w, system.Find[transform.Group](w))}
	root := b.root(transform.Translation{X: 1}, owned{10})
	plain := b.root(transform.Translation{X: 1})
	middle := b.child(plain, transform.Translation{X: 1}, owned{20})
	leaf := b.child(middle, transform.Translation{X: 1})
	local := b.spawnLocal(plain, transform.At[float32](1, 0, 0), owned{30})
	under := b.spawnLocal(local, transform.At[float32](1, 0, 0))
	for step := range 3 {
		more := float32(step)
		b.ok(ecs.Set(w, root, owned{10 + more}))
		b.ok(ecs.Set(w, middle, owned{20 + more}))
		b.ok(ecs.Set(w, local, owned{30 + more}))
		b.ok(ecs.Set(w, plain, transform.Translation{X: -more}))
		b.update()
		b.wantAt(root, 10+more, 0, 0)
		b.wantAt(middle, 20+more, 0, 0)
		b.wantAt(leaf, 21+more, 0, 0)
		b.wantAt(local, 30+more, 0, 0)
		b.wantAt(under, 31+more, 0, 0)
	}
	if _, err := ecs.Remove[owned](w, middle); err != nil {
		t.Fatal(err)
	}
	b.update()
	b.wantAt(middle, -1, 0, 0)
	b.wantAt(leaf, 0, 0, 0)
}

// TestCircleBesideShortRuns has a chunk in which some rows are each other's parents, and the other rows
// form a chain. The local matrices of such a chunk are usually composed in one call. One call is not
// possible if some rows keep their matrices, as the rows of a cycle do.
func TestCircleBesideShortRuns(t *testing.T) {
	b := newBench(t)
	root := b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0))
	x := b.spawnLocal(root, transform.At[float32](1, 0, 0))
	y := b.spawnLocal(x, transform.At[float32](1, 0, 0))
	end := b.spawnLocal(y, transform.At[float32](1, 0, 0))
	chain := []ecs.Entity{root}
	for range 5 {
		chain = append(chain, b.spawnLocal(chain[len(chain)-1], transform.At[float32](1, 0, 0)))
	}
	b.update()
	b.ok(ecs.Set(b.w, x, transform.Parent{Entity: y}))
	if err := b.group.Update(); !errors.Is(err, ecs.ErrState) {
		t.Fatalf("error %v, want a circle", err)
	}
	b.ok(b.w.Sync())
	for frame := range 3 {
		for _, e := range append(chain[1:], x, y) {
			b.ok(ecs.Set(b.w, e, transform.At[float32](1, float32(frame), 0)))
		}
		b.update()
		for i, e := range chain {
			b.wantAt(e, float32(i+1), float32(i*frame), 0)
		}
		b.wantAt(x, 2, 0, 0)
		b.wantAt(y, 3, 0, 0)
		b.wantAt(end, 4, 0, 0)
	}
}
