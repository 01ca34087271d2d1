package system

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// laps keeps the times of the last rounds of a benchmark. On a machine that other programs use too, the
// median of the times is more reliable than the mean.
type laps struct {
	times [4096]time.Duration
	n     int
}

// lap records a round that began at start.
func (l *laps) lap(start time.Time) {
	l.times[l.n%len(l.times)] = time.Since(start)
	l.n++
}

// report adds the median time of a round, divided by parts, to the benchmark's results.
func (l *laps) report(b *testing.B, parts int) {
	times := l.times[:min(l.n, len(l.times))]
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/float64(parts), "median-ns/system")
}

type nothing struct{}

func (*nothing) Update(*Frame) error { return nil }

func BenchmarkEmptySystem(b *testing.B) {
	w := ecs.NewWorld("")
	g := new(plainGroup)
	if err := Adopt(w, g); err != nil {
		b.Fatal(err)
	}
	const n = 100
	for range n {
		s, err := Create[nothing](w)
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Add(s); err != nil {
			b.Fatal(err)
		}
	}
	in := InstanceOf(w, g)
	var l laps
	update := func() {
		start := time.Now()
		if err := in.Update(); err != nil {
			b.Fatal(err)
		}
		l.lap(start)
	}
	b.ReportAllocs()
	for b.Loop() {
		update()
	}
	l.report(b, n)
}

// small is a component of one of the systems of BenchmarkJobSystems.
type small[N any] struct{ Value int32 }

func (small[N]) Column() (c []int32) { return }

type smallSystem[N any] struct{ q *ecs.Query }

func (s *smallSystem[N]) Create(u *Setup) error { s.q = u.Query(ecs.Write[small[N]]()); return nil }
func (s *smallSystem[N]) Update(f *Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *smallSystem[N]) Chunk(c *ecs.Chunk) {
	for i, v := 0, *ecs.Column[small[N]](c); i < len(v); i++ {
		v[i]++
	}
}

func addSmall[N any](b *testing.B, w *ecs.World) {
	w.Spawn(small[N]{})
	s, err := Create[smallSystem[N]](w)
	if err != nil {
		b.Fatal(err)
	}
	if err := GetOrCreate[Simulation](w).Add(s); err != nil {
		b.Fatal(err)
	}
}

// addSmalls adds ten systems, each with its own query. The ten queries match different archetypes.
func addSmalls[N any](b *testing.B, w *ecs.World) {
	addSmall[[0]N](b, w)
	addSmall[[1]N](b, w)
	addSmall[[2]N](b, w)
	addSmall[[3]N](b, w)
	addSmall[[4]N](b, w)
	addSmall[[5]N](b, w)
	addSmall[[6]N](b, w)
	addSmall[[7]N](b, w)
	addSmall[[8]N](b, w)
	addSmall[[9]N](b, w)
}

func BenchmarkJobSystems(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("systems=100/workers=%d", workers), func(b *testing.B) {
			pool := newPool(b, workers)
			w, err := NewWorld("", Only(), OnPool(pool))
			if err != nil {
				b.Fatal(err)
			}
			addSmalls[[0]int](b, w)
			addSmalls[[1]int](b, w)
			addSmalls[[2]int](b, w)
			addSmalls[[3]int](b, w)
			addSmalls[[4]int](b, w)
			addSmalls[[5]int](b, w)
			addSmalls[[6]int](b, w)
			addSmalls[[7]int](b, w)
			addSmalls[[8]int](b, w)
			addSmalls[[9]int](b, w)
			var l laps
			update := func() {
				start := time.Now()
				if err := Update(w); err != nil {
					b.Fatal(err)
				}
				l.lap(start)
			}
			b.ReportAllocs()
			for b.Loop() {
				update()
			}
			l.report(b, 100)
		})
	}
}

// BenchmarkSort sorts 1,000 systems. Each system has an After attribute that names a random earlier
// system.
func BenchmarkSort(b *testing.B) {
	const n = 1000
	r := rand.New(rand.NewPCG(1, 2))
	ts := make([]*Type, n)
	for i := range ts {
		ts[i] = fakeType(fmt.Sprintf("example.com/game/systems.System%04d", i), false)
	}
	for i, t := range ts[1:] {
		t.after(ts[r.IntN(i+1)])
	}
	r.Shuffle(n, func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })
	g := fake(fakeType("G", true)).group
	for _, t := range ts {
		if err := g.add(fake(t)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		g.markOrderStale()
		if err := g.Sort(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDependencies finds the predecessors of the jobs of 100 systems and records the jobs. No
// job finishes during the measurement. Each job writes one of ten components and reads others. The
// measured time does not include the scheduling of the jobs.
func BenchmarkDependencies(b *testing.B) {
	for reads := range 3 {
		b.Run(fmt.Sprintf("reads=%d", reads), func(b *testing.B) { benchmarkDependencies(b, reads) })
	}
}

func benchmarkDependencies(b *testing.B, reads int) {
	const n = 100
	pool := newPool(b, 1) // no job runs before the sync point
	w := ecs.NewWorld("", ecs.OnPool(pool))
	terms := [][2]ecs.Term{
		smallTerms[[0]int8](), smallTerms[[1]int8](), smallTerms[[2]int8](), smallTerms[[3]int8](), smallTerms[[4]int8](),
		smallTerms[[5]int8](), smallTerms[[6]int8](), smallTerms[[7]int8](), smallTerms[[8]int8](), smallTerms[[9]int8](),
	}
	all := make([]ecs.Term, len(terms))
	for i, t := range terms {
		all[i] = t[0]
	}
	w.Archetype(all...)
	queries := make([]*ecs.Query, n)
	r := rand.New(rand.NewPCG(1, 3))
	for i := range queries {
		p := r.Perm(len(terms))
		some := []ecs.Term{terms[p[0]][1]}
		for _, k := range p[1 : 1+reads] {
			some = append(some, terms[k][0])
		}
		queries[i] = w.Scheduler().Query(fmt.Sprint(i), some...)
	}
	job := jobs.Func(func(*jobs.Task) {})
	handles := make([]jobs.Handle, n)
	var buf []jobs.Handle
	var l laps
	b.ReportAllocs()
	for b.Loop() {
		for i := range handles {
			handles[i] = pool.Schedule(job)
		}
		start := time.Now()
		for i, q := range queries {
			buf = w.Scheduler().Before(q.Access(), buf[:0])
			w.Scheduler().Track(q.Access(), handles[i])
		}
		l.lap(start)
		if err := w.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	l.report(b, n)
	b.ReportMetric(0, "ns/op") // the default metric would include scheduling and waiting
}

// smallTerms returns terms that read and write small[N].
func smallTerms[N any]() [2]ecs.Term { return [2]ecs.Term{ecs.Read[small[N]](), ecs.Write[small[N]]()} }

// asking is a system with a query.
type asking struct{ q *ecs.Query }

func (s *asking) Create(u *Setup) error { s.q = u.Query(ecs.Write[small[int]]()); return nil }
func (*asking) Update(*Frame) error     { return nil }

// BenchmarkCreateSystems creates systems in a new world, without a query or with one.
func BenchmarkCreateSystems(b *testing.B) {
	pool := newPool(b, 1)
	for what, create := range map[string]func(w *ecs.World) error{
		"empty": func(w *ecs.World) error { _, err := Create[nothing](w); return err },
		"query": func(w *ecs.World) error { _, err := Create[asking](w); return err },
	} {
		for _, n := range []int{10, 1000} {
			b.Run(fmt.Sprintf("%s/systems=%d", what, n), func(b *testing.B) {
				var l laps
				round := func() {
					w := ecs.NewWorld("", ecs.OnPool(pool))
					start := time.Now()
					for range n {
						if err := create(w); err != nil {
							b.Fatal(err)
						}
					}
					l.lap(start)
					if err := w.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					round()
				}
				l.report(b, n)
			})
		}
	}
}

// BenchmarkWholeFrame runs a frame of a world with many empty systems.
func BenchmarkWholeFrame(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("systems=%d", n), func(b *testing.B) {
			w, err := NewWorld("", Only(), OnPool(newPool(b, 1)))
			if err != nil {
				b.Fatal(err)
			}
			for range n {
				s, err := Create[nothing](w)
				if err != nil {
					b.Fatal(err)
				}
				if err := GetOrCreate[Simulation](w).Add(s); err != nil {
					b.Fatal(err)
				}
			}
			benchmarkFrames(b, w, n)
		})
	}
}

func benchmarkFrames(b *testing.B, w *ecs.World, systems int) {
	var l laps
	update := func() {
		start := time.Now()
		if err := Update(w); err != nil {
			b.Fatal(err)
		}
		l.lap(start)
	}
	b.ReportAllocs()
	for b.Loop() {
		update()
	}
	l.report(b, systems)
}

// BenchmarkOneComponent runs a frame of systems that all write one component.
func BenchmarkOneComponent(b *testing.B) {
	for _, n := range []int{100, 1000} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("systems=%d/workers=%d", n, workers), func(b *testing.B) {
				w, err := NewWorld("", Only(), OnPool(newPool(b, workers)))
				if err != nil {
					b.Fatal(err)
				}
				w.Spawn(small[int]{})
				for range n {
					s, err := Create[smallSystem[int]](w)
					if err != nil {
						b.Fatal(err)
					}
					if err := GetOrCreate[Simulation](w).Add(s); err != nil {
						b.Fatal(err)
					}
				}
				benchmarkFrames(b, w, n)
			})
		}
	}
}
