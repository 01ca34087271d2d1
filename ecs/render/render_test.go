package render

import (
	"image/color"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// stage is a world with a renderer that records its calls.
type stage struct {
	testing.TB
	w      *ecs.World
	assets *Assets
	pen    *pen
}

// newStage creates a world with the systems of this package and of package transform.
func newStage(t testing.TB, opts ...system.Option) *stage {
	t.Helper()
	opts = append([]system.Option{system.Only(), system.WithPlugins(transform.Systems())}, opts...)
	w, err := system.NewWorld(t.Name(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{t, w, NewAssets(), &pen{width: 200, height: 100}}
	s.ok(Install(w, Options{Renderer: s.pen, Assets: s.assets}))
	s.assets.Shape(Shape{Name: "square", Positions: [][3]float32{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, Indices: []uint32{0, 1, 2, 0, 2, 3}})
	s.assets.Shape(Shape{Name: "sprite", Kind: Sprite})
	s.assets.Material(Material{Name: "red", Color: color.NRGBA{255, 0, 0, 255}})
	s.assets.Material(Material{Name: "glass", Blend: Over})
	return s
}

// onWorkers creates a pool for a world.
func onWorkers(t testing.TB, n int) system.Option {
	pool := jobs.New(jobs.Workers(n))
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return system.OnPool(pool)
}

func (s *stage) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// frame updates the world once.
func (s *stage) frame() {
	s.Helper()
	s.ok(system.Update(s.w))
}

// pen is a renderer that records its calls.
type pen struct {
	width, height int
	seen          [][]ecs.Entity // of each view, in order
	cameras       []ecs.Entity
	looks         [][]Look // of the batches of each view
	calls         string
}

func (p *pen) Size(int32) (int, int) { return p.width, p.height }

func (p *pen) Begin(*Frame) error {
	p.seen, p.cameras, p.looks = p.seen[:0], p.cameras[:0], p.looks[:0]
	p.calls = "B"
	return nil
}

func (p *pen) Draw(v *View) error {
	var seen []ecs.Entity
	var looks []Look
	for i := range v.Batches {
		looks = append(looks, v.Batches[i].Look)
		for part := range v.Batches[i].Parts() {
			for k, e := range part.Entities {
				if part.Mask[k/64]>>(k%64)&1 != 0 {
					seen = append(seen, e)
				}
			}
		}
	}
	p.seen, p.cameras, p.looks = append(p.seen, seen), append(p.cameras, v.Entity), append(p.looks, looks)
	p.calls += "D"
	return nil
}

func (p *pen) End() error { p.calls += "E"; return nil }

// square is the look of most entities.
var square = Look{Shape: ShapeNamed("square"), Material: MaterialNamed("red")}

// A 2-D camera sees everything inside its part of the plane, with any Z.
func TestDrawFlat(t *testing.T) {
	s := newStage(t)
	spawn := func(x, y, z float32) ecs.Entity {
		return s.w.Spawn(square, transform.Translation{X: x, Y: y, Z: z}, transform.LocalToWorld{})
	}
	in := []ecs.Entity{spawn(0, 0, 0), spawn(20.5, 0, -1e6), spawn(0, -10.5, 1e6), spawn(-20.5, 10.5, 3)}
	spawn(21.5, 0, 0)
	spawn(0, 11.5, 0)
	s.w.Spawn(Camera{Height: 20})
	for range 3 {
		s.frame()
		if len(s.pen.seen) != 1 || !equal(s.pen.seen[0], in) || s.pen.calls != "BDE" {
			t.Fatalf("drawn %v by %q, want %v", s.pen.seen, s.pen.calls, in)
		}
	}
	if v := ViewsOf(s.w)[0]; v.Seen != 4 || v.Culled != 2 {
		t.Errorf("seen %d, culled %d; want 4 and 2", v.Seen, v.Culled)
	}
}

func equal[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// The following entities are not drawn: hidden and inactive entities, prefabs, entities with an
// empty box, and entities with a look that is not registered.
//
// Conformance: 401
// Conformance: 419
func TestNotDrawn(t *testing.T) {
	s := newStage(t)
	s.w.Spawn(Camera{Height: 20})
	spawn := func(more ...any) ecs.Entity {
		return s.w.Spawn(append([]any{square, transform.Translation{}, transform.LocalToWorld{}}, more...)...)
	}
	plain := spawn()
	hidden := spawn(Hidden{})
	shown := spawn(Hidden{})
	rests := spawn()
	spawn(ecs.Prefab{})
	spawn(Bounds{HX: 1, HY: 1, HZ: -1})
	s.ok(s.w.SetActive(rests, false))
	s.ok(ecs.SetEnabled[Hidden](s.w, shown, false))
	want := func(list ...ecs.Entity) {
		t.Helper()
		s.frame()
		if got := s.pen.seen[0]; !equal(got, list) {
			t.Errorf("drawn %v, want %v", got, list)
		}
	}
	want(plain, shown)
	s.ok(ecs.SetEnabled[Hidden](s.w, hidden, false))
	s.ok(ecs.SetEnabled[Hidden](s.w, shown, true))
	want(plain, hidden)
	s.ok(s.w.SetActive(rests, true))
	want(plain, rests, hidden)
	s.ok(ecs.SetEnabled[Hidden](s.w, hidden, true))
	want(plain, rests)
	s.ok(s.w.Destroy(plain))
	want(rests)
}
