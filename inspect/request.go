package inspect

import (
	"context"
	"fmt"
	"math"
	"time"
)

// frameEndTimeout is the longest time that a request waits for the end of a frame.
const frameEndTimeout = 2 * time.Second

// runBetween makes the owner call step between two frames. While step returns true for
// more, the owner calls it again after the next frame. Step copies plain data; the
// caller must not read its memory before runBetween returns. runBetween returns the
// number of frames over which step was called. If the owner itself answers the request, runBetween calls step
// directly.
func (v *view) runBetween(ctx context.Context, what string, step func(*ownerSlice) (more bool, err error)) (frames int, err error) {
	if v.live != nil {
		return v.atOwnerOfLive(ctx, what, step)
	}
	a := &ask{what: what, step: step, done: make(chan struct{})}
	if byOwner(ctx) {
		for !a.run(v.sliceUntil(math.MaxInt64)) {
		}
		return a.frames, a.err
	}
	v.inspector.renewLease()
	if err := v.asks.put(a); err != nil {
		return 0, err
	}
	v.inspector.wakeOwners()
	begin := now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-a.done:
			return a.frames, a.err
		case <-ctx.Done():
			err = ctx.Err()
		case <-tick.C:
			switch last := max(time.Duration(v.lastFrameEnd.Load()), begin); {
			case v.worldClosed.Load():
				err = errClosed
			case v.inspector.closed.Load():
				err = errEnded
			case now()-last > frameEndTimeout:
				err = v.timeoutError()
			case now()-begin > 30*frameEndTimeout:
				err = &stillError{fmt.Sprintf("inspect: %s takes longer than %v: ask for less, or give the inspector a larger Budget", what, 30*frameEndTimeout)}
			default:
				v.inspector.renewLease() // renew the lease, so that the view is kept while the request waits
				continue
			}
		}
		if a.state.CompareAndSwap(asked, gaveUp) {
			return 0, err
		}
		// The owner is in a step, or has just finished it.
		select {
		case <-a.done:
			return a.frames, a.err
		case <-time.After(frameEndTimeout):
			if !a.state.CompareAndSwap(asked, gaveUp) {
				return 0, &stillError{"inspect: the owner of the world does not come back from a look"}
			}
			return 0, err
		}
	}
}

// timeoutError returns the error which says that the world did not end a frame in time.
func (v *view) timeoutError() error {
	return &stillError{fmt.Sprintf("inspect: world %q has had no frame for %v since frame %d: its loop does not run, or a system does not return", v.world.Name(), frameEndTimeout, v.lastFrame.Load())}
}
