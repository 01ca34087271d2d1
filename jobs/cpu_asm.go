//go:build (amd64 || arm64) && !purego

package jobs

// pause waits for n rounds of the CPU's hint for spinning. The number n must not be zero.
//
//go:noescape
func pause(n uint32)
