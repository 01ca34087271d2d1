package random

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Directions2 sets row i of v to a vector of length 1 that points anywhere in the
// plane: the cosine and the sine of an angle.
//
// Shape: all lanes have the same length; by ids, there is one id for each row.
// Values: the same bits on every CPU; lengths are 1 within 2 ulp.
// It panics if lengths differ. It does not allocate.
func Directions2[T kernels.Float](v *kernels.Vec2s[T], r Rows) {
	same("Directions2", len(v.X), len(v.Y))
	r.fits("Directions2", len(v.X))
	var w words
	var angle [some]T
	for lo := 0; lo < len(v.X); lo += some {
		n := min(some, len(v.X)-lo)
		switch angle := any(&angle).(type) {
		case *[some]float32:
			r.fill(&w, lo, n, 0, 1)
			for i := range angle[:n] {
				angle[i] = angle32(w[0][i])
			}
		case *[some]float64:
			r.fill(&w, lo, n, 0, 2)
			for i := range angle[:n] {
				angle[i] = angle64(w.long(0, i))
			}
		}
		kernels.Sincos(v.Y[lo:lo+n], v.X[lo:lo+n], angle[:n])
	}
}

// Direction2Of returns what [Directions2] gives the row.
func Direction2Of[T kernels.Float](r Row) (x, y T) {
	y, x = one(T(turn * UniformOf[T](r)))
	return x, y
}

// Directions3 sets row i of v to a vector of length 1 that points anywhere in
// space: with the first number u of the row, Z is 1-2u, which is as often in any
// part of -1 to 1 as in another of the same size (Archimedes), and X and Y are the
// cosine and the sine of an angle by the second number, times 2√(u·(1-u)).
//
// Shape: all lanes have the same length; by ids, there is one id for each row.
// Values: the same bits on every CPU; lengths are 1 within 3 ulp.
// It panics if lengths differ. It does not allocate.
func Directions3[T kernels.Float](v *kernels.Vec3s[T], r Rows) {
	same("Directions3", len(v.X), len(v.Y), len(v.Z))
	r.fits("Directions3", len(v.X))
	var w words
	var unit, angle [some]T
	for lo := 0; lo < len(v.X); lo += some {
		n := min(some, len(v.X)-lo)
		switch unit := any(&unit).(type) {
		case *[some]float32:
			angle := any(&angle).(*[some]float32)
			r.fill(&w, lo, n, 0, 2)
			for i := range unit[:n] {
				unit[i], angle[i] = unit32(w[0][i]), angle32(w[1][i])
			}
		case *[some]float64:
			angle := any(&angle).(*[some]float64)
			r.fill(&w, lo, n, 0, 4)
			for i := range unit[:n] {
				unit[i], angle[i] = unit64(w.long(0, i)), angle64(w.long(1, i))
			}
		}
		x, y, z := v.X[lo:lo+n], v.Y[lo:lo+n], v.Z[lo:lo+n]
		kernels.Sincos(y, x, angle[:n])
		for i, u := range unit[:n] {
			s, up := ring(u)
			x[i], y[i], z[i] = T(s*x[i]), T(s*y[i]), up
		}
	}
}

// Direction3Of returns what [Directions3] gives the row.
func Direction3Of[T kernels.Float](r Row) (x, y, z T) {
	var u, a T
	switch u := any(&u).(type) {
	case *float32:
		*u, a = unit32(r.word(0)), T(angle32(r.word(1)))
	case *float64:
		*u, a = unit64(r.long(0)), T(angle64(r.long(1)))
	}
	y, x = one(a)
	s, z := ring(u)
	return T(s * x), T(s * y), z
}

// ring returns the radius and the height of the circle where the part u of the
// unit sphere lies above.
func ring[T kernels.Float](u T) (radius, height T) {
	return 2 * T(math.Sqrt(float64(T(u*(1-u))))), 1 - T(2*u)
}
