package ecs

// CompactAbove is an option that makes [World.Sync] call [Compact] when much of the world's memory belongs
// to no chunk. A world with systems calls Sync at the end of each frame. The unused memory is Stats.Bytes
// less Stats.Live; Sync calls Compact if that exceeds share, a fraction of Stats.Bytes from 0 to 1, and is
// at least the given number of bytes. Both numbers are the same on every machine and with any number of
// workers. Such a Sync is a structural change, which ends views. Sync does not call Compact where a
// structural change is refused, for example in a loop over chunks. Without this option, or with a share of
// 1, it never does.
//
// An Option is a function, so CompactAbove(0.5, 8<<20)(w) sets the option of an existing world. It panics
// with an *Error if share is not within 0 to 1, or bytes is below 0.
func CompactAbove(share float64, bytes int) Option {
	if !(share >= 0 && share <= 1) || bytes < 0 {
		panic(fault(ErrArgument, "CompactAbove", "a share of %v and %d bytes: shares are 0 to 1, and bytes no fewer than 0", share, bytes))
	}
	return func(w *World) { w.autoCompact = autoCompact{enabled: share < 1, freeShare: share, freeBytes: bytes} }
}

// Compact moves all chunks to new memory, side by side in the order of loops, and gives all other memory
// back to the Go heap. A chunk with few rows gets a small piece if it is the only chunk of its archetype,
// or of its shared values. Call it when a world has become much smaller, or after many random changes. It
// takes about as long as a copy of all rows, and twice the memory while it works.
//
// Compact is a structural change and ends views. Rows stay in their chunks, in their order, and the hash
// stays the same. [Stats] shows the difference. Rows of every chunk count as having come or gone, for
// [OrderChanged] and [Query.OrderCount], because addresses of columns that a program has kept are no
// longer valid. The error is of category [ErrState] if w cannot be changed now, or while an image that was
// made for w has a part of its memory (see ImageBuilder.AddState).
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

// checkNoneDetached returns an error if w is nil, or if an image that was made for w has a part of its memory.
func checkNoneDetached(w *World, op string) error {
	if w == nil {
		return noWorldError(op)
	}
	if w.tables.memory != nil && w.tables.memory.Detached() > 0 {
		return w.gate.fault(ErrState, op, "an image that was made for the world has memory of it: Restore or Release the image first, see ImageBuilder.AddState")
	}
	return nil
}

// Defragment joins chunks that are not full, so that each archetype, and each combination of shared values
// in it, has as few chunks as its rows need. Then it does the work of [Compact]. Call it after many
// entities have been destroyed here and there, because loops over half-empty chunks take twice as long for
// each row.
//
// Unlike Compact it changes the result of later operations: rows move, so that loops visit them in another
// order, and the hash changes. The fullest chunks stay, in their order; of two equally full chunks the
// first one stays. The rows of the others are appended to them. So the fewest rows move, and the same ones
// on all machines, with any number of workers. It is a structural change and ends views. The errors are
// those of Compact.
//
// Entities keep their ids and components. No value counts as written. A chunk that rows move to gets the
// later change version of both chunks, so that a query with [Changed] misses no change. For [OrderChanged],
// rows of both have come or gone. Moved rows get the chunk components ([PerChunk]) of their new chunk.
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

// autoCompact is when Sync calls Compact.
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

// compactIfDue calls Compact if that is due and can be.
func (w *World) compactIfDue() {
	if w.gate.activeLoops == 0 && w.autoCompact.isDue(&w.tables) && Compact(w) == nil {
		w.autoCompact.listEpoch = w.tables.listEpoch
	}
}
