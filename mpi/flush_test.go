package mpi

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFlushedThreads checks a library that flushes subnormal numbers to zero: it must be detected
// when a pool is made and when a rank begins. A library built with -ffast-math sets this mode, on
// all threads or on one thread. Without such a library there must be no error.
func TestFlushedThreads(t *testing.T) {
	name := filepath.Join(t.TempDir(), "flush")
	if out, err := exec.Command("go", "build", "-tags", buildTags, "-o", name, "./internal/flush").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const cause = "threads take subnormal numbers for zero, so results would not have the same bits as elsewhere: as a rule a C library in this process that was built with -ffast-math"
	for _, c := range []struct {
		name  string
		env   []string
		args  []string
		wants []string // of the lines
		ends  int
	}{
		{"as Go expects", nil, nil, []string{"pool: <nil>", "begin: <nil>"}, 0},
		{"when it is loaded", []string{"FLUSH=1"}, nil, []string{"pool: jobs: New: ", "begin: mpi: Begin: rank 0 of 1: "}, 1},
		{"later, on one thread", nil, []string{"late"}, []string{"before: <nil>", "pool: jobs: New: 1 of ", "begin: mpi: Begin: rank 0 of 1: 1 of "}, 1},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		args := append(append(append([]string{}, launcher[1:]...), "-n", "1", name), c.args...)
		cmd := exec.CommandContext(ctx, launcher[0], args...)
		cmd.Env = append(os.Environ(), c.env...)
		out, _ := cmd.Output() // the exit code shows the result
		cancel()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if code := cmd.ProcessState.ExitCode(); code != c.ends || len(lines) != len(c.wants) {
			t.Errorf("%s: exit code %d, want %d:\n%s", c.name, code, c.ends, out)
			continue
		}
		for i, want := range c.wants {
			if !strings.HasPrefix(lines[i], want) || !strings.HasSuffix(want, "<nil>") && !strings.Contains(lines[i], cause) {
				t.Errorf("%s: %q does not begin with %q and name the cause", c.name, lines[i], want)
			}
		}
	}
}
