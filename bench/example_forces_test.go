package bench

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/barneshut"
	"gonum.org/v1/gonum/spatial/r3"
)

// star is a particle for gonum.
type star struct {
	at   r3.Vec
	mass float64
}

func (s star) Coord3() r3.Vec { return s.at }
func (s star) Mass() float64  { return s.mass }

// The tree of gonum approximates distant bodies, depending on theta. It accepts any law of force as a
// function, which it calls for each pair. With theta 0 it computes all pairs too. Package forces has
// one softened law and works on whole lanes.
func Example_gonumGravity() {
	at := kernels.Vec3s[float64]{X: []float64{0, 3, 0, -1}, Y: []float64{0, 0, 4, 1}, Z: []float64{1, 0, 0, 2}}
	mass := []float64{10, 1, 2, 3}
	acc := kernels.Vec3s[float64]{X: make([]float64, 4), Y: make([]float64, 4), Z: make([]float64, 4)}
	forces.Gravity(&acc, &at, &at, mass, 1e-12)

	var all []barneshut.Particle3
	for i, m := range mass {
		all = append(all, star{r3.Vec{X: at.X[i], Y: at.Y[i], Z: at.Z[i]}, m})
	}
	volume, err := barneshut.NewVolume(all)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, s := range all {
		f := volume.ForceOn(s, 0, barneshut.Gravity3)
		fmt.Printf("%.4f %.4f\n", acc.X[i], f.X/mass[i])
	}
	// Output:
	// -0.4825 -0.4825
	// -1.1214 -1.1214
	// -0.0333 -0.0333
	// 2.0042 2.0042
}

// gonum has no functions for whole lanes. Its Apply accepts any scalar function. With the functions of
// package kernels, the results have the bits of the lane kernels on every CPU.
func Example_gonumFunctions() {
	x := []float64{-1, 0, 0.5, 2}
	lane := make([]float64, len(x))
	kernels.Exp(lane, x)

	m := mat.NewDense(1, len(x), nil)
	m.Apply(func(_, column int, _ float64) float64 { return kernels.ExpOf(x[column]) }, m)
	same := true
	for i := range x {
		same = same && math.Float64bits(m.At(0, i)) == math.Float64bits(lane[i])
	}
	fmt.Println(same)
	fmt.Printf("%.6f\n", lane)
	// Output:
	// true
	// [0.367879 1.000000 1.648721 7.389056]
}
