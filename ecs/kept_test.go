package ecs

import (
	"errors"
	"sync"
	"testing"
)

// ofChunk is every method and function that takes a Chunk.
var ofChunk = map[string]func(*Chunk){
	"Chunk.Len":        func(c *Chunk) { c.Len() },
	"Chunk.Index":      func(c *Chunk) { c.Index() },
	"Chunk.AllMatch":   func(c *Chunk) { c.AllMatch() },
	"Chunk.MatchCount": func(c *Chunk) { c.MatchCount() },
	"Chunk.Mask":       func(c *Chunk) { c.Mask() },
	"Chunk.Rows": func(c *Chunk) {
		for range c.Rows() {
			break
		}
	},
	"Chunk.Runs": func(c *Chunk) {
		for range c.Runs() {
			break
		}
	},
	"Chunk.Entities":          func(c *Chunk) { c.Entities() },
	"Chunk.Task":              func(c *Chunk) { c.Task() },
	"Chunk.Archetype":         func(c *Chunk) { c.Archetype() },
	"Chunk.OrderChangedSince": func(c *Chunk) { c.OrderChangedSince(0) },
	"Chunk.ID":                func(c *Chunk) { c.ID() },
	"HasColumn":               func(c *Chunk) { HasColumn[A](c) },
	"ChangedSince":            func(c *Chunk) { ChangedSince[A](c, 0) },
	"Column":                  func(c *Chunk) { Column[A](c) },
	"ColumnPadded":            func(c *Chunk) { ColumnPadded[A](c) },
	"ReadColumn":              func(c *Chunk) { ReadColumn[A](c) },
	"SharedValue":             func(c *Chunk) { SharedValue[Sh](c) },
	"EnabledAt":               func(c *Chunk) { EnabledAt[En](c, 0) },
	"SetEnabledAt":            func(c *Chunk) { SetEnabledAt[En](c, 0, false) },
	"Chunk.EnabledBits":       func(c *Chunk) { enabledBits[En](c) },
	"ChunkValue":              func(c *Chunk) { ChunkValue[D](c) },
	"SetChunkValue":           func(c *Chunk) { SetChunkValue(c, D{}) },
}

// A Chunk that is kept beyond its loop or its job refuses everything, however the loop or the job ended.
func TestKeptChunks(t *testing.T) {
	stop := errors.New("stop")
	// Each way shows chunks to see, which keeps them.
	for name, show := range map[string]func(w *World, q *Query, see func(*Chunk)){
		"loop": func(_ *World, q *Query, see func(*Chunk)) {
			for c := range q.Chunks() {
				see(c)
			}
		},
		"loop left": func(_ *World, q *Query, see func(*Chunk)) {
			for c := range q.Chunks() {
				see(c)
				break
			}
		},
		"loop that panicked": func(_ *World, q *Query, see func(*Chunk)) {
			defer func() { recover() }()
			for c := range q.Chunks() {
				see(c)
				panic(stop)
			}
		},
		"each": func(_ *World, q *Query, see func(*Chunk)) { must(t, q.Run(chunkFunc(see))) },
		"create": func(w *World, _ *Query, see func(*Chunk)) {
			for c := range w.Create(w.Archetype(With[A]()), 5000).Chunks() {
				see(c)
			}
		},
		"job": func(w *World, q *Query, see func(*Chunk)) {
			q.ParallelFor(chunkFunc(see))
			must(t, w.Sync())
		},
		"job that panicked": func(_ *World, q *Query, see func(*Chunk)) {
			h := q.ParallelFor(chunkFunc(func(c *Chunk) { see(c); panic(stop) }))
			if err := h.Wait(); !errors.Is(err, stop) {
				t.Errorf("got %v", err)
			}
		},
		"one block that panicked": func(_ *World, q *Query, see func(*Chunk)) {
			h := q.ParallelFor(chunkFunc(func(c *Chunk) {
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
			for c := range w.Create(w.Archetype(With[A](), With[En](), With[Sh](), With[PerChunk[D]]()), 5000).Chunks() {
				SetEnabledAt[En](c, 1, false)
			}
			q := w.Query(Write[A](), Write[En](), With[Sh](), Write[PerChunk[D]]())
			var mu sync.Mutex
			kept := map[*Chunk]bool{}
			show(w, q, func(c *Chunk) {
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
					err := panics(t, ErrDisposed, func() { f(c) })
					if own := (*Error)(nil); !errors.As(err, &own) || own.Op != what {
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
