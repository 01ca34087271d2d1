package ecs

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// takeRecord returns a record without a chunk.
func (t *tables) takeRecord() *record {
	if last := len(t.spare) - 1; last >= 0 {
		r := t.spare[last]
		t.spare = t.spare[:last]
		return r
	}
	if len(t.fresh) == 0 {
		t.fresh = make([]record, min(max(len(t.records), 1), 64))
	}
	r := &t.fresh[0]
	t.fresh = t.fresh[1:]
	r.id = int32(len(t.records))
	t.records = append(t.records, r)
	return r
}

// newRecord appends a chunk to archetype a. It has memory for at least n rows, or is a full chunk.
func (t *tables) newRecord(a *archetype, g *group, n int) *record {
	r := t.takeRecord()
	switch {
	case g.chunks == 0:
		r.Place = t.memory.Take(a.shape, n)
	case len(a.chunks) > 0:
		r.Place = t.memory.TakeFull(a.shape, &a.chunks[len(a.chunks)-1].Place)
	default:
		r.Place = t.memory.TakeFull(a.shape, nil)
	}
	t.enlist(r, a, g)
	clear(r.versions)
	if r.through = r.through[:0]; a.isMeta {
		r.through = resize(r.through, len(a.columns))
	}
	r.spills = resize(r.spills, a.spills)
	if a.switches > 0 {
		r.switches = newSwitches(r.switches, a.switches, r.Rows())
	}
	if a.managed > 0 {
		r.objects = newAllObjects(a, r.Rows())
	}
	if guard {
		poisonRows(r, 0, r.Rows())
	}
	if a.meta != nil {
		t.newMeta(r)
	}
	return r
}

// enlist makes r the last chunk of archetype a, in group g, and copies its versions into the table of a.
func (t *tables) enlist(r *record, a *archetype, g *group) {
	own := a.nextVersions()
	copy(own, r.versions)
	r.versions = own
	t.enlistPlaced(r, a, g)
}

// enlistPlaced is enlist for a chunk whose versions are already at [archetype.nextVersions].
func (t *tables) enlistPlaced(r *record, a *archetype, g *group) {
	r.arch, r.group, r.index, r.room = a, g, len(a.chunks), -1
	a.chunks = append(a.chunks, r)
	if a.shared > 0 {
		g.join(r)
	}
	if g.chunks++; g.chunks == 1 && len(g.values) > 0 {
		a.retain(g)
	}
	if r.n < a.capacity {
		r.open()
	}
	t.listing++
}

// delist removes r, which has no versions any more, from its archetype; the last chunk takes its place.
func (t *tables) delist(r *record) {
	a := r.arch
	r.close()
	last := len(a.chunks) - 1
	if end := a.chunks[last]; end != r {
		a.chunks[r.index], end.index = end, r.index
		copy(r.versions, end.versions)
		end.versions = r.versions
	}
	r.versions = nil
	a.chunks[last] = nil
	a.chunks = a.chunks[:last]
	if a.shared > 0 {
		r.group.leave(r)
	}
	if r.group.chunks--; r.group.chunks == 0 && len(r.group.values) > 0 {
		a.unretain(r.group)
		if a.counting != nil {
			a.counting.ended(r.group)
		}
		a.groups.drop(r.group)
	}
	t.listing++
}

// freeRecord gives back an empty chunk.
func (t *tables) freeRecord(r *record) {
	t.delist(r)
	bytes := t.memory.Reserved()
	t.memory.Give(r.Place)
	if t.memory.Reserved() < bytes {
		t.readers.forgetMemory() // a loop may have shown the freed slab last
	}
	clear(r.spills)
	r.Place, r.arch, r.group, r.objects = table.Place{}, nil, nil, nil
	t.spare = append(t.spare, r)
	if !r.meta.IsZero() {
		t.endMeta(r)
	}
}

// claim takes up to n free rows for archetype a and group g, in the first chunk with free rows or in a new
// one. The rows have no ids and hold old data.
func (t *tables) claim(a *archetype, g *group, n int) span {
	var r *record
	if len(g.room) > 0 {
		r = g.room[0]
	} else {
		r = t.newRecord(a, g, n)
	}
	return t.claimIn(r, n)
}

// claimIn takes up to n free rows of r.
func (t *tables) claimIn(r *record, n int) span {
	a := r.arch
	s := span{r, r.n, min(n, a.capacity-r.n)}
	if r.n+s.n > r.Rows() {
		t.grow(r, r.n+s.n)
	}
	r.n += s.n
	a.rows += s.n
	if r.n == a.capacity {
		r.close()
	}
	t.moved(r)
	return s
}

// grow gives a chunk memory for at least n rows.
func (t *tables) grow(r *record, n int) {
	t.memory.Grow(&r.Place, r.n, n)
	r.fit()
}

// fit resizes the data of a chunk outside of its lanes to its number of rows.
func (r *record) fit() {
	for i := range r.arch.switches {
		r.switches[i].fit(r.Rows())
	}
	for i := range r.arch.managed {
		r.objects[i].fit(r.n, r.Rows())
	}
	for i := range r.spills {
		r.spills[i].fit(r.n, r.Rows())
	}
	if guard {
		poisonRows(r, r.n, r.Rows())
	}
}

// moved notes that rows of r came or went.
func (t *tables) moved(r *record) {
	if guard {
		t.touched(r)
	}
	if race {
		announce(r)
	}
	a, version := r.arch, t.gate.version
	r.order = version
	if a.order != version { // otherwise it is noted already: see changeSummary
		a.order = version
		a.noteChange(version)
	}
	a.orders++
	r.group.orders++
}

// zero clears the lanes of a range of rows.
func (s span) zero() {
	if a := s.rec.arch; s.n == 1 && a.plain {
		a.copy.Zero(&s.rec.Base, s.first)
		return
	}
	for i := range s.rec.arch.columns {
		s.rec.arch.columns[i].zero(s)
	}
}

// zero clears the column's lanes in a range of rows, and turns the rows on.
func (c *column) zero(s span) {
	if c.bit >= 0 {
		s.rec.switches[c.bit].fill(s.first, s.n)
	}
	if c.object >= 0 {
		s.rec.objects[c.object].clear(s.first, s.n)
	}
	if s.n == 1 {
		s.rec.ZeroRow(c.lanes, s.first)
		return
	}
	for _, l := range c.lanes {
		clear(s.rec.Bytes(l, s.first, s.n))
	}
}

// touchAll marks every column of r as changed.
func (t *tables) touchAll(r *record) {
	version := t.gate.version
	for i := range r.versions {
		r.versions[i] = version
	}
}

// drop removes a range of rows from its chunk: rows from the end fill the gap, in order. The entities of
// the range must have moved or been destroyed before.
func (t *tables) drop(s span) {
	r := s.rec
	if s.n == 1 && r.arch.plain {
		t.dropRow(r, s.first)
		return
	}
	end := r.n - s.n // rows left
	if k := min(s.n, end-s.first); k > 0 {
		from := r.n - k
		r.arch.copy.Rows(&r.Place, s.first, &r.Place, from, k)
		for i := range r.spills {
			r.spills[i].copyWithin(s.first, from, k)
		}
		for i := range r.arch.switches {
			r.switches[i].copy(s.first, &r.switches[i], from, k)
		}
		for i := range r.arch.managed {
			r.objects[i].copy(s.first, &r.objects[i], from, k)
		}
		tail := r.ids()[from:r.n]
		copy(r.ids()[s.first:], tail)
		t.entities.place(tail, r.id, s.first)
	}
	for i := range r.spills {
		r.spills[i].clear(end, s.n)
	}
	for i := range r.arch.switches {
		r.switches[i].clear(end, s.n)
	}
	for i := range r.arch.managed {
		r.objects[i].clear(end, s.n)
	}
	t.shorten(r, s.n)
}

// endRows destroys the entities of a range of rows, without regard to cleanup.
func (t *tables) endRows(s span) {
	t.entities.release(s.ids())
	t.drop(s)
}

// shorten removes the last n rows from a chunk; a chunk without rows ends.
func (t *tables) shorten(r *record, n int) {
	wasFull := r.n == r.arch.capacity
	end := r.n - n
	r.n = end
	r.arch.rows -= n
	t.moved(r)
	switch {
	case end == 0 && !t.late.keeps(r):
		t.freeRecord(r)
	case wasFull:
		r.open()
	}
	if guard && end > 0 {
		poisonRows(r, end, r.Rows())
	}
}

// newAllObjects returns the managed columns for a chunk of archetype a with n rows.
func newAllObjects(a *archetype, n int) []objects {
	list := make([]objects, a.managed)
	for i := range a.columns {
		if c := &a.columns[i]; c.object >= 0 {
			list[c.object] = newObjects(c.comp.typ, n)
		}
	}
	return list
}

// record is the state of one chunk in addition to its rows.
type record struct {
	// The fields that each edit of a row reads are side by side.
	table.Place
	arch  *archetype
	n     int // live rows
	group *group
	id    int32  // chunk number in the world, to which slots refer
	order uint32 // version of the world when a row last came or went

	versions []uint32   // for each column of arch the version of the world at the last write; part of the archetype's table
	index    int        // in arch.chunks
	room     int        // in group.room, or -1 if the chunk is full
	member   int        // in group.list, for an archetype with shared columns
	spills   []spill    // heap storage of buffers, one for each buffer column of arch
	switches []switches // one for each enableable column of arch
	objects  []objects  // one for each managed column of arch
	meta     Entity     // has its chunk components, if there are any
	through  []uint32   // for meta entities: versions of writes through their chunks
	guardRecord
}

// The owner writes versions and through, and so do jobs that write the column. The stores are atomic,
// because several jobs may write the same column of a chunk through lookups. Filters and the owner read
// them after those jobs, because the access tracker orders them.

// open appends r to its group's chunks with free rows.
func (r *record) open() {
	r.room = len(r.group.room)
	r.group.room = append(r.group.room, r)
}

// close removes r from the chunks with free rows; the last one takes its place.
func (r *record) close() {
	if r.room < 0 {
		return
	}
	room := r.group.room
	last := len(room) - 1
	room[r.room] = room[last]
	room[r.room].room = r.room
	room[last] = nil
	r.group.room = room[:last]
	r.room = -1
}

// span is a range of rows of one chunk.
type span struct {
	rec      *record
	first, n int
}

// mark notes that write access to a column was given. Jobs on several workers may mark the same column of
// a chunk through lookups, therefore the store is atomic. It is skipped if the version is the same
// already, because stores to a shared cache line are slow.
func (r *record) mark(column int, version uint32) {
	if at := &r.versions[column]; atomic.LoadUint32(at) != version {
		atomic.StoreUint32(at, version)
		r.arch.mark(column, version)
	}
}

// markThrough is mark for a column of meta entities that is written through one of their chunks. The chunk
// is marked itself; the other chunks of these meta entities have not changed.
func (r *record) markThrough(column int, version uint32) {
	if at := &r.through[column]; atomic.LoadUint32(at) != version {
		atomic.StoreUint32(at, version)
		r.arch.mark(column, version)
	}
}

// changedAt returns the version at which write access to a column was last given, in either way.
func (r *record) changedAt(column int) uint32 {
	v := loadVersion(&r.versions[column])
	if len(r.through) > 0 {
		return newest(v, loadVersion(&r.through[column]))
	}
	return v
}

// markOwn is mark for a column that a single worker writes. Its plain store does not wait for earlier
// stores, as an atomic store does. A reader of the version comes after the job, or has not declared its
// access; the race detector need not report the latter.
func (r *record) markOwn(column int, version uint32) {
	if race {
		r.mark(column, version)
		return
	}
	r.versions[column] = version
	r.arch.mark(column, version)
}

// late is the chunks that have lost their last row during the playback of neighbouring commands. If the
// only chunk of an archetype loses it, the archetype gets its next row in the same chunk. The chunk
// therefore stays until the playback ends: otherwise entities that get a component for a moment would
// begin and end a chunk each.
type late struct {
	on   bool
	list []*record
}

// keeps reports whether the empty chunk r stays for now.
func (l *late) keeps(r *record) bool {
	if !l.on || len(r.arch.chunks) > 1 {
		return false
	}
	if n := len(l.list); n == 0 || l.list[n-1] != r {
		l.list = append(l.list, r)
	}
	return true
}
