package ecs_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// ofChunk lists all methods of Chunk and all functions with a Chunk as argument.
var ofChunk = map[string]func(*ecs.Chunk){
	"Chunk.Len":        func(c *ecs.Chunk) { c.Len() },
	"Chunk.Index":      func(c *ecs.Chunk) { c.Index() },
	"Chunk.AllMatch":   func(c *ecs.Chunk) { c.AllMatch() },
	"Chunk.MatchCount": func(c *ecs.Chunk) { c.MatchCount() },
	"Chunk.Mask":       func(c *ecs.Chunk) { c.Mask() },
	"Chunk.Rows": func(c *ecs.Chunk) {
		for range c.Rows() {
			break
		}
	},
	"Chunk.Runs": func(c *ecs.Chunk) {
		for range c.Runs() {
			break
		}
	},
	"Chunk.Entities":          func(c *ecs.Chunk) { c.Entities() },
	"Chunk.Task":              func(c *ecs.Chunk) { c.Task() },
	"Chunk.Archetype":         func(c *ecs.Chunk) { c.Archetype() },
	"Chunk.OrderChangedSince": func(c *ecs.Chunk) { c.OrderChangedSince(0) },
	"Chunk.ID":                func(c *ecs.Chunk) { c.ID() },
	"HasColumn":               func(c *ecs.Chunk) { ecs.HasColumn[A](c) },
	"ChangedSince":            func(c *ecs.Chunk) { ecs.ChangedSince[A](c, 0) },
	"Column":                  func(c *ecs.Chunk) { ecs.Column[A](c) },
	"ColumnPadded":            func(c *ecs.Chunk) { ecs.ColumnPadded[A](c) },
	"ReadColumn":              func(c *ecs.Chunk) { ecs.ReadColumn[A](c) },
	"SharedValue":             func(c *ecs.Chunk) { ecs.SharedValue[Sh](c) },
	"EnabledAt":               func(c *ecs.Chunk) { ecs.EnabledAt[En](c, 0) },
	"SetEnabledAt":            func(c *ecs.Chunk) { ecs.SetEnabledAt[En](c, 0, false) },
	"Chunk.EnabledBits":       func(c *ecs.Chunk) { enabledBits[En](c) },
	"ChunkValue":              func(c *ecs.Chunk) { ecs.ChunkValue[D](c) },
	"SetChunkValue":           func(c *ecs.Chunk) { ecs.SetChunkValue(c, D{}) },
}

// If a Chunk is kept after its loop or its job, all its methods are refused, no matter how the loop
// or the job ended.
func TestKeptChunks(t *testing.T) {
	stop := errors.New("stop")
	// Each of these functions passes chunks to the function see, which keeps them.
	for name, show := range map[string]func(w *ecs.World, q *ecs.Query, see func(*ecs.Chunk)){
		"loop": func(_ *ecs.World, q *ecs.Query, see func(*ecs.Chunk)) {
			for c := range q.Chunks() {
				see(c)
			}
		},
		"loop left": func(_ *ecs.World, q *ecs.Query, see func(*ecs.Chunk)) {
			for c := range q.Chunks() {
				see(c)
				break
			}
		},
		"loop that panicked": func(_ *ecs.World, q *ecs.Query, see func(*ecs.Chunk)) {
			defer func() { recover() }()
			for c := range q.Chunks() {
				see(c)
				panic(stop)
			}
		},
		"each": func(_ *ecs.World, q *ecs.Query, see func(*ecs.Chunk)) { must(t, q.Run(chunkFunc(see))) },
		"create": func(w *ecs.World, _ *ecs.Query, see func(*ecs.Chunk)) {
			for c := range w.Create(w.Archetype(ecs.With[A]()), 5000).Chunks() {
				see(c)
			}
		},
		"job": func(w *ecs.World, q *ecs.Query, see func(*ecs.Chunk)) {
			q.ParallelFor(chunkFunc(see))
			must(t, w.Sync())
		},
		"job that panicked": func(_ *ecs.World, q *ecs.Query, see func(*ecs.Chunk)) {
			h := q.ParallelFor(chunkFunc(func(c *ecs.Chunk) { see(c); panic(stop) }))
			if err := h.Wait(); !errors.Is(err, stop) {
				t.Errorf("got %v", err)
			}
		},
		"one block that panicked": func(_ *ecs.World, q *ecs.Query, see func(*ecs.Chunk)) {
			h := q.ParallelFor(chunkFunc(func(c *ecs.Chunk) {
				if see(c); c.Index() == 1 {
					panic(stop)
				}
			}))
			if err := h.Wait(); !errors.Is(err, stop) {
				t.Errorf("got %v", err)
			}
		},
	} {
		for _, workers := range []int{1, 3} {
			w := newWorld(t, workers)
			for c := range w.Create(w.Archetype(ecs.With[A](), ecs.With[En](), ecs.With[Sh](), ecs.With[ecs.PerChunk[D]]()), 5000).Chunks() {
				ecs.SetEnabledAt[En](c, 1, false)
			}
			q := w.Query(ecs.Write[A](), ecs.Write[En](), ecs.With[Sh](), ecs.Write[ecs.PerChunk[D]]())
			var mu sync.Mutex
			kept := map[*ecs.Chunk]bool{}
			show(w, q, func(c *ecs.Chunk) {
				mu.Lock()
				defer mu.Unlock()
				if kept[c] = true; c.Len() < 3 {
					t.Errorf("%s: %d rows", name, c.Len())
				}
			})
			if len(kept) == 0 {
				t.Errorf("%s: no chunk was shown", name)
			}
			for c := range kept {
				for what, f := range ofChunk {
					err := panics(t, ecs.ErrDisposed, func() { f(c) })
					if own := (*ecs.Error)(nil); !errors.As(err, &own) || own.Op != what {
						t.Errorf("%s, %d workers: %s: got %v", name, workers, what, err)
					}
				}
			}
			_ = w.Sync()
			n := 0 // the query works as before
			for c := range q.Chunks() {
				n += c.MatchCount()
			}
			if n != q.Count() {
				t.Errorf("%s: %d rows, want %d", name, n, q.Count())
			}
		}
	}
}
