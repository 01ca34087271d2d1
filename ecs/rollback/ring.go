package rollback

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Ring holds images of a world in its last ticks, for rollback. Call Keep in each tick. When the
// input of an earlier tick arrives, call Back. Two images share the chunks that have not changed
// between them. A [Session] contains a Ring. A game that does not use a Session can create a Ring
// itself. Only the owner of the world may call its methods.
//
//	ring, err := rollback.NewRing(w, 8)
//	ring.Keep(tick) // before the tick is run
//	ring.Back(tick - 3)
type Ring struct {
	world      *ecs.World
	images     []*ecs.Image // indexed by tick modulo their number; an element is nil or released if the tick has no image
	ticks      []uint64
	lastImage  *ecs.Image   // the image that was taken or restored last
	freeImages []*ecs.Image // released images whose memory is reused
	returned   []bool       // for each image, whether Image has returned it; if so, its memory must not be reused, because the caller must find the image released
}

// NewRing returns a Ring for the last n ticks of w. If w is nil or n is less than 1, the error
// wraps ecs.ErrArgument. If w is closed, the error wraps ecs.ErrDisposed.
func NewRing(w *ecs.World, n int) (*Ring, error) {
	switch {
	case w == nil:
		return nil, fmt.Errorf("rollback: NewRing: the world is nil: %w", ecs.ErrArgument)
	case n < 1:
		return nil, fmt.Errorf("rollback: NewRing: a ring of %d ticks: it keeps one at least: %w", n, ecs.ErrArgument)
	}
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); errors.Is(err, ecs.ErrDisposed) { // this removes no types from no entity, which changes nothing, and which fails if the world is closed
		return nil, fmt.Errorf("rollback: NewRing: world %q is closed: %w", w.Name(), ecs.ErrDisposed)
	}
	return &Ring{world: w, images: make([]*ecs.Image, n), ticks: make([]uint64, n), returned: make([]bool, n)}, nil
}

// checkMade returns an error if r is the zero Ring.
func (r *Ring) checkMade(op string) error {
	if r == nil || len(r.images) == 0 {
		return fmt.Errorf("rollback: Ring.%s: the ring is the zero Ring: make it with NewRing: %w", op, ecs.ErrState)
	}
	return nil
}

// withOp returns err with the name of the function that the program called.
func withOp(op string, err error) error {
	if e, ok := err.(*ecs.Error); ok {
		e.Op = op
	}
	return err
}

// Keep takes an image of the world and stores it under the number of a tick. It releases an older
// image with this number, and the image of the tick that is n ticks earlier. Its errors are those
// of [ecs.Capture].
func (r *Ring) Keep(tick uint64) error {
	if err := r.checkMade("Keep"); err != nil {
		return err
	}
	before := r.lastImage
	if before != nil && before.Released() { // the caller has released the image
		before = nil
	}
	var to *ecs.Image
	if last := len(r.freeImages) - 1; last >= 0 {
		to, r.freeImages = r.freeImages[last], r.freeImages[:last]
	} else {
		to = new(ecs.Image)
	}
	if err := withOp("rollback.Ring.Keep", ecs.CaptureInto(to, r.world, before)); err != nil {
		r.freeImages = append(r.freeImages, to)
		return err
	}
	at := tick % uint64(len(r.images))
	r.dropImage(int(at))
	r.images[at], r.ticks[at], r.lastImage = to, tick, to
	return nil
}

// dropImage releases an image. It keeps the image's memory for the next image, unless the method
// Image has returned the image to the program.
func (r *Ring) dropImage(at int) {
	m := r.images[at]
	if m == nil {
		return
	}
	if !m.Released() {
		_ = m.Release() // the image is not released yet, so this cannot fail
	}
	if !r.returned[at] {
		r.freeImages = append(r.freeImages, m)
	}
	r.images[at], r.returned[at] = nil, false
}

// Back restores the world of a tick, and releases the images of later ticks. If the ring contains
// no image of the tick, Back changes nothing and returns an error that wraps ecs.ErrRange. Other
// errors are those of [ecs.Restore].
func (r *Ring) Back(tick uint64) error {
	m := r.imageOf(tick)
	if m == nil {
		return r.notKeptError("Back", tick)
	}
	if err := withOp("rollback.Ring.Back", ecs.Restore(r.world, m)); err != nil {
		return err
	}
	r.lastImage = m
	for i, own := range r.images {
		if own != nil && r.ticks[i] > tick {
			r.dropImage(i)
		}
	}
	return nil
}

// Image returns the image of a tick, or nil if the ring contains none. The image is valid until the
// ring releases it. If the caller releases the image, the ring no longer has an image of the tick.
func (r *Ring) Image(tick uint64) *ecs.Image {
	m := r.imageOf(tick)
	if m != nil {
		r.returned[tick%uint64(len(r.images))] = true
	}
	return m
}

// notKeptError returns the error for a tick without an image.
func (r *Ring) notKeptError(op string, tick uint64) error {
	if err := r.checkMade(op); err != nil {
		return err
	}
	return fmt.Errorf("rollback: Ring.%s: tick %d is not kept: the ring has %s: %w", op, tick, r.describeKept(), ecs.ErrRange)
}

// describeKept returns a text with the range of ticks that have an image.
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

// Hash returns the hash of the world in a tick. It is the same as [ecs.Image.Hash]. Hash does
// not hash a chunk again if it has hashed the unchanged chunk for another tick of the ring.
// If the ring contains no image of the tick, the error wraps ecs.ErrRange.
func (r *Ring) Hash(tick uint64) (uint64, error) {
	m := r.imageOf(tick)
	if m == nil {
		return 0, r.notKeptError("Hash", tick)
	}
	return m.Hash(), nil
}
