package jobs

import (
	"sync"
	"time"
)

// event is one thing that a worker did. The kind of sleep is nil.
type event struct {
	kind       *kind
	start, end time.Duration // by clock
	lo, blocks int           // of a loop: first index of the last block, number of blocks
}

// events is a ring of the last events of a seat.
type events struct {
	mu   sync.Mutex
	ring []event
	next uint64 // number of events so far
}

func newEvents(n int) *events {
	if n == 0 {
		return nil
	}
	return &events{ring: make([]event, n)}
}

func (e *events) add(ev event) {
	e.mu.Lock()
	e.ring[e.next%uint64(len(e.ring))] = ev
	e.next++
	e.mu.Unlock()
}

// list copies the events, the oldest first.
func (e *events) list() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := uint64(len(e.ring))
	if e.next <= n {
		return append([]event(nil), e.ring[:e.next]...)
	}
	at := e.next % n
	return append(append([]event(nil), e.ring[at:]...), e.ring[:at]...)
}
