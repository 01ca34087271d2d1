package forces

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// LennardJones is the potential of Lennard-Jones with a cutoff. At a distance r
// below Cutoff, the energy of a pair is
//
//	4*Epsilon*((Sigma/r)^12 - (Sigma/r)^6)
//
// and it is 0 beyond. If Shifted is set, the energy at the cutoff is subtracted from
// that of each pair, so that the energy has no step at the cutoff. The forces are the
// same.
//
// If SwitchFrom is not 0, energy and force decrease to 0 between SwitchFrom and Cutoff without a
// step. The energy is multiplied by
//
//	g*g*(3 - 2*g), where g = (Cutoff^2 - r^2) / (Cutoff^2 - SwitchFrom^2)
//
// and the force has the corresponding term. This is the switch of CHARMM (Brooks and
// others, Journal of Computational Chemistry 4, 1983). Other programs write it as
// (c-s)^2 * (c+2*s-3*o) / (c-o)^3, where c, s and o are the squares of r, Cutoff and
// SwitchFrom. With a switch, SwitchFrom must be at least Sigma, and Shifted must not be
// set.
//
// If Quantum is set, which must be a power of two, each term of a force, an
// energy or a virial is rounded to the nearest multiple of Quantum. A sum of
// such terms is exact, so it does not depend on the order of the terms. In
// particular, it does not depend on the order of the rows or on the skin of a
// list. With Quantum 0 the sum of a row is rounded after each term, in the order
// of the list.
//
// A sum is exact only if its terms are not too large. [LennardJones.Least] returns the
// distance at and above which this is certain. For example, with float64, Epsilon and
// Sigma 1 and Quantum 2^-36, it is 0.707. A float32 has too few bits for fine quanta:
// with Quantum 2^-9, the distance is 0.783.
type LennardJones[T kernels.Float] struct {
	Epsilon, Sigma, Cutoff T
	Shifted                bool
	Quantum                T
	SwitchFrom             T
}

// Least returns the least distance that a pair may have. For sums of quanta, the
// terms below this distance are so large that the sum of a row might not be
// exact. At this distance the sum is still exact. For example, let other bodies surround a body at this distance,
// with the same distance between each other. Then their terms add up to less than 32 times the largest term. Without Quantum, the least distance is a
// hundredth of Sigma, so that no force overflows.
func (p LennardJones[T]) Least() T { return p.leastOf(nearest) }

// nearest is a bound for a body that others surround at the least distance: its terms add up to less than
// nearest times the largest term.
const nearest = 32

// leastOf returns the least distance at which share terms of the largest size add up exactly.
func (p LennardJones[T]) leastOf(share float64) T {
	if p.Quantum == 0 {
		return p.Sigma / 100
	}
	most := p.most(share)
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

// most returns the largest size of terms for which share terms add up exactly. The limit exists because a
// float64 holds multiples of the quantum only up to 2^53, and a float32 up to 2^24.
func (p LennardJones[T]) most(share float64) float64 {
	return math.Ldexp(float64(p.Quantum), mantissa[T]()) / share
}

// largest returns the largest term of a pair at a distance of at most Sigma: a force, an energy or a virial.
func (p LennardJones[T]) largest(r float64) float64 {
	s := float64(p.Sigma) / r
	s6 := float64(s * s * s * s * s * s)
	force := 24 * float64(p.Epsilon) * s6 * (2*s6 - 1) / r
	energy := float64(4*float64(p.Epsilon)*s6*(s6-1)) + float64(4*float64(p.Epsilon))
	return max(force, float64(force*r), energy)
}

// AddTo adds to force[i] the forces of all bodies within the cutoff on row i.
// The slices energy and virial are both nil, or both have the length of force. If they
// are not nil, AddTo also adds the energies of these pairs to energy[i], and their
// virials (distance times force) to virial[i]. A pair of rows is in the sums of both
// rows. So the energy of all pairs is half of the sum of energy, and the virial of all
// pairs is half of the sum of virial.
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
// With SwitchFrom, f and the energy u change as follows, where q = 1/(Cutoff^2 - SwitchFrom^2):
//
//	g = min((Cutoff^2 - r2)*q, 1)
//	w = g*g*(3 - 2*g)
//	f = f*w + (12*q*u)*(g*(1 - g))
//	u = u*w
//
// With Quantum, each of f*d, the energies and f*r2 is rounded to a multiple of
// it before it is added.
//
// It returns an error with ErrTooNear if two bodies are nearer than Least, and
// an error with ErrNotFinite if the position of a row or a body is not finite. It also
// returns an error if a force, an energy or a virial is too large for the type, or was not
// finite before. If it returns an error, do not use the forces and energies of these rows:
// some of them may be NaN. It panics if
// lengths differ, if a parameter is not valid, if Cutoff is larger than that of the
// list, or if a constant of the formula is too small or too large for the type, so that
// bits of it would be lost. For example, a float32 cannot hold the twelfth power of a
// Sigma of 1e-6, or the square of a Cutoff of 1e20. The square of Cutoff may be
// infinite only if Cutoff is infinite. In this case AddTo uses all pairs of the list.
//
// Shape: all lanes of force and of pairs.At, energy and virial have the same length.
// Alias: force, energy and virial must not overlap each other, pairs.At or
// pairs.All.
// Values: exact, in the order written.
func (p LennardJones[T]) AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs Pairs[T]) error {
	pairs.check("LennardJones.AddTo", force, energy, virial)
	p.check("LennardJones.AddTo", nearest)
	pairs.checkCutoff("LennardJones.AddTo", p.Cutoff)
	least := p.Least()
	c := p.constants(least)
	p.checkConstants("LennardJones.AddTo", &c)
	c[ljItself] = pairs.itself()
	addLennardJones(force, energy, virial, &pairs, &c)
	if pairs.divided() {
		rest := pairs.second()
		addLennardJones(force, energy, virial, &rest, &c)
	}
	return pairs.result("LennardJones.AddTo", force, energy, virial, func(int, int32) T { return least })
}

// addLennardJones adds the terms of a list.
func addLennardJones[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, pairs *Pairs[T], c *ljConstants[T]) {
	switch force := any(force).(type) {
	case *kernels.Vec3s[float32]:
		p, c := any(pairs).(*Pairs[float32]), any(c).(*ljConstants[float32])
		switch {
		case c[ljSwitch] != 0 && energy != nil:
			ljSwitchedEnergies32(force, laneOf[float32](energy), laneOf[float32](virial), &p.At, &p.All, p.Start, p.List, p.Width, (*[12]float32)(c))
		case c[ljSwitch] != 0:
			ljSwitched32(force, &p.At, &p.All, p.Start, p.List, p.Width, c[ljRound] != 0, (*[12]float32)(c))
		case energy != nil:
			ljEnergies32(force, laneOf[float32](energy), laneOf[float32](virial), &p.At, &p.All, p.Start, p.List, p.Width, (*[12]float32)(c))
		case c[ljRound] != 0:
			ljRounded32(force, &p.At, &p.All, p.Start, p.List, p.Width, (*[12]float32)(c))
		default:
			ljForces32(force, &p.At, &p.All, p.Start, p.List, p.Width, (*[12]float32)(c))
		}
	case *kernels.Vec3s[float64]:
		p, c := any(pairs).(*Pairs[float64]), any(c).(*ljConstants[float64])
		switch {
		case c[ljSwitch] != 0 && energy != nil:
			ljSwitchedEnergies64(force, laneOf[float64](energy), laneOf[float64](virial), &p.At, &p.All, p.Start, p.List, p.Width, (*[12]float64)(c))
		case c[ljSwitch] != 0:
			ljSwitched64(force, &p.At, &p.All, p.Start, p.List, p.Width, c[ljRound] != 0, (*[12]float64)(c))
		case energy != nil:
			ljEnergies64(force, laneOf[float64](energy), laneOf[float64](virial), &p.At, &p.All, p.Start, p.List, p.Width, (*[12]float64)(c))
		case c[ljRound] != 0:
			ljRounded64(force, &p.At, &p.All, p.Start, p.List, p.Width, (*[12]float64)(c))
		default:
			ljForces64(force, &p.At, &p.All, p.Start, p.List, p.Width, (*[12]float64)(c))
		}
	}
}

// check panics if a parameter is not valid. It also panics if share terms as large as those of a pair at the
// distance Sigma do not add up exactly.
func (p LennardJones[T]) check(name string, share float64) {
	if !(p.Epsilon >= 0 && p.Sigma > 0 && p.Cutoff > 0 && p.Quantum >= 0) || p.Quantum > 0 && !isPowerOfTwo(float64(p.Quantum)) {
		panic(fmt.Sprintf("forces: %s: Epsilon, Sigma, Cutoff and Quantum are %v, %v, %v and %v: lengths above 0, and a power of two or 0", name, p.Epsilon, p.Sigma, p.Cutoff, p.Quantum))
	}
	if from := p.SwitchFrom; from != 0 && !(from >= p.Sigma && from < p.Cutoff && !math.IsInf(float64(p.Cutoff), 0) && !p.Shifted) {
		panic(fmt.Sprintf("forces: %s: SwitchFrom is %v, with Sigma %v, Cutoff %v and Shifted %v: it is 0, or from Sigma to below a finite Cutoff, for an energy that is not shifted", name, from, p.Sigma, p.Cutoff, p.Shifted))
	}
	p.checkSquares(name)
	if far := p.farthest(); p.Quantum > 0 && far > p.most(share) {
		panic(fmt.Sprintf("forces: %s: Quantum is %v, and terms up to %v, those of a pair at Sigma or beyond, cannot be added up exactly: take a larger one", name, p.Quantum, far))
	}
}

// checkSquares panics if the type cannot hold the square of the cutoff, or the constants of the switch, which follow from squares. Without this
// check, some forces would be NaN or 0.
func (p LennardJones[T]) checkSquares(name string) {
	square := T(p.Cutoff * p.Cutoff)
	if math.IsInf(float64(square), 0) && !math.IsInf(float64(p.Cutoff), 0) {
		panic(fmt.Sprintf("forces: %s: Cutoff is %v, and %T cannot hold its square: take a smaller one, or an infinite one for all pairs of the list", name, p.Cutoff, square))
	}
	if p.SwitchFrom == 0 {
		return
	}
	q := 1 / (square - T(p.SwitchFrom*p.SwitchFrom))
	if most := float64(T(12 * q)); !(float64(q) >= leastNormal[T]() && !math.IsInf(most, 0)) {
		panic(fmt.Sprintf("forces: %s: SwitchFrom is %v and Cutoff is %v, so that 1/(Cutoff^2 - SwitchFrom^2) is %v, and %T holds too few bits of it or of 12 times it: take reduced units, in which Sigma is near 1, and a longer switch", name, p.SwitchFrom, p.Cutoff, q, q))
	}
}

// leastNormal returns the smallest positive normal number.
func leastNormal[T kernels.Float]() float64 {
	if mantissa[T]() == 53 {
		return 0x1p-1022
	}
	return 0x1p-126
}

// farthest returns an upper bound of the terms of pairs at distances of Sigma or more. If SwitchFrom is close to
// Cutoff, the switch adds a large force.
func (p LennardJones[T]) farthest() float64 {
	far := p.largest(float64(p.Sigma))
	if p.SwitchFrom > 0 {
		cutoff, from := float64(p.Cutoff), float64(p.SwitchFrom)
		far += 3 * float64(p.Epsilon) * max(cutoff, cutoff*cutoff) / ((cutoff - from) * (cutoff + from))
	}
	return far
}

// ljConstants holds the numbers that a kernel needs, at the indices below.
type ljConstants[T kernels.Float] [12]T

const (
	ljLeast       = iota // square of the least distance
	ljCutoff             // square of the cutoff
	ljForce12            // 48 ε σ^12
	ljForce6             // 24 ε σ^6
	ljRound              // x + ljRound - ljRound rounds x to a multiple of the quantum; 0 if terms are not rounded
	ljNaN                // of rows with pairs that are too near
	ljEnergy12           // 4 ε σ^12
	ljEnergy6            // 4 ε σ^6
	ljShift              // the energy of a pair at the cutoff, or 0
	ljSwitch             // 1/(cutoff^2 - from^2) of a switch, or 0
	ljSwitchForce        // 12 times this
	ljItself             // 1 if the lists do not contain the rows, otherwise 0
)

func (p LennardJones[T]) constants(least T) (c ljConstants[T]) {
	s2 := T(p.Sigma * p.Sigma)
	s6 := T(s2 * s2 * s2)
	c[ljLeast], c[ljCutoff] = T(least*least), T(p.Cutoff*p.Cutoff)
	c[ljForce12], c[ljForce6] = T(48*p.Epsilon*s6*s6), T(24*p.Epsilon*s6)
	c[ljEnergy12], c[ljEnergy6] = T(4*p.Epsilon*s6*s6), T(4*p.Epsilon*s6)
	c[ljRound] = roundingOf(p.Quantum)
	c[ljNaN] = T(math.NaN())
	if p.SwitchFrom > 0 {
		c[ljSwitch] = 1 / (c[ljCutoff] - T(p.SwitchFrom*p.SwitchFrom))
		c[ljSwitchForce] = T(12 * c[ljSwitch])
	}
	if p.Shifted {
		v := 1 / c[ljCutoff]
		s := T(v * v * v)
		c[ljShift] = T((T(c[ljEnergy12]*s) - c[ljEnergy6]) * s)
	}
	return c
}

// checkConstants panics if a constant has lost bits by underflow, or is infinite. Without this check, the forces would be wrong without
// any sign of it.
func (p LennardJones[T]) checkConstants(name string, c *ljConstants[T]) {
	if p.Epsilon == 0 {
		return
	}
	for k, constant := range [...]string{ljForce12: "48*Epsilon*Sigma^12", ljForce6: "24*Epsilon*Sigma^6", ljEnergy12: "4*Epsilon*Sigma^12", ljEnergy6: "4*Epsilon*Sigma^6"} {
		if constant != "" {
			p.checkConstant(name, constant, c[k])
		}
	}
	p.checkConstant(name, "24*Epsilon/Sigma^2", T(T(24*p.Epsilon)/T(p.Sigma*p.Sigma))) // f for a pair at the distance Sigma
}

func (p LennardJones[T]) checkConstant(name, constant string, x T) {
	if !isNormal(x) {
		panic(fmt.Sprintf("forces: %s: Epsilon is %v and Sigma is %v, so that %s is %v, and %T holds too few bits of it: take reduced units, in which Epsilon and Sigma are near 1", name, p.Epsilon, p.Sigma, constant, x, x))
	}
}

// isNormal reports whether a number above 0 is finite and has all bits of its type.
func isNormal[T kernels.Float](x T) bool { return float64(x) >= leastNormal[T]() && x-x == 0 }
