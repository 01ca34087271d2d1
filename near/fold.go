package near

import "math/bits"

// minSharedCells is the smallest number of cells of an endless space in which cells are shared. This number allows eight
// cells along each axis, so that all cells around a point are different.
const minSharedCells = 512

// layoutCells lays out the cells of an endless space for the points to sort. If the box around the points has at most
// two cells per point, the grid keeps all of these cells. Otherwise the numbers of cells along the longer axes are
// powers of two, and a hash maps several distant cells to one cell.
func (s *sorter[T]) layoutCells() {
	g := s.grid
	runParts(g.Pool, s.parts, s.boundBody)
	var cells [3]int64
	all := bounds[T]{}
	for _, e := range s.partBounds[:s.parts] {
		switch {
		case e.nonEmpty && all.nonEmpty:
			for a := range g.axes {
				all.low[a], all.high[a] = min(all.low[a], e.low[a]), max(all.high[a], e.high[a])
			}
		case e.nonEmpty:
			all = e
		}
	}
	if g.dims == 2 {
		all.low[2], all.high[2] = 0, 0
	}
	for a := range g.axes {
		axis := &g.axes[a]
		axis.first, axis.shared, axis.hashBits = axis.cellNumber(all.low[a]), false, 0
		cells[a] = int64(axis.cellNumber(all.high[a])) - int64(axis.first) + 1
	}
	most := min(max(minSharedCells, int64(1)<<bits.Len(uint(2*len(s.from[0])))), maxCells)
	if cells[0] > most || cells[0]*cells[1] > most || cells[0]*cells[1]*cells[2] > most {
		s.shareCells(&cells, bits.Len64(uint64(most))-1)
	}
	for a := range g.axes {
		g.axes[a].cells = int32(cells[a])
	}
}

// shareCells assigns bits of the hash to the axes in turn. An axis gets no more bits than necessary to
// number its cells.
func (s *sorter[T]) shareCells(cells *[3]int64, left int) {
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
			cells[a], s.grid.axes[a].shared, s.grid.axes[a].hashBits = 1<<have[a], true, have[a]
		}
	}
}

// bounds is the bounding box of the points of a part.
type bounds[T any] struct {
	low, high [3]T
	nonEmpty  bool
}

// boundParts computes the bounding boxes of the finite points of parts.
func (s *sorter[T]) boundParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := s.partPoints(k)
		x, y, z := s.from[0][lo:hi], s.from[1][lo:hi], s.from[1][lo:hi]
		if s.grid.dims == 3 {
			z = s.from[2][lo:hi]
		}
		e := bounds[T]{}
		for i := range x {
			px, py, pz := x[i], y[i], z[i]
			if !finite(px) || !finite(py) || !finite(pz) {
				continue
			}
			if !e.nonEmpty {
				e = bounds[T]{[3]T{px, py, pz}, [3]T{px, py, pz}, true}
			}
			e.low = [3]T{min(e.low[0], px), min(e.low[1], py), min(e.low[2], pz)}
			e.high = [3]T{max(e.high[0], px), max(e.high[1], py), max(e.high[2], pz)}
		}
		s.partBounds[k] = e
	}
}

// sharedCells computes the cells of points for the case that cells are shared.
func (s *sorter[T]) sharedCells(cell []uint32, x, y, z []T) {
	flat := s.grid.dims == 2
	for i := range cell {
		p := [3]T{x[i], y[i], z[i]}
		if flat {
			p[2] = 0
		}
		if !finite(p[0]) || !finite(p[1]) || !finite(p[2]) {
			cell[i] = cellOutside
			continue
		}
		cell[i] = uint32(s.grid.cellOf(p))
	}
}

// cellAndImage returns the kept cell of an axis for a cell number. It also returns the image: if
// cells are shared, the kept cells repeat along the axis, and the image is the number of the
// repetition.
func (a *axis[T]) cellAndImage(c, shift int32) (at, image int32) {
	if a.shared {
		return (c + shift) & (a.cells - 1), c >> a.hashBits
	}
	return a.clampToPart(max(c, 0)), 0
}

// hashShift returns the number of cells by which an axis is shifted in an image. The shifts differ between images.
// Otherwise the cells on a diagonal line or plane would all share the same few cells. The hash is the finalizer of
// MurmurHash3.
func hashShift(z, y int32) int32 {
	h := uint32(z)*0x9e3779b1 ^ uint32(y)*0x85ebca6b
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return int32(h ^ h>>16)
}
