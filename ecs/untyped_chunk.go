package ecs

import (
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// TermType is a component that terms name, together with the access for which they ask.
type TermType struct {
	ComponentType
	Column   bool // Read or Write: chunks show its lanes
	Optional bool // entities without it match too
}

// TermTypes returns the components that terms name, each once, in the order of the terms. It includes
// the components of Read, Write, With, WithShared, Present and Disabled, also inside Optional, AnyOf and
// AllOf. It leaves out components that entities must not have, and components inside Anywhere or
// Elsewhere. It panics with an *Error if a type cannot be a component.
func TermTypes(terms ...Term) []TermType { return termTypes(nil, false, terms) }

func termTypes(list []TermType, optional bool, terms []Term) []TermType {
	const op = "TermTypes"
	for _, t := range terms {
		switch t.mode {
		case modeRead, modeWrite, modeWith, modeWithShared, modePresent, modeDisabled:
		case modeAnyOf, modeAllOf, modeOptional:
			list = termTypes(list, true, t.terms)
			continue
		default:
			continue
		}
		if worldwideOf(op, t) != nil {
			continue
		}
		c, err := componentOf(op, t.typ)
		if err != nil {
			panic(err)
		}
		at := slices.IndexFunc(list, func(old TermType) bool { return old.Type == t.typ })
		if at < 0 {
			at, list = len(list), append(list, TermType{ComponentType: c.publicType(), Optional: true})
		}
		list[at].Column = list[at].Column || t.mode == modeRead || t.mode == modeWrite
		list[at].Optional = list[at].Optional && optional
	}
	return list
}

// LaneBytes returns the rows of one lane as bytes in the byte order of this machine, without a copy. The
// argument lane is an index into Lanes of the component's [ComponentType]. It returns nil if the chunk
// has no such component. As with [ReadColumn], the query must have a Read or Write term for the
// component. The caller must not write to the bytes, and the chunk is not marked as changed. The bytes
// are valid as long as the slices of a view. Lane 0 of [Entity] holds the ids. It panics with an *Error
// if there is no such lane.
func (c *Chunk) LaneBytes(t reflect.Type, lane int) []byte {
	return c.laneBytes("Chunk.LaneBytes", t, lane, false)
}

// Floats returns the rows of [Chunk.LaneBytes] as floats, if each value of the lane consists only of
// floats of one size. For example, it returns 16 floats per row for [16]float32. If the lane has
// other values, or if LaneBytes returns nil, both slices are nil.
func (c *Chunk) Floats(t reflect.Type, lane int) ([]float32, []float64) {
	b := c.laneBytes("Chunk.Floats", t, lane, false)
	own := c.bindingOfType(t)
	if len(b) == 0 || own == nil { // the ids belong to no component
		return nil, nil
	}
	switch parts := own.comp.numberRuns[lane]; {
	case len(parts) != 1 || parts[0].padding > 0:
		return nil, nil
	case parts[0].floatWidth == 4:
		return bufferElements[float32](b), nil
	case parts[0].floatWidth == 8:
		return nil, bufferElements[float64](b)
	}
	return nil, nil
}

// WriteLaneBytes is like [Chunk.LaneBytes], but for writing. It marks the component as changed in the
// chunk, and the query must have a Write term for it. A program can also write to the chunks of
// [World.Create].
func (c *Chunk) WriteLaneBytes(t reflect.Type, lane int) []byte {
	return c.laneBytes("Chunk.WriteLaneBytes", t, lane, true)
}

// bindingOfType returns the binding of type t, or nil if there is none.
func (c *cursor) bindingOfType(t reflect.Type) *columnBinding {
	b := c.bindings
	for b != nil && !sameType(b.comp.typ, t) {
		b = b.next
	}
	return b
}

func (c *cursor) laneBytes(op string, t reflect.Type, lane int, write bool) []byte {
	c.mustBeShown(op)
	b := c.bindingOfType(t)
	switch {
	case b == nil && t == reflect.TypeFor[Entity]() && lane == 0 && !write:
		return c.chunk.JoinedBytes(table.Lane{Size: 8}, c.firstRow+c.count)[8*c.firstRow:]
	case b == nil && t == nil:
		panic(c.world.gate.fault(ErrArgument, op, "the type is nil"))
	case b == nil:
		panic(c.deniedError(op, reflect.Zero(reflect.PointerTo(t)).Interface()))
	case b.column < 0:
		return nil
	}
	lanes := c.chunk.arch.columns[b.column].lanes
	if lane < 0 || lane >= len(lanes) {
		panic(c.world.gate.fault(ErrRange, op, "lane %d of %d", lane, len(lanes)).forComponent(b.comp))
	}
	if write {
		if !b.write {
			panic(c.missingError(t, op, "the query only reads it: ask for it with Write"))
		}
		c.markJoined(b)
	}
	if len(c.joinedChunks) > 0 {
		return c.chunk.JoinedBytes(lanes[lane], c.count)
	}
	return c.chunk.Bytes(lanes[lane], c.firstRow, c.count)
}

// EnabledBits returns one bit for each row of the chunk. The bit is set if the component is on. Row i is
// bit i mod 64 of word i / 64. Bits after the last row have no meaning. The caller must not write to them.
// It returns nil if the chunk has no such component, or the component is not enableable.
func (c *Chunk) EnabledBits(t reflect.Type) []uint64 {
	c.mustBeShown("Chunk.EnabledBits")
	i := c.chunk.arch.findColumn(typeKey(t))
	if i < 0 || c.chunk.arch.columns[i].enabledIndex < 0 {
		return nil
	}
	return c.enabledBitsOf(c.chunk.arch.columns[i].enabledIndex)
}

// SharedValue returns the value of a shared component, which is the same for all rows of the chunk.
// SharedValue returns nil if the rows have no such component.
func (c *Chunk) SharedValue(t reflect.Type) any {
	c.mustBeShown("Chunk.SharedValue")
	a := c.chunk.arch
	i := a.findColumn(typeKey(t))
	if i < 0 || a.columns[i].sharedIndex < 0 {
		return nil
	}
	return (*a.sharedStores[a.columns[i].sharedIndex].published.Load())[c.chunk.group.valueIndices[a.columns[i].sharedIndex]]
}

// HasType is like [HasColumn], but for a type that is known only at run time.
func (c *Chunk) HasType(t reflect.Type) bool {
	c.mustBeShown("Chunk.HasType")
	return c.chunk.arch.findColumn(typeKey(t)) >= 0
}

// SetEnabled turns a component of e on or off, as the function [ecs.SetEnabled] does for a type that is
// named in Go. The error is of category [ErrArgument], and nothing is changed, if e does not exist, if e
// has no such component, or if the component is not enableable.
func (u Untyped) SetEnabled(e Entity, t reflect.Type, on bool) error {
	w := u.world
	const op = "Untyped.SetEnabled"
	if w == nil {
		return noWorldError(op)
	}
	c, err := w.types.componentOf(op, t)
	if err != nil {
		return err
	}
	return w.setEnabled(op, e, c, on)
}

// CreateShared is like [World.Create], with values for the shared components of the archetype.
// Components for which no value is given get their zero value. The error is of category [ErrArgument],
// and nothing is created, if a value does not belong to a shared component of the archetype, or if two
// values have the same type. If Create would panic, CreateShared returns an error instead.
func (w *World) CreateShared(a Archetype, n int, values ...any) (Created, error) {
	const op = "World.CreateShared"
	if w == nil {
		return Created{}, noWorldError(op)
	}
	arch, err := w.tables.resolveArchetype(op, a)
	if err != nil {
		return Created{}, err
	}
	for i, v := range values {
		t := reflect.TypeOf(v)
		if !slices.ContainsFunc(arch.sharedStores, func(s *sharedStore) bool { return s.comp.typ == t }) {
			return Created{}, w.gate.fault(ErrArgument, op, "%v is no shared component of %v", t, arch)
		}
		if slices.ContainsFunc(values[:i], func(o any) bool { return reflect.TypeOf(o) == t }) {
			return Created{}, w.gate.fault(ErrArgument, op, "there are two values of %v: give one", t)
		}
	}
	if err := w.createRows(op, arch, n, false, nil, values); err != nil {
		return Created{}, err
	}
	if n == 0 {
		return Created{}, nil
	}
	return Created{w, w.gate.structuralVersion}, nil
}

// Probe is a query for tools that read a world in pieces, some of them between two frames. It checks an
// archetype only when the tool asks about it. So NewProbe takes the same time no matter how many
// archetypes there are. The world has no reference to a Probe, so it need not be closed. Only the owner
// of the world may use a Probe.
type Probe struct {
	matcher    queryMatcher
	matches    []probeResult // by index of the archetype
	orderCount uint32        // the count of reorderings of archetypes that matches are for
}

// probeResult is the result of the check of one archetype.
type probeResult struct {
	checked bool
	match   *match // nil: it does not match
}

// NewProbe returns a probe for the entities that a query with the same terms matches. NewProbe
// panics as [World.Query] does, and also if a term has a value, as [WithShared] has.
func NewProbe(w *World, terms ...Term) *Probe {
	const op = "NewProbe"
	w.mustBeOpen(op)
	for _, t := range terms {
		if t.value != nil {
			panic(w.gate.fault(ErrArgument, op, "%v has a value, which a query would have to keep: use World.Query", t))
		}
	}
	p := &Probe{}
	if err := p.matcher.readTerms(w, op, terms); err != nil {
		panic(err)
	}
	return p
}

// match returns the match of an archetype. It computes the match the first time.
func (p *Probe) match(op string, a Archetype) *match {
	own := a.derefAvailable(op)
	w := p.matcher.world
	if own.world != w {
		panic(w.gate.fault(ErrArgument, op, "%v is of another world", a))
	}
	if p.orderCount != w.tables.restoreMemo.delistCount {
		p.orderCount, p.matches = w.tables.restoreMemo.delistCount, nil
	}
	if own.index == unlistedIndex {
		if !p.matcher.matchesArchetype(own) {
			return nil
		}
		return p.matcher.matchArchetype(own)
	}
	if own.index >= len(p.matches) {
		p.matches = append(p.matches, make([]probeResult, len(w.tables.archetypes)-len(p.matches))...)
	}
	at := &p.matches[own.index]
	if !at.checked {
		if at.checked = true; p.matcher.matchesArchetype(own) {
			at.match = p.matcher.matchArchetype(own)
		}
	}
	return at.match
}

// MatchesArchetype reports whether entities of the archetype match; it ignores filters. MatchesArchetype
// panics with an *Error if the archetype is of another world.
func (p *Probe) MatchesArchetype(a Archetype) bool {
	return p.match("Probe.MatchesArchetype", a) != nil
}

// MatchesAll reports whether all entities of the archetype match, and no filter or enabled bit can
// exclude one of them. Then [Archetype.Len] is their number.
func (p *Probe) MatchesAll(a Archetype) bool {
	m := p.match("Probe.MatchesAll", a)
	return m != nil && !m.mayFilter
}

// Matches reports whether e exists, matches and passes the filters, as [Query.Matches] does.
func (p *Probe) Matches(e Entity) bool {
	const op = "Probe.Matches"
	w := p.matcher.world
	s := w.tables.entities.find(e)
	if s == nil {
		return w.gate.mustNotBeLent(op)
	}
	r := w.tables.chunks[s.chunk]
	m := p.match(op, Archetype{r.arch})
	if m == nil || !m.mayFilter {
		return m != nil
	}
	w.awaitFilters(op, &p.matcher)
	return m.chunkPasses(r, 0) && (m.rowFilter == nil || m.rowFilter.passesRow(r, int(s.row)))
}

// Rows returns the number of rows in a chunk of the archetype that match the query and pass its filters.
// It also returns a mask with a bit for each of these rows. A nil mask means all rows. The mask uses the
// memory of room if room has at least 32 words. Then the call allocates nothing.
func (p *Probe) Rows(a Archetype, chunk int, room []uint64) (n int, mask []uint64) {
	const op = "Probe.Rows"
	m := p.match(op, a)
	if m == nil || chunk < 0 || chunk >= len(m.arch.chunks) {
		return 0, nil
	}
	p.matcher.world.awaitFilters(op, &p.matcher)
	r := m.arch.chunks[chunk]
	if !m.chunkPasses(r, 0) {
		return 0, nil
	}
	if m.rowFilter == nil {
		return r.count, nil
	}
	if len(room) < maskWords {
		room = make([]uint64, maskWords)
	}
	mask, n = m.rowFilter.passingRows(r, room)
	return n, mask
}
