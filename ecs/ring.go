package ecs

// Ring keeps a world as it was in its last ticks, for rollback: Keep in each tick, and Back to one of them when
// something arrives that belongs to it. What a tick shares with its neighbour is kept once.
//
//	ring, err := ecs.NewRing(w, 8)
//	ring.Keep(tick) // before the tick is run
//	ring.Back(tick - 3)
type Ring struct {
	world  *World
	images []*Image // by tick modulo their number; nil, or released, where there is none
	ticks  []uint64
	last   *Image   // the one that was kept or restored last
	spare  []*Image // that nobody else has
	shown  []bool   // Image has shown it: whoever has it must find it released
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
	return &Ring{world: w, images: make([]*Image, n), ticks: make([]uint64, n), shown: make([]bool, n)}, nil
}

// Keep keeps the world as it is now under the number of a tick; what was kept that many ticks ago is
// let go of, and what was kept under this number too. Errors are those of [Capture].
func (r *Ring) Keep(tick uint64) error {
	before := r.last
	if before != nil && before.pool == nil { // somebody has released it
		before = nil
	}
	var to *Image
	if last := len(r.spare) - 1; last >= 0 {
		to, r.spare = r.spare[last], r.spare[:last]
	} else {
		to = new(Image)
	}
	m, err := capture("Ring.Keep", r.world, before, to)
	if err != nil {
		r.spare = append(r.spare, to)
		return err
	}
	at := tick % uint64(len(r.images))
	r.drop(int(at))
	r.images[at], r.ticks[at], r.last = m, tick, m
	return nil
}

// drop lets go of an image.
func (r *Ring) drop(at int) {
	m := r.images[at]
	if m == nil {
		return
	}
	if m.pool != nil {
		_ = m.Release() // which it is not
	}
	if !r.shown[at] {
		r.spare = append(r.spare, m)
	}
	r.images[at], r.shown[at] = nil, false
}

// Back makes the world what it was when the tick was kept, and forgets the later ones. The error is
// of category ErrRange, and nothing has changed, if the tick is not kept, or no longer; others are those of [Restore].
func (r *Ring) Back(tick uint64) error {
	at := tick % uint64(len(r.images))
	m := r.images[at]
	if m == nil || r.ticks[at] != tick || m.pool == nil {
		return r.world.fault(ErrRange, "Ring.Back", "tick %d is not kept: the ring has %d ticks", tick, len(r.images))
	}
	if err := Restore(r.world, m); err != nil {
		return err
	}
	r.last = m
	for i, own := range r.images {
		if own != nil && r.ticks[i] > tick {
			r.drop(i)
		}
	}
	return nil
}

// Image returns what was kept under a tick; nil if there is nothing. It is good until the ring lets go of it; to release it is to
// make the ring forget the tick.
func (r *Ring) Image(tick uint64) *Image {
	m := r.image(tick)
	if m != nil {
		r.shown[tick%uint64(len(r.images))] = true
	}
	return m
}

func (r *Ring) image(tick uint64) *Image {
	if at := tick % uint64(len(r.images)); r.images[at] != nil && r.ticks[at] == tick && r.images[at].pool != nil {
		return r.images[at]
	}
	return nil
}

// Hash returns the hash that the world had when the tick was kept, as [Image.Hash] does. What was not written since another
// kept tick is not hashed again. The error is of category ErrRange if the tick is not kept, or no longer.
func (r *Ring) Hash(tick uint64) (uint64, error) {
	m := r.image(tick)
	if m == nil {
		return 0, r.world.fault(ErrRange, "Ring.Hash", "tick %d is not kept: the ring has %d ticks", tick, len(r.images))
	}
	return m.Hash(), nil
}
