package forces

import "github.com/lanewise/lanewise/kernels"

// lennardJones adds forces.
//
//lanec:kernel ljForces32[float32]
//lanec:kernel ljForces64[float64]
func lennardJones[T kernels.Float](force, at, all *kernels.Vec3s[T], start, list []int32, width int, c *[12]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz T
		itself := c[ljItself]
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

// lennardJonesRounded adds forces whose terms are rounded to multiples of the quantum.
//
//lanec:kernel ljRounded32[float32]
//lanec:kernel ljRounded64[float64]
func lennardJonesRounded[T kernels.Float](force, at, all *kernels.Vec3s[T], start, list []int32, width int, c *[12]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz T
		itself := c[ljItself]
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
func lennardJonesEnergies[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, at, all *kernels.Vec3s[T], start, list []int32, width int, c *[12]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz, e, w T
		itself := c[ljItself]
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

// switchedPair returns two numbers for a pair of a potential with a switch: the force divided by the distance, and
// the energy.
func switchedPair[T kernels.Float](r2, cutoff, force12, force6, energy12, energy6, q, q12 T) (f, u T) {
	v := 1 / r2
	s := T(v * v * v)
	f = (T(force12*s) - force6) * s * v
	u = T((T(energy12*s) - energy6) * s)
	g := min(T((cutoff-r2)*q), 1)
	w := g * g * (3 - T(2*g))
	return T(f*w) + T(q12*u*(g*(1-g))), T(u * w)
}

// lennardJonesSwitched adds forces of a potential with a switch. If round is set, the terms are
// rounded to multiples of the quantum.
//
//lanec:kernel ljSwitched32[float32]
//lanec:kernel ljSwitched64[float64]
func lennardJonesSwitched[T kernels.Float](force, at, all *kernels.Vec3s[T], start, list []int32, width int, round bool, c *[12]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz T
		itself := c[ljItself]
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f T
			if r2 < c[ljLeast] {
				itself++
			} else if r2 < c[ljCutoff] {
				f, _ = switchedPair(r2, c[ljCutoff], c[ljForce12], c[ljForce6], c[ljEnergy12], c[ljEnergy6], c[ljSwitch], c[ljSwitchForce])
			}
			px, py, pz := T(f*dx), T(f*dy), T(f*dz)
			if round {
				px, py, pz = (px+c[ljRound])-c[ljRound], (py+c[ljRound])-c[ljRound], (pz+c[ljRound])-c[ljRound]
			}
			fx += px
			fy += py
			fz += pz
		}
		if itself != 1 {
			fx, fy, fz = c[ljNaN], c[ljNaN], c[ljNaN]
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
	}
}

// lennardJonesSwitchedEnergies adds forces, energies and virials, with terms that are rounded unless c[ljRound] is 0.
//
//lanec:kernel ljSwitchedEnergies32[float32]
//lanec:kernel ljSwitchedEnergies64[float64]
func lennardJonesSwitchedEnergies[T kernels.Float](force *kernels.Vec3s[T], energy, virial []T, at, all *kernels.Vec3s[T], start, list []int32, width int, c *[12]T) {
	for i := range force.X {
		x, y, z := at.X[i], at.Y[i], at.Z[i]
		var fx, fy, fz, e, w T
		itself := c[ljItself]
		for _, k := range list[start[i/width]:start[i/width+1]] {
			dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			var f, u T
			if r2 < c[ljLeast] {
				itself++
			} else if r2 < c[ljCutoff] {
				f, u = switchedPair(r2, c[ljCutoff], c[ljForce12], c[ljForce6], c[ljEnergy12], c[ljEnergy6], c[ljSwitch], c[ljSwitchForce])
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
