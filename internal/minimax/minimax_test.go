package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var full = flag.Bool("lanewise.full", false, "find the polynomials of many terms too")

// TestCoefficients computes the coefficients again and compares them with the source of package
// kernels. Without -lanewise.full it computes only polynomials with a few terms, because each
// polynomial with many terms takes seconds.
func TestCoefficients(t *testing.T) {
	for _, f := range fits {
		if !*full && f.terms > 5 {
			continue
		}
		source, err := os.ReadFile("../../kernels/" + f.file)
		if err != nil {
			t.Fatal(err)
		}
		s := f.solve()
		t.Logf("%s: 2^%.1f", f.name, s.exponent)
		if stated := fmt.Sprintf("// 2^%.1f", s.exponent); !strings.Contains(string(source), stated) {
			t.Errorf("%s: %s does not say %q", f.name, f.file, stated)
		}
		for _, c := range s.coefficients {
			if text := fmt.Sprintf("%x", c); !strings.Contains(string(source), text) {
				t.Errorf("%s: %s is not in %s", f.name, text, f.file)
			}
		}
	}
}
