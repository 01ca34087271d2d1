package grid

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Deposit adds a value for each particle to the cells near it, including cells of the margin: call [Sums.FoldMargins] after the
// last deposit. The sums are the same for every order of the particles and every number of workers. If values is nil, the
// value of each particle is 1.
//
// Deposit returns an [*Error], and adds nothing, if a particle is outside of the grid, if a number is not finite, or if the
// quanta could become too many for an int64. It panics if the lanes do not fit to the grid or to each other, or if the
// margin is too narrow for the order of the mesh, or if the grid has 2^31 cells or more. For each worker after the first,
// it allocates a copy of the field once.
func (m *Mesh[T]) Deposit(sums *Sums, at Points[T], values []T) error {
	rows := len(at.X)
	l := locatorOf(m, "Deposit", sums.field, at, rows)
	if values != nil && len(values) != rows {
		panic(fmt.Sprintf("grid: Deposit: there are %d values, for %d particles", len(values), rows))
	}
	parts := m.parts(rows, len(sums.field.cells))
	found := make([]finding, parts)
	err := m.eachPart(parts, rows, func(part, lo, hi int) { found[part] = l.weigh(values, sums.quantum, lo, hi) })
	if err != nil {
		return err
	}
	total := finding{load: sums.load}
	for _, f := range found {
		if f.err != nil {
			return f.err
		}
		total.add(f.load)
	}
	if total.load > mostLoad {
		return tooManyQuanta("Deposit", sums.quantum)
	}
	for len(sums.copies) < parts-1 {
		sums.copies = append(sums.copies, make([]int64, len(sums.field.cells)))
	}
	add := func(part, lo, hi int) {
		cells := sums.field.cells
		if part > 0 {
			cells = sums.copies[part-1]
		}
		l.deposit(cells, values, 1/sums.quantum, lo, hi)
	}
	if err := m.eachPart(parts, rows, add); err != nil {
		return err
	}
	sums.load = total.load
	return m.merge(sums, parts)
}

// parts returns the number of parts into which a deposit divides the particles. There is one part for each worker, but not
// so many that adding the copies of the field takes longer than depositing the particles.
func (m *Mesh[T]) parts(rows, cells int) int {
	if m.Pool == nil {
		return 1
	}
	return max(1, min(m.Pool.Workers(), rows/1024, 1+4*rows/cells))
}

// eachPart calls do for each part of the particles.
func (m *Mesh[T]) eachPart(parts, rows int, do func(part, lo, hi int)) error {
	if parts == 1 {
		do(0, 0, rows)
		return nil
	}
	blocks := (rows + block - 1) / block
	return m.Pool.RangeFor(do, parts, 1, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			from, to := blocks*p/parts*block, blocks*(p+1)/parts*block
			do(p, from, min(to, rows))
		}
	})
}

// merge adds the copies to the field, and sets them to 0.
func (m *Mesh[T]) merge(sums *Sums, parts int) error {
	if parts == 1 {
		return nil
	}
	return m.Pool.Range(len(sums.field.cells), 0, func(lo, hi int) {
		cells := sums.field.cells[lo:hi]
		for _, c := range sums.copies[:parts-1] {
			c = c[lo:hi]
			for i, n := range c {
				cells[i] += n
			}
			clear(c)
		}
	})
}

// A finding is the result of a check of particles: the number of their quanta, or the first error.
type finding struct {
	load uint64
	err  *Error
}

// add adds quanta. The count stops above the limit, so that the result does not depend on the order.
func (f *finding) add(quanta uint64) { f.load = min(f.load+quanta, mostLoad+1) }

// addAll adds the quanta of a block, and reports whether all of its values are allowed.
func (f *finding) addAll(values []float64, perUnit float64) bool {
	var sum kernels.Total[float64]
	countQuanta(&sum, values, perUnit)
	parts := sum.Sums()
	for _, load := range parts { // each is exact, because it has at most four values of 2^50
		if !(load <= block/32*mostQuanta) {
			return false
		}
	}
	for _, load := range parts {
		f.add(uint64(load))
	}
	return true
}

// weigh checks all particles before a deposit, because a deposit that returns an error must add nothing.
func (l *locator[T]) weigh(values []T, quantum float64, lo, hi int) (f finding) {
	var s scratch
	for ; lo < hi && f.err == nil; lo += block {
		n := min(hi-lo, block)
		f.err = l.outsider("Deposit", &s, lo, n)
		all := s.all[:n]
		if values == nil {
			kernels.Fill(all, 1)
		} else {
			kernels.Convert(all, values[lo:lo+n])
		}
		if f.addAll(all, 1/quantum) {
			continue
		}
		for i, v := range all {
			if f.err != nil && f.err.Row <= lo+i {
				break
			}
			if err := wrongValue(lo+i, v, quantum); err != nil {
				f.err = err
				break
			}
		}
	}
	return f
}

// wrongValue returns the error for a value, or nil if the value is allowed.
func wrongValue(row int, v, quantum float64) *Error {
	switch n := math.Abs(v) / quantum; {
	case n <= mostQuanta:
		return nil
	case math.IsNaN(v) || math.IsInf(v, 0):
		return &Error{"Deposit", row, fmt.Sprintf("its value is %v", v), ErrNotFinite}
	default:
		return &Error{"Deposit", row, fmt.Sprintf("its value %v is %.3g quanta of %v, and at most 2^50 are possible: use a larger quantum", v, n, quantum), ErrTooLarge}
	}
}

// deposit adds particles lo to hi-1 to cells. The cells belong to the field or to a copy of it.
func (l *locator[T]) deposit(cells []int64, values []T, perUnit float64, lo, hi int) {
	var s scratch
	for ; lo < hi; lo += block {
		n := min(hi-lo, block)
		l.locate(&s, lo, n)
		all := s.all[:n]
		if values == nil {
			kernels.Fill(all, perUnit)
		} else {
			kernels.Convert(all, values[lo:lo+n])
			roundValues(all, perUnit)
		}
		l.divide(&s, cells, n)
	}
}

// divide divides the quanta of a block among planes, rows and cells. The last part of each division gets the rest, so that
// no quantum is lost.
func (l *locator[T]) divide(s *scratch, cells []int64, n int) {
	planes, rows, _ := l.widths()
	all, rest := s.all[:n], s.all[:n]
	for z := range planes {
		plane := rest
		if z < planes-1 {
			plane = s.plane[:n]
			splitQuanta(plane, s.leftPlane[:n], rest, all, s.weight[2][z][:n])
			rest = s.leftPlane[:n]
		}
		restRows := plane
		for y := range rows {
			line := restRows
			if y < rows-1 {
				line = s.line[:n]
				splitQuanta(line, s.leftLine[:n], restRows, plane, s.weight[1][y][:n])
				restRows = s.leftLine[:n]
			}
			l.divideRow(s, cells[z*l.step[2]+y*l.step[1]:], line)
		}
	}
}

// divideRow divides the quanta of a block among the cells of a row.
func (l *locator[T]) divideRow(s *scratch, cells []int64, line []float64) {
	n := len(line)
	base, cell := s.base[:n], s.cell[0][:n]
	if l.mesh.Order == Linear { // the usual order
		second := s.cell[1][:n]
		splitPair(cell, second, line, s.weight[0][0][:n])
		for i, b := range base {
			c := cells[b:][:2]
			c[0] += cell[i]
			c[1] += second[i]
		}
		return
	}
	rest, last := line, int(l.mesh.Order)
	for x := range last {
		splitCells(cell, s.leftCell[:n], rest, line, s.weight[0][x][:n])
		rest = s.leftCell[:n]
		scatter(cells[x:], base, cell)
	}
	wholeCells(cell, rest)
	scatter(cells[last:], base, cell)
}

// scatter adds the quanta of a block to the cells.
func scatter(cells []int64, base []int32, quanta []int64) {
	quanta = quanta[:len(base)]
	for i, b := range base {
		cells[b] += quanta[i]
	}
}

// Gather computes the value of a field at each particle: the mean of the cells near it, with the weights by which [Mesh.Deposit]
// divides a value. It reads cells of the margin, so call [Field.FillMargins] first. It computes in float64, and rounds the
// result to T.
//
// Gather returns an [*Error], and writes nothing, if a particle is outside of the grid or a position is not finite. It
// panics if the lanes do not fit to the grid or to each other, if the margin is too narrow for the order of the mesh, or if
// the grid has 2^31 cells or more.
func (m *Mesh[T]) Gather(dst []T, f *Field[T], at Points[T]) error {
	l := locatorOf(m, "Gather", f, at, len(dst))
	parts := m.parts(len(dst), 1)
	found := make([]*Error, parts)
	err := m.eachPart(parts, len(dst), func(part, lo, hi int) {
		var s scratch
		for ; lo < hi && found[part] == nil; lo += block {
			found[part] = l.outsider("Gather", &s, lo, min(hi-lo, block))
		}
	})
	if err != nil {
		return err
	}
	for _, e := range found {
		if e != nil {
			return e
		}
	}
	return m.eachPart(parts, len(dst), func(_, lo, hi int) {
		var s scratch
		for ; lo < hi; lo += block {
			n := min(hi-lo, block)
			l.locate(&s, lo, n)
			l.gather(dst[lo:lo+n], f.cells, &s)
		}
	})
}

// gather computes the values at the particles of a block.
func (l *locator[T]) gather(dst, cells []T, s *scratch) {
	planes, rows, width := l.widths()
	n := len(dst)
	sum, plane, line := s.all[:n], s.plane[:n], s.line[:n]
	clear(sum)
	for z := range planes {
		clear(plane)
		for y := range rows {
			clear(line)
			for x := range width {
				from := cells[z*l.step[2]+y*l.step[1]+x:]
				switch from := any(from).(type) {
				case []float32:
					lookUp32(line, s.weight[0][x][:n], from, s.base[:n])
				case []float64:
					lookUp64(line, s.weight[0][x][:n], from, s.base[:n])
				}
			}
			if l.axes == 1 {
				break
			}
			addProducts(plane, s.weight[1][y][:n], line)
		}
		if l.axes < 3 {
			break
		}
		addProducts(sum, s.weight[2][z][:n], plane)
	}
	kernels.Convert(dst, [...][]float64{line, plane, sum}[l.axes-1])
}
