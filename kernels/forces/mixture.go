package forces

import (
	"fmt"
	"math"
	"sync"

	"github.com/lanewise/lanewise/kernels"
)

// maxSpecies is the largest number of species of a mixture.
const maxSpecies = 256

// A Mixture is the potential of Lennard-Jones between atoms of several species.
// Each pair of species has its own Epsilon, Sigma, Cutoff and SwitchFrom, and for each
// pair of species, the energy can be shifted or not. All have one Quantum.
//
// A Mixture is immutable, so several workers can use it at once.
type Mixture[T kernels.Float] struct {
	species  int32
	cutoff   T // the largest
	round    T // as ljRound
	switched bool
	pairs    []LennardJones[T] // the potential of the species a and b is at a*species+b
	least    []T               // the least distances
	tables   [mixTables][]T    // constants of the pairs
	scratch  *sync.Pool        // of mixScratch
}

// A mixture has a table for each of the first mixTables constants of LennardJones. A table has a
// number for each pair of species.
const mixTables = ljSwitchForce + 1

// NewMixture returns the mixture of the species 0, 1, 2 and so on. The
// function pair returns the potential between the species a and b. NewMixture calls
// pair only with a <= b. For example, with the rules of Lorentz and Berthelot:
//
//	forces.NewMixture(len(species), func(a, b int) forces.LennardJones[float64] { return species[a].Mix(species[b]) })
//
// It panics if there are no species or more than 256, if the potentials have
// different quanta, or if a parameter is not valid. If a Quantum is set, it also panics
// if the bodies of a species have Epsilon 0 with each other but not with another
// species. Such bodies do not repel each other, so any number of them can be near one
// body, and no quantum is large enough. Then use Quantum 0.
func NewMixture[T kernels.Float](species int, pair func(a, b int) LennardJones[T]) Mixture[T] {
	if species < 1 || species > maxSpecies {
		panic(fmt.Sprintf("forces: NewMixture: there are %d species: a mixture has from 1 to %d", species, maxSpecies))
	}
	m := Mixture[T]{species: int32(species), scratch: &sync.Pool{New: func() any { return new(mixScratch[T]) }}, pairs: make([]LennardJones[T], species*species), least: make([]T, species*species)}
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
		for k, x := range c[:mixTables] {
			m.tables[k][t] = x
		}
		m.cutoff, m.round = max(m.cutoff, p.Cutoff), c[ljRound]
		m.switched = m.switched || p.SwitchFrom != 0
	}
	return m
}

// share returns how many of the largest terms of a pair of species must add up exactly. For bodies of one
// size, the number is 32. It is larger for small bodies around a large body, because the number of bodies in
// a shell is proportional to the square of its radius, and the shells are closer to each other.
func (m *Mixture[T]) share(a, b int) float64 {
	if m.pairs[0].Quantum == 0 {
		return nearest
	}
	n := int(m.species)
	if m.pairs[a*n+b].Epsilon == 0 {
		return nearest // all terms are 0
	}
	between := float64(m.pairs[a*n+b].Least())
	most := 1.0
	for _, k := range [2]int{a, b} {
		if m.pairs[k*n+k].Epsilon == 0 {
			panic(fmt.Sprintf("forces: NewMixture: species %d and %d: Epsilon is %v, and it is 0 between two bodies of species %d, so that any number of them can be near one body: no Quantum is large enough for their sum, take Quantum 0", a, b, m.pairs[a*n+b].Epsilon, k))
		}
		alike := float64(m.pairs[k*n+k].Least())
		ratio := (2*between + alike) / (3 * alike)
		most = max(most, ratio*ratio*ratio)
	}
	return nearest * most
}

// Mix returns the potential between two species by the rules of Lorentz and
// Berthelot: Sigma is the mean of both Sigmas, and Epsilon is the square root
// of the product of both Epsilons. Cutoff and SwitchFrom of the result are the means of
// those of the two potentials.
//
// It panics if the quanta differ, or if only one of the potentials is shifted or has a switch.
func (p LennardJones[T]) Mix(q LennardJones[T]) LennardJones[T] {
	if p.Quantum != q.Quantum || p.Shifted != q.Shifted || (p.SwitchFrom == 0) != (q.SwitchFrom == 0) {
		panic(fmt.Sprintf("forces: LennardJones.Mix: Quantum, Shifted and SwitchFrom are %v, %v and %v, and %v, %v and %v: both have one quantum, and both are cut, shifted or switched", p.Quantum, p.Shifted, p.SwitchFrom, q.Quantum, q.Shifted, q.SwitchFrom))
	}
	if p == q {
		return p
	}
	p.Epsilon = T(T(math.Sqrt(float64(p.Epsilon))) * T(math.Sqrt(float64(q.Epsilon))))
	p.Sigma, p.Cutoff, p.SwitchFrom = T((p.Sigma+q.Sigma)/2), T((p.Cutoff+q.Cutoff)/2), T((p.SwitchFrom+q.SwitchFrom)/2)
	return p
}

// Cutoff returns the largest cutoff of all pairs of species. The list must be made with this
// cutoff.
func (m Mixture[T]) Cutoff() T { return m.cutoff }

// Least returns the least distance of two bodies of the species a and b, as
// [LennardJones.Least] does. If bodies of species a are small and those of species b
// are large, this distance is a little larger, because more bodies fit around a large
// one.
func (m Mixture[T]) Least(a, b int) T { return m.least[a*int(m.species)+b] }

// AddTo adds the forces of all bodies on row i to force[i], as
// [LennardJones.AddTo] does, with the potential of their two species.
// pairs.Kinds contains the species of each body.
//
// It panics if the mixture is the zero value, if lengths differ, if a species does not exist, or if
// the list lacks pairs within Cutoff.
//
// Shape: all lanes of force, pairs.At, energy and virial have the same length. All lanes of
// pairs.All and pairs.Kinds have the same length too.
// Alias: force, energy and virial must not overlap each other, pairs.At or
// pairs.All.
// Values: exact, in the order written for LennardJones: first the bodies of species
// 0, then those of species 1, and so on. Each of these sums is added to force[i]. A mixture
// of one species gives the same bits as the LennardJones potential of this species. If a
// Quantum is set, a mixture of several equal species does, too.
func (m Mixture[T]) AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs Pairs[T]) error {
	const name = "Mixture.AddTo"
	if m.species == 0 {
		panic("forces: Mixture.AddTo: the mixture is the zero value and has no species: create it with NewMixture")
	}
	pairs.check(name, force, energy, virial)
	pairs.checkCutoff(name, m.cutoff)
	own := pairs.checkKinds(name, m.species)
	s := m.scratch.Get().(*mixScratch[T])
	m.addList(s, force, energy, virial, &pairs, own)
	if pairs.divided() {
		rest := pairs.second()
		m.addList(s, force, energy, virial, &rest, own)
	}
	m.scratch.Put(s)
	least, species := m.least, int(m.species)
	return pairs.result(name, force, energy, virial, func(row int, body int32) T {
		return least[int(pairs.Kinds[pairs.first+row])*species+int(pairs.Kinds[body])]
	})
}

// addList adds the terms of a list.
func (m *Mixture[T]) addList(s *mixScratch[T], force *kernels.Vec3s[T], energy, virial []T, pairs *Pairs[T], own []int32) {
	block := (mixRows-1)/pairs.Width*pairs.Width + pairs.Width
	for lo := 0; lo < len(force.X); lo += block {
		m.addBlock(s, force, energy, virial, pairs, own, lo, min(lo+block, len(force.X)))
	}
}

// mixRows is about the number of rows in a block. The lists of all rows of a block are sorted
// by species together.
const mixRows = 256

// A mixScratch has memory for a block of rows.
type mixScratch[T kernels.Float] struct {
	start, list []int32 // the bodies of a species in the list of a cluster: list[start[c]:start[c+1]], of the part of start for the species
	counts      [][2]int32
	lanes       [mixTables][]T // constants of each row and the species of a pass
	self        []T            // 1 if the row is of the species
}

// addBlock adds the forces on the rows from lo to hi, in one pass for each species of bodies. Within a pass, the constants of a row are the same for
// all bodies, so the kernel needs no table.
func (m *Mixture[T]) addBlock(s *mixScratch[T], force *kernels.Vec3s[T], energy, virial []T, pairs *Pairs[T], own []int32, lo, hi int) {
	f, at := force.Slice(lo, hi), pairs.At.Slice(lo, hi)
	own = own[lo:hi]
	starts := s.divide(pairs, own, lo/pairs.Width, int(m.species))
	for t := range int(m.species) {
		if s.counts[t] == [2]int32{} {
			continue
		}
		s.fill(m, own, t, energy != nil, pairs.noSelf)
		start := s.start[t*starts : (t+1)*starts]
		c := [2]T{m.round, T(math.NaN())}
		if energy == nil {
			mixForces(s, &f, &at, &pairs.All, start, pairs.Width, m.switched, &c)
		} else {
			mixEnergies(s, &f, energy[lo:hi], virial[lo:hi], &at, &pairs.All, start, pairs.Width, m.switched, &c)
		}
	}
}

// divide sorts the lists of a block of rows by species. The block begins with cluster from. It returns how many elements
// of s.start each species has.
func (s *mixScratch[T]) divide(pairs *Pairs[T], own []int32, from, species int) (starts int) {
	begin := pairs.Start[from : from+(len(own)-1)/pairs.Width+2]
	starts = len(begin)
	s.start, s.counts = resized(s.start, starts*species), resized(s.counts, species)
	clear(s.counts)
	for _, t := range own {
		s.counts[t][1]++
	}
	total := 0
	for c := range starts - 1 {
		part := pairs.List[begin[c]:begin[c+1]]
		total += len(part)
		for _, k := range part {
			s.counts[pairs.Kinds[k]][0]++
		}
	}
	s.list = resized(s.list, total)
	first := int32(0)
	for t := range s.counts {
		s.start[t*starts] = first
		first += s.counts[t][0]
	}
	for c := range starts - 1 {
		for t := range species { // the next cluster begins where this one ends
			s.start[t*starts+c+1] = s.start[t*starts+c]
		}
		for _, k := range pairs.List[begin[c]:begin[c+1]] {
			end := &s.start[int(pairs.Kinds[k])*starts+c+1]
			s.list[*end] = k
			*end++
		}
	}
	return starts
}

// fill copies the constants for each row: those of the pair of its species and the species t.
func (s *mixScratch[T]) fill(m *Mixture[T], own []int32, t int, energies, noSelf bool) {
	for _, k := range [...]int{ljLeast, ljCutoff, ljForce12, ljForce6, ljEnergy12, ljEnergy6, ljShift, ljSwitch, ljSwitchForce} {
		s.lanes[k] = resized(s.lanes[k], len(own))
		if k >= ljEnergy12 && !energies && !m.switched {
			continue
		}
		lane, table := s.lanes[k], m.tables[k][t*int(m.species):][:m.species] // the tables are symmetric
		for i, a := range own {
			lane[i] = table[a]
		}
	}
	s.self = resized(s.self, len(own))
	for i, a := range own {
		s.self[i] = 0
		if int(a) == t && !noSelf {
			s.self[i] = 1
		}
	}
}

// resized returns a slice of n elements, in the memory of s if it has room.
func resized[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n, n+n/4)
	}
	return s[:n]
}

// mixForces calls the kernel of the type.
func mixForces[T kernels.Float](s *mixScratch[T], force, at, all *kernels.Vec3s[T], start []int32, width int, switched bool, c *[2]T) {
	switch s := any(s).(type) {
	case *mixScratch[float32]:
		l := &s.lanes
		mixForces32(viewOf[float32](force), viewOf[float32](at), viewOf[float32](all), s.self, l[ljLeast], l[ljCutoff], l[ljForce12], l[ljForce6], l[ljEnergy12], l[ljEnergy6], l[ljSwitch], l[ljSwitchForce],
			start, s.list, width, c[0] != 0, switched, any(c).(*[2]float32))
	case *mixScratch[float64]:
		l := &s.lanes
		mixForces64(viewOf[float64](force), viewOf[float64](at), viewOf[float64](all), s.self, l[ljLeast], l[ljCutoff], l[ljForce12], l[ljForce6], l[ljEnergy12], l[ljEnergy6], l[ljSwitch], l[ljSwitchForce],
			start, s.list, width, c[0] != 0, switched, any(c).(*[2]float64))
	}
}

// mixEnergies calls the kernel of the type.
func mixEnergies[T kernels.Float](s *mixScratch[T], force *kernels.Vec3s[T], energy, virial []T, at, all *kernels.Vec3s[T], start []int32, width int, switched bool, c *[2]T) {
	switch s := any(s).(type) {
	case *mixScratch[float32]:
		l := &s.lanes
		mixEnergies32(viewOf[float32](force), laneOf[float32](energy), laneOf[float32](virial), viewOf[float32](at), viewOf[float32](all), s.self, l[ljLeast], l[ljCutoff], l[ljForce12], l[ljForce6], l[ljEnergy12], l[ljEnergy6], l[ljShift], l[ljSwitch], l[ljSwitchForce],
			start, s.list, width, switched, any(c).(*[2]float32))
	case *mixScratch[float64]:
		l := &s.lanes
		mixEnergies64(viewOf[float64](force), laneOf[float64](energy), laneOf[float64](virial), viewOf[float64](at), viewOf[float64](all), s.self, l[ljLeast], l[ljCutoff], l[ljForce12], l[ljForce6], l[ljEnergy12], l[ljEnergy6], l[ljShift], l[ljSwitch], l[ljSwitchForce],
			start, s.list, width, switched, any(c).(*[2]float64))
	}
}

// mixedPair returns two numbers for a pair of a potential without a switch: the force divided by
// the distance, and the energy.
func mixedPair[T kernels.Float](r2, force12, force6, energy12, energy6 T) (f, u T) {
	v := 1 / r2
	s := T(v * v * v)
	return (T(force12*s) - force6) * s * v, T((T(energy12*s) - energy6) * s)
}

// mixtureForces adds the forces of the bodies of one species. self[i] is the number of times that row i
// must find itself in the list: 1 if it belongs to this species, and otherwise 0.
//
//lanec:kernel mixForces32[float32]
//lanec:kernel mixForces64[float64]
func mixtureForces[T kernels.Float](force, at, all *kernels.Vec3s[T], self, least, cutoff, force12, force6, energy12, energy6, q, q12 []T, start, list []int32, width int, round, switched bool, c *[2]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		low, far := least[i], cutoff[i]
		f12, f6, e12, e6, inverse, inverse12 := force12[i], force6[i], energy12[i], energy6[i], q[i], q12[i]
		var fx, fy, fz, itself T
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f T
			if r2 < low {
				itself++
			} else if r2 < far {
				if switched {
					f, _ = switchedPair(r2, far, f12, f6, e12, e6, inverse, inverse12)
				} else {
					v := 1 / r2
					s := T(v * v * v)
					f = (T(f12*s) - f6) * s * v
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
		if itself != self[i] {
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
func mixtureEnergies[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, at, all *kernels.Vec3s[T], self, least, cutoff, force12, force6, energy12, energy6, shift, q, q12 []T, start, list []int32, width int, switched bool, c *[2]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		low, far := least[i], cutoff[i]
		f12, f6, e12, e6, inverse, inverse12 := force12[i], force6[i], energy12[i], energy6[i], q[i], q12[i]
		var fx, fy, fz, e, w, itself T
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f, u T
			if r2 < low {
				itself++
			} else if r2 < far {
				if switched {
					f, u = switchedPair(r2, far, f12, f6, e12, e6, inverse, inverse12)
				} else {
					f, u = mixedPair(r2, f12, f6, e12, e6)
				}
				u -= shift[i]
			}
			fx += (T(f*dx) + c[0]) - c[0]
			fy += (T(f*dy) + c[0]) - c[0]
			fz += (T(f*dz) + c[0]) - c[0]
			e += (u + c[0]) - c[0]
			w += (T(f*r2) + c[0]) - c[0]
		}
		if itself != self[i] {
			fx, fy, fz, e, w = c[1], c[1], c[1], c[1], c[1]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
		energy[i] += e
		virial[i] += w
	}
}
