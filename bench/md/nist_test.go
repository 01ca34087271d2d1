package main

import (
	"flag"
	"math"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/stats"
)

var full = flag.Bool("lanewise.full", false, "sample the liquid of TestNIST long enough for an error bar below a thousandth")

// The test uses the state T* = 0.85 and ρ* = 0.86 from NIST's table of the Lennard-Jones fluid. The potential is truncated
// at 3 σ, with the correction for the rest (Lennard-Jones Fluid Reference Calculations, NIST Standard Reference Simulation
// Website).
const (
	nistTemperature = 0.85
	nistDensity     = 0.86
	nistCutoff      = 3.0
	nistEnergy      = -6.0305 // of an atom
	nistError       = 0.0002
)

// TestNIST compares the mean energy of a liquid with NIST's value. The deviation may be as large as a multiple of the error bar, which package stats
// estimates. With -lanewise.full the error bar is below 0.001.
func TestNIST(t *testing.T) {
	if testing.Short() {
		t.Skip("5,500 steps take ten minutes on an emulated CPU")
	}
	settle, steps, most := 1500, 4000, 0.02
	if *full {
		settle, steps, most = 10_000, 500_000, 0.001
	}
	l, err := newLiquid(5)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.run(settle, nil); err != nil {
		t.Fatal(err)
	}
	var energy stats.Series
	if err := l.run(steps, &energy); err != nil {
		t.Fatal(err)
	}
	mean := energy.Mean()
	bar, enough := energy.StdErr()
	t.Logf("the energy of an atom is %v in %d steps, and NIST has %.4f ± %.4f", &energy, steps, nistEnergy, nistError)
	if bar > most || !enough {
		t.Errorf("the error bar is %.5f, want at most %v; are the blocks long enough: %v", bar, most, enough)
	}
	if off := math.Abs(mean - nistEnergy); off > 4*math.Hypot(bar, nistError) {
		t.Errorf("the energy of an atom is %.5f ± %.5f, want %.4f ± %.4f", mean, bar, nistEnergy, nistError)
	}
}

// A liquid is a gas of Lennard-Jones atoms at a constant temperature.
type liquid struct {
	list           *near.Clusters[float64]
	vel, force     kernels.Vec3s[float64]
	energy, virial []float64
	noise          [3][]float64
	potential      forces.LennardJones[float64]
	steps          uint64
}

// newLiquid returns a face-centred cubic crystal of some cells along each side, which melts soon.
func newLiquid(cells int) (*liquid, error) {
	width := kernels.CbrtOf(4 / nistDensity)
	n, side := 4*cells*cells*cells, float64(float64(cells)*width)
	l := &liquid{
		list:      near.NewClusters(near.Space[float64]{Dims: 3, High: near.Point[float64]{X: side, Y: side, Z: side}, Border: near.Periodic}, nistCutoff, 0.4),
		potential: forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: nistCutoff},
		vel:       newVecs[float64](n), force: newVecs[float64](n),
		energy: make([]float64, n), virial: make([]float64, n),
		noise: [3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)},
	}
	pos := newVecs[float64](n)
	for i := range n {
		at, cell := [4][3]float64{{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}[i%4], i/4
		pos.X[i] = float64((float64(cell%cells) + at[0]) * width)
		pos.Y[i] = float64((float64(cell/cells%cells) + at[1]) * width)
		pos.Z[i] = float64((float64(cell/cells/cells) + at[2]) * width)
	}
	for axis, v := range [][]float64{l.vel.X, l.vel.Y, l.vel.Z} {
		random.Normal(v, random.Key{Seed: 85, Stream: uint32(axis)}.Rows(0), 0, math.Sqrt(2*nistTemperature))
	}
	if err := l.list.Build(pos.X, pos.Y, pos.Z); err != nil {
		return nil, err
	}
	return l, l.pull(false)
}

// run advances the liquid. Unless energy is nil, run adds the mean energy of an atom to energy after every fifth step.
func (l *liquid) run(steps int, energy *stats.Series) error {
	tail := 8 * math.Pi / 3 * nistDensity * (math.Pow(nistCutoff, -9)/3 - math.Pow(nistCutoff, -3)) // of the pairs beyond the cutoff
	for k := range steps {
		measured := energy != nil && k%5 == 4
		if err := l.step(measured); err != nil {
			return err
		}
		if measured {
			energy.Add(kernels.Sum(l.energy)/(2*float64(l.list.Len())) + tail)
		}
	}
	return nil
}

// step advances the liquid by Langevin dynamics: half a kick, half a drift, friction and noise, half a drift, and half a kick (BAOAB; B. Leimkuhler and
// C. Matthews, Applied Mathematics Research eXpress 2013). Averages over positions have only a small error with this order
// of operations.
func (l *liquid) step(energies bool) error {
	const dt, friction = 0.005, 2.0
	keep := math.Exp(-friction * dt)
	kick := math.Sqrt(nistTemperature * (1 - float64(keep*keep)))
	pos := l.list.At()
	n := l.list.Len()
	l.vel.AddScaled(&l.vel, &l.force, dt/2)
	pos.AddScaled(&pos, &l.vel, dt/2)
	for axis, v := range [][]float64{l.vel.X, l.vel.Y, l.vel.Z} {
		random.Normal(l.noise[axis], random.Key{Seed: 86, Stream: uint32(axis)}.Rows(l.steps*uint64(n)), 0, kick)
		for i, x := range l.noise[axis] {
			v[i] = float64(keep*v[i]) + x
		}
	}
	l.steps++
	pos.AddScaled(&pos, &l.vel, dt/2)
	rebuilt, err := l.list.Move()
	if err != nil {
		return err
	}
	if rebuilt {
		l.list.Reorder(l.vel.X, l.vel.Y, l.vel.Z)
	}
	if err := l.pull(energies); err != nil {
		return err
	}
	l.vel.AddScaled(&l.vel, &l.force, dt/2)
	return nil
}

// pull computes the forces.
func (l *liquid) pull(energies bool) error {
	energy, virial := l.energy, l.virial
	if !energies {
		energy, virial = nil, nil
	}
	return setForces(l.potential, pairsOf(l.list), &l.force, energy, virial, 0, l.list.Len())
}
