package jobs

import (
	"math/bits"
)

// runWorker is the main loop of a worker's goroutine.
func (wc *workerContext) runWorker() {
	p := wc.pool
	g := goroutineID()
	p.goroutines.joinSet(nil)
	p.mu.Lock()
	p.registry.addWorker(g, wc)
	wc.queue.holder.Store(g)
	wc.acquireCount, wc.stack.depth, wc.stack.walkSteps = 1, 0, wc.stack.walkSteps[:0]
	p.mu.Unlock()
	ended := false
	defer func() {
		wc.publishCounters()
		p.mu.Lock()
		p.registry.removeWorker(g)
		p.mu.Unlock()
		if !ended { // a job called runtime.Goexit, so another goroutine takes over
			go wc.runWorker()
		}
		p.goroutines.leaveSet(!ended)
		p.hookAt(wc, goroutineEnded)
	}()
	for wc.serveOnce() {
	}
	ended = true
}

// serveOnce runs one job, joins one loop, or waits for either of them. serveOnce returns false when
// the pool is closed and no job is left.
func (wc *workerContext) serveOnce() bool {
	p := wc.pool
	wc.openedLoop.tuner = nil // others may still be in that loop; this worker does not wait for its end, so it cannot time it
	if ownedReadyJobs.Load() > 0 && runOwnedEverywhere(wc) > 0 {
		return true
	}
	if node := p.loops.highQueue.claimFirst((*jobNode).claimReady); node != nil {
		wc.wakeSuccessor()
		wc.runWithContinuations(node)
		return true
	}
	if wc.joinOpenLoop(High) || wc.joinOpenLoop(Normal) {
		return true
	}
	if node := wc.findJob(); node != nil {
		if node.stats.promptWaits.Load() != 0 {
			node.stats.promptWaits.Store(0) // the goroutine that scheduled the job did not wait for it at once
		}
		wc.wakeSuccessor()
		wc.runWithContinuations(node)
		return true
	}
	if !wc.steal.skippedJob && wc.runBackground() {
		return true
	}
	wc.clearBlocks()
	if p.closed.Load() {
		return false
	}
	wc.waitForWork()
	return true
}

// runBackground runs a background job, if there is one and a permit is free.
func (wc *workerContext) runBackground() bool {
	p := wc.pool
	if !p.hasBackground() {
		return false
	}
	if p.background.permits.Add(-1) < 0 {
		p.background.permits.Add(1)
		return false
	}
	wc.backgroundPermit = true
	defer func() {
		wc.backgroundPermit = false
		p.background.permits.Add(1)
	}()
	if node := p.background.queue.claimFirst((*jobNode).claimBackground); node != nil {
		wc.wakeSuccessor()
		wc.runWithContinuations(node)
		return true
	}
	return wc.joinOpenLoop(Background)
}

// joinOpenLoop runs blocks of an open loop of a priority, if there is one.
func (wc *workerContext) joinOpenLoop(pr Priority) bool {
	p := wc.pool
	for open := p.loops.openLoops(pr); open != 0; open &= open - 1 {
		if lp := p.loops.all[bits.TrailingZeros64(open)].Load(); lp.tryJoin() {
			if lp.priority != pr { // another loop has taken the place of the one that was seen
				lp.leaveUnworked(wc, noContinuation)
				continue
			}
			increment(&wc.counters.joined)
			wc.wakeSuccessor()
			lp.wakeMore(&p.sleepers)
			wc.runWithContinuations(lp.workJoined(wc, anyContinuation))
			return true
		}
	}
	return false
}

// findJob claims a job: the newest job of this context, otherwise the oldest job of another
// context.
func (wc *workerContext) findJob() *jobNode {
	if node := wc.queue.runnext.Load(); node != nil && node.claimReady() {
		return node
	}
	for node := wc.queue.deque.pop(); node != nil; node = wc.queue.deque.pop() {
		if node.claimReady() {
			return node
		}
	}
	wc.steal.skippedJob = false
	contexts := *wc.pool.contexts.Load()
	first, _ := bits.Mul64(wc.steal.random(), uint64(len(contexts)))
	for i := range contexts {
		i = (int(first) + i) % len(contexts)
		victim := contexts[i]
		if victim == wc {
			continue
		}
		if node := wc.stealFrom(victim, i); node != nil {
			if n := victim.queue.deque.size(); n > 0 {
				wc.pool.sleepers.WakeForRest(node.stats.estimate(n))
			}
			return node
		}
	}
	return nil
}

// stealState holds the data that a worker keeps between searches for work.
type stealState struct {
	rng          uint64
	observations []observation // by context: what was seen in its queue
	wasSearching bool          // the worker was counted as searching and has not woken a successor since
	stoleMany    bool          // it has moved jobs from another context's deque to its own
	wasWoken     bool          // it has slept and found nothing to do since
	skippedJob   bool          // the last search has left a job where it was; see worthStealing
}

// observation is the state of another context as a thief has seen it.
type observation struct {
	runnext      Handle // the ready job in runnext
	top          int64  // index of the oldest entry of the deque
	activity     uint64 // number of jobs that were scheduled or run there
	sightings    int    // how often the context looked like that
	probesToSkip int    // looks to leave out
}

// random does a step of xorshift64* and returns the result.
func (t *stealState) random() uint64 {
	x := t.rng
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	t.rng = x
	return x * 0x2545f4914f6cdd1d
}

// The patience of a thief is the number of times that it must see the same job in a queue before it
// steals the job. A single job is left alone the first time. Usually the goroutine that has
// scheduled it is about to wait for it, and runs it sooner than a thief would. Tiny jobs are left
// alone as long as their context schedules or runs any. Even frequent checks of tiny jobs would
// cost more than the jobs are worth.
const (
	patienceSingle    = 2
	patienceTiny      = 4
	tinyProbeInterval = 8
)

// worthStealing reports whether to steal from victim, the context with index i. If the victim
// offers tiny jobs, the check usually touches one cache line that hardly ever changes. In a pool
// that is closing there may be no second check.
//
// Invariant: a thief that leaves a job alone records the job, sets skippedJob, and checks again
// before it sleeps. So after as many checks as the thief's patience requires, each job has been
// taken by this thief or by another goroutine. Skipped checks do not count.
func (t *stealState) worthStealing(victim *workerContext, i int, closing bool) bool {
	for i >= len(t.observations) {
		t.observations = append(t.observations, observation{})
	}
	last := &t.observations[i]
	tiny := victim.queue.tinyJobs.Load() && !closing
	if tiny {
		if last.probesToSkip--; last.probesToSkip > 0 {
			return false
		}
		last.probesToSkip = tinyProbeInterval
	}
	now := observation{runnext: victim.queue.readyRunnext(), top: victim.queue.deque.top.Load(), probesToSkip: last.probesToSkip}
	n := victim.queue.deque.size()
	if now.runnext.node != nil {
		n++
	}
	if n <= 0 {
		return false
	}
	patience := 1
	if n == 1 && !closing {
		patience = patienceSingle
	}
	if tiny {
		patience = patienceTiny
		now.activity = victim.counters.jobs.Load() + victim.counters.begunJobs.Load()
	}
	if last.runnext != now.runnext || last.top != now.top || last.activity != now.activity {
		*last = now
	}
	last.sightings++
	if last.sightings < patience {
		t.skippedJob = true
		return false
	}
	// The next check of this victim must not be skipped. If the thief has only looked for work so
	// far, it comes back to steal now. If the thief steals, the changes that it sees at the next
	// check are its own.
	last.probesToSkip = 0
	return true
}

// readyRunnext returns the job in runnext if it is ready, otherwise the zero Handle.
func (q *localQueue) readyRunnext() Handle {
	if node := q.runnext.Load(); node != nil {
		if w := node.word.Load(); w&phaseMask == phaseReady {
			return Handle{node: node, gen: generation(w)}
		}
	}
	return Handle{}
}

// stealFrom claims a job of victim, the context with index i: its runnext, or the oldest ready job
// of its deque.
func (wc *workerContext) stealFrom(victim *workerContext, i int) *jobNode {
	for wc.steal.worthStealing(victim, i, wc.pool.closed.Load()) {
		last := &wc.steal.observations[i]
		if node := last.runnext.node; node != nil {
			last.runnext = Handle{}
			if node.claimReady() {
				increment(&wc.counters.steals)
				return node
			}
			continue
		}
		wc.pool.hookAt(wc, "is about to steal")
		node := victim.queue.deque.steal()
		if node == nil {
			return nil
		}
		wc.pool.hookAt(wc, "has stolen")
		last.top++
		wc.stealMore(victim, last)
		if node.claimReady() {
			increment(&wc.counters.steals)
			return node
		}
	}
	return nil
}

// maxSteal is the largest number of jobs that a thief takes at a time.
const maxSteal = 16

// stealMore moves jobs from the victim's deque to the thief's own, until the thief has half of
// them. A thief that has jobs in its own queue does not disturb other contexts. While the jobs are
// being moved, no worker sees them, not even a worker that is about to sleep; see wakeSuccessor.
func (wc *workerContext) stealMore(victim *workerContext, last *observation) {
	for n := min(victim.queue.deque.size()/2, maxSteal-1); n > 0; n-- {
		node := victim.queue.deque.steal()
		if node == nil {
			break
		}
		last.top++
		wc.queue.deque.pushUnpublished(node)
		wc.steal.stoleMany = true
	}
	wc.pool.hookAt(wc, "is about to show what it has moved")
	wc.queue.deque.publish()
}
