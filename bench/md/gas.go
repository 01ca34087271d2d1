package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/soa"
)

// These are the parameters of LAMMPS' Lennard-Jones benchmark, in units of σ, ε and the mass of an atom.
const (
	density     = 0.8442
	temperature = 1.44
	cutoff      = 2.5
	dt          = 0.005
)

// These are the quanta of the order-free mode.
const (
	positionQuantum = 0x1p-44
	termQuantum     = 0x1p-36
)

// A start is the initial state of all programs.
type start struct {
	side     float64
	pos, vel kernels.Vec3s[float64]
}

// newStart returns a face-centred cubic crystal, whose velocities are normally distributed. The total momentum is zero.
// The positions and the side of the box are multiples of the quantum.
func newStart(cells int) (*start, error) {
	width := kernels.CbrtOf(4 / density)
	s := &start{side: float64(float64(cells) * width)}
	side := []float64{s.side}
	n := 4 * cells * cells * cells
	s.pos, s.vel = soa.Make[kernels.Vec3s[float64]](n), soa.Make[kernels.Vec3s[float64]](n)
	for i := range n {
		at, cell := [4][3]float64{{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}[i%4], i/4
		s.pos.X[i] = float64((float64(cell%cells) + at[0]) * width)
		s.pos.Y[i] = float64((float64(cell/cells%cells) + at[1]) * width)
		s.pos.Z[i] = float64((float64(cell/cells/cells) + at[2]) * width)
	}
	for _, lane := range [][]float64{side, s.pos.X, s.pos.Y, s.pos.Z} {
		if err := forces.Quantize(lane, positionQuantum); err != nil {
			return nil, err
		}
	}
	s.side = side[0]
	for axis, v := range [][]float64{s.vel.X, s.vel.Y, s.vel.Z} {
		random.Normal(v, random.Key{Seed: 1, Stream: uint32(axis)}.Rows(0), 0, math.Sqrt(temperature))
		mean := kernels.Sum(v) / float64(n)
		for i := range v {
			v[i] -= mean
		}
	}
	return s, nil
}

// A gas is the state of a run.
type gas[T kernels.Float] struct {
	space          near.Space[T]
	list           *near.Clusters[T]
	vel, force     kernels.Vec3s[T]
	energy, virial []T
	potential      forces.LennardJones[T]
	builds         int
}

// newGas returns a gas in the state of a start. Parameter width is the width of its clusters, or 0. A quantum of 0
// means ordered sums.
func newGas[T kernels.Float](s *start, pool *jobs.Pool, width int, skin, quantum T) (*gas[T], error) {
	side := T(s.side)
	space := near.Space[T]{Dims: 3, High: near.Point[T]{X: side, Y: side, Z: side}, Border: near.Periodic}
	g := &gas[T]{space: space, potential: forces.LennardJones[T]{Epsilon: 1, Sigma: 1, Cutoff: cutoff, Quantum: quantum}}
	g.list = near.NewClusters(space, cutoff, skin)
	g.list.Pool, g.list.Width = pool, width
	n := s.pos.Len()
	g.vel, g.force = soa.Make[kernels.Vec3s[T]](n), soa.Make[kernels.Vec3s[T]](n)
	g.energy, g.virial = make([]T, n), make([]T, n)
	x, y, z := lane[T](s.pos.X), lane[T](s.pos.Y), lane[T](s.pos.Z)
	copy(g.vel.X, lane[T](s.vel.X))
	copy(g.vel.Y, lane[T](s.vel.Y))
	copy(g.vel.Z, lane[T](s.vel.Z))
	if err := g.list.Build(x, y, z); err != nil {
		return nil, err
	}
	g.list.Reorder(g.vel.X, g.vel.Y, g.vel.Z)
	return g, g.pull(0, false)
}

// lane converts numbers.
func lane[T kernels.Float](x []float64) []T {
	out := make([]T, len(x))
	for i, v := range x {
		out[i] = T(v)
	}
	return out
}

// step advances the gas by dt: half a kick, a drift, and half a kick with the new forces. If energies is set, it also
// computes the energies.
func (g *gas[T]) step(energies bool) error {
	pos := g.list.At()
	err := g.list.Range(func(lo, hi int) error {
		p, v, f := pos.Slice(lo, hi), g.vel.Slice(lo, hi), g.force.Slice(lo, hi)
		v.AddScaled(&v, &f, dt/2)
		if g.potential.Quantum > 0 {
			forces.Drift(&p, &v, dt, positionQuantum)
		} else {
			p.AddScaled(&p, &v, dt)
		}
		return nil
	})
	if err != nil {
		return err
	}
	rebuilt, err := g.list.Move()
	if err != nil {
		return err
	}
	if rebuilt {
		g.builds++
		g.list.Reorder(g.vel.X, g.vel.Y, g.vel.Z)
	}
	return g.pull(dt/2, energies)
}

// A potential adds the terms of a law.
type potential[T kernels.Float] interface {
	AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs forces.Pairs[T]) error
}

// pairsOf returns the pairs of a list.
func pairsOf[T kernels.Float](list *near.Clusters[T]) forces.Pairs[T] {
	start, row := list.List()
	return forces.Pairs[T]{At: list.At(), All: list.All(), Start: start, List: row, Width: list.ListWidth(), Cutoff: list.Cutoff()}
}

// setForces computes the forces on the rows from lo to hi, and their energies and virials unless these
// are nil.
func setForces[T kernels.Float, P potential[T]](p P, pairs forces.Pairs[T], force *kernels.Vec3s[T], energy, virial []T, lo, hi int) error {
	f := force.Slice(lo, hi)
	clear(f.X)
	clear(f.Y)
	clear(f.Z)
	if energy != nil {
		energy, virial = energy[lo:hi], virial[lo:hi]
		clear(energy)
		clear(virial)
	}
	return p.AddTo(&f, energy, virial, pairs.Rows(lo, hi))
}

// pull computes the forces and applies them to the velocities for a given time.
func (g *gas[T]) pull(time T, energies bool) error {
	pairs := pairsOf(g.list)
	energy, virial := g.energy, g.virial
	if !energies {
		energy, virial = nil, nil
	}
	return g.list.Range(func(lo, hi int) error {
		if err := setForces(g.potential, pairs, &g.force, energy, virial, lo, hi); err != nil {
			return err
		}
		v, f := g.vel.Slice(lo, hi), g.force.Slice(lo, hi)
		v.AddScaled(&v, &f, time)
		return nil
	})
}

// thermo holds the numbers that LAMMPS prints, per atom.
type thermo struct{ temperature, potential, pressure float64 }

// observe returns the thermo of a gas. observe rounds sums of energies once, so that the sums do not depend on the
// order of rows.
func (g *gas[T]) observe(s *start) thermo {
	n := float64(g.list.Len())
	v2 := make([]T, g.list.Len())
	g.vel.Dot(v2, &g.vel)
	kinetic := float64(kernels.SumExact(v2)) / 2
	potential, virial := float64(kernels.SumExact(g.energy))/2, float64(kernels.SumExact(g.virial))/2
	t := float64(2*kinetic) / (3 * (n - 1)) // without the three degrees of freedom of the centre of mass
	// The pressure leaves out the motion of the centre of mass too, as in LAMMPS.
	return thermo{t, potential / n, (float64((n-1)*t) + virial/3) / (s.side * s.side * s.side)}
}

// hash returns a hash of the positions by id, each in the box, and of the velocities.
func (g *gas[T]) hash() uint64 {
	x, y, z := byID(g, g.list.At())
	vx, vy, vz := byID(g, g.vel)
	at := near.NewClusters(g.space, cutoff, 0)
	if err := at.Build(x, y, z); err != nil {
		panic(err)
	}
	in := at.At()
	h := fnv.New64a()
	for i, id := range at.IDs() {
		x[id], y[id], z[id] = in.X[i], in.Y[i], in.Z[i]
	}
	for _, l := range [][]T{x, y, z, vx, vy, vz} {
		_ = binary.Write(h, binary.LittleEndian, l) // a hash never fails
	}
	return h.Sum64()
}

// byID returns lanes in the order of ids.
func byID[T kernels.Float](g *gas[T], v kernels.Vec3s[T]) (x, y, z []T) {
	n := len(v.X)
	x, y, z = make([]T, n), make([]T, n), make([]T, n)
	for i, id := range g.list.IDs() {
		x[id], y[id], z[id] = v.X[i], v.Y[i], v.Z[i]
	}
	return x, y, z
}

func (t thermo) String() string {
	return fmt.Sprintf("%.9f %.9f %.9f", t.temperature, t.potential, t.pressure)
}
