package main

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run github.com/lanewise/lanewise/cmd/lanec

// move adds s times the velocity.
//
//lanec:kernel Move
func move(pos, vel *kernels.Vec3s[float32], s float32) {
	for i := range pos.X {
		pos.X[i] += float32(vel.X[i] * s)
		pos.Y[i] += float32(vel.Y[i] * s)
		pos.Z[i] += float32(vel.Z[i] * s)
	}
}

// spring pulls x towards rest, with a limit; a slow row near rest stops.
//
//lanec:kernel Spring
func spring(x, v []float32, rest, k, damp, limit, dt float32) {
	for i := range x {
		d := x[i] - rest
		f := -float32(k*d) - float32(damp*v[i])
		if f > limit {
			f = limit
		} else if f < -limit {
			f = -limit
		}
		if d*d < 1e-8 && v[i]*v[i] < 1e-8 {
			v[i] = 0
		} else {
			v[i] += float32(f * dt)
			x[i] += float32(v[i] * dt)
		}
	}
}

// gravity adds the attraction of all bodies to acc; the kernel is
// forces.Gravity.
func gravity[T kernels.Float](acc, pos *kernels.Vec3s[T], mass []T, eps T) {
	for i := range pos.X {
		x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
		var ax, ay, az T
		for j, m := range mass {
			dx, dy, dz := pos.X[j]-x, pos.Y[j]-y, pos.Z[j]-z
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz) + eps
			w := m / (r2 * T(math.Sqrt(float64(r2))))
			ax += T(w * dx)
			ay += T(w * dy)
			az += T(w * dz)
		}
		acc.X[i] += ax
		acc.Y[i] += ay
		acc.Z[i] += az
	}
}

// product is Hamilton's product of quaternions.
//
//lanec:kernel Product
func product(q, a, b *kernels.Quats[float32]) {
	for i := range q.X {
		ax, ay, az, aw := a.X[i], a.Y[i], a.Z[i], a.W[i]
		bx, by, bz, bw := b.X[i], b.Y[i], b.Z[i], b.W[i]
		q.X[i] = ((float32(aw*bx) + float32(ax*bw)) + float32(ay*bz)) - float32(az*by)
		q.Y[i] = ((float32(aw*by) + float32(ay*bw)) + float32(az*bx)) - float32(ax*bz)
		q.Z[i] = ((float32(aw*bz) + float32(az*bw)) + float32(ax*by)) - float32(ay*bx)
		q.W[i] = ((float32(aw*bw) - float32(ax*bx)) - float32(ay*by)) - float32(az*bz)
	}
}

// escape counts the iterations until a point leaves the Mandelbrot set.
//
//lanec:kernel Escape
func escape(turns []int32, cx, cy []float32, most int32) {
	for i := range turns {
		var x, y float32
		var n int32
		for n < most && float32(x*x)+float32(y*y) <= 4 {
			x, y = float32(x*x)-float32(y*y)+cx[i], float32(2*x*y)+cy[i]
			n++
		}
		turns[i] = n
	}
}

// root computes the cube root by Newton's method, until it no longer changes.
//
//lanec:kernel Root
func root(dst, x []float64) {
	for i := range dst {
		r := max(math.Abs(x[i]), 1)
		for range 200 {
			next := r - (float64(float64(r*r)*r)-x[i])/(3*float64(r*r))
			if math.Abs(next-r) <= 1e-15*math.Abs(next) {
				break
			}
			r = next
		}
		dst[i] = r
	}
}

// wave draws random numbers and chooses by them.
//
//lanec:kernel Wave
func wave(dst, x []float32, seed []uint32, n int) {
	for i := range dst {
		h := seed[i]
		var sum float32
		for range n {
			h ^= h << 13
			h ^= h >> 17
			h ^= h << 5
			u := float32(int32(h>>8)) * 0x1p-24
			if u < 0.5 && x[i] > u || h&3 == 0 {
				sum += bump(u)
			} else {
				sum = min(sum, max(x[i], u)) - float32(math.Floor(float64(u*9)))
			}
		}
		seed[i] = h
		dst[i] = sum
	}
}

// bump is a polynomial below a half, and linear above.
func bump(x float32) float32 {
	if x > 0.5 {
		return float32(x*3) - 1
	}
	return float32((float32((float32(0.125*x)+0.25)*x)+0.5)*x) + 1
}

// density sums the masses of near points, weighted by a function of their
// distance.
//
//lanec:kernel Density
func density(rho []float32, pos *kernels.Vec3s[float32], mass []float32, start, near []int32, h2 float32) {
	for i := range rho {
		x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
		var sum float32
		for j := start[i]; j < start[i+1]; j++ {
			k := near[j]
			dx, dy, dz := pos.X[k]-x, pos.Y[k]-y, pos.Z[k]-z
			if d := h2 - ((float32(dx*dx) + float32(dy*dy)) + float32(dz*dz)); d > 0 {
				sum += float32(mass[k] * (d * d * d))
			}
		}
		rho[i] = sum
	}
}

// A system is three linear equations for each row: A to I are the coefficients,
// X to Z the right sides.
type system struct {
	A, B, C, D, E, F, G, H, I []float32
	X, Y, Z                   []float32
}

// solve finds the unknowns by Cramer's rule.
//
//lanec:kernel Solve
func solve(dst *kernels.Vec3s[float32], m *system) {
	for i := range dst.X {
		a, b, c, d, e, f, g, h, k := m.A[i], m.B[i], m.C[i], m.D[i], m.E[i], m.F[i], m.G[i], m.H[i], m.I[i]
		x, y, z := m.X[i], m.Y[i], m.Z[i]
		ek, fg, dh := float32(e*k)-float32(f*h), float32(f*g)-float32(d*k), float32(d*h)-float32(e*g)
		det := 1 / ((float32(a*ek) + float32(b*fg)) + float32(c*dh))
		yk, zh, xs := float32(y*k)-float32(f*z), float32(z*e)-float32(y*h), float32(d*z)-float32(y*g)
		dst.X[i] = ((float32(x*ek) - float32(b*yk)) - float32(c*zh)) * det
		dst.Y[i] = ((float32(a*yk) + float32(x*fg)) + float32(c*xs)) * det
		dst.Z[i] = ((float32(a*zh) - float32(b*xs)) + float32(x*dh)) * det
	}
}

// table adds the number that the table has for the row.
//
//lanec:kernel Table
func table(y, x []float32, k []int32, values []float32) {
	for i := range y {
		y[i] += float32(values[k[i]] * x[i])
	}
}
