package study

import (
	"context"
	"sync"
	"time"
)

// brisk is how short a run is behind which another one may be ordered in its process, which then goes on without
// waiting for its parent: a process that sleeps between runs of 10 ms takes a tenth longer for each, for its caches and
// its core have gone to others meanwhile. Behind a longer run another would wait in vain for its turn.
const brisk = 100 * time.Millisecond

// A post is where one process of a crew does runs, one after another. The goroutine that holds it has a run under way there;
// one other may have ordered the next one.
type post struct {
	crew *Crew
	turn chan struct{} // from the holder to the one that waits behind

	short bool // the last run was brisk; of the holder alone

	mu      sync.Mutex
	child   *child // nil: no process runs. Only the holder sets it
	offered bool   // one may order behind the holder
	token   bool   // the post is in crew.ahead
	waited  bool   // one has ordered behind the holder
}

// take waits for a post that is free, or for one behind whose run another may be ordered: ordered is then the process
// that was told to do run next. The caller holds the post.
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

// join returns the process behind whose run the caller may order another, if that is so still.
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

// offer lets another order a run behind the one that was ordered last.
func (at *post) offer() {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.offered = !at.waited; at.offered && !at.token {
		at.token = true
		at.crew.ahead <- at
	}
}

// start starts a process if there is none.
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

// do does a run, which may have been ordered already. An error says how the process died.
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

// drop ends a process that was told to do a run of which the record is not wanted. The one that waits behind orders from the next.
func (at *post) drop(ordered *child) {
	if ordered != nil && ordered == at.child {
		at.set(nil)
		ordered.end()
	}
}

// set changes the process of the post. None orders from it before it is offered again.
func (at *post) set(ch *child) {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.child, at.offered = ch, false
}

// leave gives the post to the one that waits behind, or to all.
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
