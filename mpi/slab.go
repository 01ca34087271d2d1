package mpi

import (
	"fmt"

	"github.com/lanewise/lanewise/grid"
)

// A Slab is the part of a grid that one rank owns: consecutive pieces along the last axis of the grid. A piece is a cell of a line, a
// row of a plane, or a plane of a grid in space. A slab holds no cells. A program makes its fields with the shape of the
// slab, and the slab fills their margins.
type Slab struct {
	comm       *Comm
	whole, own grid.Shape
	axis       int // the last axis
	first      int
}

// NewSlab returns this rank's part of a grid. All ranks get the same number of pieces, up to one. It returns [ErrSplit] if a rank would get fewer pieces
// than the margin has, because a rank gets its margin from its two neighbors only. It panics if the shape is not valid.
func NewSlab(c *Comm, whole grid.Shape) (*Slab, error) {
	if whole.X < 1 || whole.Y < 0 || whole.Z < 0 || whole.Y == 0 && whole.Z > 0 || whole.Margin < 0 {
		panic(fmt.Sprintf("mpi: NewSlab: a shape of %d by %d by %d cells with a margin of %d: X must be at least 1, no number negative, and Z needs Y", whole.X, whole.Y, whole.Z, whole.Margin))
	}
	s := &Slab{comm: c, whole: whole, own: whole}
	last := &s.own.X
	if whole.Y > 0 {
		s.axis, last = 1, &s.own.Y
	}
	if whole.Z > 0 {
		s.axis, last = 2, &s.own.Z
	}
	n := *last
	if least := n / c.Size(); least < max(whole.Margin, 1) {
		return nil, c.fail("NewSlab", fmt.Errorf("%w: %d ranks for %d cells along %c: each rank needs at least %d, so start fewer ranks, or make the cells smaller", ErrSplit, c.Size(), n, "XYZ"[s.axis], max(whole.Margin, 1)))
	}
	s.first = s.begin(c.Rank(), n)
	*last = s.begin(c.Rank()+1, n) - s.first
	return s, nil
}

// begin returns the number of the first of n pieces that a rank owns.
func (s *Slab) begin(rank, n int) int { return int(int64(n) * int64(rank) / int64(s.comm.Size())) }

// Shape returns the shape of the fields of this rank. Only the last axis differs from the whole grid.
func (s *Slab) Shape() grid.Shape { return s.own }

// First returns the number of cells along the last axis that the ranks before this one own. For example, row y of a plane is
// row First() + y of the whole plane.
func (s *Slab) First() int { return s.first }

// pieces returns the number of pieces of a slab, and the number of cells of a piece, with margins.
func (s *Slab) pieces() (n, size int) {
	m := 2 * s.own.Margin
	switch s.axis {
	case 0:
		return s.own.X, 1
	case 1:
		return s.own.Y, s.own.X + m
	}
	return s.own.Z, (s.own.X + m) * (s.own.Y + m)
}

// FillMargins writes the margins of a field with the shape of the slab. The cells are those that [grid.Field.FillMargins] writes
// for the whole grid: the edges are those of the whole grid, and the margins between two ranks have the cells of the
// neighbor. All ranks must call FillMargins, with the same edges and type. A method of Slab cannot have a type parameter, so
// FillMargins is a function.
//
// FillMargins sends the cells from the memory of the field, and allocates nothing for them. It panics if the field has
// another shape, and in the cases in which [grid.Field.FillMargins] panics.
func FillMargins[T grid.Number](s *Slab, f *grid.Field[T], e grid.Edges[T]) error {
	const op = "FillMargins"
	s.check(op, f.Shape())
	f.FillMargins(e) // also the edges of the last axis, which the ranks inside of the grid replace
	c, m := s.comm, s.own.Margin
	if c.Size() == 1 || m == 0 {
		return nil
	}
	n, size := s.pieces()
	cells := func(from int) []byte { return cellBytes(f.Cells()[from*size : (from+m)*size]) }
	before, after := c.Rank()-1, c.Rank()+1
	if [3]grid.Rule{e.X.Rule, e.Y.Rule, e.Z.Rule}[s.axis] == grid.Periodic {
		before, after = (before+c.Size())%c.Size(), after%c.Size()
	}
	var begun []error
	// The tags say in which direction cells go, because two ranks of a periodic axis are neighbors on both sides.
	if before >= 0 {
		begun = append(begun, c.wire.Receive(cells(0), before, tagUp), c.wire.Send(cells(m), before, tagDown))
	}
	if after < c.Size() {
		begun = append(begun, c.wire.Receive(cells(m+n), after, tagDown), c.wire.Send(cells(n), after, tagUp))
	}
	return c.wait(op, begun...)
}

// check panics if a field has another shape than the slab.
func (s *Slab) check(op string, shape grid.Shape) {
	if shape != s.own {
		panic(fmt.Sprintf("mpi: %s: the field has the shape %+v, and the slab of rank %d has %+v: make the field with Slab.Shape", op, shape, s.comm.Rank(), s.own))
	}
}

// GatherField returns a field of the whole grid on root, with the cells of all ranks, for pictures, files and hashes. The margins of the
// last axis are 0. On other ranks it returns nil. All ranks must call it.
func GatherField[T grid.Number](s *Slab, f *grid.Field[T], root int) (*grid.Field[T], error) {
	s.check("GatherField", f.Shape())
	n, size := s.pieces()
	m := s.own.Margin
	in, err := s.comm.Gather(cellBytes(f.Cells()[m*size:(m+n)*size]), root)
	if err != nil || in == nil {
		return nil, err
	}
	whole := grid.New[T](s.whole)
	all := cellBytes(whole.Cells()[m*size : len(whole.Cells())-m*size])
	for _, b := range in {
		all = all[copy(all, b):]
	}
	return whole, nil
}
