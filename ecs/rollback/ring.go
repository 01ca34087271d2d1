package rollback

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Ring keeps a world as it was in its last ticks, for rollback: Keep in each tick, and Back to one of them when
// something arrives that belongs to it. What a tick shares with its neighbour is kept once. A [Session] has one; a game whose
// inputs come in another way has its own. It is for the owner of the world.
//
//	ring, err := rollback.NewRing(w, 8)
//	ring.Keep(tick) // before the tick is run
//	ring.Back(tick - 3)
type Ring struct {
	world  *ecs.World
	images []*ecs.Image // by tick modulo their number; nil, or released, where there is none
	ticks  []uint64
	last   *ecs.Image   // the one that was kept or restored last
	spare  []*ecs.Image // that nothing else holds
	shown  []bool       // Image has shown it: it must be found released where it is held
}

// NewRing returns a ring of the last n ticks of w. The error wraps ecs.ErrArgument if w is nil or n
// is not 1 at least, and ecs.ErrDisposed if w is closed.
func NewRing(w *ecs.World, n int) (*Ring, error) {
	switch {
	case w == nil:
		return nil, fmt.Errorf("rollback: NewRing: the world is nil: %w", ecs.ErrArgument)
	case n < 1:
		return nil, fmt.Errorf("rollback: NewRing: a ring of %d ticks: it keeps one at least: %w", n, ecs.ErrArgument)
	}
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); errors.Is(err, ecs.ErrDisposed) { // to remove no types only asks whether the world is open
		return nil, fmt.Errorf("rollback: NewRing: world %q is closed: %w", w.Name(), ecs.ErrDisposed)
	}
	return &Ring{world: w, images: make([]*ecs.Image, n), ticks: make([]uint64, n), shown: make([]bool, n)}, nil
}

// checkMade returns an error if r is the zero Ring.
func (r *Ring) checkMade(op string) error {
	if r == nil || len(r.images) == 0 {
		return fmt.Errorf("rollback: Ring.%s: the ring is the zero Ring: make it with NewRing: %w", op, ecs.ErrState)
	}
	return nil
}

// named returns err with the name of the function that the user has called.
func named(op string, err error) error {
	if e, ok := err.(*ecs.Error); ok {
		e.Op = op
	}
	return err
}

// Keep keeps the world as it is now under the number of a tick; what was kept that many ticks ago is
// let go of, and what was kept under this number too. Errors are those of [ecs.Capture].
func (r *Ring) Keep(tick uint64) error {
	if err := r.checkMade("Keep"); err != nil {
		return err
	}
	before := r.last
	if before != nil && before.Released() { // it was released outside of the ring
		before = nil
	}
	var to *ecs.Image
	if last := len(r.spare) - 1; last >= 0 {
		to, r.spare = r.spare[last], r.spare[:last]
	} else {
		to = new(ecs.Image)
	}
	if err := named("rollback.Ring.Keep", ecs.CaptureInto(to, r.world, before)); err != nil {
		r.spare = append(r.spare, to)
		return err
	}
	at := tick % uint64(len(r.images))
	r.dropImage(int(at))
	r.images[at], r.ticks[at], r.last = to, tick, to
	return nil
}

// dropImage releases an image, and keeps its memory for the next one unless the caller has seen it.
func (r *Ring) dropImage(at int) {
	m := r.images[at]
	if m == nil {
		return
	}
	if !m.Released() {
		_ = m.Release() // which it is not
	}
	if !r.shown[at] {
		r.spare = append(r.spare, m)
	}
	r.images[at], r.shown[at] = nil, false
}

// Back makes the world what it was when the tick was kept, and forgets the later ones. The error
// wraps ecs.ErrRange, and nothing has changed, if the tick is not kept, or no longer; others are those of [ecs.Restore].
func (r *Ring) Back(tick uint64) error {
	m := r.imageOf(tick)
	if m == nil {
		return r.notKeptError("Back", tick)
	}
	if err := named("rollback.Ring.Back", ecs.Restore(r.world, m)); err != nil {
		return err
	}
	r.last = m
	for i, own := range r.images {
		if own != nil && r.ticks[i] > tick {
			r.dropImage(i)
		}
	}
	return nil
}

// Image returns what was kept under a tick; nil if there is nothing. It is good until the ring lets go of it; to release it is to
// make the ring forget the tick.
func (r *Ring) Image(tick uint64) *ecs.Image {
	m := r.imageOf(tick)
	if m != nil {
		r.shown[tick%uint64(len(r.images))] = true
	}
	return m
}

// notKeptError returns the error of a tick that is not kept.
func (r *Ring) notKeptError(op string, tick uint64) error {
	if err := r.checkMade(op); err != nil {
		return err
	}
	return fmt.Errorf("rollback: Ring.%s: tick %d is not kept: the ring has %s: %w", op, tick, r.describeKept(), ecs.ErrRange)
}

// describeKept returns the range of kept ticks as text.
func (r *Ring) describeKept() string {
	var list []uint64
	for i, own := range r.images {
		if own != nil && !own.Released() {
			list = append(list, r.ticks[i])
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d ticks, from %d to %d", len(list), slices.Min(list), slices.Max(list))
}

// imageOf is Image for callers in this package, which do not keep the image.
func (r *Ring) imageOf(tick uint64) *ecs.Image {
	if r == nil || len(r.images) == 0 {
		return nil
	}
	if at := tick % uint64(len(r.images)); r.images[at] != nil && r.ticks[at] == tick && !r.images[at].Released() {
		return r.images[at]
	}
	return nil
}

// Hash returns the hash that the world had when the tick was kept, as [ecs.Image.Hash] does. What was not written since another
// kept tick is not hashed again. The error wraps ecs.ErrRange if the tick is not kept, or no longer.
func (r *Ring) Hash(tick uint64) (uint64, error) {
	m := r.imageOf(tick)
	if m == nil {
		return 0, r.notKeptError("Hash", tick)
	}
	return m.Hash(), nil
}
