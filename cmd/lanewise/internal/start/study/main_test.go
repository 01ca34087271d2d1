package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study"
)

// fire returns the result of a run.
func fire(t *testing.T, density, side string) Result {
	t.Helper()
	pool := jobs.New(jobs.Workers(2))
	t.Cleanup(func() { _ = pool.Close() })
	out, err := study.Once[*Forest](pool, "density="+density, "side="+side)
	if err != nil {
		t.Fatal(err)
	}
	return out.Result
}

// TestResult checks one run exactly. After a change of the model, write its new result here.
func TestResult(t *testing.T) {
	if got, want := fire(t, "0.6", "50"), (Result{Burnt: 0.8057932850559578, Steps: 112}); got != want {
		t.Errorf("the result is %+v, want %+v", got, want)
	}
}

// TestThreshold checks that fire dies out in sparse forests, and burns nearly all trees of a dense forest. The density at
// which this changes in an infinite forest is 0.5927.
func TestThreshold(t *testing.T) {
	for _, side := range []string{"80", "100", "120"} {
		if sparse, dense := fire(t, "0.4", side).Burnt, fire(t, "0.8", side).Burnt; sparse > 0.2 || dense < 0.9 {
			t.Errorf("side %s: %v of a sparse forest and %v of a dense one burned, want at most 0.2 and at least 0.9", side, sparse, dense)
		}
	}
}

func TestDraw(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fire.png")
	if err := draw(name); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() == 0 {
		t.Errorf("the picture: %v, %v", info, err)
	}
}
