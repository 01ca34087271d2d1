package jobs

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// An idle worker goes down a ladder: it stays awake for a while, then it sleeps
// until it is woken. While small jobs were left to be fetched, one worker, the
// sentinel, sleeps only a millisecond at a time, and up to eight when it has found
// nothing for a while: as a rule a goroutine waits for such jobs, and each time that it
// gets up it disturbs those that work.

const (
	probesPerLook  = 24                     // probes for loops between two looks into the deques
	spinInScope    = 100 * time.Microsecond // longer than the gap between two jobs of a frame, as a rule
	spinOutside    = 20 * time.Microsecond
	spinWaiting    = 20 * time.Microsecond // of a goroutine that waits for a job
	sentinelSleep  = time.Millisecond
	longSleep      = 8 * sentinelSleep
	sentinelSleeps = 18 // without work, some 100 ms; then the sentinel sleeps like the others
	shortSleeps    = 4  // of these; each one that follows is twice as long, up to longSleep
)

// pauseRounds is how many rounds of pause take some 40 nanoseconds.
var pauseRounds = sync.OnceValue(func() uint32 {
	best := time.Hour
	for range 20 {
		start := clock()
		pause(64)
		best = min(best, clock()-start)
	}
	return uint32(min(max(64*40/(best+1), 1), 64))
})

// idle waits until there may be work.
func (wc *workerContext) waitForWork() {
	if limit := wc.awakeLimit(); limit > 0 && wc.spinForWork(limit) {
		return
	}
	wc.sleepUntilWoken()
}

// awakeFor is how long an idle worker stays awake.
func (wc *workerContext) awakeLimit() time.Duration {
	p := wc.pool
	if p.scopes.Load() > 0 {
		return p.machine.Awake(spinInScope)
	}
	return p.machine.Awake(spinOutside)
}

// spinForWork stays awake until there may be work, but no longer than limit.
// Open loops are what it looks for all the time; into the deques it looks less
// often, because that costs their owners.
//
// Its invariant: from the first look at the clock on until it returns the seat is counted among those
// that search, so that a seat that queues a job knows whether it must wake a worker.
func (wc *workerContext) spinForWork(limit time.Duration) bool {
	p := wc.pool
	counted := false
	defer func() {
		if counted {
			p.lot.Search(-1)
		}
	}()
	start := clock()
	last := start
	for round := 1; ; round++ {
		if p.loops.hasOpenLoop() || p.loops.highQueue.size.Load() > 0 || p.closed.Load() {
			return true
		}
		if round%probesPerLook == 0 && wc.seesWork() {
			return true
		}
		pause(p.pauseRounds)
		if round%32 != 0 {
			continue
		}
		if !counted {
			counted, wc.steal.wasSearching = true, true
			p.lot.Search(1)
			wc.publishCounters()
		}
		now := clock()
		p.machine.Notice(now-last, park.LostGap)
		if now-start > limit {
			increment(&wc.counters.spins)
			wc.counters.spun.Store(wc.counters.spun.Load() + int64(now-start))
			return false
		}
		if round%128 == 0 {
			runtime.Gosched() // timers and the garbage collector want to run too
			now = clock()
		}
		last = now
	}
}

// seesWork reports whether there are jobs of low priority, or deques to steal from.
func (wc *workerContext) seesWork() bool {
	if wc.pool.hasBackground() {
		return true
	}
	for i, victim := range *wc.pool.contexts.Load() {
		if wc.steal.worthStealing(victim, i, wc.pool.closed.Load()) {
			return true
		}
	}
	return false
}

// sleep parks a worker until it is woken.
func (wc *workerContext) sleepUntilWoken() {
	p := wc.pool
	p.hookAt(wc, "is about to park")
	wc.steal.wasWoken = true
	p.machine.Look()
	p.lot.Mark(wc.index)
	p.hookAt(wc, "has parked")
	if p.hasWork() || p.closed.Load() || hasOwnedAnywhere() {
		if p.lot.Unmark(wc.index) {
			return
		}
		// a waker is about to call it: then the sleep is short
	} else {
		p.hookAt(wc, "has looked once more")
		wc.steal.wasSearching, wc.steal.movedJobs = false, false // there is nothing left to pass on
		if p.sentinel.wanted.Load() && p.sentinel.present.CompareAndSwap(false, true) && wc.sleepAsSentinel() {
			return
		}
	}
	for wc.park(0); p.lot.Marked(wc.index); wc.park(0) {
		// The call was for a wait that is over.
	}
	p.machine.Notice(p.lot.Awoken(wc.index), park.LateWake)
}

// sleepTime is how long the sentinel sleeps after i sleeps without work.
func sleepTime(i int) time.Duration {
	return min(sentinelSleep<<max(0, i-shortSleeps+1), longSleep)
}

// watch is the sleep of the sentinel. It returns true when it was woken or has
// found something to do, and false when it is no longer needed: then the
// worker is still marked as asleep.
func (wc *workerContext) sleepAsSentinel() bool {
	p := wc.pool
	for i := range sentinelSleeps {
		wc.park(sleepTime(i))
		if !p.lot.Marked(wc.index) {
			p.sentinel.present.Store(false)
			return true
		}
		if p.hasWork() {
			p.sentinel.present.Store(false)
			p.lot.Unmark(wc.index)
			return true
		}
	}
	p.hookAt(wc, "is no sentinel any longer")
	p.sentinel.present.Store(false)
	p.hookAt(wc, "takes back that one is wanted")
	p.sentinel.wanted.Swap(false)
	p.hookAt(wc, "looks a last time")
	if p.hasWork() { // left before wanted was taken back
		p.lot.Unmark(wc.index)
		return true
	}
	return false
}

// sentinel says whether there is one. Both are swapped where a look at the other, or at
// what is queued, follows.
type sentinelState struct {
	wanted  atomic.Bool // set by a seat that leaves a small job, taken back by the sentinel, and by a seat that passes on
	present atomic.Bool // set by the worker that becomes it, taken back by the same
}

// announce says that n jobs have become ready that will take ns nanoseconds in
// all; negative if that is not known.
func (p *Pool) announce(n int, ns int64) {
	p.hookHot(nil, "announces")
	if p.lot.Count() == 0 {
		// All workers are awake. They may all be waiting inside jobs, and what
		// they wait for may be what has become ready.
		if p.waiters.Count() > 0 && p.lot.Searching() == 0 {
			p.hookAt(nil, "is about to wake sleepers")
			p.waiters.WakeAll()
		}
		return
	}
	if uint64(ns) < uint64(n)*tinyJob || !p.lot.WakeFor(n, ns) {
		p.requestSentinel()
	}
}

// wantSentinel leaves small jobs to the goroutine that waits for them; if none does, the
// sentinel will find them. If there is none, the worker that is woken here will
// become one.
func (p *Pool) requestSentinel() {
	if !p.sentinel.wanted.Load() && !p.sentinel.wanted.Swap(true) && !p.sentinel.present.Load() {
		p.hookAt(nil, "has asked for a sentinel")
		p.lot.WakeOne()
	}
}

// wake wakes workers for a loop with work for n others. The first two
// wake the next ones as they join.
func (lp *loop) wakeWorkers(wc *workerContext, n int, ns int64) {
	lot := &wc.pool.lot
	n = lot.Free(n)
	if n <= 0 {
		return
	}
	n = lot.Cost.Useful(n, ns)
	lp.toWake.Store(int32(n - 2))
	for range min(n, 2) {
		lot.WakeOne()
	}
	if wc.parker.Yields() {
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
func (wc *workerContext) wakeSuccessor() {
	p := wc.pool
	if !wc.steal.wasSearching && !wc.steal.movedJobs && !wc.steal.wasWoken {
		return
	}
	p.hookAt(wc, "is about to pass on")
	searched := wc.steal.wasSearching || wc.steal.movedJobs
	wc.steal.wasSearching, wc.steal.movedJobs, wc.steal.wasWoken = false, false, false
	if p.lot.Searching() > 0 {
		return
	}
	if p.lot.Count() == 0 {
		if p.waiters.Count() > 0 && p.hasWork() {
			p.waiters.WakeAll() // no worker is left to take it
		}
		return
	}
	relied := p.sentinel.wanted.Load() && !p.sentinel.present.Load()
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
		p.requestSentinel()
	}
}

// hasBackground reports whether there is a background job that may be begun.
func (p *Pool) hasBackground() bool {
	return (p.background.queue.size.Load() > 0 || p.loops.openLoops(Background) != 0) && p.background.permits.Load() > 0
}

// hasWork reports whether a worker might find something to do.
func (p *Pool) hasWork() bool {
	if p.loops.hasOpenLoop() {
		return true
	}
	large, tiny := p.hasQueued()
	return large || tiny
}

// hasQueued reports whether jobs are queued that are worth waking a worker,
// and whether there are tiny ones.
func (p *Pool) hasQueued() (large, tiny bool) {
	large = p.loops.highQueue.size.Load() > 0 || p.hasBackground()
	for _, wc := range *p.contexts.Load() {
		if wc.queue.deque.size() > 0 || wc.queue.readyRunnext().node != nil {
			if wc.queue.tinyJobs.Load() {
				tiny = true
			} else {
				large = true
			}
		}
	}
	return large, tiny
}

// relay is called by a worker that has joined a loop.
func (lp *loop) wakeMore(lot *park.Lot) {
	for range 2 {
		if lp.toWake.Load() > 0 && lp.toWake.Add(-1) >= 0 {
			lot.WakeOne()
		}
	}
}
