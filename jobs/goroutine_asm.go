//go:build (386 || amd64 || arm || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x || wasm) && !purego

package jobs

// fastGoroutineID is true if a call of goroutine takes about a nanosecond.
const fastGoroutineID = true

// goroutine returns the address of the runtime's record of the running goroutine. The address is
// only compared and never dereferenced.
//
//go:noescape
func goroutine() uintptr

// goroutineID is the same as goroutine; builds without assembly have a slower implementation.
func goroutineID() uintptr { return goroutine() }
