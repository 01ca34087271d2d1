package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestHandlesAfterRestore checks the handles of a world. After a Restore each of them is valid, or
// refused, as docs/guide/validity.md says. TestOutlive does the same for image streams and excerpts.
func TestHandlesAfterRestore(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(ecs.With[A](), ecs.With[Buf]())
	ids := make([]ecs.Entity, 3)
	must(t, w.CreateInto(a, ids))
	m := captured(t, w, nil)
	must(t, w.Destroy(ids[0]))
	e := w.Spawn(A{7}, ecs.BufferOf(Elem{})) // it gets that slot
	q := w.Query(ecs.Write[A](), ecs.Elsewhere(ecs.Read[A]()))
	look, own, probe := ecs.NewLookup[A](q), ecs.NewWorldLookup[A](w), ecs.NewProbe(w, ecs.With[A]())
	cmd, replay := w.NewCommands(), w.NewCommands()
	replay.SetMultiPlayback(true)
	p := cmd.Parallel()
	must(t, cmd.Destroy(ids[1]))
	must(t, ecs.Set(replay, ids[2], A{9}))
	buf, err := ecs.GetBuffer[Elem](w, e)
	must(t, err)
	made := w.Create(a, 2)
	var chunk *ecs.Chunk
	for c := range q.Chunks() {
		chunk = c
	}
	must(t, ecs.Restore(w, m))

	panics(t, ecs.ErrDisposed, func() { chunk.Len() })
	panics(t, ecs.ErrDisposed, func() { buf.Len() })
	panics(t, ecs.ErrDisposed, func() { own.Get(ids[1]) })
	panics(t, ecs.ErrDisposed, func() {
		for range made.Chunks() {
		}
	})
	must(t, own.Refresh())
	if _, has := own.Get(ids[0]); !has || own.Has(e) {
		t.Errorf("the look-up finds %v: %v, and %v, which is undone: %v", ids[0], has, e, own.Has(e))
	}
	if q.Count() != 3 || a.Len() != 3 || !probe.Matches(ids[0]) || probe.Matches(e) {
		t.Errorf("the query has %d, the archetype %d, the probe %v and %v", q.Count(), a.Len(), probe.Matches(ids[0]), probe.Matches(e))
	}
	for c := range q.Chunks() {
		if !look.Has(ids[0]) {
			t.Errorf("the look-up of the query does not find %v", ids[0])
		}
		panics(t, ecs.ErrDisposed, func() { p.For(c) })
	}
	must(t, cmd.Playback(w)) // recorded commands were dropped
	must(t, replay.Playback(w))
	if v, err := ecs.Get[A](w, ids[2]); err != nil || v.Value != 9 || w.Len() != 3 {
		t.Errorf("%v is %v, %v; there are %d", ids[2], v, err, w.Len())
	}
	whole(t, w)
}
