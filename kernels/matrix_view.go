package kernels

// Mat3x4s is a column of affine matrices in twelve lanes. A matrix has three rows and four columns;
// its bottom row (0, 0, 0, 1) is not stored. Matrix i maps the x axis to its first column, which is
// the vector (XX[i], XY[i], XZ[i]). It maps the y and z axes to the second and third column, and
// the origin to (TX[i], TY[i], TZ[i]).
//
// Other kernels are faster with this layout, because each lane is read and written as a whole.
// [Mat4s] is the layout for graphics and for hierarchies, because there each matrix is one block of
// memory.
type Mat3x4s[T Float] struct{ XX, XY, XZ, YX, YY, YZ, ZX, ZY, ZZ, TX, TY, TZ []T }

// Len returns the number of rows: the length of XX. Kernels require the same
// length of every lane.
func (m *Mat3x4s[T]) Len() int { return len(m.XX) }

// Slice returns the rows from lo up to, but not including, hi. The rows share memory with m.
// hi may be larger than Len, up to the capacity, as for any slice.
func (m *Mat3x4s[T]) Slice(lo, hi int) Mat3x4s[T] {
	return Mat3x4s[T]{
		m.XX[lo:hi], m.XY[lo:hi], m.XZ[lo:hi],
		m.YX[lo:hi], m.YY[lo:hi], m.YZ[lo:hi],
		m.ZX[lo:hi], m.ZY[lo:hi], m.ZZ[lo:hi],
		m.TX[lo:hi], m.TY[lo:hi], m.TZ[lo:hi],
	}
}

// The kernels of this family treat a matrix as a list of its lanes. They treat position, rotation
// and scale as a list of ten lanes. This works because a view is laid out as an array of its lanes.

func mat3x4Lanes[T Float](m *Mat3x4s[T]) [][]T { return as[[12][]T](m)[:] }

// mat3x4Has reports whether every lane has n rows. It combines the twelve comparisons into one
// branch, because twelve branches take longer than a kernel on few rows.
func mat3x4Has[T Float](m *Mat3x4s[T], n int) bool {
	return len(m.XX)^n|len(m.XY)^n|len(m.XZ)^n|len(m.YX)^n|len(m.YY)^n|len(m.YZ)^n|
		len(m.ZX)^n|len(m.ZY)^n|len(m.ZZ)^n|len(m.TX)^n|len(m.TY)^n|len(m.TZ)^n == 0
}

func mat3x4Spans[T Float](m *Mat3x4s[T], name string) []span {
	return matrixSpans(name, mat3x4Lanes(m))
}

// parts returns the lanes of position, rotation and scale.
func parts[T Float](pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T]) [10][]T {
	return [10][]T{pos.X, pos.Y, pos.Z, rot.X, rot.Y, rot.Z, rot.W, scale.X, scale.Y, scale.Z}
}

// cutLanes sets each slice of into to the rows from lo to hi of the same lane.
func cutLanes[T Float](into, lanes [][]T, lo, hi int) [][]T {
	for k, l := range lanes {
		into[k] = l[lo:hi]
	}
	return into[:len(lanes)]
}

var (
	laneNames = [...]string{"XX", "XY", "XZ", "YX", "YY", "YZ", "ZX", "ZY", "ZZ", "TX", "TY", "TZ"}
	partNames = [...]string{"pos.X", "pos.Y", "pos.Z", "rot.X", "rot.Y", "rot.Z", "rot.W", "scale.X", "scale.Y", "scale.Z"}
)

// matrixSpans returns the memory of an operand. The operand is a matrix with the given name, or
// position, rotation and scale together, whose lanes have fixed names.
func matrixSpans[T Float](name string, lanes [][]T) []span {
	spans := make([]span, len(lanes))
	for k, l := range lanes {
		if len(lanes) == len(partNames) {
			spans[k] = spanOf(partNames[k], l)
		} else {
			spans[k] = spanOf(name+"."+laneNames[k], l)
		}
	}
	return spans
}

// A matrixOp is a kernel on the lanes of the matrices x and, if it has two operands, y. The result
// is dst.
type matrixOp uint8

const (
	opProduct   matrixOp = iota // parent × local
	opInverse                   // the inverse
	opDecompose                 // the parts of a matrix
)

// matrices checks the operands and calls the kernel for all rows. The names of
// the kernel and its operands are for messages.
//
//go:noinline
func matrices[T Float](op matrixOp, kernel string, names [3]string, dst, x, y [][]T) {
	n := len(dst[0])
	if !haveRows(dst, n) || !haveRows(x, n) || !haveRows(y, n) {
		panic(lengths(kernel, matrixSpans(names[0], dst), matrixSpans(names[1], x), matrixSpans(names[2], y)))
	}
	if checked {
		inspect(kernel, matrixSpans(names[0], dst), matrixSpans(names[1], x), matrixSpans(names[2], y))
	}
	if n <= piece {
		matrixRows(op, dst, x, y)
		return
	}
	var ds, xs, ys [12][]T
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		matrixRows(op, cutLanes(ds[:], dst, lo, hi), cutLanes(xs[:], x, lo, hi), cutLanes(ys[:], y, lo, hi))
	}
}

func matrixRows[T Float](op matrixOp, dst, x, y [][]T) {
	if op == opDecompose && len(dst[0]) <= 2 { // Go needs half the time of the assembly, which is long
		matricesGeneric(op, dst, x, y)
		return
	}
	if single[T]() {
		type lanes = [][]float32
		matrices32(op, *as[lanes](&dst), *as[lanes](&x), *as[lanes](&y))
	} else {
		type lanes = [][]float64
		matrices64(op, *as[lanes](&dst), *as[lanes](&x), *as[lanes](&y))
	}
	if op == opDecompose {
		decomposeFlat((*[10][]T)(dst), (*[12][]T)(x))
	}
}

func matricesGeneric[T Float](op matrixOp, dst, x, y [][]T) {
	n := len(dst[0])
	switch op {
	case opProduct:
		m, parent, local := (*[12][]T)(dst), (*[12][]T)(x), (*[12][]T)(y)
		for i := range n {
			productRow(m, parent, local, i)
		}
	case opInverse:
		m, a := (*[12][]T)(dst), (*[12][]T)(x)
		for i := range n {
			inverseRow(m, a, i)
		}
	case opDecompose:
		parts, m := (*[10][]T)(dst), (*[12][]T)(x)
		for i := range n {
			decomposeRow(parts, m, i)
		}
	}
}
