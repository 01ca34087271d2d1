package ecs_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

var outliveSteps = flag.Int("ecs.outlive", 1_500, "operations of TestOutlive, for each of three seeds")

// owned is a component with a number that identifies the entity in the test.
type owned struct{ N int32 }

// perChunk is the value of a chunk component. Chunks with it have meta entities, which get ids like all
// other entities.
type perChunk struct{ V int32 }

// came is the position of a stream in the world, which the stream shares with its clones.
type came struct {
	came, gone int
	over       bool
	restores   int // count of restores of the world when the ids of the coming rows were reserved; 0 if no row is to come
}

// handle is an ImageStream that is kept. The stream may be from another moment of the world than
// the present one.
type handle struct {
	a      *ecs.ImageStream
	family int
	came
	before int // count of restores when it began, or when its ids were reserved again
	image  *ecs.Image
	zero   bool // it has no rows to load
}

// leaving is an Excerpt after Extract.
type leaving struct {
	x        *ecs.Excerpt
	ids      []ecs.Entity
	restores int
}

// moment holds what the test knows about the world at the time of an image.
type moment struct {
	image    *ecs.Image
	alive    map[ecs.Entity]int32
	families map[int]came
}

// outlive is the model: the existing entities, and the position of each family, that is, of a
// stream and its clones.
type outlive struct {
	t        *testing.T
	rng      *rand.Rand
	w        *ecs.World
	images   []*ecs.Image // to be loaded
	alive    map[ecs.Entity]int32
	families map[int]came
	handles  []*handle
	ids      map[int][]byte     // the state of each family at its beginning, with its ids
	all      []*ecs.ImageStream // the world knows a stream as long as it exists
	leaving  []*leaving
	moments  []*moment
	restores int
	next     int32
	family   int
	refused  int
	done     int
}

// refuse checks that an operation was refused with the right error, and has changed nothing.
func (m *outlive) refuse(what string, hash uint64, err error) {
	m.t.Helper()
	m.refused++
	if !errors.Is(err, ecs.ErrState) {
		m.t.Fatalf("%s: error %v, want one of category ErrState", what, err)
	}
	if got := m.w.Hash(); got != hash {
		m.t.Fatalf("%s: it was refused, and the hash is %#x, was %#x", what, got, hash)
	}
}

// check compares the world with the model.
func (m *outlive) check(what string) {
	m.t.Helper()
	n := 0
	for e := range m.w.Entities() {
		n++
		v, err := ecs.Get[owned](m.w, e)
		if want, has := m.alive[e]; err != nil || !has || v.N != want {
			m.t.Fatalf("%s: %v is %v, %v, want %d, %v", what, e, v, err, want, has)
		}
	}
	if n != len(m.alive) {
		m.t.Fatalf("%s: there are %d entities, want %d", what, n, len(m.alive))
	}
}

func (m *outlive) some(n int) []ecs.Entity {
	ids := slices.SortedFunc(maps.Keys(m.alive), func(a, b ecs.Entity) int { return int(a.Index - b.Index) })
	m.rng.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	return ids[:min(n, len(ids))]
}

func (m *outlive) spawn(n int) {
	for range n {
		m.next++
		values := []any{owned{m.next}}
		if m.rng.IntN(3) == 0 {
			values = append(values, ecs.PerChunk[perChunk]{})
		}
		m.alive[m.w.Spawn(values...)] = m.next
	}
}

func (m *outlive) destroy(n int) {
	for _, e := range m.some(n) {
		must(m.t, m.w.Destroy(e))
		delete(m.alive, e)
	}
}

func (m *outlive) begin() {
	image := m.images[m.rng.IntN(len(m.images))]
	a, err := ecs.NewImageStream(image)
	must(m.t, err)
	must(m.t, a.Begin(m.w))
	m.family++
	m.all = append(m.all, a)
	m.ids[m.family] = a.AppendState(nil)
	h := &handle{a: a, family: m.family, image: image}
	m.handles = append(m.handles, h)
	h.noteReserved(m)
}

// hasPosition reports whether a handle has exactly the position that the world has stored.
func (m *outlive) hasPosition(h *handle) bool {
	now, known := m.families[h.family]
	return known && now == h.came
}

func (m *outlive) loadRows(h *handle) {
	hash, most := m.w.Hash(), 1+m.rng.IntN(30)
	left := h.a.Left()
	n, err := h.a.Load(most)
	switch {
	case !m.hasPosition(h):
		m.refuse("Load", hash, err)
		return
	case left > 0 && h.before != m.restores:
		m.refuse("Load of what was still to come", hash, err)
		h.over = true
	case left > 0 && h.zero:
		m.refuse("Load without an image", hash, err)
		return
	case err != nil || n > min(most, left) || n == 0 && left > 0: // fewer if the next chunk comes as a whole
		m.t.Fatalf("%d of %d came, error %v", n, min(most, left), err)
	}
	m.done++
	for _, e := range h.a.Entities()[len(h.a.Entities())-n:] {
		v, err := ecs.Get[owned](m.w, e)
		must(m.t, err)
		m.alive[e] = v.N
	}
	if h.came.came += n; h.a.Left() == 0 {
		h.over = true
	}
	if h.over {
		h.restores = 0
	}
	m.families[h.family] = h.came
}

func (m *outlive) unload(h *handle) {
	hash, most := m.w.Hash(), 1+m.rng.IntN(30)
	ids := slices.Clone(h.a.Entities())
	left, err := h.a.Unload(most)
	if !m.hasPosition(h) {
		m.refuse("Unload", hash, err)
		if left != len(ids) {
			m.t.Fatalf("Unload was refused, and %d of %d are left", left, len(ids))
		}
		return
	}
	must(m.t, err)
	m.done++
	for _, e := range ids[:len(ids)-left] {
		delete(m.alive, e)
	}
	h.gone += len(ids) - left
	h.over, h.restores = true, 0
	m.families[h.family] = h.came
}

// hasFamilyPosition does the same as hasPosition, but ignores when the ids were reserved.
func (m *outlive) hasFamilyPosition(h *handle) bool {
	now, known := m.families[h.family]
	return known && now.came == h.came.came && now.gone == h.gone && now.over == h.over
}

// resume makes a handle continue after the world was restored.
func (m *outlive) resume(h *handle) {
	hash := m.w.Hash()
	err := h.a.Resume()
	if !m.hasPosition(h) {
		m.refuse("Resume", hash, err)
		return
	}
	must(m.t, err)
	h.noteReserved(m)
}

// load creates another ImageStream from the bytes of a stream. The world may have that stream,
// or it may have other entities with the same ids.
func (m *outlive) load(h *handle) {
	if !m.hasFamilyPosition(h) {
		for f, now := range m.families { //lanewise:inexact the order does not matter
			if now.came == h.came.came && now.gone == h.gone && now.over == h.over && bytes.Equal(m.ids[f], m.ids[h.family]) {
				return // a stream of another moment has the same ids and position, and the world cannot tell it from this one
			}
		}
	}
	own := *h
	own.a = new(ecs.ImageStream)
	if m.rng.IntN(4) > 0 {
		var err error
		own.a, err = ecs.NewImageStream(h.image)
		must(m.t, err)
	}
	own.zero = own.a.Len() == 0
	hash := m.w.Hash()
	err := own.a.LoadState(m.w, h.a.AppendState(nil))
	switch {
	case !m.hasFamilyPosition(h) && h.over && h.came.came == h.gone && err == nil: // it has nothing left to do
		return
	case !m.hasFamilyPosition(h):
		if !errors.Is(err, ecs.ErrArgument) || m.w.Hash() != hash {
			m.t.Fatalf("LoadState of another moment: error %v", err)
		}
		m.refused++
		return
	default:
		must(m.t, err)
		own.noteReserved(m)
	}
	m.done++
	m.all = append(m.all, own.a)
	m.handles = append(m.handles, &own)
}

// noteReserved records that the ids of the coming rows were reserved.
func (h *handle) noteReserved(m *outlive) {
	h.before = m.restores
	if h.restores = 0; h.a.Left() > 0 {
		h.restores = m.restores
	}
	m.families[h.family] = h.came
}

func (m *outlive) leave(k int) {
	l := m.leaving[k]
	m.leaving = slices.Delete(m.leaving, k, k+1)
	hash, all := m.w.Hash(), l.restores == m.restores
	for _, e := range l.ids {
		_, has := m.alive[e]
		all = all && has
	}
	err := l.x.DestroySource()
	if !all {
		m.refuse("DestroySource", hash, err)
		return
	}
	must(m.t, err)
	m.done++
	for _, e := range l.ids {
		delete(m.alive, e)
	}
}

func (m *outlive) restore() {
	k := m.moments[m.rng.IntN(len(m.moments))]
	must(m.t, ecs.Restore(m.w, k.image))
	m.restores++
	m.alive, m.families = maps.Clone(k.alive), maps.Clone(k.families)
}

func (m *outlive) step() string {
	pick := func() *handle {
		h := m.handles[m.rng.IntN(len(m.handles))]
		for range 5 { // many of them are refused
			if !m.hasPosition(h) {
				h = m.handles[m.rng.IntN(len(m.handles))]
			}
		}
		return h
	}
	switch op := m.rng.IntN(17); {
	case op < 2:
		m.spawn(1 + m.rng.IntN(20))
		return "spawn"
	case op == 2:
		m.destroy(m.rng.IntN(20))
		return "destroy"
	case op == 3 || len(m.handles) == 0:
		m.begin()
		return "begin"
	case op < 7:
		m.loadRows(pick())
		return "load rows"
	case op < 9:
		m.unload(pick())
		return "unload"
	case op == 9:
		own := *pick()
		own.a = own.a.Clone()
		m.handles = append(m.handles, &own)
		return "clone"
	case op == 10 || len(m.moments) == 0:
		image, err := ecs.Capture(m.w, nil)
		must(m.t, err)
		m.moments = append(m.moments, &moment{image, maps.Clone(m.alive), maps.Clone(m.families)})
		return "capture"
	case op == 11:
		m.restore()
		return "restore"
	case op == 13:
		m.resume(pick())
		return "resume"
	case op == 14:
		m.load(pick())
		return "load"
	case op == 15:
		m.load(m.handles[m.rng.IntN(len(m.handles))])
		return "load"
	case op == 12:
		l := &leaving{new(ecs.Excerpt), m.some(1 + m.rng.IntN(5)), m.restores}
		must(m.t, l.x.Extract(m.w, l.ids, nil))
		if m.leaving = append(m.leaving, l); len(l.ids) == 0 {
			m.leaving = m.leaving[:len(m.leaving)-1]
		}
		return "copy"
	case len(m.leaving) > 0:
		m.leave(m.rng.IntN(len(m.leaving)))
		return "leave"
	}
	return ""
}

// Image streams, their clones and excerpts are kept while the world is restored back and forth, and other
// entities get their ids. Each operation either works on its own entities, or is refused and changes
// nothing. Queries, lookups, sets and probes are used at the same time.
func TestOutlive(t *testing.T) {
	var images []*ecs.Image
	n := int32(0)
	for _, size := range []int{1, 40, 300} {
		src := ecs.NewWorld("from")
		for i := range size {
			n--
			if i%2 == 0 {
				src.Spawn(owned{n})
			} else {
				src.Spawn(owned{n}, ecs.PerChunk[perChunk]{})
			}
		}
		image, err := ecs.Capture(src, nil)
		must(t, err)
		images = append(images, image)
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			m := &outlive{t: t, rng: rand.New(rand.NewPCG(seed, 36)), w: ecs.NewWorld("to"), images: images, alive: map[ecs.Entity]int32{}, families: map[int]came{}, ids: map[int][]byte{}}
			q, of := m.w.Query(ecs.With[owned]()), m.w.Archetype(ecs.With[owned]())
			look := ecs.NewWorldLookup[owned](m.w)
			set, err := ecs.NewRowSet(m.w, reflect.TypeFor[owned]())
			must(t, err)
			probe := ecs.NewProbe(m.w, ecs.With[owned]())
			for i := range *outliveSteps {
				what := m.step()
				if t.Failed() {
					return
				}
				m.check(fmt.Sprintf("seed %d, step %d: %s", seed, i, what))
				must(t, look.Refresh())
				ids := m.some(3)
				all, err := set.Gather(nil, ids)
				must(t, err)
				for k, e := range ids {
					v, has := look.Get(e)
					if got := int32(binary.NativeEndian.Uint32(all[4*k:])); !has || v.N != m.alive[e] || got != v.N || !probe.Matches(e) || !q.Matches(e) {
						t.Fatalf("seed %d, step %d: %v is %v, %v, in the set %d, want %d", seed, i, e, v, has, got, m.alive[e])
					}
				}
				if q.Count() != len(m.alive) || of.Len() > len(m.alive) {
					t.Fatalf("seed %d, step %d: the query has %d, the archetype %d, want %d", seed, i, q.Count(), of.Len(), len(m.alive))
				}
				if len(m.handles) > 30 {
					m.handles = slices.Delete(m.handles, 0, 10)
				}
				if len(m.moments) > 8 {
					k := m.rng.IntN(len(m.moments))
					must(t, m.moments[k].image.Release())
					m.moments = slices.Delete(m.moments, k, k+1)
				}
				if len(m.alive) > 600 {
					m.destroy(500)
				}
			}
			if m.refused == 0 || m.done == 0 {
				t.Errorf("%d were refused, %d done", m.refused, m.done)
			}
			t.Logf("seed %d: %d steps, %d restores, %d operations of handles done, %d refused", seed, *outliveSteps, m.restores, m.done, m.refused)
			must(t, m.w.Close())
			for _, h := range m.handles {
				_, err := h.a.Load(1)
				_, err2 := h.a.Unload(1)
				if !errors.Is(err, ecs.ErrDisposed) || !errors.Is(err2, ecs.ErrDisposed) {
					t.Errorf("after Close: %v, %v", err, err2)
				}
			}
		})
	}
}
