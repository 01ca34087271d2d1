//go:build !unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ends are the signals that end the checks of all mutants.
var ends = []os.Signal{os.Interrupt, syscall.SIGTERM}

// combinedOutput runs a command.
func combinedOutput(cmd *exec.Cmd) ([]byte, error) { return cmd.CombinedOutput() }
