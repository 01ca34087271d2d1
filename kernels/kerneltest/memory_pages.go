//go:build linux || darwin

package kerneltest

import (
	"os"
	"syscall"
)

// guardedLane returns memory for a lane that ends at a page that cannot be read.
// The memory is never freed.
func guardedLane() []byte {
	page := max(os.Getpagesize(), pageBytes)
	b, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("kerneltest: no memory for a lane: " + err.Error())
	}
	if err := syscall.Mprotect(b[page:], syscall.PROT_NONE); err != nil {
		panic("kerneltest: no guard page: " + err.Error())
	}
	return b[page-laneBytes : page : page]
}
