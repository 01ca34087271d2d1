package bench

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

var memoryRows = flag.Int("bench.memory", 100_000, "BenchmarkMemory goes up to so many `rows`")

// heap returns the bytes of live heap memory.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkMemory measures the memory of entities of two components, and the time to create them and
// to destroy them one by one in random order. Either all entities are alike, or each entity has a
// different shared value.
func BenchmarkMemory(b *testing.B) {
	for n := 1_000; n <= *memoryRows; n *= 10 {
		b.Run(fmt.Sprintf("of=entities/n=%d", n), func(b *testing.B) {
			entityMemory(b, n, func(w *ecs.World, list []ecs.Entity) {
				check(b, w.CreateInto(w.Archetype(ecs.With[place](), ecs.With[speed]()), list))
			})
		})
		if n <= 100_000 {
			b.Run(fmt.Sprintf("of=values/n=%d", n), func(b *testing.B) {
				entityMemory(b, n, func(w *ecs.World, list []ecs.Entity) {
					for i := range list {
						list[i] = w.Spawn(place{}, speed{}, team{N: int32(i)})
					}
				})
			})
		}
	}
}

// entityMemory measures the memory of n entities that fill creates.
func entityMemory(b *testing.B, n int, fill func(w *ecs.World, list []ecs.Entity)) {
	list := make([]ecs.Entity, n)
	var filling, ending, compacting shortest
	var bytes, taken, left float64
	for b.Loop() {
		before := heap()
		w := ecs.NewWorld("bench")
		filling.of(func() { fill(w, list) })
		bytes = heap() - before
		s := w.Stats()
		taken = float64(s.Bytes + s.Outside)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, k int) { list[i], list[k] = list[k], list[i] })
		ending.of(func() {
			for _, e := range list {
				check(b, w.Destroy(e))
			}
		})
		compacting.of(func() { check(b, ecs.Compact(w)) })
		left = heap() - before
		check(b, w.Close())
	}
	b.ReportMetric(bytes/float64(n), "heap-B")
	b.ReportMetric(taken/float64(n), "stats-B")
	b.ReportMetric(left/float64(n), "left-B")
	b.ReportMetric(float64(filling)/float64(n), "fill-ns")
	b.ReportMetric(float64(ending)/float64(n), "end-ns")
	b.ReportMetric(float64(compacting)/float64(n), "compact-ns")
}

// BenchmarkChange adds a component to an entity and removes it again, for 10,000 entities in turn.
func BenchmarkChange(b *testing.B) {
	const n = 10_000
	w := ecs.NewWorld("bench")
	list := make([]ecs.Entity, n)
	check(b, w.CreateInto(w.Archetype(ecs.With[place](), ecs.With[speed]()), list))
	w.Spawn(place{}, speed{}, heat(0)) // keeps its chunk alive
	b.ReportAllocs()
	var least shortest
	for b.Loop() {
		least.of(func() {
			for _, e := range list {
				check(b, ecs.Add(w, e, heat(1)))
				_, err := ecs.Remove[heat](w, e)
				check(b, err)
			}
		})
	}
	least.report(b, n)
	check(b, w.Close())
}
