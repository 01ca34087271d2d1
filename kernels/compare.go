package kernels

// A mask is a sequence of bits: bit i%64 of word i/64 belongs to row i. Masks are combined word by
// word, with And, Or, AndNot and Not, or with Go's own operators &, | and &^.

// MaskLen returns the number of words that a mask for n rows has.
func MaskLen(n int) int { return (n + 63) / 64 }

// Less sets bit i of mask to x[i] < y[i] for every i, and the bits beyond the
// last row to 0. For x[i] > y[i] swap x and y.
//
// Shape: len(x) == len(y), len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x or y.
// Values: exact; a comparison with NaN is false.
// It panics if the lengths differ. It does not allocate.
func lessGeneric[T Float](mask []uint64, x, y []T) {
	for w := range mask {
		bits, y := uint64(0), wordOf(y, w)
		for i, v := range wordOf(x, w) {
			bits |= bit(v < y[i]) << i
		}
		mask[w] = bits
	}
}

// LessEqual sets bit i of mask to x[i] <= y[i] for every i, and the bits beyond
// the last row to 0. For x[i] >= y[i] swap x and y.
//
// Shape: len(x) == len(y), len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x or y.
// Values: exact; a comparison with NaN is false.
// It panics if the lengths differ. It does not allocate.
func lessEqualGeneric[T Float](mask []uint64, x, y []T) {
	for w := range mask {
		bits, y := uint64(0), wordOf(y, w)
		for i, v := range wordOf(x, w) {
			bits |= bit(v <= y[i]) << i
		}
		mask[w] = bits
	}
}

// Equal sets bit i of mask to x[i] == y[i] for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(x) == len(y), len(mask) == MaskLen(len(x)); any length, any
// alignment.
// Alias: mask must not overlap x or y.
// Values: exact. -0 equals +0, and NaN equals nothing. For example, Equal(mask, x, x) finds the
// rows that are not NaN.
// It panics if the lengths differ. It does not allocate.
func equalGeneric[T Float](mask []uint64, x, y []T) {
	for w := range mask {
		bits, y := uint64(0), wordOf(y, w)
		for i, v := range wordOf(x, w) {
			bits |= bit(v == y[i]) << i
		}
		mask[w] = bits
	}
}

// Below sets bit i of mask to x[i] < s for every i, and the bits beyond the last
// row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact; a comparison with NaN is false.
// It panics if the lengths differ. It does not allocate.
func belowGeneric[T Float](mask []uint64, x []T, s T) {
	for w := range mask {
		bits := uint64(0)
		for i, v := range wordOf(x, w) {
			bits |= bit(v < s) << i
		}
		mask[w] = bits
	}
}

// AtMost sets bit i of mask to x[i] <= s for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact; a comparison with NaN is false.
// It panics if the lengths differ. It does not allocate.
func atMostGeneric[T Float](mask []uint64, x []T, s T) {
	for w := range mask {
		bits := uint64(0)
		for i, v := range wordOf(x, w) {
			bits |= bit(v <= s) << i
		}
		mask[w] = bits
	}
}

// Above sets bit i of mask to x[i] > s for every i, and the bits beyond the last
// row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact; a comparison with NaN is false.
// It panics if the lengths differ. It does not allocate.
func aboveGeneric[T Float](mask []uint64, x []T, s T) {
	for w := range mask {
		bits := uint64(0)
		for i, v := range wordOf(x, w) {
			bits |= bit(v > s) << i
		}
		mask[w] = bits
	}
}

// AtLeast sets bit i of mask to x[i] >= s for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact; a comparison with NaN is false.
// It panics if the lengths differ. It does not allocate.
func atLeastGeneric[T Float](mask []uint64, x []T, s T) {
	for w := range mask {
		bits := uint64(0)
		for i, v := range wordOf(x, w) {
			bits |= bit(v >= s) << i
		}
		mask[w] = bits
	}
}

// EqualTo sets bit i of mask to x[i] == s for every i, and the bits beyond the
// last row to 0.
//
// Shape: len(mask) == MaskLen(len(x)); any length, any alignment.
// Alias: mask must not overlap x.
// Values: exact. -0 equals +0, and NaN equals nothing.
// It panics if the lengths differ. It does not allocate.
func equalToGeneric[T Float](mask []uint64, x []T, s T) {
	for w := range mask {
		bits := uint64(0)
		for i, v := range wordOf(x, w) {
			bits |= bit(v == s) << i
		}
		mask[w] = bits
	}
}

// wordOf returns the rows of x that belong to word w of a mask. These are 64 rows, or fewer at
// the end.
func wordOf[T Float](x []T, w int) []T { return x[64*w : min(64*w+64, len(x))] }

// bit returns 1 for true and 0 for false. The compiler translates it to one
// instruction without a branch.
func bit(b bool) uint64 {
	var n uint64
	if b {
		n = 1
	}
	return n
}
