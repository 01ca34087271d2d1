//go:build !race && !lanewise_guard

package bench

import "testing"

// The race detector and the guard build allocate for their checks. Every other build allocates nothing
// once it has warmed up.

func TestIntegrateIsQuiet(t *testing.T) { integrate.checkAllocs(t) }
func TestRotateIsQuiet(t *testing.T)    { rotate.checkAllocs(t) }
func TestHierarchyIsQuiet(t *testing.T) { hierarchy.checkAllocs(t) }

// checkAllocs reports steps that allocate after reusable memory has been allocated. The test uses more rows
// than a kernel processes between two scheduling points.
func (s *scenario) checkAllocs(t *testing.T) {
	for _, side := range s.sides {
		w := side.make(t, 66_000)
		for range 20 {
			w.step()
		}
		if n := allocations(w); n != 0 {
			t.Errorf("via=%s: %v allocations a step, want none", side.via, n)
		}
	}
}

// allocations returns the allocations of a step if they occur in every step. A worker that has slept
// until now allocates once, which does not count.
func allocations(w work) float64 {
	n := testing.AllocsPerRun(10, w.step)
	for round := 0; n != 0 && round < 10; round++ {
		n = testing.AllocsPerRun(10, w.step)
	}
	return n
}
