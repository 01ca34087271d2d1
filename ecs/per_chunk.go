package ecs

import (
	"reflect"
)

// PerChunk is a component of which all entities of a chunk have one value
// together: bounds of what is in it, a counter, a level of detail. T must be
// plain data, or data that embeds Cleanup. It is another type than T, which the
// entities may have besides.
//
// The value belongs to the chunk: an entity that moves to another chunk finds
// that one's, and a new chunk has a zero one. It lies with an entity of its own,
// the chunk's meta entity, which has T and a [ChunkHeader], so that queries can
// go over the chunks. The meta entity ends with the last row, or the last chunk
// component; if T embeds Cleanup it stays until T is removed from it.
type PerChunk[T any] struct{ Value T }

func (PerChunk[T]) perChunk() reflect.Type { return reflect.TypeFor[T]() }

// ChunkValue returns the value of the chunk component of T. The query must ask to
// Read or Write PerChunk[T]; it panics with an *Error if it does not.
func ChunkValue[T any](c *Chunk) (v T) {
	b := c.chunkBind("ChunkValue", (*PerChunk[T])(nil))
	c.world.tables.gatherChunk(c.rec, b.comp.per, bytesOf(&v))
	return v
}

// SetChunkValue sets the value of the chunk component of T, for all rows of the
// chunk, and marks it as changed. The query must ask to Write PerChunk[T]; it
// panics with an *Error if it does not.
func SetChunkValue[T any](c *Chunk, v T) {
	const op = "SetChunkValue"
	b := c.chunkBind(op, (*PerChunk[T])(nil))
	if !b.write {
		panic(c.missing(b.comp.typ, op, "the query only reads it: ask for it with Write"))
	}
	c.world.tables.scatterChunk(c.rec, int(b.column), bytesOf(&v), c.version)
}

// chunkBind returns the chunk component that p points to among the chunk's
// columns.
func (c *cursor) chunkBind(op string, p any) *bind {
	c.check(op)
	if c.rec.arch.find(pointerKey(p)) < 0 {
		e := c.world.gate.fault(ErrArgument, op, "the chunk has no such component, it has %v: ask HasColumn first", c.rec.arch)
		e.Component = fullName(reflect.TypeOf(p).Elem())
		panic(e)
	}
	return c.bind(op, p)
}
