package model

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../../../cmd/lanec

// density adds up the weights of the drops near each row: the weight is (h2-r2)^3 where this is above 0, and 0
// elsewhere.
//
//lanec:kernel Density
func density(rho []float32, pos, at *kernels.Vec3s[float32], h2 float32) {
	for i := range rho {
		px, py, pz := pos.X[i], pos.Y[i], pos.Z[i]
		var sum float32
		for j, qx := range at.X {
			dx, dy, dz := px-qx, py-at.Y[j], pz-at.Z[j]
			if d := h2 - ((float32(dx*dx) + float32(dy*dy)) + float32(dz*dz)); d > 0 {
				sum += float32(d * d * d)
			}
		}
		rho[i] = sum
	}
}

// press adds up the forces of drops on each row. The pressures of both drops push the row away.
// The force is the slope of (1 - q)^4 (1 + 4q), which needs no division by r (Wendland 1995). The
// velocity of the drop drags the row along. For each drop, p holds pressure/density^2, and v holds
// 1/density.
//
//lanec:kernel Press
func press(acc, pos, vel *kernels.Vec3s[float32], p []float32, at, way *kernels.Vec3s[float32], cp, cv []float32, h, push, drag float32) {
	for i := range p {
		px, py, pz, ux, uy, uz, own := pos.X[i], pos.Y[i], pos.Z[i], vel.X[i], vel.Y[i], vel.Z[i], p[i]
		var ax, ay, az float32
		for j, other := range cp {
			dx, dy, dz := px-at.X[j], py-at.Y[j], pz-at.Z[j]
			r := float32(math.Sqrt(float64((float32(dx*dx) + float32(dy*dy)) + float32(dz*dz))))
			if d := h - r; d > 0 {
				f := push * (own + other) * (d * d * d)
				g := drag * cv[j] * d
				ax += float32(f*dx) + float32(g*(way.X[j]-ux))
				ay += float32(f*dy) + float32(g*(way.Y[j]-uy))
				az += float32(f*dz) + float32(g*(way.Z[j]-uz))
			}
		}
		acc.X[i] = ax
		acc.Y[i] = ay
		acc.Z[i] = az
	}
}
