package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// For a query with filters, Unchanged must tell from the archetypes whether any chunk can pass.
func TestUnchanged(t *testing.T) {
	w := newWorld(t, 2)
	q := w.Query(ecs.Write[Position](), ecs.Optional(ecs.Read[Velocity]()), ecs.ChangedAny(ecs.With[Position](), ecs.With[Velocity]()))
	plain := w.Query(ecs.Read[Position]())
	first := w.Spawn(Position{X: 1})
	second := w.Spawn(Position{X: 2}, Velocity{})
	if q.Unchanged() {
		t.Error("quiet, and nothing has been seen yet")
	}
	if plain.Unchanged() {
		t.Error("a query without filters is quiet")
	}
	see := func() {
		bump(w)
		q.SetSince(w.Version())
		bump(w)
	}
	visited := func() (n int) {
		for range q.Chunks() {
			n++
		}
		return n
	}
	for name, c := range map[string]struct {
		change func()
		chunks int
	}{
		"nothing":   {func() {}, 0},
		"set":       {func() { ecs.Set(w, first, Position{X: 3}) }, 1},
		"optional":  {func() { ecs.Set(w, second, Velocity{X: 3}) }, 1},
		"both":      {func() { ecs.Set(w, first, Position{}); ecs.Set(w, second, Position{}) }, 2},
		"come":      {func() { w.Spawn(Position{}) }, 1},
		"a look-up": {func() { ecs.NewWorldLookup[Velocity](w).Set(second, Velocity{}) }, 1},
		"a loop":    {func() { writeAll(w) }, 2},
	} {
		see()
		if !q.Unchanged() || !q.Empty() || visited() != 0 {
			t.Errorf("%s: not quiet before it", name)
		}
		ran := 0
		q.ParallelFor(chunkFunc(func(*ecs.Chunk) { ran++ }))
		if err := w.Sync(); err != nil || ran > 0 {
			t.Errorf("%s: a job visits %d chunks of a quiet query, error %v", name, ran, err)
		}
		c.change()
		if q.Unchanged() != (c.chunks == 0) || visited() != c.chunks || q.ChunkCount() != c.chunks {
			t.Errorf("%s: quiet %v, %d chunks, want %d", name, q.Unchanged(), visited(), c.chunks)
		}
	}
}

func writeAll(w *ecs.World) {
	for c := range w.Query(ecs.Write[Position]()).Chunks() {
		ecs.Column[Position](c)
	}
}

// If a scheduled job writes a component that a query filters by, Unchanged must be false, and a job of the
// query must see the writes.
func TestUnchangedDoesNotWait(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(Position{X: 1})
	q := w.Query(ecs.Read[Position](), ecs.Changed[Position]())
	bump(w)
	q.SetSince(w.Version())
	bump(w)
	hold, ran := make(chan struct{}), 0
	w.Query(ecs.Write[Position]()).ParallelFor(chunkFunc(func(c *ecs.Chunk) { <-hold; ecs.Column[Position](c) }))
	if q.Unchanged() {
		t.Error("quiet, with a writer under way")
	}
	q.ParallelFor(chunkFunc(func(*ecs.Chunk) { ran++ }))
	close(hold)
	if err := w.Sync(); err != nil || ran != 1 {
		t.Errorf("the job behind the writer visits %d chunks, error %v", ran, err)
	}
}
