package kernels

import (
	"fmt"
	"math/bits"
)

// And sets the bits of dst that are set in both x and y.
//
// Shape: len(dst) == len(x) == len(y); any length.
// Alias: dst may be x or y; a partial overlap is not supported.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func And(dst, x, y []uint64) {
	checkWords("And", dst, x, y)
	for i := range dst {
		dst[i] = x[i] & y[i]
	}
}

// Or sets the bits of dst that are set in x, in y or in both.
//
// Shape: len(dst) == len(x) == len(y); any length.
// Alias: dst may be x or y; a partial overlap is not supported.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Or(dst, x, y []uint64) {
	checkWords("Or", dst, x, y)
	for i := range dst {
		dst[i] = x[i] | y[i]
	}
}

// AndNot sets the bits of dst that are set in x and not in y.
//
// Shape: len(dst) == len(x) == len(y); any length.
// Alias: dst may be x or y; a partial overlap is not supported.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func AndNot(dst, x, y []uint64) {
	checkWords("AndNot", dst, x, y)
	for i := range dst {
		dst[i] = x[i] &^ y[i]
	}
}

// Not sets dst to the complement of x for the first n rows, and clears all bits after
// these rows.
//
// Shape: len(dst) == len(x) == MaskLen(n).
// Alias: dst may be x; a partial overlap is not supported.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Not(dst, x []uint64, n int) {
	if len(x) != len(dst) {
		panic(differ("Not", "dst x", len(dst), len(x)))
	}
	if n < 0 || len(x) != MaskLen(n) {
		panic(fmt.Sprintf("kernels: Not: len(x) is %d, MaskLen(%d) is %d", len(x), n, MaskLen(n)))
	}
	if checked {
		inspect("Not", lane("dst", dst), lane("x", x))
	}
	for i := range dst {
		dst[i] = ^x[i]
	}
	if n%64 != 0 {
		dst[n/64] &= 1<<(n%64) - 1
	}
}

// Count returns the number of set bits of mask.
//
// Shape: any length. It also counts bits after the last row, but all kernels that write
// masks set these bits to 0. It does not allocate.
//
//go:noinline
func Count(mask []uint64) (n int) {
	if checked {
		inspect("Count", nil, lane("mask", mask))
	}
	for _, word := range mask {
		n += bits.OnesCount64(word)
	}
	return n
}

// All reports whether the bits of the first n rows of mask are all set.
//
// Shape: len(mask) == MaskLen(n). If n is 0, the result is true. It panics if the length is
// wrong. It does not allocate.
//
//go:noinline
func All(mask []uint64, n int) bool {
	if n < 0 || len(mask) != MaskLen(n) {
		panic(fmt.Sprintf("kernels: All: len(mask) is %d, MaskLen(%d) is %d", len(mask), n, MaskLen(n)))
	}
	if checked {
		inspect("All", nil, lane("mask", mask))
	}
	for _, word := range mask[:n/64] {
		if word != 1<<64-1 {
			return false
		}
	}
	return n%64 == 0 || mask[n/64]|(1<<64-1)<<(n%64) == 1<<64-1
}

// checkWords panics if masks differ in length, or overlap.
func checkWords(kernel string, dst, x, y []uint64) {
	if len(x) != len(dst) || len(y) != len(dst) {
		panic(differ(kernel, "dst x y", len(dst), len(x), len(y)))
	}
	if checked {
		inspect(kernel, lane("dst", dst), lane("x", x), lane("y", y))
	}
}
