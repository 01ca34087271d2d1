package mpi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestMarks checks ghosts of rows that are inactive, are prefabs, or have disabled components. The
// ghosts must have the same marks, so that queries find the same rows on any number of ranks.
func TestMarks(t *testing.T) {
	t.Parallel()
	args := []string{"-case", "lamps", "-rows", "300", "-ticks", "24"}
	if *full {
		args = []string{"-case", "lamps", "-rows", "200", "-ticks", "10000"}
	}
	want := runCase(t, "lamps", 1, args...)
	for _, ranks := range []int{2, 3} {
		t.Run(fmt.Sprintf("ranks=%d", ranks), func(t *testing.T) {
			t.Parallel()
			if got := runCase(t, "lamps", ranks, args...); got != want {
				t.Errorf("%d ranks: %s, one: %s", ranks, got, want)
			}
		})
	}
}

// TestTagLacks checks that a row that lacks a tag of Halo is an error, like a row that lacks a
// component with values. Otherwise the row's ghosts would have the tag.
func TestTagLacks(t *testing.T) {
	t.Parallel()
	out, code := mpirun(t, 2, "-case", "bright")
	if code == 0 || !strings.Contains(out, "the row with ID 3 has no main.Bright, which is of Halo: rows have all of that") {
		t.Errorf("code %d:\n%s", code, out)
	}
}

// TestMarksTogether checks a ghost that gets or loses several marks at once. The ghost must pass
// through the same archetypes in each run, because the order of archetypes affects the order of
// queries and the hash of the world.
func TestMarksTogether(t *testing.T) {
	const both = inactiveMark | prefabMark
	for _, way := range [][]rowMarks{{0, both}, {both, 0}, {0, both, 0}, {inactiveMark, prefabMark}, {prefabMark, inactiveMark}} {
		var first string
		for run := range 24 {
			w := ecs.NewWorld("marks")
			var ghosts []ecs.Entity
			for c := range w.Create(w.Archetype(ecs.With[ecs.Ghost]()), 3).Chunks() {
				ghosts = append(ghosts, c.Entities()...)
			}
			h := &halo[float32]{}
			is := rowMarks(0)
			for _, want := range way {
				if err := h.apply(w, change{ghosts[0], is, want}); err != nil {
					t.Fatal(err)
				}
				is = want
			}
			for i, want := range []rowMarks{inactiveMark, prefabMark} {
				if err := h.apply(w, change{ghosts[1+i], 0, want}); err != nil {
					t.Fatal(err)
				}
			}
			q := w.Query(ecs.With[ecs.Ghost](), ecs.IncludeHidden())
			got := fmt.Sprintf("%v, hash %x", q.AppendEntities(nil), w.Hash())
			if w.Close(); run == 0 {
				first = got
			}
			if got != first {
				t.Fatalf("marks %v: run %d has %s, the first %s", way, run, got, first)
			}
		}
	}
}
