package kernels

import (
	"fmt"
	"math/bits"
)

// Select sets dst[i] = x[i] where bit i of mask is set, and y[i] elsewhere. Bits
// beyond the last row are ignored.
//
// Shape: len(dst) == len(x) == len(y), len(mask) == MaskLen(len(dst)); any length, any alignment.
// Alias: dst may be x or y; a partial overlap is not supported.
// Values: exact, NaN included.
// It panics if the lengths differ. It does not allocate.
//
//go:noinline
func Select[T Float](dst []T, mask []uint64, x, y []T) {
	switch {
	case checked || len(dst) > piece || len(x) != len(dst) || len(y) != len(dst) || len(mask) != MaskLen(len(dst)):
		selectPieces(dst, mask, x, y)
	case single[T]():
		select32(f32(dst), mask, f32(x), f32(y))
	default:
		select64(f64(dst), mask, f64(x), f64(y))
	}
}

func selectPieces[T Float](dst []T, mask []uint64, x, y []T) {
	if len(x) != len(dst) || len(y) != len(dst) {
		panic(differ("Select", "dst x y", len(dst), len(x), len(y)))
	}
	if len(mask) != MaskLen(len(dst)) {
		panic(maskLength("Select", len(mask), "dst", len(dst)))
	}
	if checked {
		inspect("Select", lane("dst", dst), lane("mask", mask), lane("x", x), lane("y", y))
	}
	for len(dst) > 0 {
		n := min(piece, len(dst))
		if single[T]() {
			select32(f32(dst[:n]), mask[:MaskLen(n)], f32(x[:n]), f32(y[:n]))
		} else {
			select64(f64(dst[:n]), mask[:MaskLen(n)], f64(x[:n]), f64(y[:n]))
		}
		dst, mask, x, y = dst[n:], mask[MaskLen(n):], x[n:], y[n:]
	}
}

func selectGeneric[T Float](dst []T, mask []uint64, x, y []T) {
	from := [2][]T{y[:len(dst)], x[:len(dst)]} // a branch would be mispredicted
	for i := range dst {
		dst[i] = from[mask[i/64]>>(i%64)&1][i]
	}
}

// Compress copies those rows of x whose bit in mask is set to the start of dst, in the
// same order, and returns their number. Compress ignores bits after the last row. It
// does not change the rows of dst after those that it writes.
//
// Shape: len(mask) == MaskLen(len(x)), dst has a row for each bit set; any
// length, any alignment.
// Alias: dst may begin where x does; no other overlap is supported.
// Values: exact, NaN included.
// It panics if the lengths differ or dst is too short. It does not allocate.
//
//go:noinline
func Compress[T Float](dst, x []T, mask []uint64) int {
	if len(mask) != MaskLen(len(x)) {
		panic(maskLength("Compress", len(mask), "x", len(x)))
	}
	total := ones(mask, len(x))
	if len(dst) < total {
		panic(fmt.Sprintf("kernels: Compress: len(dst) is %d, mask has %d bits set", len(dst), total))
	}
	if checked {
		inspect("Compress", lane("dst", dst[:total]), lane("x", x[:total]), lane("x", x[total:]), lane("mask", mask))
	}
	if len(x) <= piece {
		compress(dst[:total], x, mask)
		return total
	}
	for done := 0; done < total; {
		n := min(piece, len(x))
		count := ones(mask[:MaskLen(n)], n)
		compress(dst[done:done+count], x[:n], mask[:MaskLen(n)])
		done += count
		x, mask = x[n:], mask[MaskLen(n):]
	}
	return total
}

// compress writes as many rows as dst has. The bodies stop at the end of dst,
// so that they never read bits after the last row.
func compress[T Float](dst, x []T, mask []uint64) {
	if single[T]() {
		compress32(f32(dst), f32(x), mask)
	} else {
		compress64(f64(dst), f64(x), mask)
	}
}

func compressGeneric[T Float](dst, x []T, mask []uint64) {
	k := 0
	for w, word := range mask {
		for ; word != 0 && k < len(dst); word &= word - 1 {
			dst[k] = x[64*w+bits.TrailingZeros64(word)]
			k++
		}
	}
}

// ones returns the number of set bits among the first n bits of mask.
func ones(mask []uint64, n int) int {
	count := 0
	for w, word := range mask {
		if rest := n - 64*w; rest < 64 {
			word &= 1<<rest - 1
		}
		count += bits.OnesCount64(word)
	}
	return count
}
