package forces

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Springs adds to force[i] the forces of the springs of row i, for every i. A spring
// that is extended pulls its ends together, and one that is compressed pushes them
// apart, in proportion to the change of its length. It also damps the velocity along
// its direction. The position of row i is pos[i], and its velocity is vel[i]. at and
// way hold the positions and velocities of the rows at the other ends of the springs.
//
//	d = at[k] - pos[i], u = way[k] - vel[i]
//	l2 = (d.x*d.x + d.y*d.y) + d.z*d.z
//	l = √l2
//	w = ((stiff*(l-rest))*l + damp*((d.x*u.x + d.y*u.y) + d.z*u.z)) / l2, or 0 if l2 is 0
//	force[i] = force[i] + ((w*d of its first spring + w*d of its second) + …)
//
// Shape: all lanes of force, pos and vel have one length, which is the length of net. All lanes of
// at and way have one length too. Any lengths, any alignment.
// Alias: pos and vel may be at and way, or parts of them; force must not
// overlap them or net.
// Values: exact, in the order written. Each row sums up its springs in their order, so the result
// does not depend on the division of the rows among workers. Both ends of a spring get the same
// force, in opposite directions, bit for bit. A spring of length zero has no direction and
// therefore no force.
// Lengths: float32 holds the squares of lengths from 2^-60 to 2^60, and float64 from 2^-500 to 2^500. A longer spring makes force[i] NaN, and a
// shorter one may count as one of length zero. Use [Bonds] for springs without damping of any length.
// It panics if the lengths differ. It also panics at a spring whose other end is not a
// row of at, after it has written the earlier rows. It does not allocate.
//
// For a parallel step, each worker passes some rows of force, pos, vel and net ([Net.Rows]), but
// all rows of at and way.
func Springs[T kernels.Float](force, pos, vel, at, way *kernels.Vec3s[T], net Net[T], damp T) {
	rows := len(force.X)
	checkView("Springs", "force", force, rows, "len(force.X)")
	checkView("Springs", "pos", pos, rows, "len(force.X)")
	checkView("Springs", "vel", vel, rows, "len(force.X)")
	checkView("Springs", "at", at, len(at.X), "len(at.X)")
	checkView("Springs", "way", way, len(at.X), "len(at.X)")
	net.checkRows("Springs", rows)
	switch force := any(force).(type) {
	case *kernels.Vec3s[float32]:
		springs32(force, viewOf[float32](pos), viewOf[float32](vel), viewOf[float32](at), viewOf[float32](way),
			net.Start, net.To, laneOf[float32](net.Rest), laneOf[float32](net.Stiff), float32(damp))
	case *kernels.Vec3s[float64]:
		if kernels.VectorBytes() == 32 { // looked up one by one, four rows are slower than one after another
			springs(force, viewOf[float64](pos), viewOf[float64](vel), viewOf[float64](at), viewOf[float64](way),
				net.Start, net.To, laneOf[float64](net.Rest), laneOf[float64](net.Stiff), float64(damp))
			return
		}
		springs64(force, viewOf[float64](pos), viewOf[float64](vel), viewOf[float64](at), viewOf[float64](way),
			net.Start, net.To, laneOf[float64](net.Rest), laneOf[float64](net.Stiff), float64(damp))
	}
}

//lanec:kernel springs32[float32]
//lanec:kernel springs64[float64]
func springs[T kernels.Float](force, pos, vel, at, way *kernels.Vec3s[T], start, to []int32, rest, stiff []T, damp T) {
	for i := range force.X {
		x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
		vx, vy, vz := vel.X[i], vel.Y[i], vel.Z[i]
		var fx, fy, fz T
		for j := start[i]; j < start[i+1]; j++ {
			k := to[j]
			dx, dy, dz := at.X[k]-x, at.Y[k]-y, at.Z[k]-z
			ux, uy, uz := way.X[k]-vx, way.Y[k]-vy, way.Z[k]-vz
			l2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			l := T(math.Sqrt(float64(l2)))
			w := (T(stiff[j]*(l-rest[j])*l) + T(damp*((T(dx*ux)+T(dy*uy))+T(dz*uz)))) / l2
			if l2 == 0 {
				w = 0
			}
			fx += T(w * dx)
			fy += T(w * dy)
			fz += T(w * dz)
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
	}
}
