package ecs

import "reflect"

// ChunkValue returns the value of the chunk component of T. The query must ask to
// Read or Write PerChunk[T]; it panics with an *Error if it does not.
func ChunkValue[T any](c *Chunk) (v T) {
	b := c.chunkBind("ChunkValue", (*PerChunk[T])(nil))
	c.world.gatherChunk(c.rec, b.comp.per, bytesOf(&v))
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
	c.world.scatterChunk(c.rec, int(b.column), bytesOf(&v), c.version)
}

// chunkBind returns the chunk component that p points to among the chunk's
// columns.
func (c *cursor) chunkBind(op string, p any) *bind {
	c.check(op)
	if c.rec.arch.find(pointerKey(p)) < 0 {
		e := c.world.fault(ErrArgument, op, "the chunk has no such component, it has %v: ask HasColumn first", c.rec.arch)
		e.Component = fullName(reflect.TypeOf(p).Elem())
		panic(e)
	}
	return c.bind(op, p)
}
