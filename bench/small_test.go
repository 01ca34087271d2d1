package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// BenchmarkSmall is work that is hardly worth a second worker: the same on a pool of
// one worker and on one of all, in turns, so that a busy machine is as bad for both. The
// metrics are medians of both in nanoseconds, and of the second in parts of the first
// the median and the ratio of the least times; then how many workers were woken and
// loops opened to several, a step. "gap" is what the caller does in
// between: nothing, compute for 50 µs, or sleep for 1 ms.
func BenchmarkSmall(b *testing.B) {
	for _, n := range []int{3_000, 10_000, 30_000, 100_000} {
		for _, gap := range []string{"none", "50us"} {
			smallWork(b, fmt.Sprintf("work=move/rows=%d", n), gap, moveSmall(n))
		}
	}
	for _, side := range []int{32, 96, 384} {
		smallWork(b, fmt.Sprintf("work=grid/side=%d", side), "none", gridDay(side))
	}
	for _, n := range []int{4, 16, 64, 256} {
		for _, gap := range []string{"50us", "1ms"} {
			smallWork(b, fmt.Sprintf("work=microseconds/n=%d/scope=false", n), gap, microseconds(n, false))
			smallWork(b, fmt.Sprintf("work=microseconds/n=%d/scope=true", n), gap, microseconds(n, true))
		}
	}
}

// smallTurn is how long one side is measured at a time, sleep left out.
const smallTurn = 8 * time.Millisecond

func smallWork(b *testing.B, name, gap string, set func(testing.TB, *jobs.Pool) func()) {
	b.Run(name+"/gap="+gap, func(b *testing.B) {
		one, all := jobs.New(jobs.Workers(1)), jobs.New()
		defer one.Close()
		defer all.Close()
		steps := [2]func(){set(b, one), set(b, all)}
		best := time.Hour
		for range 20 {
			best = min(best, timeOf(1, steps[0], func() {}))
		}
		reps := int(smallTurn/best) + 1
		between := func() {}
		switch gap {
		case "50us":
			reps = min(reps, 100)
			between = func() { spinFor(50 * time.Microsecond) }
		case "1ms":
			reps = 10
			between = func() { time.Sleep(time.Millisecond) }
		}
		for start, i := time.Now(), 0; i < 4000 && time.Since(start) < time.Second/2; i++ {
			between()
			steps[1]() // until the pool knows how to run it
			steps[0]() // for both to be at the same step: days of an epidemic differ
		}
		var took [2][]time.Duration
		before, ops := all.Stats(), 0
		for turn := 0; b.Loop(); turn++ {
			for i := range steps {
				side := (turn + i) % 2
				timeOf(max(2, reps/8), steps[side], between)
				took[side] = append(took[side], timeOf(reps, steps[side], between))
				ops += side * (reps + max(2, reps/8))
			}
		}
		ratio := func(x, y time.Duration) float64 { return float64(x) / float64(y) }
		least := ratio(slices.Min(took[1]), slices.Min(took[0]))
		slices.Sort(took[0])
		slices.Sort(took[1])
		m := len(took[0]) / 2
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(took[0][m]), "ns-one")
		b.ReportMetric(float64(took[1][m]), "ns-all")
		b.ReportMetric(ratio(took[1][m], took[0][m]), "median")
		b.ReportMetric(least, "least")
		a := all.Stats()
		per := func(x, y uint64, name string) { b.ReportMetric(float64(x-y)/float64(ops), name) }
		per(a.Wakes, before.Wakes, "wakes")
		per(a.Loops, before.Loops, "loops")
	})
}

// timeOf is the mean time of a step; what is done between two is left out.
func timeOf(reps int, step, between func()) time.Duration {
	sum := time.Duration(0)
	for range reps {
		between()
		start := time.Now()
		step()
		sum += time.Since(start)
	}
	return sum / time.Duration(reps)
}

// spinFor computes for a time.
func spinFor(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}

func finish(tb testing.TB, h jobs.Handle) {
	if err := h.Wait(); err != nil {
		tb.Fatal(err)
	}
}

func moveSmall(rows int) func(testing.TB, *jobs.Pool) func() {
	return func(tb testing.TB, p *jobs.Pool) func() {
		w := ecs.NewWorld("moves", ecs.OnPool(p))
		tb.Cleanup(func() { w.Close() })
		w.Create(w.Archetype(ecs.With[position](), ecs.With[velocity]()), rows)
		m := &moves{w.Query(ecs.Write[position](), ecs.Read[velocity]()), dt}
		return func() { finish(tb, m.moving.ParallelFor(m)) }
	}
}

// blocksOf is a loop of n blocks of about a microsecond each: chains of products.
type blocksOf struct {
	name  string
	sinks [256][8]uint64
}

func (b *blocksOf) JobName() string { return b.name }

func (b *blocksOf) RunRange(_ *jobs.Task, lo, hi int) {
	for i := lo; i < hi; i++ {
		x := b.sinks[i][0]
		for range microsecondRounds {
			x = x*6364136223846793005 + 1442695040888963407
		}
		b.sinks[i][0] = x
	}
}

// microsecondRounds steps take a microsecond at some 4 GHz.
const microsecondRounds = 900

func microseconds(n int, scope bool) func(testing.TB, *jobs.Pool) func() {
	return func(tb testing.TB, p *jobs.Pool) func() {
		if scope {
			sc := p.Scope(context.Background())
			tb.Cleanup(func() { sc.End() })
		}
		j := &blocksOf{name: fmt.Sprint(n, " microseconds, scope ", scope, p.Workers())}
		return func() { finish(tb, p.ParallelFor(j, n, 1)) }
	}
}

// health is how a person of a town is: 0 well, 1 ill, 2 immune for a while.
type health struct{ Value uint8 }

func (health) Column() (c []uint8) { return c }

// town steps an epidemic on a grid as a study does: each day a job over few chunks,
// full of branches, and then a pass over all by the caller.
type town struct {
	side, day int
	all       []uint8
	before    []int // how many people come before each chunk
	counts    [3]int
}

// chance is a number below 1,024 that depends on the day and the person.
func (t *town) chance(at int) uint64 {
	x := uint64(at)<<20 + uint64(t.day)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) >> 54
}

func (t *town) Chunk(c *ecs.Chunk) {
	h := *ecs.Column[health](c)
	for i := range h {
		at := t.before[c.Index()] + i
		switch t.all[at] {
		case 0:
			x, y, ill := at%t.side, at/t.side, 0
			for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				u, v := x+d[0], y+d[1]
				if u >= 0 && u < t.side && v >= 0 && v < t.side && t.all[v*t.side+u] == 1 {
					ill++
				}
			}
			if t.chance(at) < uint64(200*ill) {
				h[i] = 1
			}
		case 1:
			if t.chance(at) < 100 {
				h[i] = 2
			}
		default:
			if t.chance(at) < 20 {
				h[i] = 0
			}
		}
	}
}

func gridDay(side int) func(testing.TB, *jobs.Pool) func() {
	return func(tb testing.TB, p *jobs.Pool) func() {
		t := &town{side: side, all: make([]uint8, side*side)}
		w := ecs.NewWorld("town", ecs.OnPool(p))
		tb.Cleanup(func() { w.Close() })
		w.Create(w.Archetype(ecs.With[health]()), side*side)
		for i := range t.all {
			if t.chance(i) < 50 {
				t.all[i] = 1
			}
		}
		q := w.Query(ecs.Write[health]())
		t.before = q.AppendOffsets(nil)
		for c := range q.Chunks() {
			copy(*ecs.Column[health](c), t.all[t.before[c.Index()]:])
		}
		return func() {
			finish(tb, q.ParallelFor(t))
			for c := range q.Chunks() {
				h := *ecs.ReadColumn[health](c)
				copy(t.all[t.before[c.Index()]:], h)
				for _, x := range h {
					t.counts[x]++
				}
			}
			t.day++
		}
	}
}
