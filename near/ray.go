package near

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// A ray crosses the cells layer by layer along the axis on which it crosses the most cells. The cells are chosen in float64 with a margin for all
// rounding errors. The intersections are computed in the type of the points.
type ray[T kernels.Float] struct {
	grid                  *Grid[T]
	from, to, direction   [3]T
	squaredLength         T // its square
	squaredRadius         T // the square of r
	margin                float64
	layerAxis             int   // of the layers
	firstLayer, lastLayer int32 // the first and the last layer
	scansAll              bool  // scan all rows, because there are more layers than cells, or cells are omitted
}

// setup computes the fields that all layers share. setup returns false if the ray is not finite.
func (w *ray[T]) setup(r T) bool {
	size := 0.0
	for a := range w.direction {
		if a >= w.grid.dims {
			w.from[a], w.to[a] = 0, 0
		}
		w.direction[a] = w.to[a] - w.from[a]
		axis := &w.grid.axes[a]
		size = max(size, math.Abs(float64(w.from[a])), math.Abs(float64(w.to[a])), math.Abs(float64(axis.low)), math.Abs(float64(axis.high)))
	}
	w.squaredLength = T(w.direction[0]*w.direction[0]) + T(w.direction[1]*w.direction[1]) + T(w.direction[2]*w.direction[2])
	if !finite(w.squaredLength) || !finite(w.squaredRadius) {
		return false
	}
	slack := 0x1p-19 // 32 units of the last place
	if isFloat64[T]() {
		slack = 0x1p-48
	}
	reach := float64(w.grid.axes[0].searchRadius(r))
	w.margin = reach + float64(slack*(size+reach))
	most := int32(-1)
	for a := range w.direction {
		lo, hi := w.cellRange(a, float64(min(w.from[a], w.to[a])), float64(max(w.from[a], w.to[a])))
		if hi-lo > most {
			most, w.layerAxis, w.firstLayer, w.lastLayer = hi-lo, a, lo, hi
		}
	}
	if w.direction[w.layerAxis] < 0 {
		w.firstLayer, w.lastLayer = w.lastLayer, w.firstLayer
	}
	if w.scansAll = int(most) >= w.grid.cells() || w.grid.omitsCells; w.scansAll { // the layers of a part are not those of the box
		w.lastLayer = w.firstLayer
	}
	return true
}

// step returns the difference between the numbers of two consecutive layers.
func (w *ray[T]) step() int32 {
	if w.lastLayer < w.firstLayer {
		return -1
	}
	return 1
}

// cellRange returns the numbers of the cells along an axis between two coordinates, with the margin for r and rounding.
func (w *ray[T]) cellRange(a int, from, to float64) (lo, hi int32) {
	axis := &w.grid.axes[a]
	lo, hi = axis.cellNumber(T(from-w.margin))-axis.first, axis.cellNumber(T(to+w.margin))-axis.first
	if !axis.shared {
		lo, hi = min(max(lo, 0), axis.cells-1), min(max(hi, 0), axis.cells-1)
	}
	return lo, hi
}

// appendLayer appends the runs of a layer, and returns the position on the ray at which the layer
// begins.
func (w *ray[T]) appendLayer(runs []Run, c int32) (_ []Run, begins float64) {
	if w.scansAll {
		return append(runs, Run{0, int32(w.grid.rows())}), 0
	}
	axis, from, way := &w.grid.axes[w.layerAxis], float64(w.from[w.layerAxis]), float64(w.direction[w.layerAxis])
	begins, ends := 0.0, 1.0
	if way != 0 {
		low, high := math.Inf(-1), math.Inf(1) // the outermost cells have no end
		if number := c + axis.first; axis.shared && number > -lastCell || !axis.shared && c > 0 {
			low = float64(axis.low) + float64((float64(c)+float64(axis.first))/float64(axis.cellsPerLength)) - w.margin
		}
		if number := c + axis.first; axis.shared && number < lastCell || !axis.shared && c < axis.cells-1 {
			high = float64(axis.low) + float64((float64(c)+float64(axis.first)+1)/float64(axis.cellsPerLength)) + w.margin
		}
		begins, ends = (low-from)/way, (high-from)/way
		if way < 0 {
			begins, ends = ends, begins
		}
	}
	var lo, hi [3]int32
	for a := range lo {
		if a == w.layerAxis {
			lo[a], hi[a] = c, c
			continue
		}
		p := float64(w.from[a]) + float64(min(max(begins, 0), 1)*float64(w.direction[a]))
		q := float64(w.from[a]) + float64(min(max(ends, 0), 1)*float64(w.direction[a]))
		lo[a], hi[a] = w.cellRange(a, min(p, q), max(p, q))
	}
	if way != 0 {
		begins -= 2 * w.margin / math.Abs(way)
	}
	return w.grid.appendBox(runs, lo, hi), begins
}

// intersect returns the square of the distance from a row to the ray, and the position on the
// ray where the ray enters the ball around the row. met reports whether the ray meets the ball.
func (w *ray[T]) intersect(row int32) (square, along T, met bool) {
	var q [3]T
	for a := range w.grid.dims {
		q[a] = w.grid.rowCoords[a][row] - w.from[a]
	}
	t := T(0)
	if w.squaredLength > 0 {
		t = min(max((T(q[0]*w.direction[0])+T(q[1]*w.direction[1])+T(q[2]*w.direction[2]))/w.squaredLength, 0), 1)
	}
	x, y, z := q[0]-T(t*w.direction[0]), q[1]-T(t*w.direction[1]), q[2]-T(t*w.direction[2])
	square = T(x*x) + T(y*y) + T(z*z)
	if !(square <= w.squaredRadius) {
		return square, 0, false
	}
	switch {
	case w.squaredLength == 0:
	case t < 1: // the nearest place is the foot of the perpendicular, or t is 0
		t = max(0, t-T(math.Sqrt(float64((w.squaredRadius-square)/w.squaredLength))))
	case T(q[0]*q[0])+T(q[1]*q[1])+T(q[2]*q[2]) <= w.squaredRadius:
		t = 0 // both ends are in the ball
	default:
		t = max(0, 1-w.chordBeforeEnd((T(x*w.direction[0])+T(y*w.direction[1])+T(z*w.direction[2]))/w.squaredLength, (w.squaredRadius-square)/w.squaredLength))
	}
	return square, t, true
}

// chordBeforeEnd returns the fraction u of the ray that is inside a ball. The ball contains the end of the
// ray, and its centre is beyond the end. u is the root of u*u + 2*beyond*u = room. beyond is the distance
// from the end of the ray to the foot of the perpendicular from the centre. room is r² minus the square of
// the distance from the end of the ray to the centre. The unit of length is the length of the ray. In the
// divisor of the result, both terms are positive, so no digits cancel.
func (w *ray[T]) chordBeforeEnd(beyond, room T) T {
	h, k := max(0, float64(beyond)), float64(room)
	if k == 0 {
		return 0
	}
	return T(k / (h + math.Sqrt(float64(h*h)+k)))
}
