package ints

import (
	"unsafe"

	"github.com/lanewise/lanewise/kernels"
)

// narrow reports whether T has 32 bits. The compiler folds it.
func narrow[T Integer]() bool {
	var x T
	return unsafe.Sizeof(x) == 4
}

// as converts a lane to another element type of the same size.
//
// SAFETY: every call is in a branch on narrow, so that To and T have the same
// size. Every bit pattern is a valid integer.
func as[To, T Integer](p []T) []To {
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(p))), len(p))
}

// floats returns the bits of integers as floats of the same size.
//
// SAFETY: every call is in a branch on narrow, so that F and T have the same
// size. The floats are only moved or compared with zero, which changes no bits
// on any CPU.
func floats[F kernels.Float, T Integer](p []T) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(p))), len(p))
}

// lane returns a block as a lane.
//
// SAFETY: a block is aligned for 64-bit integers, and has room for twice as many 32-bit
// integers.
func lane[T Integer](block *[blockWords]uint64) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(block)), blockWords*8/unsafe.Sizeof(x))
}
