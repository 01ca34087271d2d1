package grid

import "fmt"

// A Rule is a kind of boundary condition.
type Rule uint8

const (
	// Fixed gives the cells beyond the edge a given number (Dirichlet). Folding drops the margin.
	Fixed Rule = iota

	// Periodic gives the cells beyond the edge the numbers of the cells at the opposite edge.
	Periodic

	// Mirrored gives the cells beyond the edge the numbers of the cells inside, in reverse order, so that nothing flows
	// through the edge (Neumann).
	Mirrored
)

// An Edge is the boundary condition of an axis. The zero Edge is fixed at 0.
type Edge[T Number] struct {
	Rule Rule

	// Low and High are the numbers beyond the two edges of the axis if the rule is Fixed.
	Low, High T
}

// Edges has the boundary condition of each axis. Axes that the grid lacks are ignored.
type Edges[T Number] struct{ X, Y, Z Edge[T] }

// FillMargins writes the margins of X first, then those of Y, which include the margins of X, and then those of Z. So a
// corner of a periodic grid gets the number of the opposite corner. It panics if a periodic or mirrored axis has fewer
// cells than the margin.
func (f *Field[T]) FillMargins(e Edges[T]) {
	edges := f.checkEdges("FillMargins", e)
	for a, edge := range edges {
		f.eachMargin(a, edge, func(margin, inside []T, high bool) {
			switch {
			case inside != nil:
				copy(margin, inside)
			case high:
				fill(margin, edge.High)
			default:
				fill(margin, edge.Low)
			}
		})
	}
}

// foldMargins adds each cell of the margin to the inner cell from which FillMargins would copy it, and sets the cell of the
// margin to 0.
func (f *Field[T]) foldMargins(caller string, e Edges[T]) {
	edges := f.checkEdges(caller, e)
	for a := len(edges) - 1; a >= 0; a-- {
		f.eachMargin(a, edges[a], func(margin, inside []T, _ bool) {
			for i := range inside {
				inside[i] += margin[i]
			}
			clear(margin)
		})
	}
}

// checkEdges returns the boundary conditions by axis. It panics if the field cannot have them.
func (f *Field[T]) checkEdges(caller string, e Edges[T]) [3]Edge[T] {
	edges := [3]Edge[T]{e.X, e.Y, e.Z}
	cells, margin := f.shape.axes()
	for a, edge := range edges {
		if edge.Rule > Mirrored {
			panic(fmt.Sprintf("grid: %s: axis %c has the rule %d: it must be Fixed, Periodic or Mirrored", caller, "XYZ"[a], edge.Rule))
		}
		if edge.Rule != Fixed && cells[a] < margin[a] {
			panic(fmt.Sprintf("grid: %s: axis %c has %d cells and a margin of %d: a periodic or mirrored axis needs at least as many cells as its margin",
				caller, "XYZ"[a], cells[a], margin[a]))
		}
	}
	return edges
}

// eachMargin calls do for each piece of the margins of an axis. A piece is a cell, a row or a plane. The function do also
// gets the piece inside the grid of which the margin is an image, or nil if the axis is fixed. The pieces of Y include the
// margins of X, and so on.
func (f *Field[T]) eachMargin(axis int, edge Edge[T], do func(margin, inside []T, high bool)) {
	cells, margin := f.shape.axes()
	n, m, size := cells[axis], margin[axis], [3]int{1, f.pitch, f.plane}[axis]
	for from := 0; from < len(f.cells); from += (n + 2*m) * size {
		piece := func(i int) []T { return f.cells[from+(m+i)*size:][:size] }
		for k := range m {
			do(piece(-1-k), f.image(edge, -1-k, n, piece), false)
			do(piece(n+k), f.image(edge, n+k, n, piece), true)
		}
	}
}

// image returns the piece inside the grid that piece i of a margin repeats, or nil if the axis is fixed.
func (f *Field[T]) image(edge Edge[T], i, n int, piece func(int) []T) []T {
	switch {
	case edge.Rule == Fixed:
		return nil
	case edge.Rule == Periodic:
		return piece((i + n) % n)
	case i < 0:
		return piece(-1 - i)
	}
	return piece(2*n - 1 - i)
}

// fill sets all cells of a piece.
func fill[T Number](piece []T, v T) {
	for i := range piece {
		piece[i] = v
	}
}
