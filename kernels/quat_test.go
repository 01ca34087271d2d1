package kernels

import "math"

// A number4 is a quaternion of float64 for comparison. It is w + xi + yj + zk, where ij = k, jk = i
// and ki = j.
type number4 struct{ w, x, y, z float64 }

func scale4(s float64, q number4) number4 { return number4{s * q.w, s * q.x, s * q.y, s * q.z} }
func conj4(q number4) number4             { return number4{q.w, -q.x, -q.y, -q.z} }
func add4(p, q number4) number4           { return number4{p.w + q.w, p.x + q.x, p.y + q.y, p.z + q.z} }
func sub4(p, q number4) number4           { return add4(p, scale4(-1, q)) }
func abs4(q number4) float64              { return math.Hypot(math.Hypot(q.w, q.x), math.Hypot(q.y, q.z)) }

// dot4 returns the sum of four products.
func dot4(a, b, c, d, e, f, g, h float64) float64 {
	return float64(a*b) + float64(c*d) + float64(e*f) + float64(g*h)
}

func mul4(p, q number4) number4 {
	return number4{
		dot4(p.w, q.w, -p.x, q.x, -p.y, q.y, -p.z, q.z),
		dot4(p.w, q.x, p.x, q.w, p.y, q.z, -p.z, q.y),
		dot4(p.w, q.y, p.y, q.w, p.z, q.x, -p.x, q.z),
		dot4(p.w, q.z, p.z, q.w, p.x, q.y, -p.y, q.x),
	}
}

// exp4 returns eʷ (cos v + sin v · direction), where v is the length of x, y, z.
func exp4(q number4) number4 {
	v := abs4(number4{0, q.x, q.y, q.z})
	if v == 0 {
		return number4{w: math.Exp(q.w)}
	}
	e := scale4(math.Sin(v)/v, number4{0, q.x, q.y, q.z})
	e.w = math.Cos(v)
	return scale4(math.Exp(q.w), e)
}
