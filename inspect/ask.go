package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// maxRequests is how many requests are answered at a time.
const maxRequests = 64

// patience is how long a request waits for a frame.
const patience = 2 * time.Second

// What a request may be refused with, whatever it asks.
var (
	errGone   = errors.New("inspect: nobody has looked for a while: ask again")
	errClosed = errors.New("inspect: the world is closed")
	errEnded  = errors.New("inspect: the inspector is closed")
)

// stillError says that no frame has come.
type stillError struct{ text string }

func (e *stillError) Error() string { return e.text }

// stateError says that something cannot be done as the world is.
type stateError struct{ text string }

func (e *stateError) Error() string { return "inspect: " + e.text }

// ask is a request on its way to the owner of a world.
type ask struct {
	what   string
	step   func(*look) (more bool, err error)
	state  atomic.Int32 // waiting until the owner runs it or the request gives up, whoever comes first
	frames int          // how many looks it took: the owner's until done is closed
	err    error        // the same
	done   chan struct{}
}

// States of an ask.
const (
	asked int32 = iota
	running
	given
)

// look is what an ask is given at one border.
type look struct {
	v     *view
	until time.Duration
}

// over reports whether the time is up: the ask should go on at the next border. A step asks
// when it has done something, so that there is an end even if there is no time.
func (l *look) over() bool { return now() >= l.until }

// at has the owner call step between two frames, again and again as long as it says that there is
// more. Step copies plain data and changes nothing that the caller looks at before at
// returns. It returns over how many frames that was spread.
func (v *view) at(ctx context.Context, what string, step func(*look) (more bool, err error)) (frames int, err error) {
	a := &ask{what: what, step: step, done: make(chan struct{})}
	v.in.touch()
	select {
	case v.asked <- a:
	default:
		return 0, &stillError{"inspect: too many requests wait for this world"}
	}
	select {
	case v.wake <- struct{}{}:
	default:
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

// serve answers asks until the time is up: one slice at least.
func (v *view) serve(until time.Duration) {
	for {
		select {
		case a := <-v.asked:
			v.waiting = append(v.waiting, a)
			continue
		default:
		}
		break
	}
	for k := 0; k < len(v.waiting); k++ {
		if k > 0 && now() >= until {
			v.waiting = slices.Concat(v.waiting[k:], v.waiting[:k]) // whose turn it was not comes first
			return
		}
		if v.run(v.waiting[k], until) {
			v.waiting = slices.Delete(v.waiting, k, k+1)
			k--
		}
	}
}

// run does a slice of an ask and reports whether it is done.
func (v *view) run(a *ask, until time.Duration) (done bool) {
	if !a.state.CompareAndSwap(asked, running) {
		return true // given up
	}
	a.frames++
	more, err := v.call(a, until)
	if more && err == nil {
		a.state.Store(asked)
		return false
	}
	a.err = err
	close(a.done)
	return true
}

// call runs a step; what it panics with is an error: most likely the world is lent.
func (v *view) call(a *ask, until time.Duration) (more bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			more, err = false, &stateError{fmt.Sprintf("%s: %v", a.what, r)}
		}
	}()
	return a.step(&look{v: v, until: until})
}

// refuse answers everybody who waits.
func (v *view) refuse(err error) {
	for {
		select {
		case a := <-v.asked:
			v.waiting = append(v.waiting, a)
			continue
		default:
		}
		break
	}
	for _, a := range v.waiting {
		if a.state.CompareAndSwap(asked, running) {
			a.err = err
			close(a.done)
		}
	}
	v.waiting = nil
}
