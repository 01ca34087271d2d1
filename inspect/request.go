package inspect

import (
	"context"
	"fmt"
	"time"
)

// patience is how long a request waits for a frame.
const patience = 2 * time.Second

// at has the owner call step between two frames, again and again as long as it says that there is
// more. Step copies plain data and changes nothing that the caller looks at before at
// returns. It returns over how many frames that was spread.
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
				v.in.touch() // nobody shall forget those who wait
				continue
			}
		}
		if a.state.CompareAndSwap(asked, given) {
			return 0, err
		}
		// The owner is at it, or has just done it.
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

// still says that no frame has come.
func (v *view) still() error {
	return &stillError{fmt.Sprintf("inspect: world %q has had no frame for %v since frame %d: its loop does not run, or a system does not return", v.world.Name(), patience, v.number.Load())}
}
