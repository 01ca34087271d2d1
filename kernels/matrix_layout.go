package kernels

// FromMat4s sets m[i] to the affine matrix x[i] and returns m: the same numbers in
// the other layout. The bottom row of x is not read.
//
// Shape: all lanes of m and x have the same length; any length, any alignment.
// Alias: m must not overlap x.
// Values: exact, copies.
// It panics if the lengths differ. It does not allocate.
func (m *Mat3x4s[T]) FromMat4s(x *Mat4s[T]) *Mat3x4s[T] {
	mat3x4FromMat4sFront(single[T](), address(m), address(x))
	return m
}

//kernelgen:front
func mat3x4FromMat4s[T Float](m *Mat3x4s[T], x *Mat4s[T]) {
	const kernel = "Mat3x4s.FromMat4s"
	n := m.Len()
	if !mat3x4Has(m, n) || x.Len() != n {
		panic(lengths(kernel, mat3x4Spans(m, "m"), mat4Spans(x, "x")))
	}
	if checked {
		inspect(kernel, mat3x4Spans(m, "m"), mat4Spans(x, "x"))
	}
	var lanes [12][]T
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		deinterleave(cutLanes(lanes[:], mat3x4Lanes(m), lo, hi), x.M[lo:hi])
	}
}

// FromMat3x4s sets m[i] to the affine matrix x[i], with the bottom row (0, 0, 0, 1), and returns m.
// The numbers are the same in the other layout.
//
// Shape: m and all lanes of x have the same length; any length, any alignment.
// Alias: m must not overlap x.
// Values: exact, copies.
// It panics if the lengths differ. It does not allocate.
func (m *Mat4s[T]) FromMat3x4s(x *Mat3x4s[T]) *Mat4s[T] {
	mat4FromMat3x4sFront(single[T](), address(m), address(x))
	return m
}

//kernelgen:front
func mat4FromMat3x4s[T Float](m *Mat4s[T], x *Mat3x4s[T]) {
	const kernel = "Mat4s.FromMat3x4s"
	n := m.Len()
	if !mat3x4Has(x, n) {
		panic(lengths(kernel, mat4Spans(m, "m"), mat3x4Spans(x, "x")))
	}
	if checked {
		inspect(kernel, mat4Spans(m, "m"), mat3x4Spans(x, "x"))
	}
	var lanes [12][]T
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		interleave(m.M[lo:hi], cutLanes(lanes[:], mat3x4Lanes(x), lo, hi))
	}
}

// deinterleave copies matrices to lanes.
//
//go:noinline
func deinterleave[T Float](lanes [][]T, m [][16]T) {
	if single[T]() {
		deinterleave32(*as[[][]float32](&lanes), *as[[][16]float32](&m))
	} else {
		deinterleave64(*as[[][]float64](&lanes), *as[[][16]float64](&m))
	}
}

// deinterleaveFrom copies the rows from row lo to the end.
func deinterleaveFrom[T Float](lo int, lanes [][]T, m [][16]T) {
	l := (*[12][]T)(lanes)
	for i := lo; i < len(m); i++ {
		a := &m[i]
		l[0][i], l[1][i], l[2][i] = a[0], a[1], a[2]
		l[3][i], l[4][i], l[5][i] = a[4], a[5], a[6]
		l[6][i], l[7][i], l[8][i] = a[8], a[9], a[10]
		l[9][i], l[10][i], l[11][i] = a[12], a[13], a[14]
	}
}

// interleave copies lanes to matrices.
//
//go:noinline
func interleave[T Float](m [][16]T, lanes [][]T) {
	if single[T]() {
		interleave32(*as[[][16]float32](&m), *as[[][]float32](&lanes))
	} else {
		interleave64(*as[[][16]float64](&m), *as[[][]float64](&lanes))
	}
}

// interleaveFrom copies the rows from row lo to the end.
func interleaveFrom[T Float](lo int, m [][16]T, lanes [][]T) {
	l := (*[12][]T)(lanes)
	for i := lo; i < len(m); i++ {
		a := &m[i]
		a[0], a[1], a[2], a[3] = l[0][i], l[1][i], l[2][i], 0
		a[4], a[5], a[6], a[7] = l[3][i], l[4][i], l[5][i], 0
		a[8], a[9], a[10], a[11] = l[6][i], l[7][i], l[8][i], 0
		a[12], a[13], a[14], a[15] = l[9][i], l[10][i], l[11][i], 1
	}
}

// blockRows is the number of rows of a [Mat3x4s] on the stack. Kernels on [Mat4s] that are used too
// rarely to need assembly convert a few matrices to lanes, compute with the lanes, and convert them
// back. 64 rows fit into the first-level cache together with the operands.
const blockRows = 64

// Inverse sets m[i] to the inverse of the affine matrix x[i] and returns m. The
// bottom row of x is not read; it is taken as (0, 0, 0, 1). The bottom row of m
// is set to (0, 0, 0, 1).
//
// Shape: m and x have the same length; any length, any alignment.
// Alias: m may be x; a partial overlap is not supported.
// Values: exact; those of [Mat3x4s.Inverse].
// It panics if the lengths differ. It does not allocate.
func (m *Mat4s[T]) Inverse(x *Mat4s[T]) *Mat4s[T] {
	mat4InverseFront(single[T](), address(m), address(x))
	return m
}

//kernelgen:front
func mat4Inverse[T Float](m *Mat4s[T], x *Mat4s[T]) {
	const kernel = "Mat4s.Inverse"
	n := m.Len()
	if x.Len() != n {
		panic(lengths(kernel, mat4Spans(m, "m"), mat4Spans(x, "x")))
	}
	if checked {
		inspect(kernel, mat4Spans(m, "m"), mat4Spans(x, "x"))
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		inverseBlocks(m.M[lo:hi], x.M[lo:hi])
	}
}

//go:noinline
func inverseBlocks[T Float](m, x [][16]T) {
	var rows [12][blockRows]T
	var lanes [12][]T
	for lo := 0; lo < len(m); lo += blockRows {
		hi := min(lo+blockRows, len(m))
		for k := range lanes {
			lanes[k] = rows[k][:hi-lo]
		}
		deinterleave(lanes[:], x[lo:hi])
		if hi-lo == 1 { // assembly would wait for the lanes that deinterleave has stored
			matricesGeneric(opInverse, lanes[:], lanes[:], nil)
		} else {
			matrixRows(opInverse, lanes[:], lanes[:], nil)
		}
		interleave(m[lo:hi], lanes[:])
	}
}
