package kernels_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// Two slices form a column of two-dimensional vectors.
func ExampleVec2s() {
	v := kernels.Vec2s[float64]{X: []float64{3, 0, 0}, Y: []float64{0, 0, 4}}
	length := make([]float64, v.Len())
	v.Length(length)
	v.Normalize(&v) // a zero vector stays zero
	fmt.Println(length)
	fmt.Println(v.X, v.Y)
	// Output:
	// [3 0 4]
	// [1 0 0] [0 0 1]
}

// Columns from soa.Make are aligned and padded for the widest vectors of any CPU.
func ExampleVec3s_Cross() {
	x, y := soa.Make[kernels.Vec3s[float32]](2), soa.Make[kernels.Vec3s[float32]](2)
	kernels.Fill(x.X, 1) // all point along x
	copy(y.Y, []float32{1, 2})

	area := soa.Make[kernels.Vec3s[float32]](2)
	area.Cross(&x, &y)
	fmt.Println(area.X, area.Y, area.Z)
	// Output: [0 0] [0 0] [1 2]
}

// Balls bounce off the ground, whose normal is the y axis.
func ExampleVec3s_Reflect() {
	vel := kernels.Vec3s[float64]{X: []float64{1, 2}, Y: []float64{-3, -4}, Z: []float64{0, 1}}
	up := kernels.Vec3s[float64]{X: []float64{0, 0}, Y: []float64{1, 1}, Z: []float64{0, 0}}
	vel.Reflect(&vel, &up)
	fmt.Println(vel.X, vel.Y, vel.Z)
	// Output: [1 2] [3 4] [0 1]
}

// A matrix moves points. TransformVector turns and scales directions but does not move them.
func ExampleVec3s_TransformBy() {
	m := [16]float64{
		2, 0, 0, 0, // column by column: twice as large,
		0, 2, 0, 0,
		0, 0, 2, 0,
		10, 20, 30, 1, // then moved
	}
	x := kernels.Vec3s[float64]{X: []float64{1, 0}, Y: []float64{0, 1}, Z: []float64{0, 0}}
	v := soa.Make[kernels.Vec3s[float64]](2)
	v.TransformBy(m, &x)
	fmt.Println(v.X, v.Y, v.Z)
	v.TransformVectorBy(m, &x)
	fmt.Println(v.X, v.Y, v.Z)
	// Output:
	// [12 10] [20 22] [30 30]
	// [2 0] [0 2] [0 0]
}

func ExampleVec4s_Dot() {
	plane := kernels.Vec4s[float32]{X: []float32{0}, Y: []float32{1}, Z: []float32{0}, W: []float32{-5}}
	point := kernels.Vec4s[float32]{X: []float32{3}, Y: []float32{7}, Z: []float32{9}, W: []float32{1}}
	height := make([]float32, 1)
	point.Dot(height, &plane)
	fmt.Println(height)
	// Output: [2]
}

// An eighth of a turn is half-way between no turn and a quarter turn about z.
func ExampleQuats_Slerp() {
	a, b := soa.Make[kernels.Quats[float64]](1), soa.Make[kernels.Quats[float64]](1)
	z := kernels.Vec3s[float64]{X: []float64{0}, Y: []float64{0}, Z: []float64{1}}
	a.FromAxisAngle(&z, []float64{0})
	b.FromAxisAngle(&z, []float64{math.Pi / 2})
	a.Slerp(&a, &b, 0.5)
	fmt.Printf("%.1f degrees\n", 2*math.Acos(a.W[0])*180/math.Pi)
	// Output: 45.0 degrees
}

// This example composes yaw, pitch and roll of a body whose y axis points up and whose z axis points
// ahead: the body first pitches and then turns.
func ExampleQuats_FromEuler() {
	angles := kernels.Vec3s[float64]{X: []float64{math.Pi / 2}, Y: []float64{math.Pi / 2}, Z: []float64{0}}
	rot := soa.Make[kernels.Quats[float64]](1)
	rot.FromEuler(&angles, kernels.OrderZXY)

	nose := kernels.Vec3s[float64]{X: []float64{0}, Y: []float64{0}, Z: []float64{1}}
	nose.Rotate(&rot, &nose)
	fmt.Printf("%+.1f %+.1f %+.1f\n", nose.X[0]+0, nose.Y[0], nose.Z[0]+0)
	// Output: +0.0 -1.0 +0.0
}

// Between returns the shortest turn that brings one direction to another.
func ExampleQuats_Between() {
	from := kernels.Vec3s[float64]{X: []float64{1, 1}, Y: []float64{0, 0}, Z: []float64{0, 0}}
	to := kernels.Vec3s[float64]{X: []float64{0, -1}, Y: []float64{1, 0}, Z: []float64{0, 0}}
	turn := soa.Make[kernels.Quats[float64]](2)
	turn.Between(&from, &to)
	fmt.Printf("about y: %.3f, about z: %.3f, w: %.3f\n", turn.Y[1], turn.Z[0], turn.W)
	// Output: about y: 1.000, about z: 0.707, w: [0.707 0.000]
}

// LookRotation aims noses, which point along z, at a target. The second up vector is parallel
// to its direction, so it does not determine the rotation about the direction.
func ExampleQuats_LookRotation() {
	forward := kernels.Vec3s[float64]{X: []float64{2, 0}, Y: []float64{0, 0}, Z: []float64{0, 3}}
	up := kernels.Vec3s[float64]{X: []float64{0, 0}, Y: []float64{1, 0}, Z: []float64{0, 1}}
	rot := soa.Make[kernels.Quats[float64]](2)
	rot.LookRotation(&forward, &up)

	nose := kernels.Vec3s[float64]{X: []float64{0, 0}, Y: []float64{0, 0}, Z: []float64{1, 1}}
	nose.Rotate(&rot, &nose)
	fmt.Printf("%.1f %.1f %.1f\n", nose.X, nose.Y, nose.Z)
	// Output: [1.0 0.0] [0.0 0.0] [0.0 1.0]
}

// One projection serves many points. A point at twice the distance gets a w that is twice as
// large. The caller must divide the point by w.
func ExampleVec4s_TransformBy() {
	projection := [16]float32{0: 1, 5: 1, 10: -1, 11: -1, 14: -0.5}
	p := kernels.Vec4s[float32]{X: []float32{1, 1}, Y: []float32{2, 2}, Z: []float32{-4, -8}, W: []float32{1, 1}}
	p.TransformBy(projection, &p)
	fmt.Println(p.Z, p.W)
	kernels.Div(p.X, p.X, p.W)
	kernels.Div(p.Y, p.Y, p.W)
	fmt.Println(p.X, p.Y)
	// Output:
	// [3.5 7.5] [4 8]
	// [0.25 0.125] [0.5 0.25]
}

// Each row has a matrix: the first leaves its vector unchanged, and the second exchanges z and w.
func ExampleVec4s_Transform() {
	m := kernels.Mat4s[float64]{M: [][16]float64{{0: 1, 5: 1, 10: 1, 15: 1}, {0: 1, 5: 1, 11: 1, 14: 1}}}
	v := kernels.Vec4s[float64]{X: []float64{1, 1}, Y: []float64{2, 2}, Z: []float64{3, 3}, W: []float64{4, 4}}
	v.Transform(&m, &v)
	fmt.Println(v.X, v.Y, v.Z, v.W)
	// Output: [1 1] [2 2] [3 4] [4 3]
}
