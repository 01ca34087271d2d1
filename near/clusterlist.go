package near

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/kernels"
)

// A clusterBuilder makes the list of clusters. It sorts rows and images with a grid, and compares each cluster with the rows of the cells around it.
type clusterBuilder[T kernels.Float] struct {
	clusters   *Clusters[T]
	grid       *Grid[T]
	start, row []int32
	made       [2][]int32 // start and row of the list that is being made
	all        *clusterRows[T]
	width      int
	parts      int
	blocks     [maxBlocks]clusterBlock[T]
	total      atomic.Int64
	limit      int64 // of total
	body       func(lo, hi int)
	joinBody   func(lo, hi int)
}

// A clusterBlock has the list of some clusters, and memory for making it.
type clusterBlock[T kernels.Float] struct {
	row     []int32
	chunk   int     // the rows whose candidates are loaded; -1 if there are none
	runs    []Run   // the candidates
	at      [3][]T  // their positions
	ids     []int32 // their rows
	squares []T     // square of the distance of each from the nearest row of the cluster
	first   int32   // its first number in the list
	lo, hi  int     // clusters
}

// build makes a new list. swap then replaces the old list by the new list.
func (b *clusterBuilder[T]) build(all *clusterRows[T], width int) error {
	n := len(all.order)
	if n == 0 {
		b.made[0], b.made[1] = append(b.made[0][:0], 0), b.made[1][:0]
		return nil
	}
	clusters := (n + width - 1) / width
	b.all, b.width, b.parts = all, width, 1
	pool := b.clusters.Pool
	if pool != nil && n >= minParallel/4 {
		b.parts = min(maxBlocks, max(1, clusters))
	}
	b.sortCandidates()
	b.made[0] = resizeSlice(b.made[0], clusters+1)
	b.made[0][0] = 0
	b.total.Store(0)
	if b.parts == 1 {
		b.blocks[0].row = b.made[1]
	}
	runParts(pool, b.parts, b.body)
	b.all = nil
	if b.total.Load() > b.limit {
		return ErrTooMany
	}
	if b.parts == 1 {
		b.made[1], b.blocks[0].row = b.blocks[0].row, nil
		return nil
	}
	first := int32(0)
	for k := range b.blocks[:b.parts] {
		b.blocks[k].first = first
		first += int32(len(b.blocks[k].row))
	}
	b.made[1] = resizeSlice(b.made[1], int(first))
	runParts(pool, b.parts, b.joinBody)
	return nil
}

// swap takes the list that build has made.
func (b *clusterBuilder[T]) swap() {
	b.start, b.row, b.made[0], b.made[1] = b.made[0], b.made[1], b.start, b.row
}

// sortCandidates sorts rows and images by cell.
func (b *clusterBuilder[T]) sortCandidates() {
	c := b.clusters
	b.grid.Pool = c.Pool
	space := Space[T]{Dims: 3, Low: c.space.Low, High: c.space.High, Cell: c.reach / 2, Border: c.space.Border}
	if space.Border == Periodic {
		space.Border = Walled
		for _, p := range []*T{&space.Low.X, &space.Low.Y, &space.Low.Z} {
			*p -= c.reach
		}
		for _, p := range []*T{&space.High.X, &space.High.Y, &space.High.Z} {
			*p += c.reach
		}
	}
	if low, high := coords(space.Low), coords(space.High); space.Border == Walled {
		for ; ; space.Cell *= 2 { // until there are at most four cells for each point, or some thousand
			cells := 1.0
			for a := range 3 {
				cells *= max(1, float64((high[a]-low[a])/space.Cell))
			}
			if cells <= float64(4*len(b.all.all[0])+1<<12) {
				break
			}
		}
	}
	b.grid.axes = space.axes()
	b.grid.Build(b.all.all[0], b.all.all[1], b.all.all[2])
}

// joinBlocks copies the lists of blocks into one.
func (b *clusterBuilder[T]) joinBlocks(from, to int) {
	for k := from; k < to; k++ {
		block := &b.blocks[k]
		copy(b.made[1][block.first:], block.row)
		ends := b.made[0][block.lo+1 : block.hi+1]
		for i := range ends {
			ends[i] += block.first
		}
	}
}

// fillBlocks makes the lists of the clusters of blocks.
func (b *clusterBuilder[T]) fillBlocks(from, to int) {
	clusters := int64(len(b.made[0]) - 1)
	for k := from; k < to; k++ {
		block := &b.blocks[k]
		block.lo, block.hi = int(clusters*int64(k)/int64(b.parts)), int(clusters*int64(k+1)/int64(b.parts))
		block.row, block.chunk = block.row[:0], -1
		for i := block.lo; i < block.hi && b.total.Load() <= b.limit; i++ {
			n := len(block.row)
			b.appendCluster(block, i)
			b.made[0][i+1] = int32(len(block.row))
			b.total.Add(int64(len(block.row) - n))
		}
	}
}

// appendCluster appends the list of cluster i. The candidates are the points near its chunk of 16 rows. All clusters of the
// chunk share them.
func (b *clusterBuilder[T]) appendCluster(block *clusterBlock[T], i int) {
	lo := i * b.width
	if chunk := lo / clusterChunk; chunk != block.chunk {
		block.chunk = chunk
		b.loadCandidates(block, b.rowsFrom(chunk*clusterChunk, clusterChunk))
	}
	rows := b.rowsFrom(lo, b.width)
	clusterSquares(block.squares, &block.at, &rows)
	limit := b.clusters.reach * b.clusters.reach
	first := len(block.row)
	end := first + len(block.squares) + 1 // each candidate is written, and the next one replaces it if it is too far
	for cap(block.row) < end {
		block.row = append(block.row[:cap(block.row)], 0)
	}
	out, found := block.row[first:end], 0
	squares := block.squares[:len(block.ids)]
	for k, id := range block.ids {
		out[found] = id
		if squares[k] <= limit {
			found++
		}
	}
	block.row = block.row[:first+found]
}

// rowsFrom returns the positions of n rows from row lo on, or of fewer rows at the end.
func (b *clusterBuilder[T]) rowsFrom(lo, n int) (rows [3][]T) {
	hi := min(lo+n, len(b.all.order))
	for a := range rows {
		rows[a] = b.all.all[a][lo:hi]
	}
	return rows
}

// loadCandidates copies the rows that may be near some rows.
func (b *clusterBuilder[T]) loadCandidates(block *clusterBlock[T], rows [3][]T) {
	block.runs = b.appendCandidates(block.runs[:0], &rows)
	count := countRows(block.runs)
	for a := range block.at {
		block.at[a] = copyRuns(resizeSlice(block.at[a], count+copySlack), b.grid.laneWithSlack(a), block.runs)[:count]
	}
	block.ids = block.ids[:0]
	for _, run := range block.runs {
		block.ids = append(block.ids, b.grid.ids[run.Lo:run.Hi]...)
	}
	block.squares = resizeSlice(block.squares, count)
}

// appendCandidates appends the runs of the rows that may be near a cluster.
func (b *clusterBuilder[T]) appendCandidates(runs []Run, rows *[3][]T) []Run {
	g, reach := b.grid, b.clusters.reach
	var least, great [3]T
	wide := T(0)
	for a := range rows {
		least[a], great[a] = minMax(rows[a])
		wide = max(wide, great[a]-least[a])
	}
	if wide <= 4*reach && !g.sharesCells() {
		if runs, ok := b.appendNearBox(runs, &least, &great); ok {
			return runs
		}
	}
	first := len(runs)
	for i := range rows[0] { // rows far from each other, or cells of a hash
		runs = g.appendRuns(runs, [3]T{rows[0][i], rows[1][i], rows[2][i]}, reach)
	}
	all := runs[first:]
	slices.SortFunc(all, func(a, b Run) int { return int(a.Lo - b.Lo) })
	return runs[:first+mergeRuns(all)]
}

// appendNearBox appends the runs of the cells that are within reach of a box. It leaves out cells in the corners that are farther away than the
// reach; these are half of all cells. If there are too many cells, it appends no run, and ok is false.
func (b *clusterBuilder[T]) appendNearBox(runs []Run, least, great *[3]T) (_ []Run, ok bool) {
	g, reach := b.grid, b.clusters.reach
	var gaps [3]cellGaps[T]
	for a := range gaps {
		if !gaps[a].find(&g.axes[a], least[a], great[a], reach) {
			return runs, false
		}
	}
	first, limit := len(runs), T(reach*reach)
	x := &gaps[0]
	for k, dz := range gaps[2].squares[:gaps[2].count] {
		for j, dy := range gaps[1].squares[:gaps[1].count] {
			lo, hi := 0, x.count-1
			rest := limit - (dy + dz)
			for lo <= hi && x.squares[lo] > rest {
				lo++
			}
			for lo <= hi && x.squares[hi] > rest {
				hi--
			}
			if lo <= hi {
				line := ((gaps[2].first+k)*int(g.axes[1].cells)+gaps[1].first+j)*int(g.axes[0].cells) + x.first
				runs = appendRun(runs, first, Run{g.start[line+lo], g.start[line+hi+1]})
			}
		}
	}
	return runs, true
}

// cellGaps holds, for some cells of an axis, the square of the distance from a range to the cell,
// rounded down.
type cellGaps[T kernels.Float] struct {
	first, count int
	squares      [16]T
}

// find finds the cells that are within reach of the range from least to great, and reports whether there are
// few enough for c. The range is at most four times as wide as the reach, and a cell is at least half as wide
// as the reach, so usually there are at most 14 cells. There can be more only if the coordinates are so large
// that their last digit is nearly as large as a cell. The first and the last cell of the axis also contain
// all points beyond them. The slack makes up for rounding errors of cell numbers, which grow with the
// distance from the zero of the axis.
func (c *cellGaps[T]) find(a *axis[T], least, great, reach T) bool {
	lo, hi := a.clampToPart(max(a.cellNumber(least-reach)-a.first, 0)), a.clampToPart(max(a.cellNumber(great+reach)-a.first, 0))
	c.first, c.count = int(lo), int(hi-lo)+1
	if c.count > len(c.squares) {
		return false
	}
	width, first := 1/float64(a.cellsPerLength), float64(a.first)
	slack := float64(width * (0.0625 + float64((float64(a.cells)+math.Abs(first))*0x1p-20)))
	from, to := float64(least)-float64(a.low), float64(great)-float64(a.low)
	for k := range c.squares[:c.count] {
		cell, gap := lo+int32(k), 0.0
		if cell > 0 {
			gap = max(gap, float64((float64(cell)+first)*width)-slack-to)
		}
		if cell < a.cells-1 {
			gap = max(gap, from-slack-float64((float64(cell)+first+1)*width))
		}
		c.squares[k] = T(gap * gap)
	}
	return true
}

// mergeRuns joins sorted runs that touch or overlap, and returns their number.
func mergeRuns(all []Run) int {
	if len(all) == 0 {
		return 0
	}
	n := 0
	for _, run := range all[1:] {
		if run.Lo <= all[n].Hi {
			all[n].Hi = max(all[n].Hi, run.Hi)
		} else {
			n++
			all[n] = run
		}
	}
	return n + 1
}

// clusterSquares computes, for each candidate, the square of its distance from the nearest row of a cluster.
func clusterSquares[T kernels.Float](squares []T, at, rows *[3][]T) {
	switch squares := any(squares).(type) {
	case []float32:
		p, q := any(at).(*[3][]float32), any(rows).(*[3][]float32)
		clusterSquares32(squares, p[0], p[1], p[2], q[0], q[1], q[2], math.MaxFloat32)
	case []float64:
		p, q := any(at).(*[3][]float64), any(rows).(*[3][]float64)
		clusterSquares64(squares, p[0], p[1], p[2], q[0], q[1], q[2], math.MaxFloat64)
	}
}

// nearestSquares computes, for each candidate, the square of the distance from the nearest of some rows. most
// is larger than each of these squares.
//
//lanec:kernel clusterSquares32[float32]
//lanec:kernel clusterSquares64[float64]
func nearestSquares[T kernels.Float](squares, x, y, z, rowX, rowY, rowZ []T, most T) {
	for i := range squares {
		px, py, pz := x[i], y[i], z[i]
		least := most
		for j := range rowX {
			dx, dy, dz := px-rowX[j], py-rowY[j], pz-rowZ[j]
			square := (T(dx*dx) + T(dy*dy)) + T(dz*dz)
			if square < least {
				least = square
			}
		}
		squares[i] = least
	}
}
