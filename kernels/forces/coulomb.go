package forces

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Coulomb is the electrostatic potential between charged bodies, with a cutoff. Pairs.Charges has the
// charge of each body. At a distance r below Cutoff, the energy of two bodies with the charges p and q is
//
//	Constant*p*q/r
//
// and it is 0 beyond. Constant is the energy of two charges of 1 at the distance 1. For example, it is 332.06371 if
// energies are in kcal/mol, lengths in Å, and charges are those of protons.
//
// If Shifted is set, the energy at the cutoff is subtracted from that of each pair, so that the energy has no
// step at the cutoff. If ForceShifted is set, the force at the cutoff is subtracted from each force, and energies
// change accordingly. So neither energy nor force has a step, and the total energy drifts less.
//
// Damping is the parameter α of Wolf's sum, an inverse length. If it is not 0, the energy is
//
//	Constant*p*q*erfc(Damping*r)/r
//
// With Shifted, the energy of all pairs is then the sum of Wolf, which converges quickly to the energy of all
// charges of a neutral system in a periodic box. Two errors remain: the sum beyond the cutoff, which is
// proportional to erfc(Damping*Cutoff), and that of the damping, which grows like exp(-k^2/(4*Damping^2)), where 2π/k is the longest
// wavelength of the charges. A Damping*Cutoff of about 3 is usual. With ForceShifted, the energy is that of Fennell and
// Gezelter. With neither of the two, it is the real-space part of an Ewald sum and its self energy.
//
// Quantum has the same meaning as in [LennardJones]: if it is set, no sum depends on the order of its
// terms. In this case, MaxCharge must be the largest absolute value of a charge, because the least distance of two bodies depends on it.
//
// If PairsOnly is set, the terms of the rows themselves are left out, and the list of a row must not contain the row. Use it to change
// the terms of some pairs: for example, with half of the Constant and the other sign, only half of their terms remain. A list of
// such pairs has a Width of 1 and both directions of each pair: row i is in the list of row k, and row k in that of row i. In a
// periodic space, the list has the image that is near the row. The list may be empty for a row. With Quantum, the result is
// exactly the sum of the rounded terms. To leave out the pairs of bonded bodies, use [Exclusions].
//
// Source: D. Wolf and others, Journal of Chemical Physics 110 (1999); C. J. Fennell and J. D. Gezelter, Journal of
// Chemical Physics 124 (2006).
type Coulomb[T kernels.Float] struct {
	Constant, Cutoff, Damping T
	Shifted, ForceShifted     bool
	PairsOnly                 bool // no energy of a row itself
	Quantum, MaxCharge        T
}

// Least returns the least distance that a pair may have. Without Quantum, it is 2^-300 for float64 and 2^-30 for
// float32, so that no force overflows. For sums of quanta, at smaller distances the sum of a row might not be
// exact.
func (p Coulomb[T]) Least() T {
	if p.Quantum == 0 {
		if mantissa[T]() == 53 {
			return T(math.Ldexp(1, -300))
		}
		return 0x1p-30
	}
	// Bodies at least r apart from each other are less than (2*R/r + 1)^3 <= 27*(R/r)^3 up to the distance R. Terms are at
	// most a/R^2 (forces), and a/R (energies and virials), where a is Constant*MaxCharge^2. The sum of decreasing terms t(R) is at most
	// the integral of -t' times the number of bodies, plus t(Cutoff) times this number at the cutoff. It is 81*a*Cutoff/r^3, or
	// 40.5*a*Cutoff^2/r^3.
	c, cutoff := p.constants(1), float64(p.Cutoff)
	a := math.Abs(float64(p.Constant)) * float64(float64(p.MaxCharge)*float64(p.MaxCharge))
	most := math.Ldexp(float64(p.Quantum), mantissa[T]()) - float64(math.Abs(float64(c[coulombSelf]))*float64(float64(p.MaxCharge)*float64(p.MaxCharge)))
	if most <= 0 {
		return T(math.Inf(1))
	}
	return T(kernels.CbrtOf(a*max(81*cutoff, 40.5*cutoff*cutoff)/most) * (1 + 0x1p-10))
}

// AddTo adds to force[i] the forces of all bodies within the cutoff on row i.
// Energies, virials and errors are the same as for [LennardJones.AddTo]. The energy of a row also has a term of the row
// itself, unless PairsOnly is set. Because half of the sum of all energies is the total energy, this term is twice the self
// energy of Wolf.
//
//	d = at[i] - all[k]
//	r2 = (d.x*d.x + d.y*d.y) + d.z*d.z
//	v = 1/√r2
//	q = Constant*(charge[i]*charge[k])
//	e = erfc(Damping*√r2)*v, or v without Damping
//	g = 2*Damping/√π
//	f = q*((e + g*exp(-(Damping*√r2)^2))*(v*v) - t*v)
//	force[i] = force[i] + ((f*d of the first k + f*d of the second) + …)
//	energy[i] = energy[i] + ((-(s + g)*Constant*(charge[i]*charge[i]) + q*((e - s) + t*√r2) of the first k) + …)
//	virial[i] = virial[i] + ((f*r2 of the first k) + …)
//
// With Shifted, s is e at the cutoff, and t is 0. With ForceShifted, t is the force at the cutoff for q = 1, and s is e
// at the cutoff + t*Cutoff. Otherwise both are 0. If Damping, s and t are 0, f is q*v*(v*v), and the energy is q*v.
//
// With Quantum, each of f*d, the energies and f*r2 is rounded to a multiple of it before it is added.
//
// It panics if a parameter is not valid, if pairs.Charges does not have a charge for each body, if a charge is not finite, or,
// with Quantum, if a charge is larger than MaxCharge or Least is not below the cutoff. With Quantum or Damping, the cutoff must be finite. It
// also panics if the square of the largest charge, or of the cutoff, is too small for the type. For example, a float32 cannot hold the
// square of a charge in coulombs. With an infinite cutoff, a pair adds 0 if f is too small for the type.
//
// Shape: all lanes of force and of pairs.At, energy and virial have the same length. All lanes of pairs.All and pairs.Charges have the same
// length too.
// Alias: force, energy and virial must not overlap each other, pairs.At, pairs.All or pairs.Charges.
// Values: exact, in the order written, with the functions of kernels.Erfc and kernels.Exp.
func (p Coulomb[T]) AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs Pairs[T]) error {
	const name = "Coulomb.AddTo"
	pairs.check(name, force, energy, virial)
	p.check(name)
	pairs.checkCutoff(name, p.Cutoff)
	pairs.noSelf = pairs.noSelf || p.PairsOnly
	own, largest := pairs.checkCharges(name, p.MaxCharge)
	p.checkProducts(name, largest)
	least := p.Least()
	c := p.constants(least)
	c[coulombItself] = pairs.itself()
	addCoulomb(force, energy, virial, &pairs, own, &c)
	if pairs.divided() {
		rest := pairs.second()
		c[coulombSelf] = 0 // added with the first list
		addCoulomb(force, energy, virial, &rest, own, &c)
	}
	return pairs.result(name, force, energy, virial, func(int, int32) T { return least })
}

// addCoulomb adds the terms of a list. own has the charges of the rows.
func addCoulomb[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, pairs *Pairs[T], own []T, c *[coulombConstants]T) {
	switch force := any(force).(type) {
	case *kernels.Vec3s[float32]:
		p, c, own := any(pairs).(*Pairs[float32]), any(c).(*[coulombConstants]float32), laneOf[float32](own)
		damped := c[coulombDamping] != 0 || c[coulombShift] != 0
		if energy != nil {
			coulombEnergies32(force, laneOf[float32](energy), laneOf[float32](virial), &p.At, &p.All, own, p.Charges, p.Start, p.List, p.Width, damped, c)
		} else {
			coulombForces32(force, &p.At, &p.All, own, p.Charges, p.Start, p.List, p.Width, c[coulombRound] != 0, damped, c)
		}
	case *kernels.Vec3s[float64]:
		p, c, own := any(pairs).(*Pairs[float64]), any(c).(*[coulombConstants]float64), laneOf[float64](own)
		damped := c[coulombDamping] != 0 || c[coulombShift] != 0
		if energy != nil {
			coulombEnergies64(force, laneOf[float64](energy), laneOf[float64](virial), &p.At, &p.All, own, p.Charges, p.Start, p.List, p.Width, damped, c)
		} else {
			coulombForces64(force, &p.At, &p.All, own, p.Charges, p.Start, p.List, p.Width, c[coulombRound] != 0, damped, c)
		}
	}
}

// check panics if a parameter is not valid.
func (p Coulomb[T]) check(name string) {
	if !(p.Constant-p.Constant == 0 && p.Cutoff > 0 && p.Damping >= 0 && p.Quantum >= 0) || p.Quantum > 0 && !isPowerOfTwo(float64(p.Quantum)) {
		panic(fmt.Sprintf("forces: %s: Constant, Cutoff, Damping and Quantum are %v, %v, %v and %v: a finite number, a length above 0, a number of at least 0, and a power of two or 0", name, p.Constant, p.Cutoff, p.Damping, p.Quantum))
	}
	square, damped := T(p.Cutoff*p.Cutoff), T(p.Damping*p.Cutoff)
	if infinite := math.IsInf(float64(p.Cutoff), 0); infinite && (p.Damping > 0 || p.Quantum > 0) || !infinite && (square-square != 0 || damped-damped != 0) {
		panic(fmt.Sprintf("forces: %s: Cutoff is %v, with Damping %v and Quantum %v: it is infinite only without both, and otherwise its square and its product with Damping are numbers of the type %T", name, p.Cutoff, p.Damping, p.Quantum, square))
	}
	// Pairs near the cutoff need the square, and with damping or a shift also the third power of its inverse.
	if v := 1 / p.Cutoff; v > 0 && (!isNormal(square) || (p.Damping > 0 || p.Shifted || p.ForceShifted) && !isNormal(T(T(v*v)*v))) {
		panic(fmt.Sprintf("forces: %s: Cutoff is %v, and %T holds too few bits of its square, or of 1/Cutoff^3: take units in which distances are near 1", name, p.Cutoff, square))
	}
	if p.Quantum == 0 {
		return
	}
	if !(p.MaxCharge > 0) || math.IsInf(float64(p.MaxCharge), 0) {
		panic(fmt.Sprintf("forces: %s: MaxCharge is %v: with a Quantum, it is the largest absolute value of a charge", name, p.MaxCharge))
	}
	if least := p.Least(); !(least < p.Cutoff) {
		panic(fmt.Sprintf("forces: %s: Quantum is %v, and terms of pairs nearer than %v, with charges up to MaxCharge, %v, cannot be added up exactly, and Cutoff is %v: take a larger one", name, p.Quantum, least, p.MaxCharge, p.Cutoff))
	}
}

// checkCharges returns the charges of the rows. It panics if a charge is not finite, or larger than most if most is not 0. A part that
// begins with the first row also checks the charges of the images, and returns the largest absolute value of a charge. For another part,
// largest is 0, because all charges of a part may be small.
func (p *Pairs[T]) checkCharges(name string, most T) (own []T, largest T) {
	if n := len(p.All.X); len(p.Charges) != n || p.first+len(p.At.X) > n {
		panic(fmt.Sprintf("forces: %s: len(pairs.Charges) is %d, len(pairs.All.X) is %d, and the rows are %d to %d: each body has a charge, and the first bodies are the rows", name, len(p.Charges), n, p.first, p.first+len(p.At.X)))
	}
	own = p.Charges[p.first : p.first+len(p.At.X)]
	checked := own
	if p.first == 0 {
		checked = p.Charges
	}
	for i, q := range checked {
		if q-q != 0 || most > 0 && (q > most || q < -most) {
			panic(fmt.Sprintf("forces: %s: pairs.Charges[%d] is %v, and MaxCharge is %v: a charge is finite, and its absolute value is at most MaxCharge unless this is 0", name, p.first+i, q, most))
		}
		largest = max(largest, q, -q)
	}
	if p.first > 0 {
		largest = 0
	}
	return own, largest
}

// checkProducts panics if products of the largest charge, most, lose bits, for example those of charges in coulombs as float32.
func (p Coulomb[T]) checkProducts(name string, most T) {
	if most == 0 || p.Constant == 0 {
		return
	}
	square, least := float64(most)*float64(most), leastNormal[T]()
	energy, far := square*math.Abs(float64(p.Constant)), math.Inf(1)
	if cutoff := float64(p.Cutoff); !math.IsInf(cutoff, 0) {
		far = energy / cutoff / cutoff / cutoff
	}
	for _, c := range [...]struct {
		name     string
		x, least float64
	}{
		{"its square", square, math.Ldexp(least, mantissa[T]())}, // so that only products that are less than an ulp of this one lose bits
		{"Constant times its square", energy, math.Ldexp(least, mantissa[T]())},
		{"Constant times its square, divided by Cutoff^3,", far, least},
	} {
		if c.x < c.least {
			panic(fmt.Sprintf("forces: %s: the largest of pairs.Charges is %v, Constant is %v and Cutoff is %v, so that %s is %v, and %T holds too few bits of it: take units in which charges are near 1, for example that of a proton", name, most, p.Constant, p.Cutoff, c.name, c.x, most))
		}
	}
}

// These are the indices of the numbers that a kernel needs.
const (
	coulombLeast   = iota // square of the least distance
	coulombCutoff         // square of the cutoff
	coulombScale          // Constant
	coulombDamping        // α
	coulombGauss          // 2α/√π
	coulombShift          // s of AddTo
	coulombSlope          // t of AddTo
	coulombSelf           // the factor of the square of a charge in its own energy
	coulombItself         // 1 if the lists do not contain the rows, otherwise 0
	coulombRound          // as ljRound
	coulombNaN
	coulombConstants
)

func (p Coulomb[T]) constants(least T) (c [coulombConstants]T) {
	c[coulombLeast], c[coulombCutoff] = T(least*least), T(p.Cutoff*p.Cutoff)
	c[coulombScale], c[coulombDamping], c[coulombGauss] = p.Constant, p.Damping, T(p.Damping*(2/math.SqrtPi))
	if p.Shifted || p.ForceShifted {
		v, x := 1/p.Cutoff, T(p.Damping*p.Cutoff)
		if math.IsInf(float64(p.Cutoff), 0) {
			x = 0
		}
		e := T(kernels.ErfcOf(x) * v)
		c[coulombShift] = e
		if p.ForceShifted && v > 0 {
			t := T((e + T(c[coulombGauss]*kernels.ExpOf(-T(x*x)))) * v)
			c[coulombSlope], c[coulombShift] = t, e+T(t*p.Cutoff)
		}
	}
	if !p.PairsOnly {
		c[coulombSelf] = -T((c[coulombShift] + c[coulombGauss]) * p.Constant)
	}
	c[coulombRound] = roundingOf(p.Quantum)
	c[coulombNaN] = T(math.NaN())
	return c
}

// coulombForcesOf adds forces. If round is set, the terms are rounded to multiples of the quantum. If damped is not set, the
// damping and all shifts are 0.
//
//lanec:kernel coulombForces32[float32]
//lanec:kernel coulombForces64[float64]
func coulombForcesOf[T kernels.Float](force, at, all *kernels.Vec3s[T], charge, charges []T, start, list []int32, width int, round, damped bool, c *[coulombConstants]T) {
	for i := range force.X {
		x, y, z, own := at.X[i], at.Y[i], at.Z[i], charge[i]
		var fx, fy, fz T
		itself := c[coulombItself]
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f T
			if r2 < c[coulombLeast] {
				itself++
			} else if r2 < c[coulombCutoff] {
				q := c[coulombScale] * (own * charges[k])
				r := T(math.Sqrt(float64(r2)))
				v := 1 / r
				if damped {
					a := T(c[coulombDamping] * r)
					e := T(kernels.ErfcOf(a) * v)
					f = T(q * (T((e+T(c[coulombGauss]*kernels.ExpOf(-T(a*a))))*(v*v)) - T(c[coulombSlope]*v)))
				} else {
					f = T(q * v * (v * v))
				}
			}
			px, py, pz := T(f*dx), T(f*dy), T(f*dz)
			if round {
				px, py, pz = (px+c[coulombRound])-c[coulombRound], (py+c[coulombRound])-c[coulombRound], (pz+c[coulombRound])-c[coulombRound]
			}
			fx += px
			fy += py
			fz += pz
		}
		if itself != 1 {
			fx, fy, fz = c[coulombNaN], c[coulombNaN], c[coulombNaN]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
	}
}

// coulombEnergiesOf adds forces, energies and virials, with terms that are rounded unless c[coulombRound] is 0.
//
//lanec:kernel coulombEnergies32[float32]
//lanec:kernel coulombEnergies64[float64]
func coulombEnergiesOf[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, at, all *kernels.Vec3s[T], charge, charges []T, start, list []int32, width int, damped bool, c *[coulombConstants]T) {
	for i := range force.X {
		x, y, z, own := at.X[i], at.Y[i], at.Z[i], charge[i]
		var fx, fy, fz, w T
		itself := c[coulombItself]
		sum := (T(c[coulombSelf]*(own*own)) + c[coulombRound]) - c[coulombRound]
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f, u T
			if r2 < c[coulombLeast] {
				itself++
			} else if r2 < c[coulombCutoff] {
				q := c[coulombScale] * (own * charges[k])
				r := T(math.Sqrt(float64(r2)))
				v := 1 / r
				if damped {
					a := T(c[coulombDamping] * r)
					e := T(kernels.ErfcOf(a) * v)
					f = T(q * (T((e+T(c[coulombGauss]*kernels.ExpOf(-T(a*a))))*(v*v)) - T(c[coulombSlope]*v)))
					u = T(q * ((e - c[coulombShift]) + T(c[coulombSlope]*r)))
				} else {
					f = T(q * v * (v * v))
					u = T(q * v)
				}
			}
			fx += (T(f*dx) + c[coulombRound]) - c[coulombRound]
			fy += (T(f*dy) + c[coulombRound]) - c[coulombRound]
			fz += (T(f*dz) + c[coulombRound]) - c[coulombRound]
			sum += (u + c[coulombRound]) - c[coulombRound]
			w += (T(f*r2) + c[coulombRound]) - c[coulombRound]
		}
		if itself != 1 {
			fx, fy, fz, sum, w = c[coulombNaN], c[coulombNaN], c[coulombNaN], c[coulombNaN], c[coulombNaN]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
		energy[i] += sum
		virial[i] += w
	}
}
