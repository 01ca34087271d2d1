package ecs

import "sync/atomic"

// Versions say when something changed. The world's version grows with every
// update of a system; a chunk notes it for each component when write access to
// the component is given, and for its rows when some come or go. Versions wrap
// around, so they are compared by difference.

// newer returns the more recent of two versions.
func newer(a, b uint32) uint32 {
	if int32(b-a) > 0 {
		return b
	}
	return a
}

// changedSince reports whether version v is more recent than required. A
// required version of 0 is that of somebody who has seen nothing: everything has
// changed.
func changedSince(v, required uint32) bool {
	return required == 0 || int32(v-required) > 0
}

// Version returns the world's global version. It starts at 1, grows with every
// update, and is never 0.
func (w *World) Version() uint32 { return w.version }

// bump moves the world's version on.
func (w *World) bump() {
	if w.version++; w.version == 0 {
		w.version = 1
	}
}

// ChangeVersion returns the global version at which write access to T in the
// chunk of e was last given; 0 if e has no T.
func ChangeVersion[T any](w *World, e Entity) uint32 {
	s := w.entities.find(e)
	if s == nil {
		w.away("ChangeVersion")
		return 0
	}
	r := w.records[s.record]
	if i := r.arch.find(keyOf[T]()); i >= 0 {
		return r.changedAt(i)
	}
	return 0
}

// OrderVersion returns the global version at which a row of e's chunk last came
// or went; 0 if e does not exist.
func (w *World) OrderVersion(e Entity) uint32 {
	if s := w.entities.find(e); s != nil {
		return w.records[s.record].order
	}
	w.away("OrderVersion")
	return 0
}

// OrderCount returns how often rows that have T came or went, or their chunks
// were relabelled, counted in batches: creating and destroying count once,
// adding and removing a component twice, for leaving and for entering.
func OrderCount[T any](w *World) uint32 {
	w.away("OrderCount")
	n := uint32(0)
	for _, a := range w.archetypes {
		if a.find(keyOf[T]()) >= 0 {
			n += a.orders
		}
	}
	return n
}

// OrderCount returns how often rows of the archetypes that the query matches came
// or went, as the function of that name counts; of a query with [Only], rows that have
// the value. Other filters are not heeded. It never runs back.
func (q *Query) OrderCount() uint32 {
	q.world.away("Query.OrderCount")
	n := uint32(0)
	for _, m := range q.matches {
		n += m.orders()
	}
	return n
}

// CrossingCount returns how many rows of the archetypes that the query matches have
// come from other worlds, or gone there, by [World.MoveFrom] and
// [World.MoveMatchingFrom]. It never runs back: while it stays as it is, no reference
// between such entities was lost in a move.
func (q *Query) CrossingCount() uint32 {
	n := uint32(0)
	for _, m := range q.matches {
		n += m.arch.crossings
	}
	return n
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

// newest is newer for versions of which 0 is that of nothing.
func newest(a, b uint32) uint32 {
	if a == 0 || b == 0 {
		return a | b
	}
	return newer(a, b)
}

// markOwn is mark for a column that one worker has to itself: a store that does
// not wait for all those before it, as an atomic one does. Whoever looks at the
// version comes after the job, unless he did not say that he would look, which the
// race detector need not hear of.
func (r *record) markOwn(column int, version uint32) {
	if race {
		r.mark(column, version)
		return
	}
	r.versions[column] = version
	r.arch.mark(column, version)
}

// mark notes the same for the archetype: a column that was not marked since some
// version has no chunk that was, but for those whose rows came since. Jobs on one
// column can be of several versions at a time only through look-ups; the newest
// stays. One that is ahead by more than jobs can be is not new, but very old.
func (a *archetype) mark(column int, version uint32) {
	at := &a.newest[column]
	for {
		old := atomic.LoadUint32(at)
		if old != 0 && old-version < 1<<30 || atomic.CompareAndSwapUint32(at, old, version) {
			return
		}
	}
}

// still reports whether no column of a that is listed was marked, and no row of
// it came or went, since the given version: no chunk of it can pass a filter.
func (a *archetype) still(columns []int, since uint32) bool {
	if changedSince(a.order, since) {
		return false
	}
	for _, i := range columns {
		if changedSince(loadVersion(&a.newest[i]), since) {
			return false
		}
	}
	return true
}

// loadVersion reads a change version that jobs may be writing.
func loadVersion(at *uint32) uint32 { return atomic.LoadUint32(at) }
