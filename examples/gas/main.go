// Command gas is molecular dynamics in 80 lines: 32,768 Lennard-Jones atoms in a periodic box, on all cores.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/soa"
)

// Lengths are in σ, energies in ε, and the mass of an atom is 1.
const (
	spacing     = 1.5 // of the atoms at the start
	temperature = 2.0
	cutoff      = 2.5
	skin        = 0.5 // the list has pairs up to cutoff+skin, so that it serves several steps
	dt          = 0.004
)

func main() {
	if err := run(32, 500); err != nil {
		log.Fatal(err)
	}
}

func run(across, steps int) error {
	n, side := across*across*across, float64(spacing*float64(across))
	pos, vel, acc := soa.Make[kernels.Vec3s[float64]](n), soa.Make[kernels.Vec3s[float64]](n), soa.Make[kernels.Vec3s[float64]](n)
	energy, virial := make([]float64, n), make([]float64, n)
	for i := range n {
		pos.X[i], pos.Y[i], pos.Z[i] = float64(spacing*float64(i%across)), float64(spacing*float64(i/across%across)), float64(spacing*float64(i/across/across))
	}
	for axis, v := range [][]float64{vel.X, vel.Y, vel.Z} {
		random.Normal(v, random.Key{Seed: 1, Stream: uint32(axis)}.Rows(0), 0, math.Sqrt(temperature))
	}
	box := near.Space[float64]{Dims: 3, High: near.Point[float64]{X: side, Y: side, Z: side}, Border: near.Periodic}
	list := near.NewClusters(box, cutoff, skin)
	list.Pool = jobs.Default()
	rebuilt, err := true, list.Build(pos.X, pos.Y, pos.Z)
	lj := forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: cutoff, Shifted: true}
	for step := 0; step <= steps && err == nil; step++ {
		if rebuilt { // the atoms have another order
			list.Reorder(vel.X, vel.Y, vel.Z)
		}
		start, rows := list.List()
		pairs := forces.Pairs[float64]{At: list.At(), All: list.All(), Start: start, List: rows, Width: list.ListWidth(), Cutoff: list.Cutoff()}
		err = list.Range(func(lo, hi int) error { // computes the forces on some rows, on a worker
			a, e, w := acc.Slice(lo, hi), energy[lo:hi], virial[lo:hi]
			for _, lane := range [][]float64{a.X, a.Y, a.Z, e, w} {
				clear(lane)
			}
			if step%100 != 0 {
				e, w = nil, nil // forces alone take less time
			}
			return lj.AddTo(&a, e, w, pairs.Rows(lo, hi))
		})
		if err != nil {
			break
		}
		if step > 0 {
			vel.AddScaled(&vel, &acc, dt/2) // completes the step before
		}
		if step%100 == 0 {
			kinetic := (kernels.Dot(vel.X, vel.X) + kernels.Dot(vel.Y, vel.Y) + kernels.Dot(vel.Z, vel.Z)) / float64(2*n)
			potential := kernels.Sum(energy) / float64(2*n) // both atoms of a pair have its energy
			fmt.Printf("step %4d  temperature %.4f  potential %.5f  total %.5f\n", step, kinetic/1.5, potential, kinetic+potential)
		}
		at := list.At()
		vel.AddScaled(&vel, &acc, dt/2)
		at.AddScaled(&at, &vel, dt)
		rebuilt, err = list.Move()
	}
	return err
}
