package near

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Point is a place, or a way. In a plane Z is left out.
type Point[T kernels.Float] struct{ X, Y, Z T }

// Border says what is at the borders of a space.
type Border uint8

// The kinds of space.
const (
	Walled   Border = iota // cells fill the box; what is outside is in the cell at the border
	Periodic               // what leaves at one side comes back at the other
	Endless                // no box: points may be anywhere
)

// borders are the names of the kinds.
var borders = [...]string{Walled: "Walled", Periodic: "Periodic", Endless: "Endless"}

// String returns the name of the kind.
func (b Border) String() string {
	if int(b) < len(borders) {
		return borders[b]
	}
	return fmt.Sprintf("Border(%d)", uint8(b))
}

// Space is where points are.
type Space[T kernels.Float] struct {
	// Dims is 2 or 3.
	Dims int
	// Low and High are corners of the box. An endless space has none.
	Low, High Point[T]
	// Cell is how wide cells are at least: about the radius of most questions. A box takes
	// 4 bytes for each of its cells, and each time it is built the time to clear them: with many
	// more cells than points, take wider ones, or an endless space, which has at most
	// four for each point, and 512 for few.
	Cell T
	// Border says what is at the borders.
	Border Border
	// Part are the cells of a box that have points, unless there are no others: the grid has no
	// memory for the rest. Rows are in the same order as with all cells. Where cells are left out,
	// [Grid.Hit] looks at every point.
	Part Part
}

// Part is a box of cells: along each axis Count of them from First on, which in a periodic
// space may lead on through the border; a Count of 0 are all. Points elsewhere are in the
// nearest of these cells: they are found, and may have other rows.
type Part struct{ First, Count [3]int32 }

// mostCells is how many cells a box may have.
const mostCells = 1 << 27

// far is the number of the last cell of an axis, and -far of the first: what is
// further away is in these.
const far = 1 << 29

// An axis says which cell a coordinate is in.
type axis[T kernels.Float] struct {
	low, high T // of the box
	inv       T // cells a length
	side      T // of a periodic box, or 0
	first     int32
	cells     int32
	inBox     int32 // cells of the box; of these, cells are kept:
	front     int32 // the first ones, if the part leads through the border, 0 if not,
	gap       int32 // and those behind as many that are left out
	folded    bool  // cells is a power of two, and several cells share one
	bits      uint8
}

// check panics if there is no such space.
func (s *Space[T]) check() {
	switch {
	case s.Dims != 2 && s.Dims != 3:
		panic(fmt.Sprintf("near: New: Dims is %d: 2 or 3", s.Dims))
	case int(s.Border) >= len(borders):
		panic(fmt.Sprintf("near: New: Border is %d: Walled, Periodic or Endless", uint8(s.Border)))
	case s.Border == Endless && s.Part != Part{}:
		panic("near: New: Part is for a box: an endless space keeps no cells without points anyway")
	case !(s.Cell > 0) || !finite(s.Cell) || !finite(1/s.Cell): // NaN too
		panic(fmt.Sprintf("near: New: Cell is %v: a length above 0", s.Cell))
	}
}

// axes returns the axes of a box.
func (s *Space[T]) axes() (axes [3]axis[T]) {
	low, high := lanes(s.Low), lanes(s.High)
	total := 1.0
	for a := range axes {
		axes[a] = axis[T]{inv: 1 / s.Cell, cells: 1}
		if s.Border == Endless || a >= s.Dims {
			continue
		}
		side := high[a] - low[a]
		if !(side > 0) || !finite(side) {
			panic(fmt.Sprintf("near: New: the box reaches from %v to %v along %s: High is to be above Low", low[a], high[a], "XYZ"[a:a+1]))
		}
		n := math.Max(1, math.Floor(float64(side/s.Cell)))
		if n <= mostCells {
			axes[a] = axis[T]{low: low[a], high: high[a], inv: T(n) / side, inBox: int32(n)}
			s.keep(a, &axes[a])
			n = float64(axes[a].cells)
		}
		if total *= n; total > mostCells {
			panic(fmt.Sprintf("near: New: more than %d cells of %v: make them larger, or the space Endless", mostCells, s.Cell))
		}
		if s.Border == Periodic {
			axes[a].side = side
		}
	}
	return axes
}

// keep says which cells of an axis are kept.
func (s *Space[T]) keep(a int, axis *axis[T]) {
	first, n := s.Part.First[a], s.Part.Count[a]
	if n == 0 {
		axis.cells = axis.inBox
		return
	}
	end := int64(first) + int64(n)
	if first < 0 || first >= axis.inBox || n < 0 || n > axis.inBox || end > int64(axis.inBox) && s.Border != Periodic {
		panic(fmt.Sprintf("near: New: Part has %d cells from %d on along %s: there are %d, and a part leads on only through a periodic border", n, first, "XYZ"[a:a+1], axis.inBox))
	}
	axis.cells, axis.gap = n, first
	if over := int32(end - int64(axis.inBox)); over > 0 {
		axis.front, axis.gap = over, first-over
	}
}

// kept returns which of the cells that are kept is nearest to one of the box, as far as numbers
// go. It does not fall where c rises.
func (a *axis[T]) kept(c int32) int32 {
	return min(max(c-a.gap, min(c, a.front), 0), a.cells-1)
}

// lanes returns the coordinates of a point.
func lanes[T kernels.Float](p Point[T]) [3]T { return [3]T{p.X, p.Y, p.Z} }

// finite reports whether x is a number, and not an infinite one.
func finite[T kernels.Float](x T) bool { return x-x == 0 }

// finite reports whether all coordinates of a point are.
func (p Point[T]) finite() bool { return finite(p.X) && finite(p.Y) && finite(p.Z) }

// cell returns the number of the cell that x is in, on an axis that goes on for ever.
// It does not fall where x rises, whatever is rounded: that is what finding rests on.
func (a *axis[T]) cell(x T) int32 {
	c := T(math.Floor(float64(T((x - a.low) * a.inv))))
	return min(max(kernels.ToInt32(c), -far), far)
}

// wrap returns the image of x inside of a periodic axis, and other coordinates as
// they are.
func (a *axis[T]) wrap(x T) T {
	if a.side == 0 || x >= a.low && x < a.high {
		return x
	}
	u := T(math.Mod(float64(x-a.low), float64(a.side))) // exact, of float32 too
	if u < 0 {
		u += a.side
	}
	if x = u + a.low; !(x >= a.low && x < a.high) { // rounded up to the end
		return a.low
	}
	return x
}

// way returns the way from p to q: to the nearest image of q, if there are several.
func (a *axis[T]) way(q, p T) T {
	d := q - p
	if half := a.side / 2; half > 0 {
		if d > half {
			return d - a.side
		}
		if d < -half {
			return d + a.side
		}
	}
	return d
}

// reach returns how far to look along an axis so that no point within r is missed,
// whatever was rounded: distances, squares and cells.
func (a *axis[T]) reach(r T) T {
	least, tiny := T(0x1p-60), T(0x1p-20) // below least squares lose bits; tiny is 16 units of the last place
	if isDouble[T]() {
		least, tiny = T(leastDouble), T(0x1p-49)
	}
	r = max(r, least)
	if !finite(T(r * r)) {
		return T(math.Inf(1)) // then all squares are small enough
	}
	return r + T(r*tiny) + T(a.side*tiny)
}

const leastDouble = 0x1p-100 // a number of a float32 too; squares are far from losing bits

func isDouble[T kernels.Float]() bool {
	_, ok := any(T(0)).(float64)
	return ok
}
