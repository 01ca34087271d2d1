package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// The golden values of 500 atoms after 100 steps: hashes of both modes, and the numbers that LAMMPS (29 September 2021, lj/cut/opt, check yes) prints for this
// start.
const (
	goldenOrdered = 0xef162302df0f4f70
	goldenQuanta  = 0x7165db32cccf801f
)

var lammpsThermo = thermo{0.749275698, -5.735446869, 0.370381786}

// TestMelt checks energies and hashes, for all paths, several widths of clusters, skins and numbers of workers. Only a skin may change the order of the rows,
// so that hashes of ordered sums are the same for one skin, and those of quanta for all.
func TestMelt(t *testing.T) {
	s, err := newStart(5)
	if err != nil {
		t.Fatal(err)
	}
	pool := jobs.New(jobs.Workers(3))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	defer func(path string) {
		if err := kernels.Use(path); err != nil {
			t.Error(err)
		}
	}(kernels.Path())
	for _, c := range []struct {
		pool    *jobs.Pool
		width   int
		skin    float64
		quantum float64
		hash    uint64
	}{
		{nil, 0, 0.3, 0, goldenOrdered},
		{pool, 16, 0.3, 0, goldenOrdered},
		{nil, 0, 0.3, termQuantum, goldenQuanta},
		{pool, 4, 0.2, termQuantum, goldenQuanta},
		{nil, 1, 0.6, termQuantum, goldenQuanta},
		{pool, 8, 0, termQuantum, goldenQuanta},
	} {
		for _, path := range kernels.Paths() {
			if err := kernels.Use(path); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s, width %d, skin %v, quantum %v", path, c.width, c.skin, c.quantum)
			g, err := newGas(s, c.pool, c.width, c.skin, c.quantum)
			for k := range 100 {
				if err == nil {
					err = g.step(k == 99)
				}
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := g.hash(); got != c.hash {
				t.Errorf("%s: the hash is %016x, want %016x", name, got, c.hash)
			}
			got := g.observe(s)
			for i, pair := range [][2]float64{{got.temperature, lammpsThermo.temperature}, {got.potential, lammpsThermo.potential}, {got.pressure, lammpsThermo.pressure}} {
				if math.Abs(pair[0]-pair[1]) > 1e-9 {
					t.Errorf("%s: number %d of temperature, energy and pressure is %.9f, and LAMMPS has %.9f", name, i, pair[0], pair[1])
				}
			}
			if p := momentum(g); c.quantum > 0 && p > 1e-11 {
				t.Errorf("%s: the momentum is %g", name, p)
			}
		}
	}
}

// momentum returns the largest component of the momentum.
func momentum(g *gas[float64]) (most float64) {
	for _, v := range [][]float64{g.vel.X, g.vel.Y, g.vel.Z} {
		most = max(most, math.Abs(kernels.SumExact(v)))
	}
	return most
}
