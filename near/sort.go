package near

import (
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

const (
	alone     = 1 << 14 // points that are not worth waking a worker for
	mostParts = 16      // into which points are cut
	strange   = math.MaxUint32
)

// A sorter is the work of sorting, and its memory. The bodies of the loops are made
// once, so that sorting allocates nothing.
type sorter[T kernels.Float] struct {
	grid   *Grid[T]
	from   [3][]T  // the points that are sorted
	ids    []int32 // theirs, nil for 0, 1, 2 …
	to     [3][]T
	toIDs  []int32
	moved  [3][]T  // memory for the next Move: a caller that has lanes of At from before it may give them to Add
	spare  []int32 // the same of ids
	cell   []uint32
	rows   []row[T] // points on the way
	parts  int
	next   []int32 // of each part but the last, where the next point of a cell goes
	extent [mostParts]extent[T]

	extend, count, scatter, unzip, settle func(lo, hi int)
}

// sort sorts points by their cells: those that are given, with ids or in the order of
// them.
func (s *sorter[T]) sort(g *Grid[T], from [3][]T, ids []int32) {
	n := len(from[0])
	if s.grid != g {
		*s = sorter[T]{grid: g}
		s.extend, s.count, s.scatter, s.unzip, s.settle = s.extendParts, s.countParts, s.scatterParts, s.unzipParts, s.settleParts
	}
	s.from, s.ids, s.parts = from, ids, 1
	if g.Pool != nil && n >= alone {
		s.parts = min(g.Pool.Workers(), n/(alone/4), mostParts)
	}
	if g.border == Endless {
		s.fold()
	}
	s.parts = max(1, min(s.parts, 16*n/g.cells())) // counts are to be less than points
	s.cell = grown(s.cell, n)
	g.start = grown(g.start, g.cells()+2)
	s.next = grown(s.next, (s.parts-1)*(g.cells()+1))
	s.room(n)
	spread(g.Pool, s.parts, s.count)
	s.place()
	spread(g.Pool, s.parts, s.scatter)
	if ids == nil {
		spread(g.Pool, s.parts, s.unzip)
	}
	if g.border == Periodic || ids != nil {
		spread(g.Pool, s.parts, s.settle)
	}
	if ids != nil {
		g.at, s.moved = s.to, g.at
		g.ids, s.spare = s.toIDs, g.ids
	}
	g.sorted = true
	s.from, s.to, s.ids, s.toIDs = [3][]T{}, [3][]T{}, nil, nil
	g.cutTiles()
}

// room makes room for n sorted points.
func (s *sorter[T]) room(n int) {
	g := s.grid
	to, ids := &g.at, &g.ids
	if s.ids != nil {
		to, ids = &s.moved, &s.spare
	}
	for a := range g.dims {
		to[a] = grown(to[a], n)
	}
	*ids = grown(*ids, n)
	s.to, s.toIDs = *to, *ids
	if s.ids == nil {
		s.rows = grown(s.rows, n)
	}
}

// part returns the points of a part.
func (s *sorter[T]) part(k int) (lo, hi int) {
	n := int64(len(s.from[0]))
	return int(n * int64(k) / int64(s.parts)), int(n * int64(k+1) / int64(s.parts))
}

// counts returns the counts of a part: those of the last one are in the grid, for what
// they are in the end is where cells end.
func (s *sorter[T]) counts(k int) []int32 {
	cells := s.grid.cells() + 1
	if k == s.parts-1 {
		return s.grid.start[1 : cells+1]
	}
	return s.next[k*cells : (k+1)*cells]
}

// spread runs a body for all parts.
func spread(pool *jobs.Pool, parts int, body func(lo, hi int)) {
	if pool == nil || parts == 1 {
		body(0, parts)
		return
	}
	if err := pool.Range(parts, 1, body); err != nil {
		panic(err) // of a body: there is nothing in it that a caller can cause
	}
}

// countParts finds the cells of points, and counts.
func (s *sorter[T]) countParts(from, to int) {
	g := s.grid
	nowhere := uint32(g.cells())
	for k := from; k < to; k++ {
		lo, hi := s.part(k)
		cell, counts := s.cell[lo:hi], s.counts(k)
		clear(counts)
		x, y, z := s.from[0][lo:hi], s.from[1][lo:hi], s.from[1][lo:hi]
		if g.dims == 3 {
			z = s.from[2][lo:hi]
		}
		if g.folds() {
			s.foldCells(cell, x, y, z)
		} else {
			s.boxCells(cell, x, y, z)
		}
		for i, c := range cell {
			if c == strange {
				c = s.scalarCell(Point[T]{x[i], y[i], z[i]})
				cell[i] = c
			}
			counts[min(c, nowhere)]++
		}
	}
}

// boxCells finds the cells of points, by kernel. Those that are not finite, or outside
// of a periodic box, are strange.
func (s *sorter[T]) boxCells(cell []uint32, x, y, z []T) {
	axes := &s.grid.axes
	var b bounds[T]
	for a := range axes {
		axis := &axes[a]
		b.lengths[a], b.lengths[3+a], b.lengths[6+a], b.lengths[9+a] = axis.low, axis.inv, -greatest[T](), T(math.Inf(1))
		if axis.side > 0 {
			b.lengths[6+a], b.lengths[9+a] = axis.low, axis.high
		}
		b.numbers[a], b.numbers[3+a] = axis.first+axis.gap, axis.cells-1
		b.front[a], b.front[3+a] = axis.front, axis.gap
	}
	b.numbers[6], b.numbers[7] = axes[0].cells, axes[0].cells*axes[1].cells
	if s.grid.dims == 2 {
		b.lengths[8], b.lengths[11] = b.lengths[7], b.lengths[10] // z is y again, in a space of one layer
	}
	b.cells(cell, x, y, z)
}

// scalarCell finds the cell of a point for which the kernel has said strange: one outside of a
// periodic box, or one that is not finite, whose cell is behind all others.
func (s *sorter[T]) scalarCell(p Point[T]) uint32 {
	g := s.grid
	if g.dims == 2 {
		p.Z = 0
	}
	if !p.finite() {
		return uint32(g.cells())
	}
	return uint32(g.cellOf(lanes(p)))
}

// place turns counts into places: the first cell's first, and of these the points of
// the first part.
func (s *sorter[T]) place() {
	at := int32(0)
	if s.parts == 1 {
		counts := s.counts(0)
		for c, n := range counts {
			counts[c], at = at, at+n
		}
	} else {
		cells := s.grid.cells() + 1
		last := s.counts(s.parts - 1)
		for c := range last {
			for k := c; k < len(s.next); k += cells {
				s.next[k], at = at, at+s.next[k]
			}
			last[c], at = at, at+last[c]
		}
	}
	s.grid.start[0] = 0
}

// A row is a point on the way to its place: it goes there by one line of memory, where each lane would
// be one of its own, which is what scattered points take their time for.
type row[T kernels.Float] struct {
	x, y, z T
	id      int32
}

// scatterParts moves the points of parts to their places: those that were in another order as rows,
// those that have ids, and are mostly in order, lane by lane.
func (s *sorter[T]) scatterParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := s.part(k)
		cell, next := s.cell[lo:hi], s.counts(k)
		x, y := s.from[0][lo:hi], s.from[1][lo:hi]
		z := y
		if s.grid.dims == 3 {
			z = s.from[2][lo:hi]
		}
		switch {
		case s.ids == nil:
			scatterRows(s.rows, cell, next, x, y, z, int32(lo))
		case s.grid.dims == 3:
			scatter3(&s.to, s.toIDs, cell, next, x, y, z, s.ids[lo:hi])
		default:
			scatter2(&s.to, s.toIDs, cell, next, x, y, s.ids[lo:hi])
		}
	}
}

// scatterRows moves points with the ids from first on; in a plane z is y.
func scatterRows[T kernels.Float](to []row[T], cell []uint32, next []int32, x, y, z []T, first int32) {
	x, y, z = x[:len(cell)], y[:len(cell)], z[:len(cell)]
	for i, c := range cell {
		at := uint(next[c])
		next[c] = int32(at) + 1
		p := &to[at]
		p.x, p.y, p.z, p.id = x[i], y[i], z[i], first+int32(i)
	}
}

// unzipParts brings rows into lanes.
func (s *sorter[T]) unzipParts(from, to int) {
	for k := from; k < to; k++ {
		lo, hi := s.part(k)
		rows := s.rows[lo:hi]
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

// settleParts puts images inside for points outside of a periodic box, and orders the
// rows of cells by their ids, for points that were not in the order of these.
func (s *sorter[T]) settleParts(from, to int) {
	g := s.grid
	for k := from; k < to; k++ {
		n := int64(g.cells() + 1)
		lo, hi := n*int64(k)/int64(s.parts), n*int64(k+1)/int64(s.parts)
		if g.border == Periodic {
			for a := range g.dims {
				rows := s.to[a][g.start[lo]:min(g.start[hi], g.start[g.cells()])]
				for i, x := range rows {
					rows[i] = g.axes[a].wrap(x)
				}
			}
		}
		if s.ids != nil {
			for c := lo; c < hi; c++ {
				s.insert(int(g.start[c]), int(g.start[c+1]))
			}
		}
	}
}

// insert orders rows by their ids; mostly there are few, and most are in order. Where
// that takes too long, as many have come together, a heap orders them.
func (s *sorter[T]) insert(lo, hi int) {
	ids, left := s.toIDs, 32*(hi-lo)
	for i := lo + 1; i < hi; i++ {
		for j := i; j > lo && ids[j] < ids[j-1]; j-- {
			s.swap(j, j-1)
			left--
		}
		if left < 0 {
			s.heap(lo, hi)
			return
		}
	}
}

// heap orders rows by their ids.
func (s *sorter[T]) heap(lo, hi int) {
	ids := s.toIDs[lo:hi]
	sink := func(i, n int) {
		for down := 2*i + 1; down < n; down = 2*i + 1 {
			if down+1 < n && ids[down] < ids[down+1] {
				down++
			}
			if ids[i] >= ids[down] {
				return
			}
			s.swap(lo+i, lo+down)
			i = down
		}
	}
	for i := len(ids)/2 - 1; i >= 0; i-- {
		sink(i, len(ids))
	}
	for n := len(ids) - 1; n > 0; n-- {
		s.swap(lo, lo+n)
		sink(0, n)
	}
}

// swap swaps two rows.
func (s *sorter[T]) swap(i, j int) {
	s.toIDs[i], s.toIDs[j] = s.toIDs[j], s.toIDs[i]
	for a := range s.grid.dims {
		s.to[a][i], s.to[a][j] = s.to[a][j], s.to[a][i]
	}
}

// greatest returns the greatest number that is finite.
func greatest[T kernels.Float]() T {
	if isDouble[T]() {
		most := math.MaxFloat64
		return T(most)
	}
	return math.MaxFloat32
}
