package mpi

import "unsafe"

// floats returns a slice of uint32 as a slice of float32 with the same bits, so
// that kernels can copy the values.
func floats(list []int32) []float32 {
	// SAFETY: both types have four bytes and the same alignment.
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// numbers returns the bytes of a lane as numbers.
func numbers(lane []byte) []uint64 {
	if len(lane) == 0 {
		return nil
	}
	// SAFETY: a lane of uint64 begins at a multiple of 64 bytes, and every bit
	// pattern is a valid number.
	return unsafe.Slice((*uint64)(unsafe.Pointer(&lane[0])), len(lane)/8)
}
