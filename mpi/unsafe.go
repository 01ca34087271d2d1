package mpi

import "unsafe"

// numbers shows a lane of numbers as such.
func numbers(lane []byte) []uint64 {
	if len(lane) == 0 {
		return nil
	}
	// SAFETY: the lane of a uint64 begins at a multiple of 64 bytes, and holds numbers alone.
	return unsafe.Slice((*uint64)(unsafe.Pointer(&lane[0])), len(lane)/8)
}
