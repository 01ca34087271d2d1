//go:build !race && !lanewise_guard

package bench

import "testing"

// The race detector and the guard build allocate for their checks; every other
// build allocates nothing once it runs.

func TestIntegrateIsQuiet(t *testing.T) { integrate.quiet(t) }
func TestRotateIsQuiet(t *testing.T)    { rotate.quiet(t) }
func TestHierarchyIsQuiet(t *testing.T) { hierarchy.quiet(t) }

// quiet reports steps that allocate, once what is reused has been made. There
// are more rows than a kernel works on between two chances for the scheduler.
func (s *scenario) quiet(t *testing.T) {
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

// allocations is how often a step allocates, when it does so time and again: a
// worker that had slept until now needs memory once.
func allocations(w work) float64 {
	n := testing.AllocsPerRun(10, w.step)
	for round := 0; n != 0 && round < 10; round++ {
		n = testing.AllocsPerRun(10, w.step)
	}
	return n
}
