package kernels

// LookRotation sets q[i] to the rotation that turns the z axis to forward[i] and
// the y axis as near to up[i] as possible, and returns q. For example, it turns a
// rocket so that it points along its velocity. Unity.Mathematics has a function of this
// name for a single rotation. The lengths of the vectors do not matter.
//
//	c = forward, divided by its length, or (0, 0, 0) if its square is zero
//	n = up × c          l = (n.x*n.x + n.y*n.y) + n.z*n.z
//	l ≤ tiny*(up · up): n = (-c.y, c.x, 0) if |c.x| > |c.z|, otherwise (0, -c.z, c.y)
//	b = c × n, divided by its length, or (0, 0, 0) if its square is zero
//	a = b × c, not n, because n is not perpendicular to c if up is nearly parallel to it
//	q = the turn to a, b and c as in [Mat3x4s.Decompose]
//	q = normalize(q)    with the formula of Quats.Normalize
//
// tiny is 2^-40 for float32 and 2^-98 for float64. If l ≤ tiny*(up · up), up is zero or
// parallel to forward, so it does not determine the rotation about forward. If only the
// direction matters, up may be zero in all rows. If forward is zero, q is the identity.
//
// Shape: all lanes of q, forward and up have one length; any length, any
// alignment.
// Alias: q may hold the lanes of forward or up as its first three lanes; a
// partial overlap is not supported.
// Values: exact, in the order written. Squares of the lengths must not overflow
// or underflow.
// It panics if the lengths differ. It does not allocate.
func quatLookRotationGeneric[T Float](q *Quats[T], forward, up *Vec3s[T]) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	fx, fy, fz := forward.X[:n], forward.Y[:n], forward.Z[:n]
	ux, uy, uz := up.X[:n], up.Y[:n], up.Z[:n]
	tiny := T(oppositeLimit64)
	if single[T]() {
		tiny = T(oppositeLimit32)
	}
	for i := range n {
		_, cx, cy, cz := unit(fx[i], fy[i], fz[i])
		vx, vy, vz := ux[i], uy[i], uz[i]
		nx, ny, nz := cross(vx, vy, vz, cx, cy, cz)
		if (T(nx*nx)+T(ny*ny))+T(nz*nz) <= T(tiny*((T(vx*vx)+T(vy*vy))+T(vz*vz))) {
			nx, ny, nz = 0, -cz, cy
			if magnitude(cx) > magnitude(cz) {
				nx, ny, nz = -cy, cx, 0
			}
		}
		bx, by, bz := cross(cx, cy, cz, nx, ny, nz)
		_, bx, by, bz = unit(bx, by, bz)
		ax, ay, az := cross(bx, by, bz, cx, cy, cz)
		x, y, z, w := turnOf(ax, ay, az, bx, by, bz, cx, cy, cz)
		r := 1 / root(((T(x*x)+T(y*y))+T(z*z))+T(w*w))
		qx[i], qy[i], qz[i], qw[i] = x*r, y*r, z*r, w*r
	}
}
