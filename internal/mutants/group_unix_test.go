//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCombinedOutput checks that a command that ends or is canceled leaves no child running.
func TestCombinedOutput(t *testing.T) {
	for _, script := range []string{"sleep 1000 >/dev/null 2>&1 & echo $! >$FILE", "echo $$ >$FILE; sleep 1000"} {
		file := filepath.Join(t.TempDir(), "pid")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", script)
		cmd.Env, cmd.WaitDelay = append(os.Environ(), "FILE="+file), time.Second
		go func() {
			for pid := ""; pid == ""; time.Sleep(time.Millisecond) {
				pid = readPID(file)
			}
			if !strings.Contains(script, "&") {
				cancel()
			}
		}()
		_, _ = combinedOutput(cmd)
		pid := readPID(file)
		for begin := time.Now(); exec.Command("kill", "-0", pid).Run() == nil; time.Sleep(time.Millisecond) {
			if time.Since(begin) > time.Minute {
				t.Fatalf("%s: process %s still runs", script, pid)
			}
		}
	}
}

// readPID returns the number in a file, or an empty text if there is none yet.
func readPID(file string) string {
	text, _ := os.ReadFile(file)
	return strings.TrimSpace(string(text))
}
