package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// These benchmarks measure set-up and cliffs: one-time costs, costs of single entities, and the costs
// of many archetypes or many shared values. Each benchmark reports the time of a single operation.

// place and speed have three lanes each, as most components do.
type (
	place struct{ X, Y, Z float32 }
	speed struct{ X, Y, Z float32 }
	heat  float32
	team  struct {
		ecs.Shared
		N int32
	}
	pack struct {
		ecs.Shared
		N int32
	}
)

func (place) Column() (c kernels.Vec3s[float32]) { return }
func (speed) Column() (c kernels.Vec3s[float32]) { return }

// Each subset of these tags is a separate archetype.
type (
	mark0  struct{}
	mark1  struct{}
	mark2  struct{}
	mark3  struct{}
	mark4  struct{}
	mark5  struct{}
	mark6  struct{}
	mark7  struct{}
	mark8  struct{}
	mark9  struct{}
	mark10 struct{}
	mark11 struct{}
	mark12 struct{}
	mark13 struct{}
	seldom struct{}
)

var marks = []ecs.Term{
	ecs.With[mark0](), ecs.With[mark1](), ecs.With[mark2](), ecs.With[mark3](), ecs.With[mark4](), ecs.With[mark5](), ecs.With[mark6](),
	ecs.With[mark7](), ecs.With[mark8](), ecs.With[mark9](), ecs.With[mark10](), ecs.With[mark11](), ecs.With[mark12](), ecs.With[mark13](),
}

// createArchetypes creates n archetypes of place, speed and the additional terms, starting with number k.
func createArchetypes(w *ecs.World, k, n int, more ...ecs.Term) []ecs.Archetype {
	list := make([]ecs.Archetype, n)
	for i := range list {
		terms := append([]ecs.Term{ecs.With[place](), ecs.With[speed]()}, more...)
		for bit, m := range marks {
			if (k+i)>>bit&1 != 0 {
				terms = append(terms, m)
			}
		}
		list[i] = w.Archetype(terms...)
	}
	return list
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

// reportPer reports the time of one of n operations.
func reportPer(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), unit)
}

// shortest is the least measured time. Other work on the machine can only increase a time.
type shortest time.Duration

func (s *shortest) of(do func()) {
	start := time.Now()
	do()
	if took := shortest(time.Since(start)); *s == 0 || took < *s {
		*s = took
	}
}

// report reports the time of one of n operations.
func (s shortest) report(b *testing.B, n int) {
	b.ReportMetric(float64(s)/float64(n), "least-ns")
}

// BenchmarkNewQuery creates a query in a world of many archetypes. The query matches all of these
// archetypes, or three of them.
func BenchmarkNewQuery(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		w := ecs.NewWorld("bench")
		createArchetypes(w, 0, n-3)
		createArchetypes(w, 0, 3, ecs.With[seldom]())
		b.Run(fmt.Sprintf("match=all/archetypes=%d", n), func(b *testing.B) {
			var least shortest
			for b.Loop() {
				least.of(func() { check(b, w.Query(ecs.Write[place](), ecs.Read[speed]()).Close()) })
			}
			reportPer(b, n, "ns/match")
			least.report(b, n)
		})
		b.Run(fmt.Sprintf("match=three/archetypes=%d", n), func(b *testing.B) {
			var least shortest
			for b.Loop() {
				least.of(func() { check(b, w.Query(ecs.Write[place](), ecs.Read[speed](), ecs.With[seldom]()).Close()) })
			}
			least.report(b, 1)
		})
		check(b, w.Close())
	}
}

// BenchmarkNewArchetypes creates 100 archetypes in a world of 1,000 systems. The query of each
// system matches either all of them or none of them.
func BenchmarkNewArchetypes(b *testing.B) {
	for _, way := range []struct {
		name  string
		terms []ecs.Term
	}{
		{"all", []ecs.Term{ecs.Write[place](), ecs.Read[speed]()}},
		{"none", []ecs.Term{ecs.Write[place](), ecs.Read[speed](), ecs.With[seldom]()}},
	} {
		b.Run("match="+way.name+"/queries=1000", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := ecs.NewWorld("bench")
				for i := range 1000 {
					w.Scheduler().Query(fmt.Sprint(i), way.terms...)
				}
				b.StartTimer()
				createArchetypes(w, 0, 100)
				b.StopTimer()
				check(b, w.Close())
				b.StartTimer()
			}
			reportPer(b, 100_000, "ns/query/archetype")
		})
	}
}

// BenchmarkSparseVisit moves the entities of archetypes with one entity each. It opens two columns of each
// archetype, because a loop that only counts rows reads no component.
func BenchmarkSparseVisit(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("archetypes=%d", n), func(b *testing.B) {
			w := ecs.NewWorld("bench")
			e := make([]ecs.Entity, 1)
			for _, a := range createArchetypes(w, 0, n) {
				check(b, w.CreateInto(a, e))
				check(b, ecs.Set(w, e[0], speed{X: 1}))
			}
			q := w.Query(ecs.Write[place](), ecs.Read[speed]())
			var least shortest
			steps := 0
			for b.Loop() {
				least.of(func() { moveRows(q) })
				steps++
			}
			reportPer(b, n, "ns/archetype")
			least.report(b, n)
			for c := range q.Chunks() {
				if x := ecs.ReadColumn[place](c).X[0]; x != float32(steps) {
					b.Fatalf("after %d steps an entity is at %v", steps, x)
				}
			}
			check(b, w.Close())
		})
	}
}

// moveRows adds the speed of each entity to its place.
func moveRows(q *ecs.Query) {
	for c := range q.Chunks() {
		p, s, n := ecs.Column[place](c), ecs.Column[speed](c), c.Len()
		x, y, z := p.X[:n], p.Y[:n], p.Z[:n]
		vx, vy, vz := s.X[:n], s.Y[:n], s.Z[:n]
		for i := range n {
			x[i], y[i], z[i] = x[i]+vx[i], y[i]+vy[i], z[i]+vz[i]
		}
	}
}

// BenchmarkOnlyOne iterates over the entities with one of many shared values. The entities have one or
// two shared components.
func BenchmarkOnlyOne(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		for _, both := range []bool{false, true} {
			b.Run(fmt.Sprintf("shared=%t/values=%d", both, n), func(b *testing.B) {
				w := ecs.NewWorld("bench")
				for i := range n {
					if both {
						w.Spawn(place{}, team{N: int32(i)}, pack{N: int32(i & 1)})
					} else {
						w.Spawn(place{}, team{N: int32(i)})
					}
				}
				q := w.Query(ecs.Write[place](), ecs.WithShared(team{N: int32(n / 2)}))
				visit := func() (sum int) {
					for c := range q.Chunks() {
						sum += c.Len()
					}
					return sum
				}
				var least shortest
				for b.Loop() {
					seen := 0
					least.of(func() { seen = visit() })
					if seen != 1 {
						b.Fatal("not one entity")
					}
				}
				b.StopTimer()
				least.report(b, 1)
				check(b, w.Close())
			})
		}
	}
}

// BenchmarkSpawn spawns one entity from values and destroys it, so that the world does not grow.
func BenchmarkSpawn(b *testing.B) {
	w := ecs.NewWorld("bench")
	w.Spawn(place{1, 2, 3}, speed{4, 5, 6})
	b.ReportAllocs()
	const n = 1000
	list := make([]ecs.Entity, n)
	spawn := func() {
		for i := range list {
			list[i] = w.Spawn(place{1, 2, 3}, speed{4, 5, 6})
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

// BenchmarkCommandsSpawn records spawns of entities with values and plays them back.
func BenchmarkCommandsSpawn(b *testing.B) {
	w := ecs.NewWorld("bench")
	c := w.NewCommands()
	q := w.Query(ecs.With[place]())
	const n = 1000
	b.ReportAllocs()
	spawn := func() {
		for range n {
			_, err := c.Spawn(place{1, 2, 3}, speed{4, 5, 6})
			check(b, err)
		}
		check(b, c.Playback(w))
	}
	var least shortest
	for b.Loop() {
		least.of(spawn)
		b.StopTimer()
		c.Reset()
		check(b, ecs.DestroyAll(w, ecs.Matching(q)))
		b.StartTimer()
	}
	reportPer(b, n, "ns/entity")
	least.report(b, n)
}

// BenchmarkBatches changes 100,000 entities at once.
func BenchmarkBatches(b *testing.B) {
	const n = 100_000
	list := make([]ecs.Entity, n)
	each := func(name string, before func(w *ecs.World, a ecs.Archetype), do func(b *testing.B, w *ecs.World, a ecs.Archetype), after func(w *ecs.World)) {
		b.Run(name, func(b *testing.B) {
			w := ecs.NewWorld("bench")
			a := w.Archetype(ecs.With[place](), ecs.With[speed]())
			before(w, a)
			var least shortest
			for b.Loop() {
				least.of(func() { do(b, w, a) })
				b.StopTimer()
				after(w)
				b.StartTimer()
			}
			reportPer(b, n, "ns/entity")
			least.report(b, n)
			check(b, w.Close())
		})
	}
	none := func(w *ecs.World, _ ecs.Archetype) {}
	fill := func(w *ecs.World, a ecs.Archetype) { check(b, w.CreateInto(a, list)) }
	each("do=create", none,
		func(b *testing.B, w *ecs.World, a ecs.Archetype) { check(b, w.CreateInto(a, list)) },
		func(w *ecs.World) { check(b, ecs.DestroyAll(w, ecs.Entities(list))) })
	each("do=destroy", fill,
		func(b *testing.B, w *ecs.World, a ecs.Archetype) { check(b, ecs.DestroyAll(w, ecs.Entities(list))) },
		func(w *ecs.World) { fill(w, w.Archetype(ecs.With[place](), ecs.With[speed]())) })
	each("do=add+remove", fill,
		func(b *testing.B, w *ecs.World, a ecs.Archetype) {
			check(b, ecs.AddTypes(w, ecs.Entities(list), ecs.With[heat]()))
			check(b, ecs.RemoveTypes(w, ecs.Entities(list), ecs.With[heat]()))
		}, func(w *ecs.World) {})
	each("do=add+remove/by=query", fill,
		func(b *testing.B, w *ecs.World, a ecs.Archetype) {
			check(b, ecs.AddTypes(w, ecs.Matching(w.Query(ecs.With[place](), ecs.Without[heat]())), ecs.With[heat]()))
			check(b, ecs.RemoveTypes(w, ecs.Matching(w.Query(ecs.With[place](), ecs.With[heat]())), ecs.With[heat]()))
		}, func(w *ecs.World) {})
}

// BenchmarkCommands records three commands for each of 1,000 entities and plays them back.
func BenchmarkCommands(b *testing.B) {
	w := ecs.NewWorld("bench")
	a := w.Archetype(ecs.With[place](), ecs.With[speed]())
	list := make([]ecs.Entity, 1000)
	check(b, w.CreateInto(a, list))
	c := w.NewCommands()
	b.Run("do=triple", func(b *testing.B) {
		triple := func() {
			for _, e := range list {
				check(b, ecs.Set(c, e, place{1, 2, 3}))
				check(b, ecs.Add(c, e, heat(1)))
				_, err := ecs.Remove[heat](c, e)
				check(b, err)
			}
			check(b, c.Playback(w))
			c.Reset()
		}
		var least shortest
		for b.Loop() {
			least.of(triple)
		}
		reportPer(b, len(list), "ns/entity")
		least.report(b, len(list))
	})
	b.Run("do=destroy", func(b *testing.B) {
		destroy := func() {
			for _, e := range list {
				check(b, c.Destroy(e))
			}
			check(b, c.Playback(w))
		}
		var least shortest
		for b.Loop() {
			least.of(destroy)
			b.StopTimer()
			c.Reset()
			check(b, w.CreateInto(a, list))
			b.StartTimer()
		}
		reportPer(b, len(list), "ns/entity")
		least.report(b, len(list))
	})
	b.Run("do=add", func(b *testing.B) {
		add := func() {
			for _, e := range list {
				check(b, ecs.Add(c, e, heat(1)))
			}
			check(b, c.Playback(w))
		}
		var least shortest
		for b.Loop() {
			least.of(add)
			b.StopTimer()
			c.Reset()
			check(b, ecs.RemoveTypes(w, ecs.Entities(list), ecs.With[heat]()))
			b.StartTimer()
		}
		reportPer(b, len(list), "ns/entity")
		least.report(b, len(list))
	})
	check(b, w.Close())
}

// BenchmarkNewWorld creates a world and its first entity.
func BenchmarkNewWorld(b *testing.B) {
	b.ReportAllocs()
	var least shortest
	for b.Loop() {
		least.of(func() { ecs.NewWorld("bench").Spawn(place{1, 2, 3}, speed{4, 5, 6}) })
	}
	least.report(b, 1)
}
