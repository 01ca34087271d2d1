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
	body       func(lo, hi int)
	joinBody   func(lo, hi int)
}

// A clusterBlock has the list of some clusters, and memory for making it.
type clusterBlock[T kernels.Float] struct {
	row     []int32
	runs    []Run
	at      [3][]T // the candidates of a cluster
	squares []T    // square of the distance of each from the nearest row of the cluster
	first   int32  // its first number in the list
	lo, hi  int    // clusters
}

// build makes a list; swap then replaces the old one by it.
func (b *clusterBuilder[T]) build(all *clusterRows[T], width int) error {
	n := len(all.order)
	clusters := (n + width - 1) / width
	b.all, b.width, b.parts = all, width, 1
	pool := b.clusters.Pool
	if pool != nil && n >= minParallel/4 {
		b.parts = min(maxBlocks, max(1, clusters))
	}
	b.sortCandidates()
	b.made[0] = resized(b.made[0], clusters+1)
	b.made[0][0] = 0
	b.total.Store(0)
	if b.parts == 1 {
		b.blocks[0].row = b.made[1]
	}
	runParts(pool, b.parts, b.body)
	b.all = nil
	if b.total.Load() > maxPoints {
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
	b.made[1] = resized(b.made[1], int(first))
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
		for cells := 1.0; ; space.Cell *= 2 { // fewer cells than points, or some thousand
			cells = 1
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
		block.row = block.row[:0]
		for i := block.lo; i < block.hi && b.total.Load() <= maxPoints; i++ {
			n := len(block.row)
			b.appendCluster(block, i)
			b.made[0][i+1] = int32(len(block.row))
			b.total.Add(int64(len(block.row) - n))
		}
	}
}

// appendCluster appends the list of cluster i.
func (b *clusterBuilder[T]) appendCluster(block *clusterBlock[T], i int) {
	n := len(b.all.order)
	lo, hi := i*b.width, min((i+1)*b.width, n)
	var rows [3][]T
	for a := range rows {
		rows[a] = b.all.all[a][lo:hi]
	}
	block.runs = b.appendCandidates(block.runs[:0], &rows)
	count := countRows(block.runs)
	for a := range block.at {
		block.at[a] = copyRuns(resized(block.at[a], count+copySlack), b.grid.laneWithSlack(a), block.runs)[:count]
	}
	block.squares = resized(block.squares, count)
	clusterSquares(block.squares, &block.at, &rows)
	limit := b.clusters.reach * b.clusters.reach
	first := len(block.row)
	end := first + count + 1 // each candidate is written, and the next one replaces it if it is too far
	for cap(block.row) < end {
		block.row = append(block.row[:cap(block.row)], 0)
	}
	out, found, squares := block.row[first:end], 0, block.squares
	for _, run := range block.runs {
		ids := b.grid.ids[run.Lo:run.Hi]
		of := squares[:len(ids)]
		squares = squares[len(ids):]
		for k, id := range ids {
			out[found] = id
			if of[k] <= limit {
				found++
			}
		}
	}
	block.row = block.row[:first+found]
}

// appendCandidates appends the runs of the rows that may be near a cluster.
func (b *clusterBuilder[T]) appendCandidates(runs []Run, rows *[3][]T) []Run {
	g, reach := b.grid, b.clusters.reach
	var lo, hi [3]int32
	wide := T(0)
	for a := range rows {
		least, great := minMax(rows[a])
		axis := &g.axes[a]
		lo[a], hi[a] = axis.cellNumber(least-reach)-axis.first, axis.cellNumber(great+reach)-axis.first
		wide = max(wide, great-least)
	}
	if wide <= 4*reach && !g.sharesCells() {
		return g.appendBox(runs, lo, hi)
	}
	first := len(runs)
	for i := range rows[0] { // rows far from each other
		runs = g.appendRuns(runs, [3]T{rows[0][i], rows[1][i], rows[2][i]}, reach)
	}
	all := runs[first:]
	slices.SortFunc(all, func(a, b Run) int { return int(a.Lo - b.Lo) })
	return runs[:first+mergeRuns(all)]
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

// nearestSquares computes the square of the distance of each candidate from the nearest of some rows. most is larger than each of them.
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
