package near

import (
	"fmt"
	"math"
	"slices"

	"github.com/lanewise/lanewise/kernels"
)

// tileRows is the smallest number of rows of a tile, except for the last tile of a line of cells.
// It is about the number of rows in two vectors of a kernel. With fewer rows, most of a vector
// would be empty.
const tileRows = 12

// Tiles returns the number of tiles. A tile is a group of adjacent cells, and the tiles together
// hold all rows.
//
// Tiles panics if points were added and not sorted.
func (g *Grid[T]) Tiles() int {
	g.checkSorted("Grid.Tiles")
	return len(g.tiles) - 1
}

// buildTiles divides the cells into tiles, line by line.
func (g *Grid[T]) buildTiles() {
	across, cells := int(g.axes[0].cells), g.cells()
	g.tiles = g.tiles[:0]
	for line := 0; line < cells; line += across {
		if g.start[line] == g.start[line+across] {
			continue
		}
		first := g.start[line]
		g.tiles = append(g.tiles, first)
		for _, end := range g.start[line+1 : line+across] {
			if end-first >= tileRows && end < g.start[line+across] {
				first = end
				g.tiles = append(g.tiles, first)
			}
		}
	}
	g.tiles = append(g.tiles, g.start[cells])
}

// Tile holds some rows together with all rows that may be near them, in
// contiguous lanes. A kernel iterates over the lanes for each row of the tile. The zero value is
// ready to use. Load reuses the tile's memory.
type Tile[T kernels.Float] struct {
	Rows Run              // the rows of the tile
	Runs []Run            // rows that may be near them, including themselves
	At   kernels.Vec3s[T] // positions of the rows of the runs, run by run
	// Wraps is set if, in a periodic space, the nearest image of some rows may be across the
	// boundary. If Wraps is false, a kernel can use plain differences of coordinates as
	// displacements.
	Wraps bool
}

// Load sets t to tile k of a grid, with all rows that are within r of it. Load does not write to
// the grid, so each worker may load a tile of its own at the same time. Load allocates
// only if the memory of t is too small.
//
// Load panics if k is not below Tiles, if r is negative or NaN, or if points were
// added and not sorted.
func (t *Tile[T]) Load(g *Grid[T], k int, r T) {
	if n := g.Tiles(); k < 0 || k >= n {
		panic(fmt.Sprintf("near: Tile.Load: tile %d of %d", k, n))
	}
	checkRadius("Tile.Load", r)
	t.Rows = Run{g.tiles[k], g.tiles[k+1]}
	t.Runs, t.Wraps = g.appendAround(t.Runs[:0], t.Rows, r)
	n := countRows(t.Runs)
	t.At.X = copyRuns(resizeSlice(t.At.X, n+copySlack), g.laneWithSlack(0), t.Runs)[:n]
	t.At.Y = copyRuns(resizeSlice(t.At.Y, n+copySlack), g.laneWithSlack(1), t.Runs)[:n]
	if g.dims == 3 {
		t.At.Z = copyRuns(resizeSlice(t.At.Z, n+copySlack), g.laneWithSlack(2), t.Runs)[:n]
	}
}

// Gather returns the elements of a lane for the rows of the runs, run by run.
// The lane must have one element for each row of the grid. dst is memory for the
// result.
func (t *Tile[T]) Gather(dst, lane []T) []T {
	for _, run := range t.Runs {
		if int(run.Hi) > len(lane) {
			panic(fmt.Sprintf("near: Tile.Gather: the lane has %d elements, and the tile reads up to row %d: Load the tile again after the grid was built anew, and give a lane with one element for each row", len(lane), run.Hi))
		}
	}
	return copyRuns(resizeSlice(dst, countRows(t.Runs)), lane, t.Runs)
}

// copySlack is the number of elements that copyRunsFast may read and write after a run.
const copySlack = 48

// countRows returns the number of rows of runs.
func countRows(runs []Run) (n int) {
	for _, run := range runs {
		n += int(run.Hi - run.Lo)
	}
	return n
}

// laneWithSlack returns a lane of the grid, extended by up to copySlack elements of the memory
// after it.
func (g *Grid[T]) laneWithSlack(a int) []T {
	return g.rowCoords[a][:min(cap(g.rowCoords[a]), len(g.rowCoords[a])+copySlack)]
}

// copyRuns copies the elements of runs, one run after the other. It may write all of dst.
func copyRuns[T kernels.Float](dst, lane []T, runs []Run) []T {
	done := copyRunsFast(dst, lane, runs)
	at := countRows(runs[:done])
	for _, run := range runs[done:] {
		at += copy(dst[at:], lane[run.Lo:run.Hi])
	}
	return dst
}

// appendAround appends the runs of all points within r of the rows, and reports whether the search crosses the boundary of a periodic space.
func (g *Grid[T]) appendAround(runs []Run, rows Run, r T) (_ []Run, wraps bool) {
	if g.sharesCells() {
		return g.appendUnion(runs, rows, r), false
	}
	var lo, hi [3]int32
	for a := range g.axes {
		axis := &g.axes[a]
		least, great := T(0), T(0)
		if a < g.dims {
			least, great = minMax(g.rowCoords[a][rows.Lo:rows.Hi])
		}
		reach := axis.searchRadius(r)
		lo[a], hi[a] = axis.cellNumber(least-reach)-axis.first, axis.cellNumber(great+reach)-axis.first
		if axis.period > 0 && !(least-reach >= axis.low && great+reach < axis.high && great-least+reach < axis.period/2) {
			wraps = true
		}
	}
	return g.appendBox(runs, lo, hi), wraps
}

// minMax returns the minimum and the maximum of numbers, none of which may be NaN. It converts the numbers to integers
// that have the same order and compares these, because for integers the compiler emits conditional moves. For floats it
// emits branches, which would be mispredicted.
func minMax[T kernels.Float](lane []T) (least, great T) {
	switch lane := any(lane).(type) {
	case []float32:
		low := orderedBits32(lane[0])
		high := low
		for _, x := range lane[1:] {
			n := orderedBits32(x)
			low, high = min(low, n), max(high, n)
		}
		return T(math.Float32frombits(uint32(low ^ int32(uint32(low>>31)>>1)))), T(math.Float32frombits(uint32(high ^ int32(uint32(high>>31)>>1))))
	case []float64:
		low := orderedBits64(lane[0])
		high := low
		for _, x := range lane[1:] {
			n := orderedBits64(x)
			low, high = min(low, n), max(high, n)
		}
		return T(math.Float64frombits(uint64(low ^ int64(uint64(low>>63)>>1)))), T(math.Float64frombits(uint64(high ^ int64(uint64(high>>63)>>1))))
	}
	return least, great
}

// orderedBits32 maps a number to an integer such that the integers have the same order as the
// numbers. The operation on the bits is its own inverse.
func orderedBits32(x float32) int32 {
	n := int32(math.Float32bits(x))
	return n ^ int32(uint32(n>>31)>>1)
}

func orderedBits64(x float64) int64 {
	n := int64(math.Float64bits(x))
	return n ^ int64(uint64(n>>63)>>1)
}

// appendUnion does the work of appendAround for shared cells. It joins the runs of all rows,
// because the points of a shared cell may be far from each other.
func (g *Grid[T]) appendUnion(runs []Run, rows Run, r T) []Run {
	first := len(runs)
	for row := rows.Lo; row < rows.Hi; row++ {
		var p [3]T
		for a := range g.dims {
			p[a] = g.rowCoords[a][row]
		}
		runs = g.appendRuns(runs, p, r)
	}
	all := runs[first:]
	slices.SortFunc(all, func(a, b Run) int { return int(a.Lo - b.Lo) })
	n := 0
	for _, run := range all[1:] {
		if run.Lo <= all[n].Hi {
			all[n].Hi = max(all[n].Hi, run.Hi)
		} else {
			n++
			all[n] = run
		}
	}
	return runs[:first+n+1]
}

// TileRows returns the rows of tile k, without loading their neighbours.
//
// TileRows panics if k is not below Tiles, or if points were added and not sorted.
func (g *Grid[T]) TileRows(k int) Run {
	if n := g.Tiles(); k < 0 || k >= n {
		panic(fmt.Sprintf("near: Grid.TileRows: tile %d of %d", k, n))
	}
	return Run{g.tiles[k], g.tiles[k+1]}
}
