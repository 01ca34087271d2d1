package study

import (
	"context"
	"sync"
	"time"
)

// shortRun is the largest duration of a run after which the next one is already
// ordered, so that the process need not wait for its parent. A process that
// sleeps between runs of 10 ms takes a tenth longer for each, because other
// processes use its core and caches meanwhile. After a longer run no order is
// made ahead, because the ordered run would wait although another process may
// be free.
const shortRun = 100 * time.Millisecond

// A processSlot is the place of one process of a crew, which does runs one after
// another. The goroutine that holds the post has a run in progress there; one
// other goroutine may have ordered the next run.
type processSlot struct {
	crew     *Crew
	handover chan struct{} // passes the post from its holder to the goroutine that has ordered the next run

	lastRunShort bool // the last run was brisk; used only by the holder

	mu           sync.Mutex
	child        *child // nil if no process runs; only the holder sets it
	acceptsOrder bool   // another goroutine may order the next run
	inAhead      bool   // the post is in crew.ahead
	nextOrdered  bool   // another goroutine has ordered the next run
}

// take waits for a free post, or for one where the next run may be ordered. In
// the second case, ordered is the process that got the order. The caller holds
// the post.
func (c *Crew) take(ctx context.Context, run int) (at *processSlot, ordered *child, err error) {
	for at == nil {
		select {
		case at = <-c.freePosts:
			return at, nil, nil
		default:
		}
		select {
		case at = <-c.freePosts:
			return at, nil, nil
		case at = <-c.aheadPosts:
			if ordered = at.join(); ordered == nil {
				at = nil // its run has ended meanwhile
			}
		case <-ctx.Done():
			return nil, nil, errStopped
		}
	}
	ordered.order(run)
	<-at.handover
	return at, ordered, nil
}

// join returns the process to which the caller may give the next order, or nil
// if that is no longer allowed.
func (at *processSlot) join() *child {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.inAhead = false
	if !at.acceptsOrder {
		return nil
	}
	at.acceptsOrder, at.nextOrdered = false, true
	return at.child
}

// offer lets another goroutine order the run after the one that was ordered
// last.
func (at *processSlot) offer() {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.acceptsOrder = !at.nextOrdered; at.acceptsOrder && !at.inAhead {
		at.inAhead = true
		at.crew.aheadPosts <- at
	}
}

// start starts a process, unless one runs.
func (at *processSlot) start() (*child, error) {
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
func (at *processSlot) do(ctx context.Context, run int, ordered bool) (Record, error) {
	start, ch := time.Now(), at.child
	if !ordered {
		ch.order(run)
	}
	if at.lastRunShort {
		at.offer()
	}
	record, err := ch.do(ctx, run, at.crew.study.manifest.Limit)
	switch state := State(record.State); {
	case err != nil:
		at.set(nil)
	case endsProcess(state):
		at.set(nil)
		ch.end()
	}
	at.lastRunShort = err == nil && time.Since(start) < shortRun
	return record, err
}

// drop ends a process with an ordered run whose record is not wanted. The
// goroutine that waits gives its order to the next process.
func (at *processSlot) drop(ordered *child) {
	if ordered != nil && ordered == at.child {
		at.set(nil)
		ordered.end()
	}
}

// set changes the process of the post. No goroutine can order from it before
// offer is called again.
func (at *processSlot) set(ch *child) {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.child, at.acceptsOrder = ch, false
}

// leave passes the post to the goroutine that has ordered the next run, or
// frees it.
func (at *processSlot) leave() {
	at.mu.Lock()
	at.acceptsOrder = false
	next := at.nextOrdered
	at.nextOrdered = false
	at.mu.Unlock()
	if next {
		at.handover <- struct{}{}
	} else {
		at.crew.freePosts <- at
	}
}
