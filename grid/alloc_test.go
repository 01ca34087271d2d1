//go:build !race && !lanewise_guard

package grid_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
)

// TestAllocations checks that repeated calls of Deposit and Gather allocate only a few small objects, and
// that the other methods allocate nothing.
func TestAllocations(t *testing.T) {
	pool := jobs.New(jobs.Workers(4))
	defer pool.Close()
	for most, p := range map[float64]*jobs.Pool{8: nil, 13: pool} {
		allocations(t, p, most)
	}
}

func allocations(t *testing.T, pool *jobs.Pool, most float64) {
	s := draw[float64](rand.New(rand.NewPCG(5, 0)), 2, 5000)
	s.mesh.Pool = pool
	sums, f, dst := grid.NewSums(s.shape, quantum), grid.New[float64](s.shape), make([]float64, 5000)
	run := func() {
		sums.Reset()
		if s.mesh.Deposit(sums, s.at, s.value) != nil || s.mesh.Gather(dst, f, s.at) != nil {
			t.Fatal("an error")
		}
		sums.FoldMargins(grid.Periodic, grid.Mirrored, grid.Fixed)
		grid.CopyTo(f, sums)
		f.FillMargins(grid.Edges[float64]{})
	}
	n := math.Inf(1)
	for start, tries := time.Now(), 0; n > most && (tries < 20 || time.Since(start) < 2*time.Second); tries++ {
		n = min(n, testing.AllocsPerRun(1, run)) // a worker that starts late allocates once
	}
	if n > most {
		t.Errorf("%v: %v allocations, want at most %v", pool, n, most)
	}
}
