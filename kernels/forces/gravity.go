package forces

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../../cmd/lanec

// Gravity adds the acceleration of a body at pos[i] by the gravity of all bodies to acc[i], for
// every i. The position of body j is at[j], and mass[j] is its mass times the constant of
// gravity. A body that is nearer than about √soft does not pull more strongly than one at this
// distance.
//
//	d = at[j] - pos[i]
//	r2 = (d.x*d.x + d.y*d.y) + d.z*d.z + soft
//	w = mass[j] / (r2 * √r2)
//	acc[i] = acc[i] + ((w*d of body 0 + w*d of body 1) + …)
//
// Shape: all lanes of acc and pos have the same length. All lanes of at and mass have the same length
// too. Any lengths, any alignment.
// Alias: pos may be at, or a part of it; acc must not overlap pos, at or mass.
// Values: exact, in the order written. No matter which worker works on which rows, each row sums up all
// bodies in their order. A body at the same position as row i, for example the row itself, adds 0. But if
// soft is 0, or so small that mass[j]/(soft*√soft) is infinite, such a body makes acc[i] NaN.
// Distances: float32 holds r2*√r2 for distances from 2^-42 to 2^42, and float64 from 2^-340 to 2^340. A body farther away adds 0. For example,
// 2^42 m are 29 astronomical units, so take another unit of length for the solar system in float32.
// It panics if the lengths differ. It does not allocate.
//
// Cost: Gravity computes all pairs of a row and a body, without approximation. For a parallel step,
// each worker passes some rows of acc and pos, and all of at and mass.
//
// Source: softened as in H. C. Plummer, Monthly Notices of the Royal Astronomical Society 71 (1911).
func Gravity[T kernels.Float](acc, pos, at *kernels.Vec3s[T], mass []T, soft T) {
	checkView("Gravity", "acc", acc, len(acc.X), "len(acc.X)")
	checkView("Gravity", "pos", pos, len(acc.X), "len(acc.X)")
	checkView("Gravity", "at", at, len(mass), "len(mass)")
	switch acc := any(acc).(type) {
	case *kernels.Vec3s[float32]:
		gravity32(acc, viewOf[float32](pos), viewOf[float32](at), laneOf[float32](mass), float32(soft))
	case *kernels.Vec3s[float64]:
		gravity64(acc, viewOf[float64](pos), viewOf[float64](at), laneOf[float64](mass), float64(soft))
	}
}

//lanec:kernel gravity32[float32]
//lanec:kernel gravity64[float64]
func gravity[T kernels.Float](acc, pos, at *kernels.Vec3s[T], mass []T, soft T) {
	for i := range pos.X {
		x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
		var ax, ay, az T
		for j, m := range mass {
			dx, dy, dz := at.X[j]-x, at.Y[j]-y, at.Z[j]-z
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz) + soft
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
