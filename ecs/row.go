package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// The values of rowPath.way. The first two read no list of lanes, because the lanes are neighbours.
const (
	wayWhole   uint8 = iota + 1 // the component is one lane
	wayWords                    // neighbouring lanes of four bytes each
	wayLanes                    // any lanes
	wayBuffer                   // a handle
	wayManaged                  // beside the chunk
	wayOther                    // a tag, or a value that rows share
)

// findRowPath returns the fastest way to read and write single rows of c.
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

// oneLane reports whether the component is one lane without padding.
func (c *component) oneLane() bool { return len(c.fields) == 1 && c.fields[0].size == c.size }

// words reports whether the component consists of lanes of four bytes each, in the order of its
// fields, without padding.
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

// threeWords reports whether a row is three lanes of four bytes each, and stores nothing outside
// the chunk.
func (c *component) threeWords() bool {
	return c.size == 12 && c.words() && !c.kind.has(isBuffer) && !c.kind.has(isManaged)
}

// readRow reads a row of column i. Each row of the column must have its own value.
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

// writeRow writes a row of column i. Each row of the column must have its own value.
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

// objectOf returns a pointer to the managed T in a row of a column.
func objectOf[T any](r *record, c *column, row int) *T {
	return &r.objects[c.object].list.([]T)[row]
}

// scatter writes a Go value of the column's component, given as bytes, to the lanes of a row.
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

// gather reads the lanes of a row into a Go value of the column's component, given as bytes.
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

// rowPath selects the code that reads and writes a single row of the column.
type rowPath struct {
	way  uint8
	lane uint32 // the first one
}

// scatterBox writes a component in an interface to a row that has it.
func (t *tables) scatterBox(r *record, row int, v any) {
	i := r.arch.findType(reflect.TypeOf(v))
	c := &r.arch.columns[i]
	switch {
	case c.comp.kind.has(isShared):
		// its value belongs to the group
	case c.comp.per != nil:
		t.scatterChunk(r, i, boxBytes(v, c.comp.size), t.gate.version)
	case c.comp.kind.has(isManaged):
		r.objects[c.object].rows.Index(row).Set(reflect.ValueOf(v))
	case c.comp.kind.has(isBuffer):
		bufferAt(r, c, row).set(boxedContent(v, c.comp.buffer.size))
	default:
		c.scatter(&r.Place, row, boxBytes(v, c.comp.size))
	}
}

// eachRef calls f with a pointer to every entity id in one row of the column.
func (c *column) eachRef(r *record, row int, f func(id *Entity)) {
	if c.comp.kind.has(isBuffer) {
		values, size := bufferAt(r, c, row).bytes(), c.comp.buffer.size
		for at := 0; at < len(values); at += size {
			for _, ref := range c.comp.refs {
				f(entityAt(values[at:at+size], ref))
			}
		}
		return
	}
	for i, l := range c.lanes {
		field := c.comp.fields[i]
		value := r.Bytes(l, row, 1)
		for _, ref := range c.comp.refs {
			if ref >= field.offset && ref < field.offset+field.size {
				f(entityAt(value, ref-field.offset))
			}
		}
	}
}

// mapRefs replaces every entity id in the rows of s. The argument i of to is the row's index in s.
// Shared values do not change, because other rows of the chunk group use them too.
func (s span) mapRefs(to func(i int, id Entity) Entity) {
	for i := range s.rec.arch.columns {
		if c := &s.rec.arch.columns[i]; len(c.comp.refs)+len(c.comp.boxed) > 0 {
			c.mapRefs(s, to)
		}
	}
}

// mapRefs replaces every entity id of the column in the rows of s.
func (c *column) mapRefs(s span, to func(i int, id Entity) Entity) {
	r := s.rec
	for i := range s.n {
		switch {
		case c.object >= 0:
			box := r.objects[c.object].rows.Index(s.first + i).Addr()
			for _, ref := range c.comp.boxed {
				id := entityIn(box, ref)
				*id = to(i, *id)
			}
		case len(c.lanes) > 0:
			c.eachRef(r, s.first+i, func(id *Entity) { *id = to(i, *id) })
		}
	}
}

// repeat fills b with repetitions of its first size bytes.
func repeat(b []byte, size int) {
	for done := size; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

// boxRefs returns a shared value in which f has replaced the ids.
func boxRefs(c *component, v any, f func(Entity) Entity) any {
	if len(c.boxed) == 0 {
		return v
	}
	box := reflect.New(c.typ)
	box.Elem().Set(reflect.ValueOf(v))
	for _, at := range c.boxed {
		id := entityIn(box, at)
		*id = f(*id)
	}
	return box.Elem().Interface()
}

// refers reports whether rows of a, or their shared values, contain entity ids.
func (a *composition) refers() bool {
	for i := range a.columns {
		if c := a.columns[i].comp; len(c.refs)+len(c.boxed) > 0 {
			return true
		}
	}
	return false
}

// gatherRows copies scattered rows of a lane, one after the other.
func gatherRows(to []byte, recs []*record, rows []int32, l table.Lane) {
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
