package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Past describes the frames whose images an inspector keeps; see [History].
type Past struct {
	First uint64  `json:"first"` // the oldest frame that is kept; 0 means that none is kept yet
	Last  uint64  `json:"last"`  // the newest frame that is kept
	Kept  int     `json:"kept"`  // number of frames that are kept
	Every int     `json:"every"` // number of frames from one image to the next
	Bytes int     `json:"bytes"` // bytes of the rows in the images
	Limit int     `json:"limit"` // largest number of these bytes
	Took  float64 `json:"took"`  // time of the last image, in microseconds
	Why   string  `json:"why"`   // why there is no image of the last frame that was due; empty if there is one
}

// maxKeptFrames is the largest number of frames that are kept. The limit in bytes includes only rows, but each
// image also has lists. So the number of images of a tiny world needs a limit too.
const maxKeptFrames = 10_000

// past holds the images of the last frames of a world.
//
// Invariants: only the owner of the world adds images, and only it drops them from the list. A request may use
// an image as long as it has a hold on the image, because an image with holds is not released. Only the
// request that has locked forkMutex uses the fork. So the owner of the world never waits for a request.
type past struct {
	limit  int  // bytes; 0: no image is kept
	adapts bool // the cost of images decides how many frames are from one image to the next

	mu         sync.Mutex
	every      int          // number of frames from one image to the next; without adapts it never changes
	list       []*keptFrame // ascending by frame; of two images of a frame, the later one has the edits since the first
	freeImages []*ecs.Image // released images whose memory is reused
	bytes      int
	took       time.Duration
	why        string

	since imageCost   // the frames since the last image; only the owner uses it
	costs []imageCost // the last images; nil before the first one; only the owner uses it

	newest     *keptFrame // the image that was captured or restored last; only the owner uses it
	restoredAt uint64     // the number of the frame after which newest was restored; 0 if it was captured; only the owner uses it

	continued *Continued // the last restore; a new one replaces the pointer; only the owner uses it

	edited bool // an edit has changed the world since newest was captured or restored; only the owner uses it

	unclosed []*view // forks that the owner closes, because it may still read them when a request gives up

	forkMutex sync.Mutex
	fork      *view      // the world of the frame that was requested last; nil if there is none
	forkOf    *keptFrame // the frame of fork
	ended     atomic.Bool
}

// keptFrame is the image of a world at the end of a frame.
type keptFrame struct {
	frame   uint64
	image   *ecs.Image
	holds   int  // number of requests that use the image
	dropped bool // it is no longer in the list
}

// keep captures the world at the end of a frame if an image is due. Only the owner calls it.
func (v *view) keep(frame uint64) {
	p := &v.past
	if p.limit == 0 {
		return
	}
	p.since.time += v.interval
	p.since.frames++
	if frame%uint64(p.every) != 0 {
		return
	}
	begin := now()
	p.closeUnclosed()
	if err := v.capture(frame); err == nil && p.adapts { // past.why has the error
		p.adapt()
	}
	v.held.add(now() - begin)
}

// imageCost holds the time of an image, and the number and the time of the frames since the image before it.
type imageCost struct {
	took, time time.Duration
	frames     int
}

const (
	maxImageShare = 0.01 // the share of the time that images may take if their cost decides how rare they are
	maxCosts      = 16   // number of images whose cost decides it
)

// adapt sets the number of frames from one image to the next to a power of two, so that images take at most one percent of the
// time. It adds up the times of the last images, because an image takes long only if frames before it changed many rows, and a
// program may do this in one frame of several. Another program may have interrupted an image, so the longest time counts only as
// much as the second longest. adapt ignores the first image, which copies all rows, and doubles the number of frames at most, so
// that a wrong time does not prevent the next images.
func (p *past) adapt() {
	last := p.since
	last.took, p.since = p.took, imageCost{}
	if p.costs == nil {
		p.costs = make([]imageCost, 0, maxCosts)
		return
	}
	if len(p.costs) == maxCosts {
		p.costs = slices.Delete(p.costs, 0, 1)
	}
	p.costs = append(p.costs, last)
	var sum imageCost
	var longest, second time.Duration
	for _, c := range p.costs {
		sum.took, sum.time, sum.frames = sum.took+c.took, sum.time+c.time, sum.frames+c.frames
		longest, second = max(longest, c.took), max(second, min(longest, c.took))
	}
	image := float64(sum.took-longest+second) / float64(len(p.costs))
	frame := float64(max(sum.time, 1)) / float64(max(sum.frames, 1))
	every := 1
	for every < min(2*p.every, maxKeptFrames) && image > maxImageShare*float64(every)*frame {
		every *= 2
	}
	p.mu.Lock()
	p.every = every
	p.mu.Unlock()
}

// capture adds an image of the world. If edits have changed the world since an image of the same frame, both are kept, so that a
// restore of the first one can be made again.
func (v *view) capture(frame uint64) error {
	p := &v.past
	p.mu.Lock()
	defer p.mu.Unlock()
	if v.world.InTransaction() {
		p.why = "the world is lent to a transaction"
		return errors.New(p.why)
	}
	var m *ecs.Image
	if last := len(p.freeImages) - 1; last >= 0 {
		m, p.freeImages = p.freeImages[last], p.freeImages[:last]
	} else {
		m = new(ecs.Image)
	}
	var before *ecs.Image
	if p.newest != nil && !p.newest.dropped {
		before = p.newest.image
	}
	begin := now()
	if err := ecs.CaptureInto(m, v.world, before); err != nil {
		p.freeImages = append(p.freeImages, m)
		p.why = clip(err.Error(), 200)
		return err
	}
	p.took, p.why = now()-begin, ""
	p.newest, p.restoredAt, p.edited = &keptFrame{frame: frame, image: m}, 0, false
	p.list = append(p.list, p.newest)
	drop, released := 0, true
	for p.bytes = v.world.ImageBytes(); released && drop < len(p.list)-1 && (p.bytes > p.limit || len(p.list)-drop > maxKeptFrames); drop++ {
		released = p.drop(p.list[drop]) // a request that uses the image will release it, and until then the bytes do not fall
		p.bytes = v.world.ImageBytes()
	}
	p.list = slices.Delete(p.list, 0, drop)
	return nil
}

// keepPresent makes sure that an image of the present state of the world is kept, and returns the frame of this image. Only the
// owner calls it.
func (v *view) keepPresent() (frame uint64, err error) {
	p, frame := &v.past, v.lastFrame.Load()
	if k := p.newest; k != nil && !k.dropped && (k.frame == frame || p.restoredAt == frame) && !p.edited && k.image.Hash() == v.world.Hash() {
		return k.frame, nil // neither a frame nor an edit has changed the world since the image; the hash does not include names
	}
	return frame, v.capture(frame)
}

// drop marks a frame as dropped, and releases its image unless a request uses it. It reports whether it has released the image.
// The caller holds mu.
func (p *past) drop(k *keptFrame) (released bool) {
	if k.dropped = true; k.holds > 0 {
		return false
	}
	_ = k.image.Release() // it is not released yet, so this cannot fail
	p.freeImages = append(p.freeImages, k.image)
	return true
}

// clear drops all frames, and closes the fork unless a request uses it. Only the owner calls it.
func (p *past) clear() {
	p.ended.Store(true)
	p.mu.Lock()
	for _, k := range p.list {
		p.drop(k)
	}
	p.list, p.freeImages, p.newest, p.bytes = nil, nil, nil, 0
	p.mu.Unlock()
	p.closeUnclosed()
	p.closeForkAtEnd()
}

// closeUnclosed closes the forks of requests that gave up. Only the owner calls it, between two steps of requests.
func (p *past) closeUnclosed() {
	p.mu.Lock()
	list := p.unclosed
	p.unclosed = nil
	p.mu.Unlock()
	for _, fork := range list {
		_ = fork.world.Close() // as in closeFork
	}
}

// closeForkAtEnd closes the fork if the view has ended and no request uses the fork.
func (p *past) closeForkAtEnd() {
	if p.ended.Load() && p.forkMutex.TryLock() {
		p.closeFork()
		p.forkMutex.Unlock()
	}
}

// closeFork closes the fork. The caller holds forkMutex.
func (p *past) closeFork() {
	if p.fork != nil {
		_ = p.fork.world.Close() // no job of it runs, so the only errors are those of shared values of the program
		p.fork = nil
	}
}

// hold returns the kept frames that choose selects, and puts a hold on each of them. release removes these holds.
func (p *past) hold(choose func(list []*keptFrame) []*keptFrame) (held []*keptFrame, release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held = slices.Clone(choose(p.list))
	for _, k := range held {
		k.holds++
	}
	return held, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, k := range held {
			if k.holds--; k.holds == 0 && k.dropped {
				_ = k.image.Release()
			}
		}
	}
}

// at returns a function for hold. It selects the newest kept frame that is not later than the given frame.
func at(frame uint64) func(list []*keptFrame) []*keptFrame {
	return func(list []*keptFrame) []*keptFrame {
		i := sort.Search(len(list), func(i int) bool { return list[i].frame > frame })
		return list[max(i-1, 0):i]
	}
}

// same returns a function for hold that returns the given frame, if it is still kept, as a list.
func same(k *keptFrame) func(list []*keptFrame) []*keptFrame {
	return func(list []*keptFrame) []*keptFrame {
		i := slices.Index(list, k)
		return list[max(i, 0) : i+1]
	}
}

// notKept returns the error for a frame without an image.
func (p *past) notKept(frame uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.limit == 0:
		return notFound("the program keeps no frames: see inspect.History")
	case len(p.list) == 0:
		return notFound("no frame is kept yet")
	}
	return notFound(fmt.Sprintf("frame %d is not kept: the kept frames are %d to %d", frame, p.list[0].frame, p.list[len(p.list)-1].frame))
}

// info returns the answer about the kept frames, or nil if the program keeps no frames.
func (p *past) info() *Past {
	if p.limit == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out := &Past{Kept: len(p.list), Every: p.every, Bytes: p.bytes, Limit: p.limit, Took: toMicros(p.took), Why: p.why}
	if n := len(p.list); n > 0 {
		out.First, out.Last = p.list[0].frame, p.list[n-1].frame
	}
	return out
}

// inPast calls f with a view of the world as it was at the end of a frame. If no image of this
// frame is kept, inPast uses the last kept frame before this frame. The world of the view is a fork
// of the image. The owner of the running world executes the steps of f, because managed components
// of both worlds refer to the same Go values.
func (v *view) inPast(ctx context.Context, frame uint64, f func(old *view) (any, error)) (any, error) {
	p := &v.past
	p.forkMutex.Lock()
	defer p.closeForkAtEnd()
	defer p.forkMutex.Unlock()
	held, release := p.hold(at(frame))
	defer release()
	if len(held) == 0 {
		return nil, p.notKept(frame)
	}
	k := held[0]
	if p.fork == nil || p.forkOf != k {
		p.closeFork()
		w, err := ecs.Fork(k.image, v.world.Name(), ecs.OnPool(v.world.Pool()))
		if err != nil {
			return nil, err
		}
		p.fork = &view{inspector: v.inspector, world: w, live: v, probes: probes{}}
		p.fork.lastFrame.Store(k.frame)
		p.forkOf = k
	}
	out, err := f(p.fork)
	if still := (*stillError)(nil); ctx.Err() != nil || errors.As(err, &still) {
		p.mu.Lock() // the owner may still be in a step, so it has to close the fork
		p.unclosed = append(p.unclosed, p.fork)
		p.mu.Unlock()
		p.fork = nil
	}
	return out, err
}

// atOwnerOfLive does the work of runBetween for a view of the past.
func (v *view) atOwnerOfLive(ctx context.Context, what string, step func(*ownerSlice) (more bool, err error)) (frames int, err error) {
	return v.live.runBetween(ctx, what, func(l *ownerSlice) (bool, error) {
		return step(&ownerSlice{world: v.world, probes: v.probes, until: l.until})
	})
}

// Restored is the answer of /api/restore.
type Restored struct {
	Frame uint64 `json:"frame"` // the frame whose state the world has now
	From  uint64 `json:"from"`  // the kept frame with the state before, so that this can be undone; of a frame with several images, the last one is shown
}

// restore gives the world the state that it had at the end of a kept frame.
func restore(ctx context.Context, v *view, frame uint64) (*Restored, error) {
	out := &Restored{}
	var from, to *keptFrame
	var refs *refTable // the table of the other state
	_, _, err := v.makeEdit(ctx, &edit{op: opRestore, apply: func(x *editing, undo bool) (err error) {
		choose, target := at(frame), to
		if undo {
			target = from
		}
		if !x.first {
			choose = same(target)
		} else if frame > v.lastFrame.Load() {
			return v.past.notKept(frame)
		}
		held, release := v.past.hold(choose) // until the end, because keeping the present may drop it
		defer release()
		switch {
		case len(held) == 0 && x.first:
			return v.past.notKept(frame)
		case len(held) == 0:
			return notFound("the frame is not kept any more, so the edits on its other side are forgotten too")
		}
		target = held[0]
		if !undo {
			if _, err = v.keepPresent(); err != nil {
				return fmt.Errorf("the present cannot be kept, so the world is not restored: %w", err)
			}
			to, from = target, v.past.newest
			x.text = fmt.Sprintf("frame %d → %d", from.frame, to.frame)
		}
		if x.first {
			out.From, out.Frame = from.frame, to.frame
		}
		x.log.restoring = true
		defer func() { x.log.restoring = false }()
		if err := v.restoreImage(target); err != nil {
			return err
		}
		if x.log.refs, refs = refs, x.log.refs; !undo && x.log.refs != nil {
			x.log.refs.rewind(x.world)
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// restoreImage gives the world the state of a kept frame, on which the caller has a hold. Only the owner calls it.
func (v *view) restoreImage(k *keptFrame) error {
	if err := system.Restore(v.world, k.image); err != nil {
		return err
	}
	v.past.mu.Lock()
	v.past.newest, v.past.restoredAt, v.past.edited = k, v.lastFrame.Load(), false
	v.past.continued = &Continued{k.frame, v.lastFrame.Load()}
	v.catch.already = nil // these were values of the state before
	v.past.mu.Unlock()
	return nil
}
