package inspect

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// maxRequests is how many requests are answered at a time.
const maxRequests = 64

// ask is a request on its way to the owner of a world.
type ask struct {
	what   string
	step   func(*look) (more bool, err error)
	state  atomic.Int32 // asked, running or given: see below
	frames int          // how many looks it took: the owner's until done is closed
	err    error        // the same
	done   chan struct{}
}

// States of an ask. The owner and the goroutine of the request read and write the word at any
// time, and a compare and swap from asked orders the two: the owner puts running there before each
// step, the request given when it gives up, and who comes second leaves the ask alone. From running
// the owner alone leads on, by a store: back to asked, if there is more to do. A state that is final
// says nothing of the answer: that is read behind done, which the owner closes.
const (
	asked int32 = iota // waits for the owner
	running
	given // up
)

// asks is the requests of a world on their way to its owner.
type asks struct {
	asked   chan *ask     // from requests to the owner
	wake    chan struct{} // that there is something new, for an owner in a pause
	waiting []*ask        // that need another slice: the owner's
}

func newAsks() asks { return asks{asked: make(chan *ask, maxRequests), wake: make(chan struct{}, 1)} }

// put brings a request on its way.
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

// receive takes what has come to those that wait.
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

// serve answers asks until the time is up: one slice at least.
func (q *asks) serve(l *look) {
	q.receive()
	for k := 0; k < len(q.waiting); k++ {
		if k > 0 && l.over() {
			q.waiting = slices.Concat(q.waiting[k:], q.waiting[:k]) // whose turn it was not comes first
			return
		}
		if q.waiting[k].run(l) {
			q.waiting = slices.Delete(q.waiting, k, k+1)
			k--
		}
	}
}

// run does a slice of an ask and reports whether it is done.
func (a *ask) run(l *look) (done bool) {
	if !a.state.CompareAndSwap(asked, running) {
		return true // given up
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

// call runs a step; what it panics with is an error: most likely the world is lent.
func (a *ask) call(l *look) (more bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			more, err = false, &stateError{fmt.Sprintf("%s: %v", a.what, r)}
		}
	}()
	return a.step(l)
}

// refuse answers all that wait.
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
