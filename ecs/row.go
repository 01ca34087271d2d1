package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// The values of rowAccess.layoutKind. For the first three kinds, no list of lanes is read, because the lanes
// are neighbours.
const (
	layoutOneLane   uint8 = iota + 1 // the component is one lane
	layoutWords                      // neighbouring lanes of four bytes each
	layoutLongWords                  // neighbouring lanes of eight bytes each
	layoutLanes                      // any lanes
	layoutBuffer                     // a handle
	layoutManaged                    // beside the chunk
	layoutOther                      // a tag, or a value that rows share
)

// findRowAccess returns the fastest way to read and write single rows of c.
func (c *column) findRowAccess() rowAccess {
	a := rowAccess{layoutKind: c.comp.layoutKind}
	if len(c.lanes) > 0 {
		a.firstLane = c.lanes[0].Index
	}
	return a
}

// findLayoutKind returns how the values of c are stored.
func (c *component) findLayoutKind() uint8 {
	switch {
	case c.kind.has(isBuffer):
		return layoutBuffer
	case c.kind.has(isManaged):
		return layoutManaged
	case len(c.fields) == 0:
		return layoutOther
	case c.isOneLane():
		return layoutOneLane
	case c.isWords(4):
		return layoutWords
	case c.isWords(8):
		return layoutLongWords
	}
	return layoutLanes
}

// isOneLane reports whether the component is one lane without padding.
func (c *component) isOneLane() bool { return len(c.fields) == 1 && c.fields[0].size == c.size }

// isWords reports whether the component consists of several lanes without padding, all with the given number
// of bytes. The lanes must be in the order of the fields. Such lanes have equal distances in a chunk on
// every machine.
func (c *component) isWords(size uintptr) bool {
	if len(c.fields) < 2 || c.size != size*uintptr(len(c.fields)) {
		return false
	}
	for i, f := range c.fields {
		if f.size != size || f.offset != size*uintptr(i) || c.lanes[i].Size != c.lanes[0].Size {
			return false
		}
	}
	return true
}

// readRow reads the value of column i in one row into *v. The component must not be shared or a
// chunk component.
func readRow[T any](r *chunkData, i, row int, v *T) {
	c := &r.arch.columns[i]
	switch c.layoutKind {
	case layoutOneLane:
		*v = *table.At[T](&r.Place, c.firstLane, row)
	case layoutWords:
		table.Gather[uint32](v, &r.Place, c.firstLane, row)
	case layoutLongWords:
		table.Gather[uint64](v, &r.Place, c.firstLane, row)
	case layoutManaged:
		*v = *managedOf[T](r, c, row)
	default:
		c.gather(&r.Place, row, bytesOf(v))
	}
}

// writeRow writes *v to column i in one row. The component must not be shared or a chunk component.
func writeRow[T any](r *chunkData, i, row int, v *T) {
	c := &r.arch.columns[i]
	switch c.layoutKind {
	case layoutOneLane:
		*table.At[T](&r.Place, c.firstLane, row) = *v
	case layoutWords:
		table.Scatter[uint32](&r.Place, c.firstLane, row, v)
	case layoutLongWords:
		table.Scatter[uint64](&r.Place, c.firstLane, row, v)
	case layoutManaged:
		*managedOf[T](r, c, row) = *v
	default:
		c.scatter(&r.Place, row, bytesOf(v))
	}
}

// managedOf returns a pointer to the managed T in a row of a column.
func managedOf[T any](r *chunkData, c *column, row int) *T {
	return &r.managedColumns[c.managedIndex].slice.([]T)[row]
}

// scatter writes a component to the lanes of a row. The argument value holds the bytes of the Go value.
func (c *column) scatter(p *table.Place, row int, value []byte) {
	if c.layoutKind == layoutWords {
		p.ScatterBytes(c.firstLane, row, value)
		return
	}
	fields := c.comp.fields
	for i := range c.lanes {
		l, f := &c.lanes[i], &fields[i]
		b := p.Bytes(*l, row, 1)
		switch f.size {
		case 4:
			*(*[4]byte)(b) = *(*[4]byte)(value[f.offset:])
		case 8:
			*(*[8]byte)(b) = *(*[8]byte)(value[f.offset:])
		default:
			copy(b, value[f.offset:])
		}
	}
}

// gather reads the value of a component from the lanes of a row.
func (c *column) gather(p *table.Place, row int, value []byte) {
	fields := c.comp.fields
	for i := range c.lanes {
		l, f := &c.lanes[i], &fields[i]
		b := p.Bytes(*l, row, 1)
		switch f.size {
		case 4:
			*(*[4]byte)(value[f.offset:]) = *(*[4]byte)(b)
		case 8:
			*(*[8]byte)(value[f.offset:]) = *(*[8]byte)(b)
		default:
			copy(value[f.offset:], b)
		}
	}
}

// rowAccess selects the code that reads and writes a single row of the column.
type rowAccess struct {
	layoutKind uint8
	firstLane  uint32 // the first one
}

// scatterBox writes a component value, given as an interface, to a row that has the component.
func (t *tables) scatterBox(r *chunkData, row int, v any) {
	i := r.arch.findColumnOfType(reflect.TypeOf(v))
	c := &r.arch.columns[i]
	switch {
	case c.comp.kind.has(isShared):
		// The value belongs to the chunk group, so there is nothing to write.
	case c.comp.perChunkValue != nil:
		t.scatterChunk(r, i, boxBytes(v, c.comp.size), t.gate.changeVersion)
	case c.comp.kind.has(isManaged):
		r.managedColumns[c.managedIndex].sliceValue.Index(row).Set(reflect.ValueOf(v))
	case c.comp.kind.has(isBuffer):
		bufferAt(r, c, row).replaceAll(boxedBufferContent(v, c.comp.buffer.elemSize))
	default:
		c.scatter(&r.Place, row, boxBytes(v, c.comp.size))
	}
}

// eachRef calls f with a pointer to each entity id in the column's value in one row.
func (c *column) eachRef(r *chunkData, row int, f func(id *Entity)) {
	if c.comp.kind.has(isBuffer) {
		values, size := bufferAt(r, c, row).elementBytes(), c.comp.buffer.elemSize
		for at := 0; at < len(values); at += size {
			for _, ref := range c.comp.refOffsets {
				f(entityAt(values[at:at+size], ref))
			}
		}
		return
	}
	for i, l := range c.lanes {
		field := c.comp.fields[i]
		value := r.Bytes(l, row, 1)
		for _, ref := range c.comp.refOffsets {
			if ref >= field.offset && ref < field.offset+field.size {
				f(entityAt(value, ref-field.offset))
			}
		}
	}
}

// mapRefs replaces each entity id in the rows of s by the result of to. The argument i of to is
// the index of the row in s. Shared values do not change, because other rows of the chunk group
// use them too.
func (s rowRange) mapRefs(to func(i int, id Entity) Entity) {
	for i := range s.chunk.arch.columns {
		if c := &s.chunk.arch.columns[i]; len(c.comp.refOffsets)+len(c.comp.boxedRefOffsets) > 0 {
			c.mapRefs(s, to)
		}
	}
}

// mapRefs does the work of rowRange.mapRefs for one column.
func (c *column) mapRefs(s rowRange, to func(i int, id Entity) Entity) {
	r := s.chunk
	for i := range s.count {
		switch {
		case c.managedIndex >= 0:
			box := r.managedColumns[c.managedIndex].sliceValue.Index(s.first + i).Addr()
			for _, ref := range c.comp.boxedRefOffsets {
				id := entityIn(box, ref)
				*id = to(i, *id)
			}
		case len(c.lanes) > 0:
			c.eachRef(r, s.first+i, func(id *Entity) { *id = to(i, *id) })
		}
	}
}

// fillRepeated fills b with repetitions of its first size bytes.
func fillRepeated(b []byte, size int) {
	for done := size; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

// remapBoxedRefs returns a copy of a shared value in which each entity id e is replaced by f(e).
func remapBoxedRefs(c *component, v any, f func(Entity) Entity) any {
	if len(c.boxedRefOffsets) == 0 {
		return v
	}
	box := reflect.New(c.typ)
	box.Elem().Set(reflect.ValueOf(v))
	for _, at := range c.boxedRefOffsets {
		id := entityIn(box, at)
		*id = f(*id)
	}
	return box.Elem().Interface()
}

// hasRefs reports whether rows of a, or their shared values, contain entity ids.
func (a *archetypeLayout) hasRefs() bool {
	for i := range a.columns {
		if c := a.columns[i].comp; len(c.refOffsets)+len(c.boxedRefOffsets) > 0 {
			return true
		}
	}
	return false
}

// gatherRows copies the values of a lane from rows of different chunks to consecutive memory.
func gatherRows(to []byte, recs []*chunkData, rows []int32, l table.Lane) {
	switch l.Size {
	case 4:
		for i, r := range recs {
			*(*[4]byte)(to[4*i:]) = *table.At[[4]byte](&r.Place, l.Index, int(rows[i]))
		}
	case 8:
		for i, r := range recs {
			*(*[8]byte)(to[8*i:]) = *table.At[[8]byte](&r.Place, l.Index, int(rows[i]))
		}
	default:
		size := int(l.Size)
		for i, r := range recs {
			copy(to[i*size:], r.Bytes(l, int(rows[i]), 1))
		}
	}
}
