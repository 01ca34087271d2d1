package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

func TestDensity(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		rho, pos, n := kerneltest.Lane[float32](in), kerneltest.View[lanes](in), min(9, in.Rows())
		lane := func() []float32 { return kerneltest.Slice[float32](in, n) }
		at, h2 := &lanes{X: lane(), Y: lane(), Z: lane()}, kerneltest.Value[float32](in)
		return func() { density(rho, pos, at, h2) }, func() { Density(rho, pos, at, h2) }
	})
}

func TestPress(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		acc, pos, vel, p := kerneltest.View[lanes](in), kerneltest.View[lanes](in), kerneltest.View[lanes](in), kerneltest.Lane[float32](in)
		n := min(9, in.Rows())
		lane := func() []float32 { return kerneltest.Slice[float32](in, n) }
		at, way, cp, cv := &lanes{X: lane(), Y: lane(), Z: lane()}, &lanes{X: lane(), Y: lane(), Z: lane()}, lane(), lane()
		h, push, drag := kerneltest.Value[float32](in), kerneltest.Value[float32](in), kerneltest.Value[float32](in)
		return func() { press(acc, pos, vel, p, at, way, cp, cv, h, push, drag) }, func() { Press(acc, pos, vel, p, at, way, cp, cv, h, push, drag) }
	})
}

// BenchmarkStep measures a step of 200,000 drops, with kernels and in plain Go.
func BenchmarkStep(b *testing.B) {
	const n = 200_000
	water := func(b *testing.B, workers int) *Dam {
		pool := jobs.New(jobs.Workers(workers))
		b.Cleanup(func() { _ = pool.Close() })
		w := ecs.NewWorld("dam", ecs.OnPool(pool))
		b.Cleanup(func() { _ = w.Close() })
		s := &Dam{Drops: n}
		s.Pour(w)
		return s
	}
	report := func(b *testing.B) { b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/drop") }
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("path=%s/workers=%d", kernels.Path(), workers), func(b *testing.B) {
			s := water(b, workers)
			for b.Loop() {
				if err := s.Tick(0); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
	}
	b.Run("plain", func(b *testing.B) {
		p := newPlain(water(b, 1))
		for b.Loop() {
			p.step()
		}
		report(b)
	})
}

// TestSpread divides the water among several worlds, and checks that it flows as
// in a single world.
func TestSpread(t *testing.T) {
	flow := func(spread bool) (x, y []float32) {
		m := &Dam{Drops: 500}
		w, err := m.World()
		if err != nil {
			t.Fatal(err)
		}
		if spread {
			m.Spread(w, &exampletest.Ranks{Rows: m.Drops})
		}
		for tick := range 20 {
			if err := m.Tick(tick); err != nil {
				t.Fatal(err)
			}
		}
		for c := range m.drops.Chunks() {
			place := ecs.ReadColumn[transform.Translation](c)
			x, y = append(x, place.X...), append(y, place.Y...)
		}
		return x, y
	}
	x, y := flow(false)
	gotX, gotY := flow(true)
	if !slices.Equal(gotX, x) || !slices.Equal(gotY, y) || len(x) != 500 || x[400] == x[0] {
		t.Error("drops of one rank flow another way than those of none")
	}
}
