package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// elems returns elements of the given values.
func elems(list ...int32) (e []Elem) {
	for _, n := range list {
		e = append(e, Elem{n})
	}
	return e
}

// newBuffer returns the buffer of a new entity.
func newBuffer(t *testing.T, w *World, list ...int32) Buf {
	t.Helper()
	b, err := GetBuffer[Elem](w, w.Spawn(BufferOf(elems(list...)...)))
	must(t, err)
	return b
}

// checkElements checks the elements of a buffer.
func checkElements(t *testing.T, b Buf, want ...int32) {
	t.Helper()
	if got := b.Slice(); !slices.Equal(got, elems(want...)) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Conformance: 99
func TestBufferCapacity(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(Buf{}, BufD{})
	b, d := get[Buf](t, w, e), get[BufD](t, w, e)
	if b.Cap() != 8 || b.Len() != 0 || d.Cap() != 32 || d.Len() != 0 {
		t.Error(b.Cap(), b.Len(), d.Cap(), d.Len())
	}
}

// Conformance: 100
func TestBufferAppend(t *testing.T) {
	w := newWorld(t, 1)
	b := newBuffer(t, w)
	for i := range int32(189) {
		b.Append(Elem{i})
		if b.Cap() != []int{8, 16, 32, 64, 128, 256}[doublings(int(i)/8)] {
			t.Fatalf("capacity %d at %d", b.Cap(), i)
		}
	}
	for i, e := range b.Slice() {
		if e.Value != int32(i) {
			t.Fatalf("element %d is %v", i, e)
		}
	}
	if b.Len() != 189 {
		t.Error(b.Len())
	}
	must(t, integrity(w))
}

// doublings returns how many times 1 must be doubled to exceed n.
func doublings(n int) (k int) {
	for ; n > 0; n /= 2 {
		k++
	}
	return k
}

// Conformance: 104
func TestBufferSetCap(t *testing.T) {
	w := newWorld(t, 1)
	b := newBuffer(t, w, 1, 2)
	b.SetCap(100)
	checkElements(t, b, 1, 2)
	if b.Cap() != 100 {
		t.Error(b.Cap())
	}
	wantPanic(t, ErrState, func() { b.SetCap(1) })
	b.Reserve(101)
	if b.Cap() != 200 {
		t.Errorf("capacity %d after Reserve", b.Cap())
	}
	b.Trim()
	if b.Cap() != 8 {
		t.Errorf("capacity %d after Trim", b.Cap())
	}
	checkElements(t, b, 1, 2)
	b.Resize(20)
	b.Reserve(30)
	b.Trim()
	if b.Cap() != 20 {
		t.Errorf("capacity %d after Trim of 20", b.Cap())
	}
	o := newBuffer(t, w, 3)
	for _, n := range []int{1000, 100, 1, 8, 9} {
		o.SetCap(n)
		checkElements(t, o, 3)
		if o.Cap() != n {
			t.Errorf("capacity %d, want %d", o.Cap(), n)
		}
	}
	z := newBuffer(t, w)
	for _, n := range []int{0, 100, 0} {
		z.SetCap(n)
		if z.Cap() != n || z.Len() != 0 {
			t.Errorf("capacity %d, want %d", z.Cap(), n)
		}
	}
	z.Append(Elem{1})
	checkElements(t, z, 1)
	must(t, integrity(w))
}

// Conformance: 105
func TestBufferRemove(t *testing.T) {
	w := newWorld(t, 1)
	for _, tc := range []struct {
		i, j       int
		want, swap []int32
	}{
		{0, 1, []int32{1, 2, 3, 4}, []int32{4, 1, 2, 3}},
		{2, 3, []int32{0, 1, 3, 4}, []int32{0, 1, 4, 3}},
		{4, 5, []int32{0, 1, 2, 3}, []int32{0, 1, 2, 3}},
		{0, 2, []int32{2, 3, 4}, []int32{3, 4, 2}},
		{1, 4, []int32{0, 4}, []int32{0, 4}},
		{3, 3, []int32{0, 1, 2, 3, 4}, []int32{0, 1, 2, 3, 4}},
		{0, 5, nil, nil},
	} {
		b := newBuffer(t, w, 0, 1, 2, 3, 4)
		b.Remove(tc.i, tc.j)
		checkElements(t, b, tc.want...)
		b.CopyFrom(elems(0, 1, 2, 3, 4))
		b.RemoveSwap(tc.i, tc.j)
		checkElements(t, b, tc.swap...)
	}
	b := newBuffer(t, w, 0, 1)
	for _, r := range [][2]int{{-1, 0}, {2, 3}, {1, 0}, {0, 3}} {
		wantPanic(t, ErrRange, func() { b.Remove(r[0], r[1]) })
		wantPanic(t, ErrRange, func() { b.RemoveSwap(r[0], r[1]) })
	}
	checkElements(t, b, 0, 1)
}

// Conformance: 107
func TestBufferInsert(t *testing.T) {
	w := newWorld(t, 1)
	b := newBuffer(t, w)
	b.Insert(0, elems(1, 5)...)
	b.Insert(0, Elem{0})
	b.Insert(3, elems(6, 7)...)
	b.Insert(2, elems(2, 3, 4)...)
	b.Insert(1)
	checkElements(t, b, 0, 1, 2, 3, 4, 5, 6, 7)
	b.Insert(4, Elem{9}) // on the heap from here on
	checkElements(t, b, 0, 1, 2, 3, 9, 4, 5, 6, 7)
	for _, i := range []int{-1, 10} {
		wantPanic(t, ErrRange, func() { b.Insert(i, Elem{}) })
	}
}

// Conformance: 109
func TestBufferHandlesEnd(t *testing.T) {
	w := newWorld(t, 1)
	for _, f := range []func(e Entity){
		func(e Entity) { must(t, w.Destroy(e)) },
		func(e Entity) { must(t, Add(w, e, B{})) },
		func(Entity) { w.Spawn() },
	} {
		e := w.Spawn(Buf{})
		b, err := GetBuffer[Elem](w, e)
		must(t, err)
		f(e)
		wantPanic(t, ErrDisposed, func() { b.Append(Elem{}) })
		wantPanic(t, ErrDisposed, func() { b.Len() })
		wantPanic(t, ErrDisposed, func() { b.Slice() })
	}
	var kept *Buffers[Elem]
	for c := range w.Query(Read[Buf]()).Chunks() {
		kept = Column[Buf](c)
	}
	wantPanic(t, ErrDisposed, func() { kept.At(0) })
}

// Conformance: 111
func TestBufferReinterpret(t *testing.T) {
	w := newWorld(t, 1)
	b := newBuffer(t, w, -1, 2)
	u := Reinterpret[uint32](b)
	if got := u.Slice(); !slices.Equal(got, []uint32{1<<32 - 1, 2}) {
		t.Errorf("got %v", got)
	}
	u.Append(3)
	checkElements(t, b, -1, 2, 3)
	wantPanic(t, ErrState, func() { Reinterpret[uint16](b) })
	wantPanic(t, ErrArgument, func() { Reinterpret[*byte](Buffer[uintptr]{}) })
	wantPanic(t, ErrState, func() { Reinterpret[uint32](BufferOf(Elem{})) })
}

// Conformance: 113
func TestBufferCopyFrom(t *testing.T) {
	w := newWorld(t, 1)
	for _, n := range []int{0, 1, 2, 3, 64} {
		b := newBuffer(t, w, 8, 9)
		list := make([]Elem, n)
		for i := range list {
			list[i].Value = int32(i)
		}
		b.CopyFrom(list)
		if !slices.Equal(b.Slice(), list) {
			t.Errorf("%d: got %v", n, b.Slice())
		}
		e := w.Spawn(BufferOf(list...)) // ends b
		o := newBuffer(t, w, 1)
		from := get[Buf](t, w, e)
		o, err := GetBuffer[Elem](w, *o.place.chunk.idAt(int(o.place.row)))
		must(t, err)
		o.CopyFrom(append([]Elem{}, from.Slice()...))
		if !slices.Equal(o.Slice(), list) {
			t.Errorf("%d: got %v", n, o.Slice())
		}
	}
	b := newBuffer(t, w)
	wantPanic(t, ErrArgument, func() { b.CopyFrom(nil) })
}

// Conformance: 114
func TestBufferResize(t *testing.T) {
	w := newWorld(t, 1)
	b := newBuffer(t, w, 1, 2, 3)
	b.Resize(2)
	b.Resize(10)
	checkElements(t, b, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0)
	b.Clear()
	checkElements(t, b)
	if b.Cap() != 16 {
		t.Error(b.Cap())
	}
	wantPanic(t, ErrRange, func() { b.Resize(-1) })
}

// Conformance: 116
func TestBufferReadOnly(t *testing.T) {
	w := newWorld(t, 2)
	e := w.Spawn(BufferOf(elems(1, 2)...))
	setVersion(w, 7)
	b := get[Buf](t, w, e)
	wantPanic(t, ErrState, func() { b.Append(Elem{}) })
	q := w.Query(Read[Buf]())
	h := q.ParallelFor(chunkFunc(func(c *Chunk) { Column[Buf](c).At(0).Append(Elem{}) }))
	wantCategory(t, ErrState, h.Wait())
	wantCategory(t, ErrState, w.Sync())
	if ChangeVersion[Buf](w, e) != 1 {
		t.Error("a read-only buffer was marked as changed")
	}
	for c := range q.Chunks() {
		if got := Column[Buf](c).At(0).Slice(); !slices.Equal(got, elems(1, 2)) {
			t.Errorf("got %v", got)
		}
		wantPanic(t, ErrRange, func() { Column[Buf](c).At(1) })
	}
	for c := range w.Query(Write[Buf]()).Chunks() {
		Column[Buf](c).At(0).Append(Elem{3})
	}
	checkElements(t, get[Buf](t, w, e), 1, 2, 3)
}

func TestBufferOfNoEntity(t *testing.T) {
	b := BufferOf(elems(1, 2)...)
	b.Append(Elem{3})
	b.Insert(0, Elem{0})
	b.Remove(1, 2)
	b.Reserve(50)
	b.SetCap(40)
	b.Trim()
	b.Resize(4)
	checkElements(t, b, 0, 2, 3, 0)
	b.CopyFrom(elems(5))
	b.Clear()
	if b.Len() != 0 || b.Cap() < 0 {
		t.Error(b.Len())
	}
	var zero Buf
	if zero.Len() != 0 || zero.Cap() != 0 || zero.Slice() != nil {
		t.Error("the zero Buffer holds something")
	}
	wantPanic(t, ErrState, func() { zero.Append(Elem{}) })
}

// TestBuffersFollowTheirRows checks that buffers on the heap keep their block when the row moves, and are
// freed with it.
func TestBuffersFollowTheirRows(t *testing.T) {
	w := newWorld(t, 1)
	rng := rand.New(rand.NewPCG(5, 6))
	want := map[Entity][]Elem{}
	list := make([]Entity, 0, 3000)
	for i := range 1000 {
		v := make([]Elem, rng.IntN(20))
		for k := range v {
			v[k].Value = int32(i + k)
		}
		e := w.Spawn(BufferOf(v...))
		want[e] = v
		list = append(list, e)
	}
	for range 2000 {
		e := list[rng.IntN(len(list))]
		switch rng.IntN(5) {
		case 0:
			must(t, w.Destroy(e))
			delete(want, e)
		case 1:
			if w.Exists(e) {
				must(t, Add(w, e, A{}))
			}
		case 2:
			_, err := Remove[A](w, e)
			must(t, err)
		case 3:
			if w.Exists(e) {
				b, err := GetBuffer[Elem](w, e)
				must(t, err)
				b.Append(Elem{int32(rng.IntN(9))})
				want[e] = slices.Clone(b.Slice())
			}
		case 4:
			if w.Exists(e) {
				copies, err := w.Instantiate(e, 2)
				must(t, err)
				for _, c := range copies {
					want[c] = want[e]
					list = append(list, c)
				}
			}
		}
	}
	for e, v := range want {
		if got := get[Buf](t, w, e).Slice(); !slices.Equal(got, v) {
			t.Fatalf("%v: got %v, want %v", e, got, v)
		}
	}
	must(t, integrity(w))
}
