//go:build unix

package main

import (
	"os"
	"testing"
	"time"
)

// TestMain runs the tests or, for TestStops, a program that ends with status 4 as soon as it stood
// still for at least 50 ms, and with status 5 if that does not happen within 30 s.
func TestMain(m *testing.M) {
	if os.Getenv("STALL_PROBE") == "" {
		os.Exit(m.Run())
	}
	begin := time.Now()
	for last := begin; ; {
		now := time.Now()
		if now.Sub(last) >= 50*time.Millisecond {
			os.Exit(4)
		}
		if now.Sub(begin) > 30*time.Second {
			os.Exit(5)
		}
		last = now
	}
}

// TestStatus checks that run returns the exit status of a program.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		script string
		want   int
	}{{"exit 0", 0}, {"exit 3", 3}, {"kill -9 $$", 1}} {
		if code, err := run(5*time.Millisecond, []string{"sh", "-c", c.script}); code != c.want || err != nil {
			t.Errorf("%q: status %d, %v; want %d", c.script, code, err, c.want)
		}
	}
	if code, err := run(5*time.Millisecond, []string{"./no-such-program"}); code != 2 || err == nil {
		t.Errorf("no program: status %d, %v", code, err)
	}
}

// TestStops checks that a program stands still at times.
func TestStops(t *testing.T) {
	t.Setenv("STALL_PROBE", "1")
	if code, err := run(200*time.Millisecond, os.Args[:1]); code != 4 || err != nil {
		t.Errorf("status %d, %v; want 4, from a program that stood still", code, err)
	}
}
