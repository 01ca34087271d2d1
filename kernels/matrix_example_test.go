package kernels_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// Affine matrices have twelve lanes. The transform of a wheel in the world is the product of two
// transforms: the car in the world, and the wheel in the car.
func ExampleMat3x4s() {
	at := kernels.Vec3s[float32]{X: []float32{100}, Y: []float32{0}, Z: []float32{50}}
	half := float32(math.Sqrt(0.5)) // a quarter turn about y
	turned := kernels.Quats[float32]{X: []float32{0}, Y: []float32{half}, Z: []float32{0}, W: []float32{half}}
	wheel := kernels.Vec3s[float32]{X: []float32{1}, Y: []float32{0.5}, Z: []float32{0}}

	car, world := soa.Make[kernels.Mat3x4s[float32]](1), soa.Make[kernels.Mat3x4s[float32]](1)
	car.Compose(&at, &turned, nil)  // nil: no scale
	world.Compose(&wheel, nil, nil) // nil: no rotation and no scale
	world.MulAffine(&car, &world)
	fmt.Println(world.TX[0], world.TY[0], world.TZ[0])
	// Output: 100 0.5 49
}

// A body has turned by a quarter turn about y. Its x axis now points along -z, and its z axis along x.
func ExampleMat3x4s_FromQuats() {
	half := math.Sqrt(0.5)
	turned := kernels.Quats[float64]{X: []float64{0}, Y: []float64{half}, Z: []float64{0}, W: []float64{half}}
	axes := soa.Make[kernels.Mat3x4s[float64]](1)
	axes.FromQuats(&turned)
	fmt.Printf("%.0f %.0f\n", axes.XZ[0], axes.ZX[0])
	// Output: -1 1
}

// Each point is multiplied by the matrix of its row. The first matrix moves its point, and the second
// one turns its point by a quarter turn about z.
func ExampleVec3s_TransformAffine() {
	m := soa.Make[kernels.Mat3x4s[float32]](2)
	m.XX[0], m.YY[0], m.ZZ[0], m.TX[0] = 1, 1, 1, 10
	m.XY[1], m.YX[1], m.ZZ[1] = 1, -1, 1
	p := kernels.Vec3s[float32]{X: []float32{1, 1}, Y: []float32{2, 2}, Z: []float32{3, 3}}
	p.TransformAffine(&m, &p)
	fmt.Println(p.X, p.Y, p.Z)
	// Output: [11 -2] [2 1] [3 3]
}

// TransformVectorAffine turns directions but does not move them.
func ExampleVec3s_TransformVectorAffine() {
	m := soa.Make[kernels.Mat3x4s[float32]](1)
	m.XY[0], m.YX[0], m.ZZ[0], m.TX[0] = 1, -1, 1, 10
	ahead := kernels.Vec3s[float32]{X: []float32{1}, Y: []float32{0}, Z: []float32{0}}
	ahead.TransformVectorAffine(&m, &ahead)
	fmt.Println(ahead.X, ahead.Y, ahead.Z)
	// Output: [0] [1] [0]
}

// FromMat3x4s converts lanes to the layout that graphics libraries use.
func ExampleMat4s_FromMat3x4s() {
	lanes := soa.Make[kernels.Mat3x4s[float64]](2)
	for i := range lanes.Len() {
		lanes.XX[i], lanes.YY[i], lanes.ZZ[i], lanes.TX[i] = 1, 1, 1, float64(i)
	}
	blocks := kernels.Mat4s[float64]{M: make([][16]float64, 2)}
	blocks.FromMat3x4s(&lanes)
	fmt.Println(blocks.M[1])
	// Output: [1 0 0 0 0 1 0 0 0 0 1 0 1 0 0 1]
}

// The inverse of a camera's matrix takes points from the world to the camera, which is five metres
// back.
func ExampleMat4s_Inverse() {
	camera := kernels.Mat4s[float64]{M: [][16]float64{{0: 1, 5: 1, 10: 1, 14: 5, 15: 1}}}
	var view kernels.Mat4s[float64]
	view.M = make([][16]float64, 1)
	view.Inverse(&camera)

	point := kernels.Vec3s[float64]{X: []float64{1}, Y: []float64{2}, Z: []float64{3}}
	point.Transform(&view, &point)
	fmt.Println(point.X, point.Y, point.Z)
	// Output: [1] [2] [-2]
}

// A projection has a bottom row other than 0 0 0 1, so it needs MulFull.
func ExampleMat4s_MulFull() {
	projection := kernels.Mat4s[float64]{M: [][16]float64{{0: 1, 5: 1, 10: -1, 11: -1, 14: -0.2}}}
	view := kernels.Mat4s[float64]{M: [][16]float64{{0: 1, 5: 1, 10: 1, 14: -5, 15: 1}}}
	projection.MulFull(&projection, &view)
	fmt.Println(projection.M[0][12:])
	// Output: [0 0 4.8 5]
}

// Decompose finds the parts of a matrix that mirrors: the scale is negative along x.
func ExampleMat4s_Decompose() {
	m := kernels.Mat4s[float64]{M: [][16]float64{{
		-2, 0, 0, 0,
		0, 0, 3, 0, // y to z and z to -y: a quarter turn about x
		0, -4, 0, 0,
		7, 8, 9, 1,
	}}}
	pos, scale := soa.Make[kernels.Vec3s[float64]](1), soa.Make[kernels.Vec3s[float64]](1)
	rot := soa.Make[kernels.Quats[float64]](1)
	m.Decompose(&pos, &rot, &scale)
	fmt.Println(pos.X, pos.Y, pos.Z)
	fmt.Printf("x %.3f, w %.3f\n", rot.X[0], rot.W[0])
	fmt.Println(scale.X, scale.Y, scale.Z)
	// Output:
	// [7] [8] [9]
	// x 0.707, w 0.707
	// [-2] [3] [4]
}
