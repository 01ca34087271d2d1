package ecs

import (
	"fmt"
	"reflect"
	"slices"
)

// Insert adds the entities of an excerpt to a world and returns their new ids, in the order of the
// excerpt. The slice is valid until the next Insert, and the caller must not write to it. The
// entities get the same places as with Spawn: their rows are put into chunks with free rows, and
// their shared values are found in the world or added to it. Rows with chunk components are put
// into a chunk with the same values of these components, or into a new chunk.
//
// Insert calls the function inside once for each key in the list Outside, before it changes
// anything. The function returns the entity for the key, or the null entity. If inside is nil, the
// references to entities outside become null. If the function inside returns an error, Insert
// returns that error.
//
// Insert is a structural change, and is done completely or not at all. Nothing is changed if it
// returns an error, or if the function inside or a method of a shared value panics. The error is
// of category [ErrArgument] if the parts that AddPart returned were not filled in correctly.
// Examples are a row that occurs twice or not at all, an id that refers to no entity, a bool that
// is neither 0 nor 1, and a row of an archetype that does not fit in a chunk.
func (x *Excerpt) Insert(w *World, inside func(key uint64) (Entity, error)) ([]Entity, error) {
	const op = "Excerpt.Insert"
	if w == nil {
		return nil, noWorldError(op)
	}
	if err := x.checkSameColumns(op, w); err != nil {
		return nil, err
	}
	if x.unchecked {
		if err := x.check(op, w); err != nil {
			return nil, err
		}
	}
	if err := x.resolveOutside(op, w, inside); err != nil {
		return nil, err
	}
	if err := w.checkCanChange(op); err != nil {
		return nil, err
	}
	if err := x.findArchetypes(op, w); err != nil {
		w.gate.endUnchanged()
		return nil, err
	}
	x.newIDs = resize(x.newIDs, x.entityCount)
	w.tables.entities.growFor(x.entityCount)
	w.tables.entities.peekIDs(x.newIDs)
	err := w.shared.internTogether(func() error {
		for _, p := range x.parts {
			if err := p.internShared(op, w, x); err != nil {
				return err
			}
		}
		return w.beginAllowedChange(op)
	})
	if err != nil {
		w.gate.endUnchanged()
		return nil, err
	}
	w.tables.entities.assignIDs(x.newIDs, freeSlot, 0)
	for _, p := range x.parts {
		p.createRows(w, x)
		p.targetArchetype = nil
	}
	for k, name := range x.Names {
		if name != "" {
			w.nameEntity(x.newIDs[k], name)
		}
	}
	w.endChange()
	return x.newIDs, nil
}

// resolveOutside finds the entities of the keys in Outside.
func (x *Excerpt) resolveOutside(op string, w *World, inside func(uint64) (Entity, error)) error {
	x.outsideIDs = resize(x.outsideIDs, len(x.Outside))
	if inside == nil {
		return nil
	}
	for i, key := range x.Outside {
		e, err := inside(key)
		if err != nil {
			return w.gate.fault(ErrArgument, op, "a value refers to an entity of key %d, which is none of those that come", key).withCause(err)
		}
		if !e.IsZero() && w.tables.entities.find(e) == nil {
			return w.gate.fault(ErrArgument, op, "inside says that it is the entity of key %d, and it does not exist: return the null entity where there is none", key).forEntity(e)
		}
		x.outsideIDs[i] = e
	}
	return nil
}

// worldID converts an id of the excerpt to an id of the world.
func (x *Excerpt) worldID(e Entity) Entity {
	switch {
	case e.IsZero():
		return e
	case e.Index >= 0:
		return x.newIDs[e.Index]
	}
	return x.outsideIDs[-1-e.Index]
}

// findArchetypes finds the archetypes of the parts.
func (x *Excerpt) findArchetypes(op string, w *World) error {
	for _, p := range x.parts {
		set := w.tables.scratch.editedSet[:0]
		for i := range p.columns {
			set = append(set, p.columns[i].comp)
		}
		w.tables.scratch.editedSet = set
		if err := w.types.checkNoHeader(op, set...); err != nil {
			return err
		}
		set, err := w.types.sortSet(op, set)
		if err != nil {
			return err
		}
		if p.targetArchetype, err = w.tables.archetypeOf(op, set); err != nil {
			return err
		}
		if p.targetArchetype.awaitsCleanup && !p.targetArchetype.kinds.has(isCleanup) {
			return w.gate.fault(ErrArgument, op, "a destroyed entity waits for its cleanup, and has no cleanup component: %v", p.targetArchetype)
		}
	}
	return nil
}

// internShared finds the shared values of a part in the world, or adds them.
func (p *excerptRows) internShared(op string, w *World, x *Excerpt) (err error) {
	for i := range p.columns {
		c := &p.columns[i]
		if !c.comp.kind.has(isShared) {
			continue
		}
		at := p.targetArchetype.columns[p.targetArchetype.findColumn(c.comp.key)].sharedIndex
		if p.valueIndices[at], err = w.shared.intern(op, p.targetArchetype.sharedStores[at], remapBoxedRefs(c.comp, c.Value, x.worldID)); err != nil {
			return err
		}
	}
	return nil
}

// createRows creates the rows of a part.
func (p *excerptRows) createRows(w *World, x *Excerpt) {
	t := p.targetArchetype
	g := t.groups.findOrCreate(p.valueIndices[:t.sharedCount])
	for row := 0; row < len(p.Places); {
		dst := p.claimRows(w, x, g, len(p.Places)-row)
		ids := dst.ids()
		for i := range ids {
			e := x.newIDs[p.Places[row+i]]
			ids[i] = e
			w.tables.entities.slots[e.Index].put(dst.chunk.id, dst.first+i)
		}
		for i := range p.columns {
			c := &p.columns[i]
			c.writeRows(&t.columns[t.findColumn(c.comp.key)], dst, row)
		}
		w.tables.markAllColumns(dst.chunk)
		if t.holdsEntityIDs {
			dst.mapRefs(func(_ int, e Entity) Entity { return x.worldID(e) })
		}
		t.worldMoveCount += uint32(dst.count)
		row += dst.count
	}
}

// claimRows takes up to n free rows for a part. If the archetype has chunk components, the rows are in
// a chunk with the part's values.
func (p *excerptRows) claimRows(w *World, x *Excerpt, g *chunkGroup, n int) rowRange {
	if p.targetArchetype.meta == nil {
		return w.tables.claimRows(p.targetArchetype, g, n)
	}
	x.wantedChunkValues = x.wantedChunkValues[:0]
	p.eachChunkLane(func(c *excerptLanes, l int) {
		at := len(x.wantedChunkValues)
		x.wantedChunkValues = append(x.wantedChunkValues, c.Lanes[l]...)
		c.laneFormats[l].mapRefs(x.wantedChunkValues[at:], x.worldID)
	})
	for _, r := range g.withRoom {
		x.presentChunkValues = x.presentChunkValues[:0]
		p.eachChunkLane(func(c *excerptLanes, l int) {
			at := len(x.presentChunkValues)
			x.presentChunkValues = append(x.presentChunkValues, c.Lanes[l]...)
			c.laneFormats[l].encode(x.presentChunkValues[at:], c.chunkBytes(w, r, l))
		})
		if slices.Equal(x.presentChunkValues, x.wantedChunkValues) {
			return w.tables.claimRowsIn(r, n)
		}
	}
	r := w.tables.appendChunk(p.targetArchetype, g, n)
	rest := x.wantedChunkValues
	p.eachChunkLane(func(c *excerptLanes, l int) {
		size := c.laneFormats[l].excerptSize
		c.laneFormats[l].decode(c.chunkBytes(w, r, l), rest[:size])
		rest = rest[size:]
	})
	return w.tables.claimRowsIn(r, n)
}

// eachChunkLane calls the function each for every lane of every chunk component, in order.
func (p *excerptRows) eachChunkLane(each func(c *excerptLanes, l int)) {
	for i := range p.columns {
		if c := &p.columns[i]; c.comp.perChunkValue != nil {
			for l := range c.laneFormats {
				each(c, l)
			}
		}
	}
}

// chunkBytes returns the bytes of lane l of the value that the chunk r has for the component.
func (c *excerptLanes) chunkBytes(w *World, r *chunkData, l int) []byte {
	meta, k, row := w.tables.chunkValue(r, c.comp.perChunkValue)
	return meta.Bytes(meta.arch.columns[k].lanes[l], row, 1)
}

// writeRows writes the values of a column to the rows of dst, starting with the given row of the part.
func (c *excerptLanes) writeRows(own *column, dst rowRange, row int) {
	r := dst.chunk
	switch {
	case own.sharedIndex >= 0, own.comp.perChunkValue != nil:
	case own.bufferIndex >= 0:
		c.writeBuffers(own, dst, row)
	case own.managedIndex >= 0:
		r.managedColumns[own.managedIndex].copyRows(dst.first, &c.managedValues, row, dst.count)
	default:
		for l := range c.laneFormats {
			s := &c.laneFormats[l]
			s.decode(r.Bytes(own.lanes[l], dst.first, dst.count), c.Lanes[l][row*s.excerptSize:][:dst.count*s.excerptSize])
		}
	}
	if own.enabledIndex >= 0 {
		on := enabledBitset{words: c.On}
		r.enabledBits[own.enabledIndex].copyBits(dst.first, &on, row, dst.count)
	}
}

// writeBuffers writes buffers to the rows of dst. The rows must be written in order, because c
// counts how many bytes of elements it has used so far.
func (c *excerptLanes) writeBuffers(own *column, dst rowRange, row int) {
	if row == 0 {
		c.usedElementBytes = 0
	}
	s, elements := &c.laneFormats[0], c.Elements[c.usedElementBytes:]
	for _, l := range own.lanes {
		clear(dst.chunk.Bytes(l, dst.first, dst.count))
	}
	for i := range dst.count {
		n := int(c.Counts[row+i])
		b := bufferAt(dst.chunk, own, dst.first+i)
		if n > own.comp.buffer.inlineCount {
			b.setCapacity(n)
		}
		b.head()[0] = int32(n)
		s.decode(b.elementBytes(), elements[:n*s.excerptSize])
		elements = elements[n*s.excerptSize:]
	}
	c.usedElementBytes = len(c.Elements) - len(elements)
}

// checkSameColumns returns an error if the caller has replaced the columns of a part, because the
// internal data describes the original ones.
func (x *Excerpt) checkSameColumns(op string, w *World) error {
	for at, p := range x.parts {
		if len(p.Columns) != len(p.columns) {
			return w.gate.fault(ErrArgument, op, "part %d has %d columns, and was given %d", at, len(p.Columns), len(p.columns))
		}
		for i := range p.columns {
			if c := p.columns[i].comp; p.Columns[i].Component.Type != c.typ {
				return w.gate.fault(ErrArgument, op, "column %d of part %d is one of %v, and was given for another component: columns stay where they are", i, at, p.Columns[i].Component.Type).forComponent(c)
			}
		}
		p.linkColumns()
	}
	return nil
}

// check returns the first error in the parts that the caller has filled.
func (x *Excerpt) check(op string, w *World) error {
	seen := make([]bool, x.entityCount)
	rows := 0
	for at, p := range x.parts {
		if len(p.Places) == 0 {
			return w.gate.fault(ErrArgument, op, "part %d has no rows", at)
		}
		for _, k := range p.Places {
			if k < 0 || int(k) >= x.entityCount || seen[k] {
				return w.gate.fault(ErrArgument, op, "a row of part %d is entity %d, which is another row too, or none of %d", at, k, x.entityCount)
			}
			seen[k] = true
		}
		rows += len(p.Places)
		for i := range p.columns {
			if err := p.columns[i].check(op, w, x, len(p.Places)); err != nil {
				return err
			}
		}
	}
	switch {
	case rows != x.entityCount:
		return w.gate.fault(ErrArgument, op, "there are %d rows, for %d entities", rows, x.entityCount)
	case x.Names != nil && len(x.Names) != x.entityCount:
		return w.gate.fault(ErrArgument, op, "there are %d names, for %d entities", len(x.Names), x.entityCount)
	}
	return nil
}

// check returns the first error in the column.
func (c *excerptLanes) check(op string, w *World, x *Excerpt, rows int) error {
	wrong := c.checkBits(rows)
	if wrong == "" {
		switch kind := c.comp.kind; {
		case kind.has(isShared):
			if reflect.TypeOf(c.Value) != c.comp.typ {
				wrong = fmt.Sprintf("the shared value is of type %v", reflect.TypeOf(c.Value))
			}
		case kind.has(isManaged):
			if list := reflect.ValueOf(c.Value); !list.IsValid() || list.Type() != reflect.SliceOf(c.comp.typ) || list.Len() != rows {
				wrong = fmt.Sprintf("the values are no []%v with %d elements", c.comp.typ, rows)
			}
		case kind.has(isBuffer):
			wrong = c.checkBuffers(rows)
		default:
			wrong = c.checkLanes(rows)
		}
	}
	if wrong != "" {
		return w.gate.fault(ErrArgument, op, "%s", wrong).forComponent(c.comp)
	}
	if c.comp.kind.has(isManaged) {
		c.managedValues = managedColumn{c.Value, reflect.ValueOf(c.Value)}
	}
	bad := Entity{}
	c.mapRefs(rows, func(e Entity) Entity {
		if !e.IsZero() && (e.Version != 1 || int(e.Index) >= x.entityCount || e.Index < 0 && int(-1-e.Index) >= len(x.Outside)) {
			bad = e
		}
		return e
	})
	if bad != (Entity{}) {
		return w.gate.fault(ErrArgument, op, "a value refers to %d, %d, and there are %d entities and %d keys", bad.Index, bad.Version, x.entityCount, len(x.Outside)).forComponent(c.comp)
	}
	return nil
}

// checkBits returns the fault in the bits of an enableable component, or "" if there is none.
func (c *excerptLanes) checkBits(rows int) string {
	if c.comp.kind.has(isEnableable) && (len(c.On) != wordsFor(rows) || rows%64 != 0 && c.On[len(c.On)-1]>>(rows%64) != 0) {
		return fmt.Sprintf("there are bits for other rows than %d", rows)
	}
	return ""
}

// checkBuffers returns the fault in buffers and their elements, or "" if there is none.
func (c *excerptLanes) checkBuffers(rows int) string {
	n, s := int64(0), &c.laneFormats[0]
	for _, k := range c.Counts {
		if k < 0 || k > maxBufferElements {
			return fmt.Sprintf("a buffer has %d elements", k)
		}
		n += int64(k)
	}
	if len(c.Counts) != rows || s.excerptSize == 0 && n > 0 || n*int64(s.excerptSize) != int64(len(c.Elements)) || !s.areBools(c.Elements) {
		return fmt.Sprintf("there are %d buffers with %d elements in %d bytes, or a bool in them is neither 0 nor 1", len(c.Counts), n, len(c.Elements))
	}
	return ""
}

// checkLanes returns the fault in lanes, or "" if there is none. A chunk component has one value
// for all rows.
func (c *excerptLanes) checkLanes(rows int) string {
	if c.comp.perChunkValue != nil {
		rows = 1
	}
	if len(c.Lanes) != len(c.laneFormats) {
		return fmt.Sprintf("there are %d lanes, and it has %d", len(c.Lanes), len(c.laneFormats))
	}
	for l := range c.laneFormats {
		if s := &c.laneFormats[l]; len(c.Lanes[l]) != rows*s.excerptSize || !s.areBools(c.Lanes[l]) {
			return fmt.Sprintf("a lane has %d bytes for %d rows, or a bool in it is neither 0 nor 1", len(c.Lanes[l]), rows)
		}
	}
	return ""
}
