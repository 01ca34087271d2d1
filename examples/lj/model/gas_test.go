package model

import (
	"errors"
	"math"
	"testing"

	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// golden is the hash of 256 atoms after 60 steps. It is the same on every machine and path, with any
// number of workers.
const golden = 0x939ddedf8559894c

// melt returns a gas after some steps.
func melt(t *testing.T, pool *jobs.Pool, cells, steps int) *Gas {
	t.Helper()
	g, err := New(pool, cells, 1.44)
	for range steps {
		if err == nil {
			err = g.Step()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) { return melt(t, pool, 4, 60).Hash(), nil })
}

// TestCrystal compares the energy of the crystal with the value that LAMMPS prints for its benchmark
// of this density and cutoff, -6.7733681. Unlike LAMMPS, the model shifts the energy of each pair by
// the energy at the cutoff. An atom of the crystal has 54 neighbours within the cutoff, so its share
// is 27 pairs.
func TestCrystal(t *testing.T) {
	s6 := math.Pow(cutoff, -6)
	want := -6.7733681 - 27*4*s6*(s6-1)
	for _, cells := range []int{1, 3, 4, 5} { // a crystal of one cell is narrower than the cutoff
		g := melt(t, jobs.Default(), cells, 0)
		if _, got, _, err := g.Observe(); math.Abs(got-want) > 5e-8 || err != nil {
			t.Errorf("%d cells: the potential energy is %.8f, want %.8f; %v", cells, got, want, err)
		}
	}
}

// TestDrift checks that the total energy stays the same while the crystal melts, and that the centre of mass stays at rest.
func TestDrift(t *testing.T) {
	g := melt(t, jobs.Default(), 4, 0)
	kinetic, potential, _, err := g.Observe()
	if err != nil {
		t.Fatal(err)
	}
	start := kinetic + potential
	for range 300 {
		if err := g.Step(); err != nil {
			t.Fatal(err)
		}
		now, potential, _, err := g.Observe()
		if drift := math.Abs(now + potential - start); drift > 2e-3 || err != nil {
			t.Fatalf("the total energy of an atom drifted by %g; %v", drift, err)
		}
		kinetic = now
	}
	if kinetic > 1.3 || kinetic < 1 {
		t.Errorf("the kinetic energy is %g: the crystal did not melt", kinetic)
	}
	for axis, v := range [][]float64{g.Vel.X, g.Vel.Y, g.Vel.Z} {
		if sum := kernels.Sum(v); math.Abs(sum) > 1e-10 {
			t.Errorf("the momentum along axis %d is %g", axis, sum)
		}
	}
}

// TestForces compares the forces, some steps after the pair list was built, with forces that are computed from all
// pairs and their nearest images.
func TestForces(t *testing.T) {
	g := melt(t, jobs.Default(), 4, 57)
	at := g.List.At()
	if rebuilt, err := g.List.Move(); rebuilt || err != nil {
		t.Fatalf("the list is made anew: %v, %v", rebuilt, err)
	}
	nearest := func(d float64) float64 { return d - float64(g.Side*math.Round(d/g.Side)) }
	for i := range at.X {
		var fx, fy, fz float64
		for j := range at.X {
			dx, dy, dz := nearest(at.X[i]-at.X[j]), nearest(at.Y[i]-at.Y[j]), nearest(at.Z[i]-at.Z[j])
			r2 := float64(dx*dx) + float64(dy*dy) + float64(dz*dz)
			if i == j || r2 > cutoff*cutoff {
				continue
			}
			s6 := math.Pow(r2, -3)
			f := 24 * s6 * (2*s6 - 1) / r2
			fx, fy, fz = fx+float64(f*dx), fy+float64(f*dy), fz+float64(f*dz)
		}
		if math.Abs(fx-g.acc.X[i]) > 1e-9 || math.Abs(fy-g.acc.Y[i]) > 1e-9 || math.Abs(fz-g.acc.Z[i]) > 1e-9 {
			t.Fatalf("atom %d: the force is %v %v %v, want %v %v %v", i, g.acc.X[i], g.acc.Y[i], g.acc.Z[i], fx, fy, fz)
		}
	}
}

// TestStopped checks that an atom without a finite position stops the run.
func TestStopped(t *testing.T) {
	g := melt(t, jobs.Default(), 4, 0)
	g.Vel.X[7] = math.NaN()
	if err := g.Step(); !errors.Is(err, near.ErrNotFinite) {
		t.Errorf("an atom is nowhere, and the error is %v", err)
	}
}
