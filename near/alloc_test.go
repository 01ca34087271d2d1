//go:build !race && !lanewise_guard

package near

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// TestAllocs checks that a grid that is rebuilt and queried again and again does not allocate, with
// and without a pool.
func TestAllocs(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	for seed := range uint64(6) {
		s := crowd[float32](seed, minParallel)
		g, p := New(s.space), Point[float32]{X: 5, Y: 6, Z: 2}
		var lists Lists
		var tile Tile[float32]
		var found []Found[float32]
		var runs []Run
		for _, g.Pool = range []*jobs.Pool{pool, nil} {
			run := func() {
				g.Build(s.x, s.y, s.z)
				g.Move()
				g.Clear()
				g.Add(s.x, s.y, s.z)
				g.Sort()
				if err := g.Neighbours(&lists, 0.2); err != nil {
					t.Error(err)
				}
				tile.Load(g, g.Tiles()/2, 1)
				found = g.AppendNearest(g.AppendWithin(found[:0], p, 1), p, 3)
				runs = g.AppendRuns(runs[:0], p, 1)
				g.Any(p, 0.1)
				g.Hit(p, Point[float32]{X: 9}, 0.01)
			}
			if got := steadyAllocs(run); got != 0 {
				t.Errorf("seed %d: %v allocations", seed, got)
			}
		}
	}
}

// steadyAllocs returns the number of allocations of a run after the first runs have allocated their
// memory. If the code itself allocates, it does so in each run. A worker that starts late, or the
// runtime for a waiting goroutine, allocates only once, but on a busy machine this may be long after
// the first runs. So a single run without allocations proves that the code does not allocate. An
// average over several runs would count both kinds of allocations.
func steadyAllocs(run func()) float64 {
	least := math.Inf(1)
	for start, tries := time.Now(), 0; least > 0 && (tries < 20 || time.Since(start) < 2*time.Second); tries++ {
		least = min(least, testing.AllocsPerRun(1, run))
	}
	return least
}

// TestTreeAllocs checks that trees are built and queried without allocating.
func TestTreeAllocs(t *testing.T) {
	allocsOfTree[float32](t)
	allocsOfTree[float64](t)
}

func allocsOfTree[T kernels.Float](t *testing.T) {
	s := crowd[T](1, 3000)
	var tree Tree[T]
	var found []Found[T]
	run := func() {
		tree.Build(s.x, s.y, s.z)
		found = tree.AppendNearest(tree.AppendWithin(found[:0], Point[T]{X: 5, Y: 6, Z: 2}, 1), Point[T]{X: 5}, 9)
		tree.Any(Point[T]{}, 1)
	}
	run()
	if n := testing.AllocsPerRun(3, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestClustersAllocs checks that a list that is made again and again does not allocate, with and without a pool.
func TestClustersAllocs(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(3, 4))
	var at [3][]float64
	for a := range at {
		for range minParallel / 3 {
			at[a] = append(at[a], 30*r.Float64())
		}
	}
	column := make([]float64, len(at[0]))
	for _, border := range []Border{Walled, Periodic, Endless} {
		c := NewClusters(Space[float64]{Dims: 3, High: Point[float64]{X: 30, Y: 30, Z: 30}, Border: border}, 1, 0.1)
		for _, c.Pool = range []*jobs.Pool{pool, nil} {
			run := func() {
				if err := c.Build(at[0], at[1], at[2]); err != nil {
					t.Error(err)
				}
				c.Reorder(column, column)
				for _, far := range []float64{0.01, 1} {
					c.At().X[0] = 15 + float64(far*r.Float64())
					if _, err := c.Move(); err != nil {
						t.Error(err)
					}
				}
			}
			if got := steadyAllocs(run); got != 0 {
				t.Errorf("%v: %v allocations", border, got)
			}
		}
	}
}
