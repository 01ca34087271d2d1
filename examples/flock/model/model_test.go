package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study"
)

// golden is the hash of 1,500 birds after 20 ticks. It is the same on every machine and path, with any
// number of workers.
const golden = 0xcaf94276394d6882

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		o, err := study.Once[*Flock](pool, "birds=1500", "ticks=20")
		return o.Hash, err
	})
}

// TestKernels compares the compiled kernels with their Go sources, bit by bit.
func TestKernels(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		sum, at := kerneltest.View[lanes](in), kerneltest.View[lanes](in)
		n := min(9, in.Rows())
		lane := func() []float32 { return kerneltest.Slice[float32](in, n) }
		x, y, wx, wy := lane(), lane(), lane(), lane()
		limit, side := kerneltest.Value[float32](in), kerneltest.Value[float32](in)
		if n%2 == 0 {
			return func() { see(sum, at, x, y, wx, wy, limit) }, func() { See(sum, at, x, y, wx, wy, limit) }
		}
		return func() { seeAround(sum, at, x, y, wx, wy, limit, side, side/2) }, func() { SeeAround(sum, at, x, y, wx, wy, limit, side, side/2) }
	})
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		view := func() *lanes { return kerneltest.View[lanes](in) }
		place, way, sum, noise := view(), view(), view(), view()
		a, b, c := kerneltest.Value[float32](in), kerneltest.Value[float32](in), kerneltest.Value[float32](in)
		return func() { fly(place, way, sum, noise, a, b, c) }, func() { Fly(place, way, sum, noise, a, b, c) }
	})
}

// TestFlock checks that the model can be used in a study: it is reproducible, and a saved run can
// continue.
func TestFlock(t *testing.T) { study.Test[*Flock](t, "birds=700", "ticks=5") }

// TestOrder checks that birds without noise finally fly in one direction, and that birds with much
// noise do not.
func TestOrder(t *testing.T) {
	quiet, err := study.Once[*Flock](nil, "birds=150", "size=5", "noise=0", "ticks=150")
	if err != nil || quiet.Result.Order < 0.9 {
		t.Errorf("%+v, %v", quiet, err)
	}
	loud, err := study.Once[*Flock](nil, "birds=150", "size=5", "noise=10", "ticks=30")
	if err != nil || loud.Result.Order > 0.4 {
		t.Errorf("%+v, %v", loud, err)
	}
	if _, err := study.Once[*Flock](nil, "size=3", "view=2"); err == nil {
		t.Error("a square of less than three views")
	}
}

// TestSee checks that each bird sees exactly the birds that a comparison with all birds finds. It also
// checks the tick after a run.
func TestSee(t *testing.T) {
	const n, size = 300, 7
	seen := false
	AtEnd = func(m *Flock) {
		seen = true
		var at lanes
		for c := range m.birds.Chunks() {
			place, way := ecs.Column[Place](c), ecs.Column[Heading](c)
			at.X, at.Y = append(at.X, place.X...), append(at.Y, place.Y...)
			for i := range way.X {
				way.X[i], way.Y[i] = 1, float32(m.before[c.Index()]+i) // sums of whole numbers are exact in any order
			}
		}
		if err := m.gaze(); err != nil {
			t.Error(err)
		}
		half := float32(m.Size / 2)
		for i := range n {
			x, y := float32(0), float32(0)
			for j := range n {
				u, v := shorter(at.X[j]-at.X[i], m.Size, half), shorter(at.Y[j]-at.Y[i], m.Size, half)
				if float32(u*u)+float32(v*v) <= 1 {
					x, y = x+1, y+float32(j)
				}
			}
			if m.sum.X[i] != x || m.sum.Y[i] != y {
				t.Errorf("bird %d sees %v and %v, want %v and %v", i, m.sum.X[i], m.sum.Y[i], x, y)
			}
		}
	}
	defer func() { AtEnd = nil }()
	if _, err := study.Once[*Flock](nil, fmt.Sprint("birds=", n), fmt.Sprint("size=", size), "ticks=3"); err != nil || !seen {
		t.Error("no end", err)
	}
}

// BenchmarkStep measures a tick of 100,000 birds, each of which sees 31 other birds. It also
// measures the same tick in plain Go.
func BenchmarkStep(b *testing.B) {
	const birds, size = 100_000, 100
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("path=%s/workers=%d", kernels.Path(), workers), func(b *testing.B) {
			pool := jobs.New(jobs.Workers(workers))
			defer func() { _ = pool.Close() }()
			AtEnd = func(m *Flock) {
				for b.Loop() {
					if err := m.Tick(3); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/birds, "ns/bird")
			}
			defer func() { AtEnd = nil }()
			if _, err := study.Once[*Flock](pool, fmt.Sprint("birds=", birds), fmt.Sprint("size=", size), "ticks=3"); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		p := plain{grid: grid{cells: size, side: size}, at: makeVectors(birds), way: makeVectors(birds), next: makeVectors(birds), view: 1, noise: 0.4, pace: 0.1}
		random.Range(p.at.X, p.key.Rows(0), 0, size)
		random.Range(p.at.Y, p.key.Rows(birds), 0, size)
		random.Directions2(&p.way, p.key.Rows(2*birds))
		for b.Loop() {
			p.step()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/birds, "ns/bird")
	})
}

// TestPlain checks that the flock in plain Go flies as the model's flock does. The results differ
// slightly, because the sums have another order.
func TestPlain(t *testing.T) {
	const n = 400
	var at, way lanes
	AtEnd = func(m *Flock) {
		for c := range m.birds.Chunks() {
			place, heading := ecs.Column[Place](c), ecs.Column[Heading](c)
			at.X, at.Y = append(at.X, place.X...), append(at.Y, place.Y...)
			way.X, way.Y = append(way.X, heading.X...), append(way.Y, heading.Y...)
		}
		p := plain{grid: grid{cells: 10, side: m.Size}, at: at, way: way, next: makeVectors(n), view: 1, noise: m.Noise, pace: m.Pace, key: m.key(4, streamNoise)}
		p.step()
		if err := m.Tick(4); err != nil {
			t.Error(err)
		}
		row := 0
		for c := range m.birds.Chunks() {
			heading := ecs.Column[Heading](c)
			for i := range heading.X {
				if d := math.Abs(float64(heading.X[i]-p.way.X[row])) + math.Abs(float64(heading.Y[i]-p.way.Y[row])); d > 1e-4 {
					t.Errorf("bird %d is %v off", row, d)
				}
				row++
			}
		}
	}
	defer func() { AtEnd = nil }()
	if _, err := study.Once[*Flock](nil, fmt.Sprint("birds=", n), "size=10", "ticks=4"); err != nil || len(at.X) != n {
		t.Error(err, len(at.X))
	}
}
