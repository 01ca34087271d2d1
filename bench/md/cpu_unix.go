//go:build linux || darwin || freebsd || netbsd || openbsd

package main

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that the program has used. On a machine that runs other programs too, the CPU time is
// more reliable than the time on the clock.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
