package ecs

import (
	"math/bits"
	"reflect"
	"slices"
)

// detachChunks takes all chunks out of an archetype. The chunks keep their memory for now.
func (t *restoreState) detachChunks(a *archetype) {
	t.filterCountScratch = t.filterCountScratch[:0]
	t.eachSharedFilterCount(a, func(one *sharedFilterCount) {
		t.filterCountScratch = append(t.filterCountScratch, one.match.orderCount())
	})
	a.resetVersions() // chunks keep their own versions until they return or end
	for _, r := range a.chunks {
		r.archetypeIndex, r.roomIndex = -1, -1
		t.detachedChunks = append(t.detachedChunks, r)
	}
	clear(a.chunks)
	a.chunks, a.rowCount = a.chunks[:0], 0
	for _, g := range a.groups.byKey { //lanewise:inexact counts have no order
		for i, s := range a.sharedStores {
			if k := g.valueIndices[i]; k > 0 {
				s.refCounts[k]--
			}
		}
	}
	clear(a.groups.byKey)
	for _, p := range a.groups.sharedIndexes() {
		clear(p.byValue)
	}
	a.groups.single.removeAllChunks()
	k := 0
	t.eachSharedFilterCount(a, func(one *sharedFilterCount) { // the counters keep rising; attach continues them when it knows the groups
		one.orderCount, one.listEpoch = t.filterCountScratch[k], 0
		k++
	})
}

// removeAllChunks takes all chunks out of a group.
func (g *chunkGroup) removeAllChunks() {
	clear(g.withRoom)
	clear(g.allChunks)
	g.withRoom, g.allChunks, g.chunkCount = g.withRoom[:0], g.allChunks[:0], 0
}

// eachSharedFilterCount calls f for each sharedFilterCount of an archetype, in any order.
func (t *restoreState) eachSharedFilterCount(a *archetype, f func(*sharedFilterCount)) {
	if a.groupObserver == nil {
		return
	}
	for _, q := range t.world.queries.list {
		if len(q.sharedFilters) == 0 {
			continue
		}
		if m := q.matchOf(a); m != nil && m.sharedCount != nil {
			f(m.sharedCount)
		}
	}
}

// restoreArchetype restores an archetype. If the archetype's list of chunks has changed since the capture,
// restoreArchetype restores the list. Otherwise it restores only the columns that were written since the
// capture.
func (t *restoreState) restoreArchetype(a *archetype, from *archetypeImage, changed bool) {
	switch {
	case changed:
		t.attachChunks(a, from)
	case slices.Equal(a.newestVersions, from.newestVersions):
		return // nothing was written
	default:
		for i, s := range from.spans { // the image was taken of this world
			if s.matches(a, i) {
				continue
			}
			records := chunksOfSpan(a.chunks, i)
			for j, c := range chunksOfSpan(from.chunks, i) {
				if !s.chunkMatches(j, a, i) {
					t.updateChunk(records[j], c)
				}
			}
		}
	}
	a.orderCount, a.orderVersion, a.worldMoveCount = from.orderCount, t.worldVersion(from.orderVersion), from.worldMoveCount
	for i, v := range from.newestVersions {
		a.newestVersions[i] = t.worldVersion(v)
	}
	if !t.ownImage {
		a.noteChange(t.world.gate.changeVersion)
	}
}

// attachChunks adds the chunks of the image to an archetype without chunks.
func (t *restoreState) attachChunks(a *archetype, from *archetypeImage) {
	t.groupScratch = t.groupScratch[:0]
	for i := range from.groups {
		own := &from.groups[i]
		g := a.groups.findOrCreate(own.valueIndices)
		g.serial, g.orderCount = own.serial, own.orderCount
		t.groupScratch = append(t.groupScratch, g)
	}
	a.groups.createdCount = from.createdGroups
	for _, c := range from.chunks {
		t.attachChunk(a, c)
	}
	for i, g := range t.groupScratch {
		g.restoreOrder(a, &from.groups[i])
	}
	a.rowCount = from.rowCount
	t.eachSharedFilterCount(a, func(one *sharedFilterCount) {
		was := one.orderCount
		one.orderCount = 0
		one.orderCount = was + 1 - one.match.orderCount()
	})
}

// attachChunk appends the next chunk to an archetype. If the chunkData has the same rows as in the
// image, only the changed columns are copied. Otherwise the whole chunk is copied.
func (t *restoreState) attachChunk(a *archetype, c *chunkImage) {
	w := t.world
	r, g := w.tables.chunks[c.id], t.groupScratch[c.groupIndex]
	same := t.ownImage && !r.Nil() && c.hasSameRows(r)
	t.rowsInPlace = !same && t.adoptPlacedRows(r, a, c)
	if !same && !t.rowsInPlace {
		t.giveMemory(r, a, g, c.count)
	}
	n := r.count
	if r.arch != nil {
		r.clearReaches()
	}
	r.arch, r.group, r.archetypeIndex, r.roomIndex, r.count = a, g, len(a.chunks), -1, c.count
	w.tables.putReaches(r)
	r.orderVersion, r.meta = t.worldVersion(c.orderVersion), c.meta
	a.chunks = append(a.chunks, r)
	a.placeVersions(r)
	if g.chunkCount++; g.chunkCount == 1 {
		for i, s := range a.sharedStores {
			if k := g.valueIndices[i]; k > 0 {
				s.refCounts[k]++
			}
		}
	}
	if !same {
		t.fillChunk(r, c, n)
		return
	}
	if t.rebuildIDs {
		w.tables.entities.setFirstRows(c.ids, r.id)
	}
	t.updateChunk(r, c)
}

// giveMemory allocates memory for n rows of an archetype to a chunk. If the chunk's memory fits, the chunk
// keeps it.
func (t *restoreState) giveMemory(r *chunkData, a *archetype, g *chunkGroup, n int) {
	w := t.world
	if !r.Nil() {
		if r.Shape() == a.shape && r.RowCapacity() >= n && r.arch == a {
			return
		}
		w.tables.memory.FreePlace(r.Place)
	}
	switch {
	case g.chunkCount == 0:
		r.Place = w.tables.memory.Take(a.shape, n)
	case len(a.chunks) > 0:
		r.Place = w.tables.memory.TakeFull(a.shape, &a.chunks[len(a.chunks)-1].Place)
	default:
		r.Place = w.tables.memory.TakeFull(a.shape, nil)
	}
	r.resetFor(a)
}

// adoptPlacedRows gives a chunk the memory of the image if an ImageBuilder has placed the rows in the memory of
// this world. It leaves the chunk in the same state as giveMemory does.
func (t *restoreState) adoptPlacedRows(r *chunkData, a *archetype, c *chunkImage) bool {
	p := t.image.placedRows.takePlace(c.id, a.shape, t.world.tables.memory)
	if p.Nil() {
		return false
	}
	if !r.Nil() {
		t.world.tables.memory.FreePlace(r.Place)
	}
	r.Place = p
	r.resetFor(a)
	return true
}

// resetFor makes r an empty chunk of an archetype. The memory of r is new.
func (r *chunkData) resetFor(a *archetype) {
	r.count = 0
	clear(r.bufferHeaps)
	r.bufferHeaps = resize(r.bufferHeaps, a.bufferCount)
	r.enabledBits = newEnabledBitsets(r.enabledBits, a.enableableCount, r.RowCapacity())
	r.managedColumns = newManagedColumns(a, r.RowCapacity())
}

// fillChunk copies a whole chunk of the image. old is the number of rows that were in use before
// the call.
func (t *restoreState) fillChunk(r *chunkData, c *chunkImage, old int) {
	w := t.world
	if raceEnabled {
		raceWriteChunk(r)
	}
	if !t.rowsInPlace {
		t.copyPlan.addBytes(sliceBytes(r.ids()[:r.count]), sliceBytes(c.ids))
	}
	t.copyPlan.addIDs(&w.tables.entities, c.ids, r.id)
	r.versions = t.copyVersions(r.versions, c.versions)
	r.throughVersions = t.copyVersions(r.throughVersions, c.throughVersions)
	for i, k := range c.columns {
		t.restoreColumn(&r.arch.columns[i], r, k, old)
	}
	if guard {
		poisonRows(r, r.count, r.RowCapacity())
		w.tables.noteTouched(r)
	}
}

// copyVersions copies a list of versions of the image, converted to versions of the world.
func (t *restoreState) copyVersions(to, from []uint32) []uint32 {
	to = append(to[:0], from...)
	if t.versionShift != 0 {
		for i := range to {
			to[i] = t.worldVersion(to[i])
		}
	}
	return to
}

// updateChunk copies those columns of a chunk that were written since the capture. The rows of the
// chunk are the same.
func (t *restoreState) updateChunk(r *chunkData, c *chunkImage) {
	if slices.Equal(r.versions, c.versions) && slices.Equal(r.throughVersions, c.throughVersions) {
		return
	}
	if raceEnabled {
		raceWriteChunk(r)
	}
	for i := range c.columns {
		if r.versions[i] != c.versions[i] || len(c.throughVersions) > 0 && r.throughVersions[i] != c.throughVersions[i] {
			t.restoreColumn(&r.arch.columns[i], r, c.columns[i], r.count)
			r.versions[i] = c.versions[i]
			if len(c.throughVersions) > 0 {
				r.throughVersions[i] = c.throughVersions[i]
			}
		}
	}
	if guard {
		t.world.tables.noteTouched(r)
	}
}

// restoreColumn restores a column of a chunk. It does not copy the lanes, but adds them to the list of
// copies. old is the number of rows that were in use before the call.
func (t *restoreState) restoreColumn(c *column, r *chunkData, from *columnImage, old int) {
	if from == nil { // a tag, a shared component, or headers, which restoreMeta sets
		if c.managedIndex >= 0 && old > r.count {
			r.managedColumns[c.managedIndex].clearRows(r.count, old-r.count)
		}
		return
	}
	if !t.rowsInPlace {
		t.copyPlan.addToLanes(&r.Place, c.lanes, r.count, from)
	}
	if c.bufferIndex >= 0 {
		r.bufferHeaps[c.bufferIndex].restoreBlocks(r, from.bufferBlocks)
	}
	if c.enabledIndex >= 0 {
		s := &r.enabledBits[c.enabledIndex]
		clear(s.words[copy(s.words, from.enabledBits):])
		s.onCount = 0
		for _, v := range s.words {
			s.onCount += int32(bits.OnesCount64(v))
		}
	}
	if c.managedIndex >= 0 && from.managedValues.slice != nil {
		r.managedColumns[c.managedIndex].copyRows(0, &from.managedValues, 0, r.count)
		if old > r.count {
			r.managedColumns[c.managedIndex].clearRows(r.count, old-r.count)
		}
	}
}

// restoreBlocks replaces the heap blocks of a chunk by those of an image.
func (l *bufferHeap) restoreBlocks(r *chunkData, from [][]uint64) {
	switch {
	case len(from) == 0:
		clear(l.rowBlocks)
		return
	case l.rowBlocks == nil:
		l.rowBlocks = make([][]uint64, r.RowCapacity())
	}
	for i, block := range from {
		if own := l.rowBlocks[i]; block != nil && len(own) == len(block) {
			copy(own, block)
			continue
		}
		l.rowBlocks[i] = slices.Clone(block)
	}
	clear(l.rowBlocks[len(from):])
}

// filterValue describes the value of a query's WithShared term. The value has another index in the
// image than in the world, or is not in the image.
type filterValue struct {
	query      *Query
	termIndex  int   // index of the term
	imageIndex int32 // index of the value; -1: not in the image
	oldValue   any
	hash       uint64
}

// planFilterValues looks up the values of the queries' WithShared terms in the image. If the image may
// have a value at another index, planFilterValues calls the value's method Equal.
func (t *restoreState) planFilterValues(op string) error {
	w := t.world
	for i := range t.image.stores {
		w.shared.storeOf(t.image.stores[i].comp) // it calls Hash of the zero value of a new store
	}
	for _, q := range w.queries.list {
		for i := range q.sharedFilters {
			s := w.shared.storeOf(q.sharedFilters[i].comp)
			k := q.sharedFilters[i].valueIndex
			from := t.image.storeFor(s.comp)
			if k == 0 || from != nil && int(k) < len(from.values) && identical(from.values[k], s.values[k]) {
				continue
			}
			p := filterValue{query: q, termIndex: i, imageIndex: -1, oldValue: s.values[k]}
			if s.byHash != nil {
				p.hash = s.hashes[k]
			}
			if from != nil {
				if err := t.findInImage(op, s, from, &p); err != nil {
					return err
				}
			}
			t.filterValues = append(t.filterValues, p)
		}
	}
	return nil
}

// findInImage looks for the value of p among the values of the image.
func (t *restoreState) findInImage(op string, s *sharedStore, from *imageStore, p *filterValue) error {
	w := t.world
	was, err := w.gate.enterMethod(op)
	if err != nil {
		return err
	}
	whole := false
	w.gate.blockChanges()
	defer func() {
		w.gate.unblockChanges()
		w.gate.exitMethod(was, whole)
	}()
	for i, v := range from.values {
		switch {
		case v == nil:
		case s.byHash == nil:
			if v == p.oldValue || equalWithNaN(reflect.ValueOf(v), reflect.ValueOf(p.oldValue)) {
				p.imageIndex = int32(i)
			}
		case from.hashes[i] == p.hash && s.equalMethod.Call([]reflect.Value{reflect.ValueOf(v), reflect.ValueOf(p.oldValue)})[0].Bool():
			p.imageIndex = int32(i)
		}
		if p.imageIndex >= 0 {
			break
		}
	}
	whole = true
	return nil
}

// noteHeldValues records the held values that have methods Retain and Release.
func (t *restoreState) noteHeldValues() {
	for k, s := range t.world.shared.stores {
		t.heldBefore = append(t.heldBefore, nil)
		if s == nil || s.notices == nil {
			continue
		}
		for i, v := range s.values {
			if s.refCounts[i] == 0 {
				v = nil
			}
			t.heldBefore[k] = append(t.heldBefore[k], v)
		}
	}
}

// planNotices lists the calls of Retain and Release. All calls of Retain come first. So a resource that is used
// both before and after the Restore is not freed in between.
func (t *restoreState) planNotices() {
	for _, begins := range []bool{true, false} {
		for k, s := range t.world.shared.stores {
			if s == nil || s.notices == nil {
				continue
			}
			var before []any
			if k < len(t.heldBefore) {
				before = t.heldBefore[k]
			}
			s.appendNotices(before, begins)
		}
	}
}

// appendNotices lists the values that are held now but were not held before the Restore. If begins
// is false, it lists those that were held before and are not held now.
func (s *sharedStore) appendNotices(before []any, begins bool) {
	for i := range max(len(before), len(s.values)) {
		var was, is any
		if i < len(before) {
			was = before[i]
		}
		if i < len(s.values) && s.refCounts[i] > 0 {
			is = s.values[i]
		}
		if identical(was, is) {
			continue
		}
		v := is
		if !begins {
			v = was
		}
		if v != nil {
			s.notices.add(v, begins)
		}
	}
}

// restoreStores gives the stores the values of the image. Unchanged chunks still hold references to their
// values. All other chunks were detached, and hold no references.
func (t *restoreState) restoreStores() {
	w := t.world
	for _, q := range w.queries.list {
		for _, f := range q.sharedFilters {
			if f.valueIndex > 0 {
				w.shared.storeOf(f.comp).refCounts[f.valueIndex]--
			}
		}
	}
	for _, s := range w.shared.stores {
		if s == nil {
			continue
		}
		from := t.image.storeFor(s.comp)
		switch {
		case from != nil && !s.hasSameValues(from):
			s.resetToImage(from)
		case from == nil && len(s.values) > 1:
			zero := imageStore{comp: s.comp, values: s.values[:1], hashes: s.hashes[:min(1, len(s.hashes))]}
			s.resetToImage(&zero)
		}
	}
}

// hasSameValues reports whether a store has exactly the values of an image, at the same indices.
func (s *sharedStore) hasSameValues(from *imageStore) bool {
	if len(s.values) != len(from.values) || len(s.freeIndices) != len(from.freeIndices) {
		return false
	}
	for i := range s.values {
		if !identical(s.values[i], from.values[i]) {
			return false
		}
	}
	for i := range s.freeIndices {
		if s.freeIndices[i] != from.freeIndices[i] {
			return false
		}
	}
	return true
}

// resetToImage gives a store the values of an image, and keeps the reference counts.
func (s *sharedStore) resetToImage(from *imageStore) {
	refs := s.refCounts
	zero := s.values[0]
	if s.byHash != nil {
		clear(s.byHash)
		s.byHash[s.hashes[0]] = append(s.byHash[s.hashes[0]], 0)
	} else {
		clear(s.byKey)
		s.byKey[zero] = 0
	}
	s.nanValues = nil
	s.fillFromImage(from)
	copy(s.refCounts, refs)
}

// restoreFilterIndices sets the indices of the values for which queries filter, and drops
// the values without references.
func (t *restoreState) restoreFilterIndices() {
	w := t.world
	t.addFilterValues()
	for _, q := range w.queries.list {
		for _, f := range q.sharedFilters {
			if f.valueIndex > 0 {
				w.shared.storeOf(f.comp).refCounts[f.valueIndex]++
			}
		}
	}
	t.planNotices()
	for _, s := range w.shared.stores {
		if s != nil {
			s.dropUnreferenced()
		}
	}
	for i := range t.filterValues {
		if q := t.filterValues[i].query; i == 0 || t.filterValues[i-1].query != q {
			rematchQuery(q)
		}
	}
}

// addFilterValues adds the values for which queries filter, if the stores lack them.
func (t *restoreState) addFilterValues() {
	for i := range t.filterValues {
		p := &t.filterValues[i]
		if p.imageIndex < 0 {
			p.imageIndex = t.world.shared.storeOf(p.query.sharedFilters[p.termIndex].comp).insert(p.oldValue, p.hash)
			for k := i + 1; k < len(t.filterValues); k++ { // another query may ask for the same value
				if o := &t.filterValues[k]; o.imageIndex < 0 && identical(o.oldValue, p.oldValue) {
					o.imageIndex = p.imageIndex
				}
			}
		}
		p.query.sharedFilters[p.termIndex].valueIndex = p.imageIndex
	}
}
