package main

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// golden is the hash of 3,000 systems after 500 steps. It is the same on every machine and path, with any
// number of workers.
const golden = 0x5742cda93224441c

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		a := newAir(pool, 3000)
		err := a.advance(500)
		return a.hash(), err
	})
}

// TestByHand checks that package integrate gives the same bits as the loop that is written out.
func TestByHand(t *testing.T) {
	a, b := newAir(jobs.Default(), 5000), newAir(nil, 5000)
	for _, n := range []int{1, 40} {
		if err := a.advance(n); err != nil {
			t.Fatal(err)
		}
		ByHand(b.state[0], b.state[1], b.state[2], b.heat, dt, dt/6, n)
		if a.hash() != b.hash() {
			t.Errorf("the hash after %d steps is %016x, by hand %016x", a.steps, a.hash(), b.hash())
		}
	}
}

// TestRest compares systems with their point of rest, which exists below a heat of 24.74: x² = 8/3·(heat-1) and z = heat-1.
func TestRest(t *testing.T) {
	a := newAir(jobs.Default(), 1000)
	if err := a.advance(12_000); err != nil {
		t.Fatal(err)
	}
	for i, heat := range a.heat {
		z := a.state[2][i]
		switch off := z - max(heat-1, 0); {
		case heat < 12 && (heat < 0.9 || heat > 1.1) && (off > 1e-3 || off < -1e-3):
			t.Errorf("with the heat %v the height is %v", heat, z)
		case heat > 30 && a.state[0][i]-a.state[1][i] == 0:
			t.Errorf("with the heat %v the system rests", heat)
		}
	}
}

// TestKernels compares the compiled kernels with their Go sources on every path.
func TestKernels(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		var x [7][]float32
		for i := range x {
			x[i] = kerneltest.Lane[float32](in)
		}
		h, sixth, n := kerneltest.Value[float32](in), kerneltest.Value[float32](in), in.Draw().IntN(5)
		return func() {
				slopes(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
				byHand(x[3], x[4], x[5], x[6], h, sixth, n)
			}, func() {
				Slopes(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
				ByHand(x[3], x[4], x[5], x[6], h, sixth, n)
			}
	})
}

// TestPicture checks that systems with little heat are on a line in the picture, and systems with much heat
// are not.
func TestPicture(t *testing.T) {
	a := newAir(jobs.Default(), 20_000)
	if err := a.advance(2000); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "lorenz.png")
	if err := pngfile.Save(name, a.picture(100, 100)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	lit := func(x int) (n int) {
		for y := range 100 {
			if light, _, _, _ := m.At(x, y).RGBA(); light > 0 {
				n++
			}
		}
		return n
	}
	if cold, hot := lit(20), lit(90); cold < 1 || cold > 3 || hot < 20 {
		t.Errorf("%d pixels of a cold column and %d of a hot one are lit", cold, hot)
	}
}

// BenchmarkRK4 measures steps of a million systems. It compares package integrate with a loop that is written
// out. One call does all steps, or each step is a separate call.
func BenchmarkRK4(b *testing.B) {
	const n = 1_000_000
	for _, steps := range []int{1, 20} {
		for _, c := range []struct {
			name string
			run  func(a *air) error
		}{
			{"integrate", func(a *air) error { return a.advance(steps) }},
			{"hand", func(a *air) error {
				ByHand(a.state[0], a.state[1], a.state[2], a.heat, dt, dt/6, steps)
				return nil
			}},
			{"passes", func(a *air) error {
				for range steps {
					ByHand(a.state[0], a.state[1], a.state[2], a.heat, dt, dt/6, 1)
				}
				return nil
			}},
		} {
			b.Run(fmt.Sprintf("path=%s/steps=%d/%s", kernels.Path(), steps, c.name), func(b *testing.B) {
				a := newAir(nil, n)
				for b.Loop() {
					if err := c.run(a); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(steps)/n, "ns/step")
			})
		}
	}
}
