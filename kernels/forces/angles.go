package forces

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Angles are harmonic angles between the bonds of rows, as in molecules. An angle has two ends and a centre. If θ is the angle at
// the centre between the ways to the two ends, in radians, its energy is
//
//	Stiff/2 * (θ - Rest)^2
//
// Other programs, for example LAMMPS, write it without the factor 1/2. Side and Quantum have the same meaning as in
// [Bonds].
type Angles[T kernels.Float] struct {
	Side    [3]T
	Quantum T

	start      []int32    // the angles of row i are angle[start[i]:start[i+1]]
	angle      []int32    // numbers of angles
	rows       [][3]int32 // of each angle: an end, the centre, and the other end
	rest       []T
	stiff      []T
	first      int     // as in Bonds
	row        []int32 // of Reorder, as the next two
	spareStart []int32
	spareAngle []int32
}

// TieAngles returns the angles between three rows each: angle s has the ends a[s] and c[s], and the centre b[s]. At
// rest, it is rest[s].
//
// It panics if lengths differ, if an element of a, b or c is not a row below rows, if the rows of an angle are not different, or if there are 2^29
// angles or more.
func TieAngles[T kernels.Float](rows int, a, b, c []int32, rest, stiff []T) Angles[T] {
	n := len(a)
	if len(b) != n || len(c) != n || len(rest) != n || len(stiff) != n || n >= 1<<29 {
		panic(fmt.Sprintf("forces: TieAngles: lengths of a, b, c, rest and stiff are %d, %d, %d, %d and %d: they are equal, and below 2^29", n, len(b), len(c), len(rest), len(stiff)))
	}
	if rows < 0 {
		panic(fmt.Sprintf("forces: TieAngles: rows is %d", rows))
	}
	g := Angles[T]{start: make([]int32, rows+1), angle: make([]int32, 3*n), rows: make([][3]int32, n), rest: append([]T(nil), rest...), stiff: append([]T(nil), stiff...)}
	for s := range a {
		g.rows[s] = [3]int32{a[s], b[s], c[s]}
		for i, row := range g.rows[s] {
			if row < 0 || int(row) >= rows {
				panic(fmt.Sprintf("forces: TieAngles: %c[%d] is %d, rows is %d", "abc"[i], s, row, rows))
			}
			g.start[row]++
		}
		if a[s] == b[s] || b[s] == c[s] || a[s] == c[s] {
			panic(fmt.Sprintf("forces: TieAngles: angle %d is between the rows %d, %d and %d: they must be different", s, a[s], b[s], c[s]))
		}
	}
	sum := int32(0)
	for row, count := range g.start {
		g.start[row] = sum
		sum += count
	}
	for s := range g.rows {
		for _, row := range g.rows[s] {
			g.angle[g.start[row]] = int32(s)
			g.start[row]++
		}
	}
	copy(g.start[1:], g.start)
	g.start[0] = 0
	return g
}

// Rows returns the angles of the rows from lo to hi, so that each worker can compute the forces of some rows.
func (g Angles[T]) Rows(lo, hi int) Angles[T] {
	return Angles[T]{Side: g.Side, Quantum: g.Quantum, start: g.start[lo : hi+1], angle: g.angle, rows: g.rows, rest: g.rest, stiff: g.stiff, first: g.first + lo}
}

// Reorder follows the rows into a new order, as [Bonds.Reorder] does.
func (g *Angles[T]) Reorder(order []int32) {
	g.row = inverse("Angles.Reorder", g.row, order, len(g.start)-1)
	start, angle := resized(g.spareStart, len(g.start)), resized(g.spareAngle, len(g.angle))
	n := int32(0)
	for i, old := range order {
		start[i] = n
		n += int32(copy(angle[n:], g.angle[g.start[old]:g.start[old+1]]))
	}
	start[len(order)] = n
	g.start, g.angle, g.spareStart, g.spareAngle = start, angle, g.start, g.angle
	for s, rows := range g.rows {
		g.rows[s] = [3]int32{g.row[rows[0]], g.row[rows[1]], g.row[rows[2]]}
	}
}

// AddTo adds to force[i] the forces of the angles of row i. at has the positions of all rows. If energy is not nil, it has
// the length of force, and AddTo adds the energy of each angle to the energies of both ends. So half of the sum of energy is the
// energy of all angles, as for bonds and pairs. The virial of an angle is 0, because an angle does not change
// with the scale.
//
//	u = at[a] - at[b], v = at[c] - at[b], less side*round(u/side) along each axis
//	n = (u.y*v.z - u.z*v.y, u.z*v.x - u.x*v.z, u.x*v.y - u.y*v.x)
//	s = √((n.x*n.x + n.y*n.y) + n.z*n.z)
//	θ = atan2(s, (u.x*v.x + u.y*v.y) + u.z*v.z)
//	t = stiff*(θ - rest)
//	force of end a = (-t/(((u.x*u.x + u.y*u.y) + u.z*u.z)*s)) * (u.y*n.z - u.z*n.y, u.z*n.x - u.x*n.z, u.x*n.y - u.y*n.x)
//	force of end c = the same, with u and v exchanged
//	force of the centre = -(force of end a + force of end c)
//	energy = 0.5*t*(θ - rest)
//
// An angle of exactly 0 or π has no plane and therefore no force, and so has an angle whose centre is at the position of
// an end. With Quantum, the forces of both ends and the energy are rounded to a multiple of it before they are added.
//
// Errors and panics are the same as those of [Bonds.AddTo].
//
// Shape: all lanes of force and energy have one length, that of the angles. Those of at have one length, too. A part from Rows
// still gets all rows of at.
// Alias: force and energy must not overlap each other or at.
// Values: exact, in the order written, with the function of kernels.Atan2, as if no square could overflow or underflow. Each row adds up
// its angles in the order of TieAngles.
func (g Angles[T]) AddTo(force *kernels.Vec3s[T], energy []T, at *kernels.Vec3s[T]) error {
	const name = "Angles.AddTo"
	n := len(force.X)
	checkView(name, "force", force, n, "len(force.X)")
	checkView(name, "at", at, len(at.X), "len(at.X)")
	if energy != nil && len(energy) != n {
		panic(fmt.Sprintf("forces: %s: len(energy) is %d, len(force.X) is %d: it is nil or has this length", name, len(energy), n))
	}
	if len(g.start) != n+1 {
		panic(fmt.Sprintf("forces: %s: the angles have %d rows, len(force.X) is %d", name, len(g.start)-1, n))
	}
	box := newBondBox(name, g.Side, g.Quantum)
	for i := range n {
		var fx, fy, fz, e T
		from, to := g.start[i], g.start[i+1]
		most := box.most / T(2*max(1, to-from)) // the centre gets the sum of two forces
		for _, s := range g.angle[from:to] {
			rows := g.rows[s]
			if rows[2] == int32(g.first+i) {
				rows[0], rows[2] = rows[2], rows[0] // so that the row is the first end
			}
			ux, uy, uz := box.way(at, rows[0], rows[1])
			vx, vy, vz := box.way(at, rows[2], rows[1])
			t := g.end(&box, s, ux, uy, uz, vx, vy, vz)
			ok := t.within(most)
			if rows[1] == int32(g.first+i) {
				other := g.end(&box, s, vx, vy, vz, ux, uy, uz)
				ok = ok && other.within(most)
				t = bondTerm[T]{fx: -(t.fx + other.fx), fy: -(t.fy + other.fy), fz: -(t.fz + other.fz)}
			}
			if !ok {
				return g.fault(name, force, i, s, at)
			}
			fx, fy, fz, e = fx+t.fx, fy+t.fy, fz+t.fz, e+t.energy
		}
		force.X[i] += fx
		force.Y[i] += fy
		force.Z[i] += fz
		if energy != nil {
			energy[i] += e
		}
	}
	return nil
}

// end returns the force on the end at u of angle s, and the energy of the angle. The other end is at v. The vectors are scaled by powers
// of two, which does not change the bits of the result, so that no square overflows or underflows.
func (g *Angles[T]) end(box *bondBox[T], s int32, ux, uy, uz, vx, vy, vz T) bondTerm[T] {
	ux, uy, uz, scale := scaled(ux, uy, uz)
	vx, vy, vz, _ = scaled(vx, vy, vz)
	nx, ny, nz, normal := scaled(T(uy*vz)-T(uz*vy), T(uz*vx)-T(ux*vz), T(ux*vy)-T(uy*vx))
	sine := T(math.Sqrt(float64((T(nx*nx) + T(ny*ny)) + T(nz*nz))))
	wide := kernels.Atan2Of(sine/normal, (T(ux*vx)+T(uy*vy))+T(uz*vz)) - g.rest[s]
	f := -T(T(g.stiff[s]*scale)*wide) / (((T(ux*ux) + T(uy*uy)) + T(uz*uz)) * sine)
	if sine == 0 {
		f = 0
	}
	x, y, z := T(uy*nz)-T(uz*ny), T(uz*nx)-T(ux*nz), T(ux*ny)-T(uy*nx)
	return bondTerm[T]{fx: box.rounded(T(f * x)), fy: box.rounded(T(f * y)), fz: box.rounded(T(f * z)), energy: box.rounded(T(T(0.5*T(g.stiff[s]*wide)) * wide))}
}

// fault returns the error for an angle of row i, and makes its force NaN.
func (g *Angles[T]) fault(name string, force *kernels.Vec3s[T], i int, s int32, at *kernels.Vec3s[T]) error {
	force.X[i], force.Y[i], force.Z[i] = T(math.NaN()), T(math.NaN()), T(math.NaN())
	rows := g.rows[s]
	if err := checkPlaces(name, at, rows[:]...); err != nil {
		return err
	}
	return fmt.Errorf("forces: %s: the angle of the rows %d, %d and %d, whose centre is at (%v, %v, %v): %w", name, rows[0], rows[1], rows[2], at.X[rows[1]], at.Y[rows[1]], at.Z[rows[1]], ErrTooLarge)
}
