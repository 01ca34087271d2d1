package model

import (
	"testing"

	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// golden is the hash of 50 × 50 cells after 100 steps. It is the same on every machine and path, with any
// number of workers.
const golden = 0x78d8b04f6e0b15f1

// advance does steps with the default rates.
func advance(t *testing.T, d *Dish, steps int) *Dish {
	t.Helper()
	for range steps {
		if err := d.Step(0.0545, 0.062); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) { return advance(t, New(pool, 50), 100).Hash(), nil })
}

// TestShift checks that the plane has no edge: if all drops are moved by some cells, the whole pattern must
// move by the same cells.
func TestShift(t *testing.T) {
	const n, dx, dy = 50, 13, 31
	a, b := New(jobs.Default(), n), New(nil, n)
	fields := func(d *Dish) []*grid.Field[float32] { return []*grid.Field[float32]{d.U, d.V} }
	compare := func(do func(from, to *grid.Field[float32], x, y int)) {
		for i, f := range fields(a) {
			for y := range n {
				for x := range n {
					do(f, fields(b)[i], x, y)
				}
			}
		}
	}
	compare(func(from, to *grid.Field[float32], x, y int) { to.Set((x+dx)%n, (y+dy)%n, 0, from.At(x, y, 0)) })
	advance(t, a, 200)
	advance(t, b, 200)
	compare(func(from, to *grid.Field[float32], x, y int) {
		if got, want := to.At((x+dx)%n, (y+dy)%n, 0), from.At(x, y, 0); got != want {
			t.Fatalf("cell %d, %d is %v, in the moved pattern %v", x, y, want, got)
		}
	})
}

// TestPattern checks that the pattern spreads, and that its concentrations stay between 0 and 1.
func TestPattern(t *testing.T) {
	d := New(jobs.Default(), 64)
	_, before := d.Mean()
	if _, after := advance(t, d, 1500).Mean(); after < 2*before || after < 0.1 {
		t.Errorf("the mean of V is %v after 1,500 steps, and was %v", after, before)
	}
	for _, f := range []*grid.Field[float32]{d.U, d.V} {
		for _, c := range f.Cells() {
			if !(c >= 0 && c <= 1) {
				t.Fatalf("a concentration is %v", c)
			}
		}
	}
}

// TestReact compares the compiled kernel with its Go source on every path.
func TestReact(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		var x [20][]float32
		for i := range x {
			x[i] = kerneltest.Lane[float32](in)
		}
		run := func(f func(nextU, nextV, u, uw, ue, un, us, unw, une, usw, use, v, vw, ve, vn, vs, vnw, vne, vsw, vse []float32, feed, kill float32)) func() {
			return func() {
				f(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15], x[16], x[17], x[18], x[19], 0.05, 0.06)
			}
		}
		return run(react), run(React)
	})
}
