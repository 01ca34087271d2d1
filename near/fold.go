package near

import "math/bits"

// leastCells is how many cells an endless space has at least: enough for eight along
// each axis, so that the cells around a point are different ones.
const leastCells = 512

// fold lays out the cells of an endless space for the points that are to be sorted: as
// many as there are between the outermost points; or, if that is more than two for each
// point, a power of two along the longer axes, where cells far from each other share one.
func (s *sorter[T]) fold() {
	g := s.grid
	spread(g.Pool, s.parts, s.extend)
	var cells [3]int64
	all := extent[T]{}
	for _, e := range s.extent[:s.parts] {
		switch {
		case e.some && all.some:
			for a := range g.axes {
				all.least[a], all.great[a] = min(all.least[a], e.least[a]), max(all.great[a], e.great[a])
			}
		case e.some:
			all = e
		}
	}
	if g.dims == 2 {
		all.least[2], all.great[2] = 0, 0
	}
	for a := range g.axes {
		axis := &g.axes[a]
		axis.first, axis.folded, axis.bits = axis.cell(all.least[a]), false, 0
		cells[a] = int64(axis.cell(all.great[a])) - int64(axis.first) + 1
	}
	most := min(max(leastCells, int64(1)<<bits.Len(uint(2*len(s.from[0])))), mostCells)
	if cells[0] > most || cells[0]*cells[1] > most || cells[0]*cells[1]*cells[2] > most {
		s.foldAxes(&cells, bits.Len64(uint64(most))-1)
	}
	for a := range g.axes {
		g.axes[a].cells = int32(cells[a])
	}
}

// foldAxes gives away bits to the axes in turn, until an axis has a cell for all that
// are on it.
func (s *sorter[T]) foldAxes(cells *[3]int64, left int) {
	var have [3]uint8
	for ; left > 0; left-- {
		best := -1
		for a, n := range cells {
			if int64(1)<<have[a] < n && (best < 0 || have[a] < have[best]) {
				best = a
			}
		}
		if best < 0 {
			break
		}
		have[best]++
	}
	for a, n := range cells {
		if int64(1)<<have[a] < n {
			cells[a], s.grid.axes[a].folded, s.grid.axes[a].bits = 1<<have[a], true, have[a]
		}
	}
}

// An extent is between which coordinates the points of a part are.
type extent[T any] struct {
	least, great [3]T
	some         bool
}

// extendParts finds the extents of parts: of points that are somewhere.
func (s *sorter[T]) extendParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := s.part(k)
		x, y, z := s.from[0][lo:hi], s.from[1][lo:hi], s.from[1][lo:hi]
		if s.grid.dims == 3 {
			z = s.from[2][lo:hi]
		}
		e := extent[T]{}
		for i := range x {
			px, py, pz := x[i], y[i], z[i]
			if !finite(px) || !finite(py) || !finite(pz) {
				continue
			}
			if !e.some {
				e = extent[T]{[3]T{px, py, pz}, [3]T{px, py, pz}, true}
			}
			e.least = [3]T{min(e.least[0], px), min(e.least[1], py), min(e.least[2], pz)}
			e.great = [3]T{max(e.great[0], px), max(e.great[1], py), max(e.great[2], pz)}
		}
		s.extent[k] = e
	}
}

// foldCells finds the cells of points where cells are shared.
func (s *sorter[T]) foldCells(cell []uint32, x, y, z []T) {
	flat := s.grid.dims == 2
	for i := range cell {
		p := [3]T{x[i], y[i], z[i]}
		if flat {
			p[2] = 0
		}
		if !finite(p[0]) || !finite(p[1]) || !finite(p[2]) {
			cell[i] = strange
			continue
		}
		cell[i] = uint32(s.grid.cellOf(p))
	}
}

// place returns which of an axis' cells is that of a number, and how often the axis was
// gone along before that.
func (a *axis[T]) place(c, shift int32) (at, image int32) {
	if a.folded {
		return (c + shift) & (a.cells - 1), c >> a.bits
	}
	return a.kept(max(c, 0)), 0
}

// shift returns by how much an axis is shifted in an image: cells of a line across, or
// of a plane, do not all fall on the same few. The finalizer of MurmurHash3.
func shift(z, y int32) int32 {
	h := uint32(z)*0x9e3779b1 ^ uint32(y)*0x85ebca6b
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return int32(h ^ h>>16)
}
