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

// BenchmarkSmall measures work that is hardly worth a second worker, on a pool of one worker and on a
// pool of all workers. The two pools alternate, so that a busy machine affects both equally. The
// metrics are the median time of each pool in nanoseconds, and the time of the second pool relative
// to the first, by medians and by least times. Other metrics are the numbers of woken workers and of
// shared loops per step. The key "gap" says what the caller does between steps: nothing, 50 µs of
// computing, or 1 ms of sleep.
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

// smallTurn is the time for which one side is measured in a row, without sleeps.
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
			steps[1]() // until the pool has learned how to run it
			steps[0]() // both must do the same step, because the days of an epidemic differ
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

// timeOf returns the mean time of a step, without the time between steps.
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

// spinFor computes for the given time.
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

// blocksOf is a loop of n blocks. Each block is a chain of products that takes about a microsecond.
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

// microsecondRounds is the number of steps that take a microsecond at about 4 GHz.
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

// health is the state of a person: 0 is well, 1 is ill, 2 is immune for a while.
type health struct{ Value uint8 }

func (health) Column() (c []uint8) { return c }

// town simulates an epidemic on a grid, as a study does. Each day has a job over few chunks with many
// branches, and then a loop by the caller over all people.
type town struct {
	side, day int
	all       []uint8
	before    []int // the number of people in earlier chunks
	counts    [3]int
}

// chance returns a number below 1,024 that depends on the day and the person.
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
