package forces

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// maxSpecies is the largest number of species of a mixture.
const maxSpecies = 256

// A Mixture is the potential of Lennard-Jones between atoms of several species.
// Each pair of species has its own Epsilon, Sigma, Cutoff and SwitchFrom, and
// its energy is shifted or not. All have one Quantum.
//
// A mixture does not change, so that several workers can use it at once.
type Mixture[T kernels.Float] struct {
	species  int32
	cutoff   T // the largest
	round    T // as ljRound
	switched bool
	pairs    []LennardJones[T] // the potential of the species a and b is at a*species+b
	least    []T               // the least distances
	tables   [mixTables][]T    // constants of the pairs
}

// The tables of a mixture are these constants of LennardJones, for all pairs of species.
const mixTables = ljSwitchForce + 1

// NewMixture returns the mixture of some species, 0, 1, 2 …, in which pair
// returns the potential of the species a and b. It is called for a <= b. For
// example, with the rules of Lorentz and Berthelot:
//
//	forces.NewMixture(len(species), func(a, b int) forces.LennardJones[float64] { return species[a].Mix(species[b]) })
//
// It panics if there are no species or more than 256, if the potentials have
// different quanta, or if a parameter is not valid.
func NewMixture[T kernels.Float](species int, pair func(a, b int) LennardJones[T]) Mixture[T] {
	if species < 1 || species > maxSpecies {
		panic(fmt.Sprintf("forces: NewMixture: there are %d species: a mixture has from 1 to %d", species, maxSpecies))
	}
	m := Mixture[T]{species: int32(species), pairs: make([]LennardJones[T], species*species), least: make([]T, species*species)}
	for a := range species {
		for b := a; b < species; b++ {
			p := pair(a, b)
			m.pairs[a*species+b], m.pairs[b*species+a] = p, p
			if first := m.pairs[0].Quantum; p.Quantum != first {
				panic(fmt.Sprintf("forces: NewMixture: Quantum is %v for the species %d and %d, and %v for the species 0 and 0: all terms of a sum are multiples of one quantum", p.Quantum, a, b, first))
			}
			p.check(fmt.Sprintf("NewMixture: species %d and %d", a, b), 1)
		}
	}
	for k := range m.tables {
		m.tables[k] = make([]T, species*species)
	}
	for t, p := range m.pairs {
		name, share := fmt.Sprintf("NewMixture: species %d and %d", t/species, t%species), m.share(t/species, t%species)
		p.check(name, share)
		m.least[t] = p.leastOf(share)
		c := p.constants(m.least[t])
		p.checkConstants(name, &c)
		if p.SwitchFrom == 0 { // g is then 1
			c[ljSwitch], c[ljSwitchForce] = T(math.Inf(1)), 0
		}
		for k, x := range c {
			m.tables[k][t] = x
		}
		m.cutoff, m.round = max(m.cutoff, p.Cutoff), c[ljRound]
		m.switched = m.switched || p.SwitchFrom != 0
	}
	return m
}

// share returns how many of the largest terms of a pair of species add up exactly. It is 32 for bodies of one size. Small bodies around a large one are more: their
// number in a shell is in proportion to the square of its radius, and the shells follow each other more closely.
func (m *Mixture[T]) share(a, b int) float64 {
	if m.pairs[0].Quantum == 0 {
		return nearest
	}
	n := int(m.species)
	between := float64(m.pairs[a*n+b].Least())
	most := 1.0
	for _, k := range [2]int{a, b} {
		alike := float64(m.pairs[k*n+k].Least())
		ratio := (2*between + alike) / (3 * alike)
		most = max(most, ratio*ratio*ratio)
	}
	return nearest * most
}

// Mix returns the potential between two species by the rules of Lorentz and
// Berthelot: Sigma is the mean of both, and Epsilon the root of their product.
// Cutoff and SwitchFrom are the means.
//
// It panics if the quanta differ, or if only one of both is shifted or switched.
func (p LennardJones[T]) Mix(q LennardJones[T]) LennardJones[T] {
	if p.Quantum != q.Quantum || p.Shifted != q.Shifted || (p.SwitchFrom == 0) != (q.SwitchFrom == 0) {
		panic(fmt.Sprintf("forces: LennardJones.Mix: Quantum, Shifted and SwitchFrom are %v, %v and %v, and %v, %v and %v: both have one quantum, and both are cut, shifted or switched", p.Quantum, p.Shifted, p.SwitchFrom, q.Quantum, q.Shifted, q.SwitchFrom))
	}
	if p == q {
		return p
	}
	p.Epsilon = T(math.Sqrt(float64(p.Epsilon))) * T(math.Sqrt(float64(q.Epsilon)))
	p.Sigma, p.Cutoff, p.SwitchFrom = (p.Sigma+q.Sigma)/2, (p.Cutoff+q.Cutoff)/2, (p.SwitchFrom+q.SwitchFrom)/2
	return p
}

// Cutoff returns the largest cutoff of the pairs of species: that of the list.
func (m Mixture[T]) Cutoff() T { return m.cutoff }

// Least returns the least distance of two bodies of the species a and b, as
// [LennardJones.Least] does. Where a small species meets a large one it is a
// little more, because more bodies fit around a large one.
func (m Mixture[T]) Least(a, b int) T { return m.least[a*int(m.species)+b] }

// AddTo adds to force[i] the forces of all bodies on row i, as
// [LennardJones.AddTo] does, with the potential of their species. pairs.Kinds
// has the species of each body.
//
// It panics if lengths differ, if a species does not exist, or if the list has
// not all pairs up to Cutoff.
//
// Shape: all lanes of force and of pairs.At, energy and virial have one length;
// those of pairs.All and pairs.Kinds have one, too.
// Alias: force, energy and virial must not overlap each other, pairs.At or
// pairs.All.
// Values: exact, in the order written for LennardJones. A mixture of one species
// has the bits of its potential.
func (m Mixture[T]) AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs Pairs[T]) error {
	const name = "Mixture.AddTo"
	pairs.check(name, force, energy, virial)
	pairs.checkCutoff(name, m.cutoff)
	own := pairs.checkKinds(name, m.species)
	switch force := any(force).(type) {
	case *kernels.Vec3s[float32]:
		p, m := any(&pairs).(*Pairs[float32]), any(&m).(*Mixture[float32])
		t := &m.tables
		c := [2]float32{m.round, t[ljNaN][0]}
		if energy != nil {
			mixEnergies32(force, laneOf[float32](energy), laneOf[float32](virial), &p.At, &p.All, own, p.Kinds, m.species, t[ljLeast], t[ljCutoff], t[ljForce12], t[ljForce6], t[ljEnergy12], t[ljEnergy6], t[ljShift],
				t[ljSwitch], t[ljSwitchForce], p.Start, p.List, p.Width, m.switched, &c)
		} else {
			mixForces32(force, &p.At, &p.All, own, p.Kinds, m.species, t[ljLeast], t[ljCutoff], t[ljForce12], t[ljForce6], t[ljEnergy12], t[ljEnergy6],
				t[ljSwitch], t[ljSwitchForce], p.Start, p.List, p.Width, m.round != 0, m.switched, &c)
		}
	case *kernels.Vec3s[float64]:
		p, m := any(&pairs).(*Pairs[float64]), any(&m).(*Mixture[float64])
		t := &m.tables
		c := [2]float64{m.round, t[ljNaN][0]}
		if energy != nil {
			mixEnergies64(force, laneOf[float64](energy), laneOf[float64](virial), &p.At, &p.All, own, p.Kinds, m.species, t[ljLeast], t[ljCutoff], t[ljForce12], t[ljForce6], t[ljEnergy12], t[ljEnergy6], t[ljShift],
				t[ljSwitch], t[ljSwitchForce], p.Start, p.List, p.Width, m.switched, &c)
		} else {
			mixForces64(force, &p.At, &p.All, own, p.Kinds, m.species, t[ljLeast], t[ljCutoff], t[ljForce12], t[ljForce6], t[ljEnergy12], t[ljEnergy6],
				t[ljSwitch], t[ljSwitchForce], p.Start, p.List, p.Width, m.round != 0, m.switched, &c)
		}
	}
	if allFinite(force) {
		return nil
	}
	return m.fault(&pairs, force)
}

// fault returns the error for forces that are not finite.
func (m Mixture[T]) fault(pairs *Pairs[T], force *kernels.Vec3s[T]) error {
	least, species := m.least, int(m.species)
	return pairs.fault("Mixture.AddTo", force, func(row int, body int32) T {
		return least[int(pairs.Kinds[pairs.first+row])*species+int(pairs.Kinds[body])]
	})
}

// mixedPair returns the force of a pair, divided by its distance, and its energy, without a switch.
func mixedPair[T kernels.Float](r2, force12, force6, energy12, energy6 T) (f, u T) {
	v := 1 / r2
	s := T(v * v * v)
	return (T(force12*s) - force6) * s * v, T((T(energy12*s) - energy6) * s)
}

// mixtureForces adds forces. Element a*species+b of a table is for the species a and b.
//
//lanec:kernel mixForces32[float32]
//lanec:kernel mixForces64[float64]
func mixtureForces[T kernels.Float](force, at, all *kernels.Vec3s[T], own, kind []int32, species int32, least, cutoff, force12, force6, energy12, energy6, q, q12 []T, start, list []int32, width int, round, switched bool, c *[2]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		first := own[i] * species
		var fx, fy, fz, itself T
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			t := first + kind[k]
			var f T
			if r2 < least[t] {
				itself++
			} else if r2 < cutoff[t] {
				if switched {
					f, _ = switchedPair(r2, cutoff[t], force12[t], force6[t], energy12[t], energy6[t], q[t], q12[t])
				} else {
					v := 1 / r2
					s := T(v * v * v)
					f = (T(force12[t]*s) - force6[t]) * s * v
				}
			}
			px, py, pz := T(f*dx), T(f*dy), T(f*dz)
			if round {
				px, py, pz = (px+c[0])-c[0], (py+c[0])-c[0], (pz+c[0])-c[0]
			}
			fx += px
			fy += py
			fz += pz
		}
		if itself != 1 {
			fx, fy, fz = c[1], c[1], c[1]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
	}
}

// mixtureEnergies adds forces, energies and virials, with terms that are rounded unless c[0] is 0.
//
//lanec:kernel mixEnergies32[float32]
//lanec:kernel mixEnergies64[float64]
func mixtureEnergies[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, at, all *kernels.Vec3s[T], own, kind []int32, species int32, least, cutoff, force12, force6, energy12, energy6, shift, q, q12 []T, start, list []int32, width int, switched bool, c *[2]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		first := own[i] * species
		var fx, fy, fz, e, w, itself T
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			t := first + kind[k]
			var f, u T
			if r2 < least[t] {
				itself++
			} else if r2 < cutoff[t] {
				if switched {
					f, u = switchedPair(r2, cutoff[t], force12[t], force6[t], energy12[t], energy6[t], q[t], q12[t])
				} else {
					f, u = mixedPair(r2, force12[t], force6[t], energy12[t], energy6[t])
				}
				u -= shift[t]
			}
			fx += (T(f*dx) + c[0]) - c[0]
			fy += (T(f*dy) + c[0]) - c[0]
			fz += (T(f*dz) + c[0]) - c[0]
			e += (u + c[0]) - c[0]
			w += (T(f*r2) + c[0]) - c[0]
		}
		if itself != 1 {
			fx, fy, fz, e, w = c[1], c[1], c[1], c[1], c[1]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
		energy[i] += e
		virial[i] += w
	}
}
