package ecs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// arriving is a stream in the world of a model, together with the entities that the model expects
// from it.
type arriving struct {
	a    *ImageStream
	rows []modelEntity // in the order in which they come
	w    *World
}

// beginArrival takes an image of the peer's world and begins a stream of that image in the model's
// world.
func (m *model) beginArrival() *arriving {
	image := mustCapture(m.t.(*testing.T), m.peer.w, nil)
	a, err := NewImageStream(image)
	must(m.t, err)
	must(m.t, a.Begin(m.w))
	m.last = "ImageStream"
	became := map[Entity]Entity{}
	s := &arriving{a: a, w: m.w}
	for e := range m.peer.w.Entities() {
		id := m.id()
		if became[e] = id; a.NewID(e) != id {
			m.t.Fatalf("%v will be %v, want %v", e, a.NewID(e), id)
		}
		s.rows = append(s.rows, *m.peer.rows[e])
	}
	for i := range s.rows {
		s.rows[i].redirect(func(e Entity) Entity { return became[e] })
	}
	if a.Left() != len(s.rows) || a.Len() != len(s.rows) {
		m.t.Fatalf("%d are to come, want %d", a.Left(), len(s.rows))
	}
	return s
}

// modelOf returns the model whose world is w: this model or its peer.
func (m *model) modelOf(w *World) *model {
	if m.w == w {
		return m
	}
	return m.peer
}

// A stream must load and unload all components of all kinds of entities, even with random operations
// in between.
func TestImageStreamModel(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 20))
			m := newModel(t)
			step := func() {
				var b [48]byte
				for k := range b {
					b[k] = byte(rng.Uint32())
				}
				m.step(b[:])
			}
			for round := range *steps / 250 {
				for range 20 {
					step()
				}
				if len(m.peer.alive) > 400 {
					continue
				}
				s := m.beginArrival()
				stop := -1 // all of them
				if rng.IntN(2) == 0 {
					stop = rng.IntN(len(s.rows) + 1)
				}
				for at := 0; s.a.Left() > 0 && at != stop; {
					dst := m.modelOf(s.w)
					most := 1 + rng.IntN(40)
					if stop > 0 {
						most = min(most, stop-at)
					}
					if n, err := s.a.Load(most); err != nil || n > most || n == 0 {
						t.Fatalf("%d of %d came: %v", n, most, err)
					} else {
						for range n {
							dst.enter(s.a.Entities()[at], s.rows[at])
							at++
						}
					}
					if err := dst.check(true); err != nil {
						t.Fatalf("round %d: after %d of %d: %v", round, at, len(s.rows), err)
					}
					if rng.IntN(3) == 0 {
						step()
					}
				}
				if stop >= 0 {
					m.unload(s, rng)
				}
				if err := m.check(true); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
		})
	}
}

// unload unloads loaded entities, and ends the stream for the others.
func (m *model) unload(s *arriving, rng *rand.Rand) {
	dst, came := m.modelOf(s.w), len(s.a.Entities())
	ids := append([]Entity(nil), s.a.Entities()...)
	for i := came; i < len(s.rows) && s.a.Left() > 0; i++ {
		e := s.a.newIDs[i]
		dst.free = append(dst.free, Entity{e.Index, e.Version + 1})
	}
	for left := -1; left != 0; {
		n := len(ids)
		var err error
		left, err = s.a.Unload(1 + rng.IntN(50))
		must(m.t, err)
		for range n - left {
			dst.destroyAlone(ids[0])
			ids = ids[1:]
		}
		if err := dst.check(true); err != nil {
			m.t.Fatalf("unloaded, %d left: %v", left, err)
		}
	}
}

// arrivalTag is a shared value that all entities get.
type arrivalTag struct {
	Shared
	Of Entity
}

// The same image is loaded twice, each time with another shared value for all entities. The two
// copies must be independent of each other.
func TestImageStreamTwice(t *testing.T) {
	src, w := newWorld(t, 1), newWorld(t, 2)
	first := src.Spawn(A{1}, Sh{Value: 7})
	for i := range 3000 {
		src.Spawn(A{int32(i)}, Ref{Value: int32(i), To: first})
	}
	must(t, src.SetEntityName(first, "first"))
	image := mustCapture(t, src, nil)
	roots := [2]Entity{w.Spawn(B{}), w.Spawn(B{})}
	var all [2]*ImageStream
	for i := range all {
		a, err := NewImageStream(image, arrivalTag{Of: roots[i]})
		must(t, err)
		must(t, a.Begin(w))
		all[i] = a
	}
	if w.Len() != 2 || w.Exists(all[1].NewID(first)) {
		t.Errorf("%d entities, before any came", w.Len())
	}
	for all[0].Left()+all[1].Left() > 0 {
		for _, a := range all {
			_, err := a.Load(1000)
			must(t, err)
			must(t, integrity(w))
		}
	}
	for i, a := range all {
		q := w.Query(WithShared(arrivalTag{Of: roots[i]}))
		if n := q.Count(); n != 3001 {
			t.Errorf("%d entities have the tag, want 3001", n)
		}
		own := a.NewID(first)
		if s, err := Get[Sh](w, own); err != nil || s.Value != 7 || w.EntityName(own) != "first" {
			t.Errorf("%v %v, %q", s, err, w.EntityName(own))
		}
		for _, e := range a.Entities() {
			if e == own {
				continue
			}
			if r, err := Get[Ref](w, e); err != nil || r.To != own {
				t.Fatalf("%v refers to %v, want %v: %v", e, r.To, own, err)
			}
		}
	}
	e := all[0].Entities()[5]
	must(t, w.Destroy(e))
	mine := w.Spawn(A{5}, arrivalTag{Of: roots[0]})
	left, err := all[0].Unload(1 << 30)
	must(t, err)
	must(t, integrity(w))
	if left != 0 || w.Len() != 3+3001 || !w.Exists(mine) || !w.Exists(all[1].NewID(first)) {
		t.Errorf("%d are left, the world has %d", left, w.Len())
	}
}

// A refused operation of a stream changes nothing.
func TestImageStreamRefused(t *testing.T) {
	src, w := newWorld(t, 1), newWorld(t, 1)
	src.Spawn(A{1})
	src.Spawn(A{2})
	image := mustCapture(t, src, nil)
	_, err := NewImageStream(nil)
	wantCategory(t, ErrArgument, err)
	_, err = NewImageStream(image, nil)
	wantCategory(t, ErrArgument, err)
	_, err = NewImageStream(image, A{})
	wantCategory(t, ErrArgument, err)
	_, err = NewImageStream(image, Sh{}, Sh{Value: 1})
	wantCategory(t, ErrArgument, err)
	a, err := NewImageStream(image)
	must(t, err)
	_, err = a.Load(1)
	wantCategory(t, ErrState, err)
	_, err = a.Unload(1)
	wantCategory(t, ErrState, err)
	wantCategory(t, ErrArgument, a.Begin(nil))
	hash := w.Hash()
	for range src.Query(With[A]()).Chunks() {
		wantCategory(t, ErrState, a.Begin(src))
	}
	if w.Hash() != hash {
		t.Error("a refused stream has changed the world")
	}
	must(t, a.Begin(w))
	wantCategory(t, ErrState, a.Begin(w))
	before := mustCapture(t, w, nil)
	n, err := a.Load(1)
	if n != 1 || err != nil {
		t.Error(n, err)
	}
	must(t, Restore(w, before))
	must(t, integrity(w))
	_, err = a.Load(1)
	wantCategory(t, ErrState, err)
	_, err = a.Unload(10) // the entity that came no longer exists
	wantCategory(t, ErrState, err)
	if w.Len() != 0 {
		t.Error(w.Len())
	}
	must(t, integrity(w))
}

// If a method of a shared value panics, at any call, nothing has changed, and the stream can
// continue afterwards.
func TestImageStreamPanics(t *testing.T) {
	src, w := newWorld(t, 1), newWorld(t, 1)
	for i := range 5 {
		src.Spawn(A{int32(i)}, touchy{N: i})
	}
	w.Spawn(touchy{N: 3})
	image := mustCapture(t, src, nil)
	for k := 1; ; k++ {
		a, err := NewImageStream(image)
		must(t, err)
		must(t, a.Begin(w))
		hash := w.Hash()
		panicked, err := callFailing(k, func() error { _, err := a.Load(5); return err })
		must(t, err)
		must(t, integrity(w))
		if panicked {
			if w.Hash() != hash || a.Left() != 5 {
				t.Fatalf("call %d: %d are left", k, a.Left())
			}
			_, err := a.Load(5)
			must(t, err)
			must(t, integrity(w))
		}
		if a.Left() != 0 || w.Len() != 6 {
			t.Fatalf("call %d: %d are left, the world has %d", k, a.Left(), w.Len())
		}
		_, err = a.Unload(5)
		must(t, err)
		if !panicked {
			return
		}
	}
}

func BenchmarkImageStream(b *testing.B) {
	for _, named := range []bool{false, true} {
		b.Run(fmt.Sprint("named=", named), func(b *testing.B) {
			src, w := newWorld(b, 1), newWorld(b, 1)
			for i := range 10_000 {
				e := src.Spawn(Position{X: float32(i)}, Velocity{}, Spin{})
				if named {
					must(b, src.SetEntityName(e, fmt.Sprint("lamp/", i)))
				}
			}
			image, err := Capture(src, nil)
			must(b, err)
			b.ReportAllocs()
			for b.Loop() {
				arriveOnce(b, w, image)
			}
			b.ReportMetric(float64(b.N)*10_000/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

func arriveOnce(b *testing.B, w *World, image *Image) {
	a, err := NewImageStream(image, arrivalTag{Of: Entity{1, 1}})
	must(b, err)
	must(b, a.Begin(w))
	_, err = a.Load(10_000)
	must(b, err)
	b.StopTimer()
	_, err = a.Unload(10_000)
	must(b, err)
	b.StartTimer()
}

// A stream must be able to continue after its world was restored, whatever its position was. A stream
// that was kept continues with Resume. A stream from a file continues with LoadState. The stream must
// then load the same rows with the same ids as the first time, and must be able to unload them.
func TestImageStreamResumes(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 21))
		src, w := newWorld(t, 1), newWorld(t, 1)
		for i := range 200 + rng.IntN(2000) {
			if src.Spawn(A{int32(i)}, Sh{Value: int32(i % 3)}); i%5 == 0 {
				src.Spawn(A{int32(i)})
			}
		}
		var mine []Entity
		for i := range 500 { // so that ids are used again, in both directions
			mine = append(mine, w.Spawn(A{int32(i)}))
		}
		rng.Shuffle(len(mine), func(i, k int) { mine[i], mine[k] = mine[k], mine[i] })
		must(t, DestroyAll(w, Entities(mine[:rng.IntN(500)])))
		image := mustCapture(t, src, nil)
		a, err := NewImageStream(image)
		must(t, err)
		must(t, a.Begin(w))
		_, err = a.Load(rng.IntN(a.Len()))
		must(t, err)
		if seed%3 == 2 {
			_, err = a.Unload(rng.IntN(100))
			must(t, err)
		}
		kept, bytes, m := a.Clone(), a.AppendState(nil), mustCapture(t, w, nil)
		follow := func(a *ImageStream, w *World) (list []uint64) {
			for a.Left() > 0 {
				_, err := a.Load(90)
				must(t, err)
				w.Spawn(A{7})
				list = append(list, w.Hash())
			}
			for left := 1; left > 0; list = append(list, w.Hash()) {
				left, err = a.Unload(150)
				must(t, err)
			}
			must(t, integrity(w))
			return list
		}
		want := follow(a, w)
		other := newWorld(t, 1)
		for i, back := range []struct {
			w *World
			a func(w *World) *ImageStream
		}{
			{w, func(*World) *ImageStream { must(t, kept.Resume()); return kept }},
			{w, func(w *World) *ImageStream { return loaded(t, w, image, bytes) }},
			{other, func(w *World) *ImageStream { return loaded(t, w, image, bytes) }},
		} {
			must(t, Restore(back.w, m))
			if got := follow(back.a(back.w), back.w); !slices.Equal(got, want) {
				t.Errorf("seed %d, way %d: the hashes are %x, were %x", seed, i, got, want)
			}
		}
		must(t, Restore(other, m)) // damaged bytes change nothing
		for range 200 {
			b := slices.Clone(bytes)
			b[rng.IntN(len(b))] = byte(rng.IntN(256))
			b = b[:len(b)-rng.IntN(2)]
			c, err := NewImageStream(image)
			must(t, err)
			hash := other.Hash()
			if err := c.LoadState(other, b); err == nil {
				_, err = c.Unload(1 << 20)
				must(t, err)
				must(t, Restore(other, m))
			} else if other.Hash() != hash {
				t.Fatalf("seed %d: %v, and the world has changed", seed, err)
			}
			must(t, integrity(other))
		}
		wantCategory(t, ErrArgument, loadedErr(newWorld(t, 1), image, bytes))
		wantCategory(t, ErrState, (&ImageStream{}).Resume())
	}
}

func loadedErr(w *World, image *Image, bytes []byte) error {
	a, err := NewImageStream(image)
	if err != nil {
		return err
	}
	return a.LoadState(w, bytes)
}

func loaded(t *testing.T, w *World, image *Image, bytes []byte) *ImageStream {
	t.Helper()
	a, err := NewImageStream(image)
	must(t, err)
	must(t, a.LoadState(w, bytes))
	return a
}
