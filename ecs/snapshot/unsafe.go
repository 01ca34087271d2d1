package snapshot

import "unsafe"

// memoryOf shows values as the bytes that they are.
func memoryOf[T any](s []T) []byte {
	var zero T
	// SAFETY: soa.Lanes has found no pointers in T, and the slice is alive as long as the bytes are.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(zero))
}
