package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Restore replaces the contents of w by the contents of an image, as Fork does for a new world. From then
// on, everything happens in w as it would have happened in the captured world. For example, entities get
// the same ids, and hashes are equal. If the image was taken of w, Restore does not touch the chunks that
// were not written since. So its cost grows with the number of changes. In a world with systems that save
// their state, call the Restore of package system instead. The Restore of package system returns the
// error of a system that refuses its state, while this function panics with that error.
//
// Restore is a sync point and a structural change, so it makes views stale. Queries, lookups, systems and
// handles of archetypes stay valid. Archetypes that were created after the capture are removed from the order
// of archetypes. If an operation needs such an archetype again, it is appended to the order. Recorded
// commands that were not played back are dropped, because they belong to a future that the restored world
// never had. A buffer with SetMultiPlayback keeps its commands. Shared values may have the methods Retain and
// Release. Restore calls Retain if the world begins to hold a value, and Release if it no longer holds a
// value. Some counters otherwise only rise, such as the count of Query.OrderCount. Afterwards such a counter
// may have any value.
//
// The version of the world keeps rising, while chunks get back their old versions. So a caller that
// compares versions, such as a system, must learn about the Restore. Systems of the world need no
// special care: they see the changes that they would have seen in the captured world. Packages can
// use Hooks.OnRestore. For other queries, call [Query.SetSince] with 0.
//
// An image of another world, or of an ImageBuilder, is copied completely. Its versions are shifted so
// that its latest version is the version of w. Restore releases an image that was made for w; see
// ImageBuilder.AddState. The error is of category [ErrState] if w cannot be changed now, for example
// because a system runs. It is [ErrDisposed] if w is closed. It is [ErrArgument] if the image is
// released, or if a type of the image and another type of w have the same name. An error, or a panic of
// a method of a shared value, changes nothing.
func Restore(w *World, m *Image) error { return restore("Restore", w, m) }

// restore does the work of Restore. op is the name of the operation for errors.
func restore(op string, w *World, m *Image) error {
	switch {
	case w == nil:
		return noWorldError(op)
	case m == nil || m.pool == nil:
		return w.gate.fault(ErrArgument, op, "the image is released, or is the zero Image")
	case w.gate.isBorrower:
		return w.gate.fault(ErrState, op, "a transaction's job has the world: restore it when the transaction has ended")
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	if len(w.reservedIDs.list) > 0 {
		w.gate.endUnchanged()
		return w.gate.fault(ErrState, op, "a playback is under way, and has written ids of entities that do not exist yet: restore the world after the playback")
	}
	if w.gate.runningSystem != "" {
		w.gate.endUnchanged()
		return w.gate.fault(ErrState, op, "a system is being updated: restore the world between updates")
	}
	if err := w.completeJobs(op); err != nil {
		w.gate.endUnchanged()
		return err
	}
	t, _ := w.tables.restoreMemo.scratch.(*restoreState)
	if t == nil {
		t = &restoreState{}
		w.tables.restoreMemo.scratch = t
	}
	t.world, t.image = w, m
	defer t.dropRefs()
	err := t.plan(op)
	if err == nil {
		err = w.beginAllowedChange(op)
	}
	if err != nil {
		w.gate.endUnchanged()
		return err
	}
	t.apply(op)
	defer w.endChange()
	t.releaseImage()
	t.callRestoreHooks()
	return nil
}

// restoreState is the state of a Restore in progress: its plan, and scratch memory.
type restoreState struct {
	world        *World
	image        *Image
	ownImage     bool   // the image was taken of this world
	versionShift uint32 // difference between versions of the world and of the image
	firstMoved   int    // the first archetype with another index
	rowsInPlace  bool   // the chunk being filled has the rows of the image already
	rebuildIDs   bool   // the table of ids is new: ids of chunks that stay have to be entered

	changedArchetypes  []bool       // by archetype of the image: its chunks or their rows differ
	detachedChunks     []*chunkData // chunks that are in no archetype for now
	groupScratch       []*chunkGroup
	filterValues       []filterValue
	heldBefore         [][]any  // by store whose values want to be told: the values that were held
	filterCountScratch []uint32 // counters of the sharedFilterCounts
	copyPlan           copyPlan
	keyScratch         []byte
}

// dropRefs drops the references that the Restore held.
func (t *restoreState) dropRefs() {
	clear(t.detachedChunks)
	clear(t.groupScratch)
	clear(t.filterValues)
	clear(t.heldBefore)
	t.detachedChunks, t.groupScratch, t.filterValues, t.heldBefore = t.detachedChunks[:0], t.groupScratch[:0], t.filterValues[:0], t.heldBefore[:0]
	t.world, t.image, t.rowsInPlace = nil, nil, false
}

// plan determines the work to do. It changes nothing in the world, because it calls methods of
// users' values, which may panic.
func (t *restoreState) plan(op string) error {
	w, m := t.world, t.image
	t.ownImage = m.pool == w.imagePool
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].components {
			if other := w.types.byName[c.name]; other != nil && other != c {
				return w.gate.fault(ErrArgument, op, "another type has the same name in this world: types declared inside functions share names, declare one of them outside").forComponent(c)
			}
		}
	}
	t.firstMoved = 0
	for t.firstMoved < min(len(w.tables.archetypes), len(m.archetypes)) && hasExactly(w.tables.archetypes[t.firstMoved], m.archetypes[t.firstMoved].components) {
		t.firstMoved++
	}
	t.changedArchetypes = resize(t.changedArchetypes, len(m.archetypes))
	for i := range t.changedArchetypes {
		t.changedArchetypes[i] = !t.ownImage || i >= t.firstMoved || !m.archetypes[i].hasSameRows(w.tables.archetypes[i])
	}
	return t.planFilterValues(op)
}

// hasExactly reports whether a has exactly the given components.
func hasExactly(a *archetype, set []*component) bool {
	if len(a.columns) != len(set) {
		return false
	}
	for i := range set {
		if a.columns[i].comp != set[i] {
			return false
		}
	}
	return true
}

// hasSameRows reports whether a has the same chunks with the same rows as when the image was taken of the
// same world. It compares counters, because each change since then has raised one of them.
func (k *archetypeImage) hasSameRows(a *archetype) bool {
	return a.orderVersion == k.orderVersion && a.orderCount == k.orderCount && a.worldMoveCount == k.worldMoveCount
}

// isUnchanged reports whether a is the archetype that k describes, and still has the same chunks and rows. The
// archetype a has the same index in the world as k in an image of the world.
func (k *archetypeImage) isUnchanged(a *archetype) bool {
	return hasExactly(a, k.components) && k.hasSameRows(a)
}

// apply gives the world the contents of the image. It calls no code of users, and it cannot fail.
func (t *restoreState) apply(op string) {
	w, m := t.world, t.image
	if t.versionShift = 0; !t.ownImage {
		if int32(m.changeVersion-w.gate.changeVersion) > 0 {
			w.gate.changeVersion = m.changeVersion
		}
		t.versionShift = w.gate.changeVersion - m.changeVersion
		w.imagePool = nil // memory kept for earlier images is of no use for the new contents
	}
	w.tables.restoreMemo.versionShift = t.versionShift
	t.noteHeldValues()
	rows := t.firstMoved < len(w.tables.archetypes)
	for i, a := range w.tables.archetypes {
		if i >= t.firstMoved || t.changedArchetypes[i] {
			rows = true
			t.detachChunks(a)
		}
	}
	rows = rows || t.firstMoved < len(m.archetypes) || !t.ownImage || m.idState != w.tables.entities.idState
	t.reorderArchetypes(op)
	t.restoreStores()
	if rows {
		t.restoreIDs()
	}
	for i := range m.archetypes {
		t.restoreArchetype(w.tables.archetypes[i], &m.archetypes[i], t.changedArchetypes[i])
	}
	t.copyPlan.run(w.gate.workerPool())
	if rows {
		t.orderSpareChunks()
		w.tables.metaCount = m.metaCount
		t.restoreMeta()
		w.tables.listEpoch++
		w.queries.forgetMemory()
	}
	t.restoreFilterIndices()
	t.restoreNames()
	w.hooks.restoreCount++
	w.streamMarks = streamMarks{m.streams.marks, true, m.streams.knowsAll}
	w.gate.advanceVersion()
}

// worldVersion converts a version of the image to a version of the world.
func (t *restoreState) worldVersion(v uint32) uint32 { return shiftVersion(v, t.versionShift) }

// restoreIDs sets the table of ids, except for the ids in changed chunks.
func (t *restoreState) restoreIDs() {
	m, e := t.image, &t.world.tables.entities
	if n := m.slotCount - len(e.slots); n > 0 && m.slotCount > cap(e.slots) {
		e.grow(n)
	}
	e.slots = e.slots[:m.slotCount]
	retired := m.slotCount - len(m.freeIDs)
	for i := range m.archetypes {
		retired -= m.archetypes[i].rowCount
	}
	if t.rebuildIDs = retired+e.retired > 0 || !t.ownImage; t.rebuildIDs {
		t.restoreUnchangedIDs(retired > 0)
	}
	e.retired, e.topReserved, e.freeSlots = retired, false, e.freeSlots[:0]
	if e.noteIDsChanged(); t.ownImage {
		e.idState = m.idState
	}
	for _, id := range m.freeIDs {
		e.freeSlots = append(e.freeSlots, id.Index)
		e.slots[id.Index] = entitySlot{id.Version, freeSlot, 0}
	}
	for len(t.world.tables.chunks) < m.chunkIDCount {
		t.world.tables.takeChunkData()
	}
	for i := range t.detachedChunks {
		if r := t.detachedChunks[i]; int(r.id) >= len(m.byID) || m.byID[r.id] == nil {
			t.freeChunk(r)
		}
	}
}

// restoreUnchangedIDs sets the slots of ids in unchanged archetypes. If some ids are retired, it first marks all
// slots as retired. The slots of free ids and of other rows are set later.
func (t *restoreState) restoreUnchangedIDs(retired bool) {
	e := &t.world.tables.entities
	if retired {
		for i := range e.slots {
			e.slots[i] = entitySlot{1, freeSlot, 0}
		}
	}
	for i, a := range t.world.tables.archetypes {
		if t.changedArchetypes[i] {
			continue
		}
		for _, r := range a.chunks {
			e.setFirstRows(r.ids()[:r.count], r.id)
		}
	}
}

// freeChunk frees the memory of a chunk that the image does not have.
func (t *restoreState) freeChunk(r *chunkData) {
	r.clearReaches()
	t.world.tables.memory.FreePlace(r.Place)
	clear(r.bufferHeaps)
	r.Place, r.count, r.arch, r.group, r.versions, r.managedColumns, r.meta = table.Place{}, 0, nil, nil, nil, nil, Entity{}
}

// orderSpareChunks sorts the unused chunkData by when they will be used. The unused chunkData of the
// image are used first, and those that were created after the capture are used later.
func (t *restoreState) orderSpareChunks() {
	w, m := t.world, t.image
	w.tables.spareChunks = w.tables.spareChunks[:0]
	for k := len(w.tables.chunks) - 1; k >= m.chunkIDCount; k-- {
		w.tables.spareChunks = append(w.tables.spareChunks, w.tables.chunks[k])
	}
	for _, id := range m.spareChunkIDs {
		w.tables.spareChunks = append(w.tables.spareChunks, w.tables.chunks[id])
	}
}

// restoreMeta makes each meta entity refer to its chunk in this world.
func (t *restoreState) restoreMeta() {
	w := t.world
	if w.tables.metaCount == 0 {
		return
	}
	for _, c := range t.image.byID {
		if c != nil && !c.meta.IsZero() {
			s := w.tables.entities.find(c.meta)
			w.tables.scatterBox(w.tables.chunks[s.chunk], int(s.row), ChunkHeader{chunk: w.tables.chunks[c.id]})
		}
	}
}

// restoreNames restores the names of entities.
func (t *restoreState) restoreNames() {
	l := t.world.gate.entityNames
	if slices.Equal(l.pages, t.image.namePages) { // without the lock, because only the owner writes the names
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replaceAll(t.image.namePages)
}

// releaseImage releases an image that was made for the world. The values that packages have attached to the
// image stay, because functions of OnRestore read them.
func (t *restoreState) releaseImage() {
	m := t.image
	if m.placedRows == nil || m.placedRows.world != t.world {
		return
	}
	kept := m.attached
	_ = m.Release() // the image is not released, so that there is no error
	m.attached = kept
}

// callRestoreHooks calls all functions of OnRestore, even if one of them panics, because the contents have
// changed for each of them.
func (t *restoreState) callRestoreHooks() {
	m, list := t.image, t.world.hooks.onRestore // a function may restore the world again
	callImageHooks(list, m)
}

func callImageHooks(list hookList[func(image any)], m *Image) {
	if len(list) > 0 {
		defer callImageHooks(list[1:], m)
		(*list[0])(m)
	}
}

// reorderArchetypes makes the world's list of archetypes equal to the image's list.
func (t *restoreState) reorderArchetypes(op string) {
	w, m := t.world, t.image
	if t.firstMoved == len(w.tables.archetypes) && t.firstMoved == len(m.archetypes) {
		return
	}
	if t.firstMoved < len(w.tables.archetypes) {
		t.delistFrom(t.firstMoved)
	}
	for i := t.firstMoved; i < len(m.archetypes); i++ {
		a, err := w.tables.archetypeOf(op, slices.Clone(m.archetypes[i].components))
		if err != nil || a.index != i {
			panic("ecs: Restore: the image is not one of a world") // plan has compared the names, and none of these archetypes existed
		}
	}
	for _, a := range w.tables.archetypes {
		if a.isMeta && a.kinds.has(isCleanup) {
			if _, err := w.tables.cleanupMove(op, a); err != nil {
				panic(err) // as above
			}
		}
	}
}

// delistFrom removes the archetypes with index first or higher from the order of archetypes. They have no
// chunks, but are kept because handles may refer to them.
func (t *restoreState) delistFrom(first int) {
	w := t.world
	if w.tables.restoreMemo.unlistedArchetypes == nil {
		w.tables.restoreMemo.unlistedArchetypes = map[string]*archetype{}
	}
	w.tables.restoreMemo.delistCount++
	for _, q := range w.queries.list {
		dropMatchesFrom(q, first)
	}
	for c := range w.tables.archetypesByComponent {
		w.tables.archetypesByComponent[c].truncate(first)
	}
	for _, a := range w.tables.archetypes[first:] {
		key := string(t.archetypeKey(a))
		delete(w.tables.archetypeBySet, key)
		w.tables.restoreMemo.unlistedArchetypes[key] = a
		a.index, a.groupObserver = unlistedIndex, nil
		a.addEdges, a.removeEdges, a.moves, a.cleanupMove = nil, nil, nil, nil
	}
	clear(w.queries.writeAllMatches[min(first, len(w.queries.writeAllMatches)):])
	clear(w.tables.archetypes[first:])
	w.tables.archetypes = w.tables.archetypes[:first]
	for _, a := range w.tables.archetypes {
		gone := func(m *archetypeMove) bool { return m.to.index == unlistedIndex }
		a.moves = slices.DeleteFunc(a.moves, gone)
		a.addEdges = slices.DeleteFunc(a.addEdges, func(e edge) bool { return gone(e.move) })
		a.removeEdges = slices.DeleteFunc(a.removeEdges, func(e edge) bool { return gone(e.move) })
		if a.cleanupMove != nil && gone(a.cleanupMove) {
			a.cleanupMove = nil
		}
	}
	w.spawnPlans = nil // spawn plans refer to archetypes
}

// archetypeKey returns the key of an archetype in archetypeBySet.
func (t *restoreState) archetypeKey(a *archetype) []byte {
	t.keyScratch = t.keyScratch[:0]
	for i := range a.columns {
		t.keyScratch = binary.LittleEndian.AppendUint32(t.keyScratch, uint32(a.columns[i].comp.index))
	}
	return t.keyScratch
}

// dropMatchesFrom removes the matches for the archetypes with index first or higher.
func dropMatchesFrom(q *Query, first int) {
	n := len(q.matches)
	for n > 0 && q.matches[n-1].arch.index >= first {
		n--
		q.access.Where.Remove(q.matches[n].arch.index)
	}
	if n == len(q.matches) {
		return
	}
	for _, m := range q.matches[n:] {
		m.stopCounting()
		if meta := m.arch.meta; meta != nil {
			q.access.Where.Remove(meta.index)
		}
	}
	kept := q.matches[:n]
	f := newMatchIndex(max(first, 64), max(n, 4))
	for i, m := range kept {
		f.appendMatch(m, i)
		if len(q.reachTerms) > 0 {
			continue
		}
		q.access.Where.Add(m.arch.index) // it may hold the meta entities of a removed archetype
		if meta := m.arch.meta; meta != nil {
			q.access.Where.Add(meta.index)
		}
	}
	q.matches = f.matches[:n]
	q.published.Store(f)
	q.allChunks, q.listEpoch = nil, 0
}

// rematchQuery finds the matches of a query again after the indices of its shared values have changed. It
// enters the query in the cache under the new key.
func rematchQuery(q *Query) {
	w := q.world
	if w.queries.byID[q.cacheKey] == q {
		delete(w.queries.byID, q.cacheKey)
	}
	id, err := w.queryKey("Restore", q.owner, q.terms, q.sharedFilters)
	if err != nil {
		panic(err) // the types were right when the query was made
	}
	q.cacheKey = string(id)
	w.queries.byID[q.cacheKey] = q
	dropMatchesFrom(q, 0)
	q.addExisting()
}
