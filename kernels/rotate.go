package kernels

// Rotate sets v[i] to x[i] turned by the unit quaternion q[i] and returns v.
//
//	t = q.xyz × x           each component a*b - c*d
//	t = t + t
//	v = (x + q.w*t) + q.xyz × t
//
// Shape: all lanes of v, q and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact, in the order written. A quaternion whose length is not 1 also
// scales and distorts the vector.
// It panics if the lengths differ. It does not allocate.
//
// Source: the product q·x·q⁻¹ without the terms that cancel, as in F. Giesen,
// "Rotating a single vector using a quaternion".
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

// RotateBy sets v[i] to x[i] turned by the unit quaternion q = {x, y, z, w}, which is
// the same for all rows, and returns v.
//
// Shape: all lanes of v and x have the same length; any length, any alignment.
// Alias: v may be x; a partial overlap is not supported.
// Values: exact; the result is that of [Vec3s.Rotate] with q in every row.
// It panics if the lengths differ. It does not allocate.
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
