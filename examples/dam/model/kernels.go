package model

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../../../cmd/lanec

// density sums up how near drops are to each row: (h2-r2)^3, where that is above 0.
//
//lanec:kernel Density
func density(rho, x, y, cx, cy []float32, h2 float32) {
	for i := range rho {
		px, py := x[i], y[i]
		var sum float32
		for j, qx := range cx {
			dx, dy := px-qx, py-cy[j]
			if d := h2 - (float32(dx*dx) + float32(dy*dy)); d > 0 {
				sum += float32(d * d * d)
			}
		}
		rho[i] = sum
	}
}

// press sums up what drops do to each row: they push it away by the pressures of both,
// and take it along. A drop has pressure/density^2 in p and 1/density in v.
//
//lanec:kernel Press
func press(acc, pos, vel *kernels.Vec2s[float32], p []float32, at, way *kernels.Vec2s[float32], cp, cv []float32, h, push, drag float32) {
	for i := range p {
		px, py, ux, uy, own := pos.X[i], pos.Y[i], vel.X[i], vel.Y[i], p[i]
		var ax, ay float32
		for j, other := range cp {
			dx, dy := px-at.X[j], py-at.Y[j]
			r := float32(math.Sqrt(float64((float32(dx*dx) + float32(dy*dy)) + 1e-12)))
			if d := h - r; d > 0 {
				f := push * (own + other) * (d * d) / r
				g := drag * cv[j] * d
				ax += float32(f*dx) + float32(g*(way.X[j]-ux))
				ay += float32(f*dy) + float32(g*(way.Y[j]-uy))
			}
		}
		acc.X[i] = ax
		acc.Y[i] = ay
	}
}
