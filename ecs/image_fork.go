package ecs

import (
	"fmt"
	"slices"
)

// Fork returns a new world with the contents of the image: entities, free ids, chunks, shared values,
// and capacities of buffers, all in the same order. Because the order is the same, the same operations
// have the same results in the new world as in the captured one. For example, they produce the same ids
// and the same hash. Managed components are copied shallowly, so their pointers refer to the same objects
// in both worlds.
//
// An image contains no queries, systems or recorded commands, so the new world has none of them. The new
// world also has no values that other packages store with a world, such as the values of system.Resource.
// Any goroutine may fork an image, even while other goroutines do. The error is of category [ErrArgument]
// if the image is released.
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
	if err := w.fillFromImage(op, m); err != nil {
		return nil, err
	}
	w.streamMarks = streamMarks{m.streams.marks, true, m.streams.knowsAll}
	whole = true
	return w, nil
}

// fillFromImage copies the contents of an image into a world that is still empty.
func (w *World) fillFromImage(op string, m *Image) error {
	for i := range m.archetypes {
		a, err := w.tables.archetypeOf(op, slices.Clone(m.archetypes[i].components))
		if err != nil {
			return err
		}
		if a.index != i {
			panic(fmt.Sprintf("ecs: %s: archetype %v has place %d, not %d: the image is not one of a world", op, a, a.index, i))
		}
	}
	for i := range m.stores {
		w.shared.storeOf(m.stores[i].comp).fillFromImage(&m.stores[i])
	}
	w.fillIDs(m)
	var rows copyPlan
	for i := range m.archetypes {
		w.fillArchetype(w.tables.archetypes[i], &m.archetypes[i], &rows)
	}
	rows.run(w.gate.workerPool())
	w.tables.metaCount = m.metaCount
	for _, c := range m.byID {
		if c != nil && !c.meta.IsZero() {
			s := w.tables.entities.find(c.meta)
			w.tables.scatterBox(w.tables.chunks[s.chunk], int(s.row), ChunkHeader{chunk: w.tables.chunks[c.id]})
		}
	}
	w.gate.entityNames.replaceAll(m.namePages)
	for _, s := range w.shared.stores {
		if s != nil {
			s.dropUnreferenced()
		}
	}
	w.gate.changeVersion = m.changeVersion
	for _, a := range w.tables.archetypes {
		a.noteChange(w.gate.changeVersion) // filters would skip the archetype otherwise
	}
	w.gate.advanceVersion()
	w.endChange()
	return nil
}

// fillFromImage copies the values of an image into a store that has only the default. The reference counts start at
// 0, and rise as chunks are added.
func (s *sharedStore) fillFromImage(from *imageStore) {
	s.values, s.freeIndices = slices.Clone(from.values), slices.Clone(from.freeIndices)
	s.refCounts = make([]int32, len(s.values))
	s.hashes = slices.Clone(from.hashes)
	for i, v := range s.values {
		switch {
		case v == nil || i == 0:
		case s.byHash != nil:
			s.byHash[s.hashes[i]] = append(s.byHash[s.hashes[i]], int32(i))
		case equalsItself(v):
			s.byKey[v] = int32(i)
		default:
			s.nanValues = append(s.nanValues, int32(i))
		}
	}
	s.publish()
}

// dropUnreferenced drops the values whose reference count is 0. In the captured world, only queries used these
// values, and the image has no queries.
func (s *sharedStore) dropUnreferenced() {
	for i := 1; i < len(s.values); i++ {
		if s.values[i] != nil && s.refCounts[i] == 0 {
			s.drop(int32(i))
		}
	}
}

// fillIDs builds the table of ids, in which no id is alive yet, and the chunkData of the chunks.
func (w *World) fillIDs(m *Image) {
	t := &w.tables.entities
	t.grow(m.slotCount)
	t.slots = t.slots[:m.slotCount]
	for i := range t.slots {
		t.slots[i] = entitySlot{1, freeSlot, 0}
	}
	t.freeSlots = make([]int32, len(m.freeIDs))
	for i, e := range m.freeIDs {
		t.freeSlots[i] = e.Index
		t.slots[e.Index].version = e.Version
	}
	t.retired = m.slotCount - len(m.freeIDs)
	for i := range m.archetypes {
		t.retired -= m.archetypes[i].rowCount
	}
	for range m.chunkIDCount {
		w.tables.takeChunkData()
	}
	for _, id := range m.spareChunkIDs {
		w.tables.spareChunks = append(w.tables.spareChunks, w.tables.chunks[id])
	}
}

// fillArchetype adds the chunks of an image to an archetype without chunks.
func (w *World) fillArchetype(a *archetype, from *archetypeImage, rows *copyPlan) {
	groups := make([]*chunkGroup, len(from.groups))
	for i := range from.groups {
		groups[i] = a.groups.findOrCreate(from.groups[i].valueIndices)
		groups[i].serial, groups[i].orderCount = from.groups[i].serial, from.groups[i].orderCount
	}
	a.groups.createdCount = from.createdGroups
	for _, c := range from.chunks {
		w.fillChunk(a, groups[c.groupIndex], c, rows)
	}
	for i, g := range groups {
		g.restoreOrder(a, &from.groups[i])
	}
	a.rowCount = from.rowCount
	a.orderCount, a.orderVersion, a.worldMoveCount = from.orderCount, from.orderVersion, from.worldMoveCount
	copy(a.newestVersions, from.newestVersions)
}

// fillChunk appends a chunk of an image to an archetype.
func (w *World) fillChunk(a *archetype, g *chunkGroup, c *chunkImage, rows *copyPlan) {
	r := w.tables.chunks[c.id]
	switch {
	case g.chunkCount == 0:
		r.Place = w.tables.memory.Take(a.shape, c.count)
	case len(a.chunks) > 0:
		r.Place = w.tables.memory.TakeFull(a.shape, &a.chunks[len(a.chunks)-1].Place)
	default:
		r.Place = w.tables.memory.TakeFull(a.shape, nil)
	}
	r.count, r.orderVersion, r.meta = c.count, c.orderVersion, c.meta
	w.tables.enlist(r, a, g)
	copy(r.versions, c.versions)
	r.throughVersions = slices.Clone(c.throughVersions)
	r.bufferHeaps = make([]bufferHeap, a.bufferCount)
	r.enabledBits = newEnabledBitsets(nil, a.enableableCount, r.RowCapacity())
	r.managedColumns = newManagedColumns(a, r.RowCapacity())
	rows.addBytes(sliceBytes(r.ids()[:r.count]), sliceBytes(c.ids))
	rows.addIDs(&w.tables.entities, c.ids, r.id)
	for i := range c.columns {
		if c.columns[i] != nil {
			a.columns[i].fillFromImage(r, c.columns[i], rows)
		}
	}
	if guard {
		poisonRows(r, r.count, r.RowCapacity())
		w.tables.noteTouched(r)
	}
}

// fillFromImage copies a column of an image into a column of a new chunk.
func (c *column) fillFromImage(r *chunkData, from *columnImage, rows *copyPlan) {
	rows.addToLanes(&r.Place, c.lanes, r.count, from)
	if len(from.bufferBlocks) > 0 {
		rows := make([][]uint64, r.RowCapacity())
		for i, block := range from.bufferBlocks {
			rows[i] = slices.Clone(block)
		}
		r.bufferHeaps[c.bufferIndex].rowBlocks = rows
	}
	if c.enabledIndex >= 0 {
		for at := 0; at < r.count; at += 64 {
			r.enabledBits[c.enabledIndex].storeBits(at, min(64, r.count-at), from.enabledBits[at>>6])
		}
	}
	if c.managedIndex >= 0 {
		r.managedColumns[c.managedIndex].copyRows(0, &from.managedValues, 0, r.count)
	}
}

// restoreOrder restores the order of the chunks in both lists of a group, because that order decides which chunk
// gets the next row.
func (g *chunkGroup) restoreOrder(a *archetype, from *groupImage) {
	for _, r := range g.withRoom {
		r.roomIndex = -1
	}
	g.withRoom = g.withRoom[:0]
	for _, i := range from.withRoom {
		a.chunks[i].joinRoomList()
	}
	g.allChunks = g.allChunks[:0]
	for _, i := range from.allChunks {
		g.addChunk(a.chunks[i])
	}
}
