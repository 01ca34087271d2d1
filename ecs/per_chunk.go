package ecs

import (
	"reflect"
)

// PerChunk is a component with one value for all entities of a chunk. For example, it holds the
// bounds of the positions in the chunk, a counter, or a level of detail. T must be plain data, or data
// that embeds Cleanup. PerChunk[T] and T are different components, and an entity may have both.
//
// The value belongs to the chunk. If an entity moves to another chunk, it gets the value of that chunk,
// and a new chunk has a zero value. The value is stored in a separate entity, which is called the meta
// entity of the chunk. The meta entity has T and a [ChunkHeader], so that queries can visit the chunks.
// The meta entity is destroyed with the last row of the chunk, or with its last chunk component. If T
// embeds Cleanup, the meta entity stays until T is removed from it.
type PerChunk[T any] struct{ Value T }

func (PerChunk[T]) perChunk() reflect.Type { return reflect.TypeFor[T]() }

// ChunkValue returns the value of the chunk component of T. ChunkValue panics with an *Error if the
// query has no Read or Write term for PerChunk[T].
func ChunkValue[T any](c *Chunk) (v T) {
	b := c.chunkComponentBinding("ChunkValue", (*PerChunk[T])(nil))
	c.world.tables.gatherChunk(c.chunk, b.comp.perChunkValue, bytesOf(&v))
	return v
}

// SetChunkValue sets the value of the chunk component of T, for all rows of the chunk, and marks the
// component as changed. SetChunkValue panics with an *Error if the query has no Write term for
// PerChunk[T].
func SetChunkValue[T any](c *Chunk, v T) {
	const op = "SetChunkValue"
	b := c.chunkComponentBinding(op, (*PerChunk[T])(nil))
	if !b.write {
		panic(c.missingError(b.comp.typ, op, "the query only reads it: ask for it with Write"))
	}
	c.world.tables.scatterChunk(c.chunk, int(b.column), bytesOf(&v), c.changeVersion)
}

// chunkComponentBinding returns the binding of a chunk component. p is a pointer to the type of the
// component.
func (c *cursor) chunkComponentBinding(op string, p any) *columnBinding {
	c.mustBeShown(op)
	if c.chunk.arch.findColumn(pointerKey(p)) < 0 {
		e := c.world.gate.fault(ErrArgument, op, "the chunk has no such component, it has %v: ask HasColumn first", c.chunk.arch)
		e.Component = fullName(reflect.TypeOf(p).Elem())
		panic(e)
	}
	return c.bindingOf(op, p)
}
