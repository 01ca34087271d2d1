//go:build race

package kernels

import "runtime"

const raceEnabled = true

// The race detector does not see the accesses of assembly, so kernels announce the memory
// that they read and write.

func announceRead(s span) {
	if s.rows != 0 {
		runtime.RaceReadRange(s.base, s.rows*int(s.size))
	}
}

func announceWrite(s span) {
	if s.rows != 0 {
		runtime.RaceWriteRange(s.base, s.rows*int(s.size))
	}
}
