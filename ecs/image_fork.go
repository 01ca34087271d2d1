package ecs

import (
	"fmt"
	"slices"
)

// Fork returns a new world with the contents of the image: ids, free ids, chunks, shared
// values, capacities of buffers and the order of all of them. The same operations therefore have the same results in the new world as they would have had in
// the world that was captured. Managed components point to the same objects in both. Queries, systems and commands are not in an image: the new world has none.
//
// Values that other packages keep with a world, such as those of system.Resource, are not in the image
// either. The error is of category [ErrArgument] if the image is released.
func Fork(m *Image, name string, opts ...Option) (*World, error) {
	const op = "Fork"
	if m == nil || m.pool == nil {
		return nil, fault(ErrArgument, op, "the image is released, or is the zero Image")
	}
	w := NewWorld(name, opts...)
	whole := false
	defer func() {
		if !whole { // no caller gets it, and its values are told that it holds them no longer
			_ = w.Close()
		}
	}()
	if err := w.fill(op, m); err != nil {
		return nil, err
	}
	w.streams = streamMarks{m.streams.list, true, m.streams.all}
	whole = true
	return w, nil
}

// fill makes a world in which nothing ever was contain what an image does.
func (w *World) fill(op string, m *Image) error {
	for i := range m.archetypes {
		a, err := w.tables.archetypeOf(op, slices.Clone(m.archetypes[i].set))
		if err != nil {
			return err
		}
		if a.index != i {
			panic(fmt.Sprintf("ecs: %s: archetype %v has place %d, not %d: the image is not one of a world", op, a, a.index, i))
		}
	}
	for i := range m.stores {
		w.shared.storeOf(m.stores[i].comp).fill(&m.stores[i])
	}
	w.fillIDs(m)
	var rows copies
	for i := range m.archetypes {
		w.fillArchetype(w.tables.archetypes[i], &m.archetypes[i], &rows)
	}
	rows.all(w.gate.workers())
	w.tables.metas = m.metas
	for _, c := range m.byID {
		if c != nil && !c.meta.IsZero() {
			s := w.tables.entities.find(c.meta)
			w.tables.scatterBox(w.tables.records[s.record], int(s.row), ChunkHeader{rec: w.tables.records[c.id]})
		}
	}
	w.gate.labels.take(m.names)
	for _, s := range w.shared.stores {
		if s != nil {
			s.sweep()
		}
	}
	w.gate.version = m.version
	for _, a := range w.tables.archetypes {
		a.noteChange(w.gate.version) // or filters would pass over it
	}
	w.gate.bump()
	w.finish()
	return nil
}

// fill makes a store that has only the default have the values of an image. Nothing counts
// them yet.
func (s *store) fill(from *imageStore) {
	s.values, s.free = slices.Clone(from.values), slices.Clone(from.free)
	s.refs = make([]int32, len(s.values))
	s.hashes = slices.Clone(from.hashes)
	for i, v := range s.values {
		switch {
		case v == nil || i == 0:
		case s.byHash != nil:
			s.byHash[s.hashes[i]] = append(s.byHash[s.hashes[i]], int32(i))
		case equalsItself(v):
			s.byKey[v] = int32(i)
		default:
			s.odd = append(s.odd, int32(i))
		}
	}
	s.show()
}

// sweep drops the values that nothing counts: queries had them, which are not of an image.
func (s *store) sweep() {
	for i := 1; i < len(s.values); i++ {
		if s.values[i] != nil && s.refs[i] == 0 {
			s.drop(int32(i))
		}
	}
}

// fillIDs makes the table of ids, of which none is alive yet, and the records.
func (w *World) fillIDs(m *Image) {
	t := &w.tables.entities
	t.grow(m.slots)
	t.slots = t.slots[:m.slots]
	for i := range t.slots {
		t.slots[i] = slot{1, free, 0}
	}
	t.free = make([]int32, len(m.free))
	for i, e := range m.free {
		t.free[i] = e.Index
		t.slots[e.Index].version = e.Version
	}
	t.retired = m.slots - len(m.free)
	for i := range m.archetypes {
		t.retired -= m.archetypes[i].rows
	}
	for range m.records {
		w.tables.takeRecord()
	}
	for _, id := range m.spare {
		w.tables.spare = append(w.tables.spare, w.tables.records[id])
	}
}

// fillArchetype gives an archetype without chunks those of an image.
func (w *World) fillArchetype(a *archetype, from *archetypeImage, rows *copies) {
	groups := make([]*group, len(from.groups))
	for i := range from.groups {
		groups[i] = a.groups.of(from.groups[i].values)
		groups[i].number, groups[i].orders = from.groups[i].number, from.groups[i].orders
	}
	a.groups.made = from.made
	for _, c := range from.chunks {
		w.fillChunk(a, groups[c.group], c, rows)
	}
	for i, g := range groups {
		g.order(a, &from.groups[i])
	}
	a.rows = from.rows
	a.orders, a.order, a.crossings = from.orders, from.order, from.crossings
	copy(a.newest, from.newest)
}

// fillChunk makes a chunk of an image the last one of an archetype.
func (w *World) fillChunk(a *archetype, g *group, c *chunkImage, rows *copies) {
	r := w.tables.records[c.id]
	switch {
	case g.chunks == 0:
		r.Place = w.tables.memory.Take(a.shape, c.n)
	case len(a.chunks) > 0:
		r.Place = w.tables.memory.TakeFull(a.shape, &a.chunks[len(a.chunks)-1].Place)
	default:
		r.Place = w.tables.memory.TakeFull(a.shape, nil)
	}
	r.n, r.order, r.meta = c.n, c.order, c.meta
	w.tables.enlist(r, a, g)
	copy(r.versions, c.versions)
	r.through = slices.Clone(c.through)
	r.spills = make([]spill, a.spills)
	r.switches = newSwitches(nil, a.switches, r.Rows())
	r.objects = newAllObjects(a, r.Rows())
	rows.add(sliceBytes(r.ids()[:r.n]), sliceBytes(c.ids))
	rows.bear(&w.tables.entities, c.ids, r.id)
	for i := range c.columns {
		if c.columns[i] != nil {
			a.columns[i].fill(r, c.columns[i], rows)
		}
	}
	if guard {
		poisonRows(r, r.n, r.Rows())
		w.tables.touched(r)
	}
}

// fill gives a column of a new chunk what an image has of it.
func (c *column) fill(r *record, from *columnImage, rows *copies) {
	rows.in(&r.Place, c.lanes, r.n, from)
	if len(from.spills) > 0 {
		rows := make([][]uint64, r.Rows())
		for i, block := range from.spills {
			rows[i] = slices.Clone(block)
		}
		r.spills[c.spill].rows = rows
	}
	if c.bit >= 0 {
		for at := 0; at < r.n; at += 64 {
			r.switches[c.bit].put(at, min(64, r.n-at), from.on[at>>6])
		}
	}
	if c.object >= 0 {
		r.objects[c.object].copy(0, &from.items, 0, r.n)
	}
}

// order puts the chunks of a group into the orders that they had.
func (g *group) order(a *archetype, from *groupImage) {
	for _, r := range g.room {
		r.room = -1
	}
	g.room = g.room[:0]
	for _, i := range from.room {
		a.chunks[i].open()
	}
	g.list = g.list[:0]
	for _, i := range from.list {
		g.join(a.chunks[i])
	}
}
