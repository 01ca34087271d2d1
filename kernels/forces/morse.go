package forces

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Morse is the potential of Morse with a cutoff. At a distance r below Cutoff,
// the energy of a pair is
//
//	Depth*(e^2 - 2*e), where e = exp(Alpha*(Rest - r))
//
// and it is 0 beyond. Its least value is -Depth, at the distance Rest. If Shifted
// is set, the energy at the cutoff is subtracted from it; the forces are the
// same.
//
// Quantum has the same meaning as in [LennardJones]: if it is set, no sum depends on
// the order of its terms. For example, with float64, Depth and Rest 1, Alpha 6, Cutoff
// 2.5 and Quantum 2^-36 the least distance of a pair is 0.504.
//
// Source: P. M. Morse, Physical Review 34 (1929).
type Morse[T kernels.Float] struct {
	Depth, Alpha, Rest, Cutoff T
	Shifted                    bool
	Quantum                    T
}

// Least returns the least distance that a pair may have. It is a hundredth of
// Rest, so that no force loses its direction. For sums of quanta, the least distance
// may be larger, because at smaller distances the terms are so large that the sum of a
// row might not be exact.
func (p Morse[T]) Least() T {
	least := float64(p.Rest) / 100
	if p.Quantum == 0 || p.addsUp(least) {
		return T(least)
	}
	near, far := least, float64(p.Rest)
	for range 60 {
		if middle := float64((near + far) / 2); p.addsUp(middle) {
			far = middle
		} else {
			near = middle
		}
	}
	return T(far * (1 + 0x1p-20))
}

// addsUp reports whether the terms of a body add up exactly if no two bodies are nearer than r, which is at most Rest.
//
// A shell of the radius k*r contains less than 24*k^2+2 bodies. The repulsion of each body in it is less
// than q^(k-1) times that of a body at the distance r. Summed over all shells, these factors are
// 24*(1+q)/(1-q)^3 + 2/(1-q). The attraction of each body within the cutoff is added.
func (p Morse[T]) addsUp(r float64) bool {
	depth, alpha, cutoff := float64(p.Depth), float64(p.Alpha), float64(p.Cutoff)
	e := kernels.ExpOf(alpha * (float64(p.Rest) - r))
	q := kernels.ExpOf(-2 * alpha * r)
	shells := 24*(1+q)/((1-q)*(1-q)*(1-q)) + 2/(1-q)
	largest := depth * e * e * max(1, 2*alpha, 2*alpha*float64(p.Rest))
	wide := 2*cutoff/r + 1
	attraction := depth * max(2, alpha/2, alpha/2*cutoff)
	return float64(shells*largest)+float64(wide*wide*wide*attraction) <= math.Ldexp(float64(p.Quantum), mantissa[T]())
}

// AddTo adds to force[i] the forces of all bodies within the cutoff on row i.
// Energies, virials, errors and panics are the same as for [LennardJones.AddTo].
//
//	d = at[i] - all[k]
//	r2 = (d.x*d.x + d.y*d.y) + d.z*d.z
//	r = √r2
//	e = exp(Alpha*(Rest-r))
//	f = 2*Alpha*Depth*e*(e - 1)/r
//	force[i] = force[i] + ((f*d of the first k + f*d of the second) + …)
//	energy[i] = energy[i] + ((Depth*e*(e - 2) - shift of the first k) + …)
//	virial[i] = virial[i] + ((f*r2 of the first k) + …)
//
// With Quantum, each of f*d, the energies and f*r2 is rounded to a multiple of it
// before it is added. AddTo panics if sums might not be exact even if no pair is nearer
// than Rest. In this case use a larger Quantum. It also panics if a constant of the formula, or a square of a distance, is too small or too
// large for the type.
//
// Shape: all lanes of force and of pairs.At, energy and virial have the same length.
// Alias: force, energy and virial must not overlap each other, pairs.At or
// pairs.All.
// Values: exact, in the order written, with the exponential of kernels.Exp.
func (p Morse[T]) AddTo(force *kernels.Vec3s[T], energy, virial []T, pairs Pairs[T]) error {
	const name = "Morse.AddTo"
	pairs.check(name, force, energy, virial)
	if !(p.Depth >= 0 && p.Alpha > 0 && p.Rest > 0 && p.Cutoff > 0 && p.Quantum >= 0) || p.Quantum > 0 && !isPowerOfTwo(float64(p.Quantum)) {
		panic(fmt.Sprintf("forces: %s: Depth, Alpha, Rest, Cutoff and Quantum are %v, %v, %v, %v and %v: numbers above 0, and a power of two or 0", name, p.Depth, p.Alpha, p.Rest, p.Cutoff, p.Quantum))
	}
	if p.Quantum > 0 && !p.addsUp(float64(p.Rest)) {
		panic(fmt.Sprintf("forces: %s: Quantum is %v, and terms of pairs at Rest or beyond, up to the cutoff of %v, cannot be added up exactly: take a larger one", name, p.Quantum, p.Cutoff))
	}
	p.checkConstants(name)
	pairs.checkCutoff(name, p.Cutoff)
	least := p.Least()
	c := p.constants(least)
	c[morseItself] = pairs.itself()
	addMorse(force, energy, virial, &pairs, &c)
	if pairs.divided() {
		rest := pairs.second()
		addMorse(force, energy, virial, &rest, &c)
	}
	return pairs.result(name, force, energy, virial, func(int, int32) T { return least })
}

// checkConstants panics if the type holds too few bits of a number that the formula needs. Without this check, some forces would
// be wrong or 0.
func (p Morse[T]) checkConstants(name string) {
	check := func(what string, x T) {
		if !isNormal(x) {
			panic(fmt.Sprintf("forces: %s: Depth, Alpha, Rest and Cutoff are %v, %v, %v and %v, so that %s is %v, and %T holds too few bits of it: take reduced units, in which they are near 1", name, p.Depth, p.Alpha, p.Rest, p.Cutoff, what, x, x))
		}
	}
	if !math.IsInf(float64(p.Cutoff), 0) {
		check("Cutoff^2", T(p.Cutoff*p.Cutoff))
	}
	check("(Rest/100)^2", T(T(p.Rest/100)*T(p.Rest/100)))
	if p.Depth > 0 { // the largest force, and this divided by a distance at which it acts
		slope := T(2 * p.Alpha * p.Depth)
		check("2*Alpha*Depth", slope)
		check("2*Alpha*Depth/Rest", slope/p.Rest)
		check("2*Alpha^2*Depth", T(slope*p.Alpha))
	}
}

// addMorse adds the terms of a list.
func addMorse[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, pairs *Pairs[T], c *[morseConstants]T) {
	switch force := any(force).(type) {
	case *kernels.Vec3s[float32]:
		p, c := any(pairs).(*Pairs[float32]), any(c).(*[morseConstants]float32)
		if energy != nil {
			morseEnergies32(force, laneOf[float32](energy), laneOf[float32](virial), &p.At, &p.All, p.Start, p.List, p.Width, c)
		} else {
			morseForces32(force, &p.At, &p.All, p.Start, p.List, p.Width, c[morseRound] != 0, c)
		}
	case *kernels.Vec3s[float64]:
		p, c := any(pairs).(*Pairs[float64]), any(c).(*[morseConstants]float64)
		if energy != nil {
			morseEnergies64(force, laneOf[float64](energy), laneOf[float64](virial), &p.At, &p.All, p.Start, p.List, p.Width, c)
		} else {
			morseForces64(force, &p.At, &p.All, p.Start, p.List, p.Width, c[morseRound] != 0, c)
		}
	}
}

// These are the indices of the numbers that a kernel needs.
const (
	morseLeast  = iota // square of the least distance
	morseCutoff        // square of the cutoff
	morseAlpha
	morseRest
	morseForce // 2 α D
	morseDepth
	morseShift // the energy of a pair at the cutoff, or 0
	morseRound // as ljRound
	morseNaN
	morseItself // as ljItself
	morseConstants
)

func (p Morse[T]) constants(least T) (c [morseConstants]T) {
	c[morseLeast], c[morseCutoff] = T(least*least), T(p.Cutoff*p.Cutoff)
	c[morseAlpha], c[morseRest], c[morseForce], c[morseDepth] = p.Alpha, p.Rest, T(2*p.Alpha*p.Depth), p.Depth
	c[morseRound] = roundingOf(p.Quantum)
	c[morseNaN] = T(math.NaN())
	if p.Shifted {
		e := kernels.ExpOf(T(p.Alpha * (p.Rest - p.Cutoff)))
		c[morseShift] = T(p.Depth * e * (e - 2))
	}
	return c
}

// morseForcesOf adds forces. If round is set, the terms are rounded to multiples of the quantum.
//
//lanec:kernel morseForces32[float32]
//lanec:kernel morseForces64[float64]
func morseForcesOf[T kernels.Float](force, at, all *kernels.Vec3s[T], start, list []int32, width int, round bool, c *[morseConstants]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz T
		itself := c[morseItself]
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f T
			if r2 < c[morseLeast] {
				itself++
			} else if r2 < c[morseCutoff] {
				r := T(math.Sqrt(float64(r2)))
				e := kernels.ExpOf(T(c[morseAlpha] * (c[morseRest] - r)))
				f = c[morseForce] * e * (e - 1) / r
			}
			px, py, pz := T(f*dx), T(f*dy), T(f*dz)
			if round {
				px, py, pz = (px+c[morseRound])-c[morseRound], (py+c[morseRound])-c[morseRound], (pz+c[morseRound])-c[morseRound]
			}
			fx += px
			fy += py
			fz += pz
		}
		if itself != 1 {
			fx, fy, fz = c[morseNaN], c[morseNaN], c[morseNaN]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
	}
}

// morseEnergiesOf adds forces, energies and virials, with terms that are rounded unless c[morseRound] is 0.
//
//lanec:kernel morseEnergies32[float32]
//lanec:kernel morseEnergies64[float64]
func morseEnergiesOf[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, at, all *kernels.Vec3s[T], start, list []int32, width int, c *[morseConstants]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz, sum, w T
		itself := c[morseItself]
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f, u T
			if r2 < c[morseLeast] {
				itself++
			} else if r2 < c[morseCutoff] {
				r := T(math.Sqrt(float64(r2)))
				e := kernels.ExpOf(T(c[morseAlpha] * (c[morseRest] - r)))
				f = c[morseForce] * e * (e - 1) / r
				u = T(c[morseDepth]*e*(e-2)) - c[morseShift]
			}
			fx += (T(f*dx) + c[morseRound]) - c[morseRound]
			fy += (T(f*dy) + c[morseRound]) - c[morseRound]
			fz += (T(f*dz) + c[morseRound]) - c[morseRound]
			sum += (u + c[morseRound]) - c[morseRound]
			w += (T(f*r2) + c[morseRound]) - c[morseRound]
		}
		if itself != 1 {
			fx, fy, fz, sum, w = c[morseNaN], c[morseNaN], c[morseNaN], c[morseNaN], c[morseNaN]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
		energy[i] += sum
		virial[i] += w
	}
}
