package ecs

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// This test destroys nine tenths of a world, in whole chunks and in parts. After Compact, the world must
// use little more memory than its remaining rows need, and must otherwise be unchanged. The test does this
// repeatedly, and with data outside of lanes.
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
						must(t, DestroyAll(one, Entities(list[at:at+300])))
					}
				}
			}
		}
		before, version, order := w.Stats(), w.Version(), w.Query(With[Position]()).OrderCount()
		var seen []Entity
		must(t, Compact(w))
		must(t, integrity(w))
		s := w.Stats()
		if seen = w.Query(With[Position]()).AppendEntities(seen); !slices.Equal(seen, whole.Query(With[Position]()).AppendEntities(nil)) || w.Hash() != whole.Hash() {
			t.Fatalf("round %d: the world is another one", round)
		}
		if !guard && (2*s.Bytes > 3*s.Live || s.Live > before.Live || s.Bytes > before.Bytes) || s.Chunks != before.Chunks || w.Version() != version {
			t.Errorf("round %d: %+v, before %+v", round, s, before)
		}
		if w.Query(With[Position]()).OrderCount() == order {
			t.Error("the order count does not tell that columns have moved")
		}
		must(t, Compact(w))
		if again := w.Stats(); !guard && (again.Bytes != s.Bytes || again.Live != s.Live || again.Wasted != s.Wasted) {
			t.Errorf("round %d: %+v, before %+v", round, again, s)
		}
	}
	for _, e := range w.Query(With[Position]()).AppendEntities(nil) {
		must(t, w.Destroy(e))
	}
	must(t, integrity(w))
	must(t, Compact(w))
	if s := w.Stats(); s.Bytes != 0 && !guard {
		t.Errorf("an empty world has %d bytes", s.Bytes)
	}
	w.Spawn(Position{})
	must(t, integrity(w))
}

// Compact is a structural change. Compact is refused in jobs and while a loop visits chunks, and
// it makes views stale.
func TestCompactWhenItCannotBe(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Position{})
	for range w.Query(With[Position]()).Chunks() {
		wantCategory(t, ErrState, Compact(w))
	}
	b, err := GetBuffer[Elem](w, w.Spawn(BufferOf(Elem{1})))
	must(t, err)
	must(t, Compact(w))
	wantPanic(t, ErrDisposed, func() { b.Len() })
	must(t, w.Close())
	wantCategory(t, ErrDisposed, Compact(w))
}

// Chunks that were moved away from many worlds must not keep the memory of these worlds alive. The heap
// must be at most twice as large as the bytes of the chunks. The same must hold for the worlds that
// still exist.
func TestMovedChunksPinNothing(t *testing.T) {
	w := newWorld(t, 1)
	before := heap()
	src := NewWorld("dropped")
	a := src.Archetype(With[Position](), With[Velocity]())
	b := src.Archetype(With[Position](), With[Velocity](), With[Tag]())
	src.Create(a, 300*a.Capacity())
	src.Create(b, 60*b.Capacity())
	src.Create(a, 300*a.Capacity())
	must(t, MoveMatching(w, src.Query(With[Tag]()), nil))
	src = nil
	must(t, integrity(w))
	entities := 60 * b.Capacity() * 12                                                                   // slots and their list
	if left, s := heap()-before, w.Stats(); !guard && left > 2*s.Live+entities+1<<20 || s.Chunks != 60 { // with guard poisoned places keep slabs
		t.Errorf("%d bytes live after a move of %d", left, s.Live)
	}
	runtime.KeepAlive(w)
}

// CompactWide is a component of which four rows fit in a chunk.
type CompactWide struct{ Values [500]float64 }

func (CompactWide) Column() (c struct{ Values [][500]float64 }) { return }

// After Compact nothing keeps the old memory alive, not even the views that loops have shown last.
func TestCompactLetsGo(t *testing.T) {
	w := newWorld(t, 4)
	a := w.Archetype(With[CompactWide]())
	q := w.Query(Write[CompactWide]())
	list := make([]Entity, 2500*a.Capacity())
	before, at := heap(), 0
	for c := range w.Create(a, len(list)).Chunks() {
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
	must(t, DestroyAll(w, Entities(list[8:])))
	must(t, Compact(w))
	if left := heap() - before; n != 1500 || left > 4<<20 && !guard { // with guard poisoned places keep slabs
		t.Errorf("%d chunks, %d bytes live, %+v", n, left, w.Stats())
	}
	if w.Stats().Entities != 8 || get[CompactWide](t, w, list[7]).Values[1] != 0 || get[CompactWide](t, w, list[4]).Values[1] != 2 {
		t.Error("the rows that stay are others")
	}
	must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { Column[CompactWide](c).Values[0][1] = 3 })).Wait())
	for range q.Chunks() {
	}
	must(t, integrity(w))
	runtime.KeepAlive(list)
}

// With CompactAbove, Sync compacts the memory when enough of it belongs to no chunk. All machines
// compact at the same Sync, and do not compact again until something has changed.
func TestCompactAbove(t *testing.T) {
	var want []int
	for _, workers := range []int{1, 3, 8} {
		w, whole := newWorld(t, workers), newWorld(t, 1)
		CompactAbove(0.5, 64<<10)(w)
		a := w.Archetype(With[Position](), With[Velocity]())
		list := make([]Entity, 20*a.Capacity())
		must(t, w.CreateInto(a, list))
		must(t, whole.CreateInto(whole.Archetype(With[Position](), With[Velocity]()), make([]Entity, len(list))))
		var bytes []int
		version := w.gate.structuralVersion
		for k := range 20 {
			must(t, w.Sync())
			if s := w.Stats(); !guard && 2*(s.Bytes-s.Live) > s.Bytes && s.Bytes-s.Live >= 64<<10 {
				t.Errorf("%d chunks have %d bytes of %d after Sync", s.Chunks, s.Live, s.Bytes)
			}
			bytes = append(bytes, w.Stats().Bytes)
			must(t, DestroyAll(w, Entities(list[k*a.Capacity():(k+1)*a.Capacity()])))
			must(t, DestroyAll(whole, Entities(list[k*a.Capacity():(k+1)*a.Capacity()])))
			must(t, integrity(w))
			if w.Hash() != whole.Hash() {
				t.Fatal("the world is another one")
			}
		}
		if n := w.gate.structuralVersion - version; n <= 20 && !guard {
			t.Error("Sync has not called Compact")
		}
		version = w.gate.structuralVersion
		must(t, w.CreateInto(a, list))
		for range 3 {
			must(t, w.Sync())
		}
		if n := w.gate.structuralVersion - version; n > 2 {
			t.Errorf("%d structural changes: Compact is called though nothing has changed", n)
		}
		if want == nil {
			want = bytes
		}
		if !slices.Equal(want, bytes) {
			t.Errorf("with %d workers the slabs have %v, want %v", workers, bytes, want)
		}
	}
}

// Sync skips Compact at times when Compact cannot be called.
func TestCompactAboveWhenItCannotBe(t *testing.T) {
	w := newWorld(t, 1)
	CompactAbove(0, 0)(w)
	e := w.Spawn(Position{X: 1})
	for c := range w.Query(With[Position]()).Chunks() {
		before := w.gate.structuralVersion
		must(t, w.Sync())
		if w.gate.structuralVersion != before || c.Len() != 1 {
			t.Error("a structural change in a loop")
		}
	}
	before := w.gate.structuralVersion
	must(t, w.Sync())
	if w.gate.structuralVersion == before || get[Position](t, w, e).X != 1 {
		t.Error("after the loop Sync does not call Compact")
	}
	CompactAbove(1, 0)(w)
	w.Spawn(Velocity{})
	before = w.gate.structuralVersion
	if must(t, w.Sync()); w.gate.structuralVersion != before {
		t.Error("with a share of 1 Sync calls Compact")
	}
	for _, share := range []float64{-0.1, 1.5, math.NaN()} {
		wantPanic(t, ErrArgument, func() { CompactAbove(share, 0) })
	}
	wantPanic(t, ErrArgument, func() { CompactAbove(0.5, -1) })
}

// A slab returns to the Go heap even if a loop has shown it last.
func TestEndedChunksPinNothing(t *testing.T) {
	w := newWorld(t, 2)
	a := w.Archetype(With[CompactWide]())
	q := w.Query(Write[CompactWide]())
	list := make([]Entity, 2500*a.Capacity())
	must(t, w.CreateInto(a, list))
	must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { Column[CompactWide](c).Values[0][1] = 2 })).Wait())
	n := 0
	for c := range q.Chunks() {
		if n++; Column[CompactWide](c).Values[0][1] != 2 || n == 1500 {
			break
		}
	}
	idle := func() (list []*Chunk) {
		list = append(list, q.freeChunks...)
		for s := range allWorkers(&q.workers) {
			for c := s.firstChunk; c != nil; c = c.nestedChunk {
				list = append(list, c)
			}
		}
		return list
	}
	if held := idle(); len(held) < 2 || held[0].chunk == nil {
		t.Errorf("%d Chunks are idle", len(held))
	}
	must(t, DestroyAll(w, Entities(list[8:])))
	for _, c := range idle() {
		if (c.chunk != nil || c.viewHeaders[0].Data != nil) && !guard { // with guard poisoned places keep slabs
			t.Error("an idle Chunk keeps what it has shown")
		}
	}
	must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { Column[CompactWide](c).Values[0][1] = 3 })).Wait())
	if v := get[CompactWide](t, w, list[4]).Values[1]; v != 3 {
		t.Errorf("a row that stays is %v", v)
	}
}
