//go:build !unix

package main

import "os/exec"

// combinedOutput runs a command.
func combinedOutput(cmd *exec.Cmd) ([]byte, error) { return cmd.CombinedOutput() }
