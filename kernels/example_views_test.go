package kernels_test

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// vectors returns lanes of n zero rows. In a world such lanes are columns of chunks.
func vectors(n int) kernels.Vec3s[float32] {
	return kernels.Vec3s[float32]{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n)}
}

func turns(n int) kernels.Quats[float32] {
	return kernels.Quats[float32]{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n), W: make([]float32, n)}
}

func matrices(n int) kernels.Mat4s[float32] {
	return kernels.Mat4s[float32]{M: make([][16]float32, n)}
}

func affine(n int) (m kernels.Mat3x4s[float32]) {
	for _, lane := range []*[]float32{&m.XX, &m.XY, &m.XZ, &m.YX, &m.YY, &m.YZ, &m.ZX, &m.ZY, &m.ZZ, &m.TX, &m.TY, &m.TZ} {
		*lane = make([]float32, n)
	}
	return m
}

func ExampleVec3s_Distance() {
	from := kernels.Vec3s[float32]{X: []float32{0, 1}, Y: []float32{0, 1}, Z: []float32{0, 1}}
	way := kernels.Vec3s[float32]{X: []float32{3, 0}, Y: []float32{4, 0}, Z: []float32{0, 2}}
	to, half, back := vectors(2), vectors(2), vectors(2)
	to.Add(&from, &way)
	half.Lerp(&from, &to, 0.5)
	back.Sub(&from, &to)

	far := make([]float32, 2)
	from.Distance(far, &half)
	fmt.Println(half.X, half.Y, half.Z, "are", far, "away")
	fmt.Println(back.X, back.Y, back.Z)
	// Output:
	// [1.5 1] [2 1] [0 2] are [2.5 1] away
	// [-3 0] [-4 0] [0 -2]
}

func ExampleQuats_Mul() {
	// turn is a quarter turn about the z axis and roll is one about the x axis; their lengths are
	// not 1 yet.
	turn := kernels.Quats[float32]{X: []float32{0}, Y: []float32{0}, Z: []float32{2}, W: []float32{2}}
	roll := kernels.Quats[float32]{X: []float32{1}, Y: []float32{0}, Z: []float32{0}, W: []float32{1}}
	turn.Normalize(&turn)
	roll.Normalize(&roll)
	both, back, half := turns(1), turns(1), turns(1)
	both.Mul(&turn, &roll)                 // applies roll first
	both.Mul(back.Conjugate(&turn), &both) // then turns back, so that only roll is left
	fmt.Printf("%.3f %.3f %.3f %.3f\n", both.X, both.Y, both.Z, both.W)
	half.Nlerp(&roll, &turn, 0.5)
	fmt.Printf("%.3f %.3f %.3f %.3f\n", half.X, half.Y, half.Z, half.W)
	// Output:
	// [0.707] [0.000] [0.000] [0.707]
	// [0.408] [0.000] [0.408] [0.816]
}

func ExampleMat4s_MulAffine() {
	turn := kernels.Quats[float32]{X: []float32{0}, Y: []float32{0}, Z: []float32{1}, W: []float32{1}}
	turn.Normalize(&turn) // a quarter about Z
	at := kernels.Vec3s[float32]{X: []float32{10}, Y: []float32{0}, Z: []float32{0}}
	none := kernels.Quats[float32]{X: []float32{0}, Y: []float32{0}, Z: []float32{0}, W: []float32{1}}
	one := kernels.Vec3s[float32]{X: []float32{1}, Y: []float32{1}, Z: []float32{1}}

	place, turned, both := matrices(1), matrices(1), matrices(1)
	place.ComposeStream(&at, &none, &one) // as Compose, but past the caches: for results that are not read soon
	turned.FromQuats(&turn)
	both.MulAffine(&place, &turned)

	wind := kernels.Vec3s[float32]{X: []float32{1}, Y: []float32{0}, Z: []float32{0}}
	point := vectors(1)
	point.Transform(&both, &wind)
	wind.TransformVector(&both, &wind) // turned but not moved
	fmt.Printf("%.1f %.1f and %.1f %.1f\n", point.X, point.Y, wind.X, wind.Y)
	// Output: [10.0] [1.0] and [0.0] [1.0]
}

func ExampleMat4s_MulFullByParent() {
	identity := [16]float32{0: 1, 5: 1, 10: 1, 15: 1}
	far, near := identity, identity
	far[11], far[15] = 1, 0 // a camera that divides by Z
	near[15] = 2
	cameras := kernels.Mat4s[float32]{M: [][16]float32{far, near}}
	world := kernels.Mat4s[float32]{M: [][16]float32{identity, identity, identity}}

	seen := matrices(3)
	seen.MulFullByParent(&cameras, []int32{0, 1, 0}, &world)
	for _, m := range seen.M {
		fmt.Println(m[11], m[15])
	}
	// Output:
	// 1 0
	// 0 2
	// 1 0
}

func ExampleMat3x4s_Inverse() {
	wide := kernels.Mat4s[float32]{M: [][16]float32{{0: 2, 5: 2, 10: 2, 12: 6, 15: 1}}} // scaled by 2, moved by 6 along X
	m, undo := affine(1), affine(1)
	m.FromMat4s(&wide)
	undo.Inverse(&m)

	pos, rot, scale := vectors(1), turns(1), vectors(1)
	m.Decompose(&pos, &rot, &scale)
	fmt.Println(pos.X, scale.X, rot.W)
	undo.Decompose(&pos, &rot, &scale)
	fmt.Println(pos.X, scale.X, rot.W)
	// Output:
	// [6] [2] [1]
	// [-3] [0.5] [1]
}

func ExampleTotal() {
	var all kernels.Total[float32]
	x := []float32{1e8, 1, -1e8, 1}
	for row, v := range x { // your own loop over the rows
		all.Add(row, v)
	}
	fmt.Println(all.Sum() == kernels.Sum(x), len(all.Sums()), "accumulators")
	// Output: true 64 accumulators
}
