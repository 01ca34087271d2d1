package near

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/lanewise/lanewise/kernels"
)

// ErrTooMany is returned where there are more pairs than an int32 can count.
var ErrTooMany = errors.New("more pairs than 2^31-1")

// Lists are the neighbours of each point: those of row i are the rows
// Row[Start[i]:Start[i+1]], in order. It keeps its memory for the next time. The zero
// value is ready.
type Lists struct {
	Start, Row []int32

	blocks [mostBlocks]block
	parts  int
	total  atomic.Int64 // pairs so far: each block adds its own and stops when there are too many; read as a whole when all have ended
	work   any          // the listing of the type of the grid
	join   func(lo, hi int)
}

// A block is what one piece of the tiles found.
type block struct {
	rows []int32
	runs []Run
	from int32 // where its rows go
	lo   int32 // the rows of the grid that it looked from
	hi   int32
}

const (
	mostBlocks = 64
	often      = 1 << 16 // pairs that a block finds before it tells the others
)

// A listing is the work of making lists.
type listing[T kernels.Float] struct {
	g    *Grid[T]
	l    *Lists
	r    T
	once bool
	most int64
	fill func(lo, hi int)
}

// Neighbours makes lists of all within r of each row, without the row itself: each pair
// is there twice.
//
// It returns ErrTooMany if there are more than 2^31-1. It panics if r is negative or NaN,
// or if points were added and not sorted.
func (g *Grid[T]) Neighbours(l *Lists, r T) error {
	return g.list("Grid.Neighbours", l, r, false, most)
}

// Pairs makes lists of all pairs within r of each other. Each pair is there once, in the
// list of its first row.
//
// It returns ErrTooMany if there are more than 2^31-1. It panics if r is negative or NaN,
// or if points were added and not sorted.
func (g *Grid[T]) Pairs(l *Lists, r T) error { return g.list("Grid.Pairs", l, r, true, most) }

func (g *Grid[T]) list(name string, l *Lists, r T, once bool, limit int64) error {
	g.ready(name)
	notNegative(name, r)
	work, ok := l.work.(*listing[T])
	if !ok || l.join == nil {
		work = &listing[T]{}
		work.fill = work.fillBlocks
		l.work, l.join = work, l.joinBlocks
	}
	work.g, work.l, work.r, work.once, work.most = g, l, r, once, limit
	l.parts = 1
	if g.Pool != nil && g.rows() >= alone/4 {
		l.parts = min(mostBlocks, max(1, g.Tiles()))
	}
	l.Start = grown(l.Start, g.rows()+1)
	l.Start[0] = 0
	l.total.Store(0)
	if l.parts == 1 {
		l.blocks[0].rows = l.Row
	}
	spread(g.Pool, l.parts, work.fill)
	work.g, work.l = nil, nil
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
		l.blocks[k].from = from
		from += int32(len(l.blocks[k].rows))
	}
	l.Row = grown(l.Row, int(from))
	spread(g.Pool, l.parts, l.join)
	return nil
}

// joinBlocks brings what blocks have found to its place.
func (l *Lists) joinBlocks(from, to int) {
	for k := from; k < to; k++ {
		b := &l.blocks[k]
		copy(l.Row[b.from:], b.rows)
		ends := l.Start[b.lo+1 : b.hi+1]
		for i := range ends {
			ends[i] += b.from
		}
	}
}

// fillBlocks finds the neighbours of the rows of blocks.
func (w *listing[T]) fillBlocks(from, to int) {
	g, l := w.g, w.l
	tiles := int64(g.Tiles())
	for k := from; k < to; k++ {
		b := &l.blocks[k]
		first, last := int(tiles*int64(k)/int64(l.parts)), int(tiles*int64(k+1)/int64(l.parts))
		b.lo, b.hi = g.tiles[first], g.tiles[last]
		b.rows = b.rows[:0]
		for t := first; t < last && l.total.Load() <= w.most; t++ {
			n := len(b.rows)
			rows := Run{g.tiles[t], g.tiles[t+1]}
			b.runs, _ = g.appendAround(b.runs[:0], rows, w.r)
			for row := rows.Lo; row < rows.Hi; row++ {
				w.scan(b, row)
				l.Start[row+1] = int32(len(b.rows))
				if more := len(b.rows) - n; more >= often { // in one cell there may be more than memory has room for
					n = len(b.rows)
					if l.total.Add(int64(more)) > w.most {
						break
					}
				}
			}
			l.total.Add(int64(len(b.rows) - n))
		}
	}
}

// scan appends the neighbours of one row.
func (w *listing[T]) scan(b *block, row int32) {
	for _, run := range b.runs {
		if w.once {
			run.Lo = max(run.Lo, row+1)
		}
		if run.Lo >= run.Hi {
			continue
		}
		if run.Lo <= row && row < run.Hi {
			b.rows = w.g.appendNear(b.rows, Run{run.Lo, row}, row, w.r)
			run.Lo = row + 1
		}
		b.rows = w.g.appendNear(b.rows, run, row, w.r)
	}
}

// appendNear appends those rows of a run that are within r of a row.
func (g *Grid[T]) appendNear(rows []int32, run Run, row int32, r T) []int32 {
	limit := r * r
	if g.border == Periodic {
		p := [3]T{g.at[0][row], g.at[1][row]}
		if g.dims == 3 {
			p[2] = g.at[2][row]
		}
		for j := run.Lo; j < run.Hi; j++ {
			if g.square(j, p) <= limit {
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
	x, y := g.at[0][run.Lo:run.Hi], g.at[1][run.Lo:run.Hi]
	x, y = x[:len(out)], y[:len(out)]
	px, py := g.at[0][row], g.at[1][row]
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
	z, pz := g.at[2][run.Lo:run.Hi], g.at[2][row]
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
