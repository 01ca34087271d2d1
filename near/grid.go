package near

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Grid finds neighbours among points by a cell list. New returns an empty grid. Either Build puts
// points into it, or Clear, Add and Sort together. A grid keeps its memory, so a grid that is
// built in each frame allocates only in the first frames.
//
// Several goroutines may search at once. Methods that change points must not be
// called concurrently with other methods. The exception is Put.
type Grid[T kernels.Float] struct {
	// Pool runs long operations on its workers. If Pool is nil, the caller does all
	// the work. The result is the same.
	Pool *jobs.Pool

	dims       int
	boundary   Border
	omitsCells bool // some cells are omitted
	axes       [3]axis[T]
	unsorted   [3][]T  // points as they were added, by id
	rowCoords  [3][]T  // the sorted coordinates, by row
	ids        []int32 // of each row
	start      []int32 // first row of each cell, then of the points that are not finite, then the end
	tiles      []int32 // the first cell of each tile, and the end of all
	sorted     bool
	sorter     sorter[T]
}

// maxPoints is the largest number of points.
const maxPoints = math.MaxInt32

// New returns a grid without points.
//
// New panics if the space is not valid: Dims must be 2 or 3, a cell must have a width, the box must
// have a volume and at most 2^27 cells, and Part must be valid.
func New[T kernels.Float](space Space[T]) *Grid[T] {
	space.check()
	g := &Grid[T]{dims: space.Dims, boundary: space.Border, axes: space.axes()}
	for _, a := range g.axes {
		g.omitsCells = g.omitsCells || a.cells < a.boxCells
	}
	g.Clear()
	g.Sort()
	return g
}

// Len returns the number of points, including those that are not finite.
func (g *Grid[T]) Len() int {
	if !g.sorted {
		return len(g.unsorted[0])
	}
	return len(g.ids)
}

// Clear removes all points.
func (g *Grid[T]) Clear() { g.Resize(0) }

// Resize removes all points and creates n points, which Put sets.
//
// Resize panics if n is negative or above 2^31-1.
func (g *Grid[T]) Resize(n int) {
	if n < 0 || n > maxPoints {
		panic(fmt.Sprintf("near: Grid.Resize: n is %d: 0 to %d", n, maxPoints))
	}
	for a := range g.dims {
		g.unsorted[a] = resizeSlice(g.unsorted[a], n)
	}
	g.sorted = false
}

// Add appends points; in a plane z is nil. Add copies the coordinates.
// Searches panic until Sort is called. The first Add after Sort removes all
// earlier points.
//
// Add panics if the lengths differ, or if there would be more than 2^31-1
// points.
func (g *Grid[T]) Add(x, y, z []T) {
	g.checkLengths("Grid.Add", x, y, z)
	if g.sorted {
		g.Clear()
	}
	if n := int64(len(g.unsorted[0])) + int64(len(x)); n > maxPoints {
		panic(fmt.Sprintf("near: Grid.Add: there would be %d points, the most is %d", n, maxPoints))
	}
	for a, lane := range [][]T{x, y, z}[:g.dims] {
		g.unsorted[a] = append(g.unsorted[a], lane...)
	}
}

// Put sets the points whose ids are first, first+1 and so on. In a plane z is nil.
// Several goroutines may set different points at the same time. Searches panic until
// Sort is called.
//
// Put panics if the lengths differ, or if the points are not among those that Resize created.
func (g *Grid[T]) Put(first int, x, y, z []T) {
	g.checkLengths("Grid.Put", x, y, z)
	if g.sorted || first < 0 || first > len(g.unsorted[0])-len(x) {
		panic(fmt.Sprintf("near: Grid.Put: points %d to %d of %d: Resize makes room", first, first+len(x), len(g.unsorted[0])))
	}
	for a, lane := range [][]T{x, y, z}[:g.dims] {
		copy(g.unsorted[a][first:], lane)
	}
}

// Build replaces all points by the points of three lanes, and sorts them. In a plane, z is nil.
// Build does the same as Clear, Add and Sort. It copies the lanes before it sorts only if they
// are lanes that At has returned.
//
// Build panics if the lengths differ, or if there are more than 2^31-1 points.
func (g *Grid[T]) Build(x, y, z []T) {
	g.checkLengths("Grid.Build", x, y, z)
	if int64(len(x)) > maxPoints {
		panic(fmt.Sprintf("near: Grid.Build: there are %d points, the most is %d", len(x), maxPoints))
	}
	for _, at := range g.rowCoords[:g.dims] {
		if at = at[:cap(at)]; kernels.Overlap(x, at) || kernels.Overlap(y, at) || kernels.Overlap(z, at) {
			g.Clear() // the lanes are those of At, to which the sorted points are written
			g.Add(x, y, z)
			g.Sort()
			return
		}
	}
	g.Clear() // so that a grid has no points if its pool is closed and sorting panics
	g.sorter.sort(g, [3][]T{x, y, z}, nil)
}

// Sort sorts the points that were added, so that searches find them. On a pool,
// all workers sort. It allocates only if there are more points than before.
func (g *Grid[T]) Sort() {
	if !g.sorted {
		g.sorter.sort(g, g.unsorted, nil)
	}
}

// At returns the positions of the finite points, by row. A caller may write to
// them, but searches are valid again only after Move. In a plane there is no Z.
//
// At panics if points were added and not sorted.
func (g *Grid[T]) At() kernels.Vec3s[T] {
	g.checkSorted("Grid.At")
	n := g.rows()
	v := kernels.Vec3s[T]{X: g.rowCoords[0][:n], Y: g.rowCoords[1][:n]}
	if g.dims == 3 {
		v.Z = g.rowCoords[2][:n]
	}
	return v
}

// IDs returns the ids of the points of At, by row. Use them to bring other data of the
// points into the order of rows.
//
// IDs panics if points were added and not sorted.
func (g *Grid[T]) IDs() []int32 {
	g.checkSorted("Grid.IDs")
	return g.ids[:g.rows()]
}

// Nowhere returns the ids, in ascending order, of the points that no search
// finds because a coordinate is not finite.
//
// Nowhere panics if points were added and not sorted.
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
		panic(fmt.Sprintf("near: %s: %d points are not sorted: call Sort first", name, len(g.unsorted[0])))
	}
}

// checkLengths panics unless the lanes have one length.
func (g *Grid[T]) checkLengths(name string, x, y, z []T) {
	if len(y) != len(x) {
		panic(fmt.Sprintf("near: %s: len(y) is %d, len(x) is %d", name, len(y), len(x)))
	}
	if want := len(x) * (g.dims - 2); len(z) != want {
		panic(fmt.Sprintf("near: %s: len(z) is %d, want %d, because there are %d dimensions", name, len(z), want, g.dims))
	}
}

// resizeSlice returns memory for n rows. If the given memory is large enough, it returns the same
// memory. It does not copy the contents.
func resizeSlice[E any](memory []E, n int) []E {
	if cap(memory) < n {
		return make([]E, n, n+n/8)
	}
	return memory[:n]
}

// Move sorts the points again after a caller has changed the positions of At in
// place. Move takes less time than Build, mainly if the points do not fit in the caches, because
// most points come from the same cell or a neighbouring one. Points keep their ids. The points get
// the same rows as Build would give them.
//
// Move panics if points were added and not sorted.
func (g *Grid[T]) Move() {
	g.checkSorted("Grid.Move")
	g.Clear()
	g.sorter.sort(g, g.rowCoords, g.ids)
}

// Trim frees the memory that searches do not need.
func (g *Grid[T]) Trim() {
	g.checkSorted("Grid.Trim")
	g.unsorted, g.sorter = [3][]T{}, sorter[T]{}
}
