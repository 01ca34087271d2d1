//go:build race

package kernels

import "runtime"

const raceEnabled = true

// Assembly is invisible to the race detector, so kernels announce the memory
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
