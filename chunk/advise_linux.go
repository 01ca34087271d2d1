package chunk

import (
	"syscall"
	"unsafe"
)

// Advise asks the system to use huge pages for memory. The argument memory is a piece of the Go
// heap that holds no Go pointers and has not been touched yet. With huge pages, sweeps and random
// access miss the TLB much less often. Errors are ignored, because huge pages only change the
// speed: a kernel without them refuses the advice. Advise does nothing on systems other than
// Linux.
func Advise(memory []byte) {
	// SAFETY: the code uses the address only to compute offsets inside memory, which the heap does
	// not move. The advice changes no content.
	at := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	lo := (at + hugePageBytes - 1) &^ (hugePageBytes - 1)
	hi := (at + uintptr(len(memory))) &^ (hugePageBytes - 1)
	if lo < hi {
		_ = syscall.Madvise(memory[lo-at:hi-at], syscall.MADV_HUGEPAGE)
	}
}
