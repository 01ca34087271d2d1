package ecs

import (
	"runtime"
	"testing"
)

// Moving rows to a world must not keep the memory of their old worlds in use. After many loads, the
// memory in use must be the amount that Stats returns. Only a few rows of each load are moved to the
// world.
func TestMovesPinNothing(t *testing.T) {
	loads, rows := 40, 50_000
	if *full {
		loads, rows = 1000, 200_000
	}
	for name, load := range map[string]func(w, src *World){
		"few": func(w, src *World) {
			src.Create(src.Archetype(With[Position](), With[Velocity]()), rows)
			src.Create(src.Archetype(With[Position](), With[Tag]()), 100)
			must(t, MoveMatching(w, src.Query(With[Tag]()), nil))
		},
		"few that are left": func(w, src *World) {
			list := make([]Entity, rows)
			must(t, src.CreateInto(src.Archetype(With[Position](), With[Velocity]()), list))
			src.Create(src.Archetype(With[Position](), With[Tag]()), 100)
			must(t, DestroyAll(src, Entities(list)))
			must(t, MoveEntities(w, src, nil))
		},
		"chunk components": func(w, src *World) {
			src.Create(src.Archetype(With[Position](), With[PerChunk[D]]()), rows/4)
			src.Create(src.Archetype(With[Position](), With[Tag](), With[PerChunk[D]]()), 100)
			must(t, MoveMatching(w, src.Query(With[Tag]()), nil))
		},
		"copies": func(w, src *World) {
			list := make([]Entity, rows)
			must(t, src.CreateInto(src.Archetype(With[Position]()), list))
			_, err := CopyEntities(w, src, list[:100])
			must(t, err)
		},
	} {
		before := heap()
		w := newWorld(t, 1)
		for i := range loads {
			load(w, NewWorld("load")) // the loaded world is dropped
			if i%10 == 0 {
				must(t, integrity(w))
			}
		}
		must(t, integrity(w))
		s, left := w.Stats(), heap()-before
		if 2*left > 3*s.Bytes+8<<20 || s.Bytes > 2*s.Live+4<<20 || s.Entities != 100*loads {
			t.Errorf("%s: %d bytes live after %d loads, Stats says %+v", name, left, loads, s)
		}
		runtime.KeepAlive(w)
	}
}

// If a world is moved completely, its memory moves too: hardly a chunk is copied, no matter which
// data outside of rows the world has.
func TestWholeWorldsComeAsTheyAre(t *testing.T) {
	for _, rows := range []int{100, 40_000, 250_000} {
		src, w := newWorld(t, 1), newWorld(t, 1)
		src.Create(src.Archetype(With[Position](), With[Sh](), With[PerChunk[D]]()), rows)
		at := map[uintptr]bool{}
		q := src.Query(With[Position]())
		for c := range q.Chunks() {
			at[uintptr(c.base.IDs())] = true
		}
		bytes := src.Stats().Bytes
		must(t, MoveEntities(w, src, nil))
		stay, chunks := 0, 0
		for c := range w.Query(With[Position]()).Chunks() {
			chunks++
			if at[uintptr(c.base.IDs())] {
				stay++
			}
		}
		if guard { // every chunk moves
			stay = chunks
		}
		if chunks > 4 && 8*stay < 7*chunks || chunks != len(at) {
			t.Errorf("%d rows: %d of %d chunks are where they were", rows, stay, chunks)
		}
		if !guard && src.Stats().Bytes+w.Stats().Bytes > bytes+128<<10 { // with guard poisoned blocks keep slabs
			t.Errorf("%d rows: %d and %d bytes, before %d", rows, src.Stats().Bytes, w.Stats().Bytes, bytes)
		}
		must(t, integrity(w))
		must(t, integrity(src))
	}
}
