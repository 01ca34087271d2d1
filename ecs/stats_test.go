package ecs

import (
	"runtime"
	"testing"
)

// For worlds of many shapes, Stats is close to the memory that they take of the heap: they differ at most
// by half. Wasted is the bytes without a row.
func TestStatsTellTheHeap(t *testing.T) {
	n := 30_000
	if guard {
		n = 3_000
	}
	if *full {
		n = 1_000_000
	}
	movers := func(w *World) []Entity {
		list := make([]Entity, n)
		must(t, w.CreateInto(w.Archetype(With[Position](), With[Velocity]()), list))
		return list
	}
	for _, shape := range []struct {
		name string
		make func(w *World) (keep any)
	}{
		{"one archetype", func(w *World) any { movers(w); return nil }},
		{"with queries and jobs", func(w *World) any {
			movers(w)
			q := w.Query(Write[Position](), Read[Velocity]())
			must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { _ = Column[Position](c) })).Wait())
			return q
		}},
		{"destroyed at random", func(w *World) any {
			for i, e := range movers(w) {
				if i%10 > 0 {
					must(t, w.Destroy(e))
				}
			}
			return nil
		}},
		{"compact", func(w *World) any {
			for i, e := range movers(w) {
				if i%10 > 0 {
					must(t, w.Destroy(e))
				}
			}
			must(t, Defragment(w))
			return nil
		}},
		{"a value each", func(w *World) any {
			a := w.Archetype(With[A](), With[Sh]())
			list := make([]Entity, n/10)
			must(t, w.CreateInto(a, list))
			for i, e := range list {
				must(t, Set(w, e, Sh{Value: int32(i)}))
			}
			return nil
		}},
		{"many archetypes", func(w *World) any {
			for k := range crowdOf(t, w, 1500).Archetypes() {
				must(t, w.CreateInto(k, make([]Entity, 1)))
			}
			return nil
		}},
		{"buffers on the heap", func(w *World) any {
			for range n / 20 {
				w.Spawn(A{}, BufferOf(make([]Elem, 200)...))
			}
			return nil
		}},
		{"switches and objects", func(w *World) any {
			must(t, w.CreateInto(w.Archetype(With[En](), With[EnTag](), With[Obj]()), make([]Entity, n)))
			return nil
		}},
	} {
		t.Run(shape.name, func(t *testing.T) {
			w := newWorld(t, 1)
			before := heap()
			keep := shape.make(w)
			got, s := heap()-before, w.Stats()
			told := s.Bytes + s.Outside
			if !guard && (2*got > 3*told || 2*told > 3*got) { // with guard poisoned places keep slabs
				t.Errorf("the world takes %d bytes, and tells of %d: %+v", got, told, s)
			}
			if s.Live > s.Bytes || s.Wasted < s.Bytes-s.Live || s.Wasted > s.Bytes {
				t.Errorf("wasted: %+v", s)
			}
			runtime.KeepAlive(keep)
			runtime.KeepAlive(w)
		})
	}
}
