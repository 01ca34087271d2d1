package ecs

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// CompactAbove is an option that makes [World.Sync], which ends each frame of a world with systems, call
// [Compact] when a large part of the world's slabs belongs to no chunk: more than the given share of their
// bytes, and at least the given number of bytes. That part is Stats.Bytes less Stats.Live. Both numbers
// are the same on every machine and with any number of workers. Such
// a Sync is a structural change, which ends views. Where there cannot be one, as in a loop over
// chunks, Sync does not call Compact. Without this option, or with a share of 1, no Sync does.
//
// An Option is a function, so CompactAbove(0.5, 8<<20)(w) sets the option of an existing world. It
// panics with an *Error if the share is not 0 to 1, or bytes is below 0.
func CompactAbove(share float64, bytes int) Option {
	if !(share >= 0 && share <= 1) || bytes < 0 {
		panic(fault(ErrArgument, "CompactAbove", "a share of %v and %d bytes: shares are 0 to 1, and bytes no fewer than 0", share, bytes))
	}
	return func(w *World) { w.autoCompact = autoCompact{on: share < 1, share: share, bytes: bytes} }
}

// Compact moves all chunks to new memory, where they lie side by side in the order of loops,
// and gives all other memory back to the Go heap. Chunks with few rows get small pieces if they are alone in their archetype, or the only ones with their shared
// values. Call it when
// a world has become much smaller, or has been changed at random for long. It takes about as
// long as a copy of all rows, and twice the memory while it works.
//
// It is a structural change, so views end, but rows stay in their chunks, in their order, and the
// hash stays the same. [Stats] shows the difference. Rows of every chunk count as having come
// or gone, for [OrderChanged] and [Query.OrderCount], because columns that a program has kept lie elsewhere now.
func Compact(w *World) error {
	const op = "Compact"
	if err := noneApart(w, op); err != nil {
		return err
	}
	if err := w.change(op); err != nil {
		return err
	}
	w.tables.compact()
	w.finish()
	return nil
}

// noneApart returns an error if there is no world, or memory that no chunk has yet.
func noneApart(w *World, op string) error {
	if w == nil {
		return noWorld(op)
	}
	if w.tables.memory != nil && w.tables.memory.Apart() > 0 {
		return w.gate.fault(ErrState, op, "an image that was made for the world has memory of it: Restore or Release the image first, see ImageBuilder.AddState")
	}
	return nil
}

// Defragment joins chunks that are not full, so that each archetype, and each shared value in it,
// has as few chunks as its rows need. Then it does what [Compact] does. Call it after many entities have been destroyed here and there, because
// loops over half-empty chunks take twice as long for each row.
//
// It is a structural change, and unlike Compact a visible one: rows move, so loops meet
// them in another order, and the hash changes. The fullest chunks stay, in their order,
// of equally full ones the first, and the rows of the others go behind theirs. So the
// fewest rows move, and the same ones on all machines, with any number of workers. Entities keep their ids and components. No value counts as written: the
// chunk that rows move to becomes as new as the newer one of both chunks for [Changed], so that no change is
// missed, and for [OrderChanged] rows have come and gone. Moved rows have the chunk components
// ([PerChunk]) of the chunk that they come to.
func Defragment(w *World) error {
	const op = "Defragment"
	if err := noneApart(w, op); err != nil {
		return err
	}
	if err := w.change(op); err != nil {
		return err
	}
	for _, headed := range [...]bool{true, false} { // first chunks that end meta entities
		for _, a := range w.tables.archetypes {
			if (a.meta != nil) == headed {
				w.tables.joinChunks(a)
			}
		}
	}
	w.tables.compact()
	w.finish()
	return nil
}

// joinChunks moves rows of an archetype together, until of each group there are as few chunks
// as there can be.
func (w *tables) joinChunks(a *archetype) {
	if len(a.chunks) < 2 {
		return
	}
	groups := w.scratch.joined[:0]
	for _, r := range a.chunks { // in order: that of a map is another one each time
		if room := r.group.room; len(room) > 1 && room[0] == r {
			groups = append(groups, r.group)
		}
	}
	if len(groups) == 0 {
		return
	}
	before := append(w.scratch.compacted[:0], a.chunks...)
	m := a.moveTo(a)
	for _, g := range groups {
		w.joinGroup(m, g)
	}
	a.resetVersions()
	at := 0
	for _, r := range before { // where one has ended the last one has come
		if r.arch == a {
			a.chunks[at], r.index = r, at
			a.placeVersions(r)
			at++
		}
	}
	clear(groups)
	clear(before)
	w.scratch.joined, w.scratch.compacted = groups[:0], before[:0]
}

// joinGroup is joinChunks for the chunks of one group.
func (w *tables) joinGroup(m *move, g *group) {
	list := append(w.scratch.arrived[:0], g.room...)
	rows, capacity := 0, m.to.capacity
	for _, r := range list {
		rows += r.n
	}
	kept := (rows + capacity - 1) / capacity
	slices.SortFunc(list, func(a, b *record) int { return cmp.Or(b.n-a.n, a.index-b.index) })
	at := 0
	for _, from := range list[kept:] {
		for left := from.n; left > 0; { // the record of a chunk that ends may be another's at once
			to := list[at]
			if to.n == capacity {
				at++
				continue
			}
			left -= w.joinRows(m, to, from)
		}
	}
	clear(list)
	w.scratch.arrived = list[:0]
}

// joinRows moves rows of one chunk behind those of another one of its group: the last ones,
// as many as there is room for, so that no hole is to be filled. It returns how many.
func (w *tables) joinRows(m *move, to, from *record) int {
	for i, v := range from.through {
		to.through[i] = newest(to.through[i], v)
	}
	dst := w.claimIn(to, from.n)
	part := span{from, from.n - dst.n, dst.n}
	w.copyRows(m, dst, part)
	w.drop(part)
	return dst.n
}

// due reports whether the memory that no chunk has is more than wanted.
func (t *autoCompact) due(w *tables) bool {
	bytes := w.memory.Reserved()
	idle := bytes - w.memory.Live()
	return idle > 0 && idle >= t.bytes && float64(idle) > t.share*float64(bytes) && t.listing != w.listing
}

// compact does what [Compact] says, when the world can be changed.
func (w *tables) compact() {
	w.unquarantine()
	w.readers.forget()
	list := w.scratch.arrivals[:0]
	chunks := w.scratch.compacted[:0]
	for _, a := range w.archetypes {
		for _, r := range a.chunks {
			list = append(list, table.Arrival{Place: &r.Place, Shape: a.shape, Rows: r.n})
			chunks = append(chunks, r)
		}
	}
	w.memory.Compact(list, func(i int) bool { return chunks[i].group.chunks == 1 })
	for _, r := range chunks {
		r.fit()
		w.moved(r)
	}
	clear(list)
	clear(chunks)
	w.scratch.arrivals, w.scratch.compacted = list[:0], chunks[:0]
}

// autoCompact is when Sync calls Compact.
type autoCompact struct {
	on      bool
	share   float64
	bytes   int
	listing uint32 // of the world when it did last: until chunks come or go it gains nothing
}

// Stats says what a world consists of. What it takes of the Go heap is about Bytes and Outside,
// and besides that the objects of managed components and shared values.
type Stats struct {
	Entities    int     // that exist
	Archetypes  int     // that were ever used
	Chunks      int     // that hold rows
	Rows        int     // that would fit in these chunks
	Utilisation float64 // of these rows, 0 for an empty world
	Bytes       int     // of all slabs: what the chunks have, and what is kept for others
	Live        int     // of these bytes, those of the chunks, with the room behind their last rows
	Wasted      int     // of Bytes, those in which nothing lives: that room, and what no chunk has
	Outside     int     // bytes that lie beside slabs, about: ids, lists, values, blocks of buffers
}

// Sizes of what the memory of a world consists of, in bytes.
var (
	slotBytes      = sizeOf[slot]()
	recordBytes    = sizeOf[record]()
	groupBytes     = sizeOf[group]()
	archetypeBytes = sizeOf[archetype]()
	columnBytes    = sizeOf[column]()
	matchBytes     = sizeOf[match]()
	bindBytes      = sizeOf[bind]()
	wordBytesOf    = sizeOf[uintptr]()
)

// entryBytes is what an entry of a map takes beside its key and value, about: maps are
// half full to full, and have control bytes.
const entryBytes = 16

func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// beside returns how many bytes w has beside slabs and archetypes, about.
func (w *World) beside() int {
	n := cap(w.tables.entities.slots)*slotBytes + 4*cap(w.tables.entities.free)
	n += (len(w.tables.records)+len(w.tables.fresh))*recordBytes + (cap(w.tables.records)+cap(w.tables.spare))*wordBytesOf
	n += w.tables.memory.Beside()
	for _, r := range w.tables.spare {
		n += 24 * cap(r.spills)
	}
	n += cap(w.tables.archetypes)*wordBytesOf + len(w.tables.bySet)*(2*wordBytesOf+entryBytes)
	for _, set := range w.tables.having {
		n += 8 * cap(set)
	}
	for _, s := range w.shared.stores {
		if s != nil {
			entries := len(s.byKey) + len(s.hashes)
			n += cap(s.values)*(2*wordBytesOf+4) + len(s.values)*int(s.comp.typ.Size()) + 4*cap(s.free) + entries*(3*wordBytesOf+entryBytes)
		}
	}
	for _, q := range w.queries.list {
		n += (len(q.matches)+len(q.pool))*matchBytes + cap(q.matches)*wordBytesOf + cap(q.list)*3*wordBytesOf
		for _, m := range q.matches {
			n += cap(m.binds) * bindBytes
		}
		n += cap(q.rest) * bindBytes
	}
	return n
}

// beside returns how many bytes an archetype has beside slabs and records, about.
func (a *archetype) beside() int {
	lanes := len(a.shape.Lanes())
	n := archetypeBytes + len(a.columns)*(columnBytes+wordBytesOf+4) + 20*lanes + cap(a.chunks)*wordBytesOf
	n += (len(a.adds) + len(a.removes)) * 2 * wordBytesOf
	for _, m := range a.moves {
		n += 2*archetypeBytes/3 + 12*len(m.copy.Pairs()) + 24*len(m.source) // their lists
	}
	for range a.groups.byKey {
		n += groupBytes + 4*a.shared + 4*wordBytesOf + entryBytes + 4*a.shared
	}
	n += a.table.bytes(len(a.chunks), len(a.columns))
	for _, r := range a.chunks {
		n += 4*(cap(r.versions)+cap(r.through)) + 2*wordBytesOf // and its places in lists
		for i := range r.switches {
			n += 8*cap(r.switches[i].words) + 4*wordBytesOf
		}
		for i := range r.objects {
			n += r.objects[i].rows.Len()*int(r.objects[i].rows.Type().Elem().Size()) + 6*wordBytesOf
		}
		for i := range r.spills {
			n += 3*wordBytesOf + 3*wordBytesOf*len(r.spills[i].rows)
			for _, block := range r.spills[i].rows {
				n += 8 * cap(block)
			}
		}
	}
	return n
}

// bytes returns how much memory a table takes, about, but for the versions of so many chunks of n columns each.
func (t *versionTable) bytes(chunks, n int) (all int) {
	for _, list := range [][][]uint32{t.spans, t.spare} {
		all += 3 * wordBytesOf * cap(list)
		for _, own := range list {
			all += 4 * cap(own)
		}
	}
	return all - 4*chunks*n
}
