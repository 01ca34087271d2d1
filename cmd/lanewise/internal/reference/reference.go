// Package reference is an independent check of the orrery. It computes the same
// model of two-body motion, one body at a time, in plain float64 with package
// math. It shares no arithmetic with the orrery. It solves Kepler's equation by
// bisection and Newton's method, and computes positions from the true anomaly.
// For reference planes it uses vectors instead of quaternions.
//
//lanewise:inexact held to the orrery within a bound, not bit for bit
package reference

import (
	"math"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
)

// Vector is a position in AU.
type Vector struct{ X, Y, Z float64 }

// Sub returns v - u.
func (v Vector) Sub(u Vector) Vector { return Vector{v.X - u.X, v.Y - u.Y, v.Z - u.Z} }

// Add returns v + u.
func (v Vector) Add(u Vector) Vector { return Vector{v.X + u.X, v.Y + u.Y, v.Z + u.Z} }

// Length returns |v|.
func (v Vector) Length() float64 { return math.Hypot(math.Hypot(v.X, v.Y), v.Z) }

func (v Vector) scale(s float64) Vector { return Vector{s * v.X, s * v.Y, s * v.Z} }

func cross(v, u Vector) Vector {
	return Vector{v.Y*u.Z - v.Z*u.Y, v.Z*u.X - v.X*u.Z, v.X*u.Y - v.Y*u.X}
}

// Minor returns the position of a minor planet at Julian date t, heliocentric,
// in the ecliptic of J2000.
func Minor(m *catalogue.Minor, t float64) Vector {
	return place(&m.Elements, m.Peri, m.Node, t, Vector{X: 1}, Vector{Y: 1}, Vector{Z: 1})
}

// Body returns the position of a row of the tables at Julian date t. The
// position is heliocentric, or for a moon relative to its planet, along the
// axes of the ecliptic.
func Body(b *catalogue.Body, t float64) Vector {
	if b.Kind == catalogue.Star {
		return Vector{}
	}
	years := (t - b.Epoch) / 365.25
	x, y, z := Vector{X: 1}, Vector{Y: 1}, Vector{Z: 1}
	if b.PoleRA != 270 || b.PoleDec != 66.561 {
		x, y, z = plane(b.PoleRA, b.PoleDec)
	}
	return place(&b.Elements, b.Peri+b.PeriRate*years, b.Node+b.NodeRate*years, t, x, y, z)
}

// place computes a position on an ellipse whose angles refer to the axes x, y
// and z.
func place(e *catalogue.Elements, peri, node, t float64, x, y, z Vector) Vector {
	axis := e.Axis
	if axis == 0 {
		axis = math.Pow(0.01720209895/radians(e.Motion), 2.0/3)
	}
	mean := math.Mod(e.Mean+e.Motion*(t-e.Epoch), 360)
	eccentric := Kepler(radians(mean), e.Ecc)
	anomaly := 2 * math.Atan2(math.Sqrt(1+e.Ecc)*math.Sin(eccentric/2), math.Sqrt(1-e.Ecc)*math.Cos(eccentric/2))
	distance := axis * (1 - e.Ecc*math.Cos(eccentric))

	sinNode, cosNode := math.Sincos(radians(math.Mod(node, 360)))
	sinIncl, cosIncl := math.Sincos(radians(e.Incl))
	sinArg, cosArg := math.Sincos(radians(math.Mod(peri, 360)) + anomaly) // argument of the latitude
	along := x.scale(cosNode*cosArg - sinNode*sinArg*cosIncl)
	along = along.Add(y.scale(sinNode*cosArg + cosNode*sinArg*cosIncl))
	along = along.Add(z.scale(sinArg * sinIncl))
	return along.scale(distance)
}

// plane returns the axes of a reference plane in the ecliptic: z its pole, x
// its ascending node on the equator.
func plane(ra, dec float64) (x, y, z Vector) {
	sinRA, cosRA := math.Sincos(radians(ra))
	sinDec, cosDec := math.Sincos(radians(dec))
	north := ecliptic(Vector{Z: 1})
	z = ecliptic(Vector{cosDec * cosRA, cosDec * sinRA, sinDec})
	x = cross(north, z)
	if n := x.Length(); n > 1e-12 {
		x = x.scale(1 / n)
	} else { // the plane is the equator, which has no ascending node: take any
		x = ecliptic(Vector{-sinRA, cosRA, 0})
	}
	return x, cross(z, x), z
}

// ecliptic rotates a vector from the equator of J2000 to the ecliptic.
func ecliptic(v Vector) Vector {
	sin, cos := math.Sincos(radians(84381.448 / 3600))
	return Vector{v.X, v.Y*cos + v.Z*sin, v.Z*cos - v.Y*sin}
}

// Kepler returns E with E - e·sin E = mean, for 0 ≤ e < 1, in radians. It uses
// Newton's method inside an interval around the root, and bisects the interval
// if a step would leave it.
func Kepler(mean, e float64) float64 {
	if mean < 0 {
		return -Kepler(-mean, e)
	}
	lo, hi := mean, mean+e // e·sin E is in [-e, e]; below half a turn it is positive
	if mean > math.Pi {
		lo = mean - e
	}
	E := (lo + hi) / 2
	for range 100 {
		sin, cos := math.Sincos(E)
		f := E - e*sin - mean
		if f > 0 {
			hi = E
		} else {
			lo = E
		}
		next := E - f/(1-e*cos)
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if next == E || math.Abs(next-E) < 1e-17 {
			break
		}
		E = next
	}
	return E
}

func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }
