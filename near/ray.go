package near

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// A ray is a way through the cells, layer by layer across the axis along which it meets
// most. What says which cells to look into is computed in float64 and with room for all
// rounding; what says which points are met is computed in the type of the points.
type ray[T kernels.Float] struct {
	g             *Grid[T]
	from, to, way [3]T
	length        T // its square
	limit         T // the square of r
	wide          float64
	axis          int   // of the layers
	begin, end    int32 // the first and the last layer
	whole         bool  // there are more layers than cells, or not all cells: one look at all rows
}

// prepare computes what is the same for all layers, and reports whether there are any.
func (w *ray[T]) prepare(r T) bool {
	size := 0.0
	for a := range w.way {
		if a >= w.g.dims {
			w.from[a], w.to[a] = 0, 0
		}
		w.way[a] = w.to[a] - w.from[a]
		axis := &w.g.axes[a]
		size = max(size, math.Abs(float64(w.from[a])), math.Abs(float64(w.to[a])), math.Abs(float64(axis.low)), math.Abs(float64(axis.high)))
	}
	w.length = T(w.way[0]*w.way[0]) + T(w.way[1]*w.way[1]) + T(w.way[2]*w.way[2])
	if !finite(w.length) || !finite(w.limit) {
		return false
	}
	slack := 0x1p-19 // 32 units of the last place
	if isDouble[T]() {
		slack = 0x1p-48
	}
	reach := float64(w.g.axes[0].reach(r))
	w.wide = reach + float64(slack*(size+reach))
	most := int32(-1)
	for a := range w.way {
		lo, hi := w.numbers(a, float64(min(w.from[a], w.to[a])), float64(max(w.from[a], w.to[a])))
		if hi-lo > most {
			most, w.axis, w.begin, w.end = hi-lo, a, lo, hi
		}
	}
	if w.way[w.axis] < 0 {
		w.begin, w.end = w.end, w.begin
	}
	if w.whole = int(most) >= w.g.cells() || w.g.part; w.whole { // layers of a part are no layers of the box
		w.end = w.begin
	}
	return true
}

// step leads from layer to layer.
func (w *ray[T]) step() int32 {
	if w.end < w.begin {
		return -1
	}
	return 1
}

// numbers returns the numbers of the cells along an axis between two coordinates, and
// as far away as rounding and r may lead.
func (w *ray[T]) numbers(a int, from, to float64) (lo, hi int32) {
	axis := &w.g.axes[a]
	lo, hi = axis.cell(T(from-w.wide))-axis.first, axis.cell(T(to+w.wide))-axis.first
	if !axis.folded {
		lo, hi = min(max(lo, 0), axis.cells-1), min(max(hi, 0), axis.cells-1)
	}
	return lo, hi
}

// appendLayer appends the runs of a layer, and returns where on the way it begins.
func (w *ray[T]) appendLayer(runs []Run, c int32) (_ []Run, begins float64) {
	if w.whole {
		return append(runs, Run{0, int32(w.g.rows())}), 0
	}
	axis, from, way := &w.g.axes[w.axis], float64(w.from[w.axis]), float64(w.way[w.axis])
	begins, ends := 0.0, 1.0
	if way != 0 {
		low, high := math.Inf(-1), math.Inf(1) // the outermost cells have no end
		if number := c + axis.first; axis.folded && number > -far || !axis.folded && c > 0 {
			low = float64(axis.low) + float64((float64(c)+float64(axis.first))/float64(axis.inv)) - w.wide
		}
		if number := c + axis.first; axis.folded && number < far || !axis.folded && c < axis.cells-1 {
			high = float64(axis.low) + float64((float64(c)+float64(axis.first)+1)/float64(axis.inv)) + w.wide
		}
		begins, ends = (low-from)/way, (high-from)/way
		if way < 0 {
			begins, ends = ends, begins
		}
	}
	var lo, hi [3]int32
	for a := range lo {
		if a == w.axis {
			lo[a], hi[a] = c, c
			continue
		}
		p := float64(w.from[a]) + float64(min(max(begins, 0), 1)*float64(w.way[a]))
		q := float64(w.from[a]) + float64(min(max(ends, 0), 1)*float64(w.way[a]))
		lo[a], hi[a] = w.numbers(a, min(p, q), max(p, q))
	}
	if way != 0 {
		begins -= 2 * w.wide / math.Abs(way)
	}
	return w.g.appendBox(runs, lo, hi), begins
}

// meet returns the square of the distance of a row to the way, where its ball begins,
// and whether it is met at all.
func (w *ray[T]) meet(row int32) (square, along T, met bool) {
	var q [3]T
	for a := range w.g.dims {
		q[a] = w.g.at[a][row] - w.from[a]
	}
	t := T(0)
	if w.length > 0 {
		t = min(max((T(q[0]*w.way[0])+T(q[1]*w.way[1])+T(q[2]*w.way[2]))/w.length, 0), 1)
	}
	x, y, z := q[0]-T(t*w.way[0]), q[1]-T(t*w.way[1]), q[2]-T(t*w.way[2])
	square = T(x*x) + T(y*y) + T(z*z)
	if !(square <= w.limit) {
		return square, 0, false
	}
	switch {
	case w.length == 0:
	case t < 1: // the nearest place is the foot of the perpendicular, or t is 0
		t = max(0, t-T(math.Sqrt(float64((w.limit-square)/w.length))))
	case T(q[0]*q[0])+T(q[1]*q[1])+T(q[2]*q[2]) <= w.limit:
		t = 0 // both ends are in the ball
	default:
		t = max(0, 1-w.beforeEnd((T(x*w.way[0])+T(y*w.way[1])+T(z*w.way[2]))/w.length, (w.limit-square)/w.length))
	}
	return square, t, true
}

// beforeEnd returns which part of the way, up to its end, is in a ball that has the end of the way within
// it and its middle beyond: the root u of u*u + 2*beyond*u = room. Beyond is how far
// beyond the end the foot of the perpendicular is, and room how much the square of the end's
// distance is below that of r, both in units of the way. The sum in the divisor has no cancellation.
func (w *ray[T]) beforeEnd(beyond, room T) T {
	h, k := max(0, float64(beyond)), float64(room)
	if k == 0 {
		return 0
	}
	return T(k / (h + math.Sqrt(float64(h*h)+k)))
}
