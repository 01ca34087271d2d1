package kernels

// Nlerp sets q[i] to a[i] + t*(b[i] - a[i]), normalised, and returns q. For t
// in [0, 1], this is a rotation on the shorter way from a[i] to b[i]. Nlerp passes
// through the same rotations as [Quats.Slerp], but turns a little slower at the ends
// and faster in the middle. A quaternion and its negative are the same rotation. So if
// the dot product of a and b is negative, -b replaces b, because it is nearer to a.
//
//	d = ((a.x*b.x + a.y*b.y) + a.z*b.z) + a.w*b.w
//	u = d < 0 ? -t : t
//	q = normalize((1-t)*a + u*b)    with the formula of Quats.Normalize
//
// Shape: all lanes of q, a and b have the same length; any length, any alignment.
// Alias: q may be a or b; a partial overlap is not supported.
// Values: exact, in the order written.
// It panics if the lengths differ. It does not allocate.
func quatNlerpGeneric[T Float](q, a, b *Quats[T], t T) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	ax, ay, az, aw := a.X[:n], a.Y[:n], a.Z[:n], a.W[:n]
	bx, by, bz, bw := b.X[:n], b.Y[:n], b.Z[:n], b.W[:n]
	s := 1 - t
	for i := range n {
		ax, ay, az, aw := ax[i], ay[i], az[i], aw[i]
		bx, by, bz, bw := bx[i], by[i], bz[i], bw[i]
		u := t
		if ((T(ax*bx)+T(ay*by))+T(az*bz))+T(aw*bw) < 0 {
			u = -t
		}
		x, y, z, w := T(s*ax)+T(u*bx), T(s*ay)+T(u*by), T(s*az)+T(u*bz), T(s*aw)+T(u*bw)
		r := 1 / root(((T(x*x)+T(y*y))+T(z*z))+T(w*w))
		qx[i], qy[i], qz[i], qw[i] = x*r, y*r, z*r, w*r
	}
}

// Slerp sets q[i] to the rotation at t on the shorter great circle from a[i] to
// b[i], and returns q. For t from 0 to 1 it turns from a[i] to b[i] at constant
// speed. For t outside this range, it continues on the same circle. Both quaternions
// must have length 1.
//
//	d = ((a.x*b.x + a.y*b.y) + a.z*b.z) + a.w*b.w
//	c = |d| > 1 ? 1 : |d|
//	θ = acos(c)                 r = √((1-c)*(1+c))
//	v = r > 0 ? sin(t*θ)/r : t
//	u = cos(t*θ) - c*v
//	q = u*a + (d < 0 ? -v : v)*b
//
// Shape: all lanes of q, a and b have the same length; any length, any alignment.
// Alias: q may be a or b; a partial overlap is not supported.
// Values: the same bits on every path. For t in [0, 1] and quaternions of length
// 1, the result is within 4 units of 2^-24 (float32) or 2^-53 (float64) of the
// exact result. t = 0 gives a. Nothing is normalised.
// It panics if the lengths differ. It does not allocate.
//
// Source: K. Shoemake, "Animating rotation with quaternion curves", SIGGRAPH
// 1985, with sin((1-t)*θ) expanded, so that one sine and cosine suffice.
func quatSlerpGeneric[T Float](q, a, b *Quats[T], t T) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	ax, ay, az, aw := a.X[:n], a.Y[:n], a.Z[:n], a.W[:n]
	bx, by, bz, bw := b.X[:n], b.Y[:n], b.Z[:n], b.W[:n]
	for i := range n {
		ax, ay, az, aw := ax[i], ay[i], az[i], aw[i]
		bx, by, bz, bw := bx[i], by[i], bz[i], bw[i]
		d := ((T(ax*bx) + T(ay*by)) + T(az*bz)) + T(aw*bw)
		c := magnitude(d)
		if c > 1 {
			c = 1
		}
		sin, cos := sincos(T(t * arc(c)))
		r := root(T((1 - c) * (1 + c)))
		v := t
		if r > 0 {
			v = sin / r
		}
		u := cos - T(c*v)
		if d < 0 {
			v = -v
		}
		qx[i], qy[i], qz[i], qw[i] = T(u*ax)+T(v*bx), T(u*ay)+T(v*by), T(u*az)+T(v*bz), T(u*aw)+T(v*bw)
	}
}

// ordinaryTurn reports whether t is so small that a path can compute the sine of t times the
// angle between two quaternions with vectors. The angle is at most a quarter turn, so the
// product is then small enough for both types.
func ordinaryTurn[T Float](t T) bool { return magnitude(t) <= T(ordinary32/2) }
