package rollback

import "unsafe"

// memoryOf returns the memory of a value as bytes.
func memoryOf[T any](v *T) []byte {
	// SAFETY: the caller has checked that T contains no pointers. The bytes keep v alive.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}
