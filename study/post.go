package study

import (
	"context"
	"sync"
	"time"
)

// brisk is the largest duration of a run after which the next one is already
// ordered, so that the process need not wait for its parent. A process that
// sleeps between runs of 10 ms takes a tenth longer for each, because other
// processes use its core and caches meanwhile. After a longer run no order is
// made ahead, because the ordered run would wait although another process may
// be free.
const brisk = 100 * time.Millisecond

// A post is the place of one process of a crew, which does runs one after
// another. The goroutine that holds the post has a run in progress there; one
// other goroutine may have ordered the next run.
type post struct {
	crew *Crew
	turn chan struct{} // passes the post from its holder to the goroutine that has ordered the next run

	short bool // the last run was brisk; used only by the holder

	mu      sync.Mutex
	child   *child // nil if no process runs; only the holder sets it
	offered bool   // another goroutine may order the next run
	token   bool   // the post is in crew.ahead
	waited  bool   // another goroutine has ordered the next run
}

// take waits for a free post, or for one where the next run may be ordered. In
// the second case, ordered is the process that got the order. The caller holds
// the post.
func (c *Crew) take(ctx context.Context, run int) (at *post, ordered *child, err error) {
	for at == nil {
		select {
		case at = <-c.free:
			return at, nil, nil
		default:
		}
		select {
		case at = <-c.free:
			return at, nil, nil
		case at = <-c.ahead:
			if ordered = at.join(); ordered == nil {
				at = nil // its run has ended meanwhile
			}
		case <-ctx.Done():
			return nil, nil, errStopped
		}
	}
	ordered.order(run)
	<-at.turn
	return at, ordered, nil
}

// join returns the process to which the caller may give the next order, or nil
// if that is no longer allowed.
func (at *post) join() *child {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.token = false
	if !at.offered {
		return nil
	}
	at.offered, at.waited = false, true
	return at.child
}

// offer lets another goroutine order the run after the one that was ordered
// last.
func (at *post) offer() {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.offered = !at.waited; at.offered && !at.token {
		at.token = true
		at.crew.ahead <- at
	}
}

// start starts a process, unless one runs.
func (at *post) start() (*child, error) {
	if at.child == nil {
		ch, err := at.crew.start()
		if err != nil {
			return nil, err
		}
		at.set(ch)
	}
	return at.child, nil
}

// do does a run, which may already have been ordered. The error says how the
// process died.
func (at *post) do(ctx context.Context, run int, ordered bool) (Record, error) {
	start, ch := time.Now(), at.child
	if !ordered {
		ch.order(run)
	}
	if at.short {
		at.offer()
	}
	record, err := ch.do(ctx, run, at.crew.study.manifest.Limit)
	switch state := State(record.State); {
	case err != nil:
		at.set(nil)
	case ends(state):
		at.set(nil)
		ch.end()
	}
	at.short = err == nil && time.Since(start) < brisk
	return record, err
}

// drop ends a process with an ordered run whose record is not wanted. The
// goroutine that waits gives its order to the next process.
func (at *post) drop(ordered *child) {
	if ordered != nil && ordered == at.child {
		at.set(nil)
		ordered.end()
	}
}

// set changes the process of the post. No goroutine can order from it before
// offer is called again.
func (at *post) set(ch *child) {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.child, at.offered = ch, false
}

// leave passes the post to the goroutine that has ordered the next run, or
// frees it.
func (at *post) leave() {
	at.mu.Lock()
	at.offered = false
	next := at.waited
	at.waited = false
	at.mu.Unlock()
	if next {
		at.turn <- struct{}{}
	} else {
		at.crew.free <- at
	}
}
