package main

import (
	"image"
	"math"
	"testing"

	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// golden is the hash of 256 atoms after 60 steps. It is the same on every machine and path, with any
// number of workers.
const golden = 0x685469ec4aa47f63

// melt returns a gas after some steps.
func melt(t *testing.T, pool *jobs.Pool, cells, steps int) *gas {
	t.Helper()
	g, err := newGas(pool, cells, 1.44)
	for range steps {
		if err == nil {
			err = g.step()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) { return melt(t, pool, 4, 60).hash(), nil })
}

// TestCrystal compares the energy of the crystal with the value that LAMMPS prints for its benchmark
// of this density and cutoff, -6.7733681. LAMMPS does not shift the energy of a pair. An atom of the
// crystal has 54 neighbours within the cutoff, so its share is 27 pairs, and each of them is shifted
// by the energy at the cutoff.
func TestCrystal(t *testing.T) {
	s6 := math.Pow(cutoff, -6)
	want := -6.7733681 - 27*4*s6*(s6-1)
	for _, cells := range []int{4, 5} {
		if _, got := melt(t, jobs.Default(), cells, 0).energies(); math.Abs(got-want) > 5e-8 {
			t.Errorf("%d cells: the potential energy is %.8f, want %.8f", cells, got, want)
		}
	}
}

// TestDrift checks that the total energy stays the same while the crystal melts, and that the centre of mass stays at rest.
func TestDrift(t *testing.T) {
	g := melt(t, jobs.Default(), 4, 0)
	kinetic, potential := g.energies()
	start := kinetic + potential
	for range 300 {
		if err := g.step(); err != nil {
			t.Fatal(err)
		}
		now, potential := g.energies()
		if drift := math.Abs(now + potential - start); drift > 2e-3 {
			t.Fatalf("the total energy of an atom drifted by %g", drift)
		}
		kinetic = now
	}
	if kinetic > 1.3 || kinetic < 1 {
		t.Errorf("the kinetic energy is %g: the crystal did not melt", kinetic)
	}
	for axis, v := range [][]float64{g.vel.X, g.vel.Y, g.vel.Z} {
		if sum := kernels.Sum(v); math.Abs(sum) > 1e-10 {
			t.Errorf("the momentum along axis %d is %g", axis, sum)
		}
	}
}

// TestList compares the forces of the listed pairs with the forces of all pairs, some steps after the list was made.
func TestList(t *testing.T) {
	g := melt(t, jobs.Default(), 4, 57)
	if kernels.Max(g.moved) == 0 {
		t.Error("the list is new")
	}
	n := g.pos.Len()
	all := &gas{pool: g.pool, side: g.side, pos: g.pos, vel: g.vel, energy: make([]float64, n)}
	all.acc = vecs{X: make([]float64, n), Y: make([]float64, n), Z: make([]float64, n)}
	all.list.Start = []int32{0}
	for i := range n {
		for j := range n {
			if i != j {
				all.list.Row = append(all.list.Row, int32(j))
			}
		}
		all.list.Start = append(all.list.Start, int32(len(all.list.Row)))
	}
	if err := all.kick(0); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if math.Abs(all.acc.X[i]-g.acc.X[i]) > 1e-11 || math.Abs(all.energy[i]-g.energy[i]) > 1e-11 {
			t.Fatalf("atom %d: force %g and energy %g, want %g and %g", i, g.acc.X[i], g.energy[i], all.acc.X[i], all.energy[i])
		}
	}
}

// TestPull compares the kernel with its source on every path.
func TestPull(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		n := in.Rows()
		acc, energy, pos := kerneltest.View[vecs](in), kerneltest.Lane[float64](in), kerneltest.View[vecs](in)
		start, list := kerneltest.Slice[int32](in, n+1), kerneltest.Slice[int32](in, 3*n)
		for i := range start {
			start[i] = int32(3 * i)
		}
		for i := range list {
			list[i] = int32(in.Draw().IntN(n))
		}
		return func() { pull(acc, energy, pos, pos, start, list, 9, 6, 0.1) }, func() { Pull(acc, energy, pos, pos, start, list, 9, 6, 0.1) }
	})
}

// TestRefused checks that a box too narrow for the minimum image is refused, and that atoms without a
// finite position stop the run.
func TestRefused(t *testing.T) {
	if _, err := newGas(jobs.Default(), 3, 1); err == nil {
		t.Error("a box of three cells is accepted")
	}
	g := melt(t, jobs.Default(), 4, 0)
	g.vel.X[7] = math.NaN()
	if err := g.step(); err == nil || err.Error() != "1 atoms have no finite position: take a smaller dt" {
		t.Errorf("an atom is nowhere, and the error is %v", err)
	}
}

func TestPicture(t *testing.T) {
	seen := map[any]bool{}
	m := melt(t, jobs.Default(), 4, 0).picture(200)
	for y := range 200 {
		for x := range 200 {
			seen[m.At(x, y)] = true
		}
	}
	if len(seen) < 50 || m.Bounds() != image.Rect(0, 0, 200, 200) {
		t.Errorf("the picture has %d colours", len(seen))
	}
}
