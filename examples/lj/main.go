// Command lj melts a crystal of Lennard-Jones atoms in a periodic box. It is molecular dynamics with a cutoff, a cluster pair list and the
// velocity Verlet integrator, on all cores. It prints the temperature, the pressure and the energies per atom
// every 100 steps. At the end it prints a hash of the positions, which is the same on every machine.
//
//	lj -cells 10 -steps 1000 -png melt.png -frames melt.xyz
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"

	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
)

func main() {
	cells := flag.Int("cells", 8, "how many `cells` the crystal has along a side; a cell has 4 atoms")
	steps := flag.Int("steps", 500, "how many `steps`")
	name := flag.String("png", "", "draw the atoms to a `file`")
	frames := flag.String("frames", "", "write the atoms every 100 steps to a `file` for OVITO, such as melt.xyz, or to files for ParaView, such as melt-%03d.vtp")
	flag.Parse()
	g, err := newGas(jobs.Default(), *cells, 1.44)
	if err != nil {
		log.Fatal(err)
	}
	film, err := newFilm(*frames)
	if err != nil {
		log.Fatal(err)
	}
	for step := 0; ; step++ {
		if step%100 == 0 {
			kinetic, potential, pressure, err := g.observe()
			if err := errors.Join(err, film.add(g, step)); err != nil {
				log.Fatal(err)
			}
			fmt.Printf("step %5d  temperature %.4f  pressure %7.4f  potential %.5f  total %.5f\n", step, kinetic/1.5, pressure, potential, kinetic+potential)
		}
		if step == *steps {
			break
		}
		if err := g.step(); err != nil {
			log.Fatal(err)
		}
	}
	if err := film.close(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("hash %016x\n", g.hash())
	if *name != "" {
		if err := pngfile.Save(*name, g.picture(600)); err != nil {
			log.Fatal(err)
		}
	}
}

// A gas holds the atoms in a periodic cube. Lengths are in σ, energies in ε, and the mass of an atom is 1.
type gas struct {
	list           *near.Clusters[float64] // the positions, and for each atom those near it
	vel, acc       vecs
	energy, virial []float64 // of each atom: the sums over its pairs
	potential      forces.LennardJones[float64]
	side           float64
}

type vecs = kernels.Vec3s[float64]

const (
	cutoff = 2.5
	skin   = 0.3 // the list has pairs up to cutoff+skin, so that it serves several steps
	dt     = 0.005
)

// step advances the gas by dt: half a kick, a drift, and half a kick with the new forces.
func (g *gas) step() error {
	all := g.list.At()
	err := g.list.Range(func(lo, hi int) error {
		pos, vel, acc := all.Slice(lo, hi), g.vel.Slice(lo, hi), g.acc.Slice(lo, hi)
		vel.AddScaled(&vel, &acc, dt/2)
		pos.AddScaled(&pos, &vel, dt)
		return nil
	})
	if err != nil {
		return err
	}
	rebuilt, err := g.list.Move()
	if err != nil {
		return err
	}
	if rebuilt { // the atoms have another order
		g.list.Reorder(g.vel.X, g.vel.Y, g.vel.Z)
	}
	return g.kick(dt/2, false)
}

// kick computes the forces and changes the velocities by them for a time. If energies is set, it also computes the
// energies.
func (g *gas) kick(time float64, energies bool) error {
	start, list := g.list.List()
	pairs := forces.Pairs[float64]{At: g.list.At(), All: g.list.All(), Start: start, List: list, Width: g.list.ListWidth(), Cutoff: g.list.Cutoff()}
	return g.list.Range(func(lo, hi int) error {
		vel, acc := g.vel.Slice(lo, hi), g.acc.Slice(lo, hi)
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

// observe returns the mean kinetic and potential energy of an atom, and the pressure.
func (g *gas) observe() (kinetic, potential, pressure float64, err error) {
	err = g.kick(0, true)
	n := float64(g.list.Len())
	v := kernels.Dot(g.vel.X, g.vel.X) + kernels.Dot(g.vel.Y, g.vel.Y) + kernels.Dot(g.vel.Z, g.vel.Z)
	kinetic, potential = v/(2*n), kernels.Sum(g.energy)/(2*n) // both atoms of a pair have its energy
	return kinetic, potential, density / 3 * (v/n + kernels.Sum(g.virial)/(2*n)), err
}
