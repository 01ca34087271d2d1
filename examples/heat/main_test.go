package main

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// golden is the hash of 40 × 40 cells after 100 steps. It is the same on every machine and path, with any
// number of workers.
const golden = 0xc0aaf6dcc65fcbe4

// cool returns a plate whose wave has decayed for the given number of steps.
func cool(t *testing.T, pool *jobs.Pool, cells, across, down, steps int) *plate {
	t.Helper()
	p := newPlate(pool, cells)
	p.wave(across, down)
	for range steps {
		if err := p.step(); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) { return cool(t, pool, 40, 3, 2, 100).hash(), nil })
}

// TestDecay compares the decay rate of sine waves with two rates. One is the rate of the stencil, which is
// known exactly. The other is the rate of the equation, from which the stencil's rate differs by an error of
// second order.
func TestDecay(t *testing.T) {
	const steps = 200
	for _, wave := range [][2]int{{1, 1}, {3, 2}, {5, 7}} {
		var off [2]float64
		for i, cells := range []int{49, 99} {
			before := kernels.Norm(cool(t, jobs.Default(), cells, wave[0], wave[1], 0).now.Cells())
			p := cool(t, jobs.Default(), cells, wave[0], wave[1], steps)
			rate := math.Log(before/kernels.Norm(p.now.Cells())) / (steps * p.dt())
			factor := 1.0
			for _, half := range wave {
				s := math.Sin(math.Pi * float64(half) / float64(2*(cells+1)))
				factor -= 4 * r * s * s
			}
			if want := -math.Log(factor) / p.dt(); math.Abs(rate/want-1) > 1e-12 {
				t.Errorf("%d cells, wave %v: the decay rate is %v, that of the stencil is %v", cells, wave, rate, want)
			}
			off[i] = rate/(float64(wave[0]*wave[0]+wave[1]*wave[1])*math.Pi*math.Pi) - 1
		}
		if ratio := off[0] / off[1]; math.Abs(off[1]) > 0.01 || ratio < 3.8 || ratio > 4.2 {
			t.Errorf("wave %v: the decay rate is off by %g, and by %g with half the width of cells: want a quarter", wave, off[0], off[1])
		}
	}
}

// TestDiffuse compares the compiled kernel with its Go source on every path.
func TestDiffuse(t *testing.T) {
	diffuseSame(t, Diffuse32)
	diffuseSame(t, Diffuse64)
}

func diffuseSame[T kernels.Float](t *testing.T, compiled stencil[T]) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		n := in.Rows()
		next, here := kerneltest.Lane[T](in), kerneltest.Slice[T](in, n+2)
		up, down := kerneltest.Lane[T](in), kerneltest.Lane[T](in)
		return func() { diffuse(next, here[1:n+1], here[:n], here[2:], up, down, r) },
			func() { compiled(next, here[1:n+1], here[:n], here[2:], up, down, r) }
	})
}

// stencil is the type of Diffuse32 and Diffuse64.
type stencil[T kernels.Float] func(next, here, left, right, up, down []T, r T)

// TestPicture checks the colours of three by two half waves, which are alternately hot and cold.
func TestPicture(t *testing.T) {
	m := cool(t, jobs.Default(), 60, 3, 2, 10).picture()
	for y := range 2 {
		for x := range 3 {
			c, hot := m.RGBAAt(10+20*x, 15+30*y), (x+y)%2 == 0
			if hot != (c.R == 255 && c.B < 60) || hot == (c.B == 255 && c.R < 60) {
				t.Errorf("half wave %d, %d is drawn as %v", x, y, c)
			}
		}
	}
}

// BenchmarkStep measures four steps beside four copies of one buffer to the other, which move as many bytes. Both share the rows among
// all workers and swap the buffers each time. With a margin of 64 bytes, the rows are aligned to 64 bytes. The metric share is the
// bandwidth of the steps divided by that of the copies, by the least times of both.
func BenchmarkStep(b *testing.B) {
	for _, cells := range []int{1024, 2048} {
		for _, margin := range []int{1, 16} {
			b.Run(fmt.Sprintf("float32/cells=%d/margin=%d", cells, margin), func(b *testing.B) { benchmarkStep(b, cells, margin, Diffuse32) })
		}
		for _, margin := range []int{1, 8} {
			b.Run(fmt.Sprintf("float64/cells=%d/margin=%d", cells, margin), func(b *testing.B) { benchmarkStep(b, cells, margin, Diffuse64) })
		}
	}
}

func benchmarkStep[T kernels.Float](b *testing.B, cells, margin int, diffuse stencil[T]) {
	pool, shape := jobs.Default(), grid.Shape{X: cells, Y: cells, Margin: margin}
	now, next := grid.New[T](shape), grid.New[T](shape)
	for i := range now.Cells() {
		now.Cells()[i] = T(i % 7)
	}
	step := func(y, _ int) {
		diffuse(next.Row(y, 0), now.Row(y, 0), now.Shifted(-1, y, 0), now.Shifted(1, y, 0), now.Row(y-1, 0), now.Row(y+1, 0), r)
	}
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		for k, row := range []func(y, z int){step, func(y, z int) { copy(next.Row(y, z), now.Row(y, z)) }} {
			begin := time.Now()
			for range 4 {
				if err := now.ForRows(pool, row); err != nil {
					b.Fatal(err)
				}
				now.Swap(next)
			}
			least[k] = min(least[k], time.Since(begin)/4)
		}
	}
	for k, name := range []string{"step", "copy"} {
		b.ReportMetric(float64(least[k].Nanoseconds())/float64(cells*cells), name+"-ns/cell")
	}
	b.ReportMetric(float64(least[1])/float64(least[0]), "share")
}
