package ecs

import (
	"encoding/binary"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// record is what a world knows of one chunk beside its rows.
type record struct {
	// What each edit of a row looks at is together.
	table.Place
	arch  *archetype
	n     int // live rows
	group *group
	id    int32  // in the world: what slots refer to
	order uint32 // global version at the last row that came or went

	versions []uint32   // global version at the last write, one a column of arch
	index    int        // in arch.chunks
	room     int        // in group.room, or -1 when the chunk is full
	member   int        // in group.list, of an archetype with shared columns
	spills   []spill    // heap storage of buffers, one a buffer column of arch
	switches []switches // one an enableable column of arch
	objects  []objects  // one a managed column of arch
	meta     Entity     // holds its chunk components, if there are any
	through  []uint32   // of meta entities: versions of writes through their chunks
	guardRecord
}

// group is the chunks of an archetype that share the same shared values; an
// archetype without shared components has one.
type group struct {
	values []int32   // indices into the stores, one a shared column
	room   []*record // chunks with free rows; new rows go to the first
	list   []*record // all chunks, in no order, if there are shared columns
	places []int32   // in the lists of posts, of columns that have some
	chunks int
	number int    // among those that the archetype ever had
	orders uint32 // how often rows came or went, in batches
}

// groups finds the groups of an archetype.
type groups struct {
	only  group             // of an archetype without shared components
	byKey map[string]*group // of the others
	made  int               // how many of these there ever were
	key   []byte

	posted []posts // of shared columns
}

// of returns the group with the given values, making it when it is new.
func (g *groups) of(values []int32) *group {
	if len(values) == 0 {
		return &g.only
	}
	g.key = g.key[:0]
	for _, v := range values {
		g.key = binary.LittleEndian.AppendUint32(g.key, uint32(v))
	}
	if own := g.byKey[string(g.key)]; own != nil {
		return own
	}
	if g.byKey == nil {
		g.byKey = map[string]*group{}
	}
	own := &group{values: append([]int32(nil), values...), number: g.made}
	g.made++
	g.byKey[string(g.key)] = own
	for at := range g.posted {
		g.posted[at].add(own, at)
	}
	return own
}

// find returns the group with the given values, or nil.
func (g *groups) find(values []int32) *group {
	var room [4 * maxShared]byte
	key := room[:0]
	for _, v := range values {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	return g.byKey[string(key)]
}

// drop forgets a group without chunks.
func (g *groups) drop(own *group) {
	if len(own.values) == 0 {
		return
	}
	g.key = g.key[:0]
	for _, v := range own.values {
		g.key = binary.LittleEndian.AppendUint32(g.key, uint32(v))
	}
	delete(g.byKey, string(g.key))
	for at := range g.posted {
		g.posted[at].drop(own, at)
	}
}

// takeRecord takes a record that has no place.
func (w *World) takeRecord() *record {
	if last := len(w.spare) - 1; last >= 0 {
		r := w.spare[last]
		w.spare = w.spare[:last]
		return r
	}
	if len(w.fresh) == 0 {
		w.fresh = make([]record, min(max(len(w.records), 1), 64))
	}
	r := &w.fresh[0]
	w.fresh = w.fresh[1:]
	r.id = int32(len(w.records))
	w.records = append(w.records, r)
	return r
}

// newRecord takes memory and a record, and appends the chunk to archetype a. There is
// room for n rows at least, or for a full chunk.
func (w *World) newRecord(a *archetype, g *group, n int) *record {
	r := w.takeRecord()
	switch {
	case g.chunks == 0:
		r.Place = w.memory.Take(a.shape, n)
	case len(a.chunks) > 0:
		r.Place = w.memory.TakeFull(a.shape, &a.chunks[len(a.chunks)-1].Place)
	default:
		r.Place = w.memory.TakeFull(a.shape, nil)
	}
	w.enlist(r, a, g)
	r.versions = resize(r.versions, len(a.columns))
	if r.through = r.through[:0]; a.heads {
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
		w.newMeta(r)
	}
	return r
}

// enlist makes r the last chunk of archetype a, in group g.
func (w *World) enlist(r *record, a *archetype, g *group) {
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
	w.listing++
}

// delist takes r out of its archetype; the last chunk takes its place.
func (w *World) delist(r *record) {
	a := r.arch
	r.close()
	last := len(a.chunks) - 1
	a.chunks[r.index] = a.chunks[last]
	a.chunks[r.index].index = r.index
	a.chunks[last] = nil
	a.chunks = a.chunks[:last]
	if a.shared > 0 {
		r.group.leave(r)
	}
	if r.group.chunks--; r.group.chunks == 0 && len(r.group.values) > 0 {
		a.unretain(r.group)
		a.ended(r.group)
		a.groups.drop(r.group)
	}
	w.listing++
}

// freeRecord gives back an empty chunk.
func (w *World) freeRecord(r *record) {
	w.delist(r)
	w.memory.Give(r.Place)
	clear(r.spills)
	r.Place, r.arch, r.group, r.objects = table.Place{}, nil, nil, nil
	w.spare = append(w.spare, r)
	if !r.meta.Null() {
		w.endMeta(r)
	}
}

// open puts r at the end of its group's chunks with room.
func (r *record) open() {
	r.room = len(r.group.room)
	r.group.room = append(r.group.room, r)
}

// close takes r out of the chunks with room; the last one takes its place.
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

// span is a run of rows of one chunk.
type span struct {
	rec      *record
	first, n int
}

// claim takes up to n free rows for archetype a and group g: in the first chunk
// that has room, or in a new one. The rows have no ids and hold old data.
func (w *World) claim(a *archetype, g *group, n int) span {
	var r *record
	if len(g.room) > 0 {
		r = g.room[0]
	} else {
		r = w.newRecord(a, g, n)
	}
	return w.claimIn(r, n)
}

// claimIn takes up to n free rows of r.
func (w *World) claimIn(r *record, n int) span {
	a := r.arch
	s := span{r, r.n, min(n, a.capacity-r.n)}
	if r.n+s.n > r.Rows() {
		w.grow(r, r.n+s.n)
	}
	r.n += s.n
	a.rows += s.n
	if r.n == a.capacity {
		r.close()
	}
	w.moved(r)
	return s
}

// grow gives a chunk memory for n rows, and for more than that.
func (w *World) grow(r *record, n int) {
	w.memory.Grow(&r.Place, r.n, n)
	r.fit()
}

// fit gives what a chunk has beside its lanes room for as many rows as these.
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
func (w *World) moved(r *record) {
	if guard {
		w.touched(r)
	}
	if race {
		announce(r)
	}
	r.order, r.arch.order = w.version, w.version
	r.arch.orders++
	r.group.orders++
}

// zero clears the lanes of a run of rows.
func (s span) zero() {
	if a := s.rec.arch; s.n == 1 && a.plain {
		a.copy.Zero(&s.rec.Base, s.first)
		return
	}
	for i := range s.rec.arch.columns {
		s.rec.arch.columns[i].zero(s)
	}
}

// zero clears the column's lanes in a run of rows, and turns them on.
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
func (w *World) touchAll(r *record) {
	for i := range r.versions {
		r.versions[i] = w.version
	}
}

// drop takes the run out of its chunk: rows from the end fill the hole, in
// order. The entities of the run must be elsewhere by now, or gone.
func (w *World) drop(s span) {
	r := s.rec
	if s.n == 1 && r.arch.plain {
		w.dropRow(r, s.first)
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
		w.entities.place(tail, r.id, s.first)
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
	w.shorten(r, s.n)
}

// shorten takes the last n rows from a chunk; a chunk without rows ends.
func (w *World) shorten(r *record, n int) {
	wasFull := r.n == r.arch.capacity
	end := r.n - n
	r.n = end
	r.arch.rows -= n
	w.moved(r)
	switch {
	case end == 0:
		w.freeRecord(r)
	case wasFull:
		r.open()
	}
	if guard && end > 0 {
		poisonRows(r, end, r.Rows())
	}
}

// resize returns s with n zero elements, in the same memory where it fits.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
