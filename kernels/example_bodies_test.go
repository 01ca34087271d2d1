package kernels_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// A renderer takes affine matrices as instances. Here each of the twelve numbers of a matrix has a
// lane.
func ExampleMat3x4s_MulAffine() {
	at := func(x, y, z float64) *kernels.Mat3x4s[float64] {
		one, none := []float64{1}, []float64{0}
		return &kernels.Mat3x4s[float64]{
			XX: one, XY: none, XZ: none, YX: none, YY: one, YZ: none, ZX: none, ZY: none, ZZ: one,
			TX: []float64{x}, TY: []float64{y}, TZ: []float64{z},
		}
	}
	arm := at(0, 0, 0)
	arm.TX, arm.TY, arm.TZ = make([]float64, 1), make([]float64, 1), make([]float64, 1)
	for _, lane := range []*[]float64{&arm.XX, &arm.XY, &arm.XZ, &arm.YX, &arm.YY, &arm.YZ, &arm.ZX, &arm.ZY, &arm.ZZ} {
		*lane = make([]float64, 1)
	}
	arm.MulAffine(at(1, 2, 3), at(10, 0, 0))
	fmt.Println(arm.TX, arm.TY, arm.TZ)
	// Output: [11] [2] [3]
}

// The same three angles give another rotation for each order of the axes.
func ExampleRotationOrder() {
	lane := func() []float64 { return make([]float64, 1) }
	angles := kernels.Vec3s[float64]{X: []float64{0.3}, Y: []float64{0.5}, Z: []float64{0.7}}
	var rot kernels.Quats[float64]
	rot.X, rot.Y, rot.Z, rot.W = lane(), lane(), lane(), lane()
	for _, order := range []kernels.RotationOrder{kernels.OrderXYZ, kernels.OrderZXY} {
		rot.FromEuler(&angles, order)
		fmt.Printf("%v %.4f %.4f\n", order, rot.X, rot.Y)
	}
	// Output:
	// XYZ [0.0521] [0.2794]
	// ZXY [0.2199] [0.1801]
}

// Use refuses a path that the CPU or the build lacks. The generic path exists everywhere. It uses no
// vectors and gives the same results.
func ExampleErrPath() {
	before := kernels.Path()
	defer kernels.Use(before)
	err := kernels.Use("abacus")
	fmt.Println(errors.Is(err, kernels.ErrPath), kernels.Path() == before)
	err = kernels.Use("generic")
	fmt.Println(err, kernels.VectorBytes())
	// Output:
	// true true
	// <nil> 0
}

// The race detector does not see memory accesses of assembly, so a kernel in assembly announces them.
// Checked is false in ordinary builds, and the compiler then drops the call.
func ExampleAnnounce() {
	scale := func(dst, x []float32, s float32) {
		if kernels.Checked {
			uses := []kernels.Touch{kernels.Writes("dst", dst), kernels.Reads("x", x)}
			kernels.Announce("Scale", uses...)
		}
		kernels.Scale(dst, x, s) // calls the assembly
	}
	x := []float32{1, 2, 3, 4}
	scale(x[:2], x[2:], 2)
	fmt.Println(x, kernels.Overlap(x[:2], x[2:]), kernels.Overlap(x[:3], x[2:]))
	// Output: [6 8 3 4] false true
}
