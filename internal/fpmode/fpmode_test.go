package fpmode

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// TestCheck checks that the threads of a Go program use the floating-point mode that Go expects.
// Package mpi/internal/flush has programs whose threads use another mode.
func TestCheck(t *testing.T) {
	if err := Check(); err != nil {
		t.Error(err)
	}
}

// TestEachThread checks that each probe runs on a separate thread and that the error of any probe is
// returned.
func TestEachThread(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		var calls, bad atomic.Int32
		err := check(n, func() string {
			runtime.Gosched()
			if calls.Add(1)%2 == 1 {
				bad.Add(1)
				return "count wrong"
			}
			return ""
		})
		mode, is := err.(*ErrMode)
		if !is || int(calls.Load()) != n || mode.Of != n || mode.Threads != int(bad.Load()) {
			t.Errorf("%d threads: %v after %d probes", n, err, calls.Load())
		} else if s := mode.Error(); !strings.Contains(s, "threads count wrong") || !strings.Contains(s, "-ffast-math") {
			t.Errorf("the error says %q", s)
		}
	}
}
