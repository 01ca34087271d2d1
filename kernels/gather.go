package kernels

import "fmt"

// Gather sets dst[i] = x[index[i]] for every i. T is any type: a number, or a
// struct.
//
// Shape: len(dst) == len(index); x has any length; any alignment.
// Alias: dst must not overlap x or index.
// Values: exact, NaN included.
// It panics, before a row is written, if the lengths differ or an index is
// out of range of x.
// It does not allocate.
func Gather[T any](dst, x []T, index []int32) {
	if len(index) != len(dst) {
		panic(differ("Gather", "dst index", len(dst), len(index)))
	}
	checkIndex("Gather", index, "x", len(x))
	if checked {
		inspectMove("Gather", spanOf("dst", dst), spanOf("x", x), spanOf("index", index))
	}
	for i, k := range index {
		dst[i] = x[k]
	}
}

// Scatter sets dst[index[i]] = x[i] for every i, in order. If several rows have the
// same index, dst gets the last of them. Other rows of dst do not change.
//
// Shape: len(index) == len(x); dst has any length; any alignment.
// Alias: dst must not overlap x or index.
// Values: exact, NaN included.
// It panics, before a row is written, if the lengths differ or an index is out
// of range of dst.
// It does not allocate.
func Scatter[T any](dst []T, index []int32, x []T) {
	if len(index) != len(x) {
		panic(differ("Scatter", "index x", len(index), len(x)))
	}
	checkIndex("Scatter", index, "dst", len(dst))
	if checked {
		inspectMove("Scatter", spanOf("dst", dst), spanOf("x", x), spanOf("index", index))
	}
	for i, k := range index {
		dst[k] = x[i]
	}
}

// inspectMove panics if the destination overlaps an operand. The loops here are
// in Go, so that the race detector sees each row without help.
func inspectMove(kernel string, dst span, operands ...span) {
	for _, s := range operands {
		if dst.overlaps(s) {
			panic(overlap(kernel, dst, s))
		}
	}
}

// checkIndex panics if an index is not below n.
func checkIndex(kernel string, index []int32, operand string, n int) {
	var most uint32
	for _, k := range index {
		most = max(most, uint32(k)) // a negative index becomes 2^31 or more
	}
	end := min(uint64(n), 1<<31)
	if len(index) == 0 || uint64(most) < end {
		return
	}
	for i, k := range index {
		if uint64(uint32(k)) >= end {
			panic(fmt.Sprintf("kernels: %s: index[%d] is %d, len(%s) is %d", kernel, i, k, operand, n))
		}
	}
}
