package main

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// These are the golden values of 500 atoms after 100 steps. They are the hashes of both modes, and the
// numbers that LAMMPS (29 September 2021, lj/cut/opt, check yes) prints for the same start.
const (
	goldenOrdered = 0xef162302df0f4f70
	goldenQuanta  = 0x7165db32cccf801f
)

var lammpsThermo = thermo{0.749275698, -5.735446869, 0.370381786}

// TestMelt checks energies and hashes, for all paths, several widths of clusters, skins and numbers of
// workers. Only a skin may change the order of the rows. Therefore the hashes of ordered sums must be equal
// for each skin, and the hashes of sums of quanta must be equal for all skins.
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

// TestRival checks that a program is compared with the fastest LAMMPS of its own type of terms, if there is one.
func TestRival(t *testing.T) {
	of := func(lammps, single bool, seconds int) *runner {
		return &runner{lammps: lammps, single: single, took: []times{{cpu: time.Duration(seconds) * time.Second}}}
	}
	by := func(t times) time.Duration { return t.cpu }
	slow, fast, mixed, own := of(true, false, 9), of(true, false, 5), of(true, true, 3), of(false, false, 1)
	for _, c := range []struct {
		all            []*runner
		double, single float64
	}{
		{[]*runner{slow, fast, mixed, own}, 5, 3},
		{[]*runner{mixed, fast, slow, own}, 5, 3},
		{[]*runner{fast, slow, own}, 5, 5},
		{[]*runner{mixed, own}, 3, 3},
		{[]*runner{own, of(false, true, 2)}, 1, 1},
	} {
		if double, single := rival(c.all, false, by), rival(c.all, true, by); double != c.double || single != c.single {
			t.Errorf("the rivals take %v and %v, want %v and %v", double, single, c.double, c.single)
		}
	}
}

// TestPackages checks that an error about a package is distinguished from other errors.
func TestPackages(t *testing.T) {
	for out, want := range map[string]bool{
		"LAMMPS (29 Sep 2021 - Update 2)\nERROR: Using suffix intel without INTEL package installed (src/lammps.cpp:857)\nLast command: (unknown)\n": true,
		"ERROR: Using suffix omp without OPENMP package installed (src/lammps.cpp:862)\n":                                                            true,
		"ERROR: Unknown pair style lj/cat (src/force.cpp:1)\n":                                                                                       false,
		"a package without error\n": false,
		"":                          false,
	} {
		if hasNoPackage([]byte(out)) != want {
			t.Errorf("%q: want %v", out, want)
		}
	}
}
