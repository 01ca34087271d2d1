package kernels_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// Sincos writes sines and cosines directly into two lanes of a column. The results are points on a
// circle.
func ExampleSincos_columns() {
	angle := []float64{0, math.Pi / 6, math.Pi / 2}
	circle := soa.Make[kernels.Vec2s[float64]](len(angle))
	kernels.Sincos(circle.Y, circle.X, angle)
	circle.Scale(&circle, 2)
	fmt.Printf("%.2f\n%.2f\n", circle.X, circle.Y)
	// Output:
	// [2.00 1.73 0.00]
	// [0.00 1.00 2.00]
}

// Particles below the ground are moved onto it and stop. One mask serves two lanes of two columns.
func ExampleSelect_columns() {
	pos, vel := soa.Make[kernels.Vec3s[float32]](4), soa.Make[kernels.Vec3s[float32]](4)
	copy(pos.Y, []float32{3, -1, 0.5, -2})
	kernels.Fill(vel.Y, -10)

	ground := soa.Make[kernels.Vec3s[float32]](4).Y // zeros
	below := make([]uint64, kernels.MaskLen(pos.Len()))
	kernels.Below(below, pos.Y, 0)
	kernels.Select(pos.Y, below, ground, pos.Y)
	kernels.Select(vel.Y, below, ground, vel.Y)
	fmt.Println(pos.Y, vel.Y)
	// Output: [3 0 0.5 0] [-10 0 -10 0]
}

// This example computes how far positions are spread along each axis, and which row is farthest from
// the origin.
func ExampleMax_columns() {
	pos := soa.Make[kernels.Vec3s[float64]](4)
	copy(pos.X, []float64{1, -4, 2, 3})
	copy(pos.Y, []float64{0, 3, 7, -1})

	distance := make([]float64, pos.Len())
	pos.Length(distance)
	far := kernels.ArgMax(distance)
	fmt.Println(kernels.Max(pos.X)-kernels.Min(pos.X), kernels.Max(pos.Y)-kernels.Min(pos.Y))
	fmt.Printf("row %d: %.3f\n", far, distance[far])
	// Output:
	// 7 8
	// row 2: 7.280
}

// Compose creates one matrix per row from columns of positions, rotations and scales. The scale may
// be nil, or one lane for all three axes.
func ExampleMat4s_Compose() {
	pos := soa.Make[kernels.Vec3s[float32]](2)
	copy(pos.X, []float32{10, 20})
	rot := soa.Make[kernels.Quats[float32]](2)
	kernels.Fill(rot.W, 1) // the rotation by nothing
	size := []float32{2, 3}

	var world kernels.Mat4s[float32]
	world.M = soa.Make[[][16]float32](2)
	world.Compose(&pos, &rot, &kernels.Vec3s[float32]{X: size, Y: size, Z: size})
	for _, m := range world.M {
		fmt.Println(m[0:4], m[12:16])
	}
	// Output:
	// [2 0 0 0] [10 0 0 1]
	// [3 0 0 0] [20 0 0 1]
}

// A column of quaternions is made from angles and then turned by one step.
func ExampleQuats_Integrate() {
	rot := soa.Make[kernels.Quats[float64]](2)
	kernels.Fill(rot.W, 1)
	spin := soa.Make[kernels.Vec3s[float64]](2)
	copy(spin.Z, []float64{0, 0.2}) // radians per second
	rot.Integrate(&rot, &spin, 0.5)
	fmt.Printf("%.4f %.4f\n", rot.Z, rot.W)
	// Output: [0.0000 0.0499] [1.0000 0.9988]
}
