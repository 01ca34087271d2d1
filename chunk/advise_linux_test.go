package chunk

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestAdvise looks for the advice in the kernel's list of mappings. The part of a large slab that is
// aligned to 2 MiB must be marked for huge pages.
func TestAdvise(t *testing.T) {
	if !adviceShows(t) {
		t.Skip("no VmFlags in smaps, or no huge pages: the advice cannot be seen here")
	}
	var s Slabs
	for len(s.slabs) == 0 || s.slabs[len(s.slabs)-1].unitCount*Size < maxSlabBytes {
		s.Get(Size)
	}
	lo := uint64(uintptr(s.slabs[len(s.slabs)-1].base))
	for _, at := range []uint64{lo, lo + hugePageBytes, lo + 4*hugePageBytes - Size} {
		if !advised(at) {
			t.Errorf("the block at %#x is not advised", at)
		}
	}
}

// adviceShows reports whether the kernel shows advice on a mapping of the test. Some kernels and
// containers hide it.
func adviceShows(t *testing.T) bool {
	const size = 4 * hugePageBytes
	m, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(m); err != nil {
			t.Error(err)
		}
	}()
	err = syscall.Madvise(m, syscall.MADV_HUGEPAGE)
	return err == nil && advised(uint64(uintptr(unsafe.Pointer(&m[size/2]))))
}

// advised reports whether the mapping that holds an address is marked for huge pages.
func advised(at uint64) bool {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read, so an error does not matter
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var lo, hi uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &lo, &hi); n == 2 {
			inside = lo <= at && at < hi
		} else if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && inside {
			return strings.Contains(flags+" ", " hg ")
		}
	}
	return false
}
