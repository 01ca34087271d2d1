package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestSame checks that the C code draws the numbers of package random.
func TestSame(t *testing.T) {
	p, err := start("clang")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	for _, what := range []string{"index", "ids"} {
		drawFunc(what)()
		want := 0.0
		for i, x := range lane {
			want += float64(float64(i%1000) * float64(x))
		}
		for _, bits := range []int{256, 512} {
			if bits == 512 && !slices.Contains(kernels.Paths(), "avx512") {
				continue
			}
			if got, err := p.ask(what, bits, 0); err != nil || got != want || got == 0 {
				t.Errorf("by %s, %d bits: %v, ours %v (%v)", what, bits, got, want, err)
			}
		}
	}
}

// TestTable checks that all rows are there.
func TestTable(t *testing.T) {
	defer kernels.Use(kernels.Path())
	var b strings.Builder
	if err := run(&b, 1, "clang"); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(b.String(), "| by "), 2*(len(kernels.Paths())-1); got != want {
		t.Errorf("%d rows, want %d:\n%s", got, want, &b)
	}
	if err := run(&b, 1, "no-such-compiler"); err == nil {
		t.Error("a compiler that is not there is no error")
	}
}
