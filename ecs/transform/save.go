package transform

import (
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// Systems compute whole columns. Where a component that can be switched off has
// taken the making of some rows over, these are saved meanwhile and restored:
// nothing else looks at the column then, and it is faster than runs of few rows.

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

// save returns a copy of a column of the chunk, or nil if all rows are the
// system's.
func save[E any](c *ecs.Chunk, column []E) *[]E {
	if c.All() {
		return nil
	}
	saved, ok := copiesOf[E]().Get().(*[]E)
	if !ok {
		saved = new([]E)
	}
	*saved = append((*saved)[:0], column...)
	return saved
}

// restore undoes what was written to the rows that are not the system's.
func restore[E any](c *ecs.Chunk, column []E, saved *[]E) {
	if saved == nil {
		return
	}
	at := 0
	for lo, hi := range c.Runs() {
		copy(column[at:lo], (*saved)[at:])
		at = hi
	}
	copy(column[at:], (*saved)[at:])
	copiesOf[E]().Put(saved)
}

// saveLanes is save for the lanes of rotations.
func saveLanes[T kernels.Float](c *ecs.Chunk, q *kernels.Quats[T]) [4]*[]T {
	return [4]*[]T{save(c, q.X), save(c, q.Y), save(c, q.Z), save(c, q.W)}
}

// restoreLanes is restore for the lanes of rotations.
func restoreLanes[T kernels.Float](c *ecs.Chunk, q *kernels.Quats[T], saved [4]*[]T) {
	restore(c, q.X, saved[0])
	restore(c, q.Y, saved[1])
	restore(c, q.Z, saved[2])
	restore(c, q.W, saved[3])
}
