package forces

import (
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// ErrTooLarge is wrapped by the error for a bond or an angle whose terms are too large for a sum of quanta.
var ErrTooLarge = errors.New("its terms are too large to add up: take shorter steps, or a larger Quantum if there is one")

// Bonds are harmonic bonds between rows, as in molecules. The energy of a bond with the length r is
//
//	Stiff/2 * (r - Rest)^2
//
// Other programs, for example LAMMPS, write it without the factor 1/2, so that their constants are half of
// Stiff. Unlike [Springs], bonds have energies and virials, may cross the boundary of a periodic box, and have
// no damping.
//
// Side has the sides of a periodic box. A side of 0 means that the box is not periodic along this axis. The length of a bond
// is that to the nearest image, so the sides must be longer than two bonds.
//
// Quantum has the same meaning as in [LennardJones]. If it is set, no sum depends on the order of its terms.
type Bonds[T kernels.Float] struct {
	Net     Net[T] // of all rows, from Tie
	Side    [3]T
	Quantum T

	first int     // the number of the first row, for a part
	spare Net[T]  // of Reorder
	row   []int32 // of Reorder
}

// Rows returns the bonds of the rows from lo to hi, so that each worker can compute the forces of some rows.
func (b Bonds[T]) Rows(lo, hi int) Bonds[T] {
	return Bonds[T]{Net: b.Net.Rows(lo, hi), Side: b.Side, Quantum: b.Quantum, first: b.first + lo}
}

// Reorder follows the rows into a new order: order[i] is the earlier number of row i. Call it with near.Clusters.Order after
// each new list. Each row keeps the order of its bonds. Reorder allocates only when it is called for the first time.
//
// It panics if order does not have each row once.
func (b *Bonds[T]) Reorder(order []int32) {
	from, to := &b.Net, &b.spare
	b.row = inverse("Bonds.Reorder", b.row, order, len(from.Start)-1)
	to.Start, to.To = resized(to.Start, len(from.Start)), resized(to.To, len(from.To))
	to.Rest, to.Stiff = resized(to.Rest, len(from.To)), resized(to.Stiff, len(from.To))
	n := int32(0)
	for i, old := range order {
		to.Start[i] = n
		for j := from.Start[old]; j < from.Start[old+1]; j++ {
			to.To[n], to.Rest[n], to.Stiff[n] = b.row[from.To[j]], from.Rest[j], from.Stiff[j]
			n++
		}
	}
	to.Start[len(order)] = n
	b.Net, b.spare = b.spare, b.Net
}

// inverse returns the new row of each earlier row, in the memory of row. It panics if order is not a permutation of the rows.
func inverse(name string, row, order []int32, rows int) []int32 {
	if len(order) != rows {
		panic(fmt.Sprintf("forces: %s: len(order) is %d, and there are %d rows", name, len(order), rows))
	}
	row = resized(row, rows)
	for i := range row {
		row[i] = -1
	}
	for i, old := range order {
		if old < 0 || int(old) >= rows || row[old] >= 0 {
			panic(fmt.Sprintf("forces: %s: order[%d] is %d: it must have each of the %d rows once", name, i, old, rows))
		}
		row[old] = int32(i)
	}
	return row
}

// AddTo adds to force[i] the forces of the bonds of row i. at has the positions of all rows. The slices energy and virial are both nil, or
// both have the length of force. If they are not nil, AddTo also adds the energies of the bonds to energy[i], and their virials
// (distance times force) to virial[i]. As for [LennardJones.AddTo], the energy and the virial of a bond are in the sums of
// both rows.
//
//	d = at[k] - at[i], less side*round(d/side) along each axis
//	r2 = (d.x*d.x + d.y*d.y) + d.z*d.z
//	r = √r2
//	t = stiff*(r - rest)
//	force[i] = force[i] + (((t/r)*d of its first bond + (t/r)*d of its second) + …)
//	energy[i] = energy[i] + ((0.5*t*(r - rest) of its first bond) + …)
//	virial[i] = virial[i] + ((-t*r of its first bond) + …)
//
// A bond of length 0 has no direction and therefore no force. With Quantum, each term is rounded to a multiple of it before
// it is added, so the forces of all rows add up to exactly 0 if the positions are multiples of a quantum, too ([Drift]).
//
// It returns an error with ErrNotFinite if the position of a row with a bond is not finite, and an error with ErrTooLarge if a term might not
// be added exactly. If it returns an error, some forces are NaN. It panics if lengths differ or if a parameter is not valid.
//
// Shape: all lanes of force, energy and virial have the length of Net, and those of at have one length. A part from Rows still gets
// all rows of at.
// Alias: force, energy and virial must not overlap each other or at.
// Values: exact, in the order written, as if r2 could not overflow or underflow. Both rows of a bond get the same force, in opposite
// directions, bit for bit.
func (b Bonds[T]) AddTo(force *kernels.Vec3s[T], energy, virial []T, at *kernels.Vec3s[T]) error {
	const name = "Bonds.AddTo"
	n := len(force.X)
	checkView(name, "force", force, n, "len(force.X)")
	checkView(name, "at", at, len(at.X), "len(at.X)")
	if energy != nil && len(energy) != n || len(virial) != len(energy) {
		panic(fmt.Sprintf("forces: %s: len(energy) is %d, len(virial) is %d, len(force.X) is %d: both are nil or have this length", name, len(energy), len(virial), n))
	}
	b.Net.checkRows(name, n)
	box := newBondBox(name, b.Side, b.Quantum)
	for i := range n {
		var fx, fy, fz, u, w T
		from, to := b.Net.Start[i], b.Net.Start[i+1]
		most := box.most / T(max(1, to-from))
		for j := from; j < to; j++ {
			t := b.term(&box, at, b.first+i, j)
			if !t.within(most) {
				return b.fault(name, force, i, j, at, &box)
			}
			fx, fy, fz, u, w = fx+t.fx, fy+t.fy, fz+t.fz, u+t.energy, w+t.virial
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
		if energy != nil {
			energy[i] += u
			virial[i] += w
		}
	}
	return nil
}

// A bondTerm has the terms of a bond or an angle.
type bondTerm[T kernels.Float] struct{ fx, fy, fz, energy, virial T }

// within reports whether the terms are numbers up to a bound.
func (t *bondTerm[T]) within(most T) bool {
	return t.fx <= most && t.fx >= -most && t.fy <= most && t.fy >= -most && t.fz <= most && t.fz >= -most && t.energy <= most && t.energy >= -most && t.virial <= most && t.virial >= -most
}

// term computes the terms of bond j for a row.
func (b *Bonds[T]) term(box *bondBox[T], at *kernels.Vec3s[T], row int, j int32) bondTerm[T] {
	x, y, z, scale := scaled(box.way(at, b.Net.To[j], int32(row)))
	unit := T(math.Sqrt(float64((T(x*x) + T(y*y)) + T(z*z)))) // r*scale
	r := unit / scale
	long := r - b.Net.Rest[j]
	t := T(b.Net.Stiff[j] * long)
	f := t / unit
	if unit == 0 {
		f = 0
	}
	return bondTerm[T]{box.rounded(T(f * x)), box.rounded(T(f * y)), box.rounded(T(f * z)), box.rounded(T(T(0.5*t) * long)), box.rounded(-T(t * r))}
}

// scaled multiplies a vector by a power of two, so that its largest coordinate is near 1, and returns this power, too. The
// power and its inverse are normal numbers.
func scaled[T kernels.Float](x, y, z T) (sx, sy, sz, scale T) {
	_, e := math.Frexp(float64(max(x, -x, y, -y, z, -z)))
	if mantissa[T]() == 53 {
		e = min(max(e, -1000), 1000)
	} else {
		e = min(max(e, -120), 120)
	}
	scale = T(math.Ldexp(1, -e))
	return T(x * scale), T(y * scale), T(z * scale), scale
}

// fault returns the error for a bond of row i, and makes its force NaN.
func (b *Bonds[T]) fault(name string, force *kernels.Vec3s[T], i int, j int32, at *kernels.Vec3s[T], box *bondBox[T]) error {
	force.X[i], force.Y[i], force.Z[i] = T(math.NaN()), T(math.NaN()), T(math.NaN())
	row, k := b.first+i, b.Net.To[j]
	if err := checkPlaces(name, at, int32(row), k); err != nil {
		return err
	}
	x, y, z, scale := scaled(box.way(at, k, int32(row)))
	r := T(math.Sqrt(float64((T(x*x)+T(y*y))+T(z*z)))) / scale
	return fmt.Errorf("forces: %s: the bond of row %d at (%v, %v, %v) and row %d has the length %v, and at rest %v: %w", name, row, at.X[row], at.Y[row], at.Z[row], k, r, b.Net.Rest[j], ErrTooLarge)
}

// checkPlaces returns an error if the position of a row is not finite.
func checkPlaces[T kernels.Float](name string, at *kernels.Vec3s[T], rows ...int32) error {
	for _, k := range rows {
		if !isFinite(at.X[k], at.Y[k], at.Z[k]) {
			return fmt.Errorf("forces: %s: row %d is at (%v, %v, %v): %w", name, k, at.X[k], at.Y[k], at.Z[k], ErrNotFinite)
		}
	}
	return nil
}

// A bondBox has the numbers that all bonds or angles share.
type bondBox[T kernels.Float] struct {
	side, inverse [3]T // 0 along axes that are not periodic
	round         T    // as ljRound
	most          T    // the largest sum of terms
}

func newBondBox[T kernels.Float](name string, side [3]T, quantum T) bondBox[T] {
	box := bondBox[T]{side: side}
	for a, s := range side {
		if !(s >= 0 && s-s == 0) {
			panic(fmt.Sprintf("forces: %s: Side is %v: lengths, or 0 along an axis without a periodic boundary", name, side))
		}
		if s > 0 {
			box.inverse[a] = 1 / s
		}
	}
	if quantum != 0 {
		box.round, box.most = rounding(quantum), QuantumRange(quantum)
		return box
	}
	largest := math.MaxFloat64 // so that infinite terms are errors
	if mantissa[T]() == 24 {
		largest = math.MaxFloat32
	}
	box.most = T(largest)
	return box
}

// way returns the shortest way from row i to row k.
func (b *bondBox[T]) way(at *kernels.Vec3s[T], k, i int32) (dx, dy, dz T) {
	dx, dy, dz = at.X[k]-at.X[i], at.Y[k]-at.Y[i], at.Z[k]-at.Z[i]
	dx -= T(b.side[0] * T(math.RoundToEven(float64(T(dx*b.inverse[0])))))
	dy -= T(b.side[1] * T(math.RoundToEven(float64(T(dy*b.inverse[1])))))
	dz -= T(b.side[2] * T(math.RoundToEven(float64(T(dz*b.inverse[2])))))
	return dx, dy, dz
}

// rounded rounds a term to a multiple of the quantum.
func (b *bondBox[T]) rounded(t T) T { return (t + b.round) - b.round }
