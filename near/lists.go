package near

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/lanewise/lanewise/kernels"
)

// ErrTooMany is returned if there are more pairs than an int32 can count.
var ErrTooMany = errors.New("more pairs than 2^31-1")

// Lists holds the neighbours of each point (Verlet lists, in CSR form). The neighbours of row i are
// the rows Row[Start[i]:Start[i+1]], in ascending order. A Lists keeps its memory for the next
// call. The zero value is ready to use.
type Lists struct {
	Start, Row []int32

	blocks   [maxBlocks]listBlock
	parts    int
	total    atomic.Int64 // pairs so far: each block adds its own and stops when there are too many
	builder  any          // a *listBuilder of the type of the grid
	joinBody func(lo, hi int)
}

// A listBlock holds the pairs that one block of tiles found.
type listBlock struct {
	rows         []int32
	runs         []Run
	firstListRow int32 // first row of Lists.Row
	firstGridRow int32 // first row of the grid
	gridRowEnd   int32 // end of its rows of the grid
}

const (
	maxBlocks      = 64
	reportInterval = 1 << 16 // pairs after which a block adds to the total
)

// A listBuilder builds lists.
type listBuilder[T kernels.Float] struct {
	grid      *Grid[T]
	lists     *Lists
	radius    T
	pairsOnce bool
	limit     int64
	fillBody  func(lo, hi int)
}

// Neighbours fills l with the rows within r of each row. A row is not its own neighbour, and each
// pair occurs twice.
//
// Neighbours returns ErrTooMany if there are more than 2^31-1 entries. Neighbours panics if r is
// negative or NaN, or if points were added and not sorted.
func (g *Grid[T]) Neighbours(l *Lists, r T) error {
	return g.buildLists("Grid.Neighbours", l, r, false, maxPoints)
}

// Pairs fills l with all pairs within r of each other. Each pair occurs once,
// in the list of its first row.
//
// Pairs returns ErrTooMany if there are more than 2^31-1 pairs. Pairs panics if r is
// negative or NaN, or if points were added and not sorted.
func (g *Grid[T]) Pairs(l *Lists, r T) error {
	return g.buildLists("Grid.Pairs", l, r, true, maxPoints)
}

func (g *Grid[T]) buildLists(name string, l *Lists, r T, once bool, limit int64) error {
	g.checkSorted(name)
	checkRadius(name, r)
	work, ok := l.builder.(*listBuilder[T])
	if !ok || l.joinBody == nil {
		work = &listBuilder[T]{}
		work.fillBody = work.fillBlocks
		l.builder, l.joinBody = work, l.joinBlocks
	}
	work.grid, work.lists, work.radius, work.pairsOnce, work.limit = g, l, r, once, limit
	l.parts = 1
	if g.Pool != nil && g.rows() >= minParallel/4 {
		l.parts = min(maxBlocks, max(1, g.Tiles()))
	}
	l.Start = resizeSlice(l.Start, g.rows()+1)
	l.Start[0] = 0
	l.total.Store(0)
	if l.parts == 1 {
		l.blocks[0].rows = l.Row
	}
	runParts(g.Pool, l.parts, work.fillBody)
	work.grid, work.lists = nil, nil
	if n := l.total.Load(); n > limit {
		l.Start, l.Row = l.Start[:1], l.Row[:0]
		return fmt.Errorf("near: %s: r is %v: %w", name, r, ErrTooMany)
	}
	if l.parts == 1 {
		l.Row, l.blocks[0].rows = l.blocks[0].rows, nil
		return nil
	}
	from := int32(0)
	for k := range l.blocks[:l.parts] {
		l.blocks[k].firstListRow = from
		from += int32(len(l.blocks[k].rows))
	}
	l.Row = resizeSlice(l.Row, int(from))
	runParts(g.Pool, l.parts, l.joinBody)
	return nil
}

// joinBlocks copies the pairs of blocks into the lists.
func (l *Lists) joinBlocks(from, to int) {
	for k := from; k < to; k++ {
		b := &l.blocks[k]
		copy(l.Row[b.firstListRow:], b.rows)
		ends := l.Start[b.firstGridRow+1 : b.gridRowEnd+1]
		for i := range ends {
			ends[i] += b.firstListRow
		}
	}
}

// fillBlocks finds the neighbours of the rows of blocks.
func (w *listBuilder[T]) fillBlocks(from, to int) {
	g, l := w.grid, w.lists
	tiles := int64(g.Tiles())
	for k := from; k < to; k++ {
		b := &l.blocks[k]
		first, last := int(tiles*int64(k)/int64(l.parts)), int(tiles*int64(k+1)/int64(l.parts))
		b.firstGridRow, b.gridRowEnd = g.tiles[first], g.tiles[last]
		b.rows = b.rows[:0]
		for t := first; t < last && l.total.Load() <= w.limit; t++ {
			n := len(b.rows)
			rows := Run{g.tiles[t], g.tiles[t+1]}
			b.runs, _ = g.appendAround(b.runs[:0], rows, w.radius)
			for row := rows.Lo; row < rows.Hi; row++ {
				w.appendRow(b, row)
				l.Start[row+1] = int32(len(b.rows))
				if more := len(b.rows) - n; more >= reportInterval { // the pairs of one cell can exceed the memory
					n = len(b.rows)
					if l.total.Add(int64(more)) > w.limit {
						break
					}
				}
			}
			l.total.Add(int64(len(b.rows) - n))
		}
	}
}

// appendRow appends the neighbours of one row.
func (w *listBuilder[T]) appendRow(b *listBlock, row int32) {
	for _, run := range b.runs {
		if w.pairsOnce {
			run.Lo = max(run.Lo, row+1)
		}
		if run.Lo >= run.Hi {
			continue
		}
		if run.Lo <= row && row < run.Hi {
			b.rows = w.grid.appendNear(b.rows, Run{run.Lo, row}, row, w.radius)
			run.Lo = row + 1
		}
		b.rows = w.grid.appendNear(b.rows, run, row, w.radius)
	}
}

// appendNear appends those rows of a run that are within r of a row.
func (g *Grid[T]) appendNear(rows []int32, run Run, row int32, r T) []int32 {
	limit := r * r
	if g.boundary == Periodic {
		p := [3]T{g.rowCoords[0][row], g.rowCoords[1][row]}
		if g.dims == 3 {
			p[2] = g.rowCoords[2][row]
		}
		for j := run.Lo; j < run.Hi; j++ {
			if g.squaredDistance(j, p) <= limit {
				rows = append(rows, j)
			}
		}
		return rows
	}
	n, end := len(rows), len(rows)+int(run.Hi-run.Lo)
	for cap(rows) < end {
		rows = append(rows[:cap(rows)], 0)
	}
	out := rows[n:end]
	x, y := g.rowCoords[0][run.Lo:run.Hi], g.rowCoords[1][run.Lo:run.Hi]
	x, y = x[:len(out)], y[:len(out)]
	px, py := g.rowCoords[0][row], g.rowCoords[1][row]
	found := 0
	if g.dims == 2 {
		for j := range out {
			dx, dy := x[j]-px, y[j]-py
			out[found] = run.Lo + int32(j)
			if T(dx*dx)+T(dy*dy) <= limit {
				found++
			}
		}
		return rows[:n+found]
	}
	z, pz := g.rowCoords[2][run.Lo:run.Hi], g.rowCoords[2][row]
	z = z[:len(out)]
	for j := range out {
		dx, dy, dz := x[j]-px, y[j]-py, z[j]-pz
		out[found] = run.Lo + int32(j)
		if T(dx*dx)+T(dy*dy)+T(dz*dz) <= limit {
			found++
		}
	}
	return rows[:n+found]
}
