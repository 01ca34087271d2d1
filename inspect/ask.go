package inspect

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// maxRequests is the largest number of requests that may wait for the owner of
// a world.
const maxRequests = 64

// An ask is a request to the owner of a world.
type ask struct {
	what   string
	step   func(*ownerSlice) (more bool, err error)
	state  atomic.Int32 // asked, running or gaveUp; see below
	frames int          // number of looks that it took; only the owner uses it until done is closed
	err    error        // as frames
	done   chan struct{}
}

// These are the states of an ask. The owner and the goroutine of the request
// share the word that holds the state. Each of them uses a compare-and-swap to
// leave the state asked, so that only one of the two succeeds. The owner sets
// the state running before each step. The request sets the state gaveUp when it
// gives up; after that, the owner does not use the ask. In the state running,
// only the owner changes the state: it stores asked again if the ask needs more
// steps. The state does not protect the answer itself: the owner closes the
// channel done, and the request reads the answer only after this.
const (
	asked int32 = iota // the owner may do the next step
	running
	gaveUp // the request has given up
)

// asks holds the requests to the owner of a world.
type asks struct {
	asked   chan *ask     // from requests to the owner
	wake    chan struct{} // wakes an owner that waits in a pause
	waiting []*ask        // asks that need another slice; only the owner uses it
}

func newAsks() asks { return asks{asked: make(chan *ask, maxRequests), wake: make(chan struct{}, 1)} }

// put sends a request to the owner.
func (q *asks) put(a *ask) error {
	select {
	case q.asked <- a:
	default:
		return &stillError{"inspect: too many requests wait for this world"}
	}
	q.signal()
	return nil
}

// signal wakes an owner that waits in a pause.
func (q *asks) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// receive moves new requests to the list of waiting requests.
func (q *asks) receive() {
	for {
		select {
		case a := <-q.asked:
			q.waiting = append(q.waiting, a)
		default:
			return
		}
	}
}

// serve answers asks until its time has passed. It does at least one slice of
// work, even if no time is left.
func (q *asks) serve(l *ownerSlice) {
	q.receive()
	for k := 0; k < len(q.waiting); k++ {
		if k > 0 && l.isOver() {
			q.waiting = slices.Concat(q.waiting[k:], q.waiting[:k]) // the asks that had no turn come first
			return
		}
		if q.waiting[k].run(l) {
			q.waiting = slices.Delete(q.waiting, k, k+1)
			k--
		}
	}
}

// run does one slice of an ask and reports whether the ask is done.
func (a *ask) run(l *ownerSlice) (done bool) {
	if !a.state.CompareAndSwap(asked, running) {
		return true // the request has given up
	}
	a.frames++
	more, err := a.call(l)
	if more && err == nil {
		a.state.Store(asked)
		return false
	}
	a.err = err
	close(a.done)
	return true
}

// call runs a step. A panic becomes an error. A step usually panics because the
// world is lent to a transaction.
func (a *ask) call(l *ownerSlice) (more bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			more, err = false, &stateError{fmt.Sprintf("%s: %v", a.what, r)}
		}
	}()
	return a.step(l)
}

// refuse answers all waiting requests with an error.
func (q *asks) refuse(err error) {
	q.receive()
	for _, a := range q.waiting {
		if a.state.CompareAndSwap(asked, running) {
			a.err = err
			close(a.done)
		}
	}
	q.waiting = nil
}
