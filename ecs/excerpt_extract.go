package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/ecs/blob"
)

// Extract fills x with copies of entities of a world, in the order of ids. The world does not
// change; [Excerpt.DestroySource] destroys the originals later. The ids may include destroyed
// entities that wait for their cleanup. Unused capacity of buffers is not copied.
//
// A reference from one of the entities to another becomes a reference inside the excerpt. If a
// value refers to an existing entity that is not among the ids, Extract passes this entity to the
// function outside, which returns a key. The key names that entity in the other world. If outside
// is nil or the key is 0, the reference becomes null. If the function outside returns an error,
// Extract returns that error.
//
// Extract is a sync point. The error is of category [ErrArgument] if an entity does not exist,
// occurs twice, or is the meta entity of a chunk. It is of the same category if a value refers to a
// blob, because a blob cannot leave its process. After an error, x is empty.
func (x *Excerpt) Extract(w *World, ids []Entity, outside func(Entity) (key uint64, err error)) (err error) {
	const op = "Excerpt.Extract"
	x.clear()
	if w == nil {
		return noWorldError(op)
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	defer w.gate.endUnchanged()
	if err := w.completeJobs(op); err != nil {
		return err
	}
	whole := false
	defer func() { // because outside may panic
		if !whole {
			x.clear()
		}
	}()
	if err := x.groupEntities(op, w, ids); err != nil {
		return err
	}
	for _, p := range x.parts {
		p.copyRows(x, w)
		for i := range p.columns {
			if err := p.columns[i].checkNoBlobRefs(w, op, p); err != nil {
				return err
			}
		}
		clear(p.chunks)
	}
	if err := x.replaceRefs(op, w, outside); err != nil {
		return err
	}
	x.copyNames(w)
	x.entityCount, x.world, x.restoreCount, whole = len(ids), w, w.hooks.restoreCount, true
	x.sourceIDs = append(x.sourceIDs, ids...)
	return nil
}

// groupEntities finds the entities and groups them into parts.
func (x *Excerpt) groupEntities(op string, w *World, ids []Entity) error {
	if x.partsByKey == nil {
		x.partsByKey = map[excerptKey]*excerptRows{}
	}
	clear(x.partsByKey)
	x.entitySet.reset(len(w.tables.entities.slots))
	var last *chunkData
	var p *excerptRows
	for at := 0; at < len(ids); at += gatherStep {
		some := ids[at:min(at+gatherStep, len(ids))]
		w.tables.locate(&x.locations, some)
		for i, e := range some {
			r := x.locations.chunkAt(&w.tables, i)
			switch {
			case r == nil:
				return w.entityError(op, e)
			case !x.entitySet.add(e):
				return w.gate.fault(ErrArgument, op, "the entity is in the list more than once").forEntity(e)
			case r == last:
			default:
				if err := w.tables.checkNotMeta(op, r.arch); err != nil {
					return err
				}
				key := excerptKey{group: r.group}
				if r.arch.meta != nil {
					key.chunk = r
				}
				if last, p = r, x.partsByKey[key]; p == nil {
					p = x.appendPart(len(r.arch.columns))
					x.partsByKey[key] = p
				}
			}
			p.Places = append(p.Places, int32(at+i))
			p.chunks, p.rowIndices = append(p.chunks, r), append(p.rowIndices, x.locations.rows[i])
		}
	}
	return nil
}

// copyRows fills the columns of a part.
func (p *excerptRows) copyRows(x *Excerpt, w *World) {
	first := p.chunks[0]
	for i := range first.arch.columns {
		own, c := &first.arch.columns[i], &p.columns[i]
		c.reset(x, own.comp, len(p.rowIndices))
		p.copyColumn(w, c, own)
		if own.enabledIndex < 0 {
			continue
		}
		on := enabledBitset{words: c.On}
		for i, r := range p.chunks {
			if !r.enabledBits[own.enabledIndex].isOn(int(p.rowIndices[i])) {
				on.set(i, false)
			}
		}
	}
}

// copyColumn fills the values of a column.
func (p *excerptRows) copyColumn(w *World, c *excerptLanes, own *column) {
	first := p.chunks[0]
	switch {
	case own.sharedIndex >= 0:
		c.Value = first.arch.sharedStores[own.sharedIndex].values[first.group.valueIndices[own.sharedIndex]]
	case own.comp.perChunkValue != nil:
		for l := range c.laneFormats {
			c.laneFormats[l].encode(c.Lanes[l], c.chunkBytes(w, first, l))
		}
	case own.bufferIndex >= 0:
		c.copyBuffers(p, own)
	case own.managedIndex >= 0:
		for i, r := range p.chunks {
			c.managedValues.copyRows(i, &r.managedColumns[own.managedIndex], int(p.rowIndices[i]), 1)
		}
	default:
		for l := range c.laneFormats {
			c.copyLane(p, own, l)
		}
	}
}

// copyLane fills a lane.
func (c *excerptLanes) copyLane(p *excerptRows, own *column, lane int) {
	s, to, l := &c.laneFormats[lane], c.Lanes[lane], own.lanes[lane]
	if !s.sameBytes {
		for i, r := range p.chunks {
			s.encode(to[i*s.excerptSize:][:s.excerptSize], r.Bytes(l, int(p.rowIndices[i]), 1))
		}
		return
	}
	gatherRows(to, p.chunks, p.rowIndices, l)
}

// copyBuffers fills a column of buffers.
func (c *excerptLanes) copyBuffers(p *excerptRows, own *column) {
	s := &c.laneFormats[0]
	for i, r := range p.chunks {
		b := bufferAt(r, own, int(p.rowIndices[i]))
		n := int(b.head()[0])
		c.Counts[i] = int32(n)
		at := len(c.Elements)
		c.Elements = slices.Grow(c.Elements, n*s.excerptSize)[:at+n*s.excerptSize]
		s.encode(c.Elements[at:], b.elementBytes())
	}
}

// replaceRefs replaces the entity ids in all values by the numbers of these entities in the
// excerpt.
func (x *Excerpt) replaceRefs(op string, w *World, outside func(Entity) (uint64, error)) (err error) {
	if x.outsideIndexes == nil {
		x.outsideIndexes = map[uint64]int32{}
	}
	name := func(e Entity) Entity {
		if e.IsZero() || err != nil {
			return Entity{}
		}
		if k := x.entitySet.indexOf(e); k >= 0 {
			return Entity{int32(k), 1}
		}
		if outside == nil || w.tables.entities.find(e) == nil {
			return Entity{}
		}
		key, fault := outside(e)
		if fault != nil {
			err = w.gate.fault(ErrArgument, op, "a value refers to an entity that is none of those").forEntity(e).withCause(fault)
		}
		if key == 0 {
			return Entity{}
		}
		k, known := x.outsideIndexes[key]
		if !known {
			k = int32(len(x.Outside))
			x.outsideIndexes[key], x.Outside = k, append(x.Outside, key)
		}
		return Entity{-1 - k, 1}
	}
	for _, p := range x.parts {
		for i := range p.columns {
			p.columns[i].mapRefs(len(p.rowIndices), name)
		}
	}
	return err
}

// mapRefs replaces each id e in the column by f(e).
func (c *excerptLanes) mapRefs(rows int, f func(Entity) Entity) {
	switch {
	case c.comp.kind.has(isShared):
		c.Value = remapBoxedRefs(c.comp, c.Value, f)
	case c.comp.kind.has(isManaged):
		mapManagedRefs(c.comp, &c.managedValues, rows, f)
	case c.comp.kind.has(isBuffer):
		c.laneFormats[0].mapRefs(c.Elements, f)
	default:
		for l := range c.laneFormats {
			c.laneFormats[l].mapRefs(c.Lanes[l], f)
		}
	}
}

// checkNoBlobRefs returns an error if a value refers to a blob.
func (c *excerptLanes) checkNoBlobRefs(w *World, op string, p *excerptRows) error {
	if c.refersToBlob(w, p) {
		return w.gate.fault(ErrArgument, op, "the value refers to a blob, which stays in its process: set the reference to the zero Blob first, and again in the other world").forComponent(c.comp)
	}
	return nil
}

// refersToBlob reports whether a value refers to a blob.
func (c *excerptLanes) refersToBlob(w *World, p *excerptRows) bool {
	if c.comp.kind.has(isShared) {
		return hasBlobRef(c.comp, c.Value)
	}
	for l := range c.laneFormats {
		s := &c.laneFormats[l]
		if len(s.blobRefs) == 0 {
			continue
		}
		if len(c.Elements) == 0 && s.excerptSize == 0 && slices.Max(append(c.Counts, 0)) > 0 {
			return true // the elements consist only of a blob reference
		}
		for i, r := range p.chunks {
			if s.refersToBlob(c.valueBytes(w, r, int(p.rowIndices[i]), l)) {
				return true
			}
		}
	}
	return false
}

// valueBytes returns the bytes of lane l of a row's value, in the memory of the world. For a
// chunk component these are the bytes of the chunk's value, and for a buffer the bytes of its
// elements.
func (c *excerptLanes) valueBytes(w *World, r *chunkData, row, l int) []byte {
	switch own := &r.arch.columns[r.arch.findColumn(c.comp.key)]; {
	case c.comp.perChunkValue != nil:
		return c.chunkBytes(w, r, l)
	case own.bufferIndex >= 0:
		return bufferAt(r, own, row).elementBytes()
	default:
		return r.Bytes(own.lanes[l], row, 1)
	}
}

// refersToBlob reports whether memory, which holds one or more values, contains a reference to a
// blob.
func (s *laneFormat) refersToBlob(memory []byte) bool {
	for ; len(memory) > 0; memory = memory[s.memorySize:] {
		for _, b := range s.blobRefs {
			if !blob.At(b.typ, memory[b.offset:]).Null() {
				return true
			}
		}
	}
	return false
}

// copyNames copies the names of the entities.
func (x *Excerpt) copyNames(w *World) {
	if !w.gate.entityNames.hasNames() {
		return
	}
	for k, e := range x.entitySet.list {
		if name := w.gate.entityNames.name(e); name != "" {
			if x.Names == nil {
				x.Names = make([]string, len(x.entitySet.list))
			}
			x.Names[k] = name
		}
	}
}

// DestroySource destroys the entities that the last Extract copied, in the world from which it copied
// them. Call DestroySource after another world has taken the copies. DestroySource also destroys their cleanup components, as [MoveEntities] does. Members
// of a [LinkedGroup] that were not extracted stay. DestroySource is a structural change. The error
// is of category [ErrState], and nothing changes, in three cases: Extract did not fill x, one of
// the entities no longer exists, or the world was restored since.
//
// If the method Release of a shared value panics, the entities are destroyed all the same, without
// a panic. DestroySource then returns nil, because the entities are now only in x and the caller
// must still send them. The next [World.Sync] returns the panic as an error.
func (x *Excerpt) DestroySource() error {
	const op = "Excerpt.DestroySource"
	w := x.world
	if w == nil {
		return fault(ErrState, op, "there are no entities of a world that could leave it: call Extract first, and DestroySource once")
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	if x.restoreCount != w.hooks.restoreCount {
		w.gate.endUnchanged()
		return w.gate.fault(ErrState, op, "the world was restored since Extract, and the %d ids may be those of other entities: call Extract again", len(x.sourceIDs))
	}
	for _, e := range x.sourceIDs {
		if w.tables.entities.find(e) == nil {
			w.gate.endUnchanged()
			return w.gate.fault(ErrState, op, "the entity was destroyed since Extract").forEntity(e)
		}
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	for ids := x.sourceIDs; len(ids) > 0; {
		s, n := w.tables.leadingRows(ids)
		ids = ids[n:]
		s.chunk.arch.worldMoveCount += uint32(n)
		w.tables.destroyIgnoringCleanup(s)
	}
	x.world = nil
	defer func() {
		if v := recover(); v != nil { // a Release has panicked; all of them were called
			err := w.gate.fault(ErrState, op, "the %d entities have left, and after that a method Release of a shared value has panicked: %v", len(x.sourceIDs), v)
			err.Err, _ = v.(error)
			w.gate.addJobError(err)
		}
	}()
	w.endChange()
	return nil
}
