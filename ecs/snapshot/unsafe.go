package snapshot

import "unsafe"

// textOf returns bytes as a string without copying. The string must not be used after the bytes
// change.
func textOf(b []byte) string {
	// SAFETY: the text is alive as long as the bytes are, and the caller keeps it no longer than they stay unwritten.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// memoryOf returns the memory of values as bytes.
func memoryOf[T any](s []T) []byte {
	var zero T
	// SAFETY: soa.Lanes has found no pointers in T, and the slice is alive as long as the bytes are.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(zero))
}
