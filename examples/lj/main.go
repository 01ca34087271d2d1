// Command lj melts a crystal of Lennard-Jones atoms in a periodic box. It is molecular dynamics with a cutoff, a Verlet list and the
// velocity Verlet integrator, on all cores. It prints the temperature and the energies per atom every 100 steps, and at the end a hash
// of the positions, which is the same on every machine.
//
//	lj -cells 10 -steps 1000 -png melt.png
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

func main() {
	cells := flag.Int("cells", 8, "how many `cells` the crystal has along a side; a cell has 4 atoms")
	steps := flag.Int("steps", 500, "how many `steps`")
	name := flag.String("png", "", "draw the atoms to a `file`")
	flag.Parse()
	g, err := newGas(jobs.Default(), *cells, 1.44)
	if err != nil {
		log.Fatal(err)
	}
	for step := 0; ; step++ {
		if step%100 == 0 {
			kinetic, potential := g.energies()
			fmt.Printf("step %5d  temperature %.4f  potential %.5f  total %.5f\n", step, kinetic/1.5, potential, kinetic+potential)
		}
		if step == *steps {
			break
		}
		if err := g.step(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("hash %016x\n", g.hash())
	if *name != "" {
		if err := pngfile.Save(*name, g.picture(600)); err != nil {
			log.Fatal(err)
		}
	}
}

// A gas is atoms in a periodic cube. Lengths are in σ, energies in ε, and the mass of an atom is 1.
type gas struct {
	pool          *jobs.Pool
	side          float64
	pos, vel, acc vecs
	energy, moved []float64 // of each atom: the energy of its pairs, and its distance from its place at the last relist
	grid          *near.Grid[float64]
	list          near.Lists // the Verlet list: the atoms within cutoff+skin of each atom at the last relist
	sorted        vecs       // scratch memory of relist
}

const (
	cutoff = 2.5
	skin   = 0.3 // the list has pairs up to cutoff+skin, so that it serves several steps
	dt     = 0.005
)

// step advances the gas by dt: half a kick, a drift, and half a kick with the new forces.
func (g *gas) step() error {
	listed := vecs(g.grid.At())
	err := g.pool.Range(g.pos.Len(), 0, func(lo, hi int) {
		pos, vel, acc, from := g.pos.Slice(lo, hi), g.vel.Slice(lo, hi), g.acc.Slice(lo, hi), listed.Slice(lo, hi)
		vel.AddScaled(&vel, &acc, dt/2)
		pos.AddScaled(&pos, &vel, dt)
		pos.Distance(g.moved[lo:hi], &from)
	})
	if err != nil {
		return err
	}
	if kernels.Max(g.moved) > skin/2 || !kernels.AllFinite(g.moved) { // two atoms may have come nearer to each other by skin
		if err := g.relist(); err != nil {
			return err
		}
	}
	return g.kick(dt / 2)
}

// relist wraps the positions into the box, sorts the atoms by cell, and lists the neighbours of each.
func (g *gas) relist() error {
	g.grid.Build(g.pos.X, g.pos.Y, g.pos.Z)
	if lost := g.grid.Nowhere(); len(lost) > 0 {
		return fmt.Errorf("%d atoms have no finite position: take a smaller dt", len(lost))
	}
	at, ids := g.grid.At(), g.grid.IDs()
	copy(g.pos.X, at.X)
	copy(g.pos.Y, at.Y)
	copy(g.pos.Z, at.Z)
	kernels.Gather(g.sorted.X, g.vel.X, ids)
	kernels.Gather(g.sorted.Y, g.vel.Y, ids)
	kernels.Gather(g.sorted.Z, g.vel.Z, ids)
	g.vel, g.sorted = g.sorted, g.vel
	return g.grid.Neighbours(&g.list, cutoff+skin)
}

// kick computes the forces, and lets them change the velocities for a time.
func (g *gas) kick(time float64) error {
	const s6 = 1 / (cutoff * cutoff * cutoff * cutoff * cutoff * cutoff)
	return g.pool.Range(g.pos.Len(), 0, func(lo, hi int) {
		pos, vel, acc := g.pos.Slice(lo, hi), g.vel.Slice(lo, hi), g.acc.Slice(lo, hi)
		Pull(&acc, g.energy[lo:hi], &pos, &g.pos, g.list.Start[lo:hi+1], g.list.Row, g.side, cutoff*cutoff, 4*s6*(s6-1))
		vel.AddScaled(&vel, &acc, time)
	})
}

// energies returns the mean kinetic and potential energy of an atom.
func (g *gas) energies() (kinetic, potential float64) {
	two := 2 * float64(g.pos.Len()) // both atoms of a pair have its energy
	v := kernels.Dot(g.vel.X, g.vel.X) + kernels.Dot(g.vel.Y, g.vel.Y) + kernels.Dot(g.vel.Z, g.vel.Z)
	return v / two, kernels.Sum(g.energy) / two
}
