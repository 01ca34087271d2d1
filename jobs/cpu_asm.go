//go:build (amd64 || arm64) && !purego

package jobs

// pause waits for n rounds of the CPU's hint for spinning. n must not be zero.
//
//go:noescape
func pause(n uint32)

// goroutine identifies the running goroutine among those that are alive. It is
// compared and never followed. Zero: not known on this CPU.
//
//go:noescape
func goroutine() uintptr
