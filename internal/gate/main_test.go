package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	rows, err := parse(skips)
	if err != nil || len(rows) < 10 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if key := r.pkg + " " + r.test; seen[key] {
			t.Errorf("%s has two rows", key)
		} else {
			seen[key] = true
		}
		if !exists(t, r) {
			t.Errorf("%s has no test %s", r.pkg, r.test)
		}
	}
	if _, err := parse("jobs TestSoak\n"); err == nil || !strings.Contains(err.Error(), "skips.txt:1") {
		t.Error(err)
	}
}

// exists reports whether the test that a row names exists in its package.
func exists(t *testing.T, r row) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(r.pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return r.test == "*" || strings.Contains(string(text), "\nfunc "+r.test+"(")
	})
}

func TestAllows(t *testing.T) {
	rows, err := parse("ecs/host TestA race guard+full # why\n\nhost TestA !race\njobs TestB any\nsoa * full\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pkg, test, on string
		want          bool
	}{
		{"m/ecs/host", "TestA", "race", true},
		{"m/ecs/host", "TestA/sub/test", "race", true},
		{"ecs/host", "TestA", "race", true},
		{"m/ecs/host", "TestAB", "race", false},
		{"m/myecs/host", "TestA", "race", false},
		{"m/ecs/host", "TestA", "", true}, // matches the second row
		{"m/ecs/other", "TestA", "", false},
		{"m/jobs", "TestB", "", true},
		{"m/jobs", "TestC", "race guard full", false},
		{"m/soa", "TestC", "full", true},
		{"m/soa", "TestC", "guard", false},
	} {
		if got := isAllowed(rows, skip{c.pkg, c.test, "why"}, strings.Fields(c.on)); got != c.want {
			t.Errorf("%s %s with %q: allowed %v", c.pkg, c.test, c.on, got)
		}
	}
	guarded := rows[:1]
	for on, want := range map[string]bool{"": false, "guard": false, "full": false, "guard full": true} {
		if got := isAllowed(guarded, skip{"ecs/host", "TestA", "why"}, strings.Fields(on)); got != want {
			t.Errorf("with %q: allowed %v", on, got)
		}
	}
}

// printed is the output of go test -json for a package with one test for each
// possible result.
const printed = `{"Action":"start","Package":"m/p"}
{"Action":"run","Package":"m/p","Test":"TestA"}
{"Action":"output","Package":"m/p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"m/p","Test":"TestA","Output":"    a_test.go:7: no clang: install it\n"}
{"Action":"output","Package":"m/p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"m/p","Test":"TestA"}
{"Action":"output","Package":"m/p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"m/p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"m/p","Test":"TestB"}
{"Action":"output","Package":"m/p","Test":"TestC","Output":"    a_test.go:30: quiet\n"}
{"Action":"pass","Package":"m/p","Test":"TestC"}
{"Action":"output","Package":"m/p","Test":"TestD","Output":"    a_test.go:40: wrong\n"}
{"Action":"fail","Package":"m/p","Test":"TestD"}
{"Action":"output","Package":"m/p","Test":"TestE","Output":"panic: in the middle\n"}
{"Action":"build-output","ImportPath":"m/q","Output":"q.go:1: does not compile\n"}
not JSON at all
{"Action":"output","Package":"m/p","Output":"FAIL\tm/p\t0.1s\n"}
{"Action":"fail","Package":"m/p"}
`

func TestRead(t *testing.T) {
	var out strings.Builder
	found, err := read(&out, strings.NewReader(printed))
	want := []skip{{"m/p", "TestA", "no clang: install it"}, {"m/p", "TestB", ""}}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("found %q, error %v", found, err)
	}
	for _, part := range []string{"a_test.go:40: wrong\n", "TestE did not end:\npanic: in the middle\n",
		"q.go:1: does not compile\n", "not JSON at all\n", "FAIL\tm/p\t0.1s\n"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not printed", part)
		}
	}
	if strings.Contains(out.String(), "quiet") {
		t.Error("what a test printed that passed is printed")
	}
}

func TestJudge(t *testing.T) {
	rows := []row{{pkg: "p", test: "TestA", when: [][]string{{"full"}}}}
	var out strings.Builder
	sub := []skip{{"m/p", "TestA/1", "slow"}, {"m/p", "TestA/2", "slow"}}
	if err := printSkips(&out, rows, []string{"full"}, sub); err != nil || out.String() != "skipped 2  m/p.TestA: slow\n" {
		t.Errorf("%q, error %v", out.String(), err)
	}
	for _, s := range []skip{{"m/p", "TestA", ""}, {"m/p", "TestB", "why"}, {"m/q", "TestA", "why"}} {
		if err := printSkips(&out, rows, []string{"full"}, []skip{s}); err == nil || !strings.Contains(err.Error(), s.test) {
			t.Errorf("%q: error %v", s, err)
		}
	}
	if printSkips(&out, rows, nil, sub) == nil {
		t.Error("a skip is allowed without its condition")
	}
}

func TestCommand(t *testing.T) {
	cmd, err := test([]string{"GOARCH=arm64", "GOFLAGS=-mod=mod", "go", "test", "-short", "./..."}, "-run", "X")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(cmd.Args, " "); got != "go test -json -run X -short ./..." {
		t.Error(got)
	}
	if n := len(cmd.Env); cmd.Env[n-2] != "GOARCH=arm64" || cmd.Env[n-1] != "GOFLAGS=-mod=mod" {
		t.Error(cmd.Env[n-2:])
	}
	cmd, err = test([]string{"go", "-C", "bench/compare", "test", "./..."})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(cmd.Args, " "); got != "go -C bench/compare test -json ./..." {
		t.Error(got)
	}
	for _, words := range [][]string{
		nil, {"GOARCH=arm64"}, {"go", "vet", "./..."}, {"go", "test"}, {"go", "-C", "dir", "test"}, {"go", "-x", "dir", "test", "./..."},
		{"go", "-C", "test", "./..."},
	} {
		if _, err := test(words); err == nil {
			t.Errorf("%q is taken for a test", words)
		}
	}
}
