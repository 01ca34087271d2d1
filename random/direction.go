package random

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Directions2 sets row i of v to a random unit vector in the plane: the cosine
// and the sine of an angle.
//
// Shape: all lanes have the same length; by ids, one id for each row.
// Values: the same bits on every CPU. The length of each vector is within 2 ulp of 1.
// It panics if lengths differ. It does not allocate.
func Directions2[T kernels.Float](v *kernels.Vec2s[T], r Rows) {
	checkLengths("Directions2", len(v.X), len(v.Y))
	r.checkIDs("Directions2", len(v.X))
	var w wordBatch
	var angle [batchRows]T
	for lo := 0; lo < len(v.X); lo += batchRows {
		n := min(batchRows, len(v.X)-lo)
		switch angle := any(&angle).(type) {
		case *[batchRows]float32:
			r.fillWords(&w, lo, n, 0, 1)
			for i := range angle[:n] {
				angle[i] = angle32(w[0][i])
			}
		case *[batchRows]float64:
			r.fillWords(&w, lo, n, 0, 2)
			for i := range angle[:n] {
				angle[i] = angle64(w.word64(0, i))
			}
		}
		kernels.Sincos(v.Y[lo:lo+n], v.X[lo:lo+n], angle[:n])
	}
}

// Direction2Of returns the vector of one row, which is exactly the same as from [Directions2].
func Direction2Of[T kernels.Float](r Row) (x, y T) {
	y, x = sincosOf(T(twoPi * UniformOf[T](r)))
	return x, y
}

// Directions3 sets row i of v to a random unit vector in space, evenly
// distributed over the sphere. Z is 1-2u, where u is the first number of the row. This is correct
// because the heights of evenly distributed points on a sphere are evenly distributed (Archimedes).
// X and Y are the cosine and the sine of an angle, times 2√(u·(1-u)). The angle comes from the
// row's second number.
//
// Shape: all lanes have the same length; by ids, one id for each row.
// Values: the same bits on every CPU; lengths are 1 within 3 ulp.
// It panics if lengths differ. It does not allocate.
func Directions3[T kernels.Float](v *kernels.Vec3s[T], r Rows) {
	checkLengths("Directions3", len(v.X), len(v.Y), len(v.Z))
	r.checkIDs("Directions3", len(v.X))
	var w wordBatch
	var unit, angle [batchRows]T
	for lo := 0; lo < len(v.X); lo += batchRows {
		n := min(batchRows, len(v.X)-lo)
		switch unit := any(&unit).(type) {
		case *[batchRows]float32:
			angle := any(&angle).(*[batchRows]float32)
			r.fillWords(&w, lo, n, 0, 2)
			for i := range unit[:n] {
				unit[i], angle[i] = unit32(w[0][i]), angle32(w[1][i])
			}
		case *[batchRows]float64:
			angle := any(&angle).(*[batchRows]float64)
			r.fillWords(&w, lo, n, 0, 4)
			for i := range unit[:n] {
				unit[i], angle[i] = unit64(w.word64(0, i)), angle64(w.word64(1, i))
			}
		}
		x, y, z := v.X[lo:lo+n], v.Y[lo:lo+n], v.Z[lo:lo+n]
		kernels.Sincos(y, x, angle[:n])
		for i, u := range unit[:n] {
			s, up := circleAt(u)
			x[i], y[i], z[i] = T(s*x[i]), T(s*y[i]), up
		}
	}
}

// Direction3Of returns the vector of one row, which is exactly the same as from [Directions3].
func Direction3Of[T kernels.Float](r Row) (x, y, z T) {
	var u, a T
	switch u := any(&u).(type) {
	case *float32:
		*u, a = unit32(r.word(0)), T(angle32(r.word(1)))
	case *float64:
		*u, a = unit64(r.word64(0)), T(angle64(r.word64(1)))
	}
	y, x = sincosOf(a)
	s, z := circleAt(u)
	return T(s * x), T(s * y), z
}

// circleAt returns the radius and the height of a horizontal circle on the unit sphere. The circle
// is at the height at which the part of the sphere above it has the fraction u of the surface.
func circleAt[T kernels.Float](u T) (radius, height T) {
	return 2 * T(math.Sqrt(float64(T(u*(1-u))))), 1 - T(2*u)
}
