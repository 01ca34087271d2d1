package kernels

// Rotate sets v[i] to x[i] turned by the unit quaternion q[i] and returns v.
//
//	t = q.xyz × x           each component a*b - c*d
//	t = t + t
//	v = (x + q.w*t) + q.xyz × t
//
// Shape: all lanes of v, q and x have one length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written; a quaternion whose length is not 1 distorts.
// It panics if the lengths differ. It does not allocate.
//
// Source: the product q·x·q⁻¹ with the terms that cancel left out, as in
// F. Giesen, "Rotating a single vector using a quaternion".
func (v *Vec3s[T]) Rotate(q *Quats[T], x *Vec3s[T]) *Vec3s[T] {
	v.rotate(q, x)
	return v
}

//go:noinline
func (v *Vec3s[T]) rotate(q *Quats[T], x *Vec3s[T]) {
	n := v.Len()
	if !v.has(n) || !q.has(n) || !x.has(n) {
		panic(lengths("Vec3s.Rotate", v.spans("v"), q.spans("q"), x.spans("x")))
	}
	if checked {
		inspect("Vec3s.Rotate", v.spans("v"), q.spans("q"), x.spans("x"))
	}
	if n > piece {
		var vs, xs Vec3s[T]
		var qs Quats[T]
		for lo := 0; lo < n; lo += piece {
			hi := min(lo+piece, n)
			vs, qs, xs = v.Slice(lo, hi), q.Slice(lo, hi), x.Slice(lo, hi)
			vs.rotate(&qs, &xs)
		}
		return
	}
	if single[T]() {
		vec3Rotate32(as[Vec3s[float32]](v), as[Quats[float32]](q), as[Vec3s[float32]](x))
	} else {
		vec3Rotate64(as[Vec3s[float64]](v), as[Quats[float64]](q), as[Vec3s[float64]](x))
	}
}

func vec3RotateGeneric[T Float](v *Vec3s[T], q *Quats[T], x *Vec3s[T]) {
	n := len(v.X)
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	for i := range n {
		ax, ay, az, aw := qx[i], qy[i], qz[i], qw[i]
		x, y, z := xx[i], xy[i], xz[i]
		tx, ty, tz := T(ay*z)-T(az*y), T(az*x)-T(ax*z), T(ax*y)-T(ay*x)
		tx, ty, tz = tx+tx, ty+ty, tz+tz
		vx[i] = (x + T(aw*tx)) + (T(ay*tz) - T(az*ty))
		vy[i] = (y + T(aw*ty)) + (T(az*tx) - T(ax*tz))
		vz[i] = (z + T(aw*tz)) + (T(ax*ty) - T(ay*tx))
	}
}

// RotateBy sets v[i] to x[i] turned by the one unit quaternion q = {x, y, z, w}
// and returns v.
//
// Shape: all lanes of v and x have one length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact; those of [Vec3s.Rotate] with q in every row.
// It panics if the lengths differ. It does not allocate.
func (v *Vec3s[T]) RotateBy(q [4]T, x *Vec3s[T]) *Vec3s[T] {
	v.rotateBy(&q, x)
	return v
}

//go:noinline
func (v *Vec3s[T]) rotateBy(q *[4]T, x *Vec3s[T]) {
	n := v.Len()
	if !v.has(n) || !x.has(n) {
		panic(lengths("Vec3s.RotateBy", v.spans("v"), x.spans("x")))
	}
	if checked {
		inspect("Vec3s.RotateBy", v.spans("v"), x.spans("x"))
	}
	if n > piece {
		var vs, xs Vec3s[T]
		for lo := 0; lo < n; lo += piece {
			hi := min(lo+piece, n)
			vs, xs = v.Slice(lo, hi), x.Slice(lo, hi)
			vs.rotateBy(q, &xs)
		}
		return
	}
	if single[T]() {
		vec3RotateBy32(as[Vec3s[float32]](v), as[[4]float32](q), as[Vec3s[float32]](x))
	} else {
		vec3RotateBy64(as[Vec3s[float64]](v), as[[4]float64](q), as[Vec3s[float64]](x))
	}
}

func vec3RotateByGeneric[T Float](v *Vec3s[T], q *[4]T, x *Vec3s[T]) {
	n := len(v.X)
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	ax, ay, az, aw := q[0], q[1], q[2], q[3]
	for i := range n {
		x, y, z := xx[i], xy[i], xz[i]
		tx, ty, tz := T(ay*z)-T(az*y), T(az*x)-T(ax*z), T(ax*y)-T(ay*x)
		tx, ty, tz = tx+tx, ty+ty, tz+tz
		vx[i] = (x + T(aw*tx)) + (T(ay*tz) - T(az*ty))
		vy[i] = (y + T(aw*ty)) + (T(az*tx) - T(ax*tz))
		vz[i] = (z + T(aw*tz)) + (T(ax*ty) - T(ay*tx))
	}
}
