package main

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../../cmd/lanec

// move adds s times the velocity to each position.
//
//lanec:kernel Move
func move(pos, vel *kernels.Vec3s[float32], s float32) {
	for i := range pos.X {
		pos.X[i] += float32(vel.X[i] * s)
		pos.Y[i] += float32(vel.Y[i] * s)
		pos.Z[i] += float32(vel.Z[i] * s)
	}
}

// spring pulls x towards rest; beyond reach it pulls with a constant force, and
// a slow point that is close to rest stops.
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

// gravity adds to acc the attraction of all bodies on each row.
//
//lanec:kernel Gravity
func gravity(acc, pos *kernels.Vec3s[float32], mass []float32, eps float32) {
	for i := range pos.X {
		x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
		var ax, ay, az float32
		for j, m := range mass {
			dx, dy, dz := pos.X[j]-x, pos.Y[j]-y, pos.Z[j]-z
			r2 := (float32(dx*dx) + float32(dy*dy)) + float32(dz*dz) + eps
			w := m / (r2 * float32(math.Sqrt(float64(r2))))
			ax += float32(w * dx)
			ay += float32(w * dy)
			az += float32(w * dz)
		}
		acc.X[i] += ax
		acc.Y[i] += ay
		acc.Z[i] += az
	}
}

// product multiplies quaternions (Hamilton's product), as package kernels does.
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

// escape counts the iterations until it is known that a point is outside of the Mandelbrot set.
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

// root computes the cube root by Newton's method, until the result no longer changes.
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

// wave shows integers, operations on bits, a helper, and a branch that is the same for all rows.
//
//lanec:kernel Wave
func wave(dst, x []float32, seed []uint32, n int, whole bool) {
	for i := range dst {
		h := seed[i]
		var sum float32
		for range n {
			h ^= h << 13
			h ^= h >> 17
			h ^= h << 5
			u := float32(float32(int32(h>>8)) * 0x1p-24)
			if u < 0.5 && x[i] > u || h&3 == 0 {
				sum += bump(u)
			} else {
				sum = min(sum, max(x[i], u)) - float32(math.Floor(float64(u*9)))
			}
			if whole {
				sum = float32(math.Trunc(float64(sum)))
			}
		}
		seed[i] = h
		dst[i] = sum
	}
}

// bump is a polynomial for arguments below one half, and a line for larger
// arguments.
func bump(x float32) float32 {
	if x > 0.5 {
		return float32(x*3) - 1
	}
	return float32((float32((float32(0.125*x)+0.25)*x)+0.5)*x) + 1
}

// density adds up the masses of neighbours, weighted by distance. The neighbours of row i are in near,
// from start[i] on.
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

// crowding is like density, but n consecutive rows share one list, which contains the neighbours of all of them.
//
//lanec:kernel Crowding
func crowding(rho []float32, pos *kernels.Vec3s[float32], mass []float32, start, near []int32, n int, h2 float32) {
	for i := range rho {
		x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
		var sum float32
		for _, k := range near[start[i/n]:start[i/n+1]] {
			dx, dy, dz := pos.X[k]-x, pos.Y[k]-y, pos.Z[k]-z
			if d := h2 - ((float32(dx*dx) + float32(dy*dy)) + float32(dz*dz)); d > 0 {
				sum += float32(mass[k] * (d * d * d))
			}
		}
		rho[i] = sum
	}
}

// push applies forces between pairs along one axis.
//
//lanec:kernel Push
func push(fx, x []float32, a, b []int32, k float32) {
	for i := range a {
		d := x[b[i]] - x[a[i]]
		fx[a[i]] += float32(k * d)
		fx[b[i]] -= float32(k * d)
	}
}

// energy adds twice the kinetic energy of each row to the total.
//
//lanec:kernel Energy
func energy(sum *kernels.Total[float32], v *kernels.Vec3s[float32], mass []float32) {
	for i, m := range mass {
		x, y, z := v.X[i], v.Y[i], v.Z[i]
		sum.Add(i, float32(m*((float32(x*x)+float32(y*y))+float32(z*z))))
	}
}

// drift moves points on circles.
//
//lanec:kernel Drift
func drift(x, y, phase, speed []float32, r, dt float32) {
	for i := range phase {
		p := phase[i] + float32(speed[i]*dt)
		s, c := kernels.SincosOf(p)
		phase[i], x[i], y[i] = p, r*c, r*s
	}
}

// cells computes the number of the cell that contains each point.
//
//lanec:kernel Cells
func cells(cell []uint32, x, y []float32, size float64, across int32) {
	for i := range cell {
		cx, cy := kernels.ToInt32(float64(x[i])/size), kernels.ToInt32(float64(y[i])/size)
		cell[i] = uint32(cx + cy*across)
	}
}

// price computes the prices of call options by the formula of Black and Scholes.
//
//lanec:kernel Price
func price(call, spot, strike, years []float32, rate, volatility float32) {
	for i := range call {
		deviation := volatility * float32(math.Sqrt(float64(years[i])))
		growth := (rate + float32(float32(volatility*volatility)*0.5)) * years[i]
		d := (kernels.LogOf(spot[i]/strike[i]) + float32(growth)) / deviation
		paid := strike[i] * kernels.ExpOf(-float32(rate*years[i]))
		call[i] = float32(spot[i]*kernels.NormalCDFOf(d)) - float32(paid*kernels.NormalCDFOf(d-float32(deviation)))
	}
}
