package ecs

import (
	"fmt"
	"slices"
)

// Fork returns a new world with the contents of the image: entities, free ids, chunks, shared values,
// capacities of buffers, and the order of all of them. Because the order is the same, the same operations
// have the same results in the new world as in the captured one: they give the same ids and the same hash.
// Managed components are copied shallowly, so that their pointers lead to the same objects in both worlds.
//
// An image contains no queries, systems or recorded commands, nor the values that other packages keep with
// a world, such as those of system.Resource: the new world has none of them. Any goroutine may fork an
// image, also while others do. The error is of category [ErrArgument] if the image is released.
func Fork(m *Image, name string, opts ...Option) (*World, error) {
	const op = "Fork"
	if m == nil || m.pool == nil {
		return nil, fault(ErrArgument, op, "the image is released, or is the zero Image")
	}
	w := NewWorld(name, opts...)
	whole := false
	defer func() {
		if !whole { // the caller gets no world then: Close releases the shared values that were set so far
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

// fill copies the contents of an image into a world that is still empty.
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
		a.noteChange(w.gate.version) // filters would skip the archetype otherwise
	}
	w.gate.bump()
	w.finish()
	return nil
}

// fill copies the values of an image into a store that has only the default. The reference counts start at
// 0, and rise as chunks are added.
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

// sweep drops the values without references. Only queries of the captured world held them, and the image
// has no queries.
func (s *store) sweep() {
	for i := 1; i < len(s.values); i++ {
		if s.values[i] != nil && s.refs[i] == 0 {
			s.drop(int32(i))
		}
	}
}

// fillIDs builds the table of ids, in which no id is alive yet, and the records of chunks.
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

// fillArchetype adds the chunks of an image to an archetype without chunks.
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

// fillChunk appends a chunk of an image to an archetype.
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

// fill copies a column of an image into a column of a new chunk.
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

// order restores the order of the chunks in both lists of a group, because that order decides which chunk
// gets the next row.
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
