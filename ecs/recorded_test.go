package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// References to deferred entities are replaced in shared components too, no matter how the buffer was
// used before.
func TestDeferredInShared(t *testing.T) {
	var hashes [2]uint64
	for i := range hashes {
		w := newWorld(t, 1)
		c := w.NewCommands()
		target, err := c.Spawn(A{1})
		must(t, err)
		added, err := c.Spawn(B{})
		must(t, err)
		must(t, ecs.Add(c, added, ShRef{To: target}))
		_, err = c.Spawn(ShRef{To: target}, C{})
		must(t, err)
		must(t, c.Playback(w))
		n := 0
		for ch := range w.Query(ecs.With[ShRef]()).Chunks() {
			n += ch.Len()
			if to := ecs.SharedValue[ShRef](ch).To; !ecs.Has[A](w, to) {
				t.Errorf("the shared value refers to %v", to)
			}
		}
		if n != 2 {
			t.Errorf("%d entities have the shared component", n)
		}
		hashes[i] = w.Hash()
		c.Reset()
		_, err = c.Spawn(ShRef{To: target})
		must(t, err)
		fails(t, ecs.ErrState, c.Playback(w))
	}
	if hashes[0] != hashes[1] {
		t.Error("hashes depend on the buffers before")
	}
}

// A recorded Spawn must copy the elements of a buffer.
func TestRecordedBuffer(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	list := elems(1, 2)
	_, err := c.Spawn(ecs.BufferOf(list...), A{1})
	must(t, err)
	list[0] = elems(99)[0]
	source := w.Spawn(ecs.BufferOf(elems(3, 4, 5)...))
	b, err := ecs.GetBuffer[Elem](w, source)
	must(t, err)
	_, err = c.Spawn(b, A{2})
	must(t, err)
	b.Append(elems(6)...)
	_, err = c.Spawn(Buf{}, A{3})
	must(t, err)
	must(t, c.Playback(w))
	want := [][]int32{1: {1, 2}, 2: {3, 4, 5}, 3: {}}
	for ch := range w.Query(ecs.Read[A](), ecs.Read[Buf]()).Chunks() {
		for i, v := range *ecs.Column[A](ch) {
			holds(t, ecs.Column[Buf](ch).At(i), want[v]...)
		}
	}
}

// If the value is a handle, and the change would make the handle stale, the change must be
// refused. Then nothing has changed.
func TestHandleAsValue(t *testing.T) {
	w := newWorld(t, 1)
	source, other := w.Spawn(ecs.BufferOf(elems(1, 2)...)), w.Spawn(A{})
	b, err := ecs.GetBuffer[Elem](w, source)
	must(t, err)
	hash := w.Hash()
	panics(t, ecs.ErrArgument, func() { w.Spawn(A{}, b) })
	fails(t, ecs.ErrArgument, ecs.Add(w, other, b))
	if w.Hash() != hash || w.Len() != 2 {
		t.Error("something has changed")
	}
	holds(t, b, 1, 2)
	must(t, ecs.Add(w, other, ecs.BufferOf(b.Slice()...)))
	holds(t, get[Buf](t, w, other), 1, 2)
}

// Such a handle must also be refused in changes of many entities, whether or not some of the
// entities must move.
func TestHandleAsValueOfMany(t *testing.T) {
	w := newWorld(t, 1)
	part, other := w.Spawn(ecs.BufferOf(elems(1, 2)...)), w.Spawn(A{})
	root := w.Spawn(ecs.BufferOf(ecs.Linked{part}))
	must(t, ecs.Set(w, root, ecs.BufferOf(ecs.Linked{root}, ecs.Linked{part})))
	b, err := ecs.GetBuffer[Elem](w, part)
	must(t, err)
	as, bufs := w.Query(ecs.With[A]()), w.Query(ecs.With[Buf]())
	hash := w.Hash()
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.Entities([]ecs.Entity{other}), b))
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.Entities([]ecs.Entity{part}), b))
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.Matching(as), b))
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.Matching(bufs), b))
	fails(t, ecs.ErrArgument, ecs.SetAll(w, ecs.LinkedTo(root, nil), b))
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.LinkedTo(root, bufs), b))
	if ecs.Has[Buf](w, other) || w.Hash() != hash {
		t.Error("something has changed")
	}
	holds(t, b, 1, 2)
	c := w.NewCommands() // it copies the elements
	must(t, ecs.AddAll(c, ecs.Entities([]ecs.Entity{other}), b))
	must(t, c.Playback(w))
	holds(t, get[Buf](t, w, other), 1, 2)
}
