package ecs

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

// autoCompact is when Sync calls Compact.
type autoCompact struct {
	on      bool
	share   float64
	bytes   int
	listing uint32 // of the world when it did last: until chunks come or go it gains nothing
}

// due reports whether the memory that no chunk has is more than wanted.
func (t *autoCompact) due(w *tables) bool {
	bytes := w.memory.Reserved()
	idle := bytes - w.memory.Live()
	return idle > 0 && idle >= t.bytes && float64(idle) > t.share*float64(bytes) && t.listing != w.listing
}

// compactIfDue calls Compact if that is due and can be.
func (w *World) compactIfDue() {
	if w.gate.visiting == 0 && w.autoCompact.due(&w.tables) && Compact(w) == nil {
		w.autoCompact.listing = w.tables.listing
	}
}
