package raster

import "math"

// clip adds the part of a triangle that is in front of the eye and within the
// guard. It clips the triangle by one plane after another, and divides the
// resulting polygon into a fan of triangles.
func (l *List) clip(v *[3]Vertex, p *Paint) {
	for i := range v {
		if !v[i].finite() {
			return
		}
	}
	in, out := l.cut[0][:0], l.cut[1]
	for i := range v {
		in = append(in, v[i].rawCorner())
		in[i].tint(p, i)
	}
	for plane := range clipPlanes {
		out = clipBy(out[:0], in, plane, l.leastW())
		in, out = out, in
	}
	for i := range in {
		in[i] = in[i].divided()
	}
	for i := 2; i < len(in); i++ {
		l.triangle(&in[0], &in[i-1], &in[i], p)
	}
	l.cut[0], l.cut[1] = in, out
}

// leastW returns the smallest W that is drawn.
func (l *List) leastW() float64 { return max(float64(l.Near), 1e-30) }

// segment returns the part of a line that is in front of the eye and within the
// guard.
func (l *List) segment(v *[2]Vertex) (a, b corner, ok bool) {
	if !v[0].finite() || !v[1].finite() {
		return a, b, false
	}
	a, b = v[0].rawCorner(), v[1].rawCorner()
	for plane := range clipPlanes {
		da, db := a.distanceTo(plane, l.leastW()), b.distanceTo(plane, l.leastW())
		switch {
		case da < 0 && db < 0:
			return a, b, false
		case da < 0:
			a = cutEdge(&b, &a, db, da, plane, l.leastW())
		case db < 0:
			b = cutEdge(&a, &b, da, db, plane, l.leastW())
		}
	}
	return a.divided(), b.divided(), true
}

// finite reports whether all numbers of a vertex are finite.
func (v *Vertex) finite() bool {
	for _, x := range [...]float32{v.X, v.Y, v.Z, v.W, v.U, v.V} {
		if !(x >= -math.MaxFloat32 && x <= math.MaxFloat32) {
			return false
		}
	}
	return true
}

// rawCorner returns a corner before the perspective division. In this corner, q
// is W instead of 1/W.
func (v *Vertex) rawCorner() corner {
	return corner{x: float64(v.X), y: float64(v.Y), z: float64(v.Z), q: float64(v.W), u: float64(v.U), v: float64(v.V)}
}

func (c corner) divided() corner {
	q := 1 / c.q
	c.x, c.y, c.z, c.u, c.v, c.q = float64(c.x*q), float64(c.y*q), float64(c.z*q), float64(c.u*q), float64(c.v*q), q
	return c
}

const clipPlanes = 5

// distanceTo returns a number that is 0 on a plane and positive on its inner
// side.
func (c *corner) distanceTo(plane int, near float64) float64 {
	switch reach := float64((guard - 1) * c.q); plane { // a margin of one pixel for rounding
	case 0:
		return c.q - near
	case 1:
		return reach - c.x
	case 2:
		return reach + c.x
	case 3:
		return reach - c.y
	default:
		return reach + c.y
	}
}

// clipBy appends to out the part of a polygon that is on the inner side of a
// plane.
func clipBy(out, in []corner, plane int, near float64) []corner {
	for i := range in {
		a, b := &in[i], &in[(i+1)%len(in)]
		da, db := a.distanceTo(plane, near), b.distanceTo(plane, near)
		if da >= 0 {
			out = append(out, *a)
		}
		switch {
		case da >= 0 && db < 0:
			out = append(out, cutEdge(a, b, da, db, plane, near))
		case da < 0 && db >= 0:
			out = append(out, cutEdge(b, a, db, da, plane, near))
		}
	}
	return out
}

// cutEdge returns the point where an edge meets the plane. The edge goes from
// a, which is inside, to b, which is outside. The point is the same for both
// triangles that share the edge. The coordinate that the plane bounds is set to
// exactly the bound, because a difference of huge numbers would not be exact.
func cutEdge(a, b *corner, da, db float64, plane int, near float64) corner {
	t := da / (da - db)
	at := func(a, b float64) float64 { return a + float64((b-a)*t) }
	c := corner{
		at(a.x, b.x), at(a.y, b.y), at(a.z, b.z), at(a.q, b.q), at(a.u, b.u), at(a.v, b.v),
		at(a.r, b.r), at(a.g, b.g), at(a.b, b.b), at(a.a, b.a),
	}
	switch reach := float64((guard - 1) * c.q); plane {
	case 0:
		c.q = near
	case 1:
		c.x = reach
	case 2:
		c.x = -reach
	case 3:
		c.y = reach
	default:
		c.y = -reach
	}
	return c
}
