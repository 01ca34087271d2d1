//go:build unix

package kernels

import (
	"os"
	"syscall"
)

// guardedPages returns n bytes, whole pages, between two inaccessible pages.
func guardedPages(n int) []byte {
	page := os.Getpagesize()
	b, err := syscall.Mmap(-1, 0, n+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	for _, guard := range [][]byte{b[:page], b[page+n:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			panic(err)
		}
	}
	return b[page : page+n : page+n]
}
