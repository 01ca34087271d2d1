package grid

import (
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// An Order says among how many cells of each axis a particle is divided. The shape of the particle is a B-spline.
type Order uint8

const (
	// Nearest gives the whole value to the cell that contains the particle (NGP).
	Nearest Order = iota

	// Linear divides the value between the two nearest cells of each axis (cloud in cell, CIC). It needs a
	// margin of 1.
	Linear

	// Quadratic divides the value among three cells of each axis (triangular shaped cloud, TSC). It needs a margin
	// of 1.
	Quadratic

	// Cubic divides the value among four cells of each axis (PQS). It needs a margin of 2.
	Cubic
)

// margin returns the width of the margin that the order needs.
func (o Order) margin() int { return int(o+1) / 2 }

// A Mesh connects particles with the cells of a grid. The zero Mesh has cells of width 1, beginning at 0.
type Mesh[T kernels.Float] struct {
	Low   [3]float64 // the low corner of cell (0, 0, 0)
	Width float64    // the width of the cells, in the unit of the positions; 0 means 1
	Order Order

	// Periodic says which axes are periodic. On a periodic axis, a particle outside of the grid counts at the
	// position of its image inside. On other axes, a particle outside of the grid is an error.
	Periodic [3]bool

	// Pool does the work in parallel. If Pool is nil, the calling goroutine does the work.
	Pool *jobs.Pool
}

// Points has the positions of particles, with a lane for each axis of the grid. The lanes of axes that the grid lacks are nil.
type Points[T kernels.Float] struct{ X, Y, Z []T }

// Errors of meshes and sums. A returned *Error wraps one of these errors.
var (
	ErrOutside   = errors.New("the particle is outside of the grid")
	ErrNotFinite = errors.New("a number is not finite")
	ErrTooLarge  = errors.New("there are too many quanta")
)

// An Error says for which particle a call failed, and why. The call has changed nothing.
type Error struct {
	Call  string // for example, "Deposit"
	Row   int    // the number of the particle, or -1 if the error belongs to all together
	Cause string // values and the remedy
	Err   error  // one of ErrOutside, ErrNotFinite, ErrTooLarge
}

// Error returns one line.
func (e *Error) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("grid: %s: %v: %s", e.Call, e.Err, e.Cause)
	}
	return fmt.Sprintf("grid: %s: particle %d: %v: %s", e.Call, e.Row, e.Err, e.Cause)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Particles are handled in blocks. The lanes of a block fit into the first-level cache.
const block = 128

// A locator finds the cells of particles. Several goroutines may use it at the same time, if each has its own
// scratch.
type locator[T kernels.Float] struct {
	mesh    *Mesh[T]
	lanes   [3][]T
	cells   [3]int
	step    [3]int // the distance of two cells along each axis
	first   int    // the index of cell (0, 0, 0)
	axes    int
	inverse float64 // cells per unit of length

	// edges has the positions of the two edges of each axis. They are rounded outwards if T cannot represent them.
	edges [3][2]float64
}

// A scratch has the lanes of a block.
type scratch struct {
	u         [block]float64
	weight    [3][4][block]float64
	near      [block]int32 // the first cell along an axis
	base      [block]int32 // the index of the first cell
	all       [block]float64
	plane     [block]float64
	line      [block]float64
	leftPlane [block]float64
	leftLine  [block]float64
	leftCell  [block]float64
	cell      [2][block]int64
}

// locatorOf returns the locator for a field. It panics if the lanes do not fit to the grid or to each other.
func locatorOf[T kernels.Float, N Number](m *Mesh[T], caller string, f *Field[N], p Points[T], rows int) *locator[T] {
	s := f.shape
	l := &locator[T]{mesh: m, lanes: [3][]T{p.X, p.Y, p.Z}, step: [3]int{1, f.pitch, f.plane}, first: f.first, inverse: 1}
	l.cells, _ = s.axes()
	for a, n := range [3]int{s.X, s.Y, s.Z} {
		switch {
		case n == 0 && l.lanes[a] != nil:
			panic(fmt.Sprintf("grid: %s: there are positions along %c, but the grid lacks this axis: pass nil", caller, "XYZ"[a]))
		case n > 0 && len(l.lanes[a]) != rows:
			panic(fmt.Sprintf("grid: %s: there are %d positions along %c, for %d particles", caller, len(l.lanes[a]), "XYZ"[a], rows))
		case n > 0:
			l.axes = a + 1
		}
	}
	if m.Order > Cubic {
		panic(fmt.Sprintf("grid: %s: the order is %d: it must be Nearest, Linear, Quadratic or Cubic", caller, m.Order))
	}
	if s.Margin < m.Order.margin() {
		panic(fmt.Sprintf("grid: %s: the grid has a margin of %d: this order of the mesh needs a margin of %d", caller, s.Margin, m.Order.margin()))
	}
	if len(f.cells) > math.MaxInt32 {
		panic(fmt.Sprintf("grid: %s: the grid has %d cells: a mesh can have at most 2^31-1", caller, len(f.cells)))
	}
	width := 1.0
	if m.Width != 0 {
		width = m.Width
		l.inverse = 1 / width
	}
	if !(l.inverse > 0) || math.IsInf(l.inverse, 0) {
		panic(fmt.Sprintf("grid: %s: the cells of the mesh have the width %v: the width and 1/width must be positive and finite", caller, m.Width))
	}
	for a := range l.axes {
		low := m.Low[a]
		if math.IsNaN(low) || math.IsInf(low, 0) {
			panic(fmt.Sprintf("grid: %s: the mesh begins at %v along %c: Low must be finite", caller, low, "XYZ"[a]))
		}
		high := low + float64(float64(l.cells[a])*width)
		l.edges[a] = [2]float64{min(low, float64(T(low))), max(high, float64(T(high)))}
	}
	return l
}

// place converts the positions of particles along an axis to units of cells, and writes them to u.
func (l *locator[T]) place(u []float64, a, lo int) {
	switch x := any(l.lanes[a][lo:]).(type) {
	case []float32:
		toCells32(u, x, l.mesh.Low[a], l.inverse, l.edges[a][0], l.edges[a][1], float64(l.cells[a]))
	case []float64:
		toCells64(u, x, l.mesh.Low[a], l.inverse, l.edges[a][0], l.edges[a][1], float64(l.cells[a]))
	}
	if l.mesh.Periodic[a] {
		wrapCells(u, float64(l.cells[a]))
	}
}

// locate finds the first cell and the weights of each particle of a block.
func (l *locator[T]) locate(s *scratch, lo, n int) {
	base, near := s.base[:n], s.near[:n]
	for a := range l.axes {
		u, w := s.u[:n], &s.weight[a]
		l.place(u, a, lo)
		switch l.mesh.Order {
		case Nearest:
			placeNearest(near, u, float64(l.cells[a]))
			kernels.Fill(w[0][:n], 1)
		case Linear:
			placeLinear(near, w[0][:n], w[1][:n], u)
		case Quadratic:
			placeQuadratic(near, w[0][:n], w[1][:n], w[2][:n], u, float64(l.cells[a]))
		case Cubic:
			placeCubic(near, w[0][:n], w[1][:n], w[2][:n], w[3][:n], u)
		}
		if a == 0 {
			for i, c := range near {
				base[i] = int32(l.first) + c
			}
			continue
		}
		step := int32(l.step[a])
		for i, c := range near {
			base[i] += c * step
		}
	}
}

// widths returns the number of planes, rows and cells among which each particle is divided.
func (l *locator[T]) widths() (planes, rows, cells int) {
	cells = int(l.mesh.Order) + 1
	planes, rows = 1, 1
	if l.axes > 1 {
		rows = cells
	}
	if l.axes > 2 {
		planes = cells
	}
	return planes, rows, cells
}

// outsider returns the error of the first particle of a block that is outside of the grid, or nil.
func (l *locator[T]) outsider(call string, s *scratch, lo, n int) *Error {
	first, axis := n, 0
	for a := range l.axes {
		var sum kernels.Total[float64]
		u, high := s.u[:n], float64(l.cells[a])
		l.place(u, a, lo)
		countOutsiders(&sum, u, high)
		if sum.Sum() == 0 {
			continue
		}
		for i, v := range u[:first] {
			if !(v >= 0 && v <= high) {
				first, axis = i, a
				break
			}
		}
	}
	if first == n {
		return nil
	}
	x := float64(l.lanes[axis][lo+first])
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return &Error{call, lo + first, fmt.Sprintf("its %c is %v", "xyz"[axis], x), ErrNotFinite}
	}
	if l.mesh.Periodic[axis] {
		return &Error{call, lo + first, fmt.Sprintf("its %c is %v, which is too far away to have an image", "xyz"[axis], x), ErrOutside}
	}
	return &Error{call, lo + first, fmt.Sprintf("its %c is %v, and the grid is from %v to %v: move the particle, or declare the axis as periodic",
		"xyz"[axis], x, l.edges[axis][0], l.edges[axis][1]), ErrOutside}
}
