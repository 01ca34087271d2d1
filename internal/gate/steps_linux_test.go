package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSteps checks that .ci/run fails if one of its steps has failed, even if the step ran in
// parallel, or was killed before it could report its failure.
func TestSteps(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   []string
		fails  bool
	}{
		"all pass":       {"step a true; beside b true & beside c true & wait; summary a b c", []string{"3 passed, 0 failed"}, false},
		"one fails":      {"step a false; step b true; summary a b", []string{"a              FAILED", "1 passed, 1 failed"}, true},
		"one says why":   {"step a bash -c 'echo ok; echo FAIL of a; exit 2'; summary a", []string{"--- a\nFAIL of a", "0 passed, 1 failed"}, true},
		"beside another": {"beside a false & beside b true & wait; summary a b", []string{"1 passed, 1 failed"}, true},
		"killed":         {"beside a bash -c 'kill -9 $PPID; sleep 1' & wait; step b true; summary a b", []string{"a FAILED: it did not come to an end", "1 passed, 1 failed"}, true},
		"never begun":    {"step a true; summary a b", []string{"b FAILED: it did not come to an end", "1 passed, 1 failed"}, true},
		"none":           {"summary", []string{"0 passed, 0 failed"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("bash", "-c", "set -euo pipefail; notes=$1; . ../../.ci/steps; "+c.script, "bash", t.TempDir())
			out, err := cmd.CombinedOutput()
			if (err != nil) != c.fails {
				t.Errorf("error %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is missing", want)
				}
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}

// TestLists checks that a step over several packages fails if go list fails, even if go list has already
// listed some packages.
func TestLists(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "go")
	for code, fails := range map[string]bool{"0": false, "1": true} {
		text := "#!/bin/sh\nif [ \"$1\" = list ]; then echo ./examples/hello; exit " + code + "; fi\n"
		if err := os.WriteFile(fake, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"examples", "bench-once"} {
			if out, err := exec.Command("make", "-s", "-C", "../..", "GO="+fake, step).CombinedOutput(); (err != nil) != fails {
				t.Errorf("make %s, where go list ends with %s: %v\n%s", step, code, err, out)
			}
		}
	}
}

// TestNewcomers checks that make prints one line with the remedy if a newcomer's machine lacks a program.
func TestNewcomers(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\n[ \"$1\" = env ] && echo no-such-cc || echo ./soa\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, env, target, want string }{
		{"no compiler", "CC=no-such-cc", "race", "make race: the race detector needs a C compiler, and there is no no-such-cc: install one (Debian: gcc and libc6-dev), or set CC"},
		{"no vendor", "GOFLAGS=-buildvcs=false -mod=vendor", "test", `GOFLAGS has -mod=vendor, and there is no folder vendor: unset GOFLAGS, or run "go mod vendor" without it`},
		{"no module", "DIR=/nowhere", "replace", `make replace: there is no go.mod in DIR="/nowhere": give the folder of your module, for example make replace DIR="$PWD"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command("make", "-s", "-C", "../..", "GO="+fake, c.target)
			cmd.Env = append(os.Environ(), c.env)
			out, err := cmd.CombinedOutput()
			if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err == nil || len(lines) > 2 || !strings.Contains(lines[0], c.want) {
				t.Errorf("error %v, output\n%s\nwant one line and make's own:\n%s", err, out, c.want)
			}
		})
	}
}
