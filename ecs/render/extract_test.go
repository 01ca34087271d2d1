package render

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// theatre is a world with random changes, and a world in which it is shown.
type theatre struct {
	*play
	groups []ecs.Entity
	film   *Software
	shown  *stage
}

// newTheatre creates the worlds. If two is set, it creates a game and its presentation world; otherwise
// it creates one world that is drawn directly.
func newTheatre(t *testing.T, seed uint64, two bool, pools ...*jobs.Pool) *theatre {
	s := newStage(t, system.OnPool(pools[0]))
	h := &theatre{play: &play{stage: s, Rand: rand.New(rand.NewPCG(seed, 6))}, shown: s}
	for _, e := range []Material{{Name: "smoke", Blend: Add}} {
		s.assets.Material(e)
	}
	h.film = &Software{Image: image.NewRGBA(image.Rect(0, 0, 120, 80))}
	if two {
		w, err := system.NewWorld(t.Name()+" shown", system.Only(), system.OnPool(pools[len(pools)-1]))
		s.ok(err)
		t.Cleanup(func() { s.ok(w.Close()) })
		h.shown = &stage{TB: t, w: w, assets: s.assets}
		s.ok(Install(s.w, Options{Assets: s.assets}))
		sceneOf(s.w).renderer = nil
	}
	s.ok(Install(h.shown.w, Options{Renderer: h.film, Assets: s.assets}))
	system.Find[system.FixedStep](s.w).SetRate(system.CatchUpRate(1))
	m := &walk{}
	s.ok(system.Adopt(s.w, m))
	s.ok(system.GetOrCreate[system.FixedStep](s.w).Add(m))
	for range 10 {
		h.spawn(1 + h.IntN(40))
	}
	for k := range 3 {
		h.cameras = append(h.cameras, s.w.Spawn(h.camera(), transform.At[float32](0, 0, 30), transform.LocalToWorld{}))
		if k > 0 {
			s.ok(ecs.Add(s.w, h.cameras[k], Previous{}))
		}
	}
	for range 8 {
		g := s.w.Spawn(Levels{Distances: [8]float32{30, 50}, Hysteresis: 0.2}, h.move(), transform.LocalToWorld{})
		h.groups = append(h.groups, g)
		for range 30 {
			h.things = append(h.things, s.w.Spawn(square, h.move(), transform.LocalToWorld{}, Level{Group: g, Max: uint8(h.IntN(4))}))
		}
	}
	for range 30 {
		s.w.Spawn(square, transform.Translation{X: h.num(40), Y: h.num(20)}, transform.LocalToWorld{}, Previous{})
	}
	return h
}

// act changes the world and updates it.
func (h *theatre) act(frame int) error {
	if frame > 0 {
		h.change()
		if h.IntN(2) == 0 {
			h.ok(ecs.Set(h.w, h.groups[h.IntN(len(h.groups))], h.move()))
		}
		if len(h.groups) > 1 && h.IntN(4) == 0 {
			k := h.IntN(len(h.groups))
			h.ok(h.w.Destroy(h.groups[k]))
			h.groups = append(h.groups[:k], h.groups[k+1:]...)
		}
	}
	system.ClockOf(h.w).SetNow(system.Time{Elapsed: float64(frame) * 0.375})
	return system.Update(h.w)
}

// picture returns a hash of the pixels and of the contents of the views.
func (h *theatre) picture() (n uint64) {
	return hashOf(h.film.Image) + h.shown.digest()
}

func hashOf(m *image.RGBA) (n uint64) {
	for _, b := range m.Pix {
		n = (n ^ uint64(b)) * 0x100000001b3
	}
	return n
}

// A presentation world gets its data between frames, and is drawn while the game continues. The
// presentation world must show the same picture as the game would: the same entities in the same
// order, and the same pixels. Drawing must not change the game's hash. The two worlds share one
// pool, or each world has its own pool.
//
// Conformance: 445
func TestExtract(t *testing.T) {
	frames := 8
	if *full {
		frames = 100
	}
	for seed := range uint64(2) {
		var pictures, hashes []uint64
		one := newTheatre(t, seed, false, pool(t, 2))
		for k := range frames {
			_ = one.act(k) // fails because of missing groups
			pictures, hashes = append(pictures, one.picture()), append(hashes, one.w.Hash())
		}
		for _, workers := range []int{1, 2, 3, 8, 64} {
			if workers > 2 && seed > 0 {
				continue
			}
			for pools := 1; pools <= 2; pools++ {
				var list []*jobs.Pool
				for range pools {
					list = append(list, pool(t, workers))
				}
				h := newTheatre(t, seed, true, list...)
				drawn := make(chan error)
				for k := range frames {
					_ = h.act(k)
					if k > 0 { // the frame before was drawn meanwhile
						h.ok(<-drawn)
						if got := h.picture(); got != pictures[k-1] {
							t.Fatalf("seed %d, %d workers in %d pools: frame %d is another picture than without", seed, workers, pools, k-1)
						}
					}
					if got := h.w.Hash(); got != hashes[k] {
						t.Fatalf("seed %d, %d workers in %d pools: frame %d: hash %x, want %x", seed, workers, pools, k, got, hashes[k])
					}
					h.ok(Extract(h.w, h.shown.w))
					go func() { drawn <- system.Update(h.shown.w) }()
				}
				h.ok(<-drawn)
				if got := h.picture(); got != pictures[frames-1] {
					t.Fatalf("seed %d, %d workers in %d pools: the last frame is another picture", seed, workers, pools)
				}
				if h.shown.w.Len() != 0 || len(ViewsOf(h.w)) != 0 {
					t.Errorf("the presentation world has %d entities, the game %d views", h.shown.w.Len(), len(ViewsOf(h.w)))
				}
			}
		}
	}
}

func pool(t testing.TB, n int) *jobs.Pool {
	p := jobs.New(jobs.Workers(n))
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Extract copies only changes. If only values change, Extract allocates nothing.
func TestExtractCosts(t *testing.T) {
	for _, speed := range []float32{0, 0.25} {
		s, d, _ := crew(t, 3000, 2, speed)
		sceneOf(s.w).renderer = nil
		show := newStage(t)
		r := &sum{pen: *show.pen, dst: make([][16]float32, 8*3000)}
		s.ok(Install(show.w, Options{Assets: s.assets, Renderer: r}))
		checkNoAllocs(t, fmt.Sprintf("speed %v: a frame and its extraction", speed), func() {
			s.frame()
			s.ok(Extract(s.w, show.w))
			show.frame()
		})
		if len(ViewsOf(show.w)) != 3 || r.rows == 0 {
			t.Fatalf("drawn %d rows in %d views", r.rows, len(ViewsOf(show.w)))
		}
		for _, v := range ViewsOf(show.w) {
			if v.Fresh != (speed != 0) {
				t.Errorf("speed %v: a view is fresh: %v", speed, v.Fresh)
			}
		}
		if speed != 0 {
			continue
		}
		// If an entity moves, Extract copies its chunk and no other chunk.
		from, to := &sceneOf(s.w).slots, &sceneOf(show.w).slots
		marked := make([][16]float32, len(to.lanes))
		for i := range to.lanes {
			marked[i] = to.lanes[i].matrices[0]
			to.lanes[i].matrices[0][3] = 7
		}
		moved := len(from.lanes) / 2
		s.ok(ecs.Set(s.w, from.lanes[moved].entities[1], matrixAt(1, 2, 3)))
		d.by = 0
		s.frame()
		s.ok(Extract(s.w, show.w))
		for i := range to.lanes {
			if copied := to.lanes[i].matrices[0] == marked[i]; copied != (i == moved) {
				t.Errorf("slot %d is copied: %v; %d has moved", i, copied, moved)
			}
		}
	}
}

// Extract returns an error about wrong worlds and copies nothing. A world can be shown by several
// worlds, and a presentation world can show another one.
func TestExtractErrors(t *testing.T) {
	s, other := newStage(t), newStage(t)
	s.w.Spawn(Camera{})
	e, gone := s.w.Spawn(square, matrixAt(0, 0, 0)), s.w.Spawn(square, matrixAt(0, 0, 0))
	s.frame()
	show, again := newStage(t), newStage(t)
	bare := ecs.NewWorld("bare")
	defer func() { s.ok(bare.Close()) }()
	wantError(t, Extract(nil, show.w), ecs.ErrArgument, "there are two worlds")
	wantError(t, Extract(s.w, nil), ecs.ErrArgument, "there are two worlds")
	wantError(t, Extract(s.w, s.w), ecs.ErrArgument, "there are two worlds")
	wantError(t, Extract(bare, show.w), ecs.ErrState, `world "bare" has no presentation`)
	wantError(t, Extract(s.w, bare), ecs.ErrState, `world "bare" has no presentation`)
	wantError(t, Extract(show.w, s.w), ecs.ErrState, "came or went")
	s.ok(Extract(s.w, show.w))
	wantError(t, Extract(show.w, again.w), ecs.ErrState, "shows another world")
	late := s.w.Spawn(square, matrixAt(0, 0, 0))
	s.ok(Extract(s.w, show.w)) // the presentation has not seen the change yet
	s.ok(s.w.Destroy(gone))
	wantError(t, Extract(s.w, show.w), ecs.ErrState, "came or went")
	show.frame()
	want := func(p *pen, list ...ecs.Entity) {
		t.Helper()
		if len(p.seen) != 1 || !equal(p.seen[0], list) {
			t.Errorf("drawn %v, want %v", p.seen, list)
		}
	}
	want(show.pen, e, gone)
	s.frame()
	want(s.pen, e, late) // has its own renderer
	s.ok(Extract(s.w, show.w))
	s.ok(Extract(s.w, again.w))
	show.frame()
	again.frame()
	want(show.pen, e, late)
	want(again.pen, e, late)
	other.w.Spawn(Camera{})
	for range 5 {
		other.w.Spawn(Tint{}, Level{})
	}
	g := other.w.Spawn(Levels{}, matrixAt(0, 0, 0))
	o := other.w.Spawn(square, matrixAt(0, 0, 0), Level{Group: g})
	other.frame()
	s.ok(Extract(other.w, show.w))
	show.frame()
	want(show.pen, o)
	other.ok(other.w.Destroy(g))
	if err := system.Update(other.w); err == nil {
		t.Error("a group that is gone is not reported")
	}
	s.ok(Extract(other.w, show.w))
	show.frame()
	want(show.pen)
	s.frame()
	s.ok(Extract(s.w, show.w))
	show.frame()
	want(show.pen, e, late)
	s.assets.Shape(Shape{Name: "new", Kind: Sprite})
	busy := &probe{do: func() error { return Extract(s.w, show.w) }}
	s.ok(system.Adopt(s.w, busy))
	s.ok(system.GetOrCreate[system.Presentation](s.w).Add(busy))
	wantError(t, system.Update(s.w), ecs.ErrState, "is being updated, by")
}

// probe is a system that calls a function.
type probe struct{ do func() error }

func (p *probe) Update(*system.Frame) error { return p.do() }

// Two programs register the same shapes and materials in different orders. If entities are copied or
// moved between their worlds, both worlds show the same picture.
//
// Conformance: 446
func TestLooksByName(t *testing.T) {
	make2 := func(order []int) *stage {
		s := newStage(t)
		a := NewAssets()
		names := []string{"boat", "buoy", "gull", "wave", "rock", "pier"}
		for _, k := range order {
			x := float32(k + 1)
			a.Shape(Shape{Name: names[k], Positions: [][3]float32{{0, x, 0}, {-x, -x, 0}, {x, -x, 0}}})
			a.Material(Material{Name: names[k], Color: color.NRGBA{uint8(40 * k), 200, 30, 255}, Blend: Blend(k % 3)})
		}
		s.assets = a
		return s
	}
	film := func(s *stage) uint64 {
		s.Helper()
		r := &Software{Image: image.NewRGBA(image.Rect(0, 0, 150, 100))}
		s.ok(Install(s.w, Options{Renderer: r, Assets: s.assets}))
		s.frame()
		if v := ViewsOf(s.w); len(v) != 1 || v[0].Seen == 0 {
			t.Fatalf("nothing is seen")
		}
		return hashOf(r.Image)
	}
	one, two, three := make2([]int{0, 1, 2, 3, 4, 5}), make2([]int{5, 2, 0, 4, 1, 3}), make2([]int{3, 4, 5, 0, 2, 1})
	r := rand.New(rand.NewPCG(1, 7))
	names := []string{"boat", "buoy", "gull", "wave", "rock", "pier"}
	var ids []ecs.Entity
	for range 300 {
		look := Look{Shape: ShapeNamed(names[r.IntN(6)]), Material: MaterialNamed(names[r.IntN(6)]), Layer: int32(r.IntN(3))}
		ids = append(ids, one.w.Spawn(look, matrixAt(r.Float32()*40-20, r.Float32()*40-20, r.Float32())))
	}
	ids = append(ids, one.w.Spawn(Camera{Height: 40, Background: color.NRGBA{9, 9, 9, 255}}))
	_, err := ecs.CopyEntities(two.w, one.w, ids)
	one.ok(err)
	want := film(one)
	if got := film(two); got != want {
		t.Errorf("copied: another picture")
	}
	one.ok(ecs.MoveEntities(three.w, two.w, nil))
	if got := film(three); got != want {
		t.Errorf("moved: another picture")
	}
}

// In one frame, components are written while entities of another archetype are created and destroyed.
// The writes must be visible in the world itself and in a presentation world.
func TestExtractBoth(t *testing.T) {
	for name, change := range map[string]func(s *stage, e ecs.Entity) error{
		"Tint":     func(s *stage, e ecs.Entity) error { return ecs.Set(s.w, e, Tint{color.NRGBA{200, 90, 0, 200}}) },
		"Flipbook": func(s *stage, e ecs.Entity) error { return ecs.Set(s.w, e, Flipbook{First: 5}) },
		"Label":    func(s *stage, e ecs.Entity) error { return ecs.Set(s.w, e, s.label("hh", 0)) },
		"Hidden":   func(s *stage, e ecs.Entity) error { return ecs.SetEnabled[Hidden](s.w, e, true) },
		"place":    func(s *stage, e ecs.Entity) error { return ecs.Set(s.w, e, transform.Translation{X: 1}) },
		"Bounds":   func(s *stage, e ecs.Entity) error { return ecs.Set(s.w, e, Bounds{HX: -1}) },
	} {
		for _, material := range []string{"cells", "ghosts"} {
			s, film := newPicture(t, 60, 40)
			s.atlas(0)
			e := s.show(s.look("sprite", material), 0, 0, Tint{white}, Hidden{}, Flipbook{First: 1}, transform.Scale{Value: 4})
			if name == "Label" {
				e = s.show(s.look("sprite", material), 0, 0, Tint{white}, Hidden{}, s.label("ab", 0), transform.Scale{Value: 4})
			}
			s.ok(ecs.SetEnabled[Hidden](s.w, e, false))
			other := s.show(square, 200, 0)
			show, copied := newPicture(t, 60, 40)
			s.ok(Install(show.w, Options{Assets: s.assets, Renderer: copied}))
			picture := func() uint64 {
				t.Helper()
				s.flip(0)
				s.ok(Extract(s.w, show.w))
				show.frame()
				if hashOf(film.Image) != hashOf(copied.Image) {
					t.Errorf("%s of %s: the presentation world shows something else", name, material)
				}
				return hashOf(film.Image)
			}
			picture()
			was := picture()
			s.ok(change(s, e))
			s.ok(s.w.Destroy(other))
			s.show(square, 300, 0)
			if picture() == was {
				t.Errorf("%s of %s: the picture is as before", name, material)
			}
		}
	}
}
