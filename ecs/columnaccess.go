package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Ways to read and write a row. The first two do without a look at the lanes.
const (
	wayWhole   uint8 = iota + 1 // the component is one lane
	wayWords                    // neighbouring lanes of four bytes
	wayLanes                    // any lanes
	wayBuffer                   // a handle
	wayManaged                  // beside the chunk
	wayOther                    // a tag, or no value of the row's own
)

// findRowPath finds out how the rows of c are read and written.
func (c *column) findRowPath() rowPath {
	var a rowPath
	if len(c.lanes) > 0 {
		a.lane = c.lanes[0].Index
	}
	switch {
	case c.comp.kind.has(isBuffer):
		a.way = wayBuffer
	case c.comp.kind.has(isManaged):
		a.way = wayManaged
	case len(c.comp.fields) == 0:
		a.way = wayOther
	case c.comp.oneLane():
		a.way = wayWhole
	case c.comp.words():
		a.way = wayWords
	default:
		a.way = wayLanes
	}
	return a
}

// oneLane reports whether the component is one lane, which is all of its type.
func (c *component) oneLane() bool { return len(c.fields) == 1 && c.fields[0].size == c.size }

// words reports whether the lanes of the component are of four bytes each, in the order of the
// fields, which are all of the type.
func (c *component) words() bool {
	if len(c.fields) < 2 || c.size != 4*uintptr(len(c.fields)) {
		return false
	}
	for i, f := range c.fields {
		if f.size != 4 || f.offset != 4*uintptr(i) {
			return false
		}
	}
	return true
}

// threeWords reports whether rows are three lanes of words, and nothing beside the chunk.
func (c *component) threeWords() bool {
	return c.size == 12 && c.words() && !c.kind.has(isBuffer) && !c.kind.has(isManaged)
}

// readRow reads a row of column i, which has a value of its own.
func readRow[T any](r *record, i, row int, v *T) {
	c := &r.arch.columns[i]
	switch c.way {
	case wayWhole:
		*v = *table.At[T](&r.Place, c.lane, row)
	case wayWords:
		table.Gather(v, &r.Place, c.lane, row)
	case wayManaged:
		*v = *objectOf[T](r, c, row)
	default:
		c.gather(&r.Place, row, bytesOf(v))
	}
}

// writeRow writes a row of column i, which has a value of its own.
func writeRow[T any](r *record, i, row int, v *T) {
	c := &r.arch.columns[i]
	switch c.way {
	case wayWhole:
		*table.At[T](&r.Place, c.lane, row) = *v
	case wayWords:
		table.Scatter(&r.Place, c.lane, row, v)
	case wayManaged:
		*objectOf[T](r, c, row) = *v
	default:
		c.scatter(&r.Place, row, bytesOf(v))
	}
}

// objectOf shows the managed T in a row of a column.
func objectOf[T any](r *record, c *column, row int) *T {
	return &r.objects[c.object].list.([]T)[row]
}

// scatter writes a Go value of the column's component, as bytes, to a row.
func (c *column) scatter(p *table.Place, row int, value []byte) {
	if c.way == wayWords {
		p.PutWords(c.lane, row, value)
		return
	}
	fields := c.comp.fields
	for i := range c.lanes {
		l, f := &c.lanes[i], &fields[i]
		b := p.Bytes(*l, row, 1)
		if f.size == 4 {
			*(*[4]byte)(b) = *(*[4]byte)(value[f.offset:])
			continue
		}
		copy(b, value[f.offset:])
	}
}

// gather reads a row into a Go value of the column's component, as bytes.
func (c *column) gather(p *table.Place, row int, value []byte) {
	fields := c.comp.fields
	for i := range c.lanes {
		l, f := &c.lanes[i], &fields[i]
		b := p.Bytes(*l, row, 1)
		if f.size == 4 {
			*(*[4]byte)(value[f.offset:]) = *(*[4]byte)(b)
			continue
		}
		copy(value[f.offset:], b)
	}
}

// foreign returns an error if a component is given as a handle, whose life the
// change that adds the component would end. Nil is no handle.
func (w *gate) foreign(op string, c *component, handle *bufferPlace) error {
	if handle == nil {
		return nil
	}
	return w.fault(ErrArgument, op, "the value is a handle to the buffer of an entity, and this change ends its life: copy the elements with BufferOf(b.Slice()...)").on(c)
}
