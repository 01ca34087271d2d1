// Lanec shows kernels that are compiled from the program's loops: bodies attract each other, and
// springs pull them to each other and to their starting points. It prints a hash of their final
// positions, which is the same on every CPU.
package main

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

func main() {
	fmt.Printf("path %s, after 50 steps of 500 bodies: %016x\n", kernels.Path(), run(500, 50))
}

// run moves n bodies for some steps and returns a hash of their positions.
func run(n, steps int) uint64 {
	pos, vel, acc := vectors(n), vectors(n), vectors(n)
	mass, rest := make([]float32, n), make([]float32, n)
	for i := range n {
		pos.X[i], pos.Y[i], pos.Z[i] = float32(i%10), float32(i/10%10), float32(i/100)
		mass[i] = 1 + float32(i%3)
	}
	const dt = 1.0 / 64
	for range steps {
		for _, lane := range [][]float32{acc.X, acc.Y, acc.Z} {
			kernels.Fill(lane, 0)
		}
		Gravity(acc, pos, mass, 0.5)
		Move(vel, acc, dt)
		Move(pos, vel, dt)
		Spring(pos.Z, vel.Z, rest[0], 3, 0.1, 0.5, dt)
	}
	hash := uint64(14695981039346656037)
	for _, lane := range [][]float32{pos.X, pos.Y, pos.Z} {
		for _, x := range lane {
			hash = (hash ^ uint64(math.Float32bits(x))) * 1099511628211
		}
	}
	return hash
}

func vectors(n int) *kernels.Vec3s[float32] {
	return &kernels.Vec3s[float32]{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n)}
}
