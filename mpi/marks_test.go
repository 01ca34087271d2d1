package mpi

import (
	"fmt"
	"strings"
	"testing"
)

// Rows that are inactive, prefabs, or have components switched off are so as ghosts, too: queries find the same rows on any number of ranks.
func TestMarks(t *testing.T) {
	t.Parallel()
	args := []string{"-case", "lamps", "-rows", "300", "-ticks", "24"}
	if *full {
		args = []string{"-case", "lamps", "-rows", "200", "-ticks", "10000"}
	}
	want := said(t, "lamps", 1, args...)
	for _, ranks := range []int{2, 3} {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			t.Parallel()
			if got := said(t, "lamps", ranks, args...); got != want {
				t.Errorf("%d ranks: %s, one: %s", ranks, got, want)
			}
		})
	}
}

// A tag of Halo that a row does not have would be on its ghosts: that is an error, as it is for a component with values.
func TestTagLacks(t *testing.T) {
	t.Parallel()
	out, code := mpirun(t, 2, "-case", "bright")
	if code == 0 || !strings.Contains(out, "the row with ID 3 has no main.Bright, which is of Halo: rows have all of that") {
		t.Errorf("code %d:\n%s", code, out)
	}
}
