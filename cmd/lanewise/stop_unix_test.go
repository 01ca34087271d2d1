//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limit is the longest time that a command may take to stop. On an idle machine it takes 20 ms.
// After 10 s the machine is not just busy: the command still waits for its file.
const limit = 10 * time.Second

// TestStopWhileReading checks that Ctrl-C ends a command that reads a file, even if the file is a pipe
// without a writer, a pipe that gets no data, or a pipe that never ends.
func TestStopWhileReading(t *testing.T) {
	for name, write := range map[string]func(f *os.File){
		"silent": func(*os.File) {},
		"endless": func(f *os.File) {
			for text := make([]byte, 1<<16); ; {
				if _, err := f.Write(text); err != nil {
					return
				}
			}
		},
		"unopened": nil,
	} {
		for _, flag := range []string{"-catalog", "-planets", "-moons"} {
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			stopped, ended := make(chan struct{}), make(chan struct{})
			hold := func() { // until the command has ended or should have ended
				select {
				case <-stopped:
				case <-time.After(limit):
				}
			}
			go func() {
				defer close(ended)
				if write == nil {
					hold() // then releases the reader
				}
				f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				if write != nil {
					go func() { hold(); _ = f.Close() }()
					write(f)
					hold()
				}
				_ = f.Close()
			}()
			time.AfterFunc(20*time.Millisecond, stop)
			began := time.Now()
			_, report, code := lanewiseUntil(t, ctx, false, "orrery", flag, pipe)
			took := time.Since(began)
			close(stopped)
			want := "lanewise orrery: stopped while reading " + pipe + "\n"
			if code != exitStopped || !strings.HasSuffix(report, want) || took >= limit {
				t.Errorf("%s, %s: exit code %d after %v, want %d and %q, got\n%s", flag, name, code, took, exitStopped, want, report)
			}
			<-ended
		}
	}
}

// TestStopAtPipe stops each command that reads a file while it waits for a process to write to a
// pipe. Ctrl-C must end the command.
func TestStopAtPipe(t *testing.T) {
	for _, args := range [][]string{{"scene", "check"}, {"scene", "fmt", "-d"}, {"snapshot", "info"}, {"snapshot", "verify"}, {"replay"}} {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
		release := time.AfterFunc(limit, func() { letGo(t, pipe) })
		began := time.Now()
		_, report, code := lanewiseUntil(t, ctx, false, append(args, pipe)...)
		took := time.Since(began)
		if stop(); release.Stop() {
			letGo(t, pipe)
		}
		if want := "lanewise " + args[0] + ": stopped\n"; code != exitStopped || report != want || took >= limit {
			t.Errorf("%q: exit code %d after %v, want %d and %q, got\n%s", args, code, took, exitStopped, want, report)
		}
	}
}

// letGo opens and closes a pipe for writing, so that a process that waits to read it continues.
func letGo(t *testing.T, pipe string) {
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Error(err)
		return
	}
	_ = f.Close()
}

// TestUntilSignal checks that each of the two signals ends the context, and that the cause of the
// context names the signal.
func TestUntilSignal(t *testing.T) {
	for by, code := range map[syscall.Signal]int{syscall.SIGINT: exitStopped, syscall.SIGTERM: exitTerminated} {
		ctx, stop := untilSignal(context.Background())
		if err := syscall.Kill(os.Getpid(), by); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Minute):
			t.Fatalf("%v does not end the context", by)
		}
		if got := stopCode(ctx); got != code {
			t.Errorf("after %v the exit code is %d, want %d", by, got, code)
		}
		stop()
	}
}

// TestLinkInCircles checks that a symbolic link to itself is refused as an output file and is not
// changed.
func TestLinkInCircles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	for _, err := range []error{os.Symlink("b.csv", a), os.Symlink("a.csv", b)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, flag := range []string{"-csv", "-catalog"} {
		_, report, code := lanewise(t, "orrery", flag, a)
		if code != exitError || strings.Count(report, "\n") != 1 || !strings.Contains(report, a+": too many levels of symbolic links") {
			t.Errorf("%s: exit code %d,\n%s", flag, code, report)
		}
	}
	if to, err := os.Readlink(a); err != nil || to != "b.csv" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if list, err := os.ReadDir(dir); len(list) != 2 {
		t.Errorf("files %v, %v", list, err)
	}
}

// TestModeStays checks that an overwritten file keeps its mode, whatever the umask is.
func TestModeStays(t *testing.T) {
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "x.csv")
	for _, mode := range []os.FileMode{0o664, 0o666, 0o640, 0o600} {
		if err := writeText(path, "old"); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := writeText(path, "new"); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("a file of mode %v is %v after it was overwritten, %v", mode, info.Mode(), err)
		}
	}
}
