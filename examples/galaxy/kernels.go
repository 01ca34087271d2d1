package main

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../../cmd/lanec

// pull adds to vel what all stars do to each in a time: each has the mass m/dt. Soft is
// the square of a length below which they pull no stronger.
//
//lanec:kernel Pull
func pull(vel, pos *kernels.Vec3s[float32], x, y, z []float32, m, soft float32) {
	for i := range pos.X {
		px, py, pz := pos.X[i], pos.Y[i], pos.Z[i]
		var ax, ay, az float32
		for j, q := range x {
			dx, dy, dz := q-px, y[j]-py, z[j]-pz
			r2 := (float32(dx*dx) + float32(dy*dy)) + float32(dz*dz) + soft
			w := 1 / (r2 * float32(math.Sqrt(float64(r2))))
			ax += float32(w * dx)
			ay += float32(w * dy)
			az += float32(w * dz)
		}
		vel.X[i] += float32(ax * m)
		vel.Y[i] += float32(ay * m)
		vel.Z[i] += float32(az * m)
	}
}
