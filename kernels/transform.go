package kernels

// Transform sets v[i] to the point x[i] moved by the affine matrix m[i] and
// returns v. The bottom row of m is not read.
//
//	v = ((m0*x.x + m1*x.y) + m2*x.z) + m3       m0 to m3 are the columns of m
//
// Shape: m and all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written, which is that of [Mat4s.MulAffine].
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) Transform(m *Mat4s[T], x *Vec3s[T]) *Vec3s[T] {
	vec3TransformFront(single[T](), true, address(v), address(m), address(x))
	return v
}

// TransformVector sets v[i] to the vector x[i], a direction or a velocity,
// turned and scaled by the affine matrix m[i] but not moved, and returns v. Only
// the first three rows and columns of m are read.
//
//	v = (m0*x.x + m1*x.y) + m2*x.z              m0 to m2 are the columns of m
//
// Shape: m and all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written. The vectors keep their lengths only if m has no scale or
// shear.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) TransformVector(m *Mat4s[T], x *Vec3s[T]) *Vec3s[T] {
	vec3TransformFront(single[T](), false, address(v), address(m), address(x))
	return v
}

// TransformBy sets v[i] to the point x[i] moved by the affine matrix m, which is the
// same for all rows, and returns v. The elements of m are in columns, as in [Mat4s].
//
// Shape: all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact; the result is that of [Vec3s.Transform] with m in every row.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) TransformBy(m [16]T, x *Vec3s[T]) *Vec3s[T] {
	vec3TransformByFront(single[T](), true, address(v), address(&m), address(x))
	return v
}

// TransformVectorBy sets v[i] to the vector x[i] turned and scaled by the affine matrix
// m, which is the same for all rows, and returns v. The elements of m are in columns,
// as in [Mat4s].
//
// Shape: all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact; the result is that of [Vec3s.TransformVector] with m in every row.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) TransformVectorBy(m [16]T, x *Vec3s[T]) *Vec3s[T] {
	vec3TransformByFront(single[T](), false, address(v), address(&m), address(x))
	return v
}

// vec3Transform checks the operands and computes all rows. If points is false, the rows are
// vectors, and it leaves out the translation.
//
//kernelgen:front
func vec3Transform[T Float](points bool, v *Vec3s[T], m *Mat4s[T], x *Vec3s[T]) {
	kernel, n := "Vec3s.Transform", v.Len()
	if !points {
		kernel = "Vec3s.TransformVector"
	}
	if !vec3Has(v, n) || m.Len() != n || !vec3Has(x, n) {
		panic(lengths(kernel, vec3Spans(v, "v"), mat4Spans(m, "m"), vec3Spans(x, "x")))
	}
	if checked {
		inspect(kernel, vec3Spans(v, "v"), mat4Spans(m, "m"), vec3Spans(x, "x"))
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		vec3TransformRows(v.Slice(lo, hi), m.Slice(lo, hi), x.Slice(lo, hi), points)
	}
}

//go:noinline
func vec3TransformRows[T Float](v Vec3s[T], m Mat4s[T], x Vec3s[T], points bool) {
	if single[T]() {
		type view = Vec3s[float32]
		vec3Transform32(as[view](&v), as[Mat4s[float32]](&m), as[view](&x), points)
	} else {
		type view = Vec3s[float64]
		vec3Transform64(as[view](&v), as[Mat4s[float64]](&m), as[view](&x), points)
	}
}

func vec3TransformGeneric[T Float](v *Vec3s[T], m *Mat4s[T], x *Vec3s[T], points bool) {
	n := len(v.X)
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	for i := range m.M {
		vx[i], vy[i], vz[i] = transformed(points, &m.M[i], xx[i], xy[i], xz[i])
	}
}

// transformed returns m·(x, y, z, 1) for a point and m·(x, y, z, 0) otherwise.
func transformed[T Float](point bool, m *[16]T, x, y, z T) (tx, ty, tz T) {
	tx = (T(m[0]*x) + T(m[4]*y)) + T(m[8]*z)
	ty = (T(m[1]*x) + T(m[5]*y)) + T(m[9]*z)
	tz = (T(m[2]*x) + T(m[6]*y)) + T(m[10]*z)
	if point {
		tx, ty, tz = tx+m[12], ty+m[13], tz+m[14]
	}
	return tx, ty, tz
}

// vec3TransformBy does the work of vec3Transform with a single matrix.
//
//kernelgen:front
func vec3TransformBy[T Float](points bool, v *Vec3s[T], m *[16]T, x *Vec3s[T]) {
	kernel, n := "Vec3s.TransformBy", v.Len()
	if !points {
		kernel = "Vec3s.TransformVectorBy"
	}
	if !vec3Has(v, n) || !vec3Has(x, n) {
		panic(lengths(kernel, vec3Spans(v, "v"), vec3Spans(x, "x")))
	}
	if checked {
		inspect(kernel, vec3Spans(v, "v"), vec3Spans(x, "x"))
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		vec3TransformByRows(v.Slice(lo, hi), m, x.Slice(lo, hi), points)
	}
}

//go:noinline
func vec3TransformByRows[T Float](v Vec3s[T], m *[16]T, x Vec3s[T], points bool) {
	if single[T]() {
		type view = Vec3s[float32]
		vec3TransformBy32(as[view](&v), as[[16]float32](m), as[view](&x), points)
	} else {
		type view = Vec3s[float64]
		vec3TransformBy64(as[view](&v), as[[16]float64](m), as[view](&x), points)
	}
}

func vec3TransformByGeneric[T Float](v *Vec3s[T], m *[16]T, x *Vec3s[T], points bool) {
	n := len(v.X)
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	for i := range n {
		vx[i], vy[i], vz[i] = transformed(points, m, xx[i], xy[i], xz[i])
	}
}
