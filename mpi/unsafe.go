package mpi

import "unsafe"

// floats shows numbers as floats of the same bits, for kernels that move them.
func floats(list []int32) []float32 {
	// SAFETY: both have four bytes, and are aligned alike.
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// numbers shows a lane of numbers as such.
func numbers(lane []byte) []uint64 {
	if len(lane) == 0 {
		return nil
	}
	// SAFETY: the lane of a uint64 begins at a multiple of 64 bytes, and holds numbers alone.
	return unsafe.Slice((*uint64)(unsafe.Pointer(&lane[0])), len(lane)/8)
}
