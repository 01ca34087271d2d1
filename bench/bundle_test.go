package bench

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// ship is the bundle of BenchmarkMake.
type ship struct {
	Place place
	Speed speed
}

// BenchmarkMake spawns one entity from a bundle of values.
func BenchmarkMake(b *testing.B) {
	w := ecs.NewWorld("bench")
	b.ReportAllocs()
	const n = 1000
	list := make([]ecs.Entity, n)
	spawn := func() {
		for i := range list {
			list[i] = ecs.SpawnBundle(w, ship{place{float32(i), 2, 3}, speed{4, 5, 6}})
		}
	}
	var least shortest
	for b.Loop() {
		least.of(spawn)
		b.StopTimer()
		check(b, ecs.DestroyAll(w, ecs.Entities(list)))
		b.StartTimer()
	}
	reportPer(b, n, "ns/entity")
	least.report(b, n)
}
