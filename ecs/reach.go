package ecs

// reachTable holds, for one component, the address of the component's values in each chunk of a world.
// Each address is called a reach. So a lookup goes from the slot of an entity to its value without reading
// the chunk and its archetype. A world has a table for each component for which a lookup was created.
// Every structural change keeps the tables up to date.
//
// A reach contains a pointer, which keeps the slab of its chunk in memory. Therefore the reaches of
// a chunk are cleared when the chunk is freed.
type reachTable struct {
	comp    *component
	reaches []reach // by chunk id; zero for a chunk without the component
}

// archetypeReach says how to fill one reach table for the chunks of one archetype, and which column of the
// archetype it describes.
type archetypeReach struct {
	table     *reachTable
	column    int16
	kind      uint8
	firstLane uint32
}

// archetypeReaches lists the reach tables of an archetype's components.
type archetypeReaches struct {
	list []archetypeReach
	seen int // the number of tables of the world that the list takes into account
}

// reachTableOf returns the reach table of c, and makes it at the first call.
func (t *tables) reachTableOf(c *component) *reachTable {
	for _, own := range t.reachTables {
		if own.comp == c {
			return own
		}
	}
	own := &reachTable{comp: c, reaches: make([]reach, len(t.chunks))}
	t.reachTables = append(t.reachTables, own)
	for _, a := range t.archetypes {
		if len(a.chunks) > 0 {
			t.findReaches(a)
			own.fillFrom(a)
		}
	}
	return own
}

// fillFrom stores the reaches of the chunks of a in a table that is new. It changes no other table, because jobs may
// read the other tables at the same time.
func (t *reachTable) fillFrom(a *archetype) {
	list := a.reaches.list
	if len(list) == 0 || list[len(list)-1].table != t {
		return // a lacks the component
	}
	last := &list[len(list)-1]
	for _, r := range a.chunks {
		last.putReach(&t.reaches[r.id], &r.Base)
	}
}

// putReaches stores the reaches of a chunk that is new, has new memory, or has become a chunk of
// another archetype.
func (t *tables) putReaches(r *chunkData) {
	own := &r.arch.reaches
	if own.seen < len(t.reachTables) {
		t.findReaches(r.arch)
	}
	for i := range own.list {
		a := &own.list[i]
		if int(r.id) >= len(a.table.reaches) {
			a.table.growFor(r.id)
		}
		a.putReach(&a.table.reaches[r.id], &r.Base)
	}
}

// growFor makes the table longer, so that it has the chunk with the given id.
func (t *reachTable) growFor(id int32) {
	t.reaches = append(t.reaches, make([]reach, int(id)+1-len(t.reaches))...)
}

// findReaches updates the list of a: it adds the reach tables that were created since its last call. The list of
// an archetype without chunks need not be complete.
func (t *tables) findReaches(a *archetype) {
	own := &a.reaches
	for ; own.seen < len(t.reachTables); own.seen++ {
		if i := a.findColumn(t.reachTables[own.seen].comp.key); i >= 0 {
			c := &a.columns[i]
			own.list = append(own.list, archetypeReach{t.reachTables[own.seen], int16(i), c.comp.reachKind, c.firstLane})
		}
	}
}

// clearReaches clears the reaches of a chunk that is freed or leaves its archetype.
func (r *chunkData) clearReaches() {
	list := r.arch.reaches.list
	for i := range list {
		if t := list[i].table; int(r.id) < len(t.reaches) {
			t.reaches[r.id] = reach{}
		}
	}
}

// dropReaches frees the reaches of a world that has no chunks any more. Otherwise lookups that
// outlive the world would keep them in memory.
func (t *tables) dropReaches() {
	for _, own := range t.reachTables {
		own.reaches = nil
	}
}

// find returns the reach and the slot of an entity, or nil if it does not exist or lacks the component.
func (t *reachTable) find(slots []entitySlot, e Entity) (*reach, *entitySlot) {
	if i := uint(uint32(e.Index)); i < uint(len(slots)) {
		s := &slots[i]
		k := uint(uint32(s.chunk)) // large for a free slot
		if s.version == e.Version && k < uint(len(t.reaches)) && t.reaches[k].kind != reachNone {
			return &t.reaches[k], s
		}
	}
	return nil, nil
}

// gatherTwo reads the values of entities, for a component with two lanes. It returns the number of
// entities that have a value. For the other entities it leaves dst zero. Its loop makes no call, so that
// the CPU fetches many rows at the same time.
func gatherTwo[W word](dst [][2]W, ids []Entity, slots []entitySlot, reaches []reach) (n int) {
	for i, e := range ids[:len(dst)] {
		if at := uint(uint32(e.Index)); at < uint(len(slots)) {
			s := &slots[at]
			k := uint(uint32(s.chunk))
			if s.version == e.Version && k < uint(len(reaches)) && reaches[k].kind != reachNone {
				x, y := twoAddresses[W](&reaches[k], s.row)
				dst[i] = [2]W{*x, *y}
				n++
				continue
			}
		}
		dst[i] = [2]W{}
	}
	return n
}

// gatherOne is like gatherTwo, for a component with one lane.
func gatherOne[T any](dst []T, ids []Entity, slots []entitySlot, reaches []reach) (n int) {
	for i, e := range ids[:len(dst)] {
		if at := uint(uint32(e.Index)); at < uint(len(slots)) {
			s := &slots[at]
			k := uint(uint32(s.chunk))
			if s.version == e.Version && k < uint(len(reaches)) && reaches[k].kind != reachNone {
				dst[i] = *rowAt[T](&reaches[k], s.row)
				n++
				continue
			}
		}
		clear(dst[i : i+1])
	}
	return n
}

// gatherThree is like gatherTwo, for a component with three lanes, such as most vectors.
func gatherThree[W word](dst [][3]W, ids []Entity, slots []entitySlot, reaches []reach) (n int) {
	for i, e := range ids[:len(dst)] {
		if at := uint(uint32(e.Index)); at < uint(len(slots)) {
			s := &slots[at]
			k := uint(uint32(s.chunk))
			if s.version == e.Version && k < uint(len(reaches)) && reaches[k].kind != reachNone {
				x, y, z := threeAddresses[W](&reaches[k], s.row)
				dst[i] = [3]W{*x, *y, *z}
				n++
				continue
			}
		}
		dst[i] = [3]W{}
	}
	return n
}

// gatherWords is like gatherTwo, for a component with n lanes.
func gatherWords[W word](dst []W, n int, ids []Entity, slots []entitySlot, reaches []reach) (found int) {
	for i, e := range ids {
		out := dst[i*n:][:n]
		if at := uint(uint32(e.Index)); at < uint(len(slots)) {
			s := &slots[at]
			k := uint(uint32(s.chunk))
			if s.version == e.Version && k < uint(len(reaches)) && reaches[k].kind != reachNone {
				readWords(out, &reaches[k], s.row)
				found++
				continue
			}
		}
		clear(out)
	}
	return found
}

// scatterOne writes the values of entities, for a component with one lane, and marks the component as changed in their
// chunks. It returns the number of entities that have the component.
func scatterOne[T any](t *tables, reaches []reach, ids []Entity, src []T, version uint32) (n int) {
	slots, chunks := t.entities.slots, t.chunks
	for i, e := range ids[:len(src)] {
		if at := uint(uint32(e.Index)); at < uint(len(slots)) {
			s := &slots[at]
			k := uint(uint32(s.chunk))
			if s.version == e.Version && k < uint(len(reaches)) && reaches[k].kind != reachNone {
				p := &reaches[k]
				chunks[k].markIfOlder(int(p.column), version)
				*rowAt[T](p, s.row) = src[i]
				n++
			}
		}
	}
	return n
}

// scatterTwo is like scatterOne, for a component with two lanes.
func scatterTwo[W word](t *tables, reaches []reach, ids []Entity, src [][2]W, version uint32) (n int) {
	slots, chunks := t.entities.slots, t.chunks
	for i, e := range ids[:len(src)] {
		if at := uint(uint32(e.Index)); at < uint(len(slots)) {
			s := &slots[at]
			k := uint(uint32(s.chunk))
			if s.version == e.Version && k < uint(len(reaches)) && reaches[k].kind != reachNone {
				p := &reaches[k]
				chunks[k].markIfOlder(int(p.column), version)
				x, y := twoAddresses[W](p, s.row)
				*x, *y = src[i][0], src[i][1]
				n++
			}
		}
	}
	return n
}

// scatterThree is like scatterOne, for a component with three lanes.
func scatterThree[W word](t *tables, reaches []reach, ids []Entity, src [][3]W, version uint32) (n int) {
	slots, chunks := t.entities.slots, t.chunks
	for i, e := range ids[:len(src)] {
		if at := uint(uint32(e.Index)); at < uint(len(slots)) {
			s := &slots[at]
			k := uint(uint32(s.chunk))
			if s.version == e.Version && k < uint(len(reaches)) && reaches[k].kind != reachNone {
				p := &reaches[k]
				chunks[k].markIfOlder(int(p.column), version)
				x, y, z := threeAddresses[W](p, s.row)
				v := &src[i]
				*x, *y, *z = v[0], v[1], v[2]
				n++
			}
		}
	}
	return n
}

// scatterWords is like scatterOne, for a component with n lanes.
func scatterWords[W word](t *tables, reaches []reach, ids []Entity, src []W, n int, version uint32) (found int) {
	slots, chunks := t.entities.slots, t.chunks
	for i, e := range ids {
		if at := uint(uint32(e.Index)); at < uint(len(slots)) {
			s := &slots[at]
			k := uint(uint32(s.chunk))
			if s.version == e.Version && k < uint(len(reaches)) && reaches[k].kind != reachNone {
				p := &reaches[k]
				chunks[k].markIfOlder(int(p.column), version)
				writeWords(src[i*n:][:n], p, s.row)
				found++
			}
		}
	}
	return found
}
