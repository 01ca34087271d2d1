package near

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Grid finds neighbours among points. New makes one; points come by Build, or by Clear,
// Add and Sort. It keeps its memory, so that one that is built each frame allocates in the
// first ones only.
//
// What finds may be called by several goroutines at once, what brings points may not,
// except for Put.
type Grid[T kernels.Float] struct {
	// Pool spreads long work over its workers, nil leaves it to the caller. The result
	// is the same.
	Pool *jobs.Pool

	dims      int
	boundary  Border
	hasPart   bool // not all cells are kept
	axes      [3]axis[T]
	staged    [3][]T  // points as they were added, by id
	rowCoords [3][]T  // the same by row
	ids       []int32 // by row
	start     []int32 // where the rows of a cell begin, those of nowhere and the end
	tiles     []int32 // the first cell of each tile, and the end of all
	sorted    bool
	sorter    sorter[T]
}

// maxPoints is the largest number of points.
const maxPoints = math.MaxInt32

// New returns a grid without points.
//
// It panics if there is no such space: Dims that are not 2 or 3, cells without width,
// a box without room, more than 2^27 cells in it, or a Part that is none.
func New[T kernels.Float](space Space[T]) *Grid[T] {
	space.check()
	g := &Grid[T]{dims: space.Dims, boundary: space.Border, axes: space.axes()}
	for _, a := range g.axes {
		g.hasPart = g.hasPart || a.cells < a.inBox
	}
	g.Clear()
	g.Sort()
	return g
}

// Len returns how many points there are, those that are nowhere among them.
func (g *Grid[T]) Len() int {
	if !g.sorted {
		return len(g.staged[0])
	}
	return len(g.ids)
}

// Clear takes all points out.
func (g *Grid[T]) Clear() { g.Resize(0) }

// Resize makes room for n points, which Put brings. Points that were there are gone.
//
// It panics if n is negative or above 2^31-1.
func (g *Grid[T]) Resize(n int) {
	if n < 0 || n > maxPoints {
		panic(fmt.Sprintf("near: Grid.Resize: n is %d: 0 to %d", n, maxPoints))
	}
	for a := range g.dims {
		g.staged[a] = resized(g.staged[a], n)
	}
	g.sorted = false
}

// Add adds points behind those that are there; in a plane z is nil. Their coordinates
// are copied. Nothing is found before Sort. The first Add after Sort begins with no
// points.
//
// It panics if the lengths differ, or if there would be more than 2^31-1 points.
func (g *Grid[T]) Add(x, y, z []T) {
	g.checkLengths("Grid.Add", x, y, z)
	if g.sorted {
		g.Clear()
	}
	if n := int64(len(g.staged[0])) + int64(len(x)); n > maxPoints {
		panic(fmt.Sprintf("near: Grid.Add: there would be %d points, the most is %d", n, maxPoints))
	}
	for a, lane := range [][]T{x, y, z}[:g.dims] {
		g.staged[a] = append(g.staged[a], lane...)
	}
}

// Put sets the points from the id first on; in a plane z is nil. Several goroutines may
// put different points at once. Nothing is found before Sort.
//
// It panics if the lengths differ, or if Resize has not made room for them.
func (g *Grid[T]) Put(first int, x, y, z []T) {
	g.checkLengths("Grid.Put", x, y, z)
	if g.sorted || first < 0 || first > len(g.staged[0])-len(x) {
		panic(fmt.Sprintf("near: Grid.Put: points %d to %d of %d: Resize makes room", first, first+len(x), len(g.staged[0])))
	}
	for a, lane := range [][]T{x, y, z}[:g.dims] {
		copy(g.staged[a][first:], lane)
	}
}

// Build takes all points out, adds those of three lanes and sorts them; in a plane z is
// nil. It is the same as Clear, Add and Sort, without the copy unless the lanes are from At.
//
// It panics if the lengths differ, or if there are more than 2^31-1 points.
func (g *Grid[T]) Build(x, y, z []T) {
	g.checkLengths("Grid.Build", x, y, z)
	if int64(len(x)) > maxPoints {
		panic(fmt.Sprintf("near: Grid.Build: there are %d points, the most is %d", len(x), maxPoints))
	}
	for _, at := range g.rowCoords[:g.dims] {
		if at = at[:cap(at)]; kernels.Overlap(x, at) || kernels.Overlap(y, at) || kernels.Overlap(z, at) {
			g.Clear() // they are from At, where the sorted ones go
			g.Add(x, y, z)
			g.Sort()
			return
		}
	}
	g.Clear() // so that a grid whose pool was closed has no points
	g.sorter.sort(g, [3][]T{x, y, z}, nil)
}

// Sort makes what was added ready to be found.
func (g *Grid[T]) Sort() {
	if !g.sorted {
		g.sorter.sort(g, g.staged, nil)
	}
}

// At returns where the points are, by row: those that are somewhere. What is written
// there is found by no search before Move. In a plane there is no Z.
//
// It panics if points were added and not sorted.
func (g *Grid[T]) At() kernels.Vec3s[T] {
	g.checkSorted("Grid.At")
	n := g.rows()
	v := kernels.Vec3s[T]{X: g.rowCoords[0][:n], Y: g.rowCoords[1][:n]}
	if g.dims == 3 {
		v.Z = g.rowCoords[2][:n]
	}
	return v
}

// IDs returns the ids of the points that At has, by row: what belongs to a point is
// brought into the order of rows by it.
//
// It panics if points were added and not sorted.
func (g *Grid[T]) IDs() []int32 {
	g.checkSorted("Grid.IDs")
	return g.ids[:g.rows()]
}

// Nowhere returns the ids of the points that no search finds, because a coordinate is not
// finite, in order.
//
// It panics if points were added and not sorted.
func (g *Grid[T]) Nowhere() []int32 {
	g.checkSorted("Grid.Nowhere")
	return g.ids[g.rows():]
}

// rows returns the number of points that are finite.
func (g *Grid[T]) rows() int { return int(g.start[g.cells()]) }

// cells returns the number of cells.
func (g *Grid[T]) cells() int {
	return int(g.axes[0].cells) * int(g.axes[1].cells) * int(g.axes[2].cells)
}

// checkSorted panics if points were added and not sorted.
func (g *Grid[T]) checkSorted(name string) {
	if !g.sorted {
		panic(fmt.Sprintf("near: %s: %d points are not sorted: call Sort first", name, len(g.staged[0])))
	}
}

// checkLengths panics unless the lanes have one length.
func (g *Grid[T]) checkLengths(name string, x, y, z []T) {
	if len(y) != len(x) {
		panic(fmt.Sprintf("near: %s: len(y) is %d, len(x) is %d", name, len(y), len(x)))
	}
	if want := len(x) * (g.dims - 2); len(z) != want {
		panic(fmt.Sprintf("near: %s: len(z) is %d, want %d, for there are %d dimensions", name, len(z), want, g.dims))
	}
}

// resized returns memory for n rows: the same memory if it suffices. It does not copy.
func resized[E any](memory []E, n int) []E {
	if cap(memory) < n {
		return make([]E, n, n+n/8)
	}
	return memory[:n]
}

// Move sorts the points again, after what At returned was changed in place: a cell gets
// its points from those around it, which takes less time than Build, past the caches
// above all. Points keep their ids, and rows become those that Build would give.
//
// It panics if points were added and not sorted.
func (g *Grid[T]) Move() {
	g.checkSorted("Grid.Move")
	g.Clear()
	g.sorter.sort(g, g.rowCoords, g.ids)
}

// Trim lets go of the memory that is not needed to find points.
func (g *Grid[T]) Trim() {
	g.checkSorted("Grid.Trim")
	g.staged, g.sorter = [3][]T{}, sorter[T]{}
}
