//go:build (!amd64 && !arm64) || purego

package jobs

import "sync/atomic"

// pause waits for n short rounds.
func pause(n uint32) {
	var x atomic.Uint32
	for range 8 * n {
		x.Load()
	}
}

// goroutine identifies the running goroutine among those that are alive. Zero:
// not known on this CPU, and too slow to find out from its stack trace.
func goroutine() uintptr { return 0 }
