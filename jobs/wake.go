package jobs

import (
	"runtime"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// announce says that n jobs have become ready that will take ns nanoseconds in
// all; negative if that is not known.
func (p *Pool) announce(n int, ns int64) {
	p.hot(nil, "announces")
	if p.lot.Count() == 0 {
		// All workers are awake. They may all be waiting inside jobs, and what
		// they wait for may be what has become ready.
		if p.waiters.Count() > 0 && p.lot.Searching() == 0 {
			p.at(nil, "is about to wake sleepers")
			p.waiters.WakeAll()
		}
		return
	}
	if uint64(ns) < uint64(n)*tinyJob || !p.lot.WakeFor(n, ns) {
		p.wantSentinel()
	}
}

// wantSentinel leaves small jobs to the goroutine that waits for them; if none does, the
// sentinel will find them. If there is none, the worker that is woken here will
// become one.
func (p *Pool) wantSentinel() {
	if !p.sentinel.wanted.Load() && !p.sentinel.wanted.Swap(true) && !p.sentinel.there.Load() {
		p.at(nil, "has asked for a sentinel")
		p.lot.WakeOne()
	}
}

// wake wakes workers for a loop with work for n others. The first two
// wake the next ones as they join.
func (lp *loop) wake(s *seat, n int, ns int64) {
	lot := &s.pool.lot
	n = lot.Free(n)
	if n <= 0 {
		return
	}
	n = lot.Cost.Useful(n, ns)
	lp.toWake.Store(int32(n - 2))
	for range min(n, 2) {
		lot.WakeOne()
	}
	if s.parker.Yields() {
		// The runtime starts the worker on this processor at once, and the
		// caller on the one that is waking up: else the worker would have to
		// wait until it is stolen from here.
		runtime.Gosched()
	}
}

// passOn is called by a worker that has found something to do. While it was
// looking, or moved jobs, no worker was woken for what was ready, and while it was
// the sentinel, or had been woken to become it, none was for what is small. Now
// another has to look after that: this one may be busy for long.
//
// The invariant: as long as a job lies ready that is not claimed, some worker searches,
// or is on its way from sleep, or the sentinel is there, or all are busy and look when they
// are done. A worker that stops being that one hands it on before it begins anything.
func (s worker) passOn() {
	p := s.pool
	if !s.searched && !s.moved && !s.woken {
		return
	}
	p.at(s.seat, "is about to pass on")
	searched := s.searched || s.moved
	s.searched, s.moved, s.woken = false, false, false
	if p.lot.Searching() > 0 {
		return
	}
	if p.lot.Count() == 0 {
		if p.waiters.Count() > 0 && p.hasWork() {
			p.waiters.WakeAll() // no worker is left to take it
		}
		return
	}
	relied := p.sentinel.wanted.Load() && !p.sentinel.there.Load()
	if relied {
		p.sentinel.wanted.Swap(false) // before the look: what is queued later wants one anew
	}
	if !searched && !relied {
		return
	}
	if large, tiny := p.hasQueued(); large && searched {
		p.sentinel.wanted.Swap(true) // the one that is woken shall pass on what is left
		p.lot.WakeOne()
	} else if large || tiny {
		p.wantSentinel()
	}
}

// hasBackground reports whether there is a background job that may be begun.
func (p *Pool) hasBackground() bool {
	return (p.background.size.Load() > 0 || p.openLoops(Background) != 0) && p.permits.Load() > 0
}

// hasWork reports whether a worker might find something to do.
func (p *Pool) hasWork() bool {
	if p.hasOpen() {
		return true
	}
	large, tiny := p.hasQueued()
	return large || tiny
}

// hasQueued reports whether jobs are queued that are worth waking a worker,
// and whether there are tiny ones.
func (p *Pool) hasQueued() (large, tiny bool) {
	large = p.high.size.Load() > 0 || p.hasBackground()
	for _, s := range *p.seats.Load() {
		if s.deque.size() > 0 || s.onRunnext().slot != nil {
			if s.tiny.Load() {
				tiny = true
			} else {
				large = true
			}
		}
	}
	return large, tiny
}

// relay is called by a worker that has joined a loop.
func (lp *loop) relay(lot *park.Lot) {
	for range 2 {
		if lp.toWake.Load() > 0 && lp.toWake.Add(-1) >= 0 {
			lot.WakeOne()
		}
	}
}
