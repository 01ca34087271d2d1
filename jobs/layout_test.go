//go:build !386 && !arm && !mips && !mipsle

package jobs

import (
	"testing"
	"unsafe"
)

// TestLayout checks sizes and offsets on 64-bit CPUs. Fields that share a cache line by mistake would
// slow down each other's writers.
func TestLayout(t *testing.T) {
	limit(t)
	for name, size := range map[string]int64{
		"slot":                      int64(unsafe.Sizeof(jobNode{})) % 64,
		"a single job in its slot":  int64(unsafe.Offsetof(jobNode{}.failure)) - 64,
		"loop":                      int64(unsafe.Sizeof(loop{})) % 64,
		"what joining a loop needs": int64(unsafe.Offsetof(loop{}.shares)) - 64,
		"share":                     int64(unsafe.Sizeof(blockShare{})) - 64,
		"Task":                      int64(unsafe.Sizeof(Task{})) % 128,
		"Handle":                    int64(unsafe.Sizeof(Handle{})) - 16,
	} {
		if size != 0 {
			t.Errorf("%s is off by %d bytes", name, size)
		}
	}
}
