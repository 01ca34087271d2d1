package ecs

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/blob"
)

// Excerpt holds copies of whole entities, with all their components, outside of any world. It
// carries them to another world, perhaps on another machine. [Excerpt.Extract] fills it with
// entities of a world. [Excerpt.Reset] and [Excerpt.AddPart] fill it with entities that arrived as
// bytes; these are checked and need not be trusted. [Excerpt.Insert] adds the entities to a world.
// Package ecs/pack turns an excerpt into bytes and back. The zero Excerpt is empty and ready to
// use.
//
// Lanes and elements have the same bytes on every machine: numbers in little-endian order, without
// padding. An entity id inside a value refers to an entity of the excerpt, or to a key of an entity
// outside:
//
//	{0, 0}      no entity
//	{k, 1}      entity k of the excerpt
//	{−1−k, 1}   key k of Outside: an entity that is not in the excerpt
//
// An excerpt keeps its memory for the next Extract, so that repeated use allocates little. It is
// for one goroutine at a time.
type Excerpt struct {
	Outside []uint64 // keys of the entities outside of the excerpt to which values refer
	Names   []string // names of the entities; nil if no entity has one

	n        int
	parts    []*excerptRows // beyond the length: parts whose memory is reused
	shown    []*ExcerptPart // the exported half of each part
	given    bool           // AddPart filled x, and nothing is checked yet
	world    *World         // the world of Extract
	restores uint32         // the world's count of restores at Extract
	ids      []Entity       // the entities' ids in that world
	shapes   map[*component][]excerptLane

	found   rowsFound // scratch memory of Extract
	set     sparseSet
	places  map[excerptKey]*excerptRows
	keys    map[uint64]int32
	come    []Entity // scratch memory of Insert: the new ids
	outside []Entity // scratch memory of Insert: the entities of the keys
	wanted  []byte   // scratch memory of Insert: chunk components of the part, and of a chunk
	has     []byte
}

// ExcerptPart is the entities of an [Excerpt] with the same components, the same shared values and
// the same values of chunk components.
type ExcerptPart struct {
	Places  []int32 // for each row: the index of its entity in the excerpt
	Columns []ExcerptColumn
}

// ExcerptColumn holds the values of one component for the rows of an [ExcerptPart].
type ExcerptColumn struct {
	Component ComponentType
	Lanes     [][]byte // plain component: for each lane the values of all rows; chunk component: the one value that all rows have
	On        []uint64 // enableable component: one bit for each row, row i at bit i%64 of word i/64
	Counts    []int32  // buffer: the number of elements of each row
	Elements  []byte   // buffer: the elements of all rows, one row after the other
	Value     any      // shared component: the value that all rows have; managed component: a []T with one element for each row
}

// excerptRows is a part with its internal data.
type excerptRows struct {
	ExcerptPart
	columns []excerptLanes

	recs   []*record // scratch memory of Extract: chunk of each row
	rows   []int32
	target *archetype // scratch memory of Insert
	values [maxShared]int32
}

// excerptLanes is a column with its internal data.
type excerptLanes struct {
	*ExcerptColumn
	comp   *component
	shape  []excerptLane
	memory []byte
	items  objects
	spent  int // number of bytes of Elements that Insert has used for rows so far
}

// excerptKey identifies a part during Extract.
type excerptKey struct {
	group *group
	rec   *record // the chunk, if its archetype has chunk components; else nil
}

// Len returns the number of entities.
func (x *Excerpt) Len() int { return x.n }

// Parts returns the entities, grouped by components. The slice is valid until the next Extract or
// Reset.
func (x *Excerpt) Parts() []*ExcerptPart { return x.shown }

// Reset makes x an excerpt of n entities without components. Call [Excerpt.AddPart] afterwards, so
// that each entity gets its components.
func (x *Excerpt) Reset(n int) {
	x.clear()
	x.n, x.given = n, true
}

// clear empties x and keeps its memory.
func (x *Excerpt) clear() {
	for _, p := range x.parts {
		p.clear()
	}
	x.parts, x.shown, x.n, x.given, x.world = x.parts[:0], x.shown[:0], 0, false, nil
	x.Outside, x.Names, x.ids = x.Outside[:0], nil, x.ids[:0]
	clear(x.keys)
}

func (p *excerptRows) clear() {
	clear(p.recs)
	for i := range p.columns {
		c := &p.columns[i]
		c.Value, c.items = nil, objects{}
	}
	p.recs, p.rows, p.target, p.Places = p.recs[:0], p.rows[:0], nil, p.Places[:0]
}

// next returns a new part. It reuses the memory of an old one.
func (x *Excerpt) next(columns int) *excerptRows {
	n := len(x.parts)
	if n == cap(x.parts) || x.parts[:n+1][n] == nil {
		x.parts = append(x.parts, &excerptRows{})
	} else {
		x.parts = x.parts[:n+1]
	}
	p := x.parts[n]
	x.shown = append(x.shown, &p.ExcerptPart)
	p.Columns, p.columns = slices.Grow(p.Columns[:0], columns)[:columns], slices.Grow(p.columns[:0], columns)[:columns]
	p.show()
	return p
}

// show links the internal columns with the exported ones, whose addresses may have changed.
func (p *excerptRows) show() {
	for i := range p.columns {
		p.columns[i].ExcerptColumn = &p.Columns[i]
	}
}

// AddPart adds a part with the given number of rows and components, and returns it. The caller
// fills in Places, and in each column the fields for its kind of component: Lanes (initially zero),
// On (initially all rows are on), Counts, Elements or Value. The error is of category [ErrArgument]
// if a type is no component, and of category [ErrState] if x was not Reset or rows is negative.
// AddPart allocates memory for all rows, so a caller that reads untrusted bytes must limit their
// number.
func (x *Excerpt) AddPart(types []reflect.Type, rows int) (*ExcerptPart, error) {
	const op = "Excerpt.AddPart"
	if !x.given || rows < 0 {
		return nil, fault(ErrState, op, "%d rows: it is for excerpts that were Reset, and rows are not less than none", rows)
	}
	for _, t := range types {
		if _, err := componentOf(op, t); err != nil {
			return nil, err
		}
	}
	p := x.next(len(types))
	p.Places = resize(p.Places, rows)
	for i, t := range types {
		comp, _ := componentOf(op, t) // the first loop has checked the type
		p.columns[i].begin(x, comp, rows)
	}
	return &p.ExcerptPart, nil
}

// begin makes c a column of zero rows.
func (c *excerptLanes) begin(x *Excerpt, comp *component, rows int) {
	if c.comp != comp || c.Component.Type != comp.typ { // the second condition finds a column whose exported half has new memory
		c.comp, c.Component, c.shape = comp, comp.public(), x.shape(comp)
	}
	c.Value, c.items = nil, objects{}
	c.Lanes, c.On, c.Counts, c.Elements = c.Lanes[:0], c.On[:0], c.Counts[:0], c.Elements[:0]
	switch {
	case comp.kind.has(isShared):
		return
	case comp.kind.has(isBuffer):
		c.Counts = resize(c.Counts, rows)
	case comp.kind.has(isManaged):
		c.items = newObjects(comp.typ, rows)
		c.Value = c.items.list
	default:
		n := rows
		if comp.per != nil {
			n = 1
		}
		size := 0
		for i := range c.shape {
			size += n * c.shape[i].size
		}
		c.memory = resize(c.memory, size)
		at := 0
		for i := range c.shape {
			end := at + n*c.shape[i].size
			c.Lanes = append(c.Lanes, c.memory[at:end:end])
			at = end
		}
	}
	if comp.kind.has(isEnableable) {
		c.On = resize(c.On, wordsFor(rows))
		on := switches{words: c.On}
		on.fill(0, rows)
	}
}

// excerptLane is the format of a lane, or of buffer elements, in an Excerpt.
type excerptLane struct {
	runs   []excerptRun
	size   int  // size of a value in the excerpt, in bytes
	memory int  // size of a value in chunk memory, in bytes
	flat   bool // both have the same bytes, so that copying is enough
	refs   []int
	bools  []uintptr
	blobs  []blobReference // with offsets in chunk memory
}

// excerptRun is neighbouring numbers of one width.
type excerptRun struct{ memory, at, width, n int }

// shape returns the format of a component.
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

// excerptShape computes the format of a component: of its lanes, of its chunk value, or of its
// buffer elements.
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

// add adds the numbers in a value of type t, which starts at offset at in chunk memory.
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

// encode converts values from chunk memory to the format of an excerpt.
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

// decode converts values from the format of an excerpt to chunk memory.
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

// turned copies n numbers between native and little-endian order.
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

// eachRef replaces every id in values of an excerpt by the result of f.
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

// itemRefs replaces every id in managed values by the result of f.
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

// areBools reports whether all bools in values of an excerpt are 0 or 1.
func (s *excerptLane) areBools(values []byte) bool {
	return len(s.bools) == 0 || areBools(values, s.size, s.bools)
}
