package ecs

import (
	"encoding/binary"
	"reflect"

	"github.com/lanewise/lanewise/ecs/blob"
)

// excerptLane is how the values of a lane, or the elements of a buffer, are in an Excerpt.
type excerptLane struct {
	runs   []excerptRun
	size   int  // bytes of a value there
	memory int  // bytes of a value in memory
	flat   bool // both are the same bytes
	refs   []int
	bools  []uintptr
	blobs  []blobReference // offsets in memory
}

// excerptRun is neighbouring numbers of one width.
type excerptRun struct{ memory, at, width, n int }

// shape returns how a component is in the excerpt.
func (x *Excerpt) shape(c *component) []excerptLane {
	if x.shapes == nil {
		x.shapes = map[*component][]excerptLane{}
	}
	s, known := x.shapes[c]
	if !known {
		s = excerptShape(c)
		x.shapes[c] = s
	}
	return s
}

// excerptShape returns how a component is in an excerpt: its lanes, or those of a chunk's value, or the elements of its buffer.
func excerptShape(c *component) (list []excerptLane) {
	own := c
	if c.per != nil {
		own = c.per
	}
	switch {
	case c.kind.has(isBuffer):
		list = append(list, excerptLaneOf(c.buffer.elem))
	case !c.kind.has(isShared) && !c.kind.has(isManaged):
		for _, l := range own.lanes {
			list = append(list, excerptLaneOf(l.Type))
		}
	}
	return list
}

func excerptLaneOf(t reflect.Type) excerptLane {
	s := excerptLane{memory: int(t.Size())}
	s.add(t, 0)
	s.flat = littleEndian && s.size == s.memory
	return s
}

// add adds the numbers of a type at a place in memory.
func (s *excerptLane) add(t reflect.Type, at int) {
	switch {
	case isBlob(t):
		s.blobs = append(s.blobs, blobReference{uintptr(at), t})
		return
	case t == reflect.TypeFor[Entity]():
		s.refs = append(s.refs, s.size)
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				s.add(f.Type, at+int(f.Offset))
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			s.add(t.Elem(), at+i*int(t.Elem().Size()))
		}
	case reflect.Complex64, reflect.Complex128:
		s.number(at, int(t.Size())/2)
		s.number(at+int(t.Size())/2, int(t.Size())/2)
	case reflect.Bool:
		s.bools = append(s.bools, uintptr(s.size))
		s.number(at, 1)
	default:
		s.number(at, int(t.Size()))
	}
}

func (s *excerptLane) number(at, width int) {
	if last := len(s.runs) - 1; last >= 0 {
		if r := &s.runs[last]; r.width == width && r.memory+r.n*width == at {
			r.n++
			s.size += width
			return
		}
	}
	s.runs = append(s.runs, excerptRun{at, s.size, width, 1})
	s.size += width
}

// encode makes values of an excerpt of values in memory.
func (s *excerptLane) encode(to, memory []byte) {
	if s.flat {
		copy(to, memory)
		return
	}
	for ; len(to) >= s.size && len(memory) > 0; to, memory = to[s.size:], memory[s.memory:] {
		for _, r := range s.runs {
			turned(to[r.at:], memory[r.memory:], r.width, r.n)
		}
	}
}

// decode makes values in memory of values of an excerpt.
func (s *excerptLane) decode(memory, from []byte) {
	if s.flat {
		copy(memory, from)
		return
	}
	clear(memory)
	for ; len(memory) > 0; from, memory = from[s.size:], memory[s.memory:] {
		for _, r := range s.runs {
			turned(memory[r.memory:], from[r.at:], r.width, r.n)
		}
	}
}

// turned copies numbers between memory and an excerpt.
func turned(to, from []byte, width, n int) {
	if littleEndian {
		copy(to[:n*width], from)
		return
	}
	for at := 0; at < n*width; at += width {
		for i := range width {
			to[at+i] = from[at+width-1-i]
		}
	}
}

// eachRef calls f with every id in values of an excerpt, and stores what it returns.
func (s *excerptLane) eachRef(values []byte, f func(Entity) Entity) {
	if len(s.refs) == 0 {
		return
	}
	for ; len(values) > 0; values = values[s.size:] {
		for _, at := range s.refs {
			b := values[at : at+8]
			e := f(Entity{int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))})
			binary.LittleEndian.PutUint32(b, uint32(e.Index))
			binary.LittleEndian.PutUint32(b[4:], uint32(e.Version))
		}
	}
}

// itemRefs replaces the ids in managed values.
func itemRefs(c *component, items *objects, n int, f func(Entity) Entity) {
	if len(c.boxed) == 0 {
		return
	}
	for i := range n {
		box := items.rows.Index(i).Addr()
		for _, at := range c.boxed {
			id := entityIn(box, at)
			*id = f(*id)
		}
	}
}

// holdsBlob reports whether a shared value refers to a blob.
func holdsBlob(c *component, v any) bool {
	refs := blobsOf(c.typ, 0, nil)
	if len(refs) == 0 {
		return false
	}
	memory := boxBytes(v, c.typ.Size())
	for _, b := range refs {
		if !blob.At(b.typ, memory[b.at:]).Null() {
			return true
		}
	}
	return false
}

// areBools reports whether bools in values of an excerpt are 0 or 1.
func (s *excerptLane) areBools(values []byte) bool {
	return len(s.bools) == 0 || areBools(values, s.size, s.bools)
}
