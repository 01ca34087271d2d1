package study

import (
	"context"
	"sync"
	"time"
)

// shortRun is the largest duration of a short run. After a short run, the crew orders the next run
// ahead, so that the process need not wait for its parent. A process that sleeps between runs of 10
// ms takes a tenth longer for each run, because other processes use its core and caches meanwhile.
// After a longer run, the crew orders nothing ahead, because the ordered run would wait although
// another process may be free.
const shortRun = 100 * time.Millisecond

// A processSlot manages one process of a crew, which does runs one after another. The goroutine
// that holds the slot has a run in progress on the process. One other goroutine may have ordered
// the next run.
type processSlot struct {
	crew     *Crew
	handover chan struct{} // passes the slot from its holder to the goroutine that has ordered the next run

	lastRunShort bool // the last run was short; only the holder uses this field

	mu           sync.Mutex
	child        *child // nil if no process runs; only the holder sets it
	acceptsOrder bool   // another goroutine may order the next run
	inAhead      bool   // the slot is in crew.aheadPosts
	nextOrdered  bool   // another goroutine has ordered the next run
}

// take waits for a free slot, or for a slot on which the next run may be ordered. If the slot is
// of the second kind, ordered is the process that received the order. When take returns, the
// caller holds the slot.
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
// if another order is no longer allowed.
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

// offer lets another goroutine order one more run, which follows the run
// that was ordered last.
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
// goroutine that waits for the record sends its order to the next process instead.
func (at *processSlot) drop(ordered *child) {
	if ordered != nil && ordered == at.child {
		at.set(nil)
		ordered.end()
	}
}

// set changes the process of the slot. No goroutine can order a run on that process before offer
// is called again.
func (at *processSlot) set(ch *child) {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.child, at.acceptsOrder = ch, false
}

// leave passes the slot to the goroutine that has ordered the next run, or frees it.
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
