package main

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// These are plain loops over lanes, as one writes them without a library.

//go:noinline
func plainIntegrate[T kernels.Float](p, v *kernels.Vec3s[T], s T) {
	n := len(p.X)
	px, py, pz := p.X, p.Y[:n], p.Z[:n]
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	for i := range px {
		px[i] += vx[i] * s
		py[i] += vy[i] * s
		pz[i] += vz[i] * s
	}
}

//go:noinline
func plainMulQuats[T kernels.Float](q, a, b *kernels.Quats[T]) {
	n := len(q.X)
	qx, qy, qz, qw := q.X, q.Y[:n], q.Z[:n], q.W[:n]
	ax, ay, az, aw := a.X[:n], a.Y[:n], a.Z[:n], a.W[:n]
	bx, by, bz, bw := b.X[:n], b.Y[:n], b.Z[:n], b.W[:n]
	for i := range qx {
		x, y, z, w := ax[i], ay[i], az[i], aw[i]
		u, v, s, t := bx[i], by[i], bz[i], bw[i]
		qx[i] = w*u + x*t + y*s - z*v
		qy[i] = w*v + y*t + z*u - x*s
		qz[i] = w*s + z*t + x*v - y*u
		qw[i] = w*t - x*u - y*v - z*s
	}
}

//go:noinline
func plainRotate[T kernels.Float](v *kernels.Vec3s[T], q *kernels.Quats[T], x *kernels.Vec3s[T]) {
	n := len(v.X)
	vx, vy, vz := v.X, v.Y[:n], v.Z[:n]
	qx, qy, qz, qw := q.X[:n], q.Y[:n], q.Z[:n], q.W[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	for i := range vx {
		x, y, z, w := qx[i], qy[i], qz[i], qw[i]
		a, b, c := xx[i], xy[i], xz[i]
		tx, ty, tz := 2*(y*c-z*b), 2*(z*a-x*c), 2*(x*b-y*a)
		vx[i] = a + w*tx + y*tz - z*ty
		vy[i] = b + w*ty + z*tx - x*tz
		vz[i] = c + w*tz + x*ty - y*tx
	}
}

//go:noinline
func plainCompose[T kernels.Float](m *kernels.Mat4s[T], pos *kernels.Vec3s[T], rot *kernels.Quats[T], scale *kernels.Vec3s[T]) {
	n := len(m.M)
	px, py, pz := pos.X[:n], pos.Y[:n], pos.Z[:n]
	rx, ry, rz, rw := rot.X[:n], rot.Y[:n], rot.Z[:n], rot.W[:n]
	sx, sy, sz := scale.X[:n], scale.Y[:n], scale.Z[:n]
	for i := range m.M {
		x, y, z, w := rx[i], ry[i], rz[i], rw[i]
		sx, sy, sz := sx[i], sy[i], sz[i]
		o := &m.M[i]
		o[0], o[1], o[2], o[3] = (1-2*(y*y+z*z))*sx, 2*(x*y+w*z)*sx, 2*(x*z-w*y)*sx, 0
		o[4], o[5], o[6], o[7] = 2*(x*y-w*z)*sy, (1-2*(x*x+z*z))*sy, 2*(y*z+w*x)*sy, 0
		o[8], o[9], o[10], o[11] = 2*(x*z+w*y)*sz, 2*(y*z-w*x)*sz, (1-2*(x*x+y*y))*sz, 0
		o[12], o[13], o[14], o[15] = px[i], py[i], pz[i], 1
	}
}

//go:noinline
func plainComposeLanes[T kernels.Float](m *kernels.Mat3x4s[T], pos *kernels.Vec3s[T], rot *kernels.Quats[T], scale *kernels.Vec3s[T]) {
	n := len(m.XX)
	ax, ay, az := m.XX[:n], m.XY[:n], m.XZ[:n]
	bx, by, bz := m.YX[:n], m.YY[:n], m.YZ[:n]
	cx, cy, cz := m.ZX[:n], m.ZY[:n], m.ZZ[:n]
	tx, ty, tz := m.TX[:n], m.TY[:n], m.TZ[:n]
	px, py, pz := pos.X[:n], pos.Y[:n], pos.Z[:n]
	rx, ry, rz, rw := rot.X[:n], rot.Y[:n], rot.Z[:n], rot.W[:n]
	sx, sy, sz := scale.X[:n], scale.Y[:n], scale.Z[:n]
	for i := range n {
		x, y, z, w := rx[i], ry[i], rz[i], rw[i]
		sx, sy, sz := sx[i], sy[i], sz[i]
		ax[i], ay[i], az[i] = (1-2*(y*y+z*z))*sx, 2*(x*y+w*z)*sx, 2*(x*z-w*y)*sx
		bx[i], by[i], bz[i] = 2*(x*y-w*z)*sy, (1-2*(x*x+z*z))*sy, 2*(y*z+w*x)*sy
		cx[i], cy[i], cz[i] = 2*(x*z+w*y)*sz, 2*(y*z-w*x)*sz, (1-2*(x*x+y*y))*sz
		tx[i], ty[i], tz[i] = px[i], py[i], pz[i]
	}
}

//go:noinline
func plainMulMat4s[T kernels.Float](m, p, l *kernels.Mat4s[T]) {
	n := len(m.M)
	ps, ls := p.M[:n], l.M[:n]
	for i := range m.M {
		o, a, b := &m.M[i], &ps[i], &ls[i]
		for c := 0; c < 12; c += 4 { // the last row is 0, 0, 0, 1, so it needs no products
			x, y, z := b[c], b[c+1], b[c+2]
			o[c] = a[0]*x + a[4]*y + a[8]*z
			o[c+1] = a[1]*x + a[5]*y + a[9]*z
			o[c+2] = a[2]*x + a[6]*y + a[10]*z
			o[c+3] = 0
		}
		x, y, z := b[12], b[13], b[14]
		o[12] = a[0]*x + a[4]*y + a[8]*z + a[12]
		o[13] = a[1]*x + a[5]*y + a[9]*z + a[13]
		o[14] = a[2]*x + a[6]*y + a[10]*z + a[14]
		o[15] = 1
	}
}

//go:noinline
func plainMulFull[T kernels.Float](m, parent, local *kernels.Mat4s[T]) {
	n := len(m.M)
	ps, ls := parent.M[:n], local.M[:n]
	for i := range m.M {
		o, a, b := &m.M[i], &ps[i], &ls[i]
		for c := 0; c < 16; c += 4 {
			x, y, z, w := b[c], b[c+1], b[c+2], b[c+3]
			o[c] = a[0]*x + a[4]*y + a[8]*z + a[12]*w
			o[c+1] = a[1]*x + a[5]*y + a[9]*z + a[13]*w
			o[c+2] = a[2]*x + a[6]*y + a[10]*z + a[14]*w
			o[c+3] = a[3]*x + a[7]*y + a[11]*z + a[15]*w
		}
	}
}

//go:noinline
func plainIntegrateQuats[T kernels.Float](q *kernels.Quats[T], w *kernels.Vec3s[T], dt T) {
	n, h := len(q.X), dt/2
	qx, qy, qz, qw := q.X, q.Y[:n], q.Z[:n], q.W[:n]
	wx, wy, wz := w.X[:n], w.Y[:n], w.Z[:n]
	for i := range qx {
		x, y, z, w := qx[i], qy[i], qz[i], qw[i]
		a, b, c := wx[i]*h, wy[i]*h, wz[i]*h
		x, y, z, w = x+a*w+b*z-c*y, y+b*w+c*x-a*z, z+c*w+a*y-b*x, w-a*x-b*y-c*z
		r := 1 / T(math.Sqrt(float64(x*x+y*y+z*z+w*w)))
		qx[i], qy[i], qz[i], qw[i] = x*r, y*r, z*r, w*r
	}
}

//go:noinline
func plainNormalizeQuats[T kernels.Float](q, p *kernels.Quats[T]) {
	n := len(q.X)
	qx, qy, qz, qw := q.X, q.Y[:n], q.Z[:n], q.W[:n]
	px, py, pz, pw := p.X[:n], p.Y[:n], p.Z[:n], p.W[:n]
	for i := range qx {
		x, y, z, w := px[i], py[i], pz[i], pw[i]
		r := 1 / T(math.Sqrt(float64(x*x+y*y+z*z+w*w)))
		qx[i], qy[i], qz[i], qw[i] = x*r, y*r, z*r, w*r
	}
}

//go:noinline
func plainNormalizeVec3s[T kernels.Float](v, x *kernels.Vec3s[T]) {
	n := len(v.X)
	vx, vy, vz := v.X, v.Y[:n], v.Z[:n]
	xx, xy, xz := x.X[:n], x.Y[:n], x.Z[:n]
	for i := range vx {
		a, b, c := xx[i], xy[i], xz[i]
		r := T(0)
		if l := a*a + b*b + c*c; l != 0 {
			r = 1 / T(math.Sqrt(float64(l)))
		}
		vx[i], vy[i], vz[i] = a*r, b*r, c*r
	}
}

//go:noinline
func plainSlerp[T kernels.Float](q, a, b *kernels.Quats[T], t T) {
	for i := range q.X {
		ax, ay, az, aw := a.X[i], a.Y[i], a.Z[i], a.W[i]
		bx, by, bz, bw := b.X[i], b.Y[i], b.Z[i], b.W[i]
		d := float64(ax*bx + ay*by + az*bz + aw*bw)
		sign := T(1)
		if d < 0 {
			d, sign = -d, -1
		}
		u, v := 1-t, t
		if d < 0.9999 {
			angle := math.Acos(d)
			s := 1 / math.Sin(angle)
			u, v = T(math.Sin(float64(1-t)*angle)*s), T(math.Sin(float64(t)*angle)*s)
		}
		v *= sign
		q.X[i], q.Y[i], q.Z[i], q.W[i] = u*ax+v*bx, u*ay+v*by, u*az+v*bz, u*aw+v*bw
	}
}

func abs[T kernels.Float](x T) T { return T(math.Abs(float64(x))) }

//go:noinline
func plainInPlanes[T kernels.Float](b *kernels.Boxes[T], mask []uint64, planes []kernels.Plane[T]) {
	n := len(b.X)
	x, y, z, hx, hy, hz := b.X, b.Y[:n], b.Z[:n], b.HX[:n], b.HY[:n], b.HZ[:n]
	clear(mask)
rows:
	for i := range x {
		for k := range planes {
			p := &planes[k]
			d := p.X*x[i] + p.Y*y[i] + p.Z*z[i] + p.D
			if d+abs(p.X)*hx[i]+abs(p.Y)*hy[i]+abs(p.Z)*hz[i] < 0 {
				continue rows
			}
		}
		mask[i/64] |= 1 << (i % 64)
	}
}

//go:noinline
func plainTransformBoxes[T kernels.Float](b *kernels.Boxes[T], m *kernels.Mat4s[T], local *kernels.Boxes[T]) {
	n := len(b.X)
	x, y, z, hx, hy, hz := b.X, b.Y[:n], b.Z[:n], b.HX[:n], b.HY[:n], b.HZ[:n]
	lx, ly, lz, lhx, lhy, lhz := local.X[:n], local.Y[:n], local.Z[:n], local.HX[:n], local.HY[:n], local.HZ[:n]
	for i := range x {
		a := &m.M[i]
		u, v, w, hu, hv, hw := lx[i], ly[i], lz[i], lhx[i], lhy[i], lhz[i]
		x[i] = a[0]*u + a[4]*v + a[8]*w + a[12]
		y[i] = a[1]*u + a[5]*v + a[9]*w + a[13]
		z[i] = a[2]*u + a[6]*v + a[10]*w + a[14]
		hx[i] = abs(a[0])*hu + abs(a[4])*hv + abs(a[8])*hw
		hy[i] = abs(a[1])*hu + abs(a[5])*hv + abs(a[9])*hw
		hz[i] = abs(a[2])*hu + abs(a[6])*hv + abs(a[10])*hw
	}
}
