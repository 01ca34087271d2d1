package kernels

import "math"

// Mul sets q[i] = a[i]*b[i], the Hamilton product, and returns q. The result first
// turns by b and then by a.
//
//	x = ((a.w*b.x + a.x*b.w) + a.y*b.z) - a.z*b.y
//	y = ((a.w*b.y + a.y*b.w) + a.z*b.x) - a.x*b.z
//	z = ((a.w*b.z + a.z*b.w) + a.x*b.y) - a.y*b.x
//	w = ((a.w*b.w - a.x*b.x) - a.y*b.y) - a.z*b.z
//
// Shape: all lanes of q, a and b have the same length; any length, any alignment.
// Alias: q may be a or b; a partial overlap is not supported.
// Values: exact, in the order written; nothing is normalised.
// It panics if the lengths differ. It does not allocate.
func quatMulGeneric[T Float](q, a, b *Quats[T]) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	ax, ay, az, aw := a.X[:n], a.Y[:n], a.Z[:n], a.W[:n]
	bx, by, bz, bw := b.X[:n], b.Y[:n], b.Z[:n], b.W[:n]
	for i := range n {
		ax, ay, az, aw := ax[i], ay[i], az[i], aw[i]
		bx, by, bz, bw := bx[i], by[i], bz[i], bw[i]
		qx[i] = ((T(aw*bx) + T(ax*bw)) + T(ay*bz)) - T(az*by)
		qy[i] = ((T(aw*by) + T(ay*bw)) + T(az*bx)) - T(ax*bz)
		qz[i] = ((T(aw*bz) + T(az*bw)) + T(ax*by)) - T(ay*bx)
		qw[i] = ((T(aw*bw) - T(ax*bx)) - T(ay*by)) - T(az*bz)
	}
}

// Normalize sets q[i] = p[i]/|p[i]| and returns q.
//
//	r = 1 / √(((x*x + y*y) + z*z) + w*w)
//	q = (x*r, y*r, z*r, w*r)
//
// Shape: all lanes of q and p have the same length; any length, any alignment.
// Alias: q may be p; a partial overlap is not supported.
// Values: exact, in the order written. There is no special case: a zero
// quaternion gives NaN; r is infinite where the squares underflow to zero, and
// r is zero where they overflow.
// It panics if the lengths differ. It does not allocate.
func quatNormalizeGeneric[T Float](q, p *Quats[T]) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	px, py, pz, pw := p.X[:n], p.Y[:n], p.Z[:n], p.W[:n]
	for i := range n {
		x, y, z, w := px[i], py[i], pz[i], pw[i]
		r := 1 / T(math.Sqrt(float64(((T(x*x)+T(y*y))+T(z*z))+T(w*w))))
		qx[i], qy[i], qz[i], qw[i] = x*r, y*r, z*r, w*r
	}
}

// Integrate sets q[i] to p[i] turned for the time dt by the angular velocity
// w[i], and returns q. w[i] is in radians a second. Its axes are those of the frame
// into which p turns: if p turns from a body to the world, they are the axes of the
// world. Integrate is one Euler step of dq/dt = ½·w·q, followed by a normalisation. It
// is accurate to second order in |w|*dt.
//
//	h = ½*dt            o = (w.x*h, w.y*h, w.z*h)
//	x = p.x + ((o.x*p.w + o.y*p.z) - o.z*p.y)
//	y = p.y + ((o.y*p.w + o.z*p.x) - o.x*p.z)
//	z = p.z + ((o.z*p.w + o.x*p.y) - o.y*p.x)
//	w = p.w - ((o.x*p.x + o.y*p.y) + o.z*p.z)
//	q = normalize(x, y, z, w)
//
// Shape: all lanes of q, p and w have the same length; any length, any alignment.
// Alias: q may be p; a partial overlap is not supported.
// Values: exact, in the order written. The last line is that of
// [Quats.Normalize], which has no special case either.
// It panics if the lengths differ. It does not allocate.
func (q *Quats[T]) Integrate(p *Quats[T], w *Vec3s[T], dt T) *Quats[T] {
	quatIntegrateFront(single[T](), address(q), address(p), address(w), float64(dt))
	return q
}

//kernelgen:front
func quatIntegrate[T Float](q *Quats[T], p *Quats[T], w *Vec3s[T], dt T) {
	n := q.Len()
	if !quatHas(q, n) || !quatHas(p, n) || !vec3Has(w, n) {
		panic(lengths("Quats.Integrate", quatSpans(q, "q"), quatSpans(p, "p"), vec3Spans(w, "w")))
	}
	if checked {
		inspect("Quats.Integrate", quatSpans(q, "q"), quatSpans(p, "p"), vec3Spans(w, "w"))
	}
	if n > piece {
		var qs, ps Quats[T]
		var ws Vec3s[T]
		for lo := 0; lo < n; lo += piece {
			hi := min(lo+piece, n)
			qs, ps, ws = q.Slice(lo, hi), p.Slice(lo, hi), w.Slice(lo, hi)
			quatIntegrate(&qs, &ps, &ws, dt)
		}
		return
	}
	half := T(0.5 * dt)
	if single[T]() {
		quatIntegrate32(as[Quats[float32]](q), as[Quats[float32]](p), as[Vec3s[float32]](w), float32(half))
	} else {
		quatIntegrate64(as[Quats[float64]](q), as[Quats[float64]](p), as[Vec3s[float64]](w), float64(half))
	}
}

func quatIntegrateGeneric[T Float](q, p *Quats[T], w *Vec3s[T], half T) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	px, py, pz, pw := p.X[:n], p.Y[:n], p.Z[:n], p.W[:n]
	wx, wy, wz := w.X[:n], w.Y[:n], w.Z[:n]
	for i := range n {
		px, py, pz, pw := px[i], py[i], pz[i], pw[i]
		ox, oy, oz := T(wx[i]*half), T(wy[i]*half), T(wz[i]*half)
		x := px + ((T(ox*pw) + T(oy*pz)) - T(oz*py))
		y := py + ((T(oy*pw) + T(oz*px)) - T(ox*pz))
		z := pz + ((T(oz*pw) + T(ox*py)) - T(oy*px))
		w := pw - ((T(ox*px) + T(oy*py)) + T(oz*pz))
		r := 1 / T(math.Sqrt(float64(((T(x*x)+T(y*y))+T(z*z))+T(w*w))))
		qx[i], qy[i], qz[i], qw[i] = x*r, y*r, z*r, w*r
	}
}
