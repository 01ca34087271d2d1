//go:build unix

package study

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestListPipe checks that a list of points may come from a pipe. A signal must end the wait for a
// pipe to which no process writes.
func TestListPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "list")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	p := programOf[*walk]("Main")
	args := []string{"sweep", "-plan", "-out", filepath.Join(dir, "out"), "-list", pipe}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	var out, said strings.Builder
	code := make(chan int, 1)
	go func() { code <- p.main(ctx, args, Console{Out: &out, Err: &said}, nil, nil) }()
	select {
	case got := <-code:
		if got != exitFault || !strings.Contains(said.String(), "stopped while reading "+filepath.ToSlash(pipe)) {
			t.Errorf("code %d, %s", got, said.String())
		}
	case <-time.After(2 * time.Minute):
		t.Error("it waits for the pipe")
	}
	if err := os.WriteFile(pipe, nil, 0); err != nil { // releases the reader
		t.Error(err)
	}
}
