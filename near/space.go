package near

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Point is a position or a displacement. In a plane Z is not used.
type Point[T kernels.Float] struct{ X, Y, Z T }

// Border is the kind of boundary of a space.
type Border uint8

// The kinds of boundary.
const (
	Walled   Border = iota // the cells fill the box; a point outside belongs to the cell at the boundary
	Periodic               // a point that leaves at one side enters at the other
	Endless                // no box: points may have any position
)

// boundaryNames are the names of the kinds.
var boundaryNames = [...]string{Walled: "Walled", Periodic: "Periodic", Endless: "Endless"}

// String returns the name of the kind.
func (b Border) String() string {
	if int(b) < len(boundaryNames) {
		return boundaryNames[b]
	}
	return fmt.Sprintf("Border(%d)", uint8(b))
}

// Space describes the space in which points are.
type Space[T kernels.Float] struct {
	// Dims is 2 or 3.
	Dims int
	// Low and High are corners of the box. An endless space has no corners.
	Low, High Point[T]
	// Cell is the minimum width of cells. A good width is about the radius of most searches. A box
	// takes 4 bytes for each of its cells, and Build takes time to clear them. If there would be
	// many more cells than points, use wider cells or an endless space. An endless space has at
	// most four cells per point, or 512 if there are few points.
	Cell T
	// Border is the kind of boundary.
	Border Border
	// Part restricts the grid to some cells of the box. Use it if only some cells have
	// points. The grid uses no memory for the other cells. The order of the rows is the
	// same as without Part. If cells are omitted, [Grid.Hit] compares every point.
	Part Part
}

// Part is a box of cells. Along each axis it has Count cells, beginning with cell First. In a
// periodic space, the part may continue through the boundary. A Count of 0 means all cells. A point
// outside of the part is put into the nearest cell of the part. Searches find such points, but
// their rows may differ.
type Part struct{ First, Count [3]int32 }

// maxCells is the largest number of cells of a box.
const maxCells = 1 << 27

// lastCell is the largest number of a cell of an axis, and -lastCell is the smallest. These two
// cells hold all points beyond them.
const lastCell = 1 << 29

// An axis maps a coordinate to a cell.
type axis[T kernels.Float] struct {
	low, high      T // of the box
	cellsPerLength T // cells per unit of length
	period         T // side of a periodic box, else 0
	first          int32
	cells          int32
	boxCells       int32 // number of cells in the box; the grid keeps only some of them (cells):
	frontCells     int32 // cells kept at the front; 0 unless the part continues through the boundary
	omitted        int32 // cells omitted after those; the cells after them are kept
	shared         bool  // cells is a power of two, and several cell numbers share one
	hashBits       uint8 // log2 of cells if they are shared
}

// check panics if a field is invalid.
func (s *Space[T]) check() {
	switch {
	case s.Dims != 2 && s.Dims != 3:
		panic(fmt.Sprintf("near: New: Dims is %d: 2 or 3", s.Dims))
	case int(s.Border) >= len(boundaryNames):
		panic(fmt.Sprintf("near: New: Border is %d: Walled, Periodic or Endless", uint8(s.Border)))
	case s.Border == Endless && s.Part != Part{}:
		panic("near: New: Part is for a box: an endless space keeps no cells without points anyway")
	case !(s.Cell > 0) || !finite(s.Cell) || !finite(1/s.Cell): // NaN too
		panic(fmt.Sprintf("near: New: Cell is %v: it must be a length above 0", s.Cell))
	}
}

// axes returns the axes of a box.
func (s *Space[T]) axes() (axes [3]axis[T]) {
	low, high := coords(s.Low), coords(s.High)
	total := 1.0
	for a := range axes {
		axes[a] = axis[T]{cellsPerLength: 1 / s.Cell, cells: 1}
		if s.Border == Endless || a >= s.Dims {
			continue
		}
		side := high[a] - low[a]
		if !(side > 0) || !finite(side) {
			panic(fmt.Sprintf("near: New: the box reaches from %v to %v along %s: High is to be above Low", low[a], high[a], "XYZ"[a:a+1]))
		}
		n := math.Max(1, math.Floor(float64(side/s.Cell)))
		if n <= maxCells {
			axes[a] = axis[T]{low: low[a], high: high[a], cellsPerLength: T(n) / side, boxCells: int32(n)}
			s.setPart(a, &axes[a])
			n = float64(axes[a].cells)
		}
		if total *= n; total > maxCells {
			panic(fmt.Sprintf("near: New: more than %d cells of %v: make them larger, or the space Endless", maxCells, s.Cell))
		}
		if s.Border == Periodic {
			axes[a].period = side
		}
	}
	return axes
}

// setPart sets the range of cells of an axis that the grid keeps.
func (s *Space[T]) setPart(a int, axis *axis[T]) {
	first, n := s.Part.First[a], s.Part.Count[a]
	if n == 0 {
		axis.cells = axis.boxCells
		return
	}
	end := int64(first) + int64(n)
	if first < 0 || first >= axis.boxCells || n < 0 || n > axis.boxCells || end > int64(axis.boxCells) && s.Border != Periodic {
		panic(fmt.Sprintf("near: New: Part has %d cells from %d on along %s: there are %d, and a part leads on only through a periodic border", n, first, "XYZ"[a:a+1], axis.boxCells))
	}
	axis.cells, axis.omitted = n, first
	if over := int32(end - int64(axis.boxCells)); over > 0 {
		axis.frontCells, axis.omitted = over, first-over
	}
}

// clampToPart returns the kept cell with the number nearest to cell c of the box. It is monotonic in c.
func (a *axis[T]) clampToPart(c int32) int32 {
	return min(max(c-a.omitted, min(c, a.frontCells), 0), a.cells-1)
}

// coords returns the coordinates of a point as an array.
func coords[T kernels.Float](p Point[T]) [3]T { return [3]T{p.X, p.Y, p.Z} }

// finite reports whether x is neither NaN nor infinite.
func finite[T kernels.Float](x T) bool { return x-x == 0 }

// finite reports whether all coordinates of a point are finite.
func (p Point[T]) finite() bool { return finite(p.X) && finite(p.Y) && finite(p.Z) }

// cellNumber returns the number of the cell of x on an infinite axis. The number never decreases if x
// increases, in spite of rounding; the searches rely on this property.
func (a *axis[T]) cellNumber(x T) int32 {
	c := T(math.Floor(float64(T((x - a.low) * a.cellsPerLength))))
	return min(max(kernels.ToInt32(c), -lastCell), lastCell)
}

// wrap returns the image of x inside the box of a periodic axis. On other axes it returns x.
func (a *axis[T]) wrap(x T) T {
	if a.period == 0 || x >= a.low && x < a.high {
		return x
	}
	u := T(math.Mod(float64(x-a.low), float64(a.period))) // exact, for float32 too
	if u < 0 {
		u += a.period
	}
	if x = u + a.low; !(x >= a.low && x < a.high) { // rounded up to the end
		return a.low
	}
	return x
}

// displacement returns the displacement from p to q. On a periodic axis, it returns the
// displacement to the nearest image of q.
func (a *axis[T]) displacement(q, p T) T {
	d := q - p
	if half := a.period / 2; half > 0 {
		if d > half {
			return d - a.period
		}
		if d < -half {
			return d + a.period
		}
	}
	return d
}

// searchRadius returns r with a margin for the rounding of distances, squares and cells, so that a search along an axis misses no point within r.
func (a *axis[T]) searchRadius(r T) T {
	least, tiny := T(0x1p-60), T(0x1p-20) // squares of numbers below least lose bits by underflow; tiny is 16 units in the last place
	if isFloat64[T]() {
		least, tiny = T(minExactSquare), T(0x1p-49)
	}
	r = max(r, least)
	if !finite(T(r * r)) {
		return T(math.Inf(1)) // every square is within the limit
	}
	return r + T(r*tiny) + T(a.period*tiny)
}

const minExactSquare = 0x1p-100 // a float32 can represent it; its square loses no bits

func isFloat64[T kernels.Float]() bool {
	_, ok := any(T(0)).(float64)
	return ok
}
