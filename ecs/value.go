package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/chunk"
)

// access is how the rows of a column are read and written, one at a time.
type access struct {
	way  uint8
	at   uint32 // of the first lane
	step uint32 // to the next one, for wayWords
}

// Ways to read and write a row. The first two do without a look at the lanes.
const (
	wayWhole   uint8 = iota + 1 // the component is one lane
	wayWords                    // lanes of four bytes, equally far apart
	wayLanes                    // any lanes
	wayBuffer                   // a handle
	wayManaged                  // beside the chunk
	wayOther                    // a tag, or no value of the row's own
)

// findAccess finds out how the rows of c are read and written.
func (c *column) findAccess() access {
	var a access
	if len(c.lanes) > 0 {
		a.at = c.lanes[0].at
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
	case c.words():
		a.way, a.step = wayWords, c.lanes[1].at-a.at
	default:
		a.way = wayLanes
	}
	return a
}

// oneLane reports whether the component is one lane, which is all of its type.
func (c *component) oneLane() bool { return len(c.fields) == 1 && c.fields[0].size == c.size }

// words reports whether the lanes of c are of four bytes each, equally far apart,
// and in the order of the fields, which are all of the type.
func (c *column) words() bool {
	if len(c.lanes) < 2 || c.comp.size != 4*uintptr(len(c.lanes)) {
		return false
	}
	step := c.lanes[1].at - c.lanes[0].at
	for i, l := range c.lanes {
		if l.size != 4 || l.at != c.lanes[0].at+uint32(i)*step || c.comp.fields[i].offset != 4*uintptr(i) {
			return false
		}
	}
	return true
}

// readRow reads a row of column i, which has a value of its own.
func readRow[T any](r *record, i, row int, v *T) {
	c := &r.arch.columns[i]
	switch c.way {
	case wayWhole:
		*v = *rowAt[T](r.block, c.at, row)
	case wayWords:
		gatherWords(v, r.block, c.at+4*uint32(row), c.step)
	case wayManaged:
		*v = *objectOf[T](r, c, row)
	default:
		c.gather(r.block, row, bytesOf(v))
	}
}

// writeRow writes a row of column i, which has a value of its own.
func writeRow[T any](r *record, i, row int, v *T) {
	c := &r.arch.columns[i]
	switch c.way {
	case wayWhole:
		*rowAt[T](r.block, c.at, row) = *v
	case wayWords:
		scatterWords(r.block, c.at+4*uint32(row), c.step, v)
	case wayManaged:
		*objectOf[T](r, c, row) = *v
	default:
		c.scatter(r.block, row, bytesOf(v))
	}
}

// scatter writes a Go value of the column's component, as bytes, to a row.
func (c *column) scatter(b *chunk.Block, row int, value []byte) {
	fields := c.comp.fields
	for i := range c.lanes {
		l, f := &c.lanes[i], &fields[i]
		at := l.at + uint32(row)*l.size
		if f.size == 4 {
			*(*[4]byte)(b[at:]) = *(*[4]byte)(value[f.offset:])
			continue
		}
		copy(b[at:at+l.size], value[f.offset:])
	}
}

// gather reads a row into a Go value of the column's component, as bytes.
func (c *column) gather(b *chunk.Block, row int, value []byte) {
	fields := c.comp.fields
	for i := range c.lanes {
		l, f := &c.lanes[i], &fields[i]
		at := l.at + uint32(row)*l.size
		if f.size == 4 {
			*(*[4]byte)(value[f.offset:]) = *(*[4]byte)(b[at:])
			continue
		}
		copy(value[f.offset:], b[at:at+l.size])
	}
}

// foreign returns an error if a component is given as a handle, whose life the
// change that adds the component would end. Nil is no handle.
func (w *World) foreign(op string, c *component, handle *bufferPlace) error {
	if handle == nil {
		return nil
	}
	return w.fault(ErrArgument, op, "the value is a handle to the buffer of an entity, and this change ends its life: copy the elements with BufferOf(b.Slice()...)").on(c)
}

// scatterBox writes a component in an interface to a row that has it.
func (w *World) scatterBox(r *record, row int, v any) {
	i := r.arch.findType(reflect.TypeOf(v))
	c := &r.arch.columns[i]
	switch {
	case c.comp.kind.has(isShared):
		// its value is the group's
	case c.comp.per != nil:
		w.scatterChunk(r, i, boxBytes(v, c.comp.size), w.version)
	case c.comp.kind.has(isManaged):
		r.objects[c.object].rows.Index(row).Set(reflect.ValueOf(v))
	case c.comp.kind.has(isBuffer):
		bufferAt(r, c, row).set(boxedContent(v, c.comp.buffer.size))
	default:
		c.scatter(r.block, row, boxBytes(v, c.comp.size))
	}
}
