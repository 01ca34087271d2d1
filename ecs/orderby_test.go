package ecs

import (
	"slices"
	"testing"
)

// keyFor returns the key of an entity in tests, in which many entities have the same key.
func keyFor(e Entity) uint64 { return uint64(e.Index) * 2654435761 >> 7 % 500 << 40 }

func byKeys(c *Chunk, keys []uint64) {
	for i, e := range c.Entities() {
		keys[i] = keyFor(e)
	}
}

// wantOrder returns the order that OrderBy must give to the rows that q matches, group by group. It
// computes the order in a different way.
func wantOrder(w *World, q *Query) []Entity {
	list := q.AppendEntities(nil)
	groups := map[*chunkGroup][]Entity{}
	of := func(e Entity) *chunkGroup { return w.tables.chunks[w.tables.entities.find(e).chunk].group }
	for _, e := range list {
		groups[of(e)] = append(groups[of(e)], e)
	}
	for _, own := range groups {
		slices.SortStableFunc(own, func(a, b Entity) int { return int(keyFor(a)>>40) - int(keyFor(b)>>40) })
	}
	want := make([]Entity, len(list))
	for i, e := range list {
		g := of(e)
		want[i], groups[g] = groups[g][0], groups[g][1:]
	}
	return want
}

// OrderBy sorts the rows with the same archetype and shared values by their keys. All entities
// must keep their components, for any number of workers.
func TestOrderBy(t *testing.T) {
	var hash uint64
	for i, workers := range []int{1, 2, 3, 8, 64} {
		w, rest := newSparseWorld(t, workers)
		target := rest[7]
		holder := w.Spawn(Ref{To: target})
		q := w.Query(With[Position](), IgnoreEnabled())
		want, chunks, before := wantOrder(w, q), q.ChunkCount(), w.Hash()
		must(t, OrderBy(w, q, byKeys))
		must(t, integrity(w))
		if got := q.AppendEntities(nil); !slices.Equal(got, want) || q.ChunkCount() != chunks || w.Hash() == before {
			t.Fatalf("%d workers: another order, or %d chunks of %d", workers, q.ChunkCount(), chunks)
		}
		for _, e := range rest {
			p := get[Position](t, w, e)
			if p.Y < 2 {
				continue
			}
			n := int32(p.X)
			on, err := Enabled[SmallEn](w, e)
			must(t, err)
			if b, err := GetBuffer[Elem](w, e); err != nil || *get[Obj](t, w, e).Number != n || on != (n%3 == 0) || get[Sh](t, w, e).Value != n%4 || b.Len() != int(n%40) {
				t.Fatalf("%v, number %d, has other values: %v", e, n, err)
			}
		}
		if get[Ref](t, w, holder).To != target {
			t.Error("a reference has changed")
		}
		if i > 0 && w.Hash() != hash {
			t.Errorf("%d workers: another world", workers)
		}
		hash = w.Hash()
		orders := q.OrderCount()
		must(t, OrderBy(w, q, byKeys))
		if w.Hash() != hash || q.OrderCount() != orders {
			t.Error("ordering what is in order has changed something")
		}
	}
}

// Rows that the query does not match must not move. These include rows whose component is off.
func TestOrderByMatching(t *testing.T) {
	w, _ := newSparseWorld(t, 1)
	all := w.Query(With[Position](), IgnoreEnabled())
	on := w.Query(Read[SmallEn]())
	before, want := all.AppendEntities(nil), wantOrder(w, on)
	mine := map[Entity]bool{}
	for _, e := range want {
		mine[e] = true
	}
	if len(want) == 0 || slices.Equal(want, on.AppendEntities(nil)) {
		t.Fatal("there is nothing to order: this tests nothing")
	}
	must(t, OrderBy(w, on, byKeys))
	must(t, integrity(w))
	if got := on.AppendEntities(nil); !slices.Equal(got, want) {
		t.Error("another order")
	}
	for i, e := range all.AppendEntities(nil) {
		if was := before[i]; mine[was] != mine[e] || !mine[e] && was != e {
			t.Fatalf("row %d is of %v, was of %v", i, e, was)
		}
	}
}

// Each chunk with moved rows must get the newest version of all chunks with moved rows. All
// other chunks must keep their versions.
func TestOrderByIsSeen(t *testing.T) {
	w := newWorld(t, 1)
	arch := w.Archetype(With[A](), With[Buf]())
	list := make([]Entity, 4*arch.Capacity())
	must(t, w.CreateInto(arch, list))
	changed, moved := w.Query(With[A](), Changed[A]()), w.Query(With[A](), OrderChanged())
	q := w.Query(Read[A]())
	see := func() {
		bump(w)
		changed.SetSince(w.Version())
		moved.SetSince(w.Version())
		bump(w)
	}
	swapped := func(a, b Entity) func(*Chunk, []uint64) { // two entities swap places
		return func(c *Chunk, keys []uint64) {
			for i, e := range c.Entities() {
				switch keys[i] = uint64(e.Index) + 1; e {
				case a:
					keys[i] = uint64(b.Index) + 1
				case b:
					keys[i] = uint64(a.Index) + 1
				}
			}
		}
	}
	see()
	b, err := GetBuffer[Elem](w, list[0])
	must(t, err)
	must(t, OrderBy(w, q, swapped(list[0], list[0])))
	if b.Len() != 0 || changed.ChunkCount()+moved.ChunkCount() != 0 {
		t.Error("nothing has moved, and it is seen")
	}
	must(t, OrderBy(w, q, swapped(list[3], list[len(list)-1])))
	must(t, integrity(w))
	if changed.ChunkCount() != 0 || moved.ChunkCount() != 2 {
		t.Errorf("%d have changed, %d in order", changed.ChunkCount(), moved.ChunkCount())
	}
	wantPanic(t, ErrDisposed, func() { b.Len() })
	see()
	must(t, Set(w, list[3], A{1}))
	if changed.ChunkCount() != 1 {
		t.Fatal("one is to be new")
	}
	must(t, OrderBy(w, q, swapped(list[3], list[3]))) // back again: from the new chunk to the old one
	if changed.ChunkCount() != 2 || moved.ChunkCount() != 2 || get[A](t, w, list[3]).Value != 1 {
		t.Errorf("%d have changed, %d in order", changed.ChunkCount(), moved.ChunkCount())
	}
}

// If the function that computes the keys panics, or tries to change the world, the world must be
// unchanged.
func TestOrderByFails(t *testing.T) {
	w, rest := newSparseWorld(t, 2)
	q, hash := w.Query(With[Position](), IgnoreEnabled()), w.Hash()
	for k := range q.ChunkCount() {
		n := 0
		func() {
			defer func() {
				if recover() != "enough" {
					t.Errorf("call %d: no panic", k)
				}
			}()
			_ = OrderBy(w, q, func(c *Chunk, keys []uint64) {
				byKeys(c, keys)
				if n++; n > k {
					panic("enough")
				}
			})
		}()
		must(t, integrity(w))
		if w.Hash() != hash {
			t.Fatalf("call %d: another world", k)
		}
	}
	must(t, OrderBy(w, q, func(c *Chunk, keys []uint64) {
		if err := w.Destroy(rest[0]); err == nil {
			t.Error("the world was changed")
		}
		if keys[0] != 0 || len(keys) != c.Len() {
			t.Errorf("%d keys of %d rows, the first is %d", len(keys), c.Len(), keys[0])
		}
	}))
	if w.Hash() != hash {
		t.Error("keys that are the same have changed something")
	}
	for c := range q.Chunks() {
		if err := OrderBy(w, q, byKeys); err == nil {
			t.Errorf("ordered in a loop over %v", c.Archetype())
		}
		break
	}
	other := newWorld(t, 1)
	for _, err := range []error{OrderBy(other, q, byKeys), OrderBy(w, nil, byKeys), OrderBy(w, q, nil)} {
		if err == nil {
			t.Error("no error")
		}
	}
	must(t, OrderBy(w, q, byKeys))
	must(t, integrity(w))
}

// Sorting a world repeatedly must not allocate memory.
func TestOrderByAllocs(t *testing.T) {
	w := newWorld(t, 1)
	list := make([]Entity, 5000)
	must(t, w.CreateInto(w.Archetype(With[Position](), With[SmallEn]()), list))
	q, turn := w.Query(Read[Position](), IgnoreEnabled()), uint64(0)
	keys := func(c *Chunk, keys []uint64) {
		for i, e := range c.Entities() {
			keys[i] = (uint64(e.Index)*2654435761 + turn) % 5000
		}
	}
	run := func() { turn += 77; must(t, OrderBy(w, q, keys)) }
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 && !raceEnabled && !guard {
		t.Errorf("%v allocations", n)
	}
	must(t, integrity(w))
}

func BenchmarkOrderBy(b *testing.B) {
	const n = 1_000_000
	w := newWorld(b, 1)
	list := make([]Entity, n)
	must(b, w.CreateInto(w.Archetype(With[Position](), With[Velocity]()), list))
	q, turn := w.Query(Read[Position]()), uint64(0)
	keys := func(c *Chunk, keys []uint64) {
		for i, e := range c.Entities() {
			keys[i] = (uint64(e.Index)*2654435761 + turn) % (1 << 30)
		}
	}
	for b.Loop() {
		turn += 77777777
		must(b, OrderBy(w, q, keys))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
