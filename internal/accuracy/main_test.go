package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestFastestFails runs a checker that does not exist, so the fastest path fails. The other paths must not report that they differ.
func TestFastestFails(t *testing.T) {
	defer func(path string) {
		if err := kernels.Use(path); err != nil {
			t.Error(err)
		}
	}(kernels.Path())
	r := run{only: regexp.MustCompile("^(Exp|Hypot)Rounded"), stride: 1 << 20, samples: 10, at: 1, checker: filepath.Join(t.TempDir(), "none"), done: map[string]*progress{}}
	err := r.rounded(io.Discard, regexp.MustCompile(""))
	if err == nil || strings.Count(err.Error(), "Rounded on path") != 2 || strings.Contains(err.Error(), "differ") {
		t.Error(err)
	}
}

// TestStateOfAnotherBuild reads a state that another build has written.
func TestStateOfAnotherBuild(t *testing.T) {
	old := run{state: filepath.Join(t.TempDir(), "state"), build: "a", done: map[string]*progress{"a/Exp/f32/9": {Blocks: 7}}}
	if err := old.save(); err != nil {
		t.Fatal(err)
	}
	for build, want := range map[string]int{"a": 1, "b": 0} {
		r := run{state: old.state, build: build}
		if err := r.load(); err != nil || len(r.done) != want {
			t.Errorf("build %s: %d functions, want %d: %v", build, len(r.done), want, err)
		}
	}
}
