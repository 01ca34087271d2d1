package forces

import (
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// ErrTooNear is in the error for a pair that is too near, so that its terms are too large to be summed up.
var ErrTooNear = errors.New("take shorter steps, start with the pair farther apart, or take a larger Quantum if there is one")

// ErrNotFinite is in the error for a row or a body whose position is not finite.
var ErrNotFinite = errors.New("a coordinate is not finite: take shorter steps, or look for two bodies in one place")

// Pairs says which bodies may be near which rows, in the form of a cluster
// pair list, such as near.Clusters makes. Width consecutive rows of At share a
// part of the list: for row i, list[start[i/Width]:start[i/Width+1]] are numbers
// of bodies in All, among them exactly one that is the row itself.
type Pairs[T kernels.Float] struct {
	At    kernels.Vec3s[T] // the rows
	All   kernels.Vec3s[T] // the bodies: all rows, and their images in a periodic space
	Start []int32
	List  []int32
	Width int // a power of two
	// Cutoff is the distance up to which the list has all pairs, that of
	// near.Clusters.Cutoff. It is infinite if each list has all bodies.
	Cutoff T

	first int // the number of the first row, for errors
}

// Rows returns the pairs of the rows from one to another, so that each worker
// can compute the forces of some rows. lo must be a multiple of Width.
func (p Pairs[T]) Rows(lo, hi int) Pairs[T] {
	if p.Width <= 0 || lo < 0 || lo%p.Width != 0 || hi < lo || hi > len(p.At.X) {
		panic(fmt.Sprintf("forces: Pairs.Rows: rows %d to %d of %d: the first one must be a multiple of the width, %d", lo, hi, len(p.At.X), p.Width))
	}
	p.At = p.At.Slice(lo, hi)
	p.Start = p.Start[lo/p.Width:]
	p.first += lo
	return p
}

// LennardJones is the potential of Lennard-Jones with a cutoff. At a distance r
// below Cutoff, the energy of a pair is
//
//	4*Epsilon*((Sigma/r)^12 - (Sigma/r)^6)
//
// and it is 0 beyond. If Shifted is set, the energy at the cutoff is subtracted
// from it, so that it has no step there; the forces are the same.
//
// With Quantum, a power of two, each term of a force, an energy or a virial is
// rounded to a multiple of it, to nearest. A sum of such terms is exact, so that
// it does not depend on their order: neither on the order of the rows, nor on
// the skin of a list. With Quantum 0 the sum of a row is rounded after each
// term, in the order of the list.
//
// Terms must not be too large for their sums to be exact. [LennardJones.Least]
// is the distance from which on that is certain. For example, with float64,
// Epsilon and Sigma 1 and Quantum 2^-36 it is 0.707. A float32 has too few bits
// for fine quanta: with 2^-9 it is 0.783.
type LennardJones[T kernels.Float] struct {
	Epsilon, Sigma, Cutoff T
	Shifted                bool
	Quantum                T
}

// Least returns the least distance that a pair may have. For sums of quanta it
// is the distance where terms become so large that the sum of a row might not be
// exact: the terms of a body that is surrounded by others at that distance,
// which are as far from each other, add up to less than 32 times the largest
// term. For ordered sums it is a hundredth of Sigma, so that no force overflows.
func (p LennardJones[T]) Least() T {
	if p.Quantum == 0 {
		return p.Sigma / 100
	}
	most := p.most()
	near, far := 0.0, float64(p.Sigma)
	for range 60 {
		if middle := float64((near + far) / 2); p.largest(middle) > most {
			near = middle
		} else {
			far = middle
		}
	}
	return T(far * (1 + 0x1p-20))
}

// most returns the largest term of which 32 add up exactly: a float holds multiples of the quantum up to 2^53, or 2^24 for float32.
func (p LennardJones[T]) most() float64 { return math.Ldexp(float64(p.Quantum), mantissa[T]()) / 32 }

// mantissa returns the number of bits of a float's mantissa.
func mantissa[T kernels.Float]() int {
	if _, ok := any(T(0)).(float32); ok {
		return 24
	}
	return 53
}

// largest returns the largest term of a pair at a distance of at most Sigma: a force, an energy or a virial.
func (p LennardJones[T]) largest(r float64) float64 {
	s := float64(p.Sigma) / r
	s6 := float64(s * s * s * s * s * s)
	force := 24 * float64(p.Epsilon) * s6 * (2*s6 - 1) / r
	energy := float64(4*float64(p.Epsilon)*s6*(s6-1)) + float64(4*float64(p.Epsilon))
	return max(force, force*r, energy)
}

// AddTo adds to force[i] the forces of all bodies within the cutoff on row i.
// Energy and virial are both nil, or both have the length of force. Unless they
// are nil, AddTo also adds the energies of these pairs to energy[i], and their
// virials, distance times force, to virial[i]. Each pair is in the sums of both
// of its rows, so the energy of all pairs is half of the sum of energy, and so is
// the virial.
//
//	d = at[i] - all[k]
//	r2 = (d.x*d.x + d.y*d.y) + d.z*d.z
//	v = 1/r2
//	s = v*v*v
//	f = (48*Epsilon*Sigma^12*s - 24*Epsilon*Sigma^6)*s*v
//	force[i] = force[i] + ((f*d of the first k + f*d of the second) + …)
//	energy[i] = energy[i] + (((4*Epsilon*Sigma^12*s - 4*Epsilon*Sigma^6)*s - shift of the first k) + …)
//	virial[i] = virial[i] + ((f*r2 of the first k) + …)
//
// With Quantum, each of f*d, the energies and f*r2 is rounded to a multiple of
// it before it is added.
//
// It returns an error with ErrTooNear if two bodies are nearer than Least, and
// with ErrNotFinite if a row or a body has no finite position. Some forces and
// energies of the rows concerned are then NaN. It panics if lengths differ, if a
// parameter is not valid, if Cutoff is larger than that of the list, or if a
// constant of the formula is too small or too large for the type, so that bits
// of it would be lost. For example, a float32 cannot hold the twelfth power of
// a Sigma of 1e-6.
//
// Shape: all lanes of force and of pairs.At, energy and virial have one length.
// Alias: force, energy and virial must not overlap each other, pairs.At or
// pairs.All.
// Values: exact, in the order written.
func (p LennardJones[T]) AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs Pairs[T]) error {
	n := len(force.X)
	checkView("LennardJones.AddTo", "force", force, n, "len(force.X)")
	checkView("LennardJones.AddTo", "pairs.At", &pairs.At, n, "len(force.X)")
	if energy != nil && len(energy) != n || len(virial) != len(energy) {
		panic(fmt.Sprintf("forces: LennardJones.AddTo: len(energy) is %d, len(virial) is %d, len(force.X) is %d: both are nil or have this length", len(energy), len(virial), n))
	}
	if width := pairs.Width; width <= 0 || n > 0 && len(pairs.Start) <= (n-1)/width+1 {
		panic(fmt.Sprintf("forces: LennardJones.AddTo: pairs.Width is %d and len(pairs.Start) is %d, len(force.X) is %d: each group of Width rows has a part of the list, and the end of the last part is in Start, too", width, len(pairs.Start), n))
	}
	if !(p.Epsilon >= 0 && p.Sigma > 0 && p.Cutoff > 0 && p.Quantum >= 0) || p.Quantum > 0 && !isPowerOfTwo(float64(p.Quantum)) {
		panic(fmt.Sprintf("forces: LennardJones.AddTo: Epsilon, Sigma, Cutoff and Quantum are %v, %v, %v and %v: lengths above 0, and a power of two or 0", p.Epsilon, p.Sigma, p.Cutoff, p.Quantum))
	}
	if far := p.largest(float64(p.Sigma)); p.Quantum > 0 && far > p.most() {
		panic(fmt.Sprintf("forces: LennardJones.AddTo: Quantum is %v, and terms up to %v, those of a pair at Sigma, cannot be added up exactly: take a larger one", p.Quantum, far))
	}
	if !(p.Cutoff <= pairs.Cutoff) {
		panic(fmt.Sprintf("forces: LennardJones.AddTo: Cutoff is %v, and the list has pairs up to pairs.Cutoff, %v: make the list with the cutoff of the potential, and set pairs.Cutoff to that of the list", p.Cutoff, pairs.Cutoff))
	}
	c := p.constants()
	p.checkConstants(&c)
	switch force := any(force).(type) {
	case *kernels.Vec3s[float32]:
		p, c := any(&pairs).(*Pairs[float32]), any(&c).(*ljConstants[float32])
		switch {
		case energy != nil:
			ljEnergies32(force, laneOf[float32](energy), laneOf[float32](virial), &p.At, &p.All, p.Start, p.List, p.Width, (*[10]float32)(c))
		case c[ljRound] != 0:
			ljRounded32(force, &p.At, &p.All, p.Start, p.List, p.Width, (*[10]float32)(c))
		default:
			ljForces32(force, &p.At, &p.All, p.Start, p.List, p.Width, (*[10]float32)(c))
		}
	case *kernels.Vec3s[float64]:
		p, c := any(&pairs).(*Pairs[float64]), any(&c).(*ljConstants[float64])
		switch {
		case energy != nil:
			ljEnergies64(force, laneOf[float64](energy), laneOf[float64](virial), &p.At, &p.All, p.Start, p.List, p.Width, (*[10]float64)(c))
		case c[ljRound] != 0:
			ljRounded64(force, &p.At, &p.All, p.Start, p.List, p.Width, (*[10]float64)(c))
		default:
			ljForces64(force, &p.At, &p.All, p.Start, p.List, p.Width, (*[10]float64)(c))
		}
	}
	if kernels.AllFinite(force.X) && kernels.AllFinite(force.Y) && kernels.AllFinite(force.Z) {
		return nil
	}
	return p.fault(&pairs, force)
}

func isPowerOfTwo(x float64) bool {
	half, _ := math.Frexp(x)
	return half == 0.5
}

// ljConstants are the numbers that a kernel needs, by these indices.
type ljConstants[T kernels.Float] [10]T

const (
	ljLeast    = iota // square of the least distance
	ljCutoff          // square of the cutoff
	ljForce12         // 48 ε σ^12
	ljForce6          // 24 ε σ^6
	ljRound           // x + ljRound - ljRound rounds x to a multiple of the quantum; 0 if terms are not rounded
	ljNaN             // of rows with pairs that are too near
	ljEnergy12        // 4 ε σ^12
	ljEnergy6         // 4 ε σ^6
	ljShift           // the energy of a pair at the cutoff, or 0
)

func (p LennardJones[T]) constants() (c ljConstants[T]) {
	s2 := T(p.Sigma * p.Sigma)
	s6 := T(s2 * s2 * s2)
	least := p.Least()
	c[ljLeast], c[ljCutoff] = T(least*least), T(p.Cutoff*p.Cutoff)
	c[ljForce12], c[ljForce6] = T(48*p.Epsilon*s6*s6), T(24*p.Epsilon*s6)
	c[ljEnergy12], c[ljEnergy6] = T(4*p.Epsilon*s6*s6), T(4*p.Epsilon*s6)
	c[ljRound] = T(1.5 * math.Ldexp(float64(p.Quantum), mantissa[T]()-1))
	c[ljNaN] = T(math.NaN())
	if p.Shifted {
		v := 1 / c[ljCutoff]
		s := T(v * v * v)
		c[ljShift] = T((T(c[ljEnergy12]*s) - c[ljEnergy6]) * s)
	}
	return c
}

// checkConstants panics if a constant has lost bits by underflow, or is infinite. The forces would be wrong, and nothing would show it.
func (p LennardJones[T]) checkConstants(c *ljConstants[T]) {
	if p.Epsilon == 0 {
		return
	}
	normal := 0x1p-126
	if mantissa[T]() == 53 {
		normal = 0x1p-1022
	}
	for k, name := range [...]string{ljForce12: "48*Epsilon*Sigma^12", ljForce6: "24*Epsilon*Sigma^6", ljEnergy12: "4*Epsilon*Sigma^12", ljEnergy6: "4*Epsilon*Sigma^6"} {
		if x := float64(c[k]); name != "" && !(x >= normal && x <= math.MaxFloat64) {
			panic(fmt.Sprintf("forces: LennardJones.AddTo: Epsilon is %v and Sigma is %v, so that %s is %v, and %T holds too few bits of it: take reduced units, in which Epsilon and Sigma are near 1", p.Epsilon, p.Sigma, name, c[k], c[k]))
		}
	}
}

// fault returns the error for the first row without a position, because the force on each row around it is not finite either, or else for the first row without
// a finite force.
func (p LennardJones[T]) fault(pairs *Pairs[T], force *kernels.Vec3s[T]) error {
	least := p.Least()
	at, all := &pairs.At, &pairs.All
	for i, x := range at.X {
		if y, z := at.Y[i], at.Z[i]; !isFinite(x, y, z) {
			return fmt.Errorf("forces: LennardJones.AddTo: row %d is at (%v, %v, %v): %w", pairs.first+i, x, y, z, ErrNotFinite)
		}
	}
	for i, fx := range force.X {
		if isFinite(fx, force.Y[i], force.Z[i]) {
			continue
		}
		row, x, y, z := pairs.first+i, at.X[i], at.Y[i], at.Z[i]
		itself := false
		for _, k := range pairs.List[pairs.Start[i/pairs.Width]:pairs.Start[i/pairs.Width+1]] {
			if !isFinite(all.X[k], all.Y[k], all.Z[k]) {
				return fmt.Errorf("forces: LennardJones.AddTo: body %d of All, in the list of row %d, is at (%v, %v, %v): %w", k, row, all.X[k], all.Y[k], all.Z[k], ErrNotFinite)
			}
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			if r2 == 0 && !itself {
				itself = true
			} else if r2 < T(least*least) {
				return fmt.Errorf("forces: LennardJones.AddTo: row %d at (%v, %v, %v) and body %d of All are %v apart, and the least distance is %v: %w", row, x, y, z, k, T(math.Sqrt(float64(r2))), least, ErrTooNear)
			}
		}
		if !itself {
			return fmt.Errorf("forces: LennardJones.AddTo: the list of row %d does not contain the row itself: make the list anew after the rows have changed", row)
		}
	}
	return errors.New("forces: LennardJones.AddTo: a force is not finite: force had such a number before, or Epsilon is too large")
}

// isFinite reports whether three coordinates are finite.
func isFinite[T kernels.Float](x, y, z T) bool { return (x-x)+(y-y)+(z-z) == 0 }

// lennardJones adds forces.
//
//lanec:kernel ljForces32[float32]
//lanec:kernel ljForces64[float64]
func lennardJones[T kernels.Float](force, at, all *kernels.Vec3s[T], start, list []int32, width int, c *[10]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz, itself T
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f T
			if r2 < c[ljLeast] {
				itself++
			} else if r2 < c[ljCutoff] {
				v := 1 / r2
				s := T(v * v * v)
				f = (T(c[ljForce12]*s) - c[ljForce6]) * s * v
			}
			fx += T(f * dx)
			fy += T(f * dy)
			fz += T(f * dz)
		}
		if itself != 1 { // another body is too near, or the row has no position
			fx, fy, fz = c[ljNaN], c[ljNaN], c[ljNaN]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
	}
}

// lennardJonesRounded adds forces of terms that are rounded to quanta.
//
//lanec:kernel ljRounded32[float32]
//lanec:kernel ljRounded64[float64]
func lennardJonesRounded[T kernels.Float](force, at, all *kernels.Vec3s[T], start, list []int32, width int, c *[10]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz, itself T
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f T
			if r2 < c[ljLeast] {
				itself++
			} else if r2 < c[ljCutoff] {
				v := 1 / r2
				s := T(v * v * v)
				f = (T(c[ljForce12]*s) - c[ljForce6]) * s * v
			}
			fx += (T(f*dx) + c[ljRound]) - c[ljRound]
			fy += (T(f*dy) + c[ljRound]) - c[ljRound]
			fz += (T(f*dz) + c[ljRound]) - c[ljRound]
		}
		if itself != 1 {
			fx, fy, fz = c[ljNaN], c[ljNaN], c[ljNaN]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
	}
}

// lennardJonesEnergies adds forces, energies and virials, with terms that are rounded unless c[ljRound] is 0.
//
//lanec:kernel ljEnergies32[float32]
//lanec:kernel ljEnergies64[float64]
func lennardJonesEnergies[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, at, all *kernels.Vec3s[T], start, list []int32, width int, c *[10]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz, e, w, itself T
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f, u T
			if r2 < c[ljLeast] {
				itself++
			} else if r2 < c[ljCutoff] {
				v := 1 / r2
				s := T(v * v * v)
				f = (T(c[ljForce12]*s) - c[ljForce6]) * s * v
				u = T((T(c[ljEnergy12]*s)-c[ljEnergy6])*s) - c[ljShift]
			}
			fx += (T(f*dx) + c[ljRound]) - c[ljRound]
			fy += (T(f*dy) + c[ljRound]) - c[ljRound]
			fz += (T(f*dz) + c[ljRound]) - c[ljRound]
			e += (u + c[ljRound]) - c[ljRound]
			w += (T(f*r2) + c[ljRound]) - c[ljRound]
		}
		if itself != 1 {
			fx, fy, fz, e, w = c[ljNaN], c[ljNaN], c[ljNaN], c[ljNaN], c[ljNaN]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
		energy[i] += e
		virial[i] += w
	}
}
