package transform

import (
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// Systems compute whole columns. Where a component that can be switched off has
// taken the making of some rows over, these are saved meanwhile and restored:
// nothing else looks at the column then, and it is faster than runs of few rows.

// copies are slices for the matrices of such columns, one pool for each width.
var copies [2]sync.Pool

// copiesOf returns the pool of a width.
func copiesOf[T kernels.Float]() *sync.Pool {
	if _, narrow := any(T(0)).(float32); narrow {
		return &copies[0]
	}
	return &copies[1]
}

// save returns a copy of a column of the chunk, or nil if all rows are the
// system's.
func save[T kernels.Float](c *ecs.Chunk, column [][16]T) *[][16]T {
	if c.All() {
		return nil
	}
	saved, ok := copiesOf[T]().Get().(*[][16]T)
	if !ok {
		saved = new([][16]T)
	}
	*saved = append((*saved)[:0], column...)
	return saved
}

// restore undoes what was written to the rows that are not the system's.
func restore[T kernels.Float](c *ecs.Chunk, column [][16]T, saved *[][16]T) {
	if saved == nil {
		return
	}
	at := 0
	for lo, hi := range c.Runs() {
		copy(column[at:lo], (*saved)[at:])
		at = hi
	}
	copy(column[at:], (*saved)[at:])
	copiesOf[T]().Put(saved)
}
