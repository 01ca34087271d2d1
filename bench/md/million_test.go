package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/near"
)

// TestMillion melts 6,912 atoms, or with -lanewise.full a million, while all of them drift through the boundaries of the box. It compares the
// energy of the crystal with that of LAMMPS, and the sums of some atoms with sums over all atoms.
func TestMillion(t *testing.T) {
	cells, sample := 12, 20
	if *full {
		cells, sample = 63, 100
	}
	s, err := newStart(cells)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGas(s, threeWorkers(t), 0, 0.3, termQuantum)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.pull(0, true); err != nil {
		t.Fatal(err)
	}
	if got, want := g.observe(s).potential, -6.7733681; math.Abs(got-want) > 5e-8 {
		t.Errorf("the energy of an atom of the crystal is %.9f, want %.7f", got, want)
	}
	const drift = 30 // so that a step moves all atoms by 0.15, and each list is made anew
	for i := range g.vel.X {
		g.vel.X[i] += drift
		g.vel.Z[i] -= drift
	}
	r := rand.New(rand.NewPCG(1, 44))
	for range 4 {
		if err := g.step(true); err != nil {
			t.Fatal(err)
		}
		for range sample {
			g.checkRow(t, r.IntN(g.list.Len()))
		}
		for a, f := range [][]float64{g.force.X, g.force.Y, g.force.Z} {
			total := int64(0)
			for _, f := range f {
				total += int64(f / termQuantum)
			}
			if total != 0 {
				t.Errorf("all forces along axis %d add up to %d quanta", a, total)
			}
		}
	}
	if g.builds < 3 {
		t.Errorf("%d lists were made", g.builds)
	}
	at, row := g.list.At(), r.IntN(g.list.Len())
	at.Y[row] = math.NaN()
	if _, err := g.list.Move(); !errors.Is(err, near.ErrNotFinite) || !strings.Contains(err.Error(), fmt.Sprintf("the point with id %d is at (", g.list.IDs()[row])) {
		t.Errorf("an atom without a position: %v", err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if most := uint64(3_000) * uint64(g.list.Len()); memory.Sys > most+100<<20 {
		t.Errorf("%d atoms take %d MB, want at most %d MB", g.list.Len(), memory.Sys>>20, most>>20)
	}
	t.Logf("%d atoms take %d MB", g.list.Len(), memory.Sys>>20)
}

// checkRow compares the sums of a row with sums over the nearest images of all atoms.
func (g *gas[T]) checkRow(t *testing.T, row int) {
	t.Helper()
	law, at := lawOf(g.potential), g.list.At()
	side := g.space.High.X
	nearest := func(d T) T { return d - T(side*T(math.RoundToEven(float64(d/side)))) }
	units := func(t T) float64 { return math.RoundToEven(float64(t) / float64(g.potential.Quantum)) }
	var want [5]float64
	for j := range at.X {
		dx, dy, dz := nearest(at.X[row]-at.X[j]), nearest(at.Y[row]-at.Y[j]), nearest(at.Z[row]-at.Z[j])
		if r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz); r2 <= cutoff*cutoff && j != row {
			f, u := law(r2)
			for k, t := range [5]T{f * dx, f * dy, f * dz, u, f * r2} {
				want[k] += units(t)
			}
		}
	}
	for k, lane := range [5][]T{g.force.X, g.force.Y, g.force.Z, g.energy, g.virial} {
		if got := float64(lane[row] / g.potential.Quantum); got != want[k] {
			t.Errorf("lane %d of row %d is %v quanta, want %v", k, row, got, want[k])
		}
	}
}
