package ecs

// CompactAbove is an option that makes [World.Sync] call [Compact] when much of the world's memory belongs
// to no chunk. A world with systems calls Sync at the end of each frame. The unused memory is Stats.Bytes
// less Stats.Live. Sync calls Compact if two conditions hold: the unused memory is at least the given
// number of bytes, and it is more than the fraction share of Stats.Bytes, where share is from 0 to 1. Both
// numbers are the same on every machine and with any number of workers. A Sync that calls Compact is a
// structural change, which makes views stale. Sync does not call Compact where a structural change is
// refused, for example in a loop over chunks. Without this option, or if share is 1, Sync never calls
// Compact.
//
// An Option is a function, so CompactAbove(0.5, 8<<20)(w) sets the option of an existing world.
// CompactAbove panics with an *Error if share is not within 0 to 1, or bytes is below 0.
func CompactAbove(share float64, bytes int) Option {
	if !(share >= 0 && share <= 1) || bytes < 0 {
		panic(fault(ErrArgument, "CompactAbove", "a share of %v and %d bytes: shares are 0 to 1, and bytes no fewer than 0", share, bytes))
	}
	return func(w *World) { w.autoCompact = autoCompact{enabled: share < 1, freeShare: share, freeBytes: bytes} }
}

// Compact moves all chunks to new memory, next to each other in the order of loops, and returns all other
// memory to the Go heap. A chunk with few rows gets a small piece of memory if it is the only chunk of
// its archetype, or of its shared values. Call Compact when a world has become much smaller, or after
// many random changes. Compact takes about as long as copying all rows, and needs twice the memory while
// it works.
//
// Compact is a structural change and makes views stale. Rows stay in their chunks and in their order, and
// the hash stays the same. [Stats] shows the difference. A program may have kept the addresses of
// columns, which are no longer valid. Therefore [OrderChanged] and [Query.OrderCount] report a Compact as
// if rows of every chunk had been added and removed. The error is of category [ErrState] if w cannot be
// changed now, or if an image that was made for w still uses a part of its memory (see
// ImageBuilder.AddState).
func Compact(w *World) error {
	const op = "Compact"
	if err := checkNoneDetached(w, op); err != nil {
		return err
	}
	if err := w.beginChange(op); err != nil {
		return err
	}
	w.tables.compact()
	w.endChange()
	return nil
}

// checkNoneDetached returns an error if w is nil, or if an image that was made for w uses a part of
// its memory.
func checkNoneDetached(w *World, op string) error {
	if w == nil {
		return noWorldError(op)
	}
	if w.tables.memory != nil && w.tables.memory.Detached() > 0 {
		return w.gate.fault(ErrState, op, "an image that was made for the world uses memory of the world: Restore or Release the image first, see ImageBuilder.AddState")
	}
	return nil
}

// Defragment joins chunks that are not full, so that each archetype has as few chunks as its rows need. If
// an archetype has shared components, this applies to each combination of shared values. Afterwards
// Defragment does the work of [Compact]. Call Defragment after many entities have been destroyed here and
// there, because loops over half-empty chunks take twice as long for each row.
//
// Unlike Compact, Defragment changes the result of later operations. Rows move, so loops visit them in
// another order, and the hash changes. The fullest chunks stay, in their order; of two equally full chunks
// the first one stays. The rows of the other chunks are appended to them. So as few rows as possible move,
// and the same rows move on all machines and with any number of workers. Defragment is a structural change
// and makes views stale. The errors are the same as for Compact.
//
// Entities keep their ids and components. No value counts as written. If rows move to a chunk, each of
// its columns gets the later change version of the two chunks, so that a query with [Changed] misses no
// change. For a query with [OrderChanged], the order of rows has changed in both chunks. Moved rows get
// the chunk components ([PerChunk]) of their new chunk.
func Defragment(w *World) error {
	const op = "Defragment"
	if err := checkNoneDetached(w, op); err != nil {
		return err
	}
	if err := w.beginChange(op); err != nil {
		return err
	}
	for _, headed := range [...]bool{true, false} { // first chunks whose end destroys a meta entity
		for _, a := range w.tables.archetypes {
			if (a.meta != nil) == headed {
				w.tables.mergeChunks(a)
			}
		}
	}
	w.tables.compact()
	w.endChange()
	return nil
}

// autoCompact holds the limits at which Sync calls Compact.
type autoCompact struct {
	enabled   bool
	freeShare float64
	freeBytes int
	listEpoch uint32 // listing of the world at the last Compact: another one gains nothing until chunks come or go
}

// isDue reports whether the memory without a chunk exceeds the limits.
func (t *autoCompact) isDue(w *tables) bool {
	bytes := w.memory.ReservedBytes()
	idle := bytes - w.memory.LiveBytes()
	return idle > 0 && idle >= t.freeBytes && float64(idle) > t.freeShare*float64(bytes) && t.listEpoch != w.listEpoch
}

// compactIfDue calls Compact if that is due and possible.
func (w *World) compactIfDue() {
	if w.gate.activeLoops == 0 && w.autoCompact.isDue(&w.tables) && Compact(w) == nil {
		w.autoCompact.listEpoch = w.tables.listEpoch
	}
}
