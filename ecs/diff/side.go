package diff

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
)

// side is one of two things to be compared.
type side struct {
	image      *ecs.Image // nil if it is a file
	archetypes []archetype
	free       []ecs.Entity
	retired    int
	sums       []images.Sum
}

// archetype is a set of components, by full names, and its chunks.
type archetype struct {
	set    []*component
	key    string // their names
	chunks int
	rows   int
	chunk  func(i int) chunk
}

// chunk is one chunk.
type chunk struct {
	ids     []ecs.Entity
	columns []column // in the order of the set
}

// column is what a chunk has of a component.
type column struct {
	*component
	lanes [][]byte // the values of the rows, a lane behind the other
	on    []uint64
	part  part
}

// part is a column of buffers, or with a shared value.
type part interface {
	elements(row int) []byte
	shared() (text string)
	sharedEquals(other part) bool // of the same side or another one of its kind
}

// component is how the values of a component lie in memory, or in a file.
type component struct {
	name    string // the full one
	of      string // in files what its values consist of: those of two may differ
	lanes   []lane
	elem    *shape // of a buffer
	shared  bool
	managed bool
}

// lane is one of its lanes.
type lane struct {
	name  string
	shape *shape
}

// row returns the value of a row.
func (x *column) row(lane, i int) []byte {
	size := x.component.lanes[lane].shape.size
	return x.lanes[lane][i*size:][:size]
}
