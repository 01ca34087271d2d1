package main

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels/kerneltest"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study"
)

// golden is the hash of 64 × 64 spins after 20 sweeps. It is the same on every machine and path, with
// any number of workers.
const golden = 0x6b25d0f472932ba5

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		l := newLattice(64)
		for tick := range uint32(20) {
			if err := l.sweep(pool, random.Key{Seed: 3, Tick: tick}, 0.4); err != nil {
				return 0, err
			}
		}
		return l.hash(), nil
	})
}

// TestOnsager compares the means with the exact values for an infinite lattice, by Onsager (1944) and Yang (1952).
func TestOnsager(t *testing.T) {
	for _, c := range []struct {
		temperature string
		beta        float64
	}{{"2", 1 / 2.0}, {"1.6", 1 / 1.6}, {"3", 1 / 3.0}} {
		o, err := study.Once[*Ising](jobs.Default(), "side=128", "sweeps=400", "temperature="+c.temperature)
		if err != nil {
			t.Fatal(err)
		}
		var magnetisation float64 // 0 above the critical temperature
		if s := math.Sinh(2 * c.beta); s > 1 {
			magnetisation = math.Pow(1-math.Pow(s, -4), 1.0/8)
		}
		if got := o.Result.Magnetisation; math.Abs(got-magnetisation) > 0.004 && magnetisation > 0 || math.Abs(got) > 0.06 && magnetisation == 0 {
			t.Errorf("temperature %s: the magnetisation is %.4f, want %.4f", c.temperature, got, magnetisation)
		}
		if got, want := o.Result.Energy, onsager(c.beta); math.Abs(got-want) > 0.004 {
			t.Errorf("temperature %s: the energy is %.4f, want %.4f", c.temperature, got, want)
		}
	}
}

// onsager returns the exact mean energy of a spin.
func onsager(beta float64) float64 {
	th := math.Tanh(2 * beta)
	k := 2 * math.Sinh(2*beta) / math.Pow(math.Cosh(2*beta), 2)
	a, b := 1.0, math.Sqrt(1-k*k)
	for range 10 {
		a, b = (a+b)/2, math.Sqrt(a*b)
	}
	return -(1 + (2*th*th-1)/a) / th // π/2a is the complete elliptic integral of k
}

// TestNeighbours compares the neighbours of each spin with the neighbours of its square on a chess-board.
func TestNeighbours(t *testing.T) {
	const side = 6
	l := newLattice(side)
	at := func(x, y int) float32 { x, y = (x+side)%side, (y+side)%side; return float32(x + side*y) }
	for c := range 2 {
		for y := range side {
			row := l.row(c, y)
			for k := range row {
				row[k] = at(2*(k-1)+(y+c)%2, y)
			}
		}
	}
	for c := range 2 {
		for y := range side {
			spins, up, down, here, beside := l.neighbours(c, y)
			for k, spin := range spins {
				x := 2*k + (y+c)%2
				got := []float32{spin, up[k], down[k], min(here[k], beside[k]), max(here[k], beside[k])}
				want := []float32{at(x, y), at(x, y-1), at(x, y+1), min(at(x-1, y), at(x+1, y)), max(at(x-1, y), at(x+1, y))}
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("spin %d, %d and its neighbours are %v, want %v", x, y, got, want)
						break
					}
				}
			}
		}
	}
}

// TestStudy checks that a run is the same with any number of workers, and that another seed gives another run.
func TestStudy(t *testing.T) { study.Test[*Ising](t, "side=16", "sweeps=20") }

// TestHeatBath compares the compiled kernel with its Go source on every path.
func TestHeatBath(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		f := func() []float32 { return kerneltest.Lane[float32](in) }
		spin, up, down, here, side, drawn := f(), f(), f(), f(), f(), f()
		return func() { heatBath(spin, up, down, here, side, drawn, 0.4) }, func() { HeatBath(spin, up, down, here, side, drawn, 0.4) }
	})
}

func TestOddSide(t *testing.T) {
	if _, err := study.Once[*Ising](nil, "side=5"); err == nil {
		t.Error("a side of five spins is accepted")
	}
}

// TestPicture checks that each spin is drawn in its place.
func TestPicture(t *testing.T) {
	l := newLattice(8)
	for i := range l.colour[1] {
		l.colour[1][i] = -1
	}
	m := l.picture()
	for y := range 8 {
		for x := range 8 {
			if light := m.GrayAt(x, y).Y > 128; light != ((x+y)%2 == 0) {
				t.Errorf("spin %d, %d is drawn light: %v", x, y, light)
			}
		}
	}
}
