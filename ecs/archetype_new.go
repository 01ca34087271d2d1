package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// archetypeOf returns the archetype of a set of components, and creates it if it is new. The set
// must be sorted and must not contain duplicates, because its indices in this order are the key of
// the map.
func (t *tables) archetypeOf(op string, set []*component) (*archetype, error) {
	t.scratch.setKey = t.scratch.setKey[:0]
	for _, c := range set {
		t.scratch.setKey = binary.LittleEndian.AppendUint32(t.scratch.setKey, uint32(c.index))
	}
	if a := t.archetypeBySet[string(t.scratch.setKey)]; a != nil {
		return a, nil
	}
	id, err := string(t.scratch.setKey), error(nil)
	a := t.restoreMemo.unlistedArchetypes[id]
	if a != nil {
		err = t.relistArchetype(op, id, a)
	} else {
		a, err = t.newArchetype(op, set)
	}
	if err != nil {
		return nil, err
	}
	t.archetypeBySet[id] = a
	t.archetypes = append(t.archetypes, a)
	t.addToComponentSets(a)
	t.observer.matchNew(a)
	return a, nil
}

// newArchetype creates the archetype of a sorted set. The columns have the order of the set. The
// lanes of all columns are numbered consecutively, starting after lane 0, which holds the ids.
// Buffers, shared values, managed columns and enabled bits are each numbered separately.
func (t *tables) newArchetype(op string, set []*component) (*archetype, error) {
	lanes := make([][]soa.Lane, len(set))
	limit := 0
	for i, c := range set {
		if err := t.types.admit(op, c); err != nil {
			return nil, err
		}
		lanes[i] = c.lanes
		if c.maxChunkRows > 0 && (limit == 0 || c.maxChunkRows < limit) {
			limit = c.maxChunkRows
		}
	}
	layout, err := chunk.NewLayout(lanes, limit)
	if err != nil {
		return nil, t.gate.fault(ErrArgument, op, "an entity with %s does not fit a chunk: split a component, or keep part of it in a Buffer", setString(set)).withCause(err)
	}
	meta, err := t.metaArchetype(op, set)
	if err != nil {
		return nil, err
	}
	a := &archetype{
		world: t.archetypeWorld, index: len(t.archetypes), meta: meta,
		archetypeLayout: archetypeLayout{
			columns: make([]column, len(set)), keys: make([]key, len(set)),
			capacity: layout.Capacity, isMeta: slices.Contains(set, t.types.chunkHeader),
		},
		history: history{changeSummary: t.changeSummaryAt(len(t.archetypes)), newestVersions: make([]uint32, len(set))},
	}
	all := slices.Concat(lanes...)
	stored := make([]byte, 0, 4*len(set)) // the components that have lanes: archetypes with the same ones share a shape
	pairs, places := make([]table.Pair, 0, len(all)), make([]table.Lane, len(all))
	for i, c := range set {
		col := a.addColumn(c)
		if col.sharedIndex >= 0 {
			a.sharedStores = append(a.sharedStores, t.shared.storeOf(c))
		}
		if k := len(c.lanes); k > 0 {
			stored = binary.LittleEndian.AppendUint32(stored, uint32(c.index))
			col.lanes, places = places[:0:k], places[k:]
		}
		for _, l := range c.lanes {
			own := table.Lane{Index: uint32(len(pairs) + 1), Size: uint32(l.Type.Size())} // lane 0 holds the ids
			col.lanes = append(col.lanes, own)
			pairs = append(pairs, table.Pair{To: own.Index, From: own.Index, Size: own.Size})
		}
		col.rowAccess = col.findRowAccess()
		a.columns[i], a.keys[i] = col, c.key
		a.awaitsCleanup = a.awaitsCleanup || c == t.types.cleanupTag
	}
	if a.sharedCount > maxShared {
		return nil, t.gate.fault(ErrArgument, op, "%s has %d shared components; the limit is %d", setString(set), a.sharedCount, maxShared)
	}
	a.shape = t.memory.Shape(stored, a.capacity, all)
	a.rowCopy = table.NewCopy(pairs)
	a.lanesOnly = a.bufferCount+a.enableableCount+a.managedCount == 0
	return a, nil
}

// addColumn returns the column of a component, with its indices among the columns of the same kinds.
func (a *archetypeLayout) addColumn(c *component) column {
	col := column{comp: c, bufferIndex: -1, sharedIndex: -1, managedIndex: -1, enabledIndex: -1}
	for _, k := range [...]struct {
		kind  kind
		own   *int
		count *int
	}{
		{isBuffer, &col.bufferIndex, &a.bufferCount},
		{isShared, &col.sharedIndex, &a.sharedCount},
		{isManaged, &col.managedIndex, &a.managedCount},
		{isEnableable, &col.enabledIndex, &a.enableableCount},
	} {
		if c.kind.has(k.kind) {
			*k.own = *k.count
			*k.count++
		}
	}
	a.kinds |= c.kind
	a.holdsEntityIDs = a.holdsEntityIDs || len(c.refOffsets) > 0 || c.kind.has(isManaged) && len(c.boxedRefOffsets) > 0
	return col
}

// moveAdding returns the move to the archetype that also has c.
func (t *tables) moveAdding(op string, a *archetype, c *component) (*archetypeMove, error) {
	if m := cachedMove(a.addEdges, c); m != nil {
		return m, nil
	}
	if err := t.types.checkNoHeader(op, c); err != nil {
		return nil, err
	}
	if err := t.checkNotMeta(op, a); err != nil {
		return nil, err
	}
	set := a.components()
	at, _ := slices.BinarySearchFunc(set, c, compareComponents)
	m, err := t.moveTo(op, a, slices.Insert(set, at, c))
	if err != nil {
		return nil, err
	}
	a.addEdges = append(a.addEdges, edge{c, m})
	return m, nil
}

// moveRemoving returns the move to the archetype without c.
func (t *tables) moveRemoving(op string, a *archetype, c *component) (*archetypeMove, error) {
	if m := cachedMove(a.removeEdges, c); m != nil {
		return m, nil
	}
	if err := t.checkNotMeta(op, a); err != nil {
		return nil, err
	}
	set := slices.DeleteFunc(a.components(), func(o *component) bool { return o == c })
	m, err := t.moveTo(op, a, set)
	if err != nil {
		return nil, err
	}
	a.removeEdges = append(a.removeEdges, edge{c, m})
	return m, nil
}

// moveTo returns the move from a to the archetype of a sorted set.
func (t *tables) moveTo(op string, a *archetype, set []*component) (*archetypeMove, error) {
	b, err := t.archetypeOf(op, set)
	if err != nil {
		return nil, err
	}
	return a.moveTo(b), nil
}

// resolveArchetype returns the archetype of a handle. It refuses archetypes of other worlds and
// archetypes of meta entities, because the caller must not create entities in them. If Restore
// removed the archetype from the list, resolveArchetype adds it again.
func (t *tables) resolveArchetype(op string, a Archetype) (*archetype, error) {
	own, err := t.checkArchetype(op, a)
	if err == nil && own.index == unlistedIndex {
		return t.archetypeOf(op, own.components())
	}
	return own, err
}

// addToComponentSets adds an archetype to the sets of its components, so that a new query finds its matches
// without visiting every archetype.
func (t *tables) addToComponentSets(a *archetype) {
	for i := range a.columns {
		c := a.columns[i].comp.index
		if n := c + 1 - len(t.archetypesByComponent); n > 0 {
			t.archetypesByComponent = slices.Grow(t.archetypesByComponent, n)[:c+1]
		}
		t.archetypesByComponent[c].add(a.index)
	}
}

// relistArchetype appends an archetype to the list again after Restore removed it. It adds the
// archetype of the meta entities first, and sets the counters to zero, as if both archetypes were
// new: a restored world must continue exactly as the captured world did.
func (t *tables) relistArchetype(op, key string, a *archetype) error {
	if a.meta != nil {
		if _, err := t.metaArchetype(op, a.components()); err != nil {
			return err
		}
	}
	delete(t.restoreMemo.unlistedArchetypes, key)
	a.index = len(t.archetypes)
	a.changeSummary = t.changeSummaryAt(a.index)
	a.orderCount, a.orderVersion, a.worldMoveCount = 0, 0, 0
	clear(a.newestVersions)
	a.groups.single.orderCount, a.groups.createdCount = 0, 0
	return nil
}

// changeSummaryAt returns the change summary of the archetype at the given index, which may be the next
// new one.
func (t *tables) changeSummaryAt(index int) *changeSummary {
	if index>>6 == len(t.changeSummaries) {
		t.changeSummaries = append(t.changeSummaries, new(changeSummary))
	}
	return t.changeSummaries[index>>6]
}

// metaArchetype returns the archetype of the meta entities for chunks with the given components.
// metaArchetype returns nil if no component of the set is a chunk component.
func (t *tables) metaArchetype(op string, set []*component) (*archetype, error) {
	var list []*component
	for _, c := range set {
		if c.perChunkValue != nil {
			list = append(list, c.perChunkValue)
		}
	}
	if list == nil {
		return nil, nil
	}
	list, err := t.types.sortSet(op, append(list, t.types.chunkHeader))
	if err != nil {
		return nil, err
	}
	a, err := t.archetypeOf(op, list)
	if err == nil && a.kinds.has(isCleanup) {
		_, err = t.cleanupMove(op, a)
	}
	return a, err
}

// checkNotMeta returns an error if a holds meta entities. A caller must not change them, because the
// world creates and destroys them with their chunks.
func (t *tables) checkNotMeta(op string, a *archetype) error {
	if a.isMeta {
		return t.gate.fault(ErrArgument, op, "%v is of an entity that holds the chunk components of a chunk: change those of the chunk's entities", a)
	}
	return nil
}

// cleanupMove returns the move that Destroy makes with an entity of a. The move leads to the
// archetype that has only the cleanup components of a and the tag cleanupEntity.
func (t *tables) cleanupMove(op string, a *archetype) (*archetypeMove, error) {
	if a.cleanupMove != nil {
		return a.cleanupMove, nil
	}
	set := []*component{t.types.cleanupTag}
	for i := range a.columns {
		if c := a.columns[i].comp; c.kind.has(isCleanup) {
			set = append(set, c)
		}
	}
	set, err := t.types.sortSet(op, set)
	if err != nil {
		return nil, err
	}
	a.cleanupMove, err = t.moveTo(op, a, set)
	return a.cleanupMove, err
}

// editMove returns the move from a to the archetype with the components of a and add, without
// those in remove. editMove returns nil if the edit changes nothing, that is, if this archetype is
// a itself.
func (t *tables) editMove(op string, a *archetype, add, remove []*component) (*archetypeMove, error) {
	switch {
	case len(add) == 1 && len(remove) == 0: // one component: the archetype may have the move in its cache
		if a.has(add[0]) {
			return nil, nil
		}
		return t.moveAdding(op, a, add[0])
	case len(add) == 0 && len(remove) == 1:
		if !a.has(remove[0]) {
			return nil, nil
		}
		return t.moveRemoving(op, a, remove[0])
	}
	set := t.scratch.editedSet[:0]
	for i := range a.columns {
		set = append(set, a.columns[i].comp)
	}
	n := len(set)
	for _, c := range add {
		if !a.has(c) {
			set = append(set, c)
		}
	}
	added := len(set) > n
	t.scratch.editedSet = set
	for _, c := range remove {
		set = slices.DeleteFunc(set, func(o *component) bool { return o == c })
	}
	if !added && len(set) == n {
		return nil, nil
	}
	if err := t.checkNotMeta(op, a); err != nil {
		return nil, err
	}
	if err := t.types.checkNoHeader(op, set...); err != nil {
		return nil, err
	}
	if added && a.awaitsCleanup && !slices.ContainsFunc(set, func(c *component) bool { return c.kind.has(isCleanup) }) {
		return nil, t.gate.fault(ErrArgument, op, "a destroyed entity ends with its last cleanup component, so that nothing would have what is added: %v", a).forComponent(add[0])
	}
	slices.SortFunc(set, compareComponents)
	return t.moveTo(op, a, set)
}
