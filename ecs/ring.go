package ecs

// Ring keeps a world as it was in its last ticks, for rollback: Keep in each tick, and Back to one of them when
// something arrives that belongs to it. What a tick shares with its neighbour is kept once.
//
//	ring, err := ecs.NewRing(w, 8)
//	ring.Keep(tick) // before the tick is run
//	ring.Back(tick - 3)
type Ring struct {
	world  *World
	images []*Image // by tick modulo their number
	ticks  []uint64
	last   *Image // the one that was kept or restored last
}

// NewRing returns a ring of the last n ticks of w. The error is of category ErrArgument if w is nil or n
// is not 1 at least.
func NewRing(w *World, n int) (*Ring, error) {
	const op = "NewRing"
	switch {
	case w == nil:
		return nil, noWorld(op)
	case n < 1:
		return nil, w.fault(ErrArgument, op, "a ring of %d ticks: it keeps one at least", n)
	}
	return &Ring{world: w, images: make([]*Image, n), ticks: make([]uint64, n)}, nil
}

// Keep keeps the world as it is now under the number of a tick; what was kept that many ticks ago is
// let go of, and what was kept under this number too. Errors are those of [Capture].
func (r *Ring) Keep(tick uint64) error {
	m, err := Capture(r.world, r.last)
	if err != nil {
		return err
	}
	at := tick % uint64(len(r.images))
	if old := r.images[at]; old != nil {
		if err := old.Release(); err != nil {
			return err
		}
	}
	r.images[at], r.ticks[at], r.last = m, tick, m
	return nil
}

// Back makes the world what it was when the tick was kept, and forgets the later ones. The error is
// of category ErrRange, and nothing has changed, if the tick is not kept, or no longer; others are those of [Restore].
func (r *Ring) Back(tick uint64) error {
	at := tick % uint64(len(r.images))
	m := r.images[at]
	if m == nil || r.ticks[at] != tick {
		return r.world.fault(ErrRange, "Ring.Back", "tick %d is not kept: the ring has %d ticks", tick, len(r.images))
	}
	if err := Restore(r.world, m); err != nil {
		return err
	}
	r.last = m
	for i, own := range r.images {
		if own != nil && r.ticks[i] > tick {
			if err := own.Release(); err != nil {
				return err
			}
			r.images[i] = nil
		}
	}
	return nil
}

// Image returns what was kept under a tick; nil if there is nothing. It is good until it is let go of.
func (r *Ring) Image(tick uint64) *Image {
	if at := tick % uint64(len(r.images)); r.images[at] != nil && r.ticks[at] == tick {
		return r.images[at]
	}
	return nil
}

// Hash returns the hash that the world had when the tick was kept, as [Image.Hash] does. What was not written since another
// kept tick is not hashed again. The error is of category ErrRange if the tick is not kept, or no longer.
func (r *Ring) Hash(tick uint64) (uint64, error) {
	m := r.Image(tick)
	if m == nil {
		return 0, r.world.fault(ErrRange, "Ring.Hash", "tick %d is not kept: the ring has %d ticks", tick, len(r.images))
	}
	return m.Hash(), nil
}
