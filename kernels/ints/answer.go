package ints

import "github.com/lanewise/lanewise/kernels"

// A comparison identifies a kernel that compares. The exported functions for comparisons
// without their own kernel use another one: they swap the operands, for example y < x
// for x > y, or negate the answer, for example not x == y for x != y.
type comparison uint8

const (
	isLess comparison = iota
	isEqual
	isBelow
	isAbove
	isEqualTo
)

// blockWords is the number of words of 64 bits in a block. compare first compares all
// rows of a block, and then converts the results to bits.
const blockWords = 256

// yes is the element that a comparison writes for a row if the comparison is true: the
// bits of the float 2. If it is false, it writes 0.
func yes[T Integer]() T {
	if narrow[T]() {
		return 1 << 30
	}
	var two uint64 = 1 << 62
	return T(two)
}

// compare sets the bit of each row to 1 if the comparison gives a positive float for the row, and
// otherwise to 0.
func compare[T Integer](op comparison, mask []uint64, x, y []T, s, yes, no T) {
	var block [blockWords]uint64
	all := lane[T](&block)
	for len(x) > 0 {
		n := min(len(all), len(x))
		rows, words := all[:n], kernels.MaskLen(n)
		if compareRows(op, rows, x[:n], y[:min(n, len(y))], s, yes, no); narrow[T]() {
			kernels.Above(mask[:words], floats[float32](rows), 0)
		} else {
			kernels.Above(mask[:words], floats[float64](rows), 0)
		}
		mask, x, y = mask[words:], x[n:], y[min(n, len(y)):]
	}
}

// compareRows writes the result of a comparison for each row, yes or no.
func compareRows[T Integer](op comparison, dst, x, y []T, s, yes, no T) {
	switch op {
	case isLess:
		lessRows(dst, x, y, yes, no)
	case isEqual:
		equalRows(dst, x, y, yes, no)
	case isBelow:
		belowRows(dst, x, s, yes, no)
	case isAbove:
		aboveRows(dst, x, s, yes, no)
	case isEqualTo:
		equalToRows(dst, x, s, yes, no)
	}
}

func lessRows[T Integer](dst, x, y []T, yes, no T) {
	switch dst := any(dst).(type) {
	case []int32:
		lessI32(dst, as[int32](x), as[int32](y), int32(yes), int32(no))
	case []uint32:
		lessU32(dst, as[uint32](x), as[uint32](y), uint32(yes), uint32(no))
	case []int64:
		lessI64(dst, as[int64](x), as[int64](y), int64(yes), int64(no))
	case []uint64:
		lessU64(dst, as[uint64](x), as[uint64](y), uint64(yes), uint64(no))
	}
}

// less is the loop.
//
//lanec:kernel lessI32[int32]
//lanec:kernel lessU32[uint32]
//lanec:kernel lessI64[int64]
//lanec:kernel lessU64[uint64]
func less[T Integer](dst, x, y []T, yes, no T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		v := no
		if x[i] < y[i] {
			v = yes
		}
		dst[i] = v
	}
}

func equalRows[T Integer](dst, x, y []T, yes, no T) {
	if narrow[T]() {
		equal32(as[uint32](dst), as[uint32](x), as[uint32](y), uint32(yes), uint32(no))
	} else {
		equal64(as[uint64](dst), as[uint64](x), as[uint64](y), uint64(yes), uint64(no))
	}
}

// equal is the loop.
//
//lanec:kernel equal32[uint32]
//lanec:kernel equal64[uint64]
func equal[T Integer](dst, x, y []T, yes, no T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		v := no
		if x[i] == y[i] {
			v = yes
		}
		dst[i] = v
	}
}

func belowRows[T Integer](dst, x []T, s, yes, no T) {
	switch dst := any(dst).(type) {
	case []int32:
		belowI32(dst, as[int32](x), int32(s), int32(yes), int32(no))
	case []uint32:
		belowU32(dst, as[uint32](x), uint32(s), uint32(yes), uint32(no))
	case []int64:
		belowI64(dst, as[int64](x), int64(s), int64(yes), int64(no))
	case []uint64:
		belowU64(dst, as[uint64](x), uint64(s), uint64(yes), uint64(no))
	}
}

// below is the loop.
//
//lanec:kernel belowI32[int32]
//lanec:kernel belowU32[uint32]
//lanec:kernel belowI64[int64]
//lanec:kernel belowU64[uint64]
func below[T Integer](dst, x []T, s, yes, no T) {
	x = x[:len(dst)]
	for i := range dst {
		v := no
		if x[i] < s {
			v = yes
		}
		dst[i] = v
	}
}

func aboveRows[T Integer](dst, x []T, s, yes, no T) {
	switch dst := any(dst).(type) {
	case []int32:
		aboveI32(dst, as[int32](x), int32(s), int32(yes), int32(no))
	case []uint32:
		aboveU32(dst, as[uint32](x), uint32(s), uint32(yes), uint32(no))
	case []int64:
		aboveI64(dst, as[int64](x), int64(s), int64(yes), int64(no))
	case []uint64:
		aboveU64(dst, as[uint64](x), uint64(s), uint64(yes), uint64(no))
	}
}

// above is the loop.
//
//lanec:kernel aboveI32[int32]
//lanec:kernel aboveU32[uint32]
//lanec:kernel aboveI64[int64]
//lanec:kernel aboveU64[uint64]
func above[T Integer](dst, x []T, s, yes, no T) {
	x = x[:len(dst)]
	for i := range dst {
		v := no
		if x[i] > s {
			v = yes
		}
		dst[i] = v
	}
}

func equalToRows[T Integer](dst, x []T, s, yes, no T) {
	if narrow[T]() {
		equalTo32(as[uint32](dst), as[uint32](x), uint32(s), uint32(yes), uint32(no))
	} else {
		equalTo64(as[uint64](dst), as[uint64](x), uint64(s), uint64(yes), uint64(no))
	}
}

// equalTo is the loop.
//
//lanec:kernel equalTo32[uint32]
//lanec:kernel equalTo64[uint64]
func equalTo[T Integer](dst, x []T, s, yes, no T) {
	x = x[:len(dst)]
	for i := range dst {
		v := no
		if x[i] == s {
			v = yes
		}
		dst[i] = v
	}
}
