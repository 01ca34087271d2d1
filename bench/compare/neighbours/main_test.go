package main

import (
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// TestSums checks that the sums are close to the sums of the C code, which adds in another order.
func TestSums(t *testing.T) {
	defer kernels.Use(kernels.Path())
	p, err := start("clang")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	const n = 20_000
	s := draw(n, pool)
	if err := s.Sum(); err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, v := range s.Sums {
		total += float64(v)
	}
	for _, what := range []string{"sums", "tiles"} {
		if want, err := p.ask(n, what, 0); err != nil || math.Abs(total-want) > 1e-5*want || want == 0 {
			t.Errorf("%s: %v, C has %v (%v)", what, total, want, err)
		}
	}
}

// TestTable checks that all rows are there.
func TestTable(t *testing.T) {
	defer kernels.Use(kernels.Path())
	var b strings.Builder
	if err := run(&b, "5000", 1, "clang", "avx2", true); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "| 5000 |"); got != 2 {
		t.Errorf("%d rows:\n%s", got, &b)
	}
	if err := run(&b, "no number", 1, "clang", "avx2", true); err == nil {
		t.Error("no number is one")
	}
	if err := run(&b, "5000", 1, "no-such-compiler", "avx2", true); err == nil {
		t.Error("a compiler that is not there is no error")
	}
}
