package kernels

// Transform sets v[i] to the matrix m[i] times x[i] and returns v. The matrices may be
// of any kind, including projections. After a projection, the caller must divide by w.
//
//	v = ((m0*x.x + m1*x.y) + m2*x.z) + m3*x.w       m0 to m3 are the columns of m
//
// Shape: m and all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written, which is that of [Mat4s.MulFull].
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) Transform(m *Mat4s[T], x *Vec4s[T]) *Vec4s[T] {
	vec4TransformFront(single[T](), address(v), address(m), address(x))
	return v
}

//kernelgen:front
func vec4Transform[T Float](v *Vec4s[T], m *Mat4s[T], x *Vec4s[T]) {
	n := v.Len()
	if !vec4Has(v, n) || m.Len() != n || !vec4Has(x, n) {
		panic(lengths("Vec4s.Transform", spansOf("v", vec4Lanes(v)), mat4Spans(m, "m"), spansOf("x", vec4Lanes(x))))
	}
	if checked {
		inspect("Vec4s.Transform", spansOf("v", vec4Lanes(v)), mat4Spans(m, "m"), spansOf("x", vec4Lanes(x)))
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		vec4TransformRows(v.Slice(lo, hi), m.Slice(lo, hi), x.Slice(lo, hi))
	}
}

//go:noinline
func vec4TransformRows[T Float](v Vec4s[T], m Mat4s[T], x Vec4s[T]) {
	if single[T]() {
		type view = Vec4s[float32]
		vec4Transform32(as[view](&v), as[Mat4s[float32]](&m), as[view](&x))
	} else {
		type view = Vec4s[float64]
		vec4Transform64(as[view](&v), as[Mat4s[float64]](&m), as[view](&x))
	}
}

func vec4TransformGeneric[T Float](v *Vec4s[T], m *Mat4s[T], x *Vec4s[T]) {
	n := len(v.X)
	vx, vy, vz, vw := v.X[:n], v.Y[:n], v.Z[:n], v.W[:n]
	xx, xy, xz, xw := x.X[:n], x.Y[:n], x.Z[:n], x.W[:n]
	for i := range m.M {
		vx[i], vy[i], vz[i], vw[i] = transformedFull(&m.M[i], xx[i], xy[i], xz[i], xw[i])
	}
}

// TransformBy sets v[i] to m times x[i] and returns v. The matrix m is the same for all
// rows; it may be of any kind, for example a projection. Its elements are in columns,
// as in [Mat4s]. After a projection, the caller must divide by w.
//
//	v = ((m0*x.x + m1*x.y) + m2*x.z) + m3*x.w       m0 to m3 are the columns of m
//
// Shape: all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written, which is that of [Mat4s.MulFull].
// It panics if the lengths differ. It does not allocate.
func (v *Vec4s[T]) TransformBy(m [16]T, x *Vec4s[T]) *Vec4s[T] {
	vec4TransformByFront(single[T](), address(v), address(&m), address(x))
	return v
}

//kernelgen:front
func vec4TransformBy[T Float](v *Vec4s[T], m *[16]T, x *Vec4s[T]) {
	n := v.Len()
	if !vec4Has(v, n) || !vec4Has(x, n) {
		panic(lengths("Vec4s.TransformBy", spansOf("v", vec4Lanes(v)), spansOf("x", vec4Lanes(x))))
	}
	if checked {
		inspect("Vec4s.TransformBy", spansOf("v", vec4Lanes(v)), spansOf("x", vec4Lanes(x)))
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		vec4TransformByRows(v.Slice(lo, hi), m, x.Slice(lo, hi))
	}
}

//go:noinline
func vec4TransformByRows[T Float](v Vec4s[T], m *[16]T, x Vec4s[T]) {
	if single[T]() {
		type view = Vec4s[float32]
		vec4TransformBy32(as[view](&v), as[[16]float32](m), as[view](&x))
	} else {
		type view = Vec4s[float64]
		vec4TransformBy64(as[view](&v), as[[16]float64](m), as[view](&x))
	}
}

func vec4TransformByGeneric[T Float](v *Vec4s[T], m *[16]T, x *Vec4s[T]) {
	n := len(v.X)
	vx, vy, vz, vw := v.X[:n], v.Y[:n], v.Z[:n], v.W[:n]
	xx, xy, xz, xw := x.X[:n], x.Y[:n], x.Z[:n], x.W[:n]
	for i := range n {
		vx[i], vy[i], vz[i], vw[i] = transformedFull(m, xx[i], xy[i], xz[i], xw[i])
	}
}

// transformedFull returns m·(x, y, z, w).
func transformedFull[T Float](m *[16]T, x, y, z, w T) (tx, ty, tz, tw T) {
	tx = ((T(m[0]*x) + T(m[4]*y)) + T(m[8]*z)) + T(m[12]*w)
	ty = ((T(m[1]*x) + T(m[5]*y)) + T(m[9]*z)) + T(m[13]*w)
	tz = ((T(m[2]*x) + T(m[6]*y)) + T(m[10]*z)) + T(m[14]*w)
	tw = ((T(m[3]*x) + T(m[7]*y)) + T(m[11]*z)) + T(m[15]*w)
	return tx, ty, tz, tw
}
