package near

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Found is a point that a search found.
type Found[T kernels.Float] struct {
	ID, Row int32
	Square  T // the square of its distance
}

// AppendWithin appends the points within r of p to found, in the order of rows.
// In a periodic space p may be outside of the box.
//
// AppendWithin panics if r is negative or NaN, or if points were added and not sorted.
func (g *Grid[T]) AppendWithin(found []Found[T], p Point[T], r T) []Found[T] {
	g.checkSorted("Grid.AppendWithin")
	checkRadius("Grid.AppendWithin", r)
	if !g.isFinite(p) {
		return found
	}
	var room [32]Run
	q, limit := g.wrapPoint(p), r*r
	for _, run := range g.appendRuns(room[:0], q, r) {
		for row := run.Lo; row < run.Hi; row++ {
			if square := g.squaredDistance(row, q); square <= limit {
				found = append(found, Found[T]{g.ids[row], row, square})
			}
		}
	}
	return found
}

// Any returns the first point within r of p, in the order of rows, and whether
// there is one.
//
// Any panics if r is negative or NaN, or if points were added and not sorted.
func (g *Grid[T]) Any(p Point[T], r T) (first Found[T], ok bool) {
	g.checkSorted("Grid.Any")
	checkRadius("Grid.Any", r)
	if !g.isFinite(p) {
		return first, false
	}
	var room [32]Run
	q, limit := g.wrapPoint(p), r*r
	for _, run := range g.appendRuns(room[:0], q, r) {
		for row := run.Lo; row < run.Hi; row++ {
			if square := g.squaredDistance(row, q); square <= limit {
				return Found[T]{g.ids[row], row, square}, true
			}
		}
	}
	return first, false
}

// squaredDistance returns the square of the distance from a row to a wrapped point.
func (g *Grid[T]) squaredDistance(row int32, p [3]T) T {
	dx, dy := g.axes[0].displacement(g.rowCoords[0][row], p[0]), g.axes[1].displacement(g.rowCoords[1][row], p[1])
	square := T(dx*dx) + T(dy*dy)
	if g.dims == 3 {
		dz := g.axes[2].displacement(g.rowCoords[2][row], p[2])
		square += T(dz * dz)
	}
	return square
}

// AppendNearest appends the k points that are nearest to p, or all points if
// there are fewer. The nearest point comes first; if two points are equally near, the
// one with the lower id comes first.
//
// For the 8 nearest points, cells of about two points each are the fastest.
//
// AppendNearest panics if k is negative, or if points were added and not sorted.
func (g *Grid[T]) AppendNearest(found []Found[T], p Point[T], k int) []Found[T] {
	g.checkSorted("Grid.AppendNearest")
	if k < 0 {
		panic(fmt.Sprintf("near: Grid.AppendNearest: k is %d: not below 0", k))
	}
	k = min(k, g.rows())
	if k == 0 || !g.isFinite(p) {
		return found
	}
	first, q := len(found), g.wrapPoint(p)
	var room [64]Run
	for r := g.initialRadius(k); ; r *= 2 {
		found = found[:first]
		limit := r * r
		for _, run := range g.appendRuns(room[:0], q, r) {
			for row := run.Lo; row < run.Hi; row++ {
				if square := g.squaredDistance(row, q); square <= limit {
					found = pushNearest(found, first, k, Found[T]{g.ids[row], row, square})
				}
			}
		}
		if len(found)-first == k {
			sortNearest(found[first:], k)
			return found
		}
	}
}

// initialRadius estimates a radius within which there are k points, using the mean number of points
// per cell. It is at least half a cell.
func (g *Grid[T]) initialRadius(k int) T {
	volume := 1.5 * float64(k) * float64(g.cells()) / float64(g.rows())
	r := math.Sqrt(volume / math.Pi)
	if g.dims == 3 {
		r = math.Sqrt(volume) * 0.5 // between the square root and the cube root: an estimate
	}
	width := 1 / g.axes[0].cellsPerLength
	return max(T(width*T(min(max(r, 0.5), 8))), T(minExactSquare)) // width is 0 in a tiny box
}

// maxInsertion is the largest number of nearest points that are kept in order. More points are kept in a heap.
const maxInsertion = 32

// pushNearest pushes a point onto the list of the k nearest points, or drops it if k points are nearer. If k is at most
// maxInsertion, the list is always in order. Otherwise it is a max-heap until sortNearest.
func pushNearest[T kernels.Float](found []Found[T], first, k int, f Found[T]) []Found[T] {
	if k > maxInsertion {
		return pushHeap(found, first, k, f)
	}
	list := found[first:]
	i := len(list)
	if i < k {
		found = append(found, f)
		list = found[first:]
	} else if i--; !f.nearerThan(list[i]) {
		return found
	}
	for ; i > 0 && f.nearerThan(list[i-1]); i-- {
		list[i] = list[i-1]
	}
	list[i] = f
	return found
}

// farthest returns the square of the distance to the farthest of the k nearest points, or infinity if the list has fewer
// than k points.
func farthest[T kernels.Float](list []Found[T], k int) T {
	switch {
	case len(list) < k:
		return T(math.Inf(1))
	case k > maxInsertion:
		return list[0].Square
	}
	return list[len(list)-1].Square
}

// sortNearest puts the list of the k nearest points into its final order.
func sortNearest[T kernels.Float](list []Found[T], k int) {
	if k > maxInsertion {
		sortHeap(list)
	}
}

// pushHeap pushes a point onto the max-heap of the k nearest.
func pushHeap[T kernels.Float](found []Found[T], first, k int, f Found[T]) []Found[T] {
	if len(found)-first < k {
		found = append(found, f)
		heap := found[first:]
		for i := len(heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !heap[up].nearerThan(heap[i]) {
				break
			}
			heap[i], heap[up] = heap[up], heap[i]
			i = up
		}
		return found
	}
	if heap := found[first:]; f.nearerThan(heap[0]) {
		heap[0] = f
		siftDown(heap)
	}
	return found
}

// siftDown moves the top of a heap down to its place.
func siftDown[T kernels.Float](heap []Found[T]) {
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(heap) {
			return
		}
		if down+1 < len(heap) && heap[down].nearerThan(heap[down+1]) {
			down++
		}
		if !heap[i].nearerThan(heap[down]) {
			return
		}
		heap[i], heap[down] = heap[down], heap[i]
		i = down
	}
}

// sortHeap sorts a heap in place.
func sortHeap[T kernels.Float](heap []Found[T]) {
	for n := len(heap) - 1; n > 0; n-- {
		heap[0], heap[n] = heap[n], heap[0]
		siftDown(heap[:n])
	}
}

// nearerThan reports whether f comes before o: by distance, then by id.
func (f Found[T]) nearerThan(o Found[T]) bool {
	return f.Square < o.Square || f.Square == o.Square && f.ID < o.ID
}

// Hit returns the first point that the ray from one position to another meets. Each point is
// treated as a ball of radius r. along is the position on the ray where it enters the ball: 0 at
// the start of the ray, 1 at its end. along is also 0 if the ray starts inside the ball. If the ray
// enters several balls at the same position, the point with the lower id is first. The field Square
// of first is the square of the distance from the point to the ray.
//
// Rays and balls do not continue through the boundary of a periodic space. A
// ray meets no point if an end of the ray, or the square of its length, is not finite.
// In a space with a [Part] that omits cells, Hit compares every point, because
// the layers of cells are not complete.
//
// Hit panics if r is negative or NaN, if the square of r is not finite, or if
// points were added and not sorted.
func (g *Grid[T]) Hit(from, to Point[T], r T) (first Found[T], along T, ok bool) {
	g.checkSorted("Grid.Hit")
	checkRadius("Grid.Hit", r)
	if !finite(T(r * r)) {
		panic(fmt.Sprintf("near: Grid.Hit: r is %v: its square is to be finite, because distances are compared as squares", r))
	}
	w := ray[T]{grid: g, from: coords(from), to: coords(to), squaredRadius: T(r * r)}
	if !w.setup(r) {
		return first, 0, false
	}
	var room [64]Run
	for c, step := w.firstLayer, w.step(); ; c += step {
		runs, begins := w.appendLayer(room[:0], c)
		if ok && begins > float64(along) {
			return first, along, ok
		}
		for _, run := range runs {
			for row := run.Lo; row < run.Hi; row++ {
				if square, at, met := w.intersect(row); met && (!ok || at < along || at == along && g.ids[row] < first.ID) {
					first, along, ok = Found[T]{g.ids[row], row, square}, at, true
				}
			}
		}
		if c == w.lastLayer {
			return first, along, ok
		}
	}
}
