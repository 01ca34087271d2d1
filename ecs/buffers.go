package ecs

// Buffers is a column of buffers.
type Buffers[T any] struct {
	_     [0]*T
	chunk *cursor
	n     int
	bind  int // its place among the chunk's columns
}

// Column names the view of a column of buffers.
func (Buffer[T]) Column() (c Buffers[T]) { return }

// Len returns the number of buffers in the column: the chunk's rows.
func (v *Buffers[T]) Len() int { return v.n }

// At returns the buffer of row i. It panics with an *Error if i is out of range.
func (v *Buffers[T]) At(i int) Buffer[T] {
	if uint(i) >= uint(v.n) {
		panic(fault(ErrRange, "Buffers.At", "row %d of %d", i, v.n))
	}
	c := v.chunk
	c.check("Buffers.At")
	b := &c.binds[v.bind]
	return Buffer[T]{home: bufferPlace{&c.world.tables, c.rec, c.structural, int32(c.first + i), int32(b.column), b.write}}
}
