package kernels

import "fmt"

// MulAffine sets m[i] = parent[i]*local[i] for affine matrices and returns m.
// The bottom row of local is not read; it is taken as (0, 0, 0, 1).
//
//	column j < 3: m = (p0*l[0,j] + p1*l[1,j]) + p2*l[2,j]
//	column 3:     m = ((p0*l[0,3] + p1*l[1,3]) + p2*l[2,3]) + p3
//
// p0 to p3 are the columns of parent. The bottom row is computed in the same way as the other
// rows, so if that of parent is (0, 0, 0, 1), that of m is too.
//
// Shape: m, parent and local have the same length; any length, any alignment.
// Alias: m may be parent or local; a partial overlap is not supported.
// Values: exact, in the order written; zeros may be negative.
// It panics if the lengths differ. It does not allocate.
func mat4MulGeneric[T Float](m, parent, local *Mat4s[T]) {
	n := len(m.M)
	p, l := parent.M[:n], local.M[:n]
	for i := range m.M {
		mulAffine(&m.M[i], &p[i], &l[i])
	}
}

// mulAffine sets o = p*l; o may be p or l.
func mulAffine[T Float](o, p, l *[16]T) {
	a := *p
	for j := 0; j < 12; j += 4 {
		x, y, z := l[j], l[j+1], l[j+2]
		o[j] = (T(a[0]*x) + T(a[4]*y)) + T(a[8]*z)
		o[j+1] = (T(a[1]*x) + T(a[5]*y)) + T(a[9]*z)
		o[j+2] = (T(a[2]*x) + T(a[6]*y)) + T(a[10]*z)
		o[j+3] = (T(a[3]*x) + T(a[7]*y)) + T(a[11]*z)
	}
	x, y, z := l[12], l[13], l[14]
	o[12] = ((T(a[0]*x) + T(a[4]*y)) + T(a[8]*z)) + a[12]
	o[13] = ((T(a[1]*x) + T(a[5]*y)) + T(a[9]*z)) + a[13]
	o[14] = ((T(a[2]*x) + T(a[6]*y)) + T(a[10]*z)) + a[14]
	o[15] = ((T(a[3]*x) + T(a[7]*y)) + T(a[11]*z)) + a[15]
}

// MulAffineByParent sets m[i] = parent[index[i]]*local[i] for affine matrices
// and returns m. The arithmetic is that of [Mat4s.MulAffine].
//
// Shape: m, index and local have the same length, parent has any; any alignment.
// Alias: m may be local. m may be parent, or a part of it: rows are computed
// one after another. So if parents come before their children,
// world.MulAffineByParent(world, index, local) updates a whole hierarchy.
// Values: exact.
// It panics if the lengths differ. It also panics at the first index that is not
// a row of parent, after it has written the earlier rows. It does not allocate.
func (m *Mat4s[T]) MulAffineByParent(parent *Mat4s[T], index []int32, local *Mat4s[T]) *Mat4s[T] {
	mat4MulAffineByParentFront(single[T](), address(m), address(parent), index, address(local))
	return m
}

//kernelgen:front
func mat4MulAffineByParent[T Float](m *Mat4s[T], parent *Mat4s[T], index []int32, local *Mat4s[T]) {
	n := m.Len()
	if len(index) != n || local.Len() != n {
		panic(lengths("Mat4s.MulAffineByParent", mat4Spans(m, "m"), lane("index", index), mat4Spans(local, "local")))
	}
	if checked {
		inspect("Mat4s.MulAffineByParent", mat4Spans(m, "m"), lane("index", index), mat4Spans(local, "local"))
		inspectIndexed(index, parent.M)
	}
	done := 0
	if n <= piece { // runs of a few rows are common
		done = mat4MulByParent(m, parent, index, local)
	} else {
		for lo := 0; lo < n && done == lo; lo += piece {
			hi := min(lo+piece, n)
			rows, locals := m.Slice(lo, hi), local.Slice(lo, hi)
			done = lo + mat4MulByParent(&rows, parent, index[lo:hi], &locals)
		}
	}
	if done < n {
		panic(fmt.Sprintf("kernels: Mat4s.MulAffineByParent: index[%d] is %d, len(parent.M) is %d", done, index[done], parent.Len()))
	}
}

// mat4MulByParent computes the rows up to the first bad index and returns how many it has computed.
//
//go:noinline
func mat4MulByParent[T Float](m *Mat4s[T], parent *Mat4s[T], index []int32, local *Mat4s[T]) int {
	if single[T]() {
		type view = Mat4s[float32]
		return mat4MulByParent32(as[view](m), as[view](parent), index, as[view](local))
	}
	type view = Mat4s[float64]
	return mat4MulByParent64(as[view](m), as[view](parent), index, as[view](local))
}

func mat4MulByParentGeneric[T Float](m, parent *Mat4s[T], index []int32, local *Mat4s[T]) int {
	n := len(m.M)
	l := local.M[:n]
	for i, k := range index[:n] {
		if uint(k) >= uint(len(parent.M)) {
			return i
		}
		mulAffine(&m.M[i], &parent.M[k], &l[i])
	}
	return n
}
