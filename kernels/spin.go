package kernels

import "math"

// Spin sets q[i] = normalize(p[i]) * turn(axis, speed[i]*dt) and returns q:
// every row turns from p[i] at its own speed about the same axis, which is
// given in the row's local frame. The axis (ax, ay, az) must have length 1. The unit of
// speed is radians per second.
//
//	h = (½*dt)*speed[i]
//	q = normalize(p) * (ax*sin(h), ay*sin(h), az*sin(h), cos(h))
//
// Shape: all lanes of q and p and speed have the same length; any length, any
// alignment.
// Alias: q may be p; a partial overlap is not supported.
// Values: exact, in the order of [Quats.Normalize], [Sincos] and [Quats.Mul],
// with no special case.
// It panics if the lengths differ. It does not allocate.
func (q *Quats[T]) Spin(p *Quats[T], ax, ay, az T, speed []T, dt T) *Quats[T] {
	axis := [3]T{ax, ay, az}
	quatSpinFront(single[T](), address(q), address(p), address(&axis), address(&speed), float64(T(0.5*dt)))
	return q
}

//kernelgen:front
func quatSpin[T Float](q *Quats[T], p *Quats[T], axis *[3]T, speed []T, half T) {
	n := q.Len()
	if !quatHas(q, n) || !quatHas(p, n) || len(speed) != n {
		panic(lengths("Quats.Spin", quatSpans(q, "q"), quatSpans(p, "p"), lane("speed", speed)))
	}
	if checked {
		inspect("Quats.Spin", quatSpans(q, "q"), quatSpans(p, "p"), lane("speed", speed))
	}
	if n > piece {
		var qs, ps Quats[T]
		for lo := 0; lo < n; lo += piece {
			hi := min(lo+piece, n)
			qs, ps = q.Slice(lo, hi), p.Slice(lo, hi)
			quatSpin(&qs, &ps, axis, speed[lo:hi], half)
		}
		return
	}
	var done int
	if single[T]() { // as spinRows does, with one call less
		done = quatSpin32(as[Quats[float32]](q), as[Quats[float32]](p), as[[3]float32](axis), f32(speed), float32(half))
	} else {
		done = quatSpin64(as[Quats[float64]](q), as[Quats[float64]](p), as[[3]float64](axis), f64(speed), float64(half))
	}
	if done < n {
		spinRest(q, p, axis, speed, half, done)
	}
}

// spinGroup is the number of rows that the Go body computes when a path stops at a row
// that it cannot compute. It is at least the number of rows of one iteration of the
// path's loop, so that the path makes progress.
const spinGroup = 16

// spinRest continues at the row at which a path stopped. A path stops before a row whose angle is
// huge, infinite or NaN, because only the Go body computes such rows.
func spinRest[T Float](q, p *Quats[T], axis *[3]T, speed []T, half T, done int) {
	for n := len(speed); done < n; {
		hi := min(done+spinGroup, n)
		qs, ps := q.Slice(done, hi), p.Slice(done, hi)
		quatSpinGeneric(&qs, &ps, axis, speed[done:hi], half)
		qs, ps = q.Slice(hi, n), p.Slice(hi, n)
		done = hi + spinRows(&qs, &ps, axis, speed[hi:], half)
	}
}

// spinRows computes rows on the path in use and returns the number of rows that it has computed.
func spinRows[T Float](q, p *Quats[T], axis *[3]T, speed []T, half T) int {
	if single[T]() {
		type view = Quats[float32]
		return quatSpin32(as[view](q), as[view](p), as[[3]float32](axis), *as[[]float32](&speed), float32(half))
	}
	type view = Quats[float64]
	return quatSpin64(as[view](q), as[view](p), as[[3]float64](axis), *as[[]float64](&speed), float64(half))
}

func quatSpinGeneric[T Float](q, p *Quats[T], axis *[3]T, speed []T, half T) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	px, py, pz, pw := p.X[:n], p.Y[:n], p.Z[:n], p.W[:n]
	speed = speed[:n]
	ux, uy, uz := axis[0], axis[1], axis[2]
	for i := range n {
		x, y, z, w := px[i], py[i], pz[i], pw[i]
		s, c := sincos(T(half * speed[i]))
		r := 1 / T(math.Sqrt(float64(((T(x*x)+T(y*y))+T(z*z))+T(w*w))))
		ax, ay, az, aw := T(x*r), T(y*r), T(z*r), T(w*r)
		bx, by, bz, bw := T(ux*s), T(uy*s), T(uz*s), c
		qx[i] = ((T(aw*bx) + T(ax*bw)) + T(ay*bz)) - T(az*by)
		qy[i] = ((T(aw*by) + T(ay*bw)) + T(az*bx)) - T(ax*bz)
		qz[i] = ((T(aw*bz) + T(az*bw)) + T(ax*by)) - T(ay*bx)
		qw[i] = ((T(aw*bw) - T(ax*bx)) - T(ay*by)) - T(az*bz)
	}
}
