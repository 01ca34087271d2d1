package ecs_test

import (
	"runtime"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Stats must be close to the memory that a world takes from the heap: for worlds of many shapes, the two
// may differ at most by half. Wasted is the number of bytes in chunks that hold no row.
func TestStatsTellTheHeap(t *testing.T) {
	n := 30_000
	if ecs.Guard {
		n = 3_000
	}
	if *full {
		n = 1_000_000
	}
	movers := func(w *ecs.World) []ecs.Entity {
		list := make([]ecs.Entity, n)
		must(t, w.CreateInto(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), list))
		return list
	}
	for _, shape := range []struct {
		name string
		make func(w *ecs.World) (keep any)
	}{
		{"one archetype", func(w *ecs.World) any { movers(w); return nil }},
		{"with queries and jobs", func(w *ecs.World) any {
			movers(w)
			q := w.Query(ecs.Write[Position](), ecs.Read[Velocity]())
			must(t, q.ParallelFor(chunkFunc(func(c *ecs.Chunk) { _ = ecs.Column[Position](c) })).Wait())
			return q
		}},
		{"destroyed at random", func(w *ecs.World) any {
			for i, e := range movers(w) {
				if i%10 > 0 {
					must(t, w.Destroy(e))
				}
			}
			return nil
		}},
		{"compact", func(w *ecs.World) any {
			for i, e := range movers(w) {
				if i%10 > 0 {
					must(t, w.Destroy(e))
				}
			}
			must(t, ecs.Defragment(w))
			return nil
		}},
		{"a value each", func(w *ecs.World) any {
			a := w.Archetype(ecs.With[A](), ecs.With[Sh]())
			list := make([]ecs.Entity, n/10)
			must(t, w.CreateInto(a, list))
			for i, e := range list {
				must(t, ecs.Set(w, e, Sh{Value: int32(i)}))
			}
			return nil
		}},
		{"many archetypes", func(w *ecs.World) any {
			for k := range crowdOf(t, w, 1500).Archetypes() {
				must(t, w.CreateInto(k, make([]ecs.Entity, 1)))
			}
			return nil
		}},
		{"buffers on the heap", func(w *ecs.World) any {
			for range n / 20 {
				w.Spawn(A{}, ecs.BufferOf(make([]Elem, 200)...))
			}
			return nil
		}},
		{"switches and objects", func(w *ecs.World) any {
			must(t, w.CreateInto(w.Archetype(ecs.With[En](), ecs.With[EnTag](), ecs.With[Obj]()), make([]ecs.Entity, n)))
			return nil
		}},
	} {
		t.Run(shape.name, func(t *testing.T) {
			w := newWorld(t, 1)
			before := heap()
			keep := shape.make(w)
			got, s := heap()-before, w.Stats()
			told := s.Bytes + s.Outside
			if !ecs.Guard && (2*got > 3*told || 2*told > 3*got) { // with guard poisoned places keep slabs
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
