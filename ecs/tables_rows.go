package ecs

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// takeChunkData returns a chunkData that has no chunk yet.
func (t *tables) takeChunkData() *chunkData {
	if last := len(t.spareChunks) - 1; last >= 0 {
		r := t.spareChunks[last]
		t.spareChunks = t.spareChunks[:last]
		return r
	}
	if len(t.unusedChunks) == 0 {
		t.unusedChunks = make([]chunkData, min(max(len(t.chunks), 1), 64))
	}
	r := &t.unusedChunks[0]
	t.unusedChunks = t.unusedChunks[1:]
	r.id = int32(len(t.chunks))
	t.chunks = append(t.chunks, r)
	return r
}

// appendChunk appends a chunk to archetype a. The first chunk of a group has memory for at least n
// rows, and other chunks have full size.
func (t *tables) appendChunk(a *archetype, g *chunkGroup, n int) *chunkData {
	r := t.takeChunkData()
	switch {
	case g.chunkCount == 0:
		r.Place = t.memory.Take(a.shape, n)
	case len(a.chunks) > 0:
		r.Place = t.memory.TakeFull(a.shape, &a.chunks[len(a.chunks)-1].Place)
	default:
		r.Place = t.memory.TakeFull(a.shape, nil)
	}
	t.enlist(r, a, g)
	clear(r.versions)
	if r.throughVersions = r.throughVersions[:0]; a.isMeta {
		r.throughVersions = resize(r.throughVersions, len(a.columns))
	}
	r.bufferHeaps = resize(r.bufferHeaps, a.bufferCount)
	if a.enableableCount > 0 {
		r.enabledBits = newEnabledBitsets(r.enabledBits, a.enableableCount, r.RowCapacity())
	}
	if a.managedCount > 0 {
		r.managedColumns = newManagedColumns(a, r.RowCapacity())
	}
	if guard {
		poisonRows(r, 0, r.RowCapacity())
	}
	if a.meta != nil {
		t.newMeta(r)
	}
	return r
}

// enlist makes r the last chunk of archetype a, in group g, and copies its versions into the table of a.
func (t *tables) enlist(r *chunkData, a *archetype, g *chunkGroup) {
	own := a.nextVersions()
	copy(own, r.versions)
	r.versions = own
	t.enlistPlaced(r, a, g)
}

// enlistPlaced does the work of enlist for a chunk whose versions are already at
// [archetype.nextVersions].
func (t *tables) enlistPlaced(r *chunkData, a *archetype, g *chunkGroup) {
	r.arch, r.group, r.archetypeIndex, r.roomIndex = a, g, len(a.chunks), -1
	a.chunks = append(a.chunks, r)
	if a.sharedCount > 0 {
		g.addChunk(r)
	}
	if g.chunkCount++; g.chunkCount == 1 && len(g.valueIndices) > 0 {
		a.retainValues(g)
	}
	if r.count < a.capacity {
		r.joinRoomList()
	}
	t.putReaches(r)
	t.listEpoch++
}

// delist removes the chunk r from its archetype. The versions of r are no longer needed. The
// last chunk of the archetype takes the place of r.
func (t *tables) delist(r *chunkData) {
	a := r.arch
	r.leaveRoomList()
	r.clearReaches()
	last := len(a.chunks) - 1
	if end := a.chunks[last]; end != r {
		a.chunks[r.archetypeIndex], end.archetypeIndex = end, r.archetypeIndex
		copy(r.versions, end.versions)
		end.versions = r.versions
	}
	r.versions = nil
	a.chunks[last] = nil
	a.chunks = a.chunks[:last]
	if a.sharedCount > 0 {
		r.group.removeChunk(r)
	}
	if r.group.chunkCount--; r.group.chunkCount == 0 && len(r.group.valueIndices) > 0 {
		a.releaseValues(r.group)
		if a.groupObserver != nil {
			a.groupObserver.groupDeleted(r.group)
		}
		a.groups.remove(r.group)
	}
	t.listEpoch++
}

// freeChunk frees an empty chunk.
func (t *tables) freeChunk(r *chunkData) {
	t.delist(r)
	bytes := t.memory.ReservedBytes()
	t.memory.FreePlace(r.Place)
	if t.memory.ReservedBytes() < bytes {
		t.observer.forgetMemory() // a loop may have shown the freed slab last
	}
	clear(r.bufferHeaps)
	r.Place, r.arch, r.group, r.managedColumns = table.Place{}, nil, nil, nil
	t.spareChunks = append(t.spareChunks, r)
	if !r.meta.IsZero() {
		t.removeMeta(r)
	}
}

// claimRows takes up to n free rows for archetype a and group g. It takes them from the first chunk with free
// rows, or from a new one. The rows have no ids yet and contain old data.
func (t *tables) claimRows(a *archetype, g *chunkGroup, n int) rowRange {
	var r *chunkData
	if len(g.withRoom) > 0 {
		r = g.withRoom[0]
	} else {
		r = t.appendChunk(a, g, n)
	}
	return t.claimRowsIn(r, n)
}

// claimRow is like claimRows, but claims one row and returns its chunk and index.
func (t *tables) claimRow(a *archetype, g *chunkGroup) (*chunkData, int) {
	if len(g.withRoom) > 0 {
		if r := g.withRoom[0]; r.count < r.RowCapacity() {
			row := r.count
			r.count++
			a.rowCount++
			if r.count == a.capacity {
				r.leaveRoomList()
			}
			t.noteRowsChanged(r)
			return r, row
		}
	}
	s := t.claimRows(a, g, 1)
	return s.chunk, s.first
}

// claimRowsIn takes up to n free rows of r.
func (t *tables) claimRowsIn(r *chunkData, n int) rowRange {
	a := r.arch
	s := rowRange{r, r.count, min(n, a.capacity-r.count)}
	if r.count+s.count > r.RowCapacity() {
		t.growChunk(r, r.count+s.count)
	}
	r.count += s.count
	a.rowCount += s.count
	if r.count == a.capacity {
		r.leaveRoomList()
	}
	t.noteRowsChanged(r)
	return s
}

// growChunk gives a chunk memory for at least n rows.
func (t *tables) growChunk(r *chunkData, n int) {
	t.memory.Grow(&r.Place, r.count, n)
	t.putReaches(r)
	r.resizeColumns()
}

// resizeColumns adapts the data of a chunk outside of its lanes to the number of rows in its
// memory.
func (r *chunkData) resizeColumns() {
	for i := range r.arch.enableableCount {
		r.enabledBits[i].resize(r.RowCapacity())
	}
	for i := range r.arch.managedCount {
		r.managedColumns[i].resize(r.count, r.RowCapacity())
	}
	for i := range r.bufferHeaps {
		r.bufferHeaps[i].resize(r.count, r.RowCapacity())
	}
	if guard {
		poisonRows(r, r.count, r.RowCapacity())
	}
}

// noteRowsChanged records that rows of r came or went.
func (t *tables) noteRowsChanged(r *chunkData) {
	if guard {
		t.noteTouched(r)
	}
	if raceEnabled {
		raceWriteChunk(r)
	}
	a, version := r.arch, t.gate.changeVersion
	r.orderVersion = version
	if a.orderVersion != version { // otherwise it is noted already: see changeSummary
		a.orderVersion = version
		a.noteChange(version)
	}
	a.orderCount++
	r.group.orderCount++
}

// zeroRows clears the lanes of a range of rows.
func (s rowRange) zeroRows() {
	if a := s.chunk.arch; s.count == 1 && a.lanesOnly {
		a.rowCopy.Zero(&s.chunk.Base, s.first)
		return
	}
	for i := range s.chunk.arch.columns {
		s.chunk.arch.columns[i].zeroRows(s)
	}
}

// zeroRows clears the column's lanes in a range of rows, and turns the rows on.
func (c *column) zeroRows(s rowRange) {
	if c.enabledIndex >= 0 {
		s.chunk.enabledBits[c.enabledIndex].turnOn(s.first, s.count)
	}
	if c.managedIndex >= 0 {
		s.chunk.managedColumns[c.managedIndex].clearRows(s.first, s.count)
	}
	if s.count == 1 {
		s.chunk.ZeroRow(c.lanes, s.first)
		return
	}
	for _, l := range c.lanes {
		clear(s.chunk.Bytes(l, s.first, s.count))
	}
}

// markAllColumns marks every column of r as changed.
func (t *tables) markAllColumns(r *chunkData) {
	version := t.gate.changeVersion
	for i := range r.versions {
		r.versions[i] = version
	}
}

// dropRows removes a range of rows from its chunk. Rows from the end fill the gap, in order. The entities of
// the range must have moved or been destroyed before.
func (t *tables) dropRows(s rowRange) {
	r := s.chunk
	if s.count == 1 && r.arch.lanesOnly {
		t.dropRow(r, s.first)
		return
	}
	end := r.count - s.count // rows left
	if k := min(s.count, end-s.first); k > 0 {
		from := r.count - k
		r.arch.rowCopy.Rows(&r.Place, s.first, &r.Place, from, k)
		for i := range r.bufferHeaps {
			r.bufferHeaps[i].moveBlocksWithin(s.first, from, k)
		}
		for i := range r.arch.enableableCount {
			r.enabledBits[i].copyBits(s.first, &r.enabledBits[i], from, k)
		}
		for i := range r.arch.managedCount {
			r.managedColumns[i].copyRows(s.first, &r.managedColumns[i], from, k)
		}
		tail := r.ids()[from:r.count]
		copy(r.ids()[s.first:], tail)
		t.entities.setRows(tail, r.id, s.first)
	}
	for i := range r.bufferHeaps {
		r.bufferHeaps[i].dropBlocks(end, s.count)
	}
	for i := range r.arch.enableableCount {
		r.enabledBits[i].turnOff(end, s.count)
	}
	for i := range r.arch.managedCount {
		r.managedColumns[i].clearRows(end, s.count)
	}
	t.dropLastRows(r, s.count)
}

// destroyIgnoringCleanup destroys the entities in a range of rows completely, even if they have
// cleanup components.
func (t *tables) destroyIgnoringCleanup(s rowRange) {
	t.entities.freeIDs(s.ids())
	t.dropRows(s)
}

// dropLastRows removes the last n rows from a chunk. A chunk without rows is freed.
func (t *tables) dropLastRows(r *chunkData, n int) {
	wasFull := r.count == r.arch.capacity
	end := r.count - n
	r.count = end
	r.arch.rowCount -= n
	t.noteRowsChanged(r)
	switch {
	case end == 0 && !t.deferredChunks.keepsForNow(r):
		t.freeChunk(r)
	case wasFull:
		r.joinRoomList()
	}
	if guard && end > 0 {
		poisonRows(r, end, r.RowCapacity())
	}
}

// newManagedColumns returns the managed columns for a chunk of archetype a with n rows.
func newManagedColumns(a *archetype, n int) []managedColumn {
	list := make([]managedColumn, a.managedCount)
	for i := range a.columns {
		if c := &a.columns[i]; c.managedIndex >= 0 {
			list[c.managedIndex] = newManagedColumn(c.comp.typ, n)
		}
	}
	return list
}

// chunkData holds all data about one chunk except its rows.
type chunkData struct {
	// These fields are next to each other because every change of a row reads them.
	table.Place
	arch         *archetype
	count        int // live rows
	group        *chunkGroup
	id           int32  // chunk number in the world, to which slots refer
	orderVersion uint32 // version of the world when a row last came or went

	versions        []uint32        // for each column of arch the version of the world at the last write; part of the archetype's table
	archetypeIndex  int             // in arch.chunks
	roomIndex       int             // in group.withRoom, or -1 if the chunk is full
	groupIndex      int             // in group.allChunks, for an archetype with shared columns
	bufferHeaps     []bufferHeap    // heap storage of buffers, one for each buffer column of arch
	enabledBits     []enabledBitset // one for each enableable column of arch
	managedColumns  []managedColumn // one for each managed column of arch
	meta            Entity          // has its chunk components, if there are any
	throughVersions []uint32        // for meta entities: versions of writes through their chunks
	guardChunkData
}

// The owner writes versions and throughVersions, and so do jobs that write the column. The stores are
// atomic, because several jobs may write the same column of a chunk through lookups. Filters and the
// owner read them after those jobs, because the access tracker orders them.

// joinRoomList appends r to the list of its group's chunks with free rows.
func (r *chunkData) joinRoomList() {
	r.roomIndex = len(r.group.withRoom)
	r.group.withRoom = append(r.group.withRoom, r)
}

// leaveRoomList removes r from the list of chunks with free rows. The last chunk in the list takes
// the place of r.
func (r *chunkData) leaveRoomList() {
	if r.roomIndex < 0 {
		return
	}
	room := r.group.withRoom
	last := len(room) - 1
	room[r.roomIndex] = room[last]
	room[r.roomIndex].roomIndex = r.roomIndex
	room[last] = nil
	r.group.withRoom = room[:last]
	r.roomIndex = -1
}

// rowRange is a range of rows of one chunk.
type rowRange struct {
	chunk        *chunkData
	first, count int
}

// mark records that write access to a column was given. The store is atomic, because jobs on several
// workers may mark the same column of a chunk through lookups. If the column already has this
// version, mark stores nothing, because stores to a shared cache line are slow.
func (r *chunkData) mark(column int, version uint32) {
	if at := &r.versions[column]; atomic.LoadUint32(at) != version {
		atomic.StoreUint32(at, version)
		r.arch.raiseNewestVersion(column, version)
	}
}

// markIfOlder does the same as mark, but is small enough to be inlined: it calls mark only if the
// column has another version.
func (r *chunkData) markIfOlder(column int, version uint32) {
	if atomic.LoadUint32(&r.versions[column]) != version {
		r.mark(column, version)
	}
}

// markThrough is like mark, for a write to a column of meta entities that was made through one of their
// chunks. The caller marks that chunk itself. The other chunks of these meta entities have not changed.
func (r *chunkData) markThrough(column int, version uint32) {
	if at := &r.throughVersions[column]; atomic.LoadUint32(at) != version {
		atomic.StoreUint32(at, version)
		r.arch.raiseNewestVersion(column, version)
	}
}

// changedAt returns the version at which write access to a column was last given, directly or
// through a chunk.
func (r *chunkData) changedAt(column int) uint32 {
	v := loadVersion(&r.versions[column])
	if len(r.throughVersions) > 0 {
		return newerNonZero(v, loadVersion(&r.throughVersions[column]))
	}
	return v
}

// markSoleWriter does the work of mark for a column that a single worker writes. It makes an ordinary store,
// which does not wait for earlier stores as an atomic store does. Code that reads the version either runs
// after the job, or has not declared its access. It is not necessary that the race detector reports the
// second case.
func (r *chunkData) markSoleWriter(column int, version uint32) {
	if raceEnabled {
		r.mark(column, version)
		return
	}
	r.versions[column] = version
	r.arch.raiseNewestVersion(column, version)
}

// emptiedChunks holds the chunks that have lost their last row while consecutive commands are played. Such a
// chunk may be the only chunk of its archetype, and then the next row of the archetype is put into the same
// chunk. So the chunk is not freed until these commands have been played. Otherwise, a chunk would be created
// and freed for each entity that gets a component only for a short time.
type emptiedChunks struct {
	active bool
	chunks []*chunkData
}

// keepsForNow reports whether the empty chunk r must not be freed yet.
func (l *emptiedChunks) keepsForNow(r *chunkData) bool {
	if !l.active || len(r.arch.chunks) > 1 {
		return false
	}
	if n := len(l.chunks); n == 0 || l.chunks[n-1] != r {
		l.chunks = append(l.chunks, r)
	}
	return true
}
