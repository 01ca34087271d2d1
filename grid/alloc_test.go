//go:build !race && !lanewise_guard

package grid_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/grid"
)

// TestAllocations checks that repeated calls allocate only for the calls on the pool.
func TestAllocations(t *testing.T) {
	s := draw[float64](rand.New(rand.NewPCG(5, 0)), 2, 5000)
	sums, f, dst := grid.NewSums(s.shape, quantum), grid.New[float64](s.shape), make([]float64, 5000)
	n := testing.AllocsPerRun(10, func() {
		sums.Reset()
		if s.mesh.Deposit(sums, s.at, s.value) != nil || s.mesh.Gather(dst, f, s.at) != nil {
			t.Fatal("an error")
		}
		sums.FoldMargins(grid.Periodic, grid.Mirrored, grid.Fixed)
		grid.CopyTo(f, sums)
		f.FillMargins(grid.Edges[float64]{})
	})
	if n > 8 {
		t.Errorf("%v allocations, want at most 8", n)
	}
}
