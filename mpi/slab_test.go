package mpi

import (
	"fmt"
	"strings"
	"testing"
)

// go test repeats a stored result if the test binary is the same. This list makes the functions a part of the binary, because only the
// command that the tests start calls them.
var _ = []any{FillMargins[float64], GatherField[float64]}

// TestFields compares the margins of random fields with those of one field of the whole grid, with neighbors that
// differ, that are the same rank on both sides, and that are the rank itself. One run sends messages in short pieces.
func TestFields(t *testing.T) {
	t.Parallel()
	n := 300
	if *full {
		n = 20_000
	}
	for _, args := range [][]string{{"1"}, {"2"}, {"3", "-piece", "60"}, {"8"}} {
		var ranks, fixed, periodic, mirrored int
		var axes [3]int
		if _, err := fmt.Sscan(args[0], &ranks); err != nil {
			t.Fatal(err)
		}
		line := runCase(t, "ok", ranks, append([]string{"-case", "fields", "-worlds", fmt.Sprint(n)}, args[1:]...)...)
		if _, err := fmt.Sscanf(line, "ok %d %d %d, axes [%d %d %d]", &fixed, &periodic, &mirrored, &axes[0], &axes[1], &axes[2]); err != nil || min(fixed, periodic, mirrored, axes[0], axes[1], axes[2]) < n/5 {
			t.Errorf("%d ranks: a rule or an axis was tested too seldom: %s, %v", ranks, line, err)
		}
	}
}

// TestHeat solves the heat equation on 1 to 8 ranks, with one to three workers. The hashes must be equal.
func TestHeat(t *testing.T) {
	t.Parallel()
	want := ""
	for _, ranks := range []int{1, 2, 3, 5, 8} {
		out, code := mpirun(t, ranks, "-case", "heat", "-ticks", "40", "-workers", fmt.Sprint(1+ranks%3))
		if code != 0 || strings.Count(out, "hash ") != 3 {
			t.Fatalf("%d ranks: code %d:\n%s", ranks, code, out)
		}
		if want == "" {
			want = out
		}
		if out != want {
			t.Errorf("%d ranks:\n%s\nwant\n%s", ranks, out, want)
		}
	}
}

// TestSlabRefused checks the messages about grids with too few cells and about fields of another shape.
func TestSlabRefused(t *testing.T) {
	t.Parallel()
	out, code := mpirun(t, 4, "-case", "slab")
	for _, want := range []string{
		"NewSlab: the space cannot be cut so: 4 ranks for 3 cells along Z: each rank needs at least 1, so start fewer ranks",
		"4 ranks for 7 cells along Y: each rank needs at least 2",
		"mpi: FillMargins: the field has the shape {X:9 Y:0 Z:0 Margin:1}, and the slab of rank 0 has {X:2 Y:0 Z:0 Margin:1}: make the field with Slab.Shape",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("code %d, the output does not have %q:\n%s", code, want, out)
		}
	}
}
