//go:build (!amd64 && !arm64) || purego

package jobs

import "sync/atomic"

// pause waits for n short rounds. The number n must not be zero.
func pause(n uint32) {
	var x atomic.Uint32
	for range 8 * n {
		x.Load()
	}
}
