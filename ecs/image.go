package ecs

import (
	"fmt"
	"slices"
	"sync"
)

// Capture returns an image (snapshot) of w: a copy of its entities, components and shared values.
// before is an earlier image of the same world, or nil. The new image shares the data that has not changed since
// before, so the cost depends on the number of changes.
//
// Capture is a sync point and makes views stale, as a structural change does, but it changes
// nothing. The error is of category ErrState if w cannot change now: for example, a loop over its
// chunks or a job is running, or a transaction has the world. The error is of category ErrDisposed
// if w is closed, and ErrArgument if before was released.
func Capture(w *World, before *Image) (*Image, error) {
	return capture("Capture", w, before, new(Image))
}

// capture does the work of Capture for an image that is new or was released.
func capture(op string, w *World, before, m *Image) (*Image, error) {
	switch {
	case w == nil:
		return nil, noWorldError(op)
	case w.gate.isBorrower:
		return nil, w.gate.fault(ErrState, op, "a transaction's job has the world: capture it when the transaction has ended")
	case before != nil && before.pool == nil:
		return nil, w.gate.fault(ErrArgument, op, "the image before is released: give an image that is not, or nil")
	}
	if err := w.checkNotHashing(op); err != nil {
		return nil, err
	}
	if err := w.checkCanChange(op); err != nil {
		return nil, err
	}
	defer w.gate.endUnchanged()
	if len(w.reservedIDs.list) > 0 {
		return nil, w.gate.fault(ErrState, op, "a playback is under way, and has written ids of entities that do not exist yet: capture the world after the playback")
	}
	if err := w.completeJobs(op); err != nil {
		return nil, err
	}
	w.gate.endViews() // so that stale views cannot write memory that the image shares
	if w.imagePool == nil {
		w.imagePool = &imagePool{workerPool: w.gate.workerPool()}
	}
	if before != nil && before.pool != w.imagePool {
		before = nil // versions of another world say nothing about this one
	}
	w.imagePool.captureWorld(w, before, m)
	w.imagePool.copyPlan.run(w.imagePool.workerPool) // without the lock of the pool, because a job may release an image
	w.gate.advanceVersion()                          // so that later writes have a newer version
	for _, f := range w.hooks.onCapture {
		(*f)(m)
	}
	return m, nil
}

// CaptureInto does the same as [Capture], but writes the image to m, which must be new or released.
// The image keeps its memory for the next capture, so a rollback that captures every tick does not
// allocate in the steady state.
func CaptureInto(m *Image, w *World, before *Image) error {
	_, err := capture("CaptureInto", w, before, m)
	return err
}

// Released reports whether the image was released or is the zero Image.
func (m *Image) Released() bool { return m.pool == nil }

// captureWorld makes m an image of w. The image pool's copyPlan copies the column data later.
func (p *imagePool) captureWorld(w *World, before, m *Image) {
	p.mu.Lock()
	defer p.mu.Unlock()
	whole := false
	defer func() {
		if !whole { // a function of OnHash has panicked
			*m = Image{}
		}
	}()
	p.worldBytes = w.tables.memory.LiveBytes()
	m.pool, m.changeVersion, m.slotCount, m.metaCount, m.chunkIDCount, m.rowCount = p, w.gate.changeVersion, len(w.tables.entities.slots), w.tables.metaCount, len(w.tables.chunks), w.Len()
	p.takeLists(m)
	m.streams = w.streamMarks.shareMarks()
	w.hooks.eachHash(func(name string, sum uint64) { m.namedHashes = append(m.namedHashes, namedHash{name, sum}) })
	m.captureIDs(w)
	m.captureNames(w, before)
	m.captureStores(w)
	m.captureArchetypes(w, before)
	whole = true
}

// captureArchetypes copies all archetypes. It shares unchanged chunks with the image before.
func (m *Image) captureArchetypes(w *World, before *Image) {
	m.archetypes = resizeSlice(m.archetypes, len(w.tables.archetypes))
	m.byID = resize(m.byID, len(w.tables.chunks))
	if before != nil {
		copy(m.byID, before.byID)
		for i := range before.archetypes {
			if a := &before.archetypes[i]; i >= len(w.tables.archetypes) || !a.isUnchanged(w.tables.archetypes[i]) {
				for _, c := range a.chunks {
					m.byID[c.id] = nil
				}
			}
		}
	}
	for i, a := range w.tables.archetypes {
		k := &m.archetypes[i]
		var old *archetypeImage
		if before != nil && i < len(before.archetypes) {
			old = &before.archetypes[i]
		}
		switch {
		case old != nil && old.isUnchanged(a):
			m.captureSameRows(k, a, old)
		case old != nil && hasExactly(a, old.components):
			m.captureArchetype(k, a, old, before)
		default:
			m.captureArchetype(k, a, nil, before)
		}
	}
}

// captureIDs copies the free slots and the free chunk ids, because they determine the ids of new
// entities and chunks.
func (m *Image) captureIDs(w *World) {
	m.idState = w.tables.entities.idState
	for _, k := range w.tables.entities.freeSlots {
		m.freeIDs = append(m.freeIDs, Entity{k, w.tables.entities.slots[k].version})
	}
	for _, r := range w.tables.spareChunks {
		m.spareChunkIDs = append(m.spareChunkIDs, r.id)
	}
}

// captureNames stores the names of entities. If the list of pages is equal to the list in the
// previous image, the two images share it.
func (m *Image) captureNames(w *World, before *Image) {
	w.gate.entityNames.mu.Lock()
	defer w.gate.entityNames.mu.Unlock()
	pages := w.gate.entityNames.sharePages()
	if before != nil && slices.Equal(before.namePages, pages) {
		m.namePages = before.namePages
		return
	}
	m.namePages = slices.Clone(pages)
}

// captureStores copies the shared values, including those that no entity has, because chunk groups
// refer to them by index.
func (m *Image) captureStores(w *World) {
	for _, s := range w.shared.stores {
		if s != nil {
			m.stores = resizeSlice(m.stores, len(m.stores)+1)
			k := &m.stores[len(m.stores)-1]
			k.comp, k.values, k.hashes, k.freeIndices = s.comp, append(k.values[:0], s.values...), append(k.hashes[:0], s.hashes...), append(k.freeIndices[:0], s.freeIndices...)
		}
	}
}

// captureArchetype copies an archetype. The copy includes state that no hash covers but that
// affects later results, such as the order of chunks with free rows. old is the archetype in
// the previous image, or nil.
func (m *Image) captureArchetype(k *archetypeImage, a *archetype, old *archetypeImage, before *Image) {
	if old != nil {
		k.components = old.components
	} else if !hasExactly(a, k.components) || len(k.components) == 0 {
		k.components = a.components()
	}
	k.copyCounters(a)
	k.groups, k.chunks = k.groups[:0], resize(k.chunks, len(a.chunks))
	p := m.pool
	defer func() {
		clear(p.groupScratch)
		p.groupScratch = p.groupScratch[:0]
	}()
	if a.sharedCount == 0 {
		k.groupIndex(p, &a.groups.single)
	}
	for i, r := range a.chunks {
		group := k.groupIndex(p, r.group)
		var c *chunkImage
		if before != nil && int(r.id) < len(before.byID) {
			c = before.byID[r.id]
		}
		if !c.matches(r, group, k.components) {
			c = m.captureChunk(r, group, k.components, c)
		}
		k.chunks[i], m.byID[r.id] = c, c
	}
	k.spans = resize(k.spans, spanCount(len(k.chunks)))
	for i := range k.spans {
		k.spans[i] = p.newSpan(a, i, chunksOfSpan(k.chunks, i), nil, nil)
	}
}

// captureSameRows does the work of captureArchetype if only the contents of rows can have changed since
// old.
func (m *Image) captureSameRows(k *archetypeImage, a *archetype, old *archetypeImage) {
	k.components = old.components
	k.copyCounters(a)
	k.groups = resizeSlice(k.groups, len(old.groups))
	for i := range old.groups {
		own, from := &k.groups[i], &old.groups[i]
		own.valueIndices, own.orderCount, own.serial = append(own.valueIndices[:0], from.valueIndices...), from.orderCount, from.serial
		own.withRoom, own.allChunks = append(own.withRoom[:0], from.withRoom...), append(own.allChunks[:0], from.allChunks...)
	}
	k.chunks, k.spans = append(k.chunks[:0], old.chunks...), append(k.spans[:0], old.spans...)
	still := slices.Equal(k.newestVersions, old.newestVersions)
	for i, s := range k.spans {
		if still || s.matches(a, i) {
			s.refCount++
			continue
		}
		records, chunks := chunksOfSpan(a.chunks, i), chunksOfSpan(k.chunks, i)
		for j, c := range chunks {
			if !s.chunkMatches(j, a, i) {
				c = m.captureChunk(records[j], c.groupIndex, k.components, c)
				chunks[j], m.byID[c.id] = c, c
			}
		}
		k.spans[i] = m.pool.newSpan(a, i, chunks, chunksOfSpan(old.chunks, i), s)
	}
}

// copyCounters copies the counters and versions of an archetype.
func (k *archetypeImage) copyCounters(a *archetype) {
	k.orderCount, k.orderVersion, k.worldMoveCount, k.newestVersions = a.orderCount, a.orderVersion, a.worldMoveCount, append(k.newestVersions[:0], a.newestVersions...)
	k.rowCount, k.createdGroups, k.capacity = a.rowCount, a.groups.createdCount, a.capacity
}

// groupIndex returns the index of a chunk group in the image. At the first call it copies the
// group.
func (k *archetypeImage) groupIndex(p *imagePool, g *chunkGroup) int32 {
	if g.imageIndex < len(p.groupScratch) && p.groupScratch[g.imageIndex] == g {
		return int32(g.imageIndex)
	}
	g.imageIndex = len(p.groupScratch)
	p.groupScratch = append(p.groupScratch, g)
	k.groups = resizeSlice(k.groups, len(p.groupScratch))
	own := &k.groups[g.imageIndex]
	own.valueIndices, own.orderCount, own.serial = append(own.valueIndices[:0], g.valueIndices...), g.orderCount, g.serial
	own.withRoom, own.allChunks = own.withRoom[:0], own.allChunks[:0]
	for _, r := range g.withRoom {
		own.withRoom = append(own.withRoom, int32(r.archetypeIndex))
	}
	for _, r := range g.allChunks {
		own.allChunks = append(own.allChunks, int32(r.archetypeIndex))
	}
	return int32(g.imageIndex)
}

// matches reports whether c is still a copy of r, because nothing in r was written since. set holds the
// components of r.
func (c *chunkImage) matches(r *chunkData, group int32, set []*component) bool {
	if c == nil || c.orderVersion != r.orderVersion || c.count != r.count || c.groupIndex != group || c.meta != r.meta || !sameSet(c.components, set) {
		return false
	}
	versions := r.versions[:len(c.versions)]
	for i, v := range c.versions {
		if versions[i] != v {
			return false
		}
	}
	return len(c.throughVersions) == 0 || slices.Equal(c.throughVersions, r.throughVersions)
}

// sameSet reports whether two sets are equal. Images share sets, so comparing the addresses is
// usually sufficient.
func sameSet(a, b []*component) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// hasSameRows reports whether r still has the rows and columns of which c is a copy.
func (c *chunkImage) hasSameRows(r *chunkData) bool {
	return c.orderVersion == r.orderVersion && c.count == r.count && hasExactly(r.arch, c.components)
}

// captureChunk copies a chunk. captureChunk shares unchanged columns with old, which is an older
// copy of the chunk or nil.
func (m *Image) captureChunk(r *chunkData, group int32, set []*component, old *chunkImage) *chunkImage {
	p := m.pool
	c := takeFree(&p.freeChunks)
	c.id, c.groupIndex, c.count, c.orderVersion, c.meta, c.components, c.spanRefs = r.id, group, r.count, r.orderVersion, r.meta, set, p.newSpanRefs()
	if cap(c.versions) == 0 {
		c.versions = c.versionMemory[:0]
	}
	c.versions, c.throughVersions, c.columns = append(c.versions[:0], r.versions...), append(c.throughVersions[:0], r.throughVersions...), resize(c.columns, len(set))
	if old != nil && (old.orderVersion != r.orderVersion || old.count != r.count || !sameSet(old.components, set)) {
		old = nil
	}
	if old != nil && old.idsOwner != nil {
		c.idsOwner = old.idsOwner
	} else {
		c.idsOwner = p.copyIDs(r.ids()[:r.count])
	}
	c.idsOwner.refCount++
	c.ids = c.idsOwner.ids
	for i := range set {
		if old != nil && old.versions[i] == r.versions[i] && (len(r.throughVersions) == 0 || old.throughVersions[i] == r.throughVersions[i]) {
			c.columns[i] = old.columns[i]
		} else {
			c.columns[i] = m.captureColumn(r, &r.arch.columns[i])
		}
		if c.columns[i] != nil {
			c.columns[i].refCount++
		}
	}
	return c
}

// captureColumn copies a column of a chunk. captureColumn returns nil if the column stores nothing,
// as tags do.
func (m *Image) captureColumn(r *chunkData, c *column) *columnImage {
	size := 0
	for _, l := range c.lanes {
		size += int(l.Size)
	}
	header := c.comp == r.arch.world.types.chunkHeader // a header contains a pointer to the world, so a restore creates it anew
	if size == 0 && c.enabledIndex < 0 && (c.managedIndex < 0 || header) {
		return nil
	}
	k := takeFree(&m.pool.freeColumns)
	k.comp = c.comp
	if size > 0 {
		size *= r.count
		m.copiedBytes += size
		k.laneData = m.pool.takeBytes(size)[:size]
		m.pool.copyPlan.addFromLanes(k.laneData, &r.Place, c.lanes, r.count)
	}
	if c.bufferIndex >= 0 {
		k.bufferBlocks = cloneBlocks(r.bufferHeaps[c.bufferIndex].rowBlocks, r.count)
		m.pool.blockBytes += bytesOfBlocks(k.bufferBlocks)
	}
	if c.enabledIndex >= 0 {
		k.enabledBits = append(k.enabledMemory[:0], r.enabledBits[c.enabledIndex].words[:wordsFor(r.count)]...)
		k.enabledMemory = nil
	}
	if c.managedIndex >= 0 && !header {
		k.managedValues = newManagedColumn(c.comp.typ, r.count)
		k.managedValues.copyRows(0, &r.managedColumns[c.managedIndex], 0, r.count)
	}
	return k
}

// cloneBlocks copies the heap blocks of n rows.
func cloneBlocks(from [][]uint64, n int) [][]uint64 {
	if from == nil || !slices.ContainsFunc(from[:n], func(b []uint64) bool { return b != nil }) {
		return nil
	}
	to := make([][]uint64, n)
	for i := range to {
		to[i] = slices.Clone(from[i])
	}
	return to
}

// bytesOfBlocks returns the number of bytes of heap blocks.
func bytesOfBlocks(blocks [][]uint64) (n int) {
	for _, b := range blocks {
		n += 8 * len(b)
	}
	return n
}

// Len returns the number of entities in the image, as [World.Len] does. Len panics with an *Error
// if the image is released.
func (m *Image) Len() int {
	m.mustNotBeReleased("Image.Len")
	return m.rowCount
}

// Release makes the memory of an image available for the next image of the world, except memory
// that other images share. Calling Release is optional, because the garbage collector frees an
// image that is not released. Using an image after Release, or releasing it twice, is an error of
// category ErrArgument. Any goroutine may call Release, with one exception. An image that was
// made for a world (see [ImageBuilder.AddState]) has its rows in that world's memory, so only the
// world's owner may release it.
func (m *Image) Release() error {
	p := m.leavePool()
	if p == nil {
		return fault(ErrArgument, "Image.Release", "the image is released already, or is the zero Image")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.forBuilder {
		m.recycleBuilt(p)
		return nil
	}
	for i := range m.archetypes {
		a := &m.archetypes[i]
		for j, s := range a.spans {
			p.releaseSpan(s, chunksOfSpan(a.chunks, j))
		}
	}
	p.giveLists(m)
	m.reset()
	return nil
}

// releaseMutex protects the field pool of all images. The lock of a pool cannot protect this field,
// because the field must be read before that lock can be taken. If two goroutines release an image at
// the same time, one of them gets an error.
var releaseMutex sync.Mutex

// leavePool removes the image from its pool and returns the pool, or nil if the image has none.
func (m *Image) leavePool() *imagePool {
	if m == nil {
		return nil
	}
	releaseMutex.Lock()
	defer releaseMutex.Unlock()
	p := m.pool
	m.pool = nil
	return p
}

// reset makes m the zero Image after it has left its pool.
func (m *Image) reset() {
	releaseMutex.Lock()
	defer releaseMutex.Unlock()
	*m = Image{}
}

// recycleBuilt takes the pool of an image that a builder has built, and makes it available for the
// next ImageBuilder. It drops the pool instead if images have become much smaller, because then
// most of the pool's memory would be unused. For example, a program that reads one large file and
// then small files should not keep the large memory.
func (m *Image) recycleBuilt(p *imagePool) {
	if p.worldBytes = max(p.usedBytes, p.worldBytes/2); m.placedRows != nil {
		m.placedRows.freePlaces()
	}
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].chunks {
			p.recycleChunk(c)
		}
	}
	m.reset()
	p.workerPool = nil
	if p.idleBytes <= 4*p.maxIdleBytes() {
		builderPool.Put(p)
	}
}

// Attach stores a value with the image under a key, which should be of an unexported type. Only the
// functions of [Hooks.OnCapture] should call it, because later other goroutines may read the image.
func (m *Image) Attach(key, value any) {
	m.mustNotBeReleased("Image.Attach")
	if m.attached == nil {
		m.attached = map[any]any{}
	}
	m.attached[key] = value
}

// Attached returns the value that Attach stored under a key, or nil. Attached panics with an *Error
// if the image is nil.
func (m *Image) Attached(key any) any {
	if m == nil {
		panic(fault(ErrArgument, "Image.Attached", "the image is nil: make one with Capture"))
	}
	return m.attached[key]
}

// String returns the number of entities and archetypes in the image.
func (m *Image) String() string {
	switch {
	case m == nil:
		return "<nil>"
	case m.pool == nil:
		return "an image that is released, or the zero Image"
	}
	return fmt.Sprintf("image of %s, %s", plural(m.rowCount, "entity", "entities"), plural(len(m.archetypes), "archetype", "archetypes"))
}

// OnCapture adds a hook that every [Capture] of the world calls with the new image. So a package
// can use [Image.Attach] to attach the state that it needs after a Restore.
func (h Hooks) OnCapture(f func(m *Image)) (remove func()) {
	w := h.world
	mustBeHook(w, "Hooks.OnCapture", f != nil)
	return addHook(&w.hooks.onCapture, func(m any) { f(m.(*Image)) })
}

// OnRestore adds a hook that every [Restore] of the world calls when the world has the contents of
// the image. A package needs this hook if it stores versions of chunks or order counts, because
// Restore changes both. If the image was made for this world (see [ImageBuilder.AddState]), it is
// already released at the call. Then only the values that are attached to the image are left.
func (h Hooks) OnRestore(f func(m *Image)) (remove func()) {
	w := h.world
	mustBeHook(w, "Hooks.OnRestore", f != nil)
	return addHook(&w.hooks.onRestore, func(m any) { f(m.(*Image)) })
}
