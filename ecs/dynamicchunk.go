package ecs

import (
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/ecs/internal/table"
)

// termInfo is tool.TermType.
type termInfo struct {
	sister.ComponentType
	Column   bool // Read or Write: chunks show its lanes
	Optional bool // there may be entities without it
}

// TermTypes is tool.TermTypes.
func (dynamic) TermTypes(terms ...Term) []termInfo { return termTypes(nil, false, terms) }

func termTypes(list []termInfo, optional bool, terms []Term) []termInfo {
	const op = "tool.TermTypes"
	for _, t := range terms {
		switch t.mode {
		case modeRead, modeWrite, modeWith, modeOnly, modePresent, modeDisabled:
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
		at := slices.IndexFunc(list, func(old termInfo) bool { return old.Type == t.typ })
		if at < 0 {
			at, list = len(list), append(list, termInfo{ComponentType: c.public(), Optional: true})
		}
		list[at].Column = list[at].Column || t.mode == modeRead || t.mode == modeWrite
		list[at].Optional = list[at].Optional && optional
	}
	return list
}

// LaneOf is tool.LaneOf.
func (dynamic) LaneOf(c *Chunk, t reflect.Type, lane int) []byte {
	return c.lane("tool.LaneOf", t, lane, false)
}

// FloatsOf is tool.FloatsOf.
func (dynamic) FloatsOf(c *Chunk, t reflect.Type, lane int) ([]float32, []float64) {
	b := c.lane("tool.FloatsOf", t, lane, false)
	i := c.bindOf(t)
	if len(b) == 0 || i < 0 { // the ids are no component's
		return nil, nil
	}
	comp := c.binds[i].comp
	switch parts := comp.parts[lane]; {
	case len(parts) != 1 || parts[0].padding > 0:
		return nil, nil
	case parts[0].float == 4:
		return elements[float32](b), nil
	case parts[0].float == 8:
		return nil, elements[float64](b)
	}
	return nil, nil
}

// WriteLaneOf is tool.WriteLaneOf.
func (dynamic) WriteLaneOf(c *Chunk, t reflect.Type, lane int) []byte {
	return c.lane("tool.WriteLaneOf", t, lane, true)
}

// bindOf returns where the binds have a type, or -1.
func (c *cursor) bindOf(t reflect.Type) int {
	for i := range c.binds {
		if sameType(c.binds[i].comp.typ, t) {
			return i
		}
	}
	return -1
}

func (c *cursor) lane(op string, t reflect.Type, lane int, write bool) []byte {
	c.check(op)
	i := c.bindOf(t)
	switch {
	case i < 0 && t == reflect.TypeFor[Entity]() && lane == 0 && !write:
		return c.rec.Long(table.Lane{Size: 8}, c.first+c.n)[8*c.first:]
	case i < 0 && t == nil:
		panic(c.world.fault(ErrArgument, op, "the type is nil"))
	case i < 0:
		panic(c.denied(op, reflect.Zero(reflect.PointerTo(t)).Interface()))
	case c.binds[i].column < 0:
		return nil
	}
	b := &c.binds[i]
	lanes := c.rec.arch.columns[b.column].lanes
	if lane < 0 || lane >= len(lanes) {
		panic(c.world.fault(ErrRange, op, "lane %d of %d", lane, len(lanes)).on(b.comp))
	}
	if write {
		if !b.write {
			panic(c.missing(t, op, "the query only reads it: ask for it with Write"))
		}
		c.markRun(b)
	}
	if len(c.more) > 0 {
		return c.rec.Long(lanes[lane], c.n)
	}
	return c.rec.Bytes(lanes[lane], c.first, c.n)
}

// SwitchesOf is tool.SwitchesOf.
func (dynamic) SwitchesOf(c *Chunk, t reflect.Type) []uint64 {
	c.check("tool.SwitchesOf")
	i := c.rec.arch.find(typeKey(t))
	if i < 0 || c.rec.arch.columns[i].bit < 0 {
		return nil
	}
	return c.switchesOf(c.rec.arch.columns[i].bit)
}

// ValueIn is tool.ValueIn.
func (dynamic) ValueIn(c *Chunk, t reflect.Type) any {
	c.check("tool.ValueIn")
	a := c.rec.arch
	i := a.find(typeKey(t))
	if i < 0 || a.columns[i].shared < 0 {
		return nil
	}
	return (*a.stores[a.columns[i].shared].shown.Load())[c.rec.group.values[a.columns[i].shared]]
}

// HasOf is tool.HasOf.
func (dynamic) HasOf(c *Chunk, t reflect.Type) bool {
	c.check("tool.HasOf")
	return c.rec.arch.find(typeKey(t)) >= 0
}

// SetEnabledOf is tool.SetEnabledOf.
func (dynamic) SetEnabledOf(w *World, e Entity, t reflect.Type, on bool) error {
	const op = "tool.SetEnabledOf"
	if w == nil {
		return noWorld(op)
	}
	c, err := w.componentOf(op, t)
	if err != nil {
		return err
	}
	return w.setEnabled(op, e, c, on)
}

// CreateSharing is tool.CreateSharing.
func (dynamic) CreateSharing(w *World, a Archetype, n int, values ...any) (Created, error) {
	const op = "tool.CreateSharing"
	if w == nil {
		return Created{}, noWorld(op)
	}
	arch, err := w.archetypeIn(op, a)
	if err != nil {
		return Created{}, err
	}
	for i, v := range values {
		t := reflect.TypeOf(v)
		if !slices.ContainsFunc(arch.stores, func(s *store) bool { return s.comp.typ == t }) {
			return Created{}, w.fault(ErrArgument, op, "%v is no shared component of %v", t, arch)
		}
		if slices.ContainsFunc(values[:i], func(o any) bool { return reflect.TypeOf(o) == t }) {
			return Created{}, w.fault(ErrArgument, op, "there are two values of %v: give one", t)
		}
	}
	if err := w.createRows(op, arch, n, false, nil, values); err != nil {
		return Created{}, err
	}
	if n == 0 {
		return Created{}, nil
	}
	return Created{&w.matcher, w.structural}, nil
}
