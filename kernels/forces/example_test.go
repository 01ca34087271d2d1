package forces_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
)

// This example computes the force between the earth and the moon, in kilometres, kilograms and
// seconds.
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

func ExampleLennardJones() {
	x := []float64{0, 1.1, 2.3}
	at := kernels.Vec3s[float64]{X: x, Y: make([]float64, 3), Z: make([]float64, 3)}
	pairs := forces.Pairs[float64]{At: at, All: at, Start: []int32{0, 3}, List: []int32{0, 1, 2}, Width: 4, Cutoff: 2.5}
	lj := forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5, Shifted: true, Quantum: 0x1p-36}
	force := kernels.Vec3s[float64]{X: make([]float64, 3), Y: make([]float64, 3), Z: make([]float64, 3)}
	energy, virial := make([]float64, 3), make([]float64, 3)
	err := lj.AddTo(&force, energy, virial, pairs)
	fmt.Printf("forces %.4f, energy %.4f, virial %.4f, %v\n", force.X, kernels.Sum(energy)/2, kernels.Sum(virial)/2, err)
	fmt.Println("all forces together:", force.X[0]+force.X[1]+force.X[2])

	x[1] = 0.6
	err = lj.AddTo(&force, nil, nil, pairs)
	fmt.Println(errors.Is(err, forces.ErrTooNear))
	// Output:
	// forces [-1.5186 3.7998 -2.2812], energy -1.8522, virial -1.0671, <nil>
	// all forces together: 0
	// true
}

// The atoms are argon and krypton, with lengths in Å and energies in K. The potential between an argon
// atom and a krypton atom is computed from the potentials of the two elements.
func ExampleMixture() {
	species := []forces.LennardJones[float64]{
		{Epsilon: 120, Sigma: 3.4, Cutoff: 8.5, Shifted: true},
		{Epsilon: 164, Sigma: 3.83, Cutoff: 9.5, Shifted: true},
	}
	mixture := forces.NewMixture(len(species), func(a, b int) forces.LennardJones[float64] { return species[a].Mix(species[b]) })

	at := kernels.Vec3s[float64]{X: []float64{0, 3.8, 7.9}, Y: make([]float64, 3), Z: make([]float64, 3)}
	pairs := forces.Pairs[float64]{At: at, All: at, Start: []int32{0, 3}, List: []int32{0, 1, 2}, Width: 4, Cutoff: mixture.Cutoff()}
	pairs.Kinds = []int32{0, 0, 1} // two atoms of argon, and one of krypton
	force := kernels.Vec3s[float64]{X: make([]float64, 3), Y: make([]float64, 3), Z: make([]float64, 3)}
	energy, virial := make([]float64, 3), make([]float64, 3)
	err := mixture.AddTo(&force, energy, virial, pairs)
	fmt.Printf("forces %.3f, energy %.3f, %v\n", force.X, kernels.Sum(energy)/2, err)
	// Output: forces [-6.319 33.436 -27.116], energy -258.146, <nil>
}

// The molecule is one of water, with lengths in Å and energies in kcal/mol. After each new list of near.Clusters, call Reorder of
// both with the Order of the list.
func ExampleBonds() {
	pos := kernels.Vec3s[float64]{X: []float64{1.05, 0, -0.3}, Y: []float64{0, 0, 0.95}, Z: []float64{0, 0, 0}}
	force := kernels.Vec3s[float64]{X: make([]float64, 3), Y: make([]float64, 3), Z: make([]float64, 3)}
	energy, virial := make([]float64, 3), make([]float64, 3)

	bonds := forces.Bonds[float64]{Net: forces.Tie(3, []int32{0, 1}, []int32{1, 2}, []float64{1.012, 1.012}, []float64{1059, 1059})}
	angles := forces.TieAngles(3, []int32{0}, []int32{1}, []int32{2}, []float64{113.24 * math.Pi / 180}, []float64{75.9})
	err := errors.Join(bonds.AddTo(&force, energy, virial, &pos), angles.AddTo(&force, energy, &pos))
	fmt.Printf("forces %.2f along x, %.2f along y, energy %.3f, %v\n", force.X, force.Y, kernels.Sum(energy)/2, err)
	// Output: forces [-40.24 52.51 -12.27] along x, [-7.21 -6.41 13.62] along y, energy 1.274, <nil>
}

// The atoms are sodium and chlorine, with lengths in Å and energies in kcal/mol.
func ExampleCoulomb() {
	at := kernels.Vec3s[float64]{X: []float64{0, 2.5, 5.2}, Y: make([]float64, 3), Z: make([]float64, 3)}
	pairs := forces.Pairs[float64]{At: at, All: at, Start: []int32{0, 3}, List: []int32{0, 1, 2}, Width: 4, Cutoff: 9}
	pairs.Charges = []float64{1, -1, 1} // of rows and images
	force := kernels.Vec3s[float64]{X: make([]float64, 3), Y: make([]float64, 3), Z: make([]float64, 3)}
	energy, virial := make([]float64, 3), make([]float64, 3)

	repulsion := forces.LennardJones[float64]{Epsilon: 0.1, Sigma: 2.2, Cutoff: 9, Shifted: true}
	charge := forces.Coulomb[float64]{Constant: 332.06371, Cutoff: 9, Damping: 0.3, ForceShifted: true}
	err := errors.Join(repulsion.AddTo(&force, energy, virial, pairs), charge.AddTo(&force, energy, virial, pairs))
	fmt.Printf("forces %.3f, energy %.3f, %v\n", force.X, kernels.Sum(energy)/2, err)
	// Output: forces [38.768 -7.809 -30.959], energy -236.450, <nil>
}

// The atoms 0 and 1 are the ends of a dihedral, so that only half of their terms must remain.
func ExampleCoulomb_pairsOnly() {
	at := kernels.Vec3s[float64]{X: []float64{0, 1, 3}, Y: make([]float64, 3), Z: make([]float64, 3)}
	charges := []float64{1, -2, 1}
	pairs := forces.Pairs[float64]{At: at, All: at, Start: []int32{0, 3}, List: []int32{0, 1, 2}, Width: 4, Cutoff: 9, Charges: charges}
	ends := forces.Pairs[float64]{At: at, All: at, Start: []int32{0, 1, 2, 2}, List: []int32{1, 0}, Width: 1, Cutoff: 9, Charges: charges}
	force := kernels.Vec3s[float64]{X: make([]float64, 3), Y: make([]float64, 3), Z: make([]float64, 3)}
	energy, virial := make([]float64, 3), make([]float64, 3)

	charge := forces.Coulomb[float64]{Constant: 1, Cutoff: 9, Damping: 0.3, Shifted: true}
	less := charge
	less.Constant, less.PairsOnly = -charge.Constant/2, true
	err := errors.Join(charge.AddTo(&force, energy, virial, pairs), less.AddTo(&force, energy, virial, ends))
	fmt.Printf("forces %.3f, energy %.3f, %v\n", force.X, kernels.Sum(energy)/2, err)
	// Output: forces [0.908 -0.547 -0.361], energy -2.015, <nil>
}

// The atoms of a molecule are on a line. Bonds connect 0 with 1 and 1 with 2, so the molecule has only one pair on which the potential
// acts: the atoms 0 and 3, which three bonds connect.
func ExampleExclude() {
	at := kernels.Vec3s[float64]{X: []float64{0, 0.5, 1, 1.5}, Y: make([]float64, 4), Z: make([]float64, 4)}
	pairs := forces.Pairs[float64]{At: at, All: at, Start: []int32{0, 4}, List: []int32{0, 1, 2, 3}, Width: 4, Cutoff: 2.5}
	bonds := forces.Bonds[float64]{Net: forces.Tie(4, []int32{0, 1, 2}, []int32{1, 2, 3}, []float64{0.5, 0.5, 0.5}, []float64{900, 900, 900})}
	excluded := forces.Exclude(bonds.Net, 2)
	pairs = excluded.From(pairs, nil)

	lj := forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5}
	force := kernels.Vec3s[float64]{X: make([]float64, 4), Y: make([]float64, 4), Z: make([]float64, 4)}
	energy, virial := make([]float64, 4), make([]float64, 4)
	err := errors.Join(lj.AddTo(&force, energy, virial, pairs), bonds.AddTo(&force, energy, virial, &at))
	fmt.Printf("forces %.3f, energy %.4f, %v\n", force.X, kernels.Sum(energy)/2, err)
	// Output: forces [1.158 0.000 0.000 -1.158], energy -0.3203, <nil>
}

func ExampleDrift() {
	const quantum = 0x1p-44
	pos := kernels.Vec3s[float64]{X: []float64{0.1}, Y: []float64{0}, Z: []float64{0}}
	vel := kernels.Vec3s[float64]{X: []float64{0.7}, Y: []float64{0}, Z: []float64{0}}
	if err := forces.Quantize(pos.X, quantum); err != nil {
		fmt.Println(err)
	}
	for range 1000 {
		forces.Drift(&pos, &vel, 0.01, quantum)
	}
	steps := pos.X[0] / quantum // a whole number
	fmt.Printf("%.6f %v\n", pos.X[0], steps == math.Floor(steps))
	// Output: 7.100000 true
}
