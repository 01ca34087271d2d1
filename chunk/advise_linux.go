package chunk

import (
	"syscall"
	"unsafe"
)

// Advise asks for huge pages behind the part of memory that can have them, a
// piece of the Go heap without Go pointers that was not touched yet: a sweep over
// all of it, or looks at it at random, then miss the TLB seldom. Errors are
// ignored: a kernel without huge pages refuses the advice, and everything works,
// slower. Only Linux is asked.
func Advise(memory []byte) {
	// SAFETY: the address is only used to find offsets inside memory, which stays
	// where it is; the advice changes no content.
	at := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	lo := (at + hugePage - 1) &^ (hugePage - 1)
	hi := (at + uintptr(len(memory))) &^ (hugePage - 1)
	if lo < hi {
		_ = syscall.Madvise(memory[lo-at:hi-at], syscall.MADV_HUGEPAGE)
	}
}
