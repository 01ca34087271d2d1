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

// as returns a lane under the name of another type of its size.
//
// SAFETY: called only behind narrow, so that To and T have the same size; integers have
// no bits that are none.
func as[To, T Integer](p []T) []To {
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(p))), len(p))
}

// floats returns the bits of integers under the name of floats of their size.
//
// SAFETY: called only behind narrow, so that F and T have the same size; they are moved or
// compared with zero, and no CPU makes other bits of them by that.
func floats[F kernels.Float, T Integer](p []T) []F {
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(p))), len(p))
}

// lane returns a block as a lane.
//
// SAFETY: a block is aligned for integers of 64 bits, and has as many of 32 twice.
func lane[T Integer](block *[some]uint64) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(block)), some*8/unsafe.Sizeof(x))
}
