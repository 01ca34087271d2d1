package forces_test

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
)

// The force between the earth and the moon, in kilometres, kilograms and seconds.
func ExampleGravity() {
	at := kernels.Vec3s[float64]{X: []float64{0, 384_400}, Y: []float64{0, 0}, Z: []float64{0, 0}}
	const g = 6.674e-20
	mass := []float64{g * 5.972e24, g * 7.35e22}
	acc := kernels.Vec3s[float64]{X: make([]float64, 2), Y: make([]float64, 2), Z: make([]float64, 2)}
	forces.Gravity(&acc, &at, &at, mass, 1)
	fmt.Printf("%.3g %.3g\n", acc.X[0], acc.X[1])
	// Output: 3.32e-08 -2.7e-06
}

// Three beads are on a string. The bead in the middle is pulled to the left, where the string is
// longer.
func ExampleSprings() {
	pos := kernels.Vec3s[float32]{X: []float32{0, 3, 5}, Y: []float32{0, 0, 0}, Z: []float32{0, 0, 0}}
	vel := kernels.Vec3s[float32]{X: make([]float32, 3), Y: make([]float32, 3), Z: make([]float32, 3)}
	force := kernels.Vec3s[float32]{X: make([]float32, 3), Y: make([]float32, 3), Z: make([]float32, 3)}
	net := forces.Tie(3, []int32{0, 1}, []int32{1, 2}, []float32{1, 1}, []float32{10, 10})
	forces.Springs(&force, &pos, &vel, &pos, &vel, net, 0.5)
	fmt.Println(force.X)
	// Output: [20 -10 -10]
}

// Rows computed in two parts, as by two workers, have the same bits as all rows computed at once.
func ExampleNet_Rows() {
	pos := kernels.Vec3s[float32]{X: []float32{0, 3, 5}, Y: []float32{0, 0, 0}, Z: []float32{0, 0, 0}}
	vel := kernels.Vec3s[float32]{X: make([]float32, 3), Y: make([]float32, 3), Z: make([]float32, 3)}
	force := kernels.Vec3s[float32]{X: make([]float32, 3), Y: make([]float32, 3), Z: make([]float32, 3)}
	net := forces.Tie(3, []int32{0, 1}, []int32{1, 2}, []float32{1, 1}, []float32{10, 10})
	for _, part := range [][2]int{{0, 2}, {2, 3}} {
		lo, hi := part[0], part[1]
		f, p, v := force.Slice(lo, hi), pos.Slice(lo, hi), vel.Slice(lo, hi)
		forces.Springs(&f, &p, &v, &pos, &vel, net.Rows(lo, hi), 0.5)
	}
	fmt.Println(force.X)
	// Output: [20 -10 -10]
}
