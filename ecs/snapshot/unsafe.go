package snapshot

import "unsafe"

// textOf returns bytes as a string without copying. The string must not be used after the bytes
// are changed.
func textOf(b []byte) string {
	// SAFETY: the string keeps the bytes alive, and the caller does not use the string after the bytes
	// are overwritten.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// memoryOf returns the memory of values as bytes.
func memoryOf[T any](s []T) []byte {
	var zero T
	// SAFETY: soa.Lanes has checked that T contains no pointers, and the slice is alive while the bytes
	// are used.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(zero))
}
