package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
)

// A variant is a potential that TestMelt does not use, with golden values for 500 atoms after 100 steps.
// The value orderedHash is the hash after steps that add forces in a fixed order, and roundedHash is the hash after
// steps that add forces in quanta. The value lammps contains the numbers that LAMMPS (29 September 2021, with
// check yes) prints for the same start. If energies is set, LAMMPS' energies are those of this potential, whose forces are different.
type variant struct {
	name             string
	ordered, rounded potential[float64]
	orderedHash      uint64
	roundedHash      uint64
	lammps           thermo
	energies         potential[float64]
}

// A several is the sum of potentials.
type several []potential[float64]

func (s several) AddTo(force *kernels.Vec3s[float64], energy, virial []float64, pairs forces.Pairs[float64]) error {
	for _, p := range s {
		if err := p.AddTo(force, energy, virial, pairs); err != nil {
			return err
		}
	}
	return nil
}

func variants() []variant {
	switched := forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: cutoff, SwitchFrom: 1.7}
	switchedQuanta := switched
	switchedQuanta.Quantum = termQuantum
	blend := func(quantum float64) forces.Mixture[float64] {
		return forces.NewMixture(2, func(a, b int) forces.LennardJones[float64] {
			p := []forces.LennardJones[float64]{{Epsilon: 1, Sigma: 1, Cutoff: 2.5}, {Epsilon: 1.5, Sigma: 0.8, Cutoff: 2}, {Epsilon: 0.5, Sigma: 0.88, Cutoff: 2.2}}[a+b]
			p.Shifted, p.Quantum = true, quantum
			return p
		})
	}
	morse := forces.Morse[float64]{Depth: 1, Alpha: 6, Rest: 1.1, Cutoff: cutoff, Shifted: true}
	morseQuanta := morse
	morseQuanta.Quantum = termQuantum
	charged := func(p forces.Coulomb[float64], quantum float64) several {
		p.Constant, p.Cutoff, p.Quantum, p.MaxCharge = 1, 2.4, quantum, 1
		return several{forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: cutoff, Quantum: quantum}, p}
	}
	plain, wolf := forces.Coulomb[float64]{}, forces.Coulomb[float64]{Damping: 0.8, ForceShifted: true}
	return []variant{
		// pair_style lj/charmm/coul/charmm 1.7 2.5, without charges
		{"switched", switched, switchedQuanta, 0x109595939efc9184, 0xd123f85536d603c5, thermo{0.749913371981, -5.388091961802, 0.299496477298}, nil},
		// pair_coeff 1 1 1.0 1.0 2.5, 1 2 1.5 0.8 2.0 and 2 2 0.5 0.88 2.2, pair_modify shift yes; atoms 1,
		// 6, 11 … are of type 2
		{"mixture", blend(0), blend(termQuantum), 0xccde4878e0323f75, 0x93c1a19ef6c25e1e, thermo{1.071059275189, -4.507712506049, 0.884885354740}, nil},
		// pair_style morse 2.5, pair_coeff 1 1 1.0 6.0 1.1 2.5, pair_modify shift yes
		{"morse", morse, morseQuanta, 0xce49452f5462674f, 0x51f9df5b8f937a0e, thermo{0.740109958572, -4.190238956803, 0.798780919633}, nil},
		// atom_style charge, pair_style lj/cut/coul/cut 2.5 2.4
		{"coulomb", charged(plain, 0), charged(plain, termQuantum), 0x788b7c880ed590bc, 0x777319ff70232a91, thermo{0.756931586894, -5.659156717883, 0.376759052671}, nil},
		// pair_style lj/cut/coul/wolf 0.8 2.5 2.4, whose forces are shifted at the cutoff, and whose energies are not those of these forces
		{"wolf", charged(wolf, 0), charged(wolf, termQuantum), 0x26f3b2da871b3013, 0x383ed0ce441d00b1, thermo{0.752811356704, -6.004668592507, 0.270168049930}, charged(forces.Coulomb[float64]{Damping: 0.8, Shifted: true}, 0)},
	}
}

// TestVariants melts the crystal of TestMelt with other potentials, on all paths, with several widths, skins and numbers of workers.
func TestVariants(t *testing.T) {
	s, err := newStart(5)
	if err != nil {
		t.Fatal(err)
	}
	pool := threeWorkers(t)
	for _, v := range variants() {
		for number, c := range []struct {
			config
			quanta bool
		}{
			{config{nil, 0, 0.3}, false},
			{config{pool, 16, 0.3}, false},
			{config{nil, 0, 0.3}, true},
			{config{pool, 4, 0.2}, true},
			{config{nil, 1, 0.6}, true},
			{config{pool, 8, 0}, true},
		} {
			if v.name == "wolf" && number != 0 && number != 2 && !*full {
				continue // Wolf's sum takes long
			}
			paths := kernels.Paths()
			if number != 2 && (number != 0 || v.name == "wolf") {
				paths = paths[len(paths)-1:] // these differ by lists and workers
			}
			for _, path := range paths {
				usePath(t, path)
				checkVariant(t, fmt.Sprintf("%s, %s, width %d, skin %v, quanta %v", v.name, path, c.width, c.skin, c.quanta), s, v, c.config, c.quanta)
			}
		}
	}
}

// checkVariant melts a crystal and compares the golden values.
func checkVariant(t *testing.T, name string, s *start, v variant, c config, quanta bool) {
	t.Helper()
	p, want := v.ordered, v.orderedHash
	if quanta {
		p, want = v.rounded, v.roundedHash
	}
	m, err := melt(s, c, p, quanta)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := m.hash(); got != want {
		t.Errorf("%s: the hash is %016x, want %016x", name, got, want)
	}
	if v.energies != nil {
		n := m.list.Len()
		force, virial := newVecs[float64](n), make([]float64, n)
		clear(m.energy)
		if err := v.energies.AddTo(&force, m.energy, virial, pairsWithSpecies(m.list)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	got := m.observe(s)
	for i, pair := range [][2]float64{{got.temperature, v.lammps.temperature}, {got.potential, v.lammps.potential}, {got.pressure, v.lammps.pressure}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s: number %d of temperature, energy and pressure is %.12f, and LAMMPS has %.12f", name, i, pair[0], pair[1])
		}
	}
	if p := momentum(m); p > 1e-11 {
		t.Errorf("%s: the momentum is %g", name, p)
	}
}

// A melted is a gas with any potential.
type melted struct {
	gas[float64]
	potential potential[float64]
	quanta    bool
}

// melt does 100 steps from a start.
func melt(s *start, c config, p potential[float64], quanta bool) (*gas[float64], error) {
	side := near.Point[float64]{X: s.side, Y: s.side, Z: s.side}
	m := &melted{potential: p, quanta: quanta}
	m.space = near.Space[float64]{Dims: 3, High: side, Border: near.Periodic}
	m.list = near.NewClusters(m.space, cutoff, c.skin)
	m.list.Pool, m.list.Width = c.pool, c.width
	n := s.pos.Len()
	m.vel, m.force, m.energy, m.virial = newVecs[float64](n), newVecs[float64](n), make([]float64, n), make([]float64, n)
	copy(m.vel.X, s.vel.X)
	copy(m.vel.Y, s.vel.Y)
	copy(m.vel.Z, s.vel.Z)
	if err := m.list.Build(s.pos.X, s.pos.Y, s.pos.Z); err != nil {
		return nil, err
	}
	m.list.Reorder(m.vel.X, m.vel.Y, m.vel.Z)
	if err := m.pull(false); err != nil {
		return nil, err
	}
	for k := range 100 {
		if err := m.step(k == 99); err != nil {
			return nil, err
		}
	}
	return &m.gas, nil
}

// step advances the gas by dt. Energies are computed only if they are wanted.
func (m *melted) step(energies bool) error {
	pos := m.list.At()
	m.vel.AddScaled(&m.vel, &m.force, dt/2)
	if m.quanta {
		forces.Drift(&pos, &m.vel, dt, positionQuantum)
	} else {
		pos.AddScaled(&pos, &m.vel, dt)
	}
	rebuilt, err := m.list.Move()
	if err != nil {
		return err
	}
	if rebuilt {
		m.list.Reorder(m.vel.X, m.vel.Y, m.vel.Z)
	}
	if err := m.pull(energies); err != nil {
		return err
	}
	m.vel.AddScaled(&m.vel, &m.force, dt/2)
	return nil
}

// pull computes the forces.
func (m *melted) pull(energies bool) error {
	energy, virial := m.energy, m.virial
	if !energies {
		energy, virial = nil, nil
	}
	pairs := pairsWithSpecies(m.list)
	return m.list.Range(func(lo, hi int) error {
		return setForces(m.potential, pairs, &m.force, energy, virial, lo, hi)
	})
}
