package transform

import (
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// Systems compute whole columns. Where a component that can be switched off has
// taken the making of some rows over, these are kept aside meanwhile and put back:
// nobody else looks at the column then, and it is faster than runs of few rows.

// copies are slices for such columns, one pool a type.
var copies [4]sync.Pool

// copiesOf returns the pool of a type of rows: lanes of rotations, or matrices.
func copiesOf[E any]() *sync.Pool {
	switch any((*E)(nil)).(type) {
	case *float32:
		return &copies[0]
	case *float64:
		return &copies[1]
	case *[16]float32:
		return &copies[2]
	}
	return &copies[3]
}

// spare returns a copy of a column of the chunk, or nil if all rows are the
// system's.
func spare[E any](c *ecs.Chunk, column []E) *[]E {
	if c.All() {
		return nil
	}
	kept, ok := copiesOf[E]().Get().(*[]E)
	if !ok {
		kept = new([]E)
	}
	*kept = append((*kept)[:0], column...)
	return kept
}

// putBack undoes what was written to the rows that are not the system's.
func putBack[E any](c *ecs.Chunk, column []E, kept *[]E) {
	if kept == nil {
		return
	}
	at := 0
	for lo, hi := range c.Runs() {
		copy(column[at:lo], (*kept)[at:])
		at = hi
	}
	copy(column[at:], (*kept)[at:])
	copiesOf[E]().Put(kept)
}

// spareLanes is spare for the lanes of rotations.
func spareLanes[T kernels.Float](c *ecs.Chunk, q *kernels.Quats[T]) [4]*[]T {
	return [4]*[]T{spare(c, q.X), spare(c, q.Y), spare(c, q.Z), spare(c, q.W)}
}

// putBackLanes is putBack for the lanes of rotations.
func putBackLanes[T kernels.Float](c *ecs.Chunk, q *kernels.Quats[T], kept [4]*[]T) {
	putBack(c, q.X, kept[0])
	putBack(c, q.Y, kept[1])
	putBack(c, q.Z, kept[2])
	putBack(c, q.W, kept[3])
}
