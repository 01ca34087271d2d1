package kernels_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Kernels work on any slices, without the rest of the library.
func ExampleAddScaled() {
	x := []float64{1, 2, 3}
	y := []float64{10, 20, 30}
	kernels.AddScaled(x, x, y, 0.5) // x[i] += 0.5*y[i]
	fmt.Println(x)
	// Output: [6 12 18]
}

func ExampleFill() {
	x := make([]float32, 3)
	kernels.Fill(x, 7)
	fmt.Println(x)
	// Output: [7 7 7]
}

// Three slices form a column of vectors. The destination comes first, as in
// math/big.
func ExampleVec3s_AddScaled() {
	pos := kernels.Vec3s[float32]{X: []float32{0, 1}, Y: []float32{0, 1}, Z: []float32{0, 1}}
	vel := kernels.Vec3s[float32]{X: []float32{4, 0}, Y: []float32{0, 4}, Z: []float32{0, 0}}
	pos.AddScaled(&pos, &vel, 0.25)
	fmt.Println(pos.X, pos.Y, pos.Z)
	// Output: [1 1] [0 2] [0 1]
}

// One quaternion turns all rows by half a turn about z.
func ExampleVec3s_RotateBy() {
	v := kernels.Vec3s[float64]{X: []float64{2, 3}, Y: []float64{1, 4}, Z: []float64{5, 6}}
	v.RotateBy([4]float64{0, 0, 1, 0}, &v)
	fmt.Println(v.X, v.Y, v.Z)
	// Output: [-2 -3] [-1 -4] [5 6]
}

// Each of three bodies turns about its y axis for half a second.
func ExampleQuats_Spin() {
	rot := kernels.Quats[float64]{
		X: make([]float64, 3), Y: make([]float64, 3), Z: make([]float64, 3), W: []float64{1, 1, 1},
	}
	speed := []float64{0, math.Pi, -math.Pi} // radians per second
	rot.Spin(&rot, 0, 1, 0, speed, 0.5)
	fmt.Printf("%.3f\n%.3f\n", rot.Y, rot.W)
	// Output:
	// [0.000 0.707 -0.707]
	// [1.000 0.707 0.707]
}

// Compose creates matrices from positions, rotations and scales. MulAffineByParent then applies a
// hierarchy: row 0 is the parent of rows 1 and 2.
func ExampleMat4s_MulAffineByParent() {
	three := make([]float64, 3)
	pos := kernels.Vec3s[float64]{X: []float64{10, 1, 2}, Y: three, Z: three}
	double := kernels.Vec3s[float64]{X: []float64{2, 1, 1}, Y: []float64{2, 1, 1}, Z: []float64{2, 1, 1}}

	var local, world kernels.Mat4s[float64]
	local.M, world.M = make([][16]float64, 3), make([][16]float64, 3)
	local.Compose(&pos, nil, &double)

	world.M[0] = local.M[0]
	children, locals := world.Slice(1, 3), local.Slice(1, 3)
	children.MulAffineByParent(&world, []int32{0, 0}, &locals)
	for _, m := range world.M {
		fmt.Println("stands at", m[12:15])
	}
	// Output:
	// stands at [10 0 0]
	// stands at [12 0 0]
	// stands at [14 0 0]
}

func ExampleSincos() {
	x := []float32{0, math.Pi / 6, math.Pi / 2}
	sin, cos := make([]float32, 3), make([]float32, 3)
	kernels.Sincos(sin, cos, x)
	fmt.Printf("%.3f %.3f\n", sin, cos)
	// Output: [0.000 0.500 1.000] [1.000 0.866 -0.000]
}

// This example computes where Halley's comet is in its orbit, every ten years of a period of 75.
func ExampleKepler() {
	M, e, E := make([]float64, 4), make([]float64, 4), make([]float64, 4)
	kernels.Fill(e, 0.967)
	for i := range M {
		M[i] = 2 * math.Pi * float64(10*i) / 75
	}
	kernels.Kepler(E, M, e)
	for i := range E {
		fmt.Printf("M %.4f  E %.4f  distance %.2f of the semi-major axis\n", M[i], E[i], 1-e[i]*math.Cos(E[i]))
	}
	// Output:
	// M 0.0000  E 0.0000  distance 0.03 of the semi-major axis
	// M 0.8378  E 1.7831  distance 1.20 of the semi-major axis
	// M 1.6755  E 2.3580  distance 1.69 of the semi-major axis
	// M 2.5133  E 2.8194  distance 1.92 of the semi-major axis
}

// The results are exactly the same on every path. Only the time differs.
func ExampleUse() {
	defer kernels.Use(kernels.Path())
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			panic(err)
		}
		x := []float32{0.1, 0.2, 0.3}
		kernels.AddScaled(x, x, x, 1e-3)
		if x[0] != 0.1001 || x[1] != 0.2002 || x[2] != 0.3003 {
			fmt.Println(path, "differs:", x)
		}
	}
	fmt.Println("the first path is", kernels.Paths()[0])
	// Output: the first path is generic
}
