package ecs

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// TestStrings checks that package fmt prints one short line for each handle, in any state.
func TestStrings(t *testing.T) {
	w := NewWorld("arena")
	w.Spawn(A{1})
	e := w.Spawn(A{2}, B{})
	cmd := w.NewCommands()
	must(t, cmd.Destroy(e))
	m := mustCapture(t, w, nil)
	var kept *Chunk
	q := w.Query(Read[A](), Anywhere(Read[B]()))
	for c := range q.Chunks() {
		kept = c
		if got := fmt.Sprint(c); got != "chunk 0 of {ecs.A}: 1 row" && got != "chunk 1 of {ecs.A, ecs.B}: 1 row" {
			t.Errorf("a chunk is %q", got)
		}
	}
	check := func(v any, want string) {
		t.Helper()
		if got := fmt.Sprint(v); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := fmt.Sprintf("%v", v); strings.Contains(got, "\n") || len(got) > 200 {
			t.Errorf("%T is %q", v, got)
		}
	}
	check(w, fmt.Sprintf(`world "arena": 2 entities, %d archetypes`, len(w.tables.archetypes)))
	check(m, fmt.Sprintf("image of 2 entities, %d archetypes", len(w.tables.archetypes)))
	check(cmd, `buffer "commands" of world "arena": 1 command`)
	check(kept, "a chunk whose loop or job is over")
	check(NewLookup[B](q), `look-up of ecs.B in world "arena"`)
	check(q, "Query(Read[ecs.A](), Anywhere(Read[ecs.B]()))")
	check(w.Pool(), fmt.Sprintf("pool of %d workers", w.Pool().Workers()))
	must(t, cmd.Playback(w))
	check(cmd, `buffer "commands" of world "arena", played`)
	x, err := BeginTransaction(w)
	must(t, err)
	check(w, `world "arena", lent to a transaction`)
	must(t, x.End())
	must(t, m.Release())
	check(m, "an image that is released, or the zero Image")
	must(t, w.Close())
	check(w, `world "arena", closed`)
	check(&World{}, "the zero World")
	check((*World)(nil), "<nil>")
	check(&Image{}, "an image that is released, or the zero Image")
	check(&Commands{}, "the zero Commands")
	check(&Chunk{}, "a chunk whose loop or job is over")
	check(&Lookup[A]{}, "the zero Lookup")
}

// TestStringsInJobs checks that jobs may print their handles while others run. The race detector
// must report nothing.
func TestStringsInJobs(t *testing.T) {
	w := newWorld(t, 4)
	w.Create(w.Archetype(With[A](), With[B]()), 20_000)
	q := w.Query(Write[A](), Anywhere(Read[B]()))
	look, cmd := NewLookup[B](q), w.NewCommands()
	p := cmd.Parallel()
	var bytes atomic.Int64
	q.ParallelFor(chunkFunc(func(c *Chunk) {
		a := *Column[A](c)
		for i := range a {
			a[i] = 7
		}
		bytes.Add(int64(len(fmt.Sprint(w, q, look, cmd, c, w.Pool(), p.For(c)))))
	}))
	bytes.Add(int64(len(fmt.Sprint(w, q, look, cmd, w.Pool()))))
	must(t, w.Sync())
	if bytes.Load() == 0 {
		t.Error("nothing was printed")
	}
}
