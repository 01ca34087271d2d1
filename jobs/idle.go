package jobs

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// An idle worker stays awake for a while and then sleeps until it is woken.
// Small jobs wake no worker, because usually a goroutine is about to wait for
// them and runs them itself. While such jobs may be queued, one sleeping worker is the sentinel: it
// sleeps only a millisecond at a time. If it finds nothing for some time, it sleeps up to eight
// milliseconds, because each time it wakes up it disturbs the goroutines that work.

const (
	probesPerDequeCheck = 24                     // probes for open loops between two looks into the deques
	spinInScope         = 100 * time.Microsecond // usually longer than the gap between two jobs of a frame
	spinOutside         = 20 * time.Microsecond
	spinWaiting         = 20 * time.Microsecond // for a goroutine that waits for a job
	sentinelSleep       = time.Millisecond
	longSleep           = 8 * sentinelSleep
	sentinelSleeps      = 18 // without work, some 100 ms; then the sentinel sleeps like the other workers
	shortSleeps         = 4  // the first of these sleeps; each later one is twice as long, up to longSleep
)

// pauseRounds is the number of rounds of pause that take some 40 nanoseconds.
var pauseRounds = sync.OnceValue(func() uint32 {
	best := time.Hour
	for range 20 {
		start := clock()
		pause(64)
		best = min(best, clock()-start)
	}
	return uint32(min(max(64*40/(best+1), 1), 64))
})

// waitForWork returns when there may be work.
func (wc *workerContext) waitForWork() {
	if limit := wc.awakeLimit(); limit > 0 && wc.spinForWork(limit) {
		return
	}
	wc.sleepUntilWoken()
}

// awakeLimit is how long an idle worker stays awake.
func (wc *workerContext) awakeLimit() time.Duration {
	p := wc.pool
	if p.scopes.Load() > 0 {
		return p.machine.AwakeTime(spinInScope)
	}
	return p.machine.AwakeTime(spinOutside)
}

// spinForWork stays awake until there may be work, but no longer than limit. The worker probes for
// open loops all the time. It looks into the deques less often, because each look slows their
// owners down.
//
// Invariant: from the first look at the clock until the return, the worker counts as searching.
// Because of this, a context that queues a job knows whether it must wake a worker.
func (wc *workerContext) spinForWork(limit time.Duration) bool {
	p := wc.pool
	counted := false
	defer func() {
		if counted {
			p.sleepers.AddSearching(-1)
		}
	}()
	start := clock()
	last := start
	for round := 1; ; round++ {
		if p.loops.hasOpenLoop() || p.loops.highQueue.size.Load() > 0 || p.closed.Load() {
			return true
		}
		if round%probesPerDequeCheck == 0 && wc.seesWork() {
			return true
		}
		pause(p.pauseRounds)
		if round%32 != 0 {
			continue
		}
		if !counted {
			counted, wc.steal.wasSearching = true, true
			p.sleepers.AddSearching(1)
			wc.publishCounters()
		}
		now := clock()
		p.machine.NoticeDelay(now-last, park.LostGap)
		if now-start > limit {
			increment(&wc.counters.spins)
			wc.counters.spunNs.Store(wc.counters.spunNs.Load() + int64(now-start))
			return false
		}
		if round%128 == 0 {
			runtime.Gosched() // lets timers and the garbage collector run
			now = clock()
		}
		last = now
	}
}

// seesWork reports whether the worker sees background jobs, or deques to steal from.
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

// sleepUntilWoken parks the worker.
func (wc *workerContext) sleepUntilWoken() {
	p := wc.pool
	p.hookAt(wc, "is about to park")
	wc.steal.wasWoken = true
	p.machine.UpdateProcessors()
	p.sleepers.Mark(wc.index)
	p.hookAt(wc, "has parked")
	if p.hasWork() || p.closed.Load() || hasOwnedAnywhere() {
		if p.sleepers.Unmark(wc.index) {
			return
		}
		// Another goroutine is about to wake this worker, so the sleep is short.
	} else {
		p.hookAt(wc, "has looked once more")
		wc.steal.wasSearching, wc.steal.stoleMany = false, false // there is nothing left for a successor
		if p.sentinel.wanted.Load() && p.sentinel.present.CompareAndSwap(false, true) && wc.sleepAsSentinel() {
			return
		}
	}
	for wc.park(0); p.sleepers.Marked(wc.index); wc.park(0) {
		// The worker was woken for a wait that is already over, so it sleeps again.
	}
	p.machine.NoticeDelay(p.sleepers.RecordWakeUp(wc.index), park.LateWake)
}

// sleepTime returns how long the sentinel sleeps after i sleeps without work.
func sleepTime(i int) time.Duration {
	return min(sentinelSleep<<max(0, i-shortSleeps+1), longSleep)
}

// sleepAsSentinel sleeps as the sentinel does. It returns true when the worker was woken or has
// found something to do. It returns false when no sentinel is needed any longer; then the worker
// is still marked as asleep.
func (wc *workerContext) sleepAsSentinel() bool {
	p := wc.pool
	for i := range sentinelSleeps {
		wc.park(sleepTime(i))
		if !p.sleepers.Marked(wc.index) {
			p.sentinel.present.Store(false)
			return true
		}
		if p.hasWork() {
			p.sentinel.present.Store(false)
			p.sleepers.Unmark(wc.index)
			return true
		}
	}
	p.hookAt(wc, "is no sentinel any longer")
	p.sentinel.present.Store(false)
	p.hookAt(wc, "takes back that one is wanted")
	p.sentinel.wanted.Swap(false)
	p.hookAt(wc, "looks a last time")
	if p.hasWork() { // queued before wanted was cleared
		p.sleepers.Unmark(wc.index)
		return true
	}
	return false
}

// sentinelState says whether a sentinel is wanted and whether there is one. If a goroutine changes
// one of these fields and then reads the other field or the queues, it makes the change with an
// atomic swap.
type sentinelState struct {
	wanted  atomic.Bool // set by a context that leaves a small job; cleared by the sentinel and by a worker that looks for its successor
	present atomic.Bool // set and cleared by the worker that is the sentinel
}

// announce tells the workers that n jobs have become ready. The jobs take ns nanoseconds together;
// a negative ns means that the duration is not known.
func (p *Pool) announce(n int, ns int64) {
	p.hookHot(nil, "announces")
	if p.sleepers.Count() == 0 {
		// All workers are awake. The workers may all be waiting inside jobs for a job that has just
		// become ready.
		if p.waiters.Count() > 0 && p.sleepers.Searching() == 0 {
			p.hookAt(nil, "is about to wake sleepers")
			p.waiters.WakeAll()
		}
		return
	}
	if uint64(ns) < uint64(n)*tinyJob || !p.sleepers.WakeFor(n, ns) {
		p.requestSentinel()
	}
}

// requestSentinel leaves small jobs to the goroutine that waits for them. If no goroutine waits for
// these jobs, the sentinel finds them. If there is no sentinel, the worker that is woken here
// becomes it.
func (p *Pool) requestSentinel() {
	if !p.sentinel.wanted.Load() && !p.sentinel.wanted.Swap(true) && !p.sentinel.present.Load() {
		p.hookAt(nil, "has asked for a sentinel")
		p.sleepers.WakeOne()
	}
}

// wakeWorkers wakes workers for a loop that has work for n more workers. The first two workers that
// wake up wake the next ones when they join the loop.
func (lp *loop) wakeWorkers(wc *workerContext, n int, ns int64) {
	sleepers := &wc.pool.sleepers
	n = sleepers.WakesNeeded(n)
	if n <= 0 {
		return
	}
	n = sleepers.Cost.Useful(n, ns)
	lp.workersToWake.Store(int32(n - 2))
	for range min(n, 2) {
		sleepers.WakeOne()
	}
	if wc.parker.Yields() {
		// The runtime starts the woken worker on this processor at once, and resumes the caller on
		// the processor that is waking up. Otherwise the worker would have to wait until another
		// processor steals it from here.
		runtime.Gosched()
	}
}

// wakeSuccessor is called by a worker that has found something to do. While it was searching or
// moving jobs, no worker was woken for jobs that became ready. While it was the sentinel, or was
// woken to become the sentinel, no worker was woken for small jobs. Now another worker has to look
// for these jobs, because this worker may be busy for a long time.
//
// Invariant: while a ready job is unclaimed, at least one of three conditions is true. A worker
// searches or is waking up; or the sentinel is present; or all workers are busy and will look for
// work when they are done. A worker that stops searching wakes its successor before it begins a
// job.
func (wc *workerContext) wakeSuccessor() {
	p := wc.pool
	if !wc.steal.wasSearching && !wc.steal.stoleMany && !wc.steal.wasWoken {
		return
	}
	p.hookAt(wc, "is about to pass on")
	searched := wc.steal.wasSearching || wc.steal.stoleMany
	wc.steal.wasSearching, wc.steal.stoleMany, wc.steal.wasWoken = false, false, false
	if p.sleepers.Searching() > 0 {
		return
	}
	if p.sleepers.Count() == 0 {
		if p.waiters.Count() > 0 && p.hasWork() {
			p.waiters.WakeAll() // no worker is left to take it
		}
		return
	}
	relied := p.sentinel.wanted.Load() && !p.sentinel.present.Load()
	if relied {
		p.sentinel.wanted.Swap(false) // before the look, so that a job queued later asks for a sentinel again
	}
	if !searched && !relied {
		return
	}
	if large, tiny := p.hasQueued(); large && searched {
		p.sentinel.wanted.Swap(true) // the woken worker shall wake its successor for the rest
		p.sleepers.WakeOne()
	} else if large || tiny {
		p.requestSentinel()
	}
}

// hasBackground reports whether a background job may begin.
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

// hasQueued reports whether jobs are queued that are worth waking a worker for, and whether tiny
// jobs are queued.
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

// wakeMore is called by a worker that has joined a loop. Each worker that joins wakes the next two
// workers.
func (lp *loop) wakeMore(sleepers *park.Sleepers) {
	for range 2 {
		if lp.workersToWake.Load() > 0 && lp.workersToWake.Add(-1) >= 0 {
			sleepers.WakeOne()
		}
	}
}
