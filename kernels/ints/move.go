package ints

import (
	"github.com/lanewise/lanewise/kernels"
)

// Select sets dst[i] = x[i] where bit i of mask is set, and y[i] elsewhere. Bits
// beyond the last row are ignored.
//
// Shape: len(dst) == len(x) == len(y), len(mask) == MaskLen(len(dst)); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact.
// It panics if the lengths differ. It does not allocate.
func Select[T Integer](dst []T, mask []uint64, x, y []T) {
	checkLengths("Select", len(dst), len(x), len(y))
	checkMaskLength("Select", len(mask), len(dst))
	switch {
	case kernels.VectorBytes() == 0:
		for i := range dst {
			if mask[i/64]>>(i%64)&1 != 0 {
				dst[i] = x[i]
			} else {
				dst[i] = y[i]
			}
		}
	case narrow[T]():
		kernels.Select(floats[float32](dst), mask, floats[float32](x), floats[float32](y))
	default:
		kernels.Select(floats[float64](dst), mask, floats[float64](x), floats[float64](y))
	}
}

// Compress copies those rows of x whose bit in mask is set to the start of dst, in the
// same order, and returns their number. It ignores bits beyond the last row, and does
// not change the rows of dst after those that it writes.
//
// Shape: len(mask) == MaskLen(len(x)), dst has a row for each bit set; any length, any alignment.
// Alias: dst may begin where x does; no other overlap is supported.
// Values: exact.
// It panics if the lengths differ or dst is too short. It does not allocate.
func Compress[T Integer](dst, x []T, mask []uint64) int {
	if narrow[T]() {
		return kernels.Compress(floats[float32](dst), floats[float32](x), mask)
	}
	return kernels.Compress(floats[float64](dst), floats[float64](x), mask)
}

// PrefixSum sets dst[i] = x[0] + x[1] + … + x[i] for every i. For example, if
// row i has x[i] elements in a shared slice, they end at dst[i].
//
// Shape: len(dst) == len(x); any length, any alignment.
// Alias: dst may be x; a partial overlap is not supported.
// Values: exact, modulo 2^32 or 2^64.
// It panics if the lengths differ. It does not allocate.
func PrefixSum[T Integer](dst, x []T) {
	checkLengths("PrefixSum", len(dst), len(x))
	var sum T
	for i, v := range x {
		sum += v
		dst[i] = sum
	}
}

// Histogram adds one to counts[x[i]-lo] for each row of x. It returns the
// number of rows without a count, which are the rows below lo and those at
// or above lo+len(counts). A call adds to the numbers that counts already has. For
// floats see kernels.Histogram.
//
// Shape: counts and x have any length, any alignment.
// Alias: counts must not overlap x.
// Values: exact.
// It does not allocate.
func Histogram[T Integer](counts []int, x []T, lo T) (outside int) {
	for _, v := range x {
		if k := uint64(v) - uint64(lo); v >= lo && k < uint64(len(counts)) {
			counts[k]++
		} else {
			outside++
		}
	}
	return outside
}
