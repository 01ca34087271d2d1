package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestClaimsPage checks that docs/claims.md has a row for each claim, that each
// row is the target of a link, and that each link shows the number of its row.
func TestClaimsPage(t *testing.T) {
	known, err := readValues(valuesFile)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != claimsPage(claims, known) {
		t.Errorf("docs/claims.md differs from the table and from %s: run make claims UPDATE=1 ROWS=none", valuesFile)
	}
	pages, err := linkingPages()
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]bool{}
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range claimLink.FindAllStringSubmatch(string(text), -1) {
			links[m[3]] = true
			if v, ok := known[m[3]]; !ok {
				t.Errorf("%s: there is no row %s", name, m[3])
			} else if m[1] != format(v.Median) {
				t.Errorf("%s: the number of %s is %s, and its row has %s", name, m[3], m[1], format(v.Median))
			}
		}
	}
	if n := len(claims); n > 40 {
		t.Errorf("%d rows: a reader reads at most 40", n)
	}
	for i, c := range claims {
		if _, ok := known[c.name]; !ok {
			t.Errorf("%s has no value: run make claims UPDATE=1 ROWS='^%s$'", c.name, c.name)
		}
		if !links[c.name] {
			t.Errorf("no page links to %s", c.name)
		}
		for _, other := range claims[:i] {
			if other.name == c.name {
				t.Errorf("two rows have the name %s", c.name)
			}
		}
	}
}

// fixedClaim is a claim whose measurements take the given times, one after another.
func fixedClaim(name string, faster bool, times ...float64) *claim {
	n := 0
	return &claim{name, "Page", "work", "rival", faster, func(*rig) ([]turn, error) {
		n++
		return []turn{{1, times[min(n, len(times))-1]}}, nil
	}}
}

// TestCheck checks which ratios count as off, and what an update writes.
func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"docs/performance", "bench/compare"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("README.md", "It is [0](docs/claims.md#fast) × as fast, see [claims](docs/claims.md) and [other](docs/claims.md#gone).\n")
	write("docs/performance/a.md", "It takes [0](../claims.md#slow) × the time.\n")
	t.Chdir("bench/compare")
	write(valuesFile, "{}")
	missing := &claim{"missing", "Page", "work", "rival", false, func(*rig) ([]turn, error) { return nil, errMissing("there is no clang") }}
	all := func(string) bool { return true }
	r := &rig{rounds: 1}
	var b strings.Builder
	if err := checkClaims(&b, []*claim{fixedClaim("fast", true, 8), fixedClaim("slow", false, 0.8), missing}, all, r, true); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"../../README.md":             "It is [8.0](docs/claims.md#fast) × as fast, see [claims](docs/claims.md) and [other](docs/claims.md#gone).\n",
		"../../docs/performance/a.md": "It takes [1.25](../claims.md#slow) × the time.\n",
	} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is %q (%v), want %q", filepath.Base(name), got, err, want)
		}
	}
	if page, err := os.ReadFile(pageFile); err != nil || !strings.Contains(string(page), "| 1.25 × the time | 1.25 | 1 |\n") {
		t.Errorf("the page is %q (%v)", page, err)
	}
	for _, c := range []struct {
		name, want string
		list       []*claim
		fails      bool
	}{
		{"the same", "0 of 2 rows are off by more than 15 %", []*claim{fixedClaim("fast", true, 8.5), fixedClaim("slow", false, 0.75), missing}, false},
		{"skipped", "skipped: there is no clang", []*claim{fixedClaim("fast", true, 8), missing}, false},
		{"slower", "OFF: the page says 8.0", []*claim{fixedClaim("fast", true, 6)}, true},
		{"faster, which is off too", "1 of 1 rows are off", []*claim{fixedClaim("fast", true, 10)}, true},
		{"disturbed twice", "0 of 1 rows are off", []*claim{fixedClaim("fast", true, 2, 3, 7.9)}, false},
		{"a new row", "OFF: the page has no value", []*claim{fixedClaim("new", true, 6)}, true},
		{"nothing", "", []*claim{missing}, true},
	} {
		b.Reset()
		err := checkClaims(&b, c.list, all, r, false)
		if (err != nil) != c.fails || !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: error %v and\n%swant %q", c.name, err, &b, c.want)
		}
	}
	values, err := os.ReadFile(valuesFile)
	if err != nil {
		t.Fatal(err)
	}
	write(valuesFile, strings.ReplaceAll(string(values), `"machine": "`, `"machine": "an older `))
	b.Reset()
	if err := checkClaims(&b, []*claim{fixedClaim("fast", true, 2)}, all, r, false); err != nil || !strings.Contains(b.String(), "of another machine") {
		t.Errorf("a ratio of another machine: error %v and\n%s", err, &b)
	}
}

func TestFormat(t *testing.T) {
	for x, want := range map[float64]string{0.0339: "0.034", 0.126: "0.13", 1.136: "1.14", 1.994: "1.99", 1.996: "2.0", 7.16: "7.2", 9.96: "10", 12.4: "12"} {
		if got := format(x); got != want {
			t.Errorf("format(%v) is %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]float64{7.1649: 7.16, 0.033951: 0.034, 123.4: 123, 1.0049: 1} {
		if got := roundDigits(x); got != want {
			t.Errorf("digits(%v) is %v, want %v", x, got, want)
		}
	}
}

func TestMachine(t *testing.T) {
	for load, want := range map[string]string{"": "", "0.31 0.10 0.05 1/99 7\n": "", "2.90 9 9 1/99 7\n": "", "3.20 0 0 1/99 7\n": ", with other load"} {
		if got := otherLoad(load, 2); got != want {
			t.Errorf("with the load %q the words are %q, want %q", load, got, want)
		}
	}
	if !sameMachine("A, avx2, 2 cores, go1.26.8, with other load", "A, avx2, 2 cores, go1.27") || sameMachine("A, avx2, 2 cores, go1.26.8", "A, avx512, 2 cores, go1.26.8") {
		t.Error("only the version of Go and the load may differ")
	}
}

// TestSides checks that the faster rival counts, and that turns keep their order.
func TestSides(t *testing.T) {
	constant := func(ns ...float64) side {
		n := -1
		return side{"", func(int) (float64, error) { n++; return ns[n/leastGroups%len(ns)] * 1e7, nil }}
	}
	slow, fast := constant(9), constant(2)
	turns, err := measureSides(func(*rig) (side, []side, error) { return constant(4), []side{slow, fast}, nil })(&rig{rounds: 3})
	if err != nil || len(turns) != 3 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	for _, got := range turns {
		if want := (turn{4e7, 2e7}); got != want {
			t.Errorf("turn is %v, want %v", got, want)
		}
	}
	made := 0
	turns, err = measureAnew(func(*rig) (side, []side, error) {
		made++
		return constant(4), []side{constant(float64(made))}, nil
	})(&rig{rounds: 3})
	if err != nil || made != placements || len(turns) != 2*placements || turns[0].rival != 1e7 || turns[2].rival != 2e7 {
		t.Errorf("made %d times, %v, %v", made, turns, err)
	}
}

// TestKernelSides measures one row that has no C program, from the table to the value.
func TestKernelSides(t *testing.T) {
	path := kernels.Paths()[len(kernels.Paths())-1]
	c := &claim{name: "add", faster: true, measure: measureSides(kernelSides("integrate", 64, 1024, path, "gonum"))}
	got, err := c.check(&rig{rounds: 1}, map[string]claimValue{}, true)
	if path == "generic" { // the table has plain Go instead of this path
		if err == nil {
			t.Error("plain Go is our side")
		}
		return
	}
	if err != nil || got.Median < 0.05 || got.Median > 50 || got.Machine == "" {
		t.Errorf("AddScaled is %v × as fast as gonum (%v)", got, err)
	}
}
