package ecs

import (
	"slices"
)

// Load loads entities into the world and returns their number, which is at most the argument most. The
// number may be smaller for two reasons. Fewer entities are left. Or the next chunk has chunk components
// and more rows than Load may still load. Such a chunk is always loaded as a whole. Load is a structural
// change, and is done completely or not at all: if it returns an error, or if a method of a shared value
// panics, nothing is changed. The error is of category [ErrState] if the stream has not begun, if the
// world cannot be changed now, if the world was restored since Begin, or if a Clone has taken over.
func (a *ImageStream) Load(most int) (n int, err error) {
	const op = "ImageStream.Load"
	a = a.orZero()
	if err := a.checkBegun(op); err != nil {
		return 0, err
	}
	w := a.world
	if a.worldWasRestored() {
		a.ended = true
		a.storeMark()
		w.gate.endUnchanged()
		return 0, w.gate.fault(ErrState, op, "the world was restored while %d of %d were still to come: make another stream", len(a.newIDs)-a.loadedCount, len(a.newIDs))
	}
	switch {
	case most <= 0 || a.Left() == 0:
		w.gate.endUnchanged()
		return 0, nil
	case a.image == nil:
		w.gate.endUnchanged()
		return 0, w.gate.fault(ErrState, op, "the stream has no image of which %d could still come, because LoadState was that of the zero ImageStream, which is for Unload: "+
			"make one with NewImageStream of the image, and call LoadState of that", a.Left())
	case a.image.pool == nil:
		w.gate.endUnchanged()
		return 0, w.gate.fault(ErrArgument, op, "the image was released before all had come")
	}
	at := a.position
	n = a.planRows(most)
	defer func() { clear(a.partScratch); a.partScratch = a.partScratch[:0] }()
	whole := false
	defer func() {
		if !whole {
			a.position = at
		}
	}()
	err = w.shared.internTogether(func() error {
		for i := range a.partScratch {
			if err := a.resolveSharedValues(op, i); err != nil {
				return err
			}
		}
		return w.beginAllowedChange(op)
	})
	if err != nil {
		w.gate.endUnchanged()
		return 0, err
	}
	whole = true
	for i := range a.partScratch {
		a.loadPart(&a.partScratch[i])
	}
	a.ended = a.loadedCount == len(a.newIDs)
	a.storeMark()
	w.endChange()
	return n, nil
}

// planRows lists the rows to load next, and returns their number. The argument most is the largest
// number.
func (a *ImageStream) planRows(most int) (n int) {
	a.partScratch = a.partScratch[:0]
	for p := &a.position; p.archetype < len(a.targetArchetypes) && n < most; {
		k, t := &a.image.archetypes[p.archetype], a.targetArchetypes[p.archetype]
		if t == nil || p.chunk == len(k.chunks) {
			p.archetype, p.chunk = p.archetype+1, 0
			continue
		}
		rest := k.chunks[p.chunk].count - p.row
		if t.meta != nil && rest > most-n && n > 0 {
			break // a chunk with chunk components comes whole if it can
		}
		rows := min(rest, most-n)
		a.partScratch = append(a.partScratch, streamPart{archetype: p.archetype, chunk: p.chunk, row: p.row, n: rows})
		n += rows
		if p.row += rows; rows == rest {
			p.chunk, p.row = p.chunk+1, 0
		}
	}
	return n
}

// resolveSharedValues finds or adds the shared values that the rows of a part will have in the world.
func (a *ImageStream) resolveSharedValues(op string, i int) error {
	p := &a.partScratch[i]
	t := a.targetArchetypes[p.archetype]
	if t.sharedCount == 0 {
		return nil
	}
	k := &a.image.archetypes[p.archetype]
	group := k.chunks[p.chunk].groupIndex
	if i > 0 && a.partScratch[i-1].archetype == p.archetype && k.chunks[a.partScratch[i-1].chunk].groupIndex == group {
		p.valueIndices = a.partScratch[i-1].valueIndices
		return nil
	}
	for at, store := range t.sharedStores {
		v, err := a.sharedValueOf(store.comp, k, &k.groups[group]), error(nil)
		if v == nil {
			continue // the default
		}
		if p.valueIndices[at], err = a.world.shared.intern(op, store, v); err != nil {
			return err
		}
	}
	return nil
}

// sharedValueOf returns the value of a shared component of a group, or nil for the default.
func (a *ImageStream) sharedValueOf(c *component, k *archetypeImage, g *groupImage) any {
	for _, v := range a.extraShared {
		if v.comp == c {
			return v.value
		}
	}
	at := 0
	for _, own := range k.components {
		if own == c {
			break
		}
		if own.kind.has(isShared) {
			at++
		}
	}
	if g.valueIndices[at] == 0 {
		return nil
	}
	return remapBoxedRefs(c, a.image.sharedValuesOf(c)[g.valueIndices[at]], a.NewID)
}

// loadPart creates the rows of a part.
func (a *ImageStream) loadPart(p *streamPart) {
	w, t := a.world, a.targetArchetypes[p.archetype]
	c := a.image.archetypes[p.archetype].chunks[p.chunk]
	g := t.groups.findOrCreate(p.valueIndices[:t.sharedCount])
	for row, end := p.row, p.row+p.n; row < end; {
		var dst rowRange
		if t.meta != nil && row == p.row {
			dst = w.tables.claimRowsIn(w.tables.appendChunk(t, g, end-row), end-row)
			a.loadChunkValues(dst.chunk, c)
		} else {
			dst = w.tables.claimRows(t, g, end-row)
		}
		ids := a.newIDs[a.loadedCount : a.loadedCount+dst.count]
		copy(dst.ids(), ids)
		w.tables.entities.setRows(ids, dst.chunk.id, dst.first)
		w.tables.entities.retired -= dst.count
		for i, own := range c.columns {
			if own != nil {
				col := &t.columns[t.findColumn(c.components[i].key)]
				col.loadRows(dst, own, c.count, row)
			}
		}
		w.tables.markAllColumns(dst.chunk)
		if t.holdsEntityIDs {
			dst.mapRefs(func(_ int, id Entity) Entity { return a.NewID(id) })
		}
		w.gate.entityNames.copyNames(ids, a.image.namePages, a.oldIDs[a.loadedCount:])
		a.loadedCount += dst.count
		row += dst.count
	}
}

// loadRows copies rows of a column of an image to rows of a chunk, beginning with the given
// row of the column. The column has n rows.
func (c *column) loadRows(dst rowRange, from *columnImage, n, row int) {
	r, b := dst.chunk, from.laneData
	for i, l := range c.lanes {
		size := int(l.Size)
		if from.placedLanes != nil {
			copy(r.Bytes(l, dst.first, dst.count), from.placedLanes[i][row*size:])
			continue
		}
		copy(r.Bytes(l, dst.first, dst.count), b[row*size:])
		b = b[n*size:]
	}
	if len(from.bufferBlocks) > 0 {
		s := &r.bufferHeaps[c.bufferIndex]
		if s.rowBlocks == nil {
			s.rowBlocks = make([][]uint64, r.RowCapacity())
		}
		for i := range dst.count {
			s.rowBlocks[dst.first+i] = slices.Clone(from.bufferBlocks[row+i])
		}
	}
	if c.enabledIndex >= 0 {
		own := enabledBitset{words: from.enabledBits}
		r.enabledBits[c.enabledIndex].copyBits(dst.first, &own, row, dst.count)
	}
	if c.managedIndex >= 0 && from.managedValues.slice != nil {
		r.managedColumns[c.managedIndex].copyRows(dst.first, &from.managedValues, row, dst.count)
	}
}

// loadChunkValues copies the values of chunk components from a chunk of the image to a new chunk.
func (a *ImageStream) loadChunkValues(r *chunkData, c *chunkImage) {
	from, has := a.metaRows[c.meta]
	if !has {
		return
	}
	s := a.world.tables.entities.find(r.meta)
	to := a.world.tables.chunks[s.chunk]
	dst := rowRange{to, int(s.row), 1}
	for i, own := range from.chunk.columns {
		if col := &to.arch.columns[to.arch.findColumn(from.chunk.components[i].key)]; own != nil && col.managedIndex < 0 {
			col.loadRows(dst, own, from.chunk.count, from.row)
		}
	}
	dst.mapRefs(func(_ int, id Entity) Entity { return a.NewID(id) })
}
