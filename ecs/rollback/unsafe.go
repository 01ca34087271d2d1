package rollback

import "unsafe"

// memoryOf returns the memory of a value as bytes.
func memoryOf[T any](v *T) []byte {
	// SAFETY: the caller has checked that T contains no pointers, and v is alive as long as the
	// bytes are.
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}
