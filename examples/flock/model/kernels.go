package model

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../../../cmd/lanec

// see adds up the headings of all candidates that the birds of some rows see.
//
//lanec:kernel See
func see(sum, at *kernels.Vec2s[float32], x, y, wayX, wayY []float32, limit float32) {
	for i := range sum.X {
		px, py := at.X[i], at.Y[i]
		var sx, sy float32
		for j, qx := range x {
			u, v := qx-px, y[j]-py
			if float32(u*u)+float32(v*v) <= limit {
				sx += wayX[j]
				sy += wayY[j]
			}
		}
		sum.X[i] = sx
		sum.Y[i] = sy
	}
}

// seeAround does the same as see for rows from which the shortest way to a candidate may cross the border
// of the square.
//
//lanec:kernel SeeAround
func seeAround(sum, at *kernels.Vec2s[float32], x, y, wayX, wayY []float32, limit, side, half float32) {
	for i := range sum.X {
		px, py := at.X[i], at.Y[i]
		var sx, sy float32
		for j, qx := range x {
			u, v := shorter(qx-px, side, half), shorter(y[j]-py, side, half)
			if float32(u*u)+float32(v*v) <= limit {
				sx += wayX[j]
				sy += wayY[j]
			}
		}
		sum.X[i] = sx
		sum.Y[i] = sy
	}
}

// shorter returns the shorter of the two ways between two coordinates of a periodic square.
func shorter(d, side, half float32) float32 {
	if d > half {
		return d - side
	}
	if d < -half {
		return d + side
	}
	return d
}

// fly turns birds to the headings that they see, with noise, and moves them.
//
//lanec:kernel Fly
func fly(place, way, sum, noise *kernels.Vec2s[float32], loud, pace, size float32) {
	for i := range place.X {
		x, y := unit(sum.X[i], sum.Y[i])
		x, y = unit(x+float32(loud*noise.X[i]), y+float32(loud*noise.Y[i]))
		way.X[i] = x
		way.Y[i] = y
		place.X[i] = wrap(place.X[i]+float32(pace*x), size)
		place.Y[i] = wrap(place.Y[i]+float32(pace*y), size)
	}
}

// unit scales a vector to length 1, unless its length is 0.
func unit(x, y float32) (float32, float32) {
	length := float32(math.Sqrt(float64(float32(x*x) + float32(y*y))))
	if length == 0 {
		return 1, 0
	}
	return x / length, y / length
}

// wrap moves a coordinate that has left the square to the opposite side of the square.
func wrap(x, size float32) float32 {
	if x < 0 {
		x += size
	}
	if x >= size {
		x -= size
	}
	return x
}
