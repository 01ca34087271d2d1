package system

import (
	"math"
	"runtime"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// systemCounts are the numbers of systems that TestSystemsGrow creates.
var systemCounts = []int{1, 10, 100, 1000}

// TestSystemsGrow measures the cost of 1 to 1,000 systems. If the number of systems grows by a
// factor f, no cost may grow by more than f to the power of 1.05. A frame may not allocate more
// with many systems than with one.
func TestSystemsGrow(t *testing.T) {
	if guard {
		t.Skip("the guard build keeps and allocates more")
	}
	const linear, constant = 1.05, 0
	for _, g := range []struct {
		name  string
		power float64
		slack float64 // cost that is ignored
		count func(t *testing.T, n int) float64
	}{
		{"bytes of systems", linear, 1 << 15, func(t *testing.T, n int) float64 {
			bytes, _ := allocated(func() { manySystems[asking](t, n) })
			return bytes
		}},
		{"allocations of systems", linear, 200, func(t *testing.T, n int) float64 {
			_, count := allocated(func() { manySystems[asking](t, n) })
			return count
		}},
		{"bytes of the first frame", linear, 1 << 16, func(t *testing.T, n int) float64 {
			w := manySystems[smallSystem[int]](t, n)
			bytes, _ := allocated(func() { must(t, Update(w)) })
			return bytes
		}},
		{"allocations of a frame", constant, 20, func(t *testing.T, n int) float64 {
			w := manySystems[smallSystem[int]](t, n)
			must(t, Update(w))
			must(t, Update(w))
			_, count := allocated(func() { must(t, Update(w)) })
			return count
		}},
		{"jobs that are waited for by systems that write one component", linear, 1, func(t *testing.T, n int) float64 {
			w := manySystems[smallSystem[int]](t, n)
			must(t, Update(w))
			return float64(len(Explain(w).Waits))
		}},
		{"allocations of the end", linear, 200, func(t *testing.T, n int) float64 {
			w := manySystems[asking](t, n)
			_, count := allocated(func() { must(t, w.Close()) })
			return count
		}},
	} {
		t.Run(g.name, func(t *testing.T) {
			before := g.count(t, systemCounts[0])
			for i, n := range systemCounts[1:] {
				got, most := g.count(t, n), (before+g.slack)*math.Pow(float64(n)/float64(systemCounts[i]), g.power)
				if got > most {
					t.Errorf("%v for %d, %v for %d: at most %.0f are wanted", before, systemCounts[i], got, n, most)
				}
				before = got
			}
		})
	}
}

// manySystems creates a world with n systems of a type in one group, and an entity that they
// update.
func manySystems[S any, P interface {
	*S
	System
}](t *testing.T, n int) *ecs.World {
	w := newWorld(t, Only(), OnPool(newPool(t, 1)))
	w.Spawn(small[int]{})
	for range n {
		s, err := Create[S, P](w)
		must(t, err)
		must(t, GetOrCreate[Simulation](w).Add(s))
	}
	return w
}

// allocated returns the bytes and the number of the allocations of f, if no other goroutine
// allocates meanwhile.
func allocated(f func()) (bytes, count float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
}
