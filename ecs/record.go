package ecs

import (
	"sync/atomic"

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

	versions []uint32   // global version at the last write, one a column of arch; part of its table
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

// The versions, and through, are written by the owner and by jobs that write the column, of which several may
// have the chunk by look-ups: atomically. Filters and the owner read them behind those jobs, by the order of the tracker.

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

// mark notes that write access to a column was given. Jobs may mark the same
// column of a chunk from several workers, through look-ups, hence the atomic
// store; it is only done when it changes something.
func (r *record) mark(column int, version uint32) {
	if at := &r.versions[column]; atomic.LoadUint32(at) != version {
		atomic.StoreUint32(at, version)
		r.arch.mark(column, version)
	}
}

// markThrough is mark for a column of meta entities that is written through one of
// their chunks, which is marked itself: the other chunks have not changed.
func (r *record) markThrough(column int, version uint32) {
	if at := &r.through[column]; atomic.LoadUint32(at) != version {
		atomic.StoreUint32(at, version)
		r.arch.mark(column, version)
	}
}

// changedAt returns the version at which write access to a column was last given,
// in whatever way.
func (r *record) changedAt(column int) uint32 {
	v := loadVersion(&r.versions[column])
	if len(r.through) > 0 {
		return newest(v, loadVersion(&r.through[column]))
	}
	return v
}

// markOwn is mark for a column that one worker has to itself: a store that does
// not wait for all those before it, as an atomic one does. What looks at the
// version comes after the job, unless it did not declare that it would, which the
// race detector need not hear of.
func (r *record) markOwn(column int, version uint32) {
	if race {
		r.mark(column, version)
		return
	}
	r.versions[column] = version
	r.arch.mark(column, version)
}
