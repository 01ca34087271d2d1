package main

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/order"
)

// TestSame checks that each form of the C++ code sorts rows as package order does.
func TestSame(t *testing.T) {
	p, err := start("clang++")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	leaves[uint32](t, p, "uint32", "packed")
	leaves[uint64](t, p, "uint64", "pairs")
	leaves[float32](t, p, "float32", "packed")
	if _, err := p.ask("packed", "uint64", 8, 100, 1); err == nil {
		t.Error("C++ packs keys of 64 bits")
	}
}

func leaves[K order.Key](t *testing.T, p *program, keys, last string) {
	t.Helper()
	for _, n := range []int{1000, 30_000} {
		for _, form := range []string{"keys", "pairs", last} {
			for _, digit := range []int{8, 11} {
				l := draw[K](n)
				l.sort(form)
				got, err := p.ask(form, keys, digit, n, 0)
				if want := l.sum(form); err != nil || got != want || got == 0 {
					t.Errorf("%s of %s, %d bits, %d rows: %v, ours %v (%v)", form, keys, digit, n, got, want, err)
				}
			}
		}
	}
}

// TestTable checks that all rows are there.
func TestTable(t *testing.T) {
	var b strings.Builder
	if err := run(&b, "2000", 1, "clang++"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "| 2000 |"); got != 6 {
		t.Errorf("%d rows:\n%s", got, &b)
	}
	if err := run(&b, "no number", 1, "clang++"); err == nil {
		t.Error("no number is one")
	}
	if err := run(&b, "5000", 1, "no-such-compiler"); err == nil {
		t.Error("a compiler that is not there is no error")
	}
}
