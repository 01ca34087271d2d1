//go:build unix

package main

import (
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain runs the tests, the programs of TestOne or the program of TestStops. The last ends with
// status 4 as soon as it stood still for at least 50 ms, and with status 5 if that does not happen
// within 30 s.
func TestMain(m *testing.M) {
	switch os.Getenv("STALL_PAIR") {
	case "parent":
		pair()
	case "child":
		for {
			if _, err := os.Stdout.Write([]byte{1}); err != nil {
				os.Exit(0)
			}
			time.Sleep(time.Millisecond)
		}
	}
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

// TestOne checks that at times only one of two processes stands still. Each writes a byte every
// millisecond; one of them must write 50 bytes while the other writes none.
func TestOne(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("finds the processes of a group by the files of Linux in /proc")
	}
	t.Setenv("STALL_PAIR", "parent")
	if code, err := run(200*time.Millisecond, os.Args[:1]); code != 4 || err != nil {
		t.Errorf("status %d, %v; want 4, from a program that stood still alone", code, err)
	}
}

// pair starts this program again and ends with status 4 as soon as the other process stood still
// alone, and with status 5 if that does not happen within 30 s.
func pair() {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "STALL_PAIR=child")
	out, err := child.StdoutPipe()
	if err != nil || child.Start() != nil {
		os.Exit(6)
	}
	var got atomic.Int64
	go func() {
		b := make([]byte, 1)
		for {
			if _, err := out.Read(b); err != nil {
				return
			}
			got.Add(1)
		}
	}()
	still := 0
	for range 30_000 {
		before := got.Load()
		time.Sleep(time.Millisecond)
		if still++; got.Load() != before {
			still = 0
		}
		if still == 50 {
			_ = child.Process.Kill()
			os.Exit(4)
		}
	}
	_ = child.Process.Kill()
	os.Exit(5)
}

// TestStops checks that a program stands still at times.
func TestStops(t *testing.T) {
	t.Setenv("STALL_PROBE", "1")
	if code, err := run(200*time.Millisecond, os.Args[:1]); code != 4 || err != nil {
		t.Errorf("status %d, %v; want 4, from a program that stood still", code, err)
	}
}
