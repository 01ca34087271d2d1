package main

import "github.com/lanewise/lanewise/kernels"

//go:generate go run ../../cmd/lanec

type vecs = kernels.Vec3s[float64]

// pull sets, for each atom, the sum of the Lennard-Jones forces of its neighbours and the sum of their pair energies. The neighbours
// of atom i are list[start[i]:start[i+1]], which are atoms of all. Pairs beyond the cutoff add nothing; shift is the energy at the
// cutoff, so that the energy of a pair has no step there.
//
//lanec:kernel Pull
func pull(acc *vecs, energy []float64, pos, all *vecs, start, list []int32, side, cutoff2, shift float64) {
	for i := range energy {
		x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
		var ax, ay, az, e float64
		for j := start[i]; j < start[i+1]; j++ {
			k := list[j]
			dx, dy, dz := nearest(x-all.X[k], side), nearest(y-all.Y[k], side), nearest(z-all.Z[k], side)
			r2 := (float64(dx*dx) + float64(dy*dy)) + float64(dz*dz)
			if r2 < cutoff2 {
				s2 := 1 / r2
				s6 := float64(s2 * s2 * s2)
				f := 24 * s2 * s6 * (2*s6 - 1)
				ax += float64(f * dx)
				ay += float64(f * dy)
				az += float64(f * dz)
				e += float64(4*s6*(s6-1)) - shift
			}
		}
		acc.X[i], acc.Y[i], acc.Z[i] = ax, ay, az
		energy[i] = e
	}
}

// nearest returns the minimum image of a difference of coordinates in a periodic box: the shortest of d, d-side and d+side.
func nearest(d, side float64) float64 {
	if d > side/2 {
		return d - side
	}
	if d < -side/2 {
		return d + side
	}
	return d
}
