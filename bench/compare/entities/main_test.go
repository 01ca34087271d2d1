package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/bench/compare/worlds"
)

// TestWaysAgree does each way three times in separate worlds. All ways of a task must have the same results.
func TestWaysAgree(t *testing.T) {
	for _, kind := range worlds.Tasks {
		const n = 700 // two chunks, and archetypes with up to ten components
		var want []float32
		for i := range kind.Make(n).Ways {
			task := kind.Make(n)
			way := task.Ways[i]
			for range 3 {
				way.Time(1)
			}
			got := way.Result()
			slices.Sort(got) // archetypes may come in any order
			if i == 0 {
				want = got
			}
			if len(got) < 2*n {
				t.Errorf("%s, %s: %d numbers of %d entities", task.Name, way.Name, len(got), n)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: other numbers than %s", task.Name, way.Name, task.Ways[0].Name)
			}
		}
	}
}

// TestTable checks that the table has a row for each way, and that wrong flags are errors.
func TestTable(t *testing.T) {
	var b strings.Builder
	if err := run(&b, "change|loop/1000$", 1); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(b.String(), "\n| "), 1+1+11+2; got != want {
		t.Errorf("%d rows, want %d:\n%s", got, want, &b)
	}
	if err := run(&b, "(", 1); err == nil {
		t.Error("( is a pattern")
	}
	if err := run(&b, ".", 0); err == nil {
		t.Error("no round is enough")
	}
}
