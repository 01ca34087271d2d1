package render

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var inf, nan = float32(math.Inf(1)), float32(math.NaN())

// unit is the identity matrix.
var unit = transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}

// seenBy returns the entities that camera k has seen in the last frame.
func (s *stage) seenBy(k int) []ecs.Entity {
	s.Helper()
	s.frame()
	return s.pen.seen[k]
}

// wantSeen compares the entities that camera k has seen with the expected entities, in any order.
func (s *stage) wantSeen(k int, want ...ecs.Entity) {
	s.Helper()
	got := slices.Clone(s.seenBy(k))
	slices.SortFunc(got, ecs.Entity.Compare)
	slices.SortFunc(want, ecs.Entity.Compare)
	if !equal(got, want) {
		s.Errorf("camera %d sees %v, want %v", k, got, want)
	}
}

// An infinitely large entity is visible everywhere, in every camera. An entity without a finite
// place is not visible.
//
// Conformance: 403
func TestInfinite(t *testing.T) {
	s := newStage(t)
	far := func(b Bounds, x float32, scale float32) ecs.Entity {
		l := transform.At[float32](x, x, x)
		l.Scale = scale
		return s.w.Spawn(square, b, l, transform.LocalToWorld{})
	}
	want := []ecs.Entity{
		far(Bounds{HX: inf, HY: inf, HZ: inf}, 1e6, 1),
		far(Bounds{HX: inf}, -1e30, 1),
		far(Bounds{HY: 1, HZ: inf}, 1e6, 0), // 0 times infinity
		far(Bounds{HX: 1e38, HY: 1e38}, 1e6, 1e10),
	}
	far(Bounds{HX: inf, HY: -1, HZ: inf}, 0, 1)
	far(Bounds{HX: inf, HY: nan}, 0, 1)
	far(Bounds{HX: inf}, inf, 1)
	far(Bounds{HX: inf}, nan, 1)
	far(Bounds{X: inf, HX: inf}, 0, 1)
	far(Bounds{X: 1e38, HX: 1}, 0, 1e10)
	far(Bounds{HX: 1, HY: 1, HZ: 1}, nan, 1)
	far(Bounds{HX: 1, HY: 1, HZ: 1}, inf, 1)
	s.w.Spawn(Camera{Height: 2})
	s.w.Spawn(Camera{Height: 2, Near: 1, Far: 2, Order: 1}, transform.At[float32](5, 6, 7), transform.LocalToWorld{})
	s.w.Spawn(Camera{FOV: 0.1, Order: 2}, transform.LocalTransform{X: -1e6, Scale: 1, QX: 0.6, QW: 0.8}, transform.LocalToWorld{})
	for k := range 3 {
		s.wantSeen(k, want...)
	}
	for _, e := range want {
		b := must(ecs.Get[WorldBounds](s.w, e))
		if b != (WorldBounds{HX: math.MaxFloat32, HY: math.MaxFloat32, HZ: math.MaxFloat32}) {
			t.Errorf("the box of %v is %v", e, b)
		}
	}
}

// A camera inside of a box sees it, even if all corners are outside of the picture.
//
// Conformance: 406
func TestCameraInside(t *testing.T) {
	s := newStage(t)
	big := s.w.Spawn(square, Bounds{HX: 100, HY: 100, HZ: 100}, unit)
	s.w.Spawn(square, Bounds{HX: 1, HY: 1, HZ: 1}, transform.At[float32](0, 0, 50), transform.LocalToWorld{}) // behind the camera
	for k, c := range []Camera{{Height: 1}, {FOV: 1}, {Height: 1, Near: 1, Far: 2}} {
		c.Order = int32(k)
		s.w.Spawn(c, unit)
	}
	s.wantSeen(1, big)
	s.wantSeen(2, big)
	if v := ViewsOf(s.w)[0]; v.Seen != 2 {
		t.Errorf("a camera without limits sees %d of two, one of them behind it", v.Seen)
	}
}

// The kernel can test boxes against any number of planes up to its limit. The kernel rejects a box that
// is outside of at least one plane.
//
// Conformance: 408
func TestPlanes(t *testing.T) {
	all := []kernels.Plane[float32]{{X: 1, D: 1}, {X: -1, D: 1}, {Y: 1, D: 1}, {Y: -1, D: 1}, {Z: 1, D: 1}, {Z: -1, D: 1}, {X: 1, Y: 1, D: 1}, {X: -1, Z: -1, D: 1}}
	b := kernels.Boxes[float32]{X: []float32{0, 3, -3, 0, 0, 0}, Y: []float32{0, 0, 0, 3, 0, -1}, Z: []float32{0, 0, 0, 0, -3, 0}, HX: make([]float32, 6), HY: make([]float32, 6), HZ: make([]float32, 6)}
	for n, want := range map[int]uint64{0: 0b111111, 1: 0b111011, 4: 0b110001, 6: 0b100001, 8: 0b100001} {
		var mask [1]uint64
		if b.InPlanes(mask[:], all[:n]); mask[0] != want {
			t.Errorf("%d planes: %06b, want %06b", n, mask[0], want)
		}
	}
	for _, c := range []struct {
		Camera
		planes int
	}{{Camera{}, 4}, {Camera{Height: 3}, 4}, {Camera{Near: -1, Far: 1}, 6}, {Camera{Far: 1}, 6}, {Camera{FOV: 1}, 6}} {
		planes, n := c.Camera.Planes(&unit.M, 1)
		if n != c.planes {
			t.Errorf("%+v has %d planes, want %d", c.Camera, n, c.planes)
		}
		for _, p := range planes[:n] {
			if m := max(abs(p.X), abs(p.Y), abs(p.Z)); m != 1 {
				t.Errorf("%+v: plane %v: the largest part of the normal is %v", c.Camera, p, m)
			}
		}
	}
}

// Mirrored, sheared and flattened entities are visible at their places.
//
// Conformance: 411
// Conformance: 412
func TestMatrices(t *testing.T) {
	s := newStage(t)
	spawn := func(m [16]float32) ecs.Entity {
		return s.w.Spawn(square, Bounds{X: 2, HX: 1, HY: 1, HZ: 1}, transform.LocalToWorld{M: m})
	}
	with := func(set map[int]float32) [16]float32 {
		m := unit.M
		for k, v := range set {
			m[k] = v
		}
		return m
	}
	// The camera sees x from 4.5 to 5.5 and y from -0.5 to 0.5; the entities reach from 1 to 3.
	var want, zero []ecs.Entity
	want = append(want,
		spawn(with(map[int]float32{0: -1, 12: 8})),                      // mirrored: from 5 to 7
		spawn(with(map[int]float32{4: 3})),                              // sheared: x + 3y from -2 to 6
		spawn(with(map[int]float32{0: 0, 12: 5})),                       // flat: at 5
		spawn(with(map[int]float32{0: 0, 5: 0, 12: 5})),                 // a line
		spawn([16]float32{12: 5, 13: 0.5}),                              // a point
		spawn(with(map[int]float32{0: 0, 1: 1, 5: 0, 12: 5, 13: -1.5}))) // turned and flat: y from -0.5 to 1.5
	zero = append(zero,
		spawn(with(map[int]float32{0: -1, 12: 8.6})),
		spawn(with(map[int]float32{4: 1, 13: -4})),
		spawn([16]float32{12: 5, 13: 0.6}),
		spawn([16]float32{}))
	s.w.Spawn(Camera{Height: 1, W: 0.5}, transform.LocalToWorld{M: with(map[int]float32{12: 5})})
	s.wantSeen(0, want...)
	for _, e := range append(want, zero...) {
		m, b := must(ecs.Get[transform.LocalToWorld](s.w, e)), must(ecs.Get[WorldBounds](s.w, e))
		if box, ok := worldBox(&m.M, Bounds{X: 2, HX: 1, HY: 1, HZ: 1}); !ok || WorldBounds(box) != b {
			t.Errorf("the box of %v is %v, want %v", e, b, box)
		}
	}
}

// For each path of the kernels, the world computes the same bits.
//
// Conformance: 410
func TestPaths(t *testing.T) {
	before := kernels.Path()
	t.Cleanup(func() {
		if err := kernels.Use(before); err != nil {
			t.Error(err)
		}
	})
	const golden = 0x5ae1ae8b89128f12
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			t.Fatal(err)
		}
		if got := Golden(t); got != golden {
			t.Errorf("path %v: %#x, want %#x", path, got, uint64(golden))
		}
	}
}

// Golden returns a hash of a world and the views of its cameras.
func Golden(t testing.TB) uint64 {
	s, d, _ := crew(t, 2000, 2, 0)
	d.by = 0.375
	h := uint64(0)
	for range 3 {
		s.frame()
		h = h*31 + s.digest() + s.w.Hash()
	}
	return h
}

// If an entity gets a Look later, it gets Bounds at that time. If the shape of its Look is registered
// later, it gets Bounds when the shape is registered. Bounds that the program has set stay unchanged.
// Prefabs get Bounds too, so that their copies have them.
//
// Conformance: 417
func TestMissingBounds(t *testing.T) {
	s := newStage(t)
	s.w.Spawn(Camera{Height: 20})
	later := s.w.Spawn(unit)
	own := s.w.Spawn(square, unit, Bounds{X: 1, HX: 5})
	half := s.w.Spawn(square, unit, Bounds{HX: 2}, WorldBounds{})
	model := s.w.Spawn(square, unit, ecs.Prefab{})
	rests := s.w.Spawn(square, unit, ecs.Inactive{})
	late := s.w.Spawn(Look{Shape: ShapeNamed("late"), Material: square.Material}, unit)
	bare := s.w.Spawn(square)
	wantError(t, system.Update(s.w), ecs.ErrState, "entity "+late.String(), ShapeNamed("late").String(), "of which the shape is not registered", t.Name())
	s.ok(ecs.Add(s.w, later, square))
	s.wantSeen(0, later, own, half)
	bounds := func(e ecs.Entity, want Bounds) {
		t.Helper()
		if b := must(ecs.Get[Bounds](s.w, e)); b != want {
			t.Errorf("the bounds of %v are %v, want %v", e, b, want)
		}
		if !ecs.Has[WorldBounds](s.w, e) || s.w.MetaOf(e).IsZero() {
			t.Errorf("%v has no WorldBounds, or its chunk none", e)
		}
	}
	flat := Bounds{HX: 1, HY: 1}
	bounds(later, flat)
	bounds(own, Bounds{X: 1, HX: 5})
	bounds(half, Bounds{HX: 2})
	bounds(model, flat)
	bounds(rests, flat)
	if ecs.Has[Bounds](s.w, late) || ecs.Has[Bounds](s.w, bare) {
		t.Error("bounds out of nothing")
	}
	ids := must(s.w.Instantiate(model, 3))
	archetype := s.w.ArchetypeOf(ids[0])
	s.wantSeen(0, append(ids, later, own, half)...)
	if s.w.ArchetypeOf(ids[0]) != archetype {
		t.Error("copies of a prefab have to be given bounds")
	}
	s.assets.Shape(Shape{Name: "late", Kind: Points, Positions: [][3]float32{{1, 2, 3}, {2, 4, 3}}})
	s.wantSeen(0, append(ids, later, own, half, late)...)
	bounds(late, Bounds{1.5, 3, 3, 0.5, 1, 0})
	if box := must(ecs.Get[WorldBounds](s.w, own)); box != (WorldBounds{X: 1, HX: 5}) {
		t.Errorf("the box of %v is %v", own, box)
	}
	lost := s.w.Spawn(Look{Shape: ShapeNamed("nowhere")}, unit)
	wantError(t, system.Update(s.w), ecs.ErrState, "entity "+lost.String(), "of which both are not registered")
	s.wantSeen(0, append(ids, later, own, half, late)...) // reported once
	lost = s.w.Spawn(Look{Shape: square.Shape, Material: 7}, unit)
	wantError(t, system.Update(s.w), ecs.ErrState, "entity "+lost.String(), "material 0000000000000007, of which the material is not registered")
	s.wantSeen(0, append(ids, later, own, half, late)...)
}

// The box of a chunk contains the boxes of its rows. Chunks without a visible row produce no batch.
//
// Conformance: 420
func TestNoBatch(t *testing.T) {
	s := newStage(t)
	s.w.Spawn(Camera{Height: 20})
	var near []ecs.Entity
	for k := range 600 { // several chunks of two looks; only some have rows near the camera
		look := square
		look.Layer = int32(k / 300)
		x := float32(1000 + k)
		if k == 250 || k == 10 {
			x = float32(k) / 100
		}
		e := s.w.Spawn(look, transform.At(x, 0, 0), transform.LocalToWorld{})
		if x < 1000 {
			near = append(near, e)
		}
	}
	s.wantSeen(0, near...)
	v := ViewsOf(s.w)[0]
	parts := 0
	for i := range v.Batches {
		for p := range v.Batches[i].Parts() {
			if parts++; p.Count == 0 {
				t.Error("a part without rows")
			}
		}
	}
	chunks := 0
	all := s.w.Query(ecs.With[Look]())
	for c := range all.Chunks() {
		if slices.ContainsFunc(c.Entities(), func(e ecs.Entity) bool { return slices.Contains(near, e) }) {
			chunks++
		}
	}
	if len(v.Batches) != 1 || parts != chunks || all.ChunkCount() < 5 {
		t.Errorf("%d batches of %d parts, want one of %d; there are %d chunks", len(v.Batches), parts, chunks, all.ChunkCount())
	}
	q := s.w.Query(ecs.Read[WorldBounds](), ecs.Read[chunkBoxOf]())
	for c := range q.Chunks() {
		if got, want := ecs.ChunkValue[ChunkBounds](c), ChunkBounds(ecs.Column[WorldBounds](c).Union(nil)); got != want {
			t.Errorf("the box of a chunk is %v, want %v", got, want)
		}
	}
	for _, e := range near {
		s.ok(ecs.Add(s.w, e, Hidden{}))
	}
	s.wantSeen(0)
	if n := len(ViewsOf(s.w)[0].Batches); n != 0 {
		t.Errorf("%d batches of nothing", n)
	}
	q = s.w.Query(ecs.With[Look]())
	s.ok(ecs.DestroyAll(s.w, ecs.Matching(q)))
	s.wantSeen(0)
}

// A look that no chunk uses any more is dropped after some time. The picture is the same as if the look
// had never existed.
func TestLooksOfThePast(t *testing.T) {
	s := newStage(t)
	s.w.Spawn(Camera{Height: 20})
	rest := s.w.Spawn(square, unit)
	e := s.w.Spawn(square, unit)
	for k := range 400 {
		name := fmt.Sprint("paint ", k)
		look := square
		look.Material = s.assets.Material(Material{Name: name})
		s.ok(ecs.Add(s.w, e, look))
		s.wantSeen(0, rest, e)
		if n := len(s.pen.looks[0]); n != 2 {
			t.Fatalf("%d batches", n)
		}
	}
	if l := &sceneOf(s.w).looks; len(l.all) > 80 || len(l.indexByLook) != len(l.all) || l.usedCount != 2 {
		t.Errorf("%d looks are kept, %d of them used", len(l.all), l.usedCount)
	}
	s.compare("at the end")
}

// count is a job that counts indices.
type count struct{ n atomic.Int64 }

func (c *count) RunRange(_ *jobs.Task, lo, hi int) {
	if hi > 90 {
		panic("ninety")
	}
	c.n.Add(int64(hi - lo))
}

// wide is a renderer that uses all workers.
type wide struct {
	pen
	world *ecs.World
	n     int64
	err   error
}

func (r *wide) Begin(f *Frame) error {
	c := &count{}
	if err := f.Range(c, 64, 3); err != nil {
		return err
	}
	r.world, r.n = f.World(), c.n.Load()
	r.err = f.Range(c, 100, 10)
	return errors.Join(r.pen.Begin(f), f.Range(c, 0, 1))
}

// The view must be equal to the model's view for two special cameras, too. The first camera sees
// all rows, so that whole words of its masks are set. The two other cameras are so far away that
// chunks cannot be tested. Renderers can use the workers of the world.
func TestWholeAndFar(t *testing.T) {
	w := must(system.NewWorld(t.Name(), system.Only(), system.WithPlugins(Systems(), transform.Systems())))
	defer w.Close()
	r := &wide{pen: pen{width: 100, height: 100}}
	s := &stage{t, w, NewAssets(), &r.pen}
	s.ok(Install(w, Options{Renderer: r, Assets: s.assets}))
	s.assets.Shape(Shape{Name: "square", Kind: Sprite})
	s.assets.Material(Material{Name: "red"})
	model := w.Spawn(square, unit, Tint{white})
	must(w.Instantiate(model, 200))
	must(w.Instantiate(w.Spawn(square, unit), 300))
	w.Spawn(Camera{Height: 8})
	at := unit
	at.M[12] = 1e37
	w.Spawn(Camera{Height: 4e37, Order: 1}, at)
	at.M[12] = 3e37
	w.Spawn(Camera{Height: 4e37, Order: 2}, at)
	s.frame()
	s.compare("all")
	if a, b, c := len(s.pen.seen[0]), len(s.pen.seen[1]), len(s.pen.seen[2]); a != 502 || b != 502 || c != 0 {
		t.Errorf("%d, %d and %d are seen, want 502, as many, and none", a, b, c)
	}
	if r.world != w || r.n != 64 {
		t.Errorf("a renderer has counted %d in world %v", r.n, r.world)
	}
	var p *jobs.PanicError
	if !errors.As(r.err, &p) || p.Index != 90 || p.Value != "ninety" {
		t.Errorf("a job of a renderer has panicked with %v", r.err)
	}
}
