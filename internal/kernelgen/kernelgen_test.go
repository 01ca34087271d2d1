package main

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const kernels = "../../kernels"

// TestCurrent fails when a checked-in file is not what the table says.
func TestCurrent(t *testing.T) {
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join(kernels, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if string(got) != want {
			line := 1 + strings.Count(common(string(got), want), "\n")
			t.Errorf("%s: line %d is not what the generator writes: run go generate ./kernels", name, line)
		}
	}
}

// common returns what a and b begin with.
func common(a, b string) string {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return a[:i]
		}
	}
	return a[:n]
}

// TestFormatted holds the Go files to gofmt; what asmfmt wants is checked by
// make lint.
func TestFormatted(t *testing.T) {
	for name, text := range files() {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		want, err := format.Source([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if string(want) != text {
			t.Errorf("%s is not as gofmt would have it", name)
		}
	}
}

// TestTable looks for rows that would be written wrongly: the text of a step has
// a place for the operands it names and no other.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range table {
		if seen[k.name] {
			t.Errorf("%s stands twice in the table", k.name)
		}
		seen[k.name] = true
		known := map[string]bool{"": true}
		for _, v := range append(append([]string{}, k.lanes...), k.scalars...) {
			known[v] = true
		}
		for _, st := range k.steps {
			if !known[st.a] || !known[st.b] || st.b == "" {
				t.Errorf("%s: %v uses what is not there", k.name, st)
			}
			known[st.dst] = true
		}
		if k.compare && len(k.steps) != 1 {
			t.Errorf("%s: a comparison has one step", k.name)
		}
	}
}

// TestComments shows what stands beside the instructions.
func TestComments(t *testing.T) {
	want := map[string][]string{
		"add":       {"x + y"},
		"mulAdd":    {"x*y", "x*y + z"},
		"addScaled": {"s*y", "x + s*y"},
		"lerp":      {"y - x", "s*(y - x)", "x + s*(y - x)"},
		"clamp":     {"t = lo > x ? lo : x", "hi < t ? hi : t"},
		"sqrt":      {"√x"},
		"below":     {"s > x"},
	}
	for _, k := range table {
		for i, w := range want[k.name] {
			if got := k.comment(i); got != w {
				t.Errorf("%s: %q, want %q", k.name, got, w)
			}
		}
		delete(want, k.name)
	}
	for name := range want {
		t.Errorf("%s is not in the table", name)
	}
}
