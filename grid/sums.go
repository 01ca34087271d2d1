package grid

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// Sums is a field of exact sums, which do not depend on the order of additions, because a cell counts quanta.
type Sums struct {
	field   *Field[int64]
	quantum float64
	load    uint64 // the quanta of all values, each counted as positive: no cell can have more

	copies [][]int64 // a field for each further part of the particles, all zero between calls
}

const (
	mostQuanta = 1 << 50 // of one value, so that float64 numbers divide it exactly
	mostLoad   = 1 << 62 // of all values together
)

// NewSums returns a field of sums that are 0. The quantum is the unit in which values are counted, and must be a power of two,
// for example 0x1p-40. A value may have up to 2^50 quanta, and all values together up to 2^62. NewSums panics if the shape
// is not valid or if the quantum is not such a power of two.
func NewSums(s Shape, quantum float64) *Sums {
	if frac, exp := math.Frexp(quantum); frac != 0.5 || exp < -900 || exp > 900 {
		panic(fmt.Sprintf("grid: NewSums: the quantum is %v: it must be a power of two, for example 0x1p-40", quantum))
	}
	return &Sums{field: New[int64](s), quantum: quantum}
}

// Shape returns the size of the grid.
func (s *Sums) Shape() Shape { return s.field.shape }

// Quantum returns the unit in which the cells count.
func (s *Sums) Quantum() float64 { return s.quantum }

// Cells returns the quanta of all cells, in the order of [Field.Cells]. The slice is the memory of the sums. For example,
// several processes that each deposit some of the particles add their cells, in any order. The sums cannot check that the
// values of all processes together have at most 2^62 quanta.
func (s *Sums) Cells() []int64 { return s.field.cells }

// Reset sets all cells to 0, margins included.
func (s *Sums) Reset() {
	clear(s.field.cells)
	s.load = 0
}

// Add adds the cells of other sums, for example sums of other particles. It returns an [*Error], and adds nothing, if all
// values together have more than 2^62 quanta. It panics if the shapes or the quanta differ.
func (s *Sums) Add(other *Sums) error {
	if s.field.shape != other.field.shape || s.quantum != other.quantum {
		panic(fmt.Sprintf("grid: Add: the sums have the shapes %+v and %+v and the quanta %v and %v: they must be the same", s.field.shape, other.field.shape, s.quantum, other.quantum))
	}
	total := finding{load: s.load}
	total.add(other.load)
	if total.load > mostLoad {
		return tooManyQuanta("Add", s.quantum)
	}
	s.load = total.load
	for i, n := range other.field.cells {
		s.field.cells[i] += n
	}
	return nil
}

// tooManyQuanta returns the error for values that have too many quanta together.
func tooManyQuanta(call string, quantum float64) *Error {
	return &Error{call, -1, fmt.Sprintf("all values together have more than 2^62 quanta of %v: use a larger quantum", quantum), ErrTooLarge}
}

// FoldMargins adds each cell of the margin to the inner cell from which [Field.FillMargins] would copy it with the same
// rules, and sets the cell of the margin to 0. The margin of a fixed axis is dropped. Rules of axes that the grid lacks are
// ignored. It panics if a periodic or mirrored axis has fewer cells than the margin.
func (s *Sums) FoldMargins(x, y, z Rule) {
	s.field.foldMargins("FoldMargins", Edges[int64]{X: Edge[int64]{Rule: x}, Y: Edge[int64]{Rule: y}, Z: Edge[int64]{Rule: z}})
}

// CopyTo writes the sums to a field of the same shape. Each number is the sum times the quantum, rounded to T. It panics if
// the shapes differ.
func CopyTo[T kernels.Float](dst *Field[T], s *Sums) {
	if dst.shape != s.field.shape {
		panic(fmt.Sprintf("grid: CopyTo: the field has the shape %+v and the sums have %+v: they must be the same", dst.shape, s.field.shape))
	}
	for i, n := range s.field.cells {
		dst.cells[i] = T(float64(n) * s.quantum)
	}
}
