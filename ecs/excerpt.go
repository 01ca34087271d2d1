package ecs

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/blob"
)

// Excerpt holds copies of whole entities, with all their components, outside of any world. With
// an Excerpt a program transfers entities to another world, perhaps on another machine.
// [Excerpt.Extract] fills it with entities of a world. [Excerpt.Reset] and [Excerpt.AddPart] fill
// it with entities that were received as bytes. These bytes are checked and need not be trusted.
// [Excerpt.Insert] adds the entities to a world. Package ecs/pack turns an excerpt into bytes and
// back. The zero Excerpt is empty and ready to use.
//
// Lanes and elements have the same bytes on every machine: numbers are in little-endian order,
// without padding. An entity id inside a value refers either to an entity of the excerpt or, by a
// key, to an entity outside:
//
//	{0, 0}      no entity
//	{k, 1}      entity k of the excerpt
//	{−1−k, 1}   key k of Outside: an entity that is not in the excerpt
//
// An excerpt keeps its memory for the next Extract, so that repeated use allocates little. Only one
// goroutine at a time may use it.
type Excerpt struct {
	Outside []uint64 // keys of the entities outside of the excerpt to which values refer
	Names   []string // names of the entities; nil if no entity has one

	entityCount   int
	parts         []*excerptRows // beyond the length: parts whose memory is reused
	exportedParts []*ExcerptPart // the exported half of each part
	unchecked     bool           // AddPart filled x, and nothing is checked yet
	world         *World         // the world of Extract
	restoreCount  uint32         // the world's count of restores at Extract
	sourceIDs     []Entity       // the entities' ids in that world
	laneFormats   map[*component][]laneFormat

	locations          rowLocations // scratch memory of Extract
	entitySet          sparseSet
	partsByKey         map[excerptKey]*excerptRows
	outsideIndexes     map[uint64]int32
	newIDs             []Entity // scratch memory of Insert: the new ids
	outsideIDs         []Entity // scratch memory of Insert: the entities of the keys
	wantedChunkValues  []byte   // scratch memory of Insert: chunk components of the part, and of a chunk
	presentChunkValues []byte
}

// ExcerptPart holds the entities of an [Excerpt] that have the same components, the same shared
// values and the same values of chunk components.
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

// excerptRows is an ExcerptPart together with data that only this package uses.
type excerptRows struct {
	ExcerptPart
	columns []excerptLanes

	chunks          []*chunkData // scratch memory of Extract: chunk of each row
	rowIndices      []int32
	targetArchetype *archetype // scratch memory of Insert
	valueIndices    [maxShared]int32
}

// excerptLanes is an ExcerptColumn together with data that only this package uses.
type excerptLanes struct {
	*ExcerptColumn
	comp             *component
	laneFormats      []laneFormat
	laneMemory       []byte
	managedValues    managedColumn
	usedElementBytes int // number of bytes of Elements that Insert has used for rows so far
}

// excerptKey identifies a part during Extract.
type excerptKey struct {
	group *chunkGroup
	chunk *chunkData // the chunk, if its archetype has chunk components; else nil
}

// Len returns the number of entities.
func (x *Excerpt) Len() int { return x.entityCount }

// Parts returns the entities, grouped by components. The slice is valid until the next Extract or
// Reset.
func (x *Excerpt) Parts() []*ExcerptPart { return x.exportedParts }

// Reset makes x an excerpt of n entities without components. Call [Excerpt.AddPart] afterwards, so
// that each entity gets its components.
func (x *Excerpt) Reset(n int) {
	x.clear()
	x.entityCount, x.unchecked = n, true
}

// clear empties x and keeps its memory.
func (x *Excerpt) clear() {
	for _, p := range x.parts {
		p.clear()
	}
	x.parts, x.exportedParts, x.entityCount, x.unchecked, x.world = x.parts[:0], x.exportedParts[:0], 0, false, nil
	x.Outside, x.Names, x.sourceIDs = x.Outside[:0], nil, x.sourceIDs[:0]
	clear(x.outsideIndexes)
}

func (p *excerptRows) clear() {
	clear(p.chunks)
	for i := range p.columns {
		c := &p.columns[i]
		c.Value, c.managedValues = nil, managedColumn{}
	}
	p.chunks, p.rowIndices, p.targetArchetype, p.Places = p.chunks[:0], p.rowIndices[:0], nil, p.Places[:0]
}

// appendPart returns a new part. It reuses the memory of an old part.
func (x *Excerpt) appendPart(columns int) *excerptRows {
	n := len(x.parts)
	if n == cap(x.parts) || x.parts[:n+1][n] == nil {
		x.parts = append(x.parts, &excerptRows{})
	} else {
		x.parts = x.parts[:n+1]
	}
	p := x.parts[n]
	x.exportedParts = append(x.exportedParts, &p.ExcerptPart)
	p.Columns, p.columns = slices.Grow(p.Columns[:0], columns)[:columns], slices.Grow(p.columns[:0], columns)[:columns]
	p.linkColumns()
	return p
}

// linkColumns makes each internal column point to its exported column, because the exported
// columns may have moved.
func (p *excerptRows) linkColumns() {
	for i := range p.columns {
		p.columns[i].ExcerptColumn = &p.Columns[i]
	}
}

// AddPart adds a part with the given number of rows and components, and returns it. The caller
// fills in Places. In each column, the caller fills in the fields for its kind of component: Lanes
// (initially zero), On (initially all rows are on), Counts, Elements or Value. The error is of
// category [ErrArgument] if a type is no component, and of category [ErrState] if x was not Reset
// or rows is negative. AddPart allocates memory for all rows, so a caller that reads untrusted
// bytes must limit their number.
func (x *Excerpt) AddPart(types []reflect.Type, rows int) (*ExcerptPart, error) {
	const op = "Excerpt.AddPart"
	if !x.unchecked || rows < 0 {
		return nil, fault(ErrState, op, "%d rows: AddPart needs an excerpt after Reset, and a number of rows that is not negative", rows)
	}
	for _, t := range types {
		if _, err := componentOf(op, t); err != nil {
			return nil, err
		}
	}
	p := x.appendPart(len(types))
	p.Places = resize(p.Places, rows)
	for i, t := range types {
		comp, _ := componentOf(op, t) // the first loop has checked the type
		p.columns[i].reset(x, comp, rows)
	}
	return &p.ExcerptPart, nil
}

// reset makes c a column of rows whose values are zero.
func (c *excerptLanes) reset(x *Excerpt, comp *component, rows int) {
	if c.comp != comp || c.Component.Type != comp.typ { // the second condition finds a column whose exported half has new memory
		c.comp, c.Component, c.laneFormats = comp, comp.publicType(), x.formatsOf(comp)
	}
	c.Value, c.managedValues = nil, managedColumn{}
	c.Lanes, c.On, c.Counts, c.Elements = c.Lanes[:0], c.On[:0], c.Counts[:0], c.Elements[:0]
	switch {
	case comp.kind.has(isShared):
		return
	case comp.kind.has(isBuffer):
		c.Counts = resize(c.Counts, rows)
	case comp.kind.has(isManaged):
		c.managedValues = newManagedColumn(comp.typ, rows)
		c.Value = c.managedValues.slice
	default:
		n := rows
		if comp.perChunkValue != nil {
			n = 1
		}
		size := 0
		for i := range c.laneFormats {
			size += n * c.laneFormats[i].excerptSize
		}
		c.laneMemory = resize(c.laneMemory, size)
		at := 0
		for i := range c.laneFormats {
			end := at + n*c.laneFormats[i].excerptSize
			c.Lanes = append(c.Lanes, c.laneMemory[at:end:end])
			at = end
		}
	}
	if comp.kind.has(isEnableable) {
		c.On = resize(c.On, wordsFor(rows))
		on := enabledBitset{words: c.On}
		on.turnOn(0, rows)
	}
}

// laneFormat is the format of a lane, or of buffer elements, in an Excerpt.
type laneFormat struct {
	runs        []excerptRun
	excerptSize int  // size of a value in the excerpt, in bytes
	memorySize  int  // size of a value in chunk memory, in bytes
	sameBytes   bool // both have the same bytes, so that copying is enough
	refOffsets  []int
	boolOffsets []uintptr
	blobRefs    []blobReference // with offsets in chunk memory
}

// excerptRun is a sequence of numbers of the same width, without padding between them.
type excerptRun struct{ memoryOffset, excerptOffset, width, count int }

// formatsOf returns the format of a component.
func (x *Excerpt) formatsOf(c *component) []laneFormat {
	if x.laneFormats == nil {
		x.laneFormats = map[*component][]laneFormat{}
	}
	s, known := x.laneFormats[c]
	if !known {
		s = laneFormatsOf(c)
		x.laneFormats[c] = s
	}
	return s
}

// laneFormatsOf returns the formats of a component's lanes, of the lanes of its chunk value, or
// of its buffer elements.
func laneFormatsOf(c *component) (list []laneFormat) {
	own := c
	if c.perChunkValue != nil {
		own = c.perChunkValue
	}
	switch {
	case c.kind.has(isBuffer):
		list = append(list, laneFormatOf(c.buffer.elem))
	case !c.kind.has(isShared) && !c.kind.has(isManaged):
		for _, l := range own.lanes {
			list = append(list, laneFormatOf(l.Type))
		}
	}
	return list
}

func laneFormatOf(t reflect.Type) laneFormat {
	s := laneFormat{memorySize: int(t.Size())}
	s.addType(t, 0)
	s.sameBytes = littleEndian && s.excerptSize == s.memorySize
	return s
}

// addType adds the numbers in a value of type t. The argument at is the offset of the value in
// chunk memory.
func (s *laneFormat) addType(t reflect.Type, at int) {
	switch {
	case isBlobRef(t):
		s.blobRefs = append(s.blobRefs, blobReference{uintptr(at), t})
		return
	case t == reflect.TypeFor[Entity]():
		s.refOffsets = append(s.refOffsets, s.excerptSize)
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				s.addType(f.Type, at+int(f.Offset))
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			s.addType(t.Elem(), at+i*int(t.Elem().Size()))
		}
	case reflect.Complex64, reflect.Complex128:
		s.addNumber(at, int(t.Size())/2)
		s.addNumber(at+int(t.Size())/2, int(t.Size())/2)
	case reflect.Bool:
		s.boolOffsets = append(s.boolOffsets, uintptr(s.excerptSize))
		s.addNumber(at, 1)
	default:
		s.addNumber(at, int(t.Size()))
	}
}

func (s *laneFormat) addNumber(at, width int) {
	if last := len(s.runs) - 1; last >= 0 {
		if r := &s.runs[last]; r.width == width && r.memoryOffset+r.count*width == at {
			r.count++
			s.excerptSize += width
			return
		}
	}
	s.runs = append(s.runs, excerptRun{at, s.excerptSize, width, 1})
	s.excerptSize += width
}

// encode converts values from chunk memory to the format of an excerpt.
func (s *laneFormat) encode(to, memory []byte) {
	if s.sameBytes {
		copy(to, memory)
		return
	}
	for ; len(to) >= s.excerptSize && len(memory) > 0; to, memory = to[s.excerptSize:], memory[s.memorySize:] {
		for _, r := range s.runs {
			copyLittleEndian(to[r.excerptOffset:], memory[r.memoryOffset:], r.width, r.count)
		}
	}
}

// decode converts values from the format of an excerpt to chunk memory.
func (s *laneFormat) decode(memory, from []byte) {
	if s.sameBytes {
		copy(memory, from)
		return
	}
	clear(memory)
	for ; len(memory) > 0; from, memory = from[s.excerptSize:], memory[s.memorySize:] {
		for _, r := range s.runs {
			copyLittleEndian(memory[r.memoryOffset:], from[r.excerptOffset:], r.width, r.count)
		}
	}
}

// copyLittleEndian copies n numbers between native and little-endian order.
func copyLittleEndian(to, from []byte, width, n int) {
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

// mapRefs replaces each id e in values of an excerpt by f(e).
func (s *laneFormat) mapRefs(values []byte, f func(Entity) Entity) {
	if len(s.refOffsets) == 0 {
		return
	}
	for ; len(values) > 0; values = values[s.excerptSize:] {
		for _, at := range s.refOffsets {
			b := values[at : at+8]
			e := f(Entity{int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))})
			binary.LittleEndian.PutUint32(b, uint32(e.Index))
			binary.LittleEndian.PutUint32(b[4:], uint32(e.Version))
		}
	}
}

// mapManagedRefs replaces each id e in managed values by f(e).
func mapManagedRefs(c *component, items *managedColumn, n int, f func(Entity) Entity) {
	if len(c.boxedRefOffsets) == 0 {
		return
	}
	for i := range n {
		box := items.sliceValue.Index(i).Addr()
		for _, at := range c.boxedRefOffsets {
			id := entityIn(box, at)
			*id = f(*id)
		}
	}
}

// hasBlobRef reports whether a shared value refers to a blob.
func hasBlobRef(c *component, v any) bool {
	refs := appendBlobRefs(c.typ, 0, nil)
	if len(refs) == 0 {
		return false
	}
	memory := boxBytes(v, c.typ.Size())
	for _, b := range refs {
		if !blob.At(b.typ, memory[b.offset:]).Null() {
			return true
		}
	}
	return false
}

// areBools reports whether all bools in values of an excerpt are 0 or 1.
func (s *laneFormat) areBools(values []byte) bool {
	return len(s.boolOffsets) == 0 || areBools(values, s.excerptSize, s.boolOffsets)
}
