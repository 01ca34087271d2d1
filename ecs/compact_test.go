package ecs

import (
	"runtime"
	"slices"
	"testing"
)

// A world of which nine tenths have gone, in whole chunks and in parts, takes little more
// than what is left after Compact; nothing else about it has changed. It can be done again
// and again, and with anything beside lanes.
func TestCompact(t *testing.T) {
	w, whole := newWorld(t, 2), newWorld(t, 2)
	kinds := [][]Term{
		{With[Position](), With[Velocity]()},
		{With[Position](), With[Velocity](), With[Tag]()},
		{With[Position](), With[Buf](), With[Obj](), With[SmallEn](), With[Sh](), With[PerChunk[D]]()},
	}
	for round := range 3 {
		for k, terms := range kinds {
			for _, one := range []*World{w, whole} {
				list := make([]Entity, 40_000>>(3*k/2))
				must(t, one.CreateInto(one.Archetype(terms...), list))
				for i, e := range list {
					must(t, Set(one, e, Position{X: float32(i), Y: float32(round)}))
					if k == 2 && i%50 == 0 {
						n := int32(i)
						must(t, Set(one, e, Obj{Number: &n}))
						must(t, SetEnabled[SmallEn](one, e, i%100 == 0))
						must(t, Set(one, e, Sh{Value: int32(i / 400)}))
						b, err := GetBuffer[Elem](one, e)
						must(t, err)
						for v := range i % 13 {
							b.Append(Elem{int32(v)})
						}
					}
				}
				rng := uint32(k + round)
				for at := 0; at+300 <= len(list); at += 300 {
					if rng = rng*1664525 + 1013904223; rng>>24 > 25 {
						must(t, one.DestroyAll(list[at:at+300]))
					}
				}
			}
		}
		before, version, order := w.Stats(), w.Version(), w.Query(With[Position]()).OrderCount()
		var seen []Entity
		must(t, w.Compact())
		must(t, w.integrity())
		s := w.Stats()
		if seen = w.Query(With[Position]()).AppendEntities(seen); !slices.Equal(seen, whole.Query(With[Position]()).AppendEntities(nil)) || w.Hash() != whole.Hash() {
			t.Fatalf("round %d: the world is another one", round)
		}
		if !guard && (2*s.Bytes > 3*s.Live || s.Live > before.Live || s.Bytes > before.Bytes) || s.Chunks != before.Chunks || w.Version() != version {
			t.Errorf("round %d: %+v, before %+v", round, s, before)
		}
		if w.Query(With[Position]()).OrderCount() == order {
			t.Error("who keeps columns until rows come or go does not hear of it")
		}
		must(t, w.Compact())
		if again := w.Stats(); !guard && again != s {
			t.Errorf("round %d: %+v, before %+v", round, again, s)
		}
	}
	for _, e := range w.Query(With[Position]()).AppendEntities(nil) {
		must(t, w.Destroy(e))
	}
	must(t, w.integrity())
	must(t, w.Compact())
	if s := w.Stats(); s.Bytes != 0 && !guard {
		t.Errorf("an empty world has %d bytes", s.Bytes)
	}
	w.Spawn(Position{})
	must(t, w.integrity())
}

// Compact is a structural change: not for jobs, nor for who visits chunks; views end.
func TestCompactWhenItCannotBe(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Position{})
	for range w.Query(With[Position]()).Chunks() {
		fails(t, ErrState, w.Compact())
	}
	b, err := GetBuffer[Elem](w, w.Spawn(BufferOf(Elem{1})))
	must(t, err)
	must(t, w.Compact())
	panics(t, ErrDisposed, func() { b.Len() })
	must(t, w.Close())
	fails(t, ErrDisposed, w.Compact())
}

// Chunks of many worlds that are gone keep none of their memory alive: what lives is twice
// the chunks' bytes at most, and that of the worlds around them.
func TestMovedChunksPinNothing(t *testing.T) {
	w := newWorld(t, 1)
	before := heap()
	src := NewWorld("dropped")
	a := src.Archetype(With[Position](), With[Velocity]())
	b := src.Archetype(With[Position](), With[Velocity](), With[Tag]())
	for range src.Create(a, 300*a.Capacity()) {
	}
	for range src.Create(b, 60*b.Capacity()) {
	}
	for range src.Create(a, 300*a.Capacity()) {
	}
	must(t, w.MoveMatchingFrom(src.Query(With[Tag]()), nil))
	src = nil
	must(t, w.integrity())
	entities := 60 * b.Capacity() * 12                                                                   // slots and their list
	if left, s := heap()-before, w.Stats(); !guard && left > 2*s.Live+entities+1<<20 || s.Chunks != 60 { // with guard poisoned places keep slabs
		t.Errorf("%d bytes live after a move of %d", left, s.Live)
	}
	runtime.KeepAlive(w)
}

// CompactWide is a component of which four rows are a chunk.
type CompactWide struct{ Values [500]float64 }

func (CompactWide) Column() (c struct{ Values [][500]float64 }) { return }

// After Compact nothing keeps the memory from before it alive: not what loops have shown
// last.
func TestCompactLetsGo(t *testing.T) {
	w := newWorld(t, 4)
	a := w.Archetype(With[CompactWide]())
	q := w.Query(Write[CompactWide]())
	list := make([]Entity, 2500*a.Capacity())
	before, at := heap(), 0
	for c := range w.Create(a, len(list)) {
		at += copy(list[at:], c.Entities())
		Column[CompactWide](c).Values[0][0] = 1
	}
	must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { Column[CompactWide](c).Values[0][1] = 2 })).Wait())
	n := 0
	for c := range q.Chunks() {
		if n++; Column[CompactWide](c).Values[0][1] != 2 || n == 1500 {
			break
		}
	}
	must(t, w.DestroyAll(list[8:]))
	must(t, w.Compact())
	if left := heap() - before; n != 1500 || left > 4<<20 && !guard { // with guard poisoned places keep slabs
		t.Errorf("%d chunks, %d bytes live, %+v", n, left, w.Stats())
	}
	if w.Stats().Entities != 8 || get[CompactWide](t, w, list[7]).Values[1] != 0 || get[CompactWide](t, w, list[4]).Values[1] != 2 {
		t.Error("the rows that stay are others")
	}
	must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { Column[CompactWide](c).Values[0][1] = 3 })).Wait())
	for range q.Chunks() {
	}
	must(t, w.integrity())
	runtime.KeepAlive(list)
}
