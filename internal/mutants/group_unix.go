//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ends are the signals that end the checks of all mutants.
var ends = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// combinedOutput runs a command in a new process group, and then kills the processes that are still in the group. A test that runs
// too long ends without waiting for the programs that it has started, and a mutant may keep them busy without an end.
func combinedOutput(cmd *exec.Cmd) ([]byte, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = end
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = end() // there is usually nothing left
	}
	return out, err
}
