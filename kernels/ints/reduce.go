package ints

// A block has partsPerBlock parts of the same length. They are added or compared row by row,
// and rows is the number of results.
const (
	partsPerBlock = 4
	rows          = 128
)

// Sum returns the sum of x. It is exact for int32 and uint32 (of up to 2^31 rows). For int64 and
// uint64 it is exact modulo 2^64, and the sum is uint64(Sum(x)).
//
// Shape: any length, any alignment. It does not allocate.
func Sum[T Integer](x []T) (sum int64) {
	var block [rows]int64
	for len(x) >= partsPerBlock {
		n := min(len(x)/partsPerBlock, rows)
		addRows(block[:n], x)
		x = x[partsPerBlock*n:]
	}
	for _, v := range x {
		sum += int64(v)
	}
	for _, v := range block {
		sum += v
	}
	return sum
}

func addRows[T Integer](block []int64, x []T) {
	n := len(block)
	switch x := any(x).(type) {
	case []int32:
		add4I32(block, x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []uint32:
		add4U32(block, x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []int64:
		add4I64(block, x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []uint64:
		add4U64(block, x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	}
}

// add4 is the loop.
//
//lanec:kernel add4I32[int32]
//lanec:kernel add4U32[uint32]
//lanec:kernel add4I64[int64]
//lanec:kernel add4U64[uint64]
func add4[T Integer](block []int64, a, b, c, d []T) {
	for i := range block {
		block[i] += ((int64(a[i]) + int64(b[i])) + (int64(c[i]) + int64(d[i])))
	}
}

// Min returns the smallest row of x. If x has no rows, it returns the largest number of the type.
//
// Shape: any length, any alignment. It does not allocate.
func Min[T Integer](x []T) T {
	result := most[T]()
	var block [rows]T
	n := min(len(x)/partsPerBlock, rows)
	for i := range block {
		block[i] = result
	}
	for len(x) >= partsPerBlock {
		n := min(len(x)/partsPerBlock, rows)
		minRows(block[:n], x)
		x = x[partsPerBlock*n:]
	}
	for _, v := range block[:n] {
		result = min(result, v)
	}
	for _, v := range x {
		result = min(result, v)
	}
	return result
}

func minRows[T Integer](block, x []T) {
	n := len(block)
	switch x := any(x).(type) {
	case []int32:
		min4I32(as[int32](block), x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []uint32:
		min4U32(as[uint32](block), x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []int64:
		min4I64(as[int64](block), x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []uint64:
		min4U64(as[uint64](block), x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	}
}

// min4 is the loop.
//
//lanec:kernel min4I32[int32]
//lanec:kernel min4U32[uint32]
//lanec:kernel min4I64[int64]
//lanec:kernel min4U64[uint64]
func min4[T Integer](block, a, b, c, d []T) {
	for i := range block {
		block[i] = min(block[i], min(min(a[i], b[i]), min(c[i], d[i])))
	}
}

// Max returns the largest row of x. If x has no rows, it returns the smallest number of the type.
//
// Shape: any length, any alignment. It does not allocate.
func Max[T Integer](x []T) T {
	result := least[T]()
	var block [rows]T
	n := min(len(x)/partsPerBlock, rows)
	for i := range block {
		block[i] = result
	}
	for len(x) >= partsPerBlock {
		n := min(len(x)/partsPerBlock, rows)
		maxRows(block[:n], x)
		x = x[partsPerBlock*n:]
	}
	for _, v := range block[:n] {
		result = max(result, v)
	}
	for _, v := range x {
		result = max(result, v)
	}
	return result
}

func maxRows[T Integer](block, x []T) {
	n := len(block)
	switch x := any(x).(type) {
	case []int32:
		max4I32(as[int32](block), x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []uint32:
		max4U32(as[uint32](block), x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []int64:
		max4I64(as[int64](block), x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	case []uint64:
		max4U64(as[uint64](block), x[:n], x[n:2*n], x[2*n:3*n], x[3*n:partsPerBlock*n])
	}
}

// max4 is the loop.
//
//lanec:kernel max4I32[int32]
//lanec:kernel max4U32[uint32]
//lanec:kernel max4I64[int64]
//lanec:kernel max4U64[uint64]
func max4[T Integer](block, a, b, c, d []T) {
	for i := range block {
		block[i] = max(block[i], max(max(a[i], b[i]), max(c[i], d[i])))
	}
}

// least and most are the smallest and the largest number of a type.
func least[T Integer]() T {
	var zero T
	if low := zero - 1; low > 0 { // without sign
		return 0
	}
	return yes[T]() << 1
}

func most[T Integer]() T { return ^least[T]() }
