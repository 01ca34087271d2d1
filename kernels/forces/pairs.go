package forces

import (
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// ErrTooNear is wrapped by the error for two bodies that are so near to each other that their terms are
// too large for a sum.
var ErrTooNear = errors.New("take shorter steps, start with the pair farther apart, or take a larger Quantum if there is one")

// ErrNotFinite is wrapped by the error for a row or a body whose position is not finite.
var ErrNotFinite = errors.New("a coordinate is not finite: take shorter steps, or look for two bodies in one place")

// Pairs is a cluster pair list, which says which bodies may be near which rows. For
// example, near.Clusters makes such lists. Width consecutive rows of At share a part of
// the list. For row i, this part is list[start[i/Width]:start[i/Width+1]]. It contains
// indices of bodies in All. Exactly one of these bodies is the row itself. With Coulomb.PairsOnly, and
// in the lists of Exclusions.From, none is.
type Pairs[T kernels.Float] struct {
	At    kernels.Vec3s[T] // the rows
	All   kernels.Vec3s[T] // the bodies: all rows, and their images in a periodic space
	Start []int32
	List  []int32
	Width int // a power of two
	// Cutoff is the distance up to which the list has all pairs, which
	// near.Clusters.Cutoff returns. Set it to infinity if the list of every row has all
	// bodies.
	Cutoff T
	// Kinds has the species of each body of All, for a Mixture. The first bodies of All
	// must be the rows. After each new list, reorder Kinds like the rows, and append
	// the species of the images.
	Kinds []int32
	// Charges has the charge of each body of All, for Coulomb. The first bodies of All must be the rows, and Charges
	// changes with each new list as Kinds does.
	Charges []T

	first  int  // the number of the first row, for errors
	noSelf bool // the list of a row does not contain the row
	// Exclusions.From divides the lists. Each row then also has a list that it shares with no other row: rest[restStart[i]:restStart[i+1]].
	// Otherwise restStart is nil.
	restStart, rest []int32
}

// Rows returns the pairs of the rows from lo to hi, so that each worker can compute the forces of
// some rows. lo must be a multiple of Width.
func (p Pairs[T]) Rows(lo, hi int) Pairs[T] {
	if p.Width <= 0 || lo < 0 || lo%p.Width != 0 || hi < lo || hi > len(p.At.X) {
		panic(fmt.Sprintf("forces: Pairs.Rows: rows %d to %d of %d: the first one must be a multiple of the width, %d", lo, hi, len(p.At.X), p.Width))
	}
	p.At = p.At.Slice(lo, hi)
	p.Start = p.Start[lo/p.Width:]
	p.first += lo
	if p.divided() {
		p.restStart = p.restStart[lo:]
	}
	return p
}

// divided reports whether the pairs have second lists.
func (p *Pairs[T]) divided() bool { return p.restStart != nil }

// second returns the pairs of the second lists.
func (p *Pairs[T]) second() Pairs[T] {
	q := *p
	q.Start, q.List, q.Width, q.restStart, q.rest = p.restStart, p.rest, 1, nil, nil
	return q
}

// itself returns the number at which a kernel begins to count the row itself. A kernel sets the force to NaN unless it counts exactly one. If
// the lists do not contain the rows, it begins at 1.
func (p *Pairs[T]) itself() T {
	if p.noSelf {
		return 1
	}
	return 0
}

// check panics if the lengths of the operands do not agree.
func (p *Pairs[T]) check(name string, force *kernels.Vec3s[T], energy, virial []T) {
	n := len(force.X)
	checkView(name, "force", force, n, "len(force.X)")
	checkView(name, "pairs.At", &p.At, n, "len(force.X)")
	if energy != nil && len(energy) != n || len(virial) != len(energy) {
		panic(fmt.Sprintf("forces: %s: len(energy) is %d, len(virial) is %d, len(force.X) is %d: both are nil or have this length", name, len(energy), len(virial), n))
	}
	if !p.hasParts(n) {
		panic(fmt.Sprintf("forces: %s: pairs.Width is %d and len(pairs.Start) is %d, len(force.X) is %d: each group of Width rows has a part of the list, and the end of the last part is in Start, too", name, p.Width, len(p.Start), n))
	}
}

// hasParts reports whether each group of Width rows has a part of the list.
func (p *Pairs[T]) hasParts(rows int) bool {
	return p.Width > 0 && (rows == 0 || len(p.Start) > (rows-1)/p.Width+1)
}

// checkCutoff panics if the list lacks pairs within the cutoff of a potential.
func (p *Pairs[T]) checkCutoff(name string, cutoff T) {
	if !(cutoff <= p.Cutoff) {
		panic(fmt.Sprintf("forces: %s: Cutoff is %v, and the list has pairs up to pairs.Cutoff, %v: make the list with the cutoff of the potential, and set pairs.Cutoff to that of the list", name, cutoff, p.Cutoff))
	}
}

// checkKinds returns the species of the rows. It panics if a species does not exist. A part that begins with the first row also checks the
// species of the images.
func (p *Pairs[T]) checkKinds(name string, species int32) []int32 {
	if n := len(p.All.X); len(p.Kinds) != n || p.first+len(p.At.X) > n {
		panic(fmt.Sprintf("forces: %s: len(pairs.Kinds) is %d, len(pairs.All.X) is %d, and the rows are %d to %d: each body has a species, and the first bodies are the rows", name, len(p.Kinds), n, p.first, p.first+len(p.At.X)))
	}
	own, from := p.Kinds[p.first:p.first+len(p.At.X)], p.first
	checked := own
	if p.first == 0 {
		checked = p.Kinds
	}
	for i, kind := range checked {
		if uint32(kind) >= uint32(species) {
			panic(fmt.Sprintf("forces: %s: pairs.Kinds[%d] is %d, and the mixture has %d species", name, from+i, kind, species))
		}
	}
	return own
}

// result returns nil if all results are finite, and otherwise the error of fault. If the list of a row does not contain the row itself, result
// also checks the position of the row, because a kernel computes no distance from this position if the list is empty. The function least
// returns the least distance for a row of the part and a body.
func (p *Pairs[T]) result(name string, force *kernels.Vec3s[T], energy, virial []T, least func(row int, body int32) T) error {
	if allFinite(force) && kernels.AllFinite(energy) && kernels.AllFinite(virial) && (!p.noSelf || allFinite(&p.At)) {
		return nil
	}
	return p.fault(name, force, energy, virial, least)
}

// fault returns the error for the first row whose position is not finite. If all positions are finite, it
// returns the error for the first row whose force is not finite, or else for the first row whose energy or virial is not. Positions come
// first because a row with a bad position makes the forces on the rows around it infinite or NaN.
func (p *Pairs[T]) fault(name string, force *kernels.Vec3s[T], energy, virial []T, least func(row int, body int32) T) error {
	at := &p.At
	for i, x := range at.X {
		if y, z := at.Y[i], at.Z[i]; !isFinite(x, y, z) {
			return fmt.Errorf("forces: %s: row %d is at (%v, %v, %v): %w", name, p.first+i, x, y, z, ErrNotFinite)
		}
	}
	for i, fx := range force.X {
		if isFinite(fx, force.Y[i], force.Z[i]) {
			continue
		}
		if err := p.faultOfRow(name, i, least); err != nil {
			return err
		}
		if p.divided() {
			rest := p.second()
			if err := rest.faultOfRow(name, i, least); err != nil {
				return err
			}
		}
	}
	if allFinite(force) {
		return p.faultOfEnergy(name, energy, virial)
	}
	return fmt.Errorf("forces: %s: a force is not finite: force had such a number before, or a parameter of the potential is too large", name)
}

// faultOfEnergy returns the error for the first row whose energy or virial is not finite. There is such a row.
func (p *Pairs[T]) faultOfEnergy(name string, energy, virial []T) error {
	i := 0
	for isFinite(energy[i], virial[i], 0) {
		i++
	}
	return fmt.Errorf("forces: %s: row %d has the energy %v and the virial %v: they were not finite before, or a parameter, a charge or a distance is too large for a %T: take units in which these are near 1", name, p.first+i, energy[i], virial[i], energy[i])
}

// faultOfRow returns the error for a row whose force is not finite, or nil if its list and the positions of its bodies are valid.
func (p *Pairs[T]) faultOfRow(name string, i int, least func(row int, body int32) T) error {
	all, row, x, y, z := &p.All, p.first+i, p.At.X[i], p.At.Y[i], p.At.Z[i]
	itself := p.noSelf
	for _, k := range p.List[p.Start[i/p.Width]:p.Start[i/p.Width+1]] {
		if !isFinite(all.X[k], all.Y[k], all.Z[k]) {
			return fmt.Errorf("forces: %s: body %d of All, in the list of row %d, is at (%v, %v, %v): %w", name, k, row, all.X[k], all.Y[k], all.Z[k], ErrNotFinite)
		}
		dx, dy, dz := x-all.X[k], y-all.Y[k], z-all.Z[k]
		r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
		if p.noSelf && int(k) == row {
			return fmt.Errorf("forces: %s: the list of row %d contains the row itself, and PairsOnly is set: leave the row out", name, row)
		}
		if r2 == 0 && !itself {
			itself = true
		} else if d := least(i, k); r2 < T(d*d) {
			return fmt.Errorf("forces: %s: row %d at (%v, %v, %v) and body %d of All are %v apart, and the least distance is %v: %w", name, row, x, y, z, k, T(math.Sqrt(float64(r2))), d, ErrTooNear)
		}
	}
	if !itself {
		return fmt.Errorf("forces: %s: the list of row %d does not contain the row itself: make the list anew after the rows have changed", name, row)
	}
	return nil
}

// allFinite reports whether all forces are finite.
func allFinite[T kernels.Float](force *kernels.Vec3s[T]) bool {
	return kernels.AllFinite(force.X) && kernels.AllFinite(force.Y) && kernels.AllFinite(force.Z)
}

// mantissa returns the number of bits of a float's mantissa.
func mantissa[T kernels.Float]() int {
	if _, ok := any(T(0)).(float32); ok {
		return 24
	}
	return 53
}

func isPowerOfTwo(x float64) bool {
	half, _ := math.Frexp(x)
	return half == 0.5
}

// isFinite reports whether three coordinates are finite.
func isFinite[T kernels.Float](x, y, z T) bool { return (x-x)+(y-y)+(z-z) == 0 }
