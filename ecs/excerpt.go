package ecs

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/blob"
)

// Excerpt is a set of whole entities outside of any world, with all their components, on their way to another
// world, perhaps on another machine. [Excerpt.Extract] fills it with entities of a world. [Excerpt.Reset] and
// [Excerpt.AddPart] fill it with entities that have arrived as bytes, which need not be trusted. [Excerpt.Insert] adds the
// entities to a world. Package ecs/pack turns an excerpt into bytes and back. The zero Excerpt is empty and ready to use.
//
// Lanes and elements are the same on every machine: numbers in little-endian order, one behind the other
// without padding. An id in a value, wherever it is, refers to an entity of the excerpt or to a key:
//
//	{0, 0}      no entity
//	{k, 1}      entity k of the excerpt
//	{−1−k, 1}   key k of Outside: an entity that is not in the excerpt
//
// An excerpt keeps its memory for the next Extract. It is for one goroutine at a time.
type Excerpt struct {
	Outside []uint64 // keys of the entities outside of the excerpt that values refer to
	Names   []string // of the entities; nil if they have none

	n        int
	parts    []*excerptRows // with memory of earlier ones behind its end
	shown    []*ExcerptPart // what others see of these
	given    bool           // by AddPart: nothing of it is checked yet
	world    *World         // of Extract
	restores uint32         // of the world, at Extract
	ids      []Entity       // there
	shapes   map[*component][]excerptLane

	found   rowsFound // scratch of Extract
	set     sparseSet
	places  map[excerptKey]*excerptRows
	keys    map[uint64]int32
	come    []Entity // scratch of Insert: the new ids
	outside []Entity // the same: found by their keys
	wanted  []byte   // the same: values of a chunk
	has     []byte
}

// ExcerptPart has the entities of an [Excerpt] that have the same components, the same shared values, and the same values of
// chunk components.
type ExcerptPart struct {
	Places  []int32 // of the rows: which of the entities each is
	Columns []ExcerptColumn
}

// ExcerptColumn has the values of one component, for the entities of an [ExcerptPart].
type ExcerptColumn struct {
	Component ComponentType
	Lanes     [][]byte // of plain components: what the rows have of each lane; of a chunk component what they have together, as of one row
	On        []uint64 // of an enableable component: the bits of rows that are on, row i in bit i mod 64
	Counts    []int32  // of a buffer: how many elements the rows have
	Elements  []byte   // of a buffer: those of all rows, one row behind the other
	Value     any      // of a shared component: what the rows have together; of a managed one: a []T with an element for each row
}

// excerptRows is a part with what is known of it beside what others see.
type excerptRows struct {
	ExcerptPart
	columns []excerptLanes

	recs   []*record // scratch of Extract: where they are
	rows   []int32
	target *archetype // scratch of Insert
	values [maxShared]int32
}

// excerptLanes is a column with what is known of it beside that.
type excerptLanes struct {
	*ExcerptColumn
	comp   *component
	shape  []excerptLane
	memory []byte
	items  objects
	spent  int // bytes of Elements whose rows are in the world, while the part is entered
}

// excerptKey is what the entities of a part have together.
type excerptKey struct {
	group *group
	rec   *record // of those with chunk components
}

// Len returns the number of entities.
func (x *Excerpt) Len() int { return x.n }

// Parts returns the entities by their components. The list is valid until the next Extract or Reset.
func (x *Excerpt) Parts() []*ExcerptPart { return x.shown }

// Reset makes x an excerpt of n entities that have no components yet. Call [Excerpt.AddPart] for them afterwards.
func (x *Excerpt) Reset(n int) {
	x.clear()
	x.n, x.given = n, true
}

// clear forgets all but memory.
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

// next returns another part, in the memory of an old one.
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

// show has the columns know where others see them.
func (p *excerptRows) show() {
	for i := range p.columns {
		p.columns[i].ExcerptColumn = &p.Columns[i]
	}
}

// AddPart adds a part with so many rows of the given components, and returns it to be filled in: Places, and for
// each column the Lanes, which are zero, On, where all rows are on, Counts, Elements, and Value. The error is of category [ErrArgument] if a type is
// no component, and of category [ErrState] if x was not Reset or rows is negative. AddPart allocates memory for all rows, so a caller that reads untrusted bytes must limit their number.
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
		comp, _ := componentOf(op, t) // it is one
		p.columns[i].begin(x, comp, rows)
	}
	return &p.ExcerptPart, nil
}

// begin makes a column of so many zero rows.
func (c *excerptLanes) begin(x *Excerpt, comp *component, rows int) {
	if c.comp != comp || c.Component.Type != comp.typ { // the second has memory of its own
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
