package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/benchbin"
)

// sideOf returns a runner of two benchmarks. After the last time, the times begin again.
func sideOf(calls *int, a ...float64) runner {
	return func(benchbin.Spec) (benchbin.Results, error) {
		*calls++
		return benchbin.Results{
			"A": {"ns/op": a[(*calls-1)%len(a)], "B/op": 1e6},
			"B": {"ns/op": 100},
		}, nil
	}
}

func TestCompare(t *testing.T) {
	g := &group{"work", "./p", benchbin.Spec{}, "ns/op"}
	for _, c := range []struct {
		name  string
		times []float64
		calls int
		want  []string
	}{
		{"the same speed", []float64{100}, 3, nil},
		{"four percent slower", []float64{104}, 3, nil},
		{"six percent slower", []float64{106}, 9, []string{"./p A ns/op"}},
		{"disturbed once", []float64{100, 300, 100}, 3, nil},
		{"disturbed for a whole measurement", []float64{300, 300, 300, 100, 100, 100}, 6, nil},
	} {
		var before, after int
		got, err := g.compare(io.Discard, sideOf(&before, 100), sideOf(&after, c.times...), 3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: slower are %q, want %q", c.name, got, c.want)
		}
		if after != c.calls || before != c.calls {
			t.Errorf("%s: %d and %d calls, want %d", c.name, before, after, c.calls)
		}
	}
	var b strings.Builder
	var before, after int
	if _, err := g.compare(&b, sideOf(&before, 100), sideOf(&after, 150), 3); err != nil {
		t.Fatal(err)
	}
	if want := "1.500  SLOWER\n"; !strings.Contains(b.String(), want) || strings.Contains(b.String(), "B/op") {
		t.Errorf("the table is\n%s\nand does not contain %q, or contains bytes", &b, want)
	}
	g.unit = "miles"
	if _, err := g.compare(io.Discard, sideOf(&before, 1), sideOf(&after, 1), 3); err == nil {
		t.Error("a unit that no benchmark reports is no error")
	}
}

// TestGroups checks that each group selects benchmarks that exist.
func TestGroups(t *testing.T) {
	for _, g := range groups {
		files, err := os.ReadDir("../../" + g.pkg)
		if err != nil {
			t.Fatal(err)
		}
		var source strings.Builder
		for _, f := range files {
			if strings.HasSuffix(f.Name(), "_test.go") {
				text, err := os.ReadFile("../../" + g.pkg + "/" + f.Name())
				if err != nil {
					t.Fatal(err)
				}
				source.Write(text)
			}
		}
		for _, name := range topNames(g.spec.Pattern) {
			if !strings.Contains(source.String(), "func Benchmark"+name) && !regexp.MustCompile(`func Benchmark\w*`+name).MatchString(source.String()) {
				t.Errorf("%s: %s has no Benchmark%s", g.work, g.pkg, name)
			}
		}
	}
}

// topNames returns the names of benchmarks in a pattern, without the names of
// sub-benchmarks.
func topNames(pattern string) (names []string) {
	depth, level := 0, 0
	word := ""
	for _, r := range pattern + "|" {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '/' && depth == 0:
			level++
		}
		if level == 0 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			word += string(r)
			continue
		}
		if word != "" && level <= 1 {
			names = append(names, strings.TrimPrefix(word, "Benchmark"))
		}
		word = ""
		if r == '|' && depth == 0 {
			level = 0
		}
	}
	return names
}

// TestArguments checks the errors for wrong flags.
func TestArguments(t *testing.T) {
	for _, c := range []struct{ base, only, want string }{
		{"", ".", "name the commit"},
		{"HEAD", "(", "error parsing regexp"},
		{"no-such-commit", ".", "no-such-commit"},
	} {
		if err := run(io.Discard, c.base, c.only, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("base %q, only %q: error is %v, want %q", c.base, c.only, err, c.want)
		}
	}
}
