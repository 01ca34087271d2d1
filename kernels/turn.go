package kernels

import "fmt"

// Conjugate sets q[i] to the conjugate of p[i] and returns q: for a unit
// quaternion the inverse rotation.
//
//	q = (-p.x, -p.y, -p.z, p.w)
//
// Shape: all lanes of q and p have the same length; any length, any alignment.
// Alias: q may be p; a partial overlap is not supported.
// Values: exact; a zero changes its sign too.
// It panics if the lengths differ. It does not allocate.
func quatConjugateGeneric[T Float](q, p *Quats[T]) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	px, py, pz, pw := p.X[:n], p.Y[:n], p.Z[:n], p.W[:n]
	for i := range n {
		qx[i], qy[i], qz[i], qw[i] = -px[i], -py[i], -pz[i], pw[i]
	}
}

// FromAxisAngle sets q[i] to the turn about axis[i] by angle[i] radians and
// returns q. The turn is counterclockwise if the axis points at the viewer. An
// axis must have length 1.
//
//	h = ½*angle
//	q = (axis.x*sin(h), axis.y*sin(h), axis.z*sin(h), cos(h))
//
// Shape: all lanes of q and axis, and angle, have the same length; any length, any alignment.
// Alias: q may hold the lanes of axis as its first three; a partial overlap is
// not supported.
// Values: the same bits on every path, with the sine and cosine of [Sincos].
// It panics if the lengths differ. It does not allocate.
func (q *Quats[T]) FromAxisAngle(axis *Vec3s[T], angle []T) *Quats[T] {
	quatFromAxisAngleFront(single[T](), address(q), address(axis), address(&angle))
	return q
}

//kernelgen:front
func quatFromAxisAngle[T Float](q *Quats[T], axis *Vec3s[T], angle []T) {
	n := q.Len()
	if !quatHas(q, n) || !vec3Has(axis, n) || len(angle) != n {
		panic(lengths("Quats.FromAxisAngle", quatSpans(q, "q"), vec3Spans(axis, "axis"), lane("angle", angle)))
	}
	if checked {
		inspect("Quats.FromAxisAngle", quatSpans(q, "q"), vec3Spans(axis, "axis"), lane("angle", angle))
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		axisAnglePiece(q.Slice(lo, hi), axis.Slice(lo, hi), angle[lo:hi])
	}
}

// axisAnglePiece computes rows on the path in use. As in quatSpin, a path stops before a row with
// an angle that only the Go body computes.
//
//go:noinline
func axisAnglePiece[T Float](q Quats[T], axis Vec3s[T], angle []T) {
	for n := len(angle); ; {
		done := axisAngleRows(&q, &axis, angle)
		if done == n {
			return
		}
		hi := min(done+spinGroup, n)
		qs, as := q.Slice(done, hi), axis.Slice(done, hi)
		quatFromAxisAngleGeneric(&qs, &as, angle[done:hi])
		q, axis, angle, n = q.Slice(hi, n), axis.Slice(hi, n), angle[hi:], n-hi
	}
}

// axisAngleRows returns the number of rows that the path in use has computed.
func axisAngleRows[T Float](q *Quats[T], axis *Vec3s[T], angle []T) int {
	if single[T]() {
		return quatFromAxisAngle32(as[Quats[float32]](q), as[Vec3s[float32]](axis), *as[[]float32](&angle))
	}
	return quatFromAxisAngle64(as[Quats[float64]](q), as[Vec3s[float64]](axis), *as[[]float64](&angle))
}

func quatFromAxisAngleGeneric[T Float](q *Quats[T], axis *Vec3s[T], angle []T) {
	n := len(angle)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	ax, ay, az := axis.X[:n], axis.Y[:n], axis.Z[:n]
	for i, a := range angle {
		s, c := sincos(T(0.5 * a))
		qx[i], qy[i], qz[i], qw[i] = ax[i]*s, ay[i]*s, az[i]*s, c
	}
}

// A RotationOrder is the order of three rotations about the axes x, y and z.
// The axes are fixed in the world. For rotations about axes that turn with the body (intrinsic
// rotations), read the name backwards. For example, OrderZXY is
// roll, pitch, yaw if y points up and z forwards.
type RotationOrder uint8

const (
	OrderXYZ RotationOrder = iota // q = qz*qy*qx
	OrderXZY                      // q = qy*qz*qx
	OrderYXZ                      // q = qz*qx*qy
	OrderYZX                      // q = qx*qz*qy
	OrderZXY                      // q = qy*qx*qz
	OrderZYX                      // q = qx*qy*qz
)

// String returns the axes in the order, for example "ZXY".
func (o RotationOrder) String() string {
	if int(o) < len(orderNames) {
		return orderNames[o]
	}
	return fmt.Sprintf("RotationOrder(%d)", uint8(o))
}

var orderNames = [...]string{OrderXYZ: "XYZ", OrderXZY: "XZY", OrderYXZ: "YXZ", OrderYZX: "YZX", OrderZXY: "ZXY", OrderZYX: "ZYX"}

// orderSigns holds, for each rotation order, the signs of the second terms in the formulas of
// FromEuler.
var orderSigns = [...][4]int8{
	OrderXYZ: {-1, 1, -1, 1},
	OrderXZY: {1, 1, -1, -1},
	OrderYXZ: {-1, 1, 1, -1},
	OrderYZX: {-1, -1, 1, 1},
	OrderZXY: {1, -1, -1, 1},
	OrderZYX: {1, -1, 1, -1},
}

// FromEuler sets q[i] to the product of three turns, and returns q. The turns
// are by angles.X[i] radians about the x axis, by angles.Y[i] about the y axis
// and by angles.Z[i] about the z axis, one after the other in the given order.
//
//	(s.x, c.x) = sincos(½*angles.x), and so on; every ± is one sign of the order
//	x = (s.x*c.y)*c.z ± (c.x*s.y)*s.z
//	y = (c.x*s.y)*c.z ± (s.x*c.y)*s.z
//	z = (c.x*c.y)*s.z ± (s.x*s.y)*c.z
//	w = (c.x*c.y)*c.z ± (s.x*s.y)*s.z
//
// Shape: all lanes of q and angles have the same length; any length, any alignment.
// Alias: q may hold the lanes of angles as its first three; a partial overlap
// is not supported.
// Values: the same bits on every path, with the sine and cosine of [Sincos].
// It panics if the lengths differ, or if order is not one of the constants. It
// does not allocate.
func (q *Quats[T]) FromEuler(angles *Vec3s[T], order RotationOrder) *Quats[T] {
	quatFromEulerFront(single[T](), address(q), address(angles), order)
	return q
}

//kernelgen:front
func quatFromEuler[T Float](q *Quats[T], angles *Vec3s[T], order RotationOrder) {
	n := q.Len()
	if !quatHas(q, n) || !vec3Has(angles, n) {
		panic(lengths("Quats.FromEuler", quatSpans(q, "q"), vec3Spans(angles, "angles")))
	}
	if int(order) >= len(orderSigns) {
		panic(fmt.Sprintf("kernels: Quats.FromEuler: order is %d, the last one is %d", order, len(orderSigns)-1))
	}
	if checked {
		inspect("Quats.FromEuler", quatSpans(q, "q"), vec3Spans(angles, "angles"))
	}
	var signs [4]T
	for k, sign := range orderSigns[order] {
		signs[k] = T(sign)
	}
	for lo := 0; lo < n; lo += piece {
		hi := min(lo+piece, n)
		eulerPiece(q.Slice(lo, hi), angles.Slice(lo, hi), &signs)
	}
}

// eulerPiece computes rows on the path in use, as axisAnglePiece does.
//
//go:noinline
func eulerPiece[T Float](q Quats[T], angles Vec3s[T], signs *[4]T) {
	for n := len(q.X); ; {
		done := eulerRows(&q, &angles, signs)
		if done == n {
			return
		}
		hi := min(done+spinGroup, n)
		qs, as := q.Slice(done, hi), angles.Slice(done, hi)
		quatFromEulerGeneric(&qs, &as, signs)
		q, angles, n = q.Slice(hi, n), angles.Slice(hi, n), n-hi
	}
}

// eulerRows returns the number of rows that the path in use has computed.
func eulerRows[T Float](q *Quats[T], angles *Vec3s[T], signs *[4]T) int {
	if single[T]() {
		return quatFromEuler32(as[Quats[float32]](q), as[Vec3s[float32]](angles), as[[4]float32](signs))
	}
	return quatFromEuler64(as[Quats[float64]](q), as[Vec3s[float64]](angles), as[[4]float64](signs))
}

func quatFromEulerGeneric[T Float](q *Quats[T], angles *Vec3s[T], signs *[4]T) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	ax, ay, az := angles.X[:n], angles.Y[:n], angles.Z[:n]
	for i := range n {
		sx, cx := sincos(T(0.5 * ax[i]))
		sy, cy := sincos(T(0.5 * ay[i]))
		sz, cz := sincos(T(0.5 * az[i]))
		cc, ss, sc, cs := T(cx*cy), T(sx*sy), T(sx*cy), T(cx*sy)
		qx[i] = T(sc*cz) + T(signs[0]*T(cs*sz))
		qy[i] = T(cs*cz) + T(signs[1]*T(sc*sz))
		qz[i] = T(cc*sz) + T(signs[2]*T(ss*cz))
		qw[i] = T(cc*cz) + T(signs[3]*T(ss*sz))
	}
}

// FromQuats sets m[i] to the matrix of the turn q[i] and returns m. The result is the
// same as that of [Mat4s.Compose] with the rotation q, the position 0 and no scale.
//
// Shape: m and all lanes of q have the same length; any length, any alignment.
// Alias: m must not overlap q.
// Values: exact, in the order of Compose; q must have length 1.
// It panics if the lengths differ. It does not allocate.
func (m *Mat4s[T]) FromQuats(q *Quats[T]) *Mat4s[T] {
	mat4FromQuatsFront(single[T](), address(m), address(q))
	return m
}

//kernelgen:front
func mat4FromQuats[T Float](m *Mat4s[T], q *Quats[T]) {
	n := m.Len()
	if !quatHas(q, n) {
		panic(lengths("Mat4s.FromQuats", mat4Spans(m, "m"), quatSpans(q, "q")))
	}
	if checked {
		inspect("Mat4s.FromQuats", mat4Spans(m, "m"), quatSpans(q, "q"))
	}
	var ms Mat4s[T]
	var qs Quats[T]
	var origin, even Vec3s[T]
	for lo := 0; lo < n; lo += constantRows {
		hi := min(lo+constantRows, n)
		zeros, ones := constants[T](hi - lo)
		origin, even = Vec3s[T]{zeros, zeros, zeros}, Vec3s[T]{ones, ones, ones}
		ms, qs = m.Slice(lo, hi), q.Slice(lo, hi)
		ms.Compose(&origin, &qs, &even)
	}
}

// Between sets q[i] to the shortest turn from the unit vector x[i] to the unit
// vector y[i] and returns q. If x[i] and y[i] are opposite, half turns about all axes
// perpendicular to x[i] are equally short. In this case the axis of the result is
// (-x.y, x.x, 0) if |x.x| > |x.z|, and otherwise about (0, -x.z, x.y).
//
//	h = x + y           l = (h.x*h.x + h.y*h.y) + h.z*h.z
//	l ≥ tiny:           q = (x × h, ½*l)
//	l < tiny:           q = (the axis above, 0)
//	q = normalize(q)    with the formula of Quats.Normalize
//
// tiny is 2^-40 for float32 and 2^-98 for float64: if l is below it, h consists of
// rounding errors.
//
// Shape: all lanes of q, x and y have the same length; any length, any alignment.
// Alias: q may hold the lanes of x or y as its first three lanes; a partial
// overlap is not supported.
// Values: exact, in the order written. q has length 1 even if the lengths of x
// and y are only nearly 1. Two zero vectors give NaN.
// It panics if the lengths differ. It does not allocate.
//
// Source: the half-way quaternion (x × y, 1 + x·y), in which h replaces y and ½*l
// replaces 1 + x·y. These are accurate even if the vectors nearly cancel.
func quatBetweenGeneric[T Float](q *Quats[T], x, y *Vec3s[T]) {
	n := len(q.X)
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	yx, yy, yz := y.X[:n], y.Y[:n], y.Z[:n]
	tiny := T(oppositeLimit64)
	if single[T]() {
		tiny = T(oppositeLimit32)
	}
	for i := range n {
		ax, ay, az := xx[i], xy[i], xz[i]
		hx, hy, hz := ax+yx[i], ay+yy[i], az+yz[i]
		l := (T(hx*hx) + T(hy*hy)) + T(hz*hz)
		x, y, z := T(ay*hz)-T(az*hy), T(az*hx)-T(ax*hz), T(ax*hy)-T(ay*hx)
		w := T(0.5 * l)
		if l < tiny {
			x, y, z, w = 0, -az, ay, 0
			if magnitude(ax) > magnitude(az) {
				x, y, z = -ay, ax, 0
			}
		}
		r := 1 / root(((T(x*x)+T(y*y))+T(z*z))+T(w*w))
		qx[i], qy[i], qz[i], qw[i] = x*r, y*r, z*r, w*r
	}
}

// If the squared length of x + y is below this limit, x and y are treated as opposite.
const (
	oppositeLimit32 float32 = 0x1p-40
	oppositeLimit64 float64 = 0x1p-98
)
