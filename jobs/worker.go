package jobs

import (
	"math/bits"
)

// work is the life of one of the pool's goroutines.
func (wc *workerContext) runWorker() {
	p := wc.pool
	g := goroutineID()
	p.goroutines.joinSet(nil)
	p.mu.Lock()
	p.registry.addWorker(g, wc)
	wc.queue.holder.Store(g)
	wc.holds, wc.stack.depth, wc.stack.walkSteps = 1, 0, wc.stack.walkSteps[:0]
	p.mu.Unlock()
	ended := false
	defer func() {
		wc.publishCounters()
		p.mu.Lock()
		p.registry.removeWorker(g)
		p.mu.Unlock()
		if !ended { // a job called runtime.Goexit: another goroutine goes on
			go wc.runWorker()
		}
		p.goroutines.leaveSet(!ended)
		p.hookAt(wc, goroutineEnded)
	}()
	for wc.serveOnce() {
	}
	ended = true
}

// serve does one thing that can be done, or waits for one. It returns false
// when the pool is closed and there is nothing left.
func (wc *workerContext) serveOnce() bool {
	p := wc.pool
	wc.openedLoop.tuner = nil // if others are still in the last loop, nothing here waits to see its end
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
			node.stats.promptWaits.Store(0) // the goroutine that scheduled it had better things to do than to wait
		}
		wc.wakeSuccessor()
		wc.runWithContinuations(node)
		return true
	}
	if !wc.steal.leftJob && wc.runBackground() {
		return true
	}
	wc.clearBlocks()
	if p.closed.Load() {
		return false
	}
	wc.waitForWork()
	return true
}

// background runs a background job, if there is one and few enough workers do
// that.
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

// joinAny works in an open loop of a priority, if there is one.
func (wc *workerContext) joinOpenLoop(pr Priority) bool {
	p := wc.pool
	for open := p.loops.openLoops(pr); open != 0; open &= open - 1 {
		if lp := p.loops.all[bits.TrailingZeros64(open)].Load(); lp.tryJoin() {
			if lp.priority != pr { // not the loop that was seen
				lp.leaveUnworked(wc, noContinuation)
				continue
			}
			increment(&wc.counters.joined)
			wc.wakeSuccessor()
			lp.wakeMore(&p.lot)
			wc.runWithContinuations(lp.workJoined(wc, anyContinuation))
			return true
		}
	}
	return false
}

// find claims a job: the seat's newest, or else the oldest of another seat.
func (wc *workerContext) findJob() *jobNode {
	if node := wc.queue.runnext.Load(); node != nil && node.claimReady() {
		return node
	}
	for node := wc.queue.deque.pop(); node != nil; node = wc.queue.deque.pop() {
		if node.claimReady() {
			return node
		}
	}
	wc.steal.leftJob = false
	seats := *wc.pool.contexts.Load()
	first, _ := bits.Mul64(wc.steal.random(), uint64(len(seats)))
	for i := range seats {
		i = (int(first) + i) % len(seats)
		victim := seats[i]
		if victim == wc {
			continue
		}
		if node := wc.stealFrom(victim, i); node != nil {
			if n := victim.queue.deque.size(); n > 0 {
				wc.pool.lot.Relay(node.stats.estimate(n))
			}
			return node
		}
	}
	return nil
}

// thief is what a worker remembers of its search for work.
type stealState struct {
	rng          uint64
	observations []observation // by seat: what was seen in its deque
	wasSearching bool          // it was counted as one that looks for work, and has not passed on since
	movedJobs    bool          // it has taken jobs from another seat's deque into its own
	wasWoken     bool          // it has slept and not found anything to do since
	leftJob      bool          // the last search has left a job alone: see worthStealing
}

// look is what a thief has seen of another seat.
type observation struct {
	runnext     Handle // its runnext
	top         int64  // the oldest entry of its deque
	activity    uint64 // of jobs that were scheduled or run there
	timesSeen   int    // that it looked like that
	looksToSkip int    // looks to leave out
}

// random is a step of xorshift64*.
func (t *stealState) random() uint64 {
	x := t.rng
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	t.rng = x
	return x * 0x2545f4914f6cdd1d
}

// How often a thief looks at jobs that no other takes before it does. A single
// one is left alone at first sight: as a rule the goroutine that has scheduled it is about
// to wait for it, and would rather find it than have it done far away. Tiny
// ones are left alone as long as their seat schedules or runs any; even to look
// at them often would cost more than they are worth.
const (
	patienceSingle   = 2
	patienceTiny     = 4
	tinyLookInterval = 8
)

// worthStealing reports whether to steal from seat i, the victim. Of a seat that offers
// tiny jobs it touches, as a rule, one cache line that hardly ever changes. In a pool that is closing
// there may be no second look.
//
// The invariant: a thief that leaves a job alone has noted what it saw, says so in spared,
// and looks again before it sleeps, so that after as many looks as its patience nothing is
// left that no other has taken. Looks that are left out do not count as seen.
func (t *stealState) worthStealing(victim *workerContext, i int, closing bool) bool {
	for i >= len(t.observations) {
		t.observations = append(t.observations, observation{})
	}
	last := &t.observations[i]
	tiny := victim.queue.tinyJobs.Load() && !closing
	if tiny {
		if last.looksToSkip--; last.looksToSkip > 0 {
			return false
		}
		last.looksToSkip = tinyLookInterval
	}
	now := observation{runnext: victim.queue.readyRunnext(), top: victim.queue.deque.top.Load(), looksToSkip: last.looksToSkip}
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
		now.activity = victim.counters.jobs.Load() + victim.counters.begun.Load()
	}
	if last.runnext != now.runnext || last.top != now.top || last.activity != now.activity {
		*last = now
	}
	last.timesSeen++
	if last.timesSeen < patience {
		t.leftJob = true
		return false
	}
	// The next look must not be left out: a thief that has only looked comes to steal now,
	// and for one that steals whatever changes is its own doing.
	last.looksToSkip = 0
	return true
}

// onRunnext is the job that is the seat's runnext; zero if there is none.
func (q *localQueue) readyRunnext() Handle {
	if node := q.runnext.Load(); node != nil {
		if w := node.word.Load(); w&phaseMask == phaseReady {
			return Handle{node: node, gen: generation(w)}
		}
	}
	return Handle{}
}

// stealFrom claims a job of seat i: its runnext, or the oldest of the
// deque that is ready.
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

// stealMost is how many jobs a thief takes at a time, at most.
const maxSteal = 16

// takeMore moves jobs from a seat's deque into the own one, until the thief has
// taken half of them: while it has jobs of its own it disturbs no other. On their
// way no worker sees them, one that goes to sleep just then included: see passOn.
func (wc *workerContext) stealMore(victim *workerContext, last *observation) {
	for n := min(victim.queue.deque.size()/2, maxSteal-1); n > 0; n-- {
		node := victim.queue.deque.steal()
		if node == nil {
			break
		}
		last.top++
		wc.queue.deque.pushUnpublished(node)
		wc.steal.movedJobs = true
	}
	wc.pool.hookAt(wc, "is about to show what it has moved")
	wc.queue.deque.publish()
}
