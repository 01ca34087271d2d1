package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestHash checks that the hash is the golden one on every path and for any number of workers.
func TestHash(t *testing.T) {
	text, err := os.ReadFile("testdata/hash.golden")
	if err != nil {
		t.Fatal(err)
	}
	golden := string(text)
	keepPath(t)
	check := func(path string, workers int) {
		if out, report, code := lanewise(t, "hash", "-path", path, "-workers", strconv.Itoa(workers)); code != exitOK || out != golden {
			t.Errorf("path %s, %d workers: exit code %d, hash %q, want %q\n%s", path, workers, code, out, golden, report)
		}
	}
	best := kernels.Path()
	workers := []int{1, 3, 8, 64}
	if testing.Short() {
		workers = []int{3}
	} else {
		for _, path := range kernels.Paths() {
			check(path, 2)
		}
	}
	for _, n := range workers {
		check(best, n)
	}
	if out, _, _ := lanewise(t, "hash", "-frames", "23"); out == golden || strings.TrimSpace(out) == "" {
		t.Errorf("a frame less hashes to %q, want another number than %q", out, golden)
	}
}
