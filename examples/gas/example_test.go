package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/soa"
)

func Example() {
	if err := run(8, 300); err != nil {
		fmt.Println(err)
	}
	// Output:
	// step    0  temperature 2.0061  potential -1.07464  total 1.93450
	// step  100  temperature 2.2793  potential -1.48490  total 1.93398
	// step  200  temperature 2.3013  potential -1.51802  total 1.93395
	// step  300  temperature 2.3219  potential -1.54890  total 1.93395
}

// LAMMPS starts with velocities whose sum is zero, and with exactly the wanted temperature.
func Example_velocities() {
	const n, temperature = 1000, 1.44
	vel := soa.Make[kernels.Vec3s[float64]](n)
	squares := func() float64 {
		return kernels.Dot(vel.X, vel.X) + kernels.Dot(vel.Y, vel.Y) + kernels.Dot(vel.Z, vel.Z)
	}
	for axis, v := range [][]float64{vel.X, vel.Y, vel.Z} {
		random.Normal(v, random.Key{Seed: 1, Stream: uint32(axis)}.Rows(0), 0, 1)
		kernels.AddConst(v, v, -kernels.Sum(v)/n)
	}
	vel.Scale(&vel, math.Sqrt(temperature*(3*n-3)/squares())) // the sum is fixed, which leaves 3n-3 degrees of freedom
	fmt.Printf("temperature %.10f  sums below 1e-12: %v\n", squares()/(3*n-3), max(math.Abs(kernels.Sum(vel.X)), math.Abs(kernels.Sum(vel.Y)), math.Abs(kernels.Sum(vel.Z))) < 1e-12)
	// Output:
	// temperature 1.4400000000  sums below 1e-12: true
}

// Molecules are in a periodic box. Each has three atoms, two bonds and a right angle between them. The potential of pairs acts only
// between molecules, although bonded atoms are in the same lists.
func Example_molecules() {
	const across, spacing, long, cutoff, dt = 5, 1.8, 0.45, 2.5, 0.001
	n, side := 3*across*across*across, float64(spacing*across)
	pos, vel := soa.Make[kernels.Vec3s[float64]](n), soa.Make[kernels.Vec3s[float64]](n)
	var a, b, ends, centres, others []int32
	for m := range int32(n / 3) { // a molecule has the atoms 3*m, 3*m+1 and 3*m+2
		for k := range int32(3) {
			i := 3*m + k
			pos.X[i] = float64(spacing*float64(m%across)) + float64(long*float64((k+1)/2))
			pos.Y[i] = float64(spacing*float64(m/across%across)) + float64(long*float64(k/2))
			pos.Z[i] = float64(spacing * float64(m/across/across))
		}
		a, b = append(a, 3*m, 3*m+1), append(b, 3*m+1, 3*m+2)
		ends, centres, others = append(ends, 3*m), append(centres, 3*m+1), append(others, 3*m+2)
	}
	for axis, v := range [][]float64{vel.X, vel.Y, vel.Z} {
		random.Normal(v, random.Key{Seed: 1, Stream: uint32(axis)}.Rows(0), 0, 1)
	}
	same := func(n int, x float64) []float64 { lane := make([]float64, n); kernels.Fill(lane, x); return lane }
	box := [3]float64{side, side, side}
	bonds := forces.Bonds[float64]{Net: forces.Tie(n, a, b, same(len(a), long), same(len(a), 2000)), Side: box}
	angles := forces.TieAngles(n, ends, centres, others, same(n/3, math.Pi/2), same(n/3, 50))
	angles.Side = box
	excluded := forces.Exclude(bonds.Net, 2) // pairs that one or two bonds connect
	lj := forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: cutoff, SwitchFrom: 2}

	list := near.NewClusters(near.Space[float64]{Dims: 3, High: near.Point[float64]{X: side, Y: side, Z: side}, Border: near.Periodic}, cutoff, 0.4)
	list.Pool = jobs.Default()
	rebuilt, err := true, list.Build(pos.X, pos.Y, pos.Z)
	force, energy, virial := soa.Make[kernels.Vec3s[float64]](n), make([]float64, n), make([]float64, n)
	var pairs forces.Pairs[float64]
	for step := 0; step <= 200 && err == nil; step++ {
		if rebuilt {
			list.Reorder(vel.X, vel.Y, vel.Z)
			bonds.Reorder(list.Order())
			angles.Reorder(list.Order())
			excluded.Reorder(list.Order())
			start, rows := list.List()
			pairs = forces.Pairs[float64]{At: list.At(), All: list.All(), Start: start, List: rows, Width: list.ListWidth(), Cutoff: cutoff}
			pairs = excluded.From(pairs, list.Images())
		}
		err = list.Range(func(lo, hi int) error {
			f, e, w := force.Slice(lo, hi), energy[lo:hi], virial[lo:hi]
			for _, lane := range [][]float64{f.X, f.Y, f.Z, e, w} {
				clear(lane)
			}
			return errors.Join(
				lj.AddTo(&f, e, w, pairs.Rows(lo, hi)),
				bonds.Rows(lo, hi).AddTo(&f, e, w, &pairs.At),
				angles.Rows(lo, hi).AddTo(&f, e, &pairs.At))
		})
		if err != nil {
			break
		}
		if step > 0 {
			vel.AddScaled(&vel, &force, dt/2)
		}
		if step%100 == 0 {
			kinetic := (kernels.Dot(vel.X, vel.X) + kernels.Dot(vel.Y, vel.Y) + kernels.Dot(vel.Z, vel.Z)) / float64(2*n)
			fmt.Printf("step %3d  temperature %.3f  total energy %.4f\n", step, kinetic/1.5, kinetic+kernels.Sum(energy)/float64(2*n))
		}
		vel.AddScaled(&vel, &force, dt/2)
		pairs.At.AddScaled(&pairs.At, &vel, dt)
		rebuilt, err = list.Move()
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// step   0  temperature 1.046  total energy 0.1625
	// step 100  temperature 1.019  total energy 0.1625
	// step 200  temperature 1.031  total energy 0.1626
}
