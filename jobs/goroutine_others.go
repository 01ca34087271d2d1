//go:build (386 || arm || loong64 || ppc64 || ppc64le || riscv64 || s390x) && !purego

package jobs

// goroutine identifies the running goroutine among those that are alive. It is
// compared and never followed. Zero: not known on this CPU.
//
//go:noescape
func goroutine() uintptr
