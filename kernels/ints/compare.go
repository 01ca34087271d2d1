package ints

import "github.com/lanewise/lanewise/kernels"

// Less sets bit i of mask to x[i] < y[i] for every i, and the bits beyond the
// last row to 0. For x[i] > y[i] swap x and y.
//
// Shape: len(x) == len(y), len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x or y.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func Less[T Integer](mask []uint64, x, y []T) {
	checkMaskLength("Less", len(mask), len(x))
	checkSameLength("Less", len(x), len(y))
	if kernels.VectorBytes() == 0 {
		for w := range mask {
			mask[w] = 0
			for i := 64 * w; i < min(64*w+64, len(x)); i++ {
				if x[i] < y[i] {
					mask[w] |= 1 << (i % 64)
				}
			}
		}
		return
	}
	compare(isLess, mask, x, y, 0, yes[T](), 0)
}

// LessEqual sets bit i of mask to x[i] <= y[i] for every i, and the bits beyond the
// last row to 0. For x[i] >= y[i] swap x and y.
//
// Shape: len(x) == len(y), len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x or y.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func LessEqual[T Integer](mask []uint64, x, y []T) {
	checkMaskLength("LessEqual", len(mask), len(x))
	checkSameLength("LessEqual", len(x), len(y))
	if kernels.VectorBytes() == 0 {
		for w := range mask {
			mask[w] = 0
			for i := 64 * w; i < min(64*w+64, len(x)); i++ {
				if x[i] <= y[i] {
					mask[w] |= 1 << (i % 64)
				}
			}
		}
		return
	}
	compare(isLess, mask, y, x, 0, 0, yes[T]())
}

// Equal sets bit i of mask to x[i] == y[i] for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(x) == len(y), len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x or y.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func Equal[T Integer](mask []uint64, x, y []T) {
	checkMaskLength("Equal", len(mask), len(x))
	checkSameLength("Equal", len(x), len(y))
	if kernels.VectorBytes() == 0 {
		for w := range mask {
			mask[w] = 0
			for i := 64 * w; i < min(64*w+64, len(x)); i++ {
				if x[i] == y[i] {
					mask[w] |= 1 << (i % 64)
				}
			}
		}
		return
	}
	compare(isEqual, mask, x, y, 0, yes[T](), 0)
}

// Below sets bit i of mask to x[i] < s for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func Below[T Integer](mask []uint64, x []T, s T) {
	checkMaskLength("Below", len(mask), len(x))
	if kernels.VectorBytes() == 0 {
		for w := range mask {
			mask[w] = 0
			for i := 64 * w; i < min(64*w+64, len(x)); i++ {
				if x[i] < s {
					mask[w] |= 1 << (i % 64)
				}
			}
		}
		return
	}
	compare(isBelow, mask, x, nil, s, yes[T](), 0)
}

// AtMost sets bit i of mask to x[i] <= s for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func AtMost[T Integer](mask []uint64, x []T, s T) {
	checkMaskLength("AtMost", len(mask), len(x))
	if kernels.VectorBytes() == 0 {
		for w := range mask {
			mask[w] = 0
			for i := 64 * w; i < min(64*w+64, len(x)); i++ {
				if x[i] <= s {
					mask[w] |= 1 << (i % 64)
				}
			}
		}
		return
	}
	compare(isAbove, mask, x, nil, s, 0, yes[T]())
}

// Above sets bit i of mask to x[i] > s for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func Above[T Integer](mask []uint64, x []T, s T) {
	checkMaskLength("Above", len(mask), len(x))
	if kernels.VectorBytes() == 0 {
		for w := range mask {
			mask[w] = 0
			for i := 64 * w; i < min(64*w+64, len(x)); i++ {
				if x[i] > s {
					mask[w] |= 1 << (i % 64)
				}
			}
		}
		return
	}
	compare(isAbove, mask, x, nil, s, yes[T](), 0)
}

// AtLeast sets bit i of mask to x[i] >= s for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func AtLeast[T Integer](mask []uint64, x []T, s T) {
	checkMaskLength("AtLeast", len(mask), len(x))
	if kernels.VectorBytes() == 0 {
		for w := range mask {
			mask[w] = 0
			for i := 64 * w; i < min(64*w+64, len(x)); i++ {
				if x[i] >= s {
					mask[w] |= 1 << (i % 64)
				}
			}
		}
		return
	}
	compare(isBelow, mask, x, nil, s, 0, yes[T]())
}

// EqualTo sets bit i of mask to x[i] == s for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact, in the order of the type.
// It panics if the lengths differ. It does not allocate.
func EqualTo[T Integer](mask []uint64, x []T, s T) {
	checkMaskLength("EqualTo", len(mask), len(x))
	if kernels.VectorBytes() == 0 {
		for w := range mask {
			mask[w] = 0
			for i := 64 * w; i < min(64*w+64, len(x)); i++ {
				if x[i] == s {
					mask[w] |= 1 << (i % 64)
				}
			}
		}
		return
	}
	compare(isEqualTo, mask, x, nil, s, yes[T](), 0)
}
