package kernels

// TransformAffine sets v[i] to the point x[i] moved by the affine matrix m[i] and
// returns v. It does the same as [Vec3s.Transform], for matrices in twelve lanes.
//
//	v = ((m0*x.x + m1*x.y) + m2*x.z) + m3       m0 to m3 are the columns of m
//
// Shape: all lanes of v, m and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact; the result is that of [Vec3s.Transform] with the same matrix in a [Mat4s].
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) TransformAffine(m *Mat3x4s[T], x *Vec3s[T]) *Vec3s[T] {
	vec3TransformAffineFront(single[T](), true, address(v), address(m), address(x))
	return v
}

// TransformVectorAffine sets v[i] to the vector x[i], turned and scaled by the
// affine matrix m[i] but not moved, and returns v. x[i] is a direction or a
// velocity. It does the same as [Vec3s.TransformVector], for matrices in twelve lanes.
//
//	v = (m0*x.x + m1*x.y) + m2*x.z              m0 to m2 are the columns of m
//
// Shape: all lanes of v, m and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact; the result is that of [Vec3s.TransformVector] with the same matrix in a [Mat4s].
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) TransformVectorAffine(m *Mat3x4s[T], x *Vec3s[T]) *Vec3s[T] {
	vec3TransformAffineFront(single[T](), false, address(v), address(m), address(x))
	return v
}

// vec3TransformAffine checks the operands and computes all rows. If points is false, the rows
// are vectors, and it leaves out the translation.
//
//kernelgen:front
func vec3TransformAffine[T Float](points bool, v *Vec3s[T], m *Mat3x4s[T], x *Vec3s[T]) {
	kernel, n := "Vec3s.TransformAffine", v.Len()
	if !points {
		kernel = "Vec3s.TransformVectorAffine"
	}
	if !vec3Has(v, n) || !mat3x4Has(m, n) || !vec3Has(x, n) {
		panic(lengths(kernel, vec3Spans(v, "v"), mat3x4Spans(m, "m"), vec3Spans(x, "x")))
	}
	if checked {
		inspect(kernel, vec3Spans(v, "v"), mat3x4Spans(m, "m"), vec3Spans(x, "x"))
	}
	if n <= piece {
		vec3TransformAffineRows(v, m, x, points)
		return
	}
	var vs, xs Vec3s[T]
	var ms Mat3x4s[T]
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		vs, ms, xs = v.Slice(lo, hi), m.Slice(lo, hi), x.Slice(lo, hi)
		vec3TransformAffineRows(&vs, &ms, &xs, points)
	}
}

//go:noinline
func vec3TransformAffineRows[T Float](v *Vec3s[T], m *Mat3x4s[T], x *Vec3s[T], points bool) {
	if single[T]() {
		type view = Vec3s[float32]
		vec3TransformAffine32(as[view](v), as[Mat3x4s[float32]](m), as[view](x), points)
	} else {
		type view = Vec3s[float64]
		vec3TransformAffine64(as[view](v), as[Mat3x4s[float64]](m), as[view](x), points)
	}
}

func vec3TransformAffineGeneric[T Float](v *Vec3s[T], m *Mat3x4s[T], x *Vec3s[T], points bool) {
	n := len(v.X)
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	ax, ay, az := m.XX[:n], m.XY[:n], m.XZ[:n]
	bx, by, bz := m.YX[:n], m.YY[:n], m.YZ[:n]
	cx, cy, cz := m.ZX[:n], m.ZY[:n], m.ZZ[:n]
	for i := range n {
		x, y, z := xx[i], xy[i], xz[i]
		tx := (T(ax[i]*x) + T(bx[i]*y)) + T(cx[i]*z)
		ty := (T(ay[i]*x) + T(by[i]*y)) + T(cy[i]*z)
		tz := (T(az[i]*x) + T(bz[i]*y)) + T(cz[i]*z)
		if points {
			tx, ty, tz = tx+m.TX[i], ty+m.TY[i], tz+m.TZ[i]
		}
		vx[i], vy[i], vz[i] = tx, ty, tz
	}
}
