package ecs

import (
	"reflect"
	"slices"
)

// excerpt is rows.Excerpt.
type excerpt struct {
	Outside []uint64 // keys of the entities outside that values refer to
	Names   []string // of the entities; nil if they have none

	n        int
	parts    []*excerptRows // with memory of earlier ones behind its end
	shown    []*excerptPart // what others see of these
	given    bool           // by Part: nothing of it is checked yet
	world    *World         // that Copy was of
	restores uint32         // of the world, at Copy
	ids      []Entity       // there
	shapes   map[*component][]excerptLane

	found   rowsFound // scratch of Copy
	set     sparseSet
	places  map[excerptKey]*excerptRows
	keys    map[uint64]int32
	come    []Entity // scratch of Enter: the new ids
	outside []Entity // the same: found by their keys
	wanted  []byte   // the same: values of a chunk
	has     []byte
}

// excerptPart is rows.Part: the same type, for it has no name.
type excerptPart = struct {
	Places  []int32
	Columns []excerptColumn
}

// excerptColumn is rows.Column.
type excerptColumn = struct {
	Component componentType
	Lanes     [][]byte
	On        []uint64
	Counts    []int32
	Elements  []byte
	Value     any
}

// excerptRows is a part with what is known of it beside what others see.
type excerptRows struct {
	excerptPart
	columns []excerptLanes

	recs   []*record // scratch of Copy: where they are
	rows   []int32
	target *archetype // scratch of Enter
	values [maxShared]int32
}

// excerptLanes is a column with what is known of it beside that.
type excerptLanes struct {
	*excerptColumn
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

// Len is rows.Excerpt.Len.
func (x *excerpt) Len() int { return x.n }

// Parts is rows.Excerpt.Parts.
func (x *excerpt) Parts() []*excerptPart { return x.shown }

// Refs returns the fields of a rows.Excerpt.
func (x *excerpt) Refs() (outside []uint64, names []string) { return x.Outside, x.Names }

// SetRefs sets them.
func (x *excerpt) SetRefs(outside []uint64, names []string) { x.Outside, x.Names = outside, names }

// Reset is rows.Excerpt.Reset.
func (x *excerpt) Reset(n int) {
	x.clear()
	x.n, x.given = n, true
}

// NewExcerpt is what a rows.Excerpt begins with.
func (rowRoom) NewExcerpt() *excerpt { return &excerpt{} }

// clear forgets all but memory.
func (x *excerpt) clear() {
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
func (x *excerpt) next(columns int) *excerptRows {
	n := len(x.parts)
	if n == cap(x.parts) || x.parts[:n+1][n] == nil {
		x.parts = append(x.parts, &excerptRows{})
	} else {
		x.parts = x.parts[:n+1]
	}
	p := x.parts[n]
	x.shown = append(x.shown, &p.excerptPart)
	p.Columns, p.columns = slices.Grow(p.Columns[:0], columns)[:columns], slices.Grow(p.columns[:0], columns)[:columns]
	p.show()
	return p
}

// show has the columns know where others see them.
func (p *excerptRows) show() {
	for i := range p.columns {
		p.columns[i].excerptColumn = &p.Columns[i]
	}
}

// Part is rows.Excerpt.Part.
func (x *excerpt) Part(types []reflect.Type, rows int) (*excerptPart, error) {
	const op = "rows.Excerpt.Part"
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
	return &p.excerptPart, nil
}

// begin makes a column of so many zero rows.
func (c *excerptLanes) begin(x *excerpt, comp *component, rows int) {
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
