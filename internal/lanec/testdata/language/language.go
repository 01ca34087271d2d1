// Package own says everything that a kernel may say, one thing in each function.
package own

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// A metre is a number with a name.
type metre float32

type points struct {
	X, Y []metre
	Seen []int32
	note string
}

const (
	third = 1.0 / 3
	seven = 7
)

type flag bool

// Names have types of their own.
//
//lanec:kernel Names
func names(p *points, by metre) {
	for i := range p.X {
		const twice = 2 * seven
		p.X[i] += metre(by*p.Y[i]) + third
		p.Seen[i] = p.Seen[i]&^seven | twice
	}
}

// Aliases are other names for lanes, views and lengths.
//
//lanec:kernel Aliases
func aliases(dst, x []float32, v *kernels.Vec3s[float32], n int) {
	if_, y := v, x[:len(dst)]
	x = x[:n]
	m, z, again := len(y), if_.Z, 3
	_ = z[m-1:]
	var scale, shift float32 = 2, 0.5
	for i := range m {
		lane := if_.X
		for j := range again {
			dst[i] += float32(scale*y[i]) - shift + lane[j]
		}
		for range 0 {
			dst[i] = 0
		}
		for range x[:2] {
			dst[i] += z[i]
		}
	}
}

// Values of a range are elements, of the row and of a loop.
//
//lanec:kernel Values
func values(x, y []float64, c []float64) {
	for i, a := range x {
		x[i] = 1 // a is what was there
		for _, b := range c {
			a += float64(b * y[i])
		}
		y[i] = a
	}
}

// Choices are bools: of all rows, of the row, compared, negated, swapped.
//
//lanec:kernel Choices
func choices(x, y []float32, up flag, both bool) {
	for i := range x {
		p, q := x[i] < y[i], !both
		if up == flag(true) {
			p, q = q, p
		}
		for range 3 {
			p, q = q, p
			if p != q {
				x[i] -= 1
			}
		}
		v := x[i]
		for range 2 {
			if y[i] < 0 {
				v = 1
			} else {
				v = 1 // the same on both sides, and another than before
			}
		}
		x[i] += v
		var none bool
		const yes = true
		if (p == q || none) && yes {
			y[i] = -y[i]
		}
	}
}

// Clean bits are those of elements, and of what is no NaN.
//
//lanec:kernel Clean
func clean(x, y []float32, h []uint32, s float32) {
	for i := range x {
		v := float32(x[i]*y[i]) + s
		w := v
		if v != v {
			v = 0
		}
		if w == w {
			w = -w
		} else {
			w = 1
		}
		h[i] ^= math.Float32bits(v) + math.Float32bits(-x[i]) ^ math.Float32bits(s)
		h[i] -= math.Float32bits(w) + math.Float32bits(1.5) + uint32(h[i]>>31)
		x[i] = math.Float32frombits(h[i]&0x3fffffff | 1)
		if y[i] == y[i] {
			v = float32(math.Abs(float64(y[i])))
		}
		h[i] += math.Float32bits(v)
	}
}

// CleanWide is the same of float64.
//
//lanec:kernel CleanWide
func cleanWide(x []float64, h []uint64) {
	for i := range x {
		h[i] += math.Float64bits(math.Abs(x[i])) ^ math.Float64bits(-x[i])
	}
}

// Shifts are by constants, also by more bits than there are.
//
//lanec:kernel Shifts
func shifts(k []int64, h []uint64, f []float64) {
	for i := range k {
		k[i] = k[i]>>5 ^ k[i]>>70 ^ k[i]<<3 + k[i]<<64
		h[i] = h[i]>>5 ^ h[i]>>64 ^ ^h[i]<<3
		h[i] &= 1<<63 | 1<<62 - 1
		k[i] ^= int64(h[i]) >> 0
		k[i] >>= 2
		h[i] <<= 1
		if k[i] <= -3 || h[i] >= 1<<63 {
			f[i] = min(f[i], 1, -f[i])
		}
		k[i]--
		f[i]++
		h[i] = max(h[i], 5)
	}
}

// InPlace is called with the same lane twice: what is stored in one is read in the other.
//
//lanec:kernel InPlace
func inPlace(x, y []float32, turns []int32, n int) {
	for i := range x {
		old := y[i]
		y[i] = x[i] + 1
		x[i] = float32(y[i]*2) + x[i]
		for range n {
			x[i] = float32(y[i]*0.5) - old
			turns[i]++
			y[i] -= x[i]
		}
		x[i] -= old
	}
}

// Quotients by powers of two are exact, and by all others.
//
//lanec:kernel Quotients
func quotients(x []float64) {
	for i := range x {
		x[i] = x[i] / 4
		x[i] = x[i] / 3
		x[i] = 1 / (x[i] / 0x1p-1022)
		x[i] = x[i] / math.SmallestNonzeroFloat64
		x[i] = +x[i] / -0x1p1023
	}
}

func sign(x float64) (float64, bool) {
	if x < 0 {
		if x < -2 {
			return -2, true
		}
		return -1, true
	} else if x > 0 {
		return 1, false
	}
	return 0, x == 0
}

func weight(x, _ float64, c []float64, n int) float64 {
	sum := x
	for j := range n {
		if sum > 3 {
			continue
		}
		if c[j] > 0 {
			sum += c[j]
		} else {
			if sum < 0 {
				break
			}
			sum -= c[j]
		}
		sum = -sum
		if sum < -3 {
			break
		}
	}
	return sum
}

// Helpers have several results and returns, lanes and counts.
//
//lanec:kernel Helpers
func helpers(x, y, c []float64, n int) {
	for i := 0; i < len(x); i++ {
		s, odd := sign(x[i])
		if odd {
			y[i] = weight(s, 0, c, n)
			continue
		}
		y[i] = math.Trunc(weight(y[i], 1, c, n))
		x[i] = math.Ceil(x[i]) - math.Floor(y[i])
	}
}

// Pressure has more masks and numbers than there are registers, and lanes.
//
//lanec:kernel Pressure
func pressure(a, b, c, d *kernels.Quats[float32], e, f, g *kernels.Quats[float32], turns []int32) {
	for i := range a.X {
		p0, p1, p2, p3 := a.X[i] < 0, a.Y[i] < 0, a.Z[i] < 0, a.W[i] < 0
		q0, q1, q2, q3 := b.X[i] < 0, b.Y[i] < 0, b.Z[i] < 0, b.W[i] < 0
		x0, x1, x2, x3 := a.X[i], a.Y[i], a.Z[i], a.W[i]
		y0, y1, y2, y3 := b.X[i], b.Y[i], b.Z[i], b.W[i]
		z0, z1, z2, z3 := c.X[i], c.Y[i], c.Z[i], c.W[i]
		w0, w1, w2, w3 := d.X[i], d.Y[i], d.Z[i], d.W[i]
		u0, u1, u2, u3 := e.X[i], e.Y[i], e.Z[i], e.W[i]
		v0, v1, v2, v3 := f.X[i], f.Y[i], f.Z[i], f.W[i]
		r0, r1, r2, r3 := g.X[i], g.Y[i], g.Z[i], g.W[i]
		n := turns[i] & 3
		for n >= 0 {
			n--
			turns[i]++
		}
		for j := range 3 {
			p0, p1, p2, p3, q0, q1, q2, q3 = p1, p2, p3, q0, q1, q2, q3, p0
			x0, y0, z0, w0, u0, v0, r0 = y1, z1, w1, u1, v1, r1, x1
			x1, y1, z1, w1, u1, v1, r1 = y2, z2, w2, u2, v2, r2, x2
			x2, y2, z2, w2, u2, v2, r2 = y3, z3, w3, u3, v3, r3, x3
			x3, y3, z3, w3, u3, v3, r3 = y0, z0, w0, u0, v0, r0, x0
			if p0 == q1 && (p2 || q3) {
				x0, y0, v3 = max(x0, y0), min(x1, v3), -v3
			}
			if p1 != q2 || p3 {
				w0, p1 = x0, y0 < w1
			}
			z0 += a.W[i] + g.Z[i]
			_ = j
		}
		if q0 && !p1 {
			x0 = x1
		}
		a.X[i], a.Y[i], a.Z[i], a.W[i] = x0, x1, x2, x3
		b.X[i], b.Y[i], b.Z[i], b.W[i] = y0, y1, y2, y3
		c.X[i], c.Y[i], c.Z[i], c.W[i] = z0, z1, z2, z3
		d.X[i], d.Y[i], d.Z[i], d.W[i] = w0, w1, w2, w3
		e.X[i], e.Y[i], e.Z[i], e.W[i] = u0, u1, u2, u3
		f.X[i], f.Y[i], f.Z[i], f.W[i] = v0, v1, v2, v3
		g.X[i], g.Y[i], g.Z[i], g.W[i] = r0, r1, r2, r3
	}
}
