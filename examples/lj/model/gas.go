// Package model is the gas of examples/lj. The gallery uses it, too.
package model

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
)

// A Gas holds the atoms in a periodic cube. Lengths are in σ, energies in ε, and the mass of an atom is 1.
type Gas struct {
	List *near.Clusters[float64] // the positions, and for each atom those near it
	Vel  vecs
	Side float64 // of the cube

	acc            vecs
	energy, virial []float64 // of each atom: the sums over its pairs
	potential      forces.LennardJones[float64]
}

type vecs = kernels.Vec3s[float64]

// DT is the duration of a step.
const DT = 0.005

const (
	cutoff = 2.5
	skin   = 0.3 // the list has pairs up to cutoff+skin, so that it serves several steps
)

// Step advances the gas by DT: half a kick, a drift, and half a kick with the new forces.
func (g *Gas) Step() error {
	all := g.List.At()
	err := g.List.Range(func(lo, hi int) error {
		pos, vel, acc := all.Slice(lo, hi), g.Vel.Slice(lo, hi), g.acc.Slice(lo, hi)
		vel.AddScaled(&vel, &acc, DT/2)
		pos.AddScaled(&pos, &vel, DT)
		return nil
	})
	if err != nil {
		return err
	}
	rebuilt, err := g.List.Move()
	if err != nil {
		return err
	}
	if rebuilt { // the atoms have another order
		g.List.Reorder(g.Vel.X, g.Vel.Y, g.Vel.Z)
	}
	return g.kick(DT/2, false)
}

// kick computes the forces and changes the velocities by them for a time. If energies is set, it also computes the
// energies.
func (g *Gas) kick(time float64, energies bool) error {
	start, list := g.List.List()
	pairs := forces.Pairs[float64]{At: g.List.At(), All: g.List.All(), Start: start, List: list, Width: g.List.ListWidth(), Cutoff: g.List.Cutoff()}
	return g.List.Range(func(lo, hi int) error {
		vel, acc := g.Vel.Slice(lo, hi), g.acc.Slice(lo, hi)
		clear(acc.X)
		clear(acc.Y)
		clear(acc.Z)
		var energy, virial []float64
		if energies {
			energy, virial = g.energy[lo:hi], g.virial[lo:hi]
			clear(energy)
			clear(virial)
		}
		if err := g.potential.AddTo(&acc, energy, virial, pairs.Rows(lo, hi)); err != nil {
			return err
		}
		vel.AddScaled(&vel, &acc, time)
		return nil
	})
}

// Observe returns the mean kinetic and potential energy of an atom, and the pressure.
func (g *Gas) Observe() (kinetic, potential, pressure float64, err error) {
	err = g.kick(0, true)
	n := float64(g.List.Len())
	v := kernels.Dot(g.Vel.X, g.Vel.X) + kernels.Dot(g.Vel.Y, g.Vel.Y) + kernels.Dot(g.Vel.Z, g.Vel.Z)
	kinetic, potential = v/(2*n), kernels.Sum(g.energy)/(2*n) // both atoms of a pair have its energy
	return kinetic, potential, float64(density / 3 * (v/n + kernels.Sum(g.virial)/(2*n))), err
}

// Hash returns a hash of all positions.
func (g *Gas) Hash() uint64 {
	h := fnv.New64a()
	at := g.List.At()
	for _, x := range [][]float64{at.X, at.Y, at.Z} {
		_ = binary.Write(h, binary.LittleEndian, x) // a hash never fails
	}
	return h.Sum64()
}
