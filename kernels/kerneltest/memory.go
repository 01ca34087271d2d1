package kerneltest

import "unsafe"

// pageBytes is the size of the memory of one lane. It is a multiple of every page size in use.
const pageBytes = 1 << 16

// laneBytes is the size of a lane. Arguments use only this last part of the memory of a
// lane, so that few bytes must be filled and compared.
const laneBytes = 1 << 10

// toNumbers reads bytes as numbers.
//
// SAFETY: b is alive while the slice is alive, starts at a multiple of 8, and has the length of the slice in
// bytes. A Number has no pointers, and any bits are a valid Number.
func toNumbers[T Number](b []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(x)))
}

// bits returns the bits of a number.
//
// SAFETY: x is alive, and bits reads as many bytes as x has.
func bits[T Number](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&x)))
	}
	return *(*uint64)(unsafe.Pointer(&x))
}

// fromBits returns the number with the given bits.
//
// SAFETY: as for bits.
func fromBits[T Number](b uint64) (x T) {
	if unsafe.Sizeof(x) == 4 {
		*(*uint32)(unsafe.Pointer(&x)) = uint32(b)
	} else {
		*(*uint64)(unsafe.Pointer(&x)) = b
	}
	return x
}
