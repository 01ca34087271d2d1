package ecs

import (
	"fmt"
	"slices"
	"testing"
)

// checkJoined returns an error if a group of a world has more chunks than its rows need.
func checkJoined(w *World) error {
	for _, a := range w.tables.archetypes {
		rows, chunks := map[*chunkGroup]int{}, map[*chunkGroup]int{}
		for _, r := range a.chunks {
			rows[r.group] += r.count
			chunks[r.group]++
		}
		for g, n := range chunks {
			if want := (rows[g] + a.capacity - 1) / a.capacity; n != want {
				return fmt.Errorf("%v: %d chunks for %d rows of %v, want %d", a, n, rows[g], g.valueIndices, want)
			}
		}
	}
	return nil
}

// newSparseWorld creates a world of three archetypes with many kinds of components, and destroys nine tenths of
// the entities at random.
func newSparseWorld(t testing.TB, workers int) (*World, []Entity) {
	w := newWorld(t, workers)
	var rest, gone []Entity
	rng := uint32(7)
	for k, terms := range [][]Term{
		{With[Position](), With[Velocity]()},
		{With[Position](), With[Velocity](), With[Tag]()},
		{With[Position](), With[Buf](), With[Obj](), With[SmallEn](), With[Sh](), With[PerChunk[D]](), With[PerChunk[BoundCl]]()},
	} {
		list := make([]Entity, 8_000>>k)
		must(t, w.CreateInto(w.Archetype(terms...), list))
		for i, e := range list {
			must(t, Set(w, e, Position{X: float32(i), Y: float32(k)}))
			if k == 2 {
				n := int32(i)
				must(t, Set(w, e, Obj{Number: &n}))
				must(t, SetEnabled[SmallEn](w, e, i%3 == 0))
				must(t, Set(w, e, Sh{Value: int32(i % 4)}))
				must(t, Set(w, e, BufferOf(make([]Elem, i%40)...)))
			}
			if rng = rng*1664525 + 1013904223; rng>>24 > 25 {
				gone = append(gone, e)
			} else {
				rest = append(rest, e)
			}
		}
	}
	for _, e := range gone {
		must(t, w.Destroy(e))
	}
	return w, rest
}

// Defragment leaves the smallest number of chunks; entities keep all their components. The same calls must
// produce the same world for any number of workers.
func TestDefragment(t *testing.T) {
	var hash uint64
	for i, workers := range []int{1, 2, 3, 8, 64} {
		w, rest := newSparseWorld(t, workers)
		before := w.Stats()
		if checkJoined(w) == nil {
			t.Fatal("there is nothing to join: this tests nothing")
		}
		must(t, Defragment(w))
		must(t, integrity(w))
		must(t, checkJoined(w))
		s := w.Stats()
		if 2*s.Chunks > before.Chunks || s.Utilisation <= before.Utilisation || s.Bytes > before.Bytes {
			t.Errorf("%+v, before %+v", s, before)
		}
		if n := w.Query(With[Position]()).Count(); n != len(rest) || n >= s.Entities { // destroyed chunks with cleanup components are left
			t.Fatalf("%d entities, want %d", n, len(rest))
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
			if m := w.MetaOf(e); m.IsZero() || !Has[D](w, m) {
				t.Fatalf("%v is in a chunk without a meta entity", e)
			}
		}
		if i > 0 && w.Hash() != hash {
			t.Errorf("%d workers: another world", workers)
		}
		hash = w.Hash()
		version := w.Version()
		must(t, Defragment(w))
		if w.Hash() != hash || w.Version() != version || !guard && (w.Stats().Bytes != s.Bytes || w.Stats().Wasted != s.Wasted) {
			t.Error("Defragment again has changed something")
		}
	}
}

// The fullest chunks stay unchanged. If two chunks are equally full, the first one stays unchanged.
func TestDefragmentMovesFew(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[A]())
	list := make([]Entity, 5*a.Capacity())
	must(t, w.CreateInto(a, list))
	left := []int{40, 300, 40, 0, 200} // rows of each chunk; 0: all
	var want []Entity
	for k, n := range left {
		own := list[k*a.Capacity() : (k+1)*a.Capacity()]
		if n > 0 {
			must(t, DestroyAll(w, Entities(own[n:])))
			own = own[:n]
		}
		if k == 1 {
			want = append(want, own...)
		}
	}
	must(t, Defragment(w))
	must(t, integrity(w))
	var chunks [][]Entity
	for c := range w.Query(Read[A]()).Chunks() {
		chunks = append(chunks, slices.Clone(c.Entities()))
	}
	if len(chunks) != 2 {
		t.Fatalf("%d chunks", len(chunks))
	}
	if got := chunks[0]; len(got) != 580 || !slices.Equal(got[:300], want) || got[300] != list[4*a.Capacity()] || got[500] != list[0] || got[540] != list[2*a.Capacity()] {
		t.Errorf("the chunk of %d rows has others before its own", len(got))
	}
	if !slices.Equal(chunks[1], list[3*a.Capacity():4*a.Capacity()]) {
		t.Error("the full chunk is another one")
	}
}

// A chunk that gets rows also gets the later change version of the two chunks, and both chunks
// count as reordered.
func TestDefragmentVersions(t *testing.T) {
	w := newWorld(t, 2)
	a := w.Archetype(With[A](), With[B]())
	list := make([]Entity, 4*a.Capacity())
	must(t, w.CreateInto(a, list))
	for k := range 4 {
		if k != 2 { // which stays full
			must(t, DestroyAll(w, Entities(list[k*a.Capacity()+10+k:(k+1)*a.Capacity()])))
		}
	}
	w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("one"))
	written := list[3*a.Capacity()]
	must(t, Set(w, written, A{1}))
	at := w.Version()
	since := at - 1
	w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("two"))
	changed := w.Query(Read[A](), Changed[A]())
	changed.SetSince(since)
	ordered := w.Query(Read[A](), OrderChanged())
	ordered.SetSince(w.Version() - 1)
	w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("three"))
	if n := ordered.Count(); n != 0 {
		t.Fatalf("rows of %d come or go by themselves", n)
	}
	must(t, Defragment(w))
	must(t, integrity(w))
	if got := ChangeVersion[A](w, written); got != at {
		t.Errorf("A has version %d, was written at %d", got, at)
	}
	if got := ChangeVersion[A](w, list[0]); got != at {
		t.Errorf("A of what is in the same chunk now has version %d, want %d", got, at)
	}
	if got := ChangeVersion[B](w, written); got >= at {
		t.Errorf("B has version %d, though it was not written since", got)
	}
	if n := changed.Count(); n != 10+11+13 {
		t.Errorf("%d rows of the chunk with the one that was written", n)
	}
	if n := ordered.Count(); n != 10+11+13 && n != len(list)-3*a.Capacity()+10+11+13 {
		t.Errorf("rows of %d have come or gone", n)
	}
}

// Defragment is refused like other structural changes.
func TestDefragmentWhenItCannotBe(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(Position{})
	q := w.Query(With[Position]())
	for range q.Chunks() {
		wantCategory(t, ErrState, Defragment(w))
	}
	_ = q.ParallelFor(chunkFunc(func(*Chunk) { wantCategory(t, ErrState, Defragment(w)) })).Wait()
	op := ""
	remove := w.Hooks().OnCommit(func(name string) { op = name })
	must(t, Defragment(w))
	remove()
	if op != "Defragment" {
		t.Errorf("OnCommit hears of %q", op)
	}
	b, err := GetBuffer[Elem](w, w.Spawn(BufferOf(Elem{1})))
	must(t, err)
	must(t, Defragment(w))
	wantPanic(t, ErrDisposed, func() { b.Len() })
	must(t, w.Close())
	wantCategory(t, ErrDisposed, Defragment(w))
}

// The time of Defragment depends on the number of moved rows. If no chunks can be joined,
// Defragment moves no rows.
func TestDefragmentAllocs(t *testing.T) {
	w, _ := newSparseWorld(t, 1)
	must(t, Defragment(w))
	n := w.Query(With[Position]()).OrderCount()
	must(t, Defragment(w))
	chunks := 0
	for range w.Query(With[Position]()).Chunks() {
		chunks++
	}
	if got := w.Query(With[Position]()).OrderCount() - n; int(got) != chunks {
		t.Errorf("rows have come or gone %d times in %d chunks that were moved whole", got, chunks)
	}
}
