package near

import (
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

const (
	minParallel = 1 << 14 // with fewer points, waking a worker costs more than it gains
	maxParts    = 16      // parts of the points, each counted and moved by one worker
	cellOutside = math.MaxUint32
)

// A sorter sorts points by cell, and keeps its memory for the next sort. The bodies of the loops are created once, so that sorting
// allocates nothing.
type sorter[T kernels.Float] struct {
	grid         *Grid[T]
	from         [3][]T  // the points that are sorted
	ids          []int32 // their ids, nil for 0, 1, 2 …
	to           [3][]T
	toIDs        []int32
	spareCoords  [3][]T  // memory for the next Move. It is not that of At, because a caller may pass lanes of an old At to Add
	spareIDs     []int32 // the same for ids
	cells        []uint32
	packedPoints []packedPoint[T] // points between scatter and unpack
	parts        int
	offsets      []int32 // for each part but the last, the row of the next point of each cell
	partBounds   [maxParts]bounds[T]

	boundBody, countBody, scatterBody, unpackBody, finishBody func(lo, hi int)
}

// sort sorts points by their cells. ids holds the ids of the points; it is nil if they are 0, 1, 2
// …
func (s *sorter[T]) sort(g *Grid[T], from [3][]T, ids []int32) {
	n := len(from[0])
	if s.grid != g {
		*s = sorter[T]{grid: g}
		s.boundBody, s.countBody, s.scatterBody, s.unpackBody, s.finishBody = s.boundParts, s.countParts, s.scatterParts, s.unpackParts, s.finishParts
	}
	s.from, s.ids, s.parts = from, ids, 1
	if g.Pool != nil && n >= minParallel {
		s.parts = min(g.Pool.Workers(), n/(minParallel/4), maxParts)
	}
	if g.boundary == Endless {
		s.layoutCells()
	}
	s.parts = max(1, min(s.parts, 16*n/g.cells())) // there should be fewer counts than points
	s.cells = resizeSlice(s.cells, n)
	g.start = resizeSlice(g.start, g.cells()+2)
	s.offsets = resizeSlice(s.offsets, (s.parts-1)*(g.cells()+1))
	s.resizeOutput(n)
	runParts(g.Pool, s.parts, s.countBody)
	s.prefixSums()
	runParts(g.Pool, s.parts, s.scatterBody)
	if ids == nil {
		runParts(g.Pool, s.parts, s.unpackBody)
	}
	if g.boundary == Periodic || ids != nil {
		runParts(g.Pool, s.parts, s.finishBody)
	}
	if ids != nil {
		g.rowCoords, s.spareCoords = s.to, g.rowCoords
		g.ids, s.spareIDs = s.toIDs, g.ids
	}
	g.sorted = true
	s.from, s.to, s.ids, s.toIDs = [3][]T{}, [3][]T{}, nil, nil
	g.buildTiles()
}

// resizeOutput gets memory for n sorted points.
func (s *sorter[T]) resizeOutput(n int) {
	g := s.grid
	to, ids := &g.rowCoords, &g.ids
	if s.ids != nil {
		to, ids = &s.spareCoords, &s.spareIDs
	}
	for a := range g.dims {
		to[a] = resizeSlice(to[a], n)
	}
	*ids = resizeSlice(*ids, n)
	s.to, s.toIDs = *to, *ids
	if s.ids == nil {
		s.packedPoints = resizeSlice(s.packedPoints, n)
	}
}

// partPoints returns the points of a part.
func (s *sorter[T]) partPoints(k int) (lo, hi int) {
	n := int64(len(s.from[0]))
	return int(n * int64(k) / int64(s.parts)), int(n * int64(k+1) / int64(s.parts))
}

// partOffsets returns the number of points in each cell for one part. prefixSums turns these counts into offsets. The
// counts of the last part are in the grid, because they become the ends of the cells.
func (s *sorter[T]) partOffsets(k int) []int32 {
	cells := s.grid.cells() + 1
	if k == s.parts-1 {
		return s.grid.start[1 : cells+1]
	}
	return s.offsets[k*cells : (k+1)*cells]
}

// runParts runs a body for all parts.
func runParts(pool *jobs.Pool, parts int, body func(lo, hi int)) {
	if pool == nil || parts == 1 {
		body(0, parts)
		return
	}
	if err := pool.Range(parts, 1, body); err != nil {
		panic(err) // a fault of a body, because no argument can cause one
	}
}

// countParts computes the cells of points, and counts the points of each cell.
func (s *sorter[T]) countParts(from, to int) {
	g := s.grid
	nowhere := uint32(g.cells())
	for k := from; k < to; k++ {
		lo, hi := s.partPoints(k)
		cell, counts := s.cells[lo:hi], s.partOffsets(k)
		clear(counts)
		x, y, z := s.from[0][lo:hi], s.from[1][lo:hi], s.from[1][lo:hi]
		if g.dims == 3 {
			z = s.from[2][lo:hi]
		}
		if g.sharesCells() {
			s.sharedCells(cell, x, y, z)
		} else {
			s.boxCells(cell, x, y, z)
		}
		for i, c := range cell {
			if c == cellOutside {
				c = s.scalarCell(Point[T]{x[i], y[i], z[i]})
				cell[i] = c
			}
			counts[min(c, nowhere)]++
		}
	}
}

// boxCells computes the cells of points with a kernel. Points that are not finite, or outside a periodic box, get the number
// cellOutside.
func (s *sorter[T]) boxCells(cell []uint32, x, y, z []T) {
	axes := &s.grid.axes
	var b kernelAxes[T]
	for a := range axes {
		axis := &axes[a]
		b.lengths[a], b.lengths[3+a], b.lengths[6+a], b.lengths[9+a] = axis.low, axis.cellsPerLength, -maxFinite[T](), T(math.Inf(1))
		if axis.period > 0 {
			b.lengths[6+a], b.lengths[9+a] = axis.low, axis.high
		}
		b.cellNumbers[a], b.cellNumbers[3+a] = axis.first+axis.omitted, axis.cells-1
		b.omitted[a], b.omitted[3+a] = axis.frontCells, axis.omitted
	}
	b.cellNumbers[6], b.cellNumbers[7] = axes[0].cells, axes[0].cells*axes[1].cells
	if s.grid.dims == 2 {
		b.lengths[8], b.lengths[11] = b.lengths[7], b.lengths[10] // z is y again, in a space of one layer
	}
	b.computeCells(cell, x, y, z)
}

// scalarCell computes the cell of a point for which the kernel returned cellOutside. Points that are not finite get a cell after all other
// cells.
func (s *sorter[T]) scalarCell(p Point[T]) uint32 {
	g := s.grid
	if g.dims == 2 {
		p.Z = 0
	}
	if !p.finite() {
		return uint32(g.cells())
	}
	return uint32(g.cellOf(coords(p)))
}

// prefixSums turns counts into offsets. The order of the points is by cell; within a cell, the points of the
// first part come first.
func (s *sorter[T]) prefixSums() {
	at := int32(0)
	if s.parts == 1 {
		counts := s.partOffsets(0)
		for c, n := range counts {
			counts[c], at = at, at+n
		}
	} else {
		cells := s.grid.cells() + 1
		last := s.partOffsets(s.parts - 1)
		for c := range last {
			for k := c; k < len(s.offsets); k += cells {
				s.offsets[k], at = at, at+s.offsets[k]
			}
			last[c], at = at, at+last[c]
		}
	}
	s.grid.start[0] = 0
}

// A packedPoint holds a point after scatterParts has moved it and before unpackParts copies
// it into lanes. Writing a packed point to a random row touches one cache line, whereas three
// lanes and the ids would touch four.
type packedPoint[T kernels.Float] struct {
	x, y, z T
	id      int32
}

// scatterParts moves the points of parts to their rows. It moves points without ids as packed
// points. Points with ids are mostly in order, so it moves them lane by lane.
func (s *sorter[T]) scatterParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := s.partPoints(k)
		cell, next := s.cells[lo:hi], s.partOffsets(k)
		x, y := s.from[0][lo:hi], s.from[1][lo:hi]
		z := y
		if s.grid.dims == 3 {
			z = s.from[2][lo:hi]
		}
		switch {
		case s.ids == nil:
			scatterRows(s.packedPoints, cell, next, x, y, z, int32(lo))
		case s.grid.dims == 3:
			scatter3(&s.to, s.toIDs, cell, next, x, y, z, s.ids[lo:hi])
		default:
			scatter2(&s.to, s.toIDs, cell, next, x, y, s.ids[lo:hi])
		}
	}
}

// scatterRows moves points whose ids are first, first+1 and so on. In a plane, the caller passes y
// for z.
func scatterRows[T kernels.Float](to []packedPoint[T], cell []uint32, next []int32, x, y, z []T, first int32) {
	x, y, z = x[:len(cell)], y[:len(cell)], z[:len(cell)]
	for i, c := range cell {
		at := uint(next[c])
		next[c] = int32(at) + 1
		p := &to[at]
		p.x, p.y, p.z, p.id = x[i], y[i], z[i], first+int32(i)
	}
}

// unpackParts copies packed points into lanes.
func (s *sorter[T]) unpackParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := s.partPoints(k)
		rows := s.packedPoints[lo:hi]
		x, y, ids := s.to[0][lo:hi], s.to[1][lo:hi], s.toIDs[lo:hi]
		x, y, ids = x[:len(rows)], y[:len(rows)], ids[:len(rows)]
		if s.grid.dims == 2 {
			for i := range rows {
				p := &rows[i]
				x[i], y[i], ids[i] = p.x, p.y, p.id
			}
			continue
		}
		z := s.to[2][lo:hi][:len(rows)]
		for i := range rows {
			p := &rows[i]
			x[i], y[i], z[i], ids[i] = p.x, p.y, p.z, p.id
		}
	}
}

// scatter3 moves points in space.
func scatter3[T kernels.Float](to *[3][]T, toIDs []int32, cell []uint32, next []int32, x, y, z []T, ids []int32) {
	tx, ty, tz := to[0], to[1], to[2]
	ty, tz, toIDs = ty[:len(tx)], tz[:len(tx)], toIDs[:len(tx)]
	x, y, z, ids = x[:len(cell)], y[:len(cell)], z[:len(cell)], ids[:len(cell)]
	for i, c := range cell {
		at := uint(next[c])
		next[c] = int32(at) + 1
		tx[at], ty[at], tz[at], toIDs[at] = x[i], y[i], z[i], ids[i]
	}
}

// scatter2 moves points in a plane.
func scatter2[T kernels.Float](to *[3][]T, toIDs []int32, cell []uint32, next []int32, x, y []T, ids []int32) {
	tx, ty := to[0], to[1]
	ty, toIDs = ty[:len(tx)], toIDs[:len(tx)]
	x, y, ids = x[:len(cell)], y[:len(cell)], ids[:len(cell)]
	for i, c := range cell {
		at := uint(next[c])
		next[c] = int32(at) + 1
		tx[at], ty[at], toIDs[at] = x[i], y[i], ids[i]
	}
}

// finishParts wraps points that are outside a periodic box. If the points were not in the order of their ids,
// it sorts the rows of each cell by id.
func (s *sorter[T]) finishParts(from, to int) {
	g := s.grid
	for k := from; k < to; k++ {
		n := int64(g.cells() + 1)
		lo, hi := n*int64(k)/int64(s.parts), n*int64(k+1)/int64(s.parts)
		if g.boundary == Periodic {
			for a := range g.dims {
				rows := s.to[a][g.start[lo]:min(g.start[hi], g.start[g.cells()])]
				for i, x := range rows {
					rows[i] = g.axes[a].wrap(x)
				}
			}
		}
		if s.ids != nil {
			for c := lo; c < hi; c++ {
				s.insertionSort(int(g.start[c]), int(g.start[c+1]))
			}
		}
	}
}

// insertionSort sorts rows by id. There are usually few rows, and they are mostly in order. If
// sorting takes too many steps, heapSort finishes it.
func (s *sorter[T]) insertionSort(lo, hi int) {
	ids, left := s.toIDs, 32*(hi-lo)
	for i := lo + 1; i < hi; i++ {
		for j := i; j > lo && ids[j] < ids[j-1]; j-- {
			s.swapRows(j, j-1)
			left--
		}
		if left < 0 {
			s.heapSort(lo, hi)
			return
		}
	}
}

// heapSort sorts rows by id.
func (s *sorter[T]) heapSort(lo, hi int) {
	ids := s.toIDs[lo:hi]
	sink := func(i, n int) {
		for down := 2*i + 1; down < n; down = 2*i + 1 {
			if down+1 < n && ids[down] < ids[down+1] {
				down++
			}
			if ids[i] >= ids[down] {
				return
			}
			s.swapRows(lo+i, lo+down)
			i = down
		}
	}
	for i := len(ids)/2 - 1; i >= 0; i-- {
		sink(i, len(ids))
	}
	for n := len(ids) - 1; n > 0; n-- {
		s.swapRows(lo, lo+n)
		sink(0, n)
	}
}

// swapRows swaps two rows.
func (s *sorter[T]) swapRows(i, j int) {
	s.toIDs[i], s.toIDs[j] = s.toIDs[j], s.toIDs[i]
	for a := range s.grid.dims {
		s.to[a][i], s.to[a][j] = s.to[a][j], s.to[a][i]
	}
}

// maxFinite returns the largest finite number.
func maxFinite[T kernels.Float]() T {
	if isFloat64[T]() {
		most := math.MaxFloat64
		return T(most)
	}
	return math.MaxFloat32
}
