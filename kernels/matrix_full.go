package kernels

import "fmt"

// MulFull sets m[i] = parent[i]*local[i] for all matrices, including
// projections, and returns m. If the bottom row of local is (0, 0, 0, 1),
// [Mat4s.MulAffine] is faster.
//
//	column j: m = ((p0*l[0,j] + p1*l[1,j]) + p2*l[2,j]) + p3*l[3,j]
//
// Shape: m, parent and local have the same length; any length, any alignment.
// Alias: m may be parent or local; a partial overlap is not supported.
// Values: exact, in the order written.
// It panics if the lengths differ. It does not allocate.
func mat4MulFullGeneric[T Float](m, parent, local *Mat4s[T]) {
	n := len(m.M)
	p, l := parent.M[:n], local.M[:n]
	for i := range m.M {
		mulFull(&m.M[i], &p[i], &l[i])
	}
}

// mulFull sets o = p*l; o may be p or l.
func mulFull[T Float](o, p, l *[16]T) {
	a := *p
	for j := 0; j < 16; j += 4 {
		x, y, z, w := l[j], l[j+1], l[j+2], l[j+3]
		o[j] = ((T(a[0]*x) + T(a[4]*y)) + T(a[8]*z)) + T(a[12]*w)
		o[j+1] = ((T(a[1]*x) + T(a[5]*y)) + T(a[9]*z)) + T(a[13]*w)
		o[j+2] = ((T(a[2]*x) + T(a[6]*y)) + T(a[10]*z)) + T(a[14]*w)
		o[j+3] = ((T(a[3]*x) + T(a[7]*y)) + T(a[11]*z)) + T(a[15]*w)
	}
}

// MulFullByParent sets m[i] = parent[index[i]]*local[i] for all matrices and
// returns m. For example, it computes the projections of several cameras. The
// arithmetic is that of [Mat4s.MulFull]. It computes the rows one after the other, like
// [Mat4s.MulAffineByParent].
//
// Shape: m, index and local have the same length, parent has any; any alignment.
// Alias: m may be local. m may be any part of parent, because rows are computed one
// after the other.
// Values: exact.
// It panics if the lengths differ. It also panics at the first index that is not a row
// of parent, after it has written the earlier rows. It does not allocate.
func (m *Mat4s[T]) MulFullByParent(parent *Mat4s[T], index []int32, local *Mat4s[T]) *Mat4s[T] {
	mat4MulFullByParentFront(single[T](), address(m), address(parent), index, address(local))
	return m
}

//kernelgen:front
func mat4MulFullByParent[T Float](m *Mat4s[T], parent *Mat4s[T], index []int32, local *Mat4s[T]) {
	n := m.Len()
	if len(index) != n || local.Len() != n {
		panic(lengths("Mat4s.MulFullByParent", mat4Spans(m, "m"), lane("index", index), mat4Spans(local, "local")))
	}
	if checked {
		inspect("Mat4s.MulFullByParent", mat4Spans(m, "m"), lane("index", index), mat4Spans(local, "local"))
		inspectIndexed(index, parent.M)
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		if done := lo + mat4MulFullRows(m, parent, index, local, lo, hi); done < hi {
			panic(fmt.Sprintf("kernels: Mat4s.MulFullByParent: index[%d] is %d, len(parent.M) is %d", done, index[done], parent.Len()))
		}
	}
}

// mat4MulFullRows computes the rows from lo up to hi or to the first bad index, and returns how
// many it has computed.
//
//go:noinline
func mat4MulFullRows[T Float](m *Mat4s[T], parent *Mat4s[T], index []int32, local *Mat4s[T], lo, hi int) int {
	rows, locals := m.Slice(lo, hi), local.Slice(lo, hi)
	if single[T]() {
		type view = Mat4s[float32]
		return mat4MulFullByParent32(as[view](&rows), as[view](parent), index[lo:hi], as[view](&locals))
	}
	type view = Mat4s[float64]
	return mat4MulFullByParent64(as[view](&rows), as[view](parent), index[lo:hi], as[view](&locals))
}

func mat4MulFullByParentGeneric[T Float](m, parent *Mat4s[T], index []int32, local *Mat4s[T]) int {
	n := len(m.M)
	l := local.M[:n]
	for i, k := range index[:n] {
		if uint(k) >= uint(len(parent.M)) {
			return i
		}
		mulFull(&m.M[i], &parent.M[k], &l[i])
	}
	return n
}
