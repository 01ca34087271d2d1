package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/jobs"
)

// equation returns the gas as an equation of motion for package integrate. The lanes of acc are lanes of the gas.
func (g *Gas) equation() (ode *integrate.ODE[float64], x, v, acc [][]float64) {
	at := g.List.At()
	x, v = [][]float64{at.X, at.Y, at.Z}, [][]float64{g.Vel.X, g.Vel.Y, g.Vel.Z}
	acc = [][]float64{g.acc.X, g.acc.Y, g.acc.Z}
	rate := func(_, x [][]float64, _ integrate.Block[float64]) error {
		rebuilt, err := g.List.Move()
		if err != nil {
			return err
		}
		if rebuilt { // the atoms have another order, and new lanes
			at := g.List.At()
			x[0], x[1], x[2] = at.X, at.Y, at.Z
			g.List.Reorder(g.Vel.X, g.Vel.Y, g.Vel.Z)
		}
		return g.kick(0, false) // computes g.acc, to which the lanes of acc belong
	}
	return &integrate.ODE[float64]{Coupled: true, Pool: g.List.Pool, Rate: rate}, x, v, acc
}

// energyError runs the gas for some time, and returns the largest error of the energy per atom during this time.
func energyError(g *Gas, begin, time, h float64, step func(x, v, acc [][]float64, start, h float64, n int) error, x, v, acc [][]float64) (worst float64, err error) {
	const each = 5
	for range int(time / (each * h)) {
		if err := step(x, v, acc, 0, h, each); err != nil {
			return 0, err
		}
		kinetic, potential, _, err := g.Observe()
		if err != nil {
			return 0, err
		}
		worst = max(worst, math.Abs(kinetic+potential-begin))
	}
	return worst, nil
}

// Example_energy shows the largest error of the energy per atom, in the first and in the last part of a run.
func Example_energy() {
	for _, m := range []struct {
		name string
		h    float64
	}{{"Verlet", 0.005}, {"Verlet", 0.0025}, {"Yoshida4", 0.01}, {"Yoshida4", 0.005}} {
		g, err := New(jobs.Default(), 3, 1.44)
		if err != nil {
			fmt.Println(err)
			return
		}
		ode, x, v, acc := g.equation()
		step := ode.Verlet
		if m.name == "Yoshida4" {
			step = ode.Yoshida4
		}
		kinetic, potential, _, err := g.Observe()
		if err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%-8s h %.4f:", m.name, m.h)
		for range 2 {
			worst, err := energyError(g, kinetic+potential, 1, m.h, step, x, v, acc)
			if err != nil {
				fmt.Println(err)
			}
			fmt.Printf("  %.0e", worst)
		}
		fmt.Println()
	}
	// Output:
	// Verlet   h 0.0050:  9e-04  7e-04
	// Verlet   h 0.0025:  3e-04  2e-04
	// Yoshida4 h 0.0100:  7e-04  8e-04
	// Yoshida4 h 0.0050:  5e-05  5e-05
}

// TestIntegrate checks that package integrate moves the atoms with the same bits as the steps of this program. During the run,
// the pair list is rebuilt several times.
func TestIntegrate(t *testing.T) {
	for _, workers := range []int{1, 3} {
		pool := jobs.New(jobs.Workers(workers))
		g := melt(t, pool, 4, 0)
		ode, x, v, acc := g.equation()
		if err := ode.Verlet(x, v, acc, 0, DT, 60); err != nil {
			t.Fatal(err)
		}
		if g.Hash() != golden {
			t.Errorf("%d workers: the hash is %016x, by the steps of this program %016x", workers, g.Hash(), uint64(golden))
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}
