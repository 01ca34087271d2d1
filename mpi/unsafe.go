package mpi

import (
	"unsafe"

	"github.com/lanewise/lanewise/grid"
)

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

// cellBytes returns the memory of the cells of a field.
func cellBytes[T grid.Number](cells []T) []byte {
	if len(cells) == 0 {
		return nil
	}
	// SAFETY: a number has no padding and no pointers, and every bit pattern is a valid number.
	return unsafe.Slice((*byte)(unsafe.Pointer(&cells[0])), len(cells)*int(unsafe.Sizeof(cells[0])))
}
