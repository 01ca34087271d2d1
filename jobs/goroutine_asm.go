//go:build (386 || amd64 || arm || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x) && !purego

package jobs

// quickIdentity says that goroutine finds out who calls, in a nanosecond.
const quickIdentity = true

// goroutine identifies the running goroutine among those that are alive. It is
// compared and never followed.
//
//go:noescape
func goroutine() uintptr

// goroutineID is goroutine, in builds without assembly too.
func goroutineID() uintptr { return goroutine() }
