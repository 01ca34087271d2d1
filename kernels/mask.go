package kernels

import (
	"fmt"
	"math/bits"
)

// Indices writes the indices of the set bits of mask to dst, in ascending
// order, and returns their number.
//
//	dst[0], dst[1], … = every i for which bit i%64 of mask[i/64] is set
//
// Shape: dst has at least as many elements as mask has set bits; further elements do not change.
// Alias: dst must not overlap mask. It panics, before a row is written, if dst is too short. It
// also panics if mask has more than 2³¹ bits. It does not allocate.
//
//go:noinline
func Indices(dst []int32, mask []uint64) int {
	if len(mask) > 1<<31/64 {
		panic(fmt.Sprintf("kernels: Indices: len(mask) is %d, an int32 numbers the bits of %d words", len(mask), 1<<31/64))
	}
	total := ones(mask, 64*len(mask))
	if len(dst) < total {
		panic(fmt.Sprintf("kernels: Indices: len(dst) is %d, mask has %d bits set", len(dst), total))
	}
	if checked {
		inspect("Indices", lane("dst", dst[:total]), lane("mask", mask))
	}
	for lo, at := 0, 0; lo < len(mask); lo += piece / 64 {
		at += indices(dst[at:total], int32(64*lo), mask[lo:min(lo+piece/64, len(mask))])
	}
	return total
}

//go:noinline
func indices(dst []int32, row int32, mask []uint64) (n int) {
	for _, word := range mask {
		for ; word != 0; word &= word - 1 {
			dst[n] = row + int32(bits.TrailingZeros64(word))
			n++
		}
		row += 64
	}
	return n
}

// Any reports whether at least one bit of mask is set. For example, it decides whether
// a chunk can be skipped.
//
// Shape: any length; an empty mask has no bits. It does not allocate.
//
//go:noinline
func Any(mask []uint64) bool {
	if checked {
		inspect("Any", nil, lane("mask", mask))
	}
	for len(mask) > 0 {
		n := min(piece/64, len(mask))
		if anyOf(mask[:n]) {
			return true
		}
		mask = mask[n:]
	}
	return false
}

// anyOf checks four words at a time.
//
//go:noinline
func anyOf(mask []uint64) bool {
	for ; len(mask) >= 4; mask = mask[4:] {
		if mask[0]|mask[1]|mask[2]|mask[3] != 0 {
			return true
		}
	}
	for _, word := range mask {
		if word != 0 {
			return true
		}
	}
	return false
}
