package near

import (
	"fmt"
	"math"
	"slices"

	"github.com/lanewise/lanewise/kernels"
)

// tileRows is how many rows a tile has at least, if its cells are not the last ones of
// their line: about as many as two vectors of a kernel.
const tileRows = 12

// Tiles returns into how many tiles the rows are cut: cells behind each other.
//
// It panics if points were added and not sorted.
func (g *Grid[T]) Tiles() int {
	g.ready("Grid.Tiles")
	return len(g.tiles) - 1
}

// cutTiles cuts the cells into tiles, line by line.
func (g *Grid[T]) cutTiles() {
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

// Tile is some rows, and all that may be near them in a piece: a kernel whose rows are
// those of the tile goes through the others in order, for each of its rows. The zero
// value is ready; its memory is used again by the next Load.
type Tile[T kernels.Float] struct {
	Rows Run              // the rows of the tile
	Runs []Run            // what may be near them, they themselves too
	At   kernels.Vec3s[T] // where the points of the runs are, run by run
	// Wraps says, in a periodic space, that the nearest image of some may be beyond a
	// border. If not, differences of coordinates are ways.
	Wraps bool
}

// Load makes t the tile k of a grid, with all that is within r of it. It does not write
// to the grid: each worker may have a tile.
//
// It panics if there is no such tile, if r is negative or NaN, or if points were added
// and not sorted.
func (t *Tile[T]) Load(g *Grid[T], k int, r T) {
	if n := g.Tiles(); k < 0 || k >= n {
		panic(fmt.Sprintf("near: Tile.Load: tile %d of %d", k, n))
	}
	notNegative("Tile.Load", r)
	t.Rows = Run{g.tiles[k], g.tiles[k+1]}
	t.Runs, t.Wraps = g.appendAround(t.Runs[:0], t.Rows, r)
	n := rowsOf(t.Runs)
	t.At.X = gather(grown(t.At.X, n+spill), g.spilling(0), t.Runs)[:n]
	t.At.Y = gather(grown(t.At.Y, n+spill), g.spilling(1), t.Runs)[:n]
	if g.dims == 3 {
		t.At.Z = gather(grown(t.At.Z, n+spill), g.spilling(2), t.Runs)[:n]
	}
}

// Gather returns what a lane has in the rows of the runs, run by run. The lane has one
// element for each row of the grid; dst is memory to use again.
func (t *Tile[T]) Gather(dst, lane []T) []T {
	for _, run := range t.Runs {
		if int(run.Hi) > len(lane) {
			panic(fmt.Sprintf("near: Tile.Gather: the lane has %d elements, and the tile reads up to row %d: Load the tile again after the grid was built anew, and give a lane with one element for each row", len(lane), run.Hi))
		}
	}
	return gather(grown(dst, rowsOf(t.Runs)), lane, t.Runs)
}

// spill is how many elements copyRunsFast may read and write behind a run.
const spill = 48

// rowsOf returns how many rows some runs have.
func rowsOf(runs []Run) (n int) {
	for _, run := range runs {
		n += int(run.Hi - run.Lo)
	}
	return n
}

// spilling returns a lane of the grid with memory behind it, as far as there is some that may be read.
func (g *Grid[T]) spilling(a int) []T { return g.at[a][:min(cap(g.at[a]), len(g.at[a])+spill)] }

// gather copies the elements of runs, one run behind the other. It may write all of dst.
func gather[T kernels.Float](dst, lane []T, runs []Run) []T {
	done := copyRunsFast(dst, lane, runs)
	at := rowsOf(runs[:done])
	for _, run := range runs[done:] {
		at += copy(dst[at:], lane[run.Lo:run.Hi])
	}
	return dst
}

// appendAround appends the runs of all that is within r of some rows, and reports
// whether it reaches beyond the border of a periodic space.
func (g *Grid[T]) appendAround(runs []Run, rows Run, r T) (_ []Run, wraps bool) {
	if g.folds() {
		return g.appendUnion(runs, rows, r), false
	}
	var lo, hi [3]int32
	for a := range g.axes {
		axis := &g.axes[a]
		least, great := T(0), T(0)
		if a < g.dims {
			least, great = extremes(g.at[a][rows.Lo:rows.Hi])
		}
		reach := axis.reach(r)
		lo[a], hi[a] = axis.cell(least-reach)-axis.first, axis.cell(great+reach)-axis.first
		if axis.side > 0 && !(least-reach >= axis.low && great+reach < axis.high && great-least+reach < axis.side/2) {
			wraps = true
		}
	}
	return g.appendBox(runs, lo, hi), wraps
}

// extremes returns the least and the greatest of numbers, none of which is NaN. Those that are
// to be compared are integers in the same order: for these the compiler chooses without a branch,
// which would be mispredicted.
func extremes[T kernels.Float](lane []T) (least, great T) {
	switch lane := any(lane).(type) {
	case []float32:
		low := ordered32(lane[0])
		high := low
		for _, x := range lane[1:] {
			n := ordered32(x)
			low, high = min(low, n), max(high, n)
		}
		return T(math.Float32frombits(uint32(low ^ int32(uint32(low>>31)>>1)))), T(math.Float32frombits(uint32(high ^ int32(uint32(high>>31)>>1))))
	case []float64:
		low := ordered64(lane[0])
		high := low
		for _, x := range lane[1:] {
			n := ordered64(x)
			low, high = min(low, n), max(high, n)
		}
		return T(math.Float64frombits(uint64(low ^ int64(uint64(low>>63)>>1)))), T(math.Float64frombits(uint64(high ^ int64(uint64(high>>63)>>1))))
	}
	return least, great
}

// ordered32 returns an integer that is less where the number is; what it does is undone by doing it again.
func ordered32(x float32) int32 {
	n := int32(math.Float32bits(x))
	return n ^ int32(uint32(n>>31)>>1)
}

func ordered64(x float64) int64 {
	n := int64(math.Float64bits(x))
	return n ^ int64(uint64(n>>63)>>1)
}

// appendUnion does it where a cell may hold points that are far from each other.
func (g *Grid[T]) appendUnion(runs []Run, rows Run, r T) []Run {
	first := len(runs)
	for row := rows.Lo; row < rows.Hi; row++ {
		var p [3]T
		for a := range g.dims {
			p[a] = g.at[a][row]
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
