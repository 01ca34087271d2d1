package ecs

import (
	"slices"
	"testing"
)

// loopOrder returns the A of all entities in the order of a loop.
func loopOrder(q *Query) (list []int32) {
	for c := range q.Chunks() {
		list = append(list, *Column[A](c)...)
	}
	return list
}

// Two entities swap places and keep all their components, in one chunk and across chunks.
func TestSwap(t *testing.T) {
	w := newWorld(t, 1)
	const n = 1000
	list := make([]Entity, n)
	for i := range list {
		list[i] = w.Spawn(A{int32(i)}, Ref{int32(i), Entity{}}, En{}, BufferOf(elems(slices.Repeat([]int32{int32(i)}, i%20)...)...), Sh{Value: 7}, PerChunk[D]{D{int32(i)}})
		must(t, SetEnabled[En](w, list[i], i%3 > 0))
	}
	must(t, Set(w, list[3], Ref{3, list[400]}))
	capacity := w.ArchetypeOf(list[0]).Capacity()
	if capacity >= n/3 {
		t.Fatalf("%d rows fit a chunk: the test wants several", capacity)
	}
	q := w.Query(Read[A](), IgnoreEnabled())
	want := loopOrder(q)
	for _, pair := range [][2]int{{0, 1}, {70, 2}, {3, 400}, {n - 1, 0}, {20, 819}, {5, 5}, {400, 3}} {
		a, b := pair[0], pair[1]
		hash := w.Hash()
		must(t, w.Swap(list[a], list[b]))
		must(t, integrity(w))
		i, j := slices.Index(want, int32(a)), slices.Index(want, int32(b))
		want[i], want[j] = want[j], want[i]
		if got := loopOrder(q); !slices.Equal(got, want) {
			t.Fatalf("swap of %v: the order is wrong", pair)
		}
		if (w.Hash() == hash) != (a == b) {
			t.Errorf("swap of %v: the hash tells nothing of the order", pair)
		}
	}
	for i, e := range list {
		b, on := get[Buf](t, w, e), i%3 > 0
		enabled, err := Enabled[En](w, e)
		must(t, err)
		if get[A](t, w, e).Value != int32(i) || get[Ref](t, w, e).Value != int32(i) || enabled != on || !slices.Equal(b.Slice(), elems(slices.Repeat([]int32{int32(i)}, i%20)...)) {
			t.Fatalf("entity %d: %v, %v, on %v, %v", i, get[A](t, w, e), get[Ref](t, w, e), enabled, b.Slice())
		}
	}
	if get[Ref](t, w, list[3]).To != list[400] {
		t.Error("a reference has changed")
	}
}

// Long buffers swap places with short buffers, also if one of the chunks has no long
// buffers.
func TestSwapLongBuffers(t *testing.T) {
	w := newWorld(t, 1)
	long := elems(slices.Repeat([]int32{5}, 100)...)
	list := make([]Entity, 1000)
	for i := range list {
		list[i] = w.Spawn(A{int32(i)}, BufferOf(elems(int32(i))...))
	}
	for _, pair := range [][2]int{{0, 999}, {999, 0}, {1, 2}, {400, 998}} {
		a, b := list[pair[0]], list[pair[1]]
		must(t, Set(w, a, BufferOf(long...)))
		must(t, w.Swap(a, b))
		must(t, integrity(w))
		must(t, w.Swap(b, list[500]))
		must(t, integrity(w))
		one, two := get[Buf](t, w, a), get[Buf](t, w, b)
		if !slices.Equal(one.Slice(), long) || !slices.Equal(two.Slice(), elems(int32(pair[1]))) {
			t.Fatalf("swap of %v: %d elements and %v", pair, one.Len(), two.Slice())
		}
		must(t, Set(w, a, BufferOf(elems(int32(pair[0]))...)))
	}
}

// Managed components swap places too, and no other row refers to them.
func TestSwapManaged(t *testing.T) {
	w := newWorld(t, 1)
	var list []Entity
	for i := range 3000 {
		list = append(list, w.Spawn(A{int32(i)}, Obj{Number: new(int32(i))}))
	}
	must(t, w.Swap(list[2], list[2999]))
	must(t, w.Swap(list[0], list[1]))
	must(t, integrity(w))
	for i, e := range list {
		if n := get[Obj](t, w, e).number(); n != int32(i) {
			t.Fatalf("entity %d has %d", i, n)
		}
	}
}

// Both chunks must count as changed, for Changed and for OrderChanged, and handles must become
// stale.
func TestSwapIsSeen(t *testing.T) {
	w := newWorld(t, 1)
	list := make([]Entity, 5000)
	must(t, w.CreateInto(w.Archetype(With[A](), With[Buf]()), list))
	changed, moved := w.Query(With[A](), Changed[A]()), w.Query(With[A](), OrderChanged())
	b, err := GetBuffer[Elem](w, list[0])
	must(t, err)
	see := func() {
		bump(w)
		changed.SetSince(w.Version())
		moved.SetSince(w.Version())
		bump(w)
	}
	see()
	must(t, w.Swap(list[9], list[9])) // has no effect
	count := orderCount[A](w)
	if b.Len() != 0 || changed.ChunkCount()+moved.ChunkCount() != 0 {
		t.Error("a swap of an entity with itself is seen")
	}
	must(t, w.Swap(list[0], list[1]))
	if changed.ChunkCount() != 1 || moved.ChunkCount() != 1 || orderCount[A](w) == count {
		t.Errorf("in one chunk: %d have changed, %d in order", changed.ChunkCount(), moved.ChunkCount())
	}
	wantPanic(t, ErrDisposed, func() { b.Len() })
	see()
	must(t, w.Swap(list[0], list[4999]))
	if changed.ChunkCount() != 2 || moved.ChunkCount() != 2 {
		t.Errorf("across chunks: %d have changed, %d in order", changed.ChunkCount(), moved.ChunkCount())
	}
}

// A swap that is not possible is refused, and nothing is changed.
func TestSwapRefuses(t *testing.T) {
	w := newWorld(t, 2)
	a, b, other, one, two, dead := w.Spawn(A{1}), w.Spawn(A{2}), w.Spawn(A{3}, B{}), w.Spawn(Sh{Value: 1}), w.Spawn(Sh{Value: 2}), w.Spawn()
	chunk := w.Spawn(PerChunk[D]{})
	must(t, w.Destroy(dead))
	hash := w.Hash()
	for _, pair := range [][2]Entity{{a, other}, {one, two}, {a, dead}, {dead, a}, {a, {}}, {{}, a}, {dead, dead}, {a, {Index: -1, Version: -1}}, {w.MetaOf(chunk), w.MetaOf(chunk)}} {
		wantCategory(t, ErrArgument, w.Swap(pair[0], pair[1]))
	}
	q := w.Query(Write[A]())
	for range q.Chunks() {
		wantCategory(t, ErrState, w.Swap(a, b))
	}
	q.ParallelFor(chunkFunc(func(*Chunk) {
		wantCategory(t, ErrState, w.Swap(a, b))
	}))
	must(t, w.Sync())
	if w.Hash() != hash {
		t.Error("something has changed")
	}
	must(t, integrity(w))
	must(t, w.Close())
	wantCategory(t, ErrDisposed, w.Swap(a, b))
}
