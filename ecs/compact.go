package ecs

// memoryRoom is what package ecs/memory is made of, where it has its comments.
type memoryRoom struct{}

// CompactAbove is memory.CompactAbove.
func (memoryRoom) CompactAbove(share float64, bytes int) Option {
	if !(share >= 0 && share <= 1) || bytes < 0 {
		panic(fault(ErrArgument, "memory.CompactAbove", "a share of %v and %d bytes: shares are 0 to 1, and bytes no fewer than 0", share, bytes))
	}
	return func(w *World) { w.tidy = tidy{on: share < 1, share: share, bytes: bytes} }
}

// Compact is memory.Compact.
func (memoryRoom) Compact(w *World) error {
	const op = "memory.Compact"
	if err := noneApart(w, op); err != nil {
		return err
	}
	if err := w.change(op); err != nil {
		return err
	}
	w.compact()
	w.finish()
	return nil
}

// noneApart returns an error if there is no world, or memory that no chunk has yet.
func noneApart(w *World, op string) error {
	if w == nil {
		return noWorld(op)
	}
	if w.memory != nil && w.memory.Apart() > 0 {
		return w.fault(ErrState, op, "an image that was made for the world has memory of it: Restore or Release the image first, see images.Builder.State")
	}
	return nil
}

// Defragment is memory.Defragment.
func (memoryRoom) Defragment(w *World) error {
	const op = "memory.Defragment"
	if err := noneApart(w, op); err != nil {
		return err
	}
	if err := w.change(op); err != nil {
		return err
	}
	for _, headed := range [...]bool{true, false} { // first chunks that end meta entities
		for _, a := range w.archetypes {
			if (a.meta != nil) == headed {
				w.joinChunks(a)
			}
		}
	}
	w.compact()
	w.finish()
	return nil
}
