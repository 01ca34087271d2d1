package render

import (
	"fmt"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// A camera draws the layers that it names, or all layers if it names none. A Look with an invalid layer
// is drawn by no camera, and reported.
//
// Conformance: 432
func TestLayers(t *testing.T) {
	s := newStage(t)
	list := make([]ecs.Entity, layerCount)
	for k := range list {
		look := square
		look.Layer = int32(layerCount - 1 - k)
		list[layerCount-1-k] = s.w.Spawn(look, unit)
	}
	s.w.Spawn(Camera{})
	s.w.Spawn(Camera{Layers: 1<<31 | 1<<4 | 1, Order: 1})
	s.w.Spawn(Camera{Layers: 1 << 7, Order: 2})
	s.frame()
	if got := s.pen.seen[0]; !equal(got, list) {
		t.Errorf("drawn %v, want %v", got, list)
	}
	if got := s.pen.seen[1]; !equal(got, []ecs.Entity{list[0], list[4], list[31]}) {
		t.Errorf("of three layers %v are drawn", got)
	}
	if got := s.pen.seen[2]; !equal(got, list[7:8]) {
		t.Errorf("of one layer %v are drawn", got)
	}
	for _, layer := range []int32{32, -1, math.MinInt32} {
		look := square
		look.Layer = layer
		e := s.w.Spawn(look, unit)
		wantError(t, system.Update(s.w), ecs.ErrState, fmt.Sprintf("entity %v", e), fmt.Sprintf("layer %d", layer), "from 0 to 31")
		s.frame() // it is reported once
		if got := s.pen.seen[0]; !equal(got, list) {
			t.Errorf("drawn %v, want %v", got, list)
		}
	}
}

// Cameras draw by Order, and cameras of one order draw by their ids. Each camera draws into its part of
// its target, even if the parts overlap.
//
// Conformance: 433
func TestViewports(t *testing.T) {
	s := newStage(t)
	e := s.w.Spawn(square, unit)
	spawn := func(c Camera) ecs.Entity { return s.w.Spawn(c) }
	last := spawn(Camera{Order: 7})
	whole := spawn(Camera{})
	right := spawn(Camera{X: 0.5, W: 0.5})
	lower := spawn(Camera{Y: 2. / 3, H: 1. / 3})
	first := spawn(Camera{Order: -1, X: -1, Y: -3, W: 9, H: 9})
	off := spawn(Camera{})
	s.ok(ecs.SetEnabled[Camera](s.w, off, false))
	none := spawn(Camera{X: 1})
	none2 := spawn(Camera{X: nan, W: nan, Order: 9})
	s.frame()
	if want := []ecs.Entity{first, whole, right, lower, last}; !equal(s.pen.cameras, want) {
		t.Errorf("cameras %v have drawn, want %v: %v and %v have no pixels", s.pen.cameras, want, none, none2)
	}
	for k, list := range s.pen.seen {
		if !equal(list, []ecs.Entity{e}) {
			t.Errorf("camera %v sees %v", s.pen.cameras[k], list)
		}
	}
	ports := map[ecs.Entity]string{}
	for _, v := range ViewsOf(s.w) {
		ports[v.Entity] = v.Viewport.String()
	}
	for e, want := range map[ecs.Entity]string{first: "(0,0)-(200,100)", whole: "(0,0)-(200,100)", right: "(100,0)-(200,100)", lower: "(0,67)-(200,100)", last: "(0,0)-(200,100)"} {
		if ports[e] != want {
			t.Errorf("camera %v has %s, want %s", e, ports[e], want)
		}
	}
	s.ok(ecs.SetEnabled[Camera](s.w, off, true))
	s.ok(ecs.Set(s.w, last, Camera{Order: -5}))
	s.ok(s.w.Destroy(whole))
	s.frame()
	if want := []ecs.Entity{last, first, right, lower, off}; !equal(s.pen.cameras, want) {
		t.Errorf("cameras %v have drawn, want %v", s.pen.cameras, want)
	}
	s.pen.width = 0
	s.frame()
	if len(s.pen.cameras) != 0 || s.pen.calls != "BE" {
		t.Errorf("into a target without pixels %v have drawn", s.pen.cameras)
	}
	s.pen.width = 200
	s.frame()
	if len(s.pen.cameras) != 5 || !equal(s.pen.seen[0], []ecs.Entity{e}) {
		t.Errorf("cameras %v have drawn %v", s.pen.cameras, s.pen.seen)
	}
}

// Without a renderer the views are computed too. Except for bounds, the world has the same hash with a
// renderer, without a renderer, and without this package.
//
// Conformance: 437
func TestNoRenderer(t *testing.T) {
	run := func(install bool, o Options) (hash uint64, seen int) {
		w := must(system.NewWorld("quiet", system.Only(), system.WithPlugins(transform.Systems())))
		defer w.Close()
		if install {
			if err := Install(w, o); err != nil {
				t.Fatal(err)
			}
		}
		a := NewAssets()
		if o.Assets != nil {
			a = o.Assets
		}
		look := Look{Shape: a.Shape(Shape{Name: "s", Kind: Sprite}), Material: a.Material(Material{Name: "m"})}
		for k := range 500 {
			w.Spawn(look, transform.At(float32(k), 0, 0), transform.LocalToWorld{})
		}
		w.Spawn(Camera{Height: 20})
		for range 3 {
			if err := system.Update(w); err != nil {
				t.Fatal(err)
			}
			q := w.Query(ecs.Write[transform.LocalTransform]())
			for c := range q.Chunks() {
				for i := range ecs.Column[transform.LocalTransform](c).X {
					ecs.Column[transform.LocalTransform](c).X[i] -= 0.5
				}
			}
		}
		if install {
			for _, v := range ViewsOf(w) {
				seen += v.Seen
			}
			hash = w.Hash()
		}
		q := w.Query(ecs.With[Look]())
		for _, err := range []error{ecs.RemoveTypes(w, ecs.Matching(q), ecs.With[Bounds](), ecs.With[WorldBounds](), ecs.With[chunkBoxOf]())} {
			if err != nil {
				t.Fatal(err)
			}
		}
		rest := uint64(0)
		for _, e := range q.AppendEntities(nil) {
			m := must(ecs.Get[transform.LocalToWorld](w, e))
			for _, v := range m.M {
				rest = rest*31 + uint64(math.Float32bits(v))
			}
		}
		if !install {
			hash = rest
		}
		return hash ^ rest, seen
	}
	with, seenWith := run(true, Options{Renderer: &pen{width: 100, height: 100}, Assets: NewAssets()})
	without, seenWithout := run(true, Options{Assets: NewAssets()})
	if with != without || seenWith != seenWithout || seenWith != 12 {
		t.Errorf("hash %x and %d seen with a renderer, %x and %d without, want 12", with, seenWith, without, seenWithout)
	}
}

// A world gets the systems by WithPlugins, without a call of Install. The world begins without visible
// entities and without cameras.
func TestBeginEmpty(t *testing.T) {
	w := must(system.NewWorld(t.Name(), system.Only(), system.WithPlugins(Systems())))
	defer w.Close()
	s := &stage{t, w, AssetsOf(w), &pen{width: 1, height: 1}}
	s.frame()
	w.Spawn(Camera{})
	s.frame()
	s.frame()
	look := Look{Shape: AssetsOf(w).Shape(Shape{Name: "s", Kind: Sprite}), Material: AssetsOf(w).Material(Material{Name: "m"})}
	for n := 1; n < 4; n++ {
		w.Spawn(look, unit)
		w.Spawn(Camera{})
		s.frame()
		for _, v := range ViewsOf(w) {
			if v.Seen != n {
				t.Errorf("camera %v sees %d of %d", v.Entity, v.Seen, n)
			}
		}
	}
	q := w.Query(ecs.With[Look]())
	s.ok(ecs.DestroyAll(w, ecs.Matching(q)))
	s.frame()
	w.Spawn(look, unit)
	s.frame()
	s.compare("at the end")
}
