package crowd

import (
	"slices"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
	"github.com/lanewise/lanewise/random"
)

// TestNear compares the compiled kernel with its Go source on every path.
func TestNear(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		f := func() []float32 { return kerneltest.Lane[float32](in) }
		sum, x, y, z := f(), f(), f(), f()
		cx, cy, cz, m := kerneltest.Slice[float32](in, 9), kerneltest.Slice[float32](in, 9), kerneltest.Slice[float32](in, 9), kerneltest.Slice[float32](in, 9)
		return func() { weigh(sum, x, y, z, cx, cy, cz, m, 2) }, func() { Near(sum, x, y, z, cx, cy, cz, m, 2) }
	})
}

// TestPlain checks that sums in plain Go have the same bits as those of the kernel. It does so on
// each path, with each number of workers, and with one or several pieces of tiles.
func TestPlain(t *testing.T) {
	before := kernels.Path()
	defer func() {
		if err := kernels.Use(before); err != nil {
			t.Error(err)
		}
	}()
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 100, 5000} {
			for _, workers := range []int{1, 2} {
				var lanes [4][]float32
				for k := range lanes {
					lanes[k] = make([]float32, n)
					random.Uniform(lanes[k], random.Key{Seed: 2, Stream: uint32(k)}.Rows(0))
				}
				pool := jobs.New(jobs.Workers(workers))
				c := New(pool, lanes[0], lanes[1], lanes[2], lanes[3])
				if err := c.Sum(); err != nil {
					t.Fatal(err)
				}
				sums := slices.Clone(c.Sums)
				clear(c.Sums)
				c.Plain(n)
				if !slices.Equal(sums, c.Sums) || slices.Max(sums) == 0 {
					t.Errorf("%s, %d points, %d workers: other sums than plain Go has", path, n, workers)
				}
				if err := pool.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
