package grid

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/jobs"
)

// Number is the set of cell types.
type Number interface {
	float32 | float64 | int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

// A Shape is the size of a grid in cells. A grid lacks an axis if its number is 0. For example, Shape{X: 100, Y: 50, Margin: 1}
// is a plane of 100 by 50 cells.
type Shape struct {
	X, Y, Z int

	// Margin is the width of the margin on both sides of each axis that the grid has. Stencils are up to 1.4 times as fast if
	// rows are aligned to 64 bytes. Large fields have such rows if X and Margin are multiples of 64 bytes, for example
	// multiples of 16 cells of type float32.
	Margin int
}

// axes returns the numbers of cells of the three axes, with 1 instead of 0, and the widths of their margins.
func (s Shape) axes() (cells, margin [3]int) {
	for a, n := range [3]int{s.X, s.Y, s.Z} {
		cells[a] = max(n, 1)
		if n > 0 {
			margin[a] = s.Margin
		}
	}
	return cells, margin
}

// count returns the number of cells with margins. It panics if the shape is not valid.
func (s Shape) count(caller string) int {
	if s.X < 1 || s.Y < 0 || s.Z < 0 || s.Y == 0 && s.Z > 0 || s.Margin < 0 {
		panic(fmt.Sprintf("grid: %s: a shape of %d by %d by %d cells with a margin of %d: X must be at least 1, no number negative, and Z needs Y", caller, s.X, s.Y, s.Z, s.Margin))
	}
	n := 1
	cells, margin := s.axes()
	for a := range cells {
		// Each factor is checked before it is multiplied, because a product of three numbers could overflow twice.
		if margin[a] > math.MaxInt32/4 || cells[a] > math.MaxInt32/4 || uint64(n) > min(math.MaxInt>>4, uint64(1)<<44)/uint64(cells[a]+2*margin[a]) {
			panic(fmt.Sprintf("grid: %s: a shape of %d by %d by %d cells with a margin of %d has too many cells", caller, s.X, s.Y, s.Z, s.Margin))
		}
		n *= cells[a] + 2*margin[a]
	}
	return n
}

// A Field has a number for each cell of a grid and of its margin. Cell (0, 0, 0) is the first one inside of the margins.
// New makes one; the zero Field has no cells.
//
// Several goroutines may read a field at the same time, or write different cells of it.
type Field[T Number] struct {
	shape        Shape
	cells        []T
	pitch, plane int    // the distance of two rows and of two planes, in cells
	first        int    // the index of cell (0, 0, 0)
	margin, all  [3]int // the margin of each axis, and the number of cells with both margins
}

// New returns a field of zeros. It panics if the shape is not valid.
func New[T Number](s Shape) *Field[T] {
	f := &Field[T]{shape: s, cells: make([]T, s.count("New"))}
	cells, margin := s.axes()
	f.margin = margin
	for a := range cells {
		f.all[a] = cells[a] + 2*margin[a]
	}
	f.pitch = f.all[0]
	f.plane = f.pitch * f.all[1]
	f.first = margin[0] + margin[1]*f.pitch + margin[2]*f.plane
	return f
}

// Shape returns the size of the grid.
func (f *Field[T]) Shape() Shape { return f.shape }

// Cells returns all cells, including the margins. Planes follow each other, each plane consists of its rows, and each row of
// its cells. The result is the memory of the field, not a copy.
func (f *Field[T]) Cells() []T { return f.cells }

// Row returns the cells of a row without its margins, as memory of the field. The numbers y and z may be in the margin: y
// from -Margin to Y+Margin-1, and z from -Margin to Z+Margin-1. It panics outside of that. An axis that the grid lacks has
// the number 0.
func (f *Field[T]) Row(y, z int) []T {
	if f.lacks(0, y, z) {
		f.panicNoCell("Row", 0, y, z)
	}
	at := f.first + y*f.pitch + z*f.plane
	return f.cells[at : at+f.shape.X : at+f.shape.X]
}

// Shifted returns X cells of a row, beginning with cell x. The number x may be from -Margin to Margin. For example,
// Shifted(-1, y, z) has the left neighbours of the cells of Row(y, z).
func (f *Field[T]) Shifted(x, y, z int) []T {
	if uint(x+f.margin[0]) > uint(2*f.margin[0]) || f.lacks(0, y, z) {
		f.panicShift(x, y, z)
	}
	at := f.first + x + y*f.pitch + z*f.plane
	return f.cells[at : at+f.shape.X : at+f.shape.X]
}

// At returns the number of a cell, which may be in the margin.
func (f *Field[T]) At(x, y, z int) T {
	if f.lacks(x, y, z) {
		f.panicNoCell("At", x, y, z)
	}
	return f.cells[f.first+x+y*f.pitch+z*f.plane]
}

// Set changes the number of a cell, which may be in the margin.
func (f *Field[T]) Set(x, y, z int, v T) {
	if f.lacks(x, y, z) {
		f.panicNoCell("Set", x, y, z)
	}
	f.cells[f.first+x+y*f.pitch+z*f.plane] = v
}

// lacks reports whether a cell is outside of the grid and its margin.
func (f *Field[T]) lacks(x, y, z int) bool {
	return uint(x+f.margin[0]) >= uint(f.all[0]) || uint(y+f.margin[1]) >= uint(f.all[1]) || uint(z+f.margin[2]) >= uint(f.all[2])
}

func (f *Field[T]) panicNoCell(caller string, x, y, z int) {
	panic(fmt.Sprintf("grid: %s: cell (%d, %d, %d): a grid of %d by %d by %d cells with a margin of %d has no such cell",
		caller, x, y, z, f.shape.X, f.shape.Y, f.shape.Z, f.shape.Margin))
}

func (f *Field[T]) panicShift(x, y, z int) {
	if m := f.shape.Margin; x < -m || x > m {
		panic(fmt.Sprintf("grid: Shifted: a shift of %d cells: the margin allows shifts from %d to %d", x, -m, m))
	}
	f.panicNoCell("Shifted", x, y, z)
}

// Swap exchanges the cells of two fields of the same shape. It panics if the shapes differ.
func (f *Field[T]) Swap(g *Field[T]) {
	if f.shape != g.shape {
		panic(fmt.Sprintf("grid: Swap: the fields have the shapes %+v and %+v: they must be the same", f.shape, g.shape))
	}
	f.cells, g.cells = g.cells, f.cells
}

// ForRows calls body for each row inside of the margins, in parallel on the pool, and returns when all calls are done. If
// the pool is nil, it calls body for one row after the other. If the body panics in a pool, ForRows returns a
// [*jobs.PanicError].
func (f *Field[T]) ForRows(pool *jobs.Pool, body func(y, z int)) error {
	if len(f.cells) == 0 {
		return nil
	}
	cells, _ := f.shape.axes()
	rows := func(lo, hi int) {
		for r := lo; r < hi; r++ {
			body(r%cells[1], r/cells[1])
		}
	}
	if pool == nil {
		rows(0, cells[1]*cells[2])
		return nil
	}
	return pool.RangeFor(body, cells[1]*cells[2], 0, rows)
}
