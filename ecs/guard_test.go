//go:build lanewise_guard

package ecs

import (
	"strings"
	"testing"
)

// wantGuard checks that f panics and that the message has the given parts.
func wantGuard(t *testing.T, category error, f func(), parts ...string) {
	t.Helper()
	err := wantPanic(t, category, f)
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%q is not in %v", p, err)
		}
	}
}

func TestGuardFindsWritesToReadColumns(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, B{}, BufferOf(Elem{1}))
	q := w.Query(Read[A](), Write[B](), Read[Buf]())
	wantGuard(t, ErrState, func() {
		for c := range q.Chunks() {
			(*Column[A](c))[0] = 2
		}
	}, "ecs.A", "ask for it with Write")
	wantGuard(t, ErrState, func() {
		for c := range q.Chunks() {
			Column[Buf](c).At(0).Slice()[0] = Elem{2}
		}
	}, "ecs.Buffer[", "Write")
	wantGuard(t, ErrState, func() {
		for c := range q.Chunks() {
			c.Entities()[0].Version++
			defer func() { c.chunk.idAt(0).Version-- }()
		}
	}, "ids of the entities")
	for c := range q.Chunks() {
		Column[B](c).X[0] = 2
	}
	err := q.ParallelFor(chunkFunc(func(c *Chunk) { (*Column[A](c))[0] = 3 })).Wait()
	wantCategory(t, ErrState, err)
	wantCategory(t, ErrState, w.Sync())
}

func TestGuardMovesChunksThatChange(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	q := w.Query(Write[A]())
	var kept []int32
	for c := range q.Chunks() {
		kept = *Column[A](c)
	}
	w.Spawn(A{2})
	for c := range q.Chunks() {
		if &(*Column[A](c))[0] == &kept[0] {
			t.Error("the chunk did not move")
		}
	}
	if kept[0] != ^int32(0x24242424) {
		t.Errorf("a stale view shows %#x", kept[0])
	}
	kept[0] = 9 // found when the memory is reused
	wantGuard(t, ErrDisposed, func() {
		for range 2 * quarantineSize {
			must(t, w.Destroy(w.Spawn(A{})))
		}
	}, "a view from before a structural change")
	if get[A](t, w, e).Value != 1 {
		t.Error(get[A](t, w, e))
	}
}

func TestGuardPoisonsFreeRows(t *testing.T) {
	w := newWorld(t, 1)
	w.Create(w.Archetype(With[A]()), 3)
	for c := range w.Query(Write[A]()).Chunks() {
		for i, v := range *ColumnPadded[A](c) {
			if (v == 0) != (i < 3) {
				t.Errorf("row %d is %#x", i, v)
			}
		}
	}
}
