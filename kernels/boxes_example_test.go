package kernels_test

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// This example finds the boxes that a camera sees: it moves boxes with their entities and tests them
// against the planes of the view.
func ExampleBoxes_InPlanes() {
	// There are two boxes of size 2, one at x = 3 and one at x = 9.
	local := &kernels.Boxes[float32]{
		X: []float32{0, 0}, Y: []float32{0, 0}, Z: []float32{0, 0},
		HX: []float32{1, 1}, HY: []float32{1, 1}, HZ: []float32{1, 1},
	}
	places := &kernels.Vec3s[float32]{X: []float32{3, 9}, Y: []float32{0, 0}, Z: []float32{0, 0}}
	world := (&kernels.Mat4s[float32]{M: make([][16]float32, 2)}).Compose(places, nil, nil)
	bounds := &kernels.Boxes[float32]{
		X: make([]float32, 2), Y: make([]float32, 2), Z: make([]float32, 2),
		HX: make([]float32, 2), HY: make([]float32, 2), HZ: make([]float32, 2),
	}
	bounds.Transform(world, local)
	fmt.Println("all of it:", bounds.Union(nil).X) // of a kernels.Box

	// The view reaches from x = -4 to x = 4. A camera has six planes; kernels.MaxPlanes is the limit.
	view := []kernels.Plane[float32]{{X: 1, D: 4}, {X: -1, D: 4}}
	mask := make([]uint64, kernels.MaskLen(bounds.Len()))
	bounds.InPlanes(mask, view)
	rows := make([]int32, 2)
	rows = rows[:kernels.Indices(rows, mask)]
	fmt.Println("seen:", kernels.Any(mask), rows)

	// Do the same test with spheres, which reach as far as their radius.
	spheres := &kernels.Spheres[float32]{X: bounds.X, Y: bounds.Y, Z: bounds.Z, R: bounds.HX}
	spheres.InPlanes(mask, view)
	far := make([]float32, 2)
	places.DistanceSquared(far, [3]float32{0, 4, 0})
	fmt.Printf("%02b %v\n", mask[0], far)
	// Output:
	// all of it: 6
	// seen: true [0]
	// 01 [25 97]
}
