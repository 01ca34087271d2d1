package inspect

import (
	"context"
	"fmt"
	"time"
)

// patience is the time that a request waits for the end of a frame.
const patience = 2 * time.Second

// at makes the owner call step between two frames, again and again while it
// returns more. Step copies plain data; the caller must not read its memory
// before at returns. at returns the number of frames over which step was
// called.
func (v *view) at(ctx context.Context, what string, step func(*look) (more bool, err error)) (frames int, err error) {
	a := &ask{what: what, step: step, done: make(chan struct{})}
	v.in.touch()
	if err := v.asks.put(a); err != nil {
		return 0, err
	}
	v.in.poke()
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
			switch last := max(time.Duration(v.seen.Load()), begin); {
			case v.gone.Load():
				err = errClosed
			case v.in.closed.Load():
				err = errEnded
			case now()-last > patience:
				err = v.still()
			case now()-begin > 30*patience:
				err = &stillError{fmt.Sprintf("inspect: %s takes longer than %v: ask for less, or give the inspector a larger Budget", what, 30*patience)}
			default:
				v.in.touch() // renew the lease, so that the view is kept while the request waits
				continue
			}
		}
		if a.state.CompareAndSwap(asked, given) {
			return 0, err
		}
		// The owner is in a step, or has just finished it.
		select {
		case <-a.done:
			return a.frames, a.err
		case <-time.After(patience):
			if !a.state.CompareAndSwap(asked, given) {
				return 0, &stillError{"inspect: the owner of the world does not come back from a look"}
			}
			return 0, err
		}
	}
}

// still returns the error that the world did not end a frame in time.
func (v *view) still() error {
	return &stillError{fmt.Sprintf("inspect: world %q has had no frame for %v since frame %d: its loop does not run, or a system does not return", v.world.Name(), patience, v.number.Load())}
}
