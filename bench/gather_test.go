package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// BenchmarkGather reads and writes three lanes of entities in random order. It compares three ways
// to make the same accesses: directly in flat arrays, one entity at a time from slot to chunk to
// lane, and all entities gathered at once.
func BenchmarkGather(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		w := ecs.NewWorld("bench")
		list := make([]ecs.Entity, n)
		check(b, w.CreateInto(w.Archetype(ecs.With[place](), ecs.With[speed]()), list))
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
		look := ecs.NewWorldLookup[place](w)
		out := make([]place, n)
		flat := newFlat(n)
		for _, way := range []struct {
			name string
			do   func()
		}{
			{"do=read/via=go", func() { flat.read(out, list) }},
			{"do=read/via=Get", func() {
				for i, e := range list {
					out[i], _ = look.Get(e)
				}
			}},
			{"do=read/via=Gather", func() { look.Gather(out, list) }},
			{"do=write/via=Set", func() {
				for i, e := range list {
					look.Set(e, out[i])
				}
			}},
			{"do=write/via=Scatter", func() { look.Scatter(list, out) }},
		} {
			b.Run(fmt.Sprintf("%s/entities=%d", way.name, n), func(b *testing.B) {
				b.ReportAllocs()
				var least shortest
				for b.Loop() {
					least.of(way.do)
				}
				reportPer(b, n, "ns/entity")
				least.report(b, n)
			})
		}
		check(b, w.Close())
	}
}

// flatWorld has slots, and chunks of 448 rows with three lanes.
type flatWorld struct {
	slots  []struct{ version, chunk, row int32 }
	chunks []*[3][448]float32
}

func newFlat(n int) *flatWorld {
	f := &flatWorld{slots: make([]struct{ version, chunk, row int32 }, n)}
	for i := range f.slots {
		if i%448 == 0 {
			f.chunks = append(f.chunks, new([3][448]float32))
		}
		f.slots[i] = struct{ version, chunk, row int32 }{1, int32(i / 448), int32(i % 448)}
	}
	return f
}

func (f *flatWorld) read(out []place, list []ecs.Entity) {
	for i, e := range list {
		if s := &f.slots[e.Index]; s.version == e.Version {
			c := f.chunks[s.chunk]
			out[i] = place{c[0][s.row], c[1][s.row], c[2][s.row]}
		}
	}
}
