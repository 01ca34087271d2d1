package jobs

import (
	"time"
)

// spread runs a parallel-for that the seat has claimed.
//
// However it is run, each block below first has run once when a loop is opened, and
// those from first on are dealt then: so every block runs exactly once, whether others fail
// or not. A block that was left out because another had failed would make what the job has
// done depend on which of them ran first.
func runParallelFor(wc *workerContext, node *jobNode, then continuation) *jobNode {
	if node.hasExtras && node.laterLength != nil && !node.readLaterLength() {
		return wc.finishBody(node, then)
	}
	blocks, first := uint64(0), uint64(0)
	if node.n > 0 {
		blocks = uint64((node.n-1)/node.grain + 1)
	}
	p := wc.pool
	if blocks <= 1 || p.workers == 1 {
		runSerial(wc, node, 0, blocks, noLimit, 0)
		return wc.finishBody(node, then)
	}
	run := loopPlan{ns: node.stats.estimate(node.n)}
	if tunable(run.ns) {
		run.chooseMode(wc, node)
	}
	if run.mode == inSerial || uint64(run.ns) < minTunable || !run.workersAwake && allWorkersAsleep(p, run.ns) && !p.lot.Cost.WorthWaking(run.ns) {
		stats, n := node.stats, node.n
		if first = runSerial(wc, node, 0, blocks, uint64(2*run.ns)+escapeMargin, run.now); first == blocks {
			if run.began != 0 && node.word.Load()&wordFailed == 0 {
				run.tuner.recordTime(stats, run.mode, clock()-run.began, n)
			}
			return wc.finishBody(node, then)
		}
		run.ns, run.began = -1, 0 // it was not as small as it looked
	}
	lp := p.loops.acquireLoop(p.workers)
	if lp == nil {
		runSerial(wc, node, first, blocks, noLimit, 0)
		return wc.finishBody(node, then)
	}
	lp.node, lp.job, lp.n, lp.grain, lp.priority = node, node.loopJob, node.n, node.grain, node.priority
	p.loops.openBits[node.priority.index()].Or(1 << lp.index) // before others can get in, and close it
	lp.openToWorkers(first, blocks, run.ns)
	increment(&wc.counters.loops)
	if p.lot.Count() != 0 || p.waiters.Count() != 0 {
		lp.wakeForLoop(wc, run.ns, int(blocks-first)-1)
	}
	return lp.workOpened(wc, &run, then)
}

// plan is how a parallel-for is to be run.
type loopPlan struct {
	ns           int64         // that it will take; negative if that is not known
	now          time.Duration // when it began, by clock, if that was looked at, else 0
	began        time.Duration // when it began, by clock, if its time is to be told to the trial, else 0
	tuner        *modeTuner    // what is known of such loops; nil if they are not tried
	mode         runMode
	workersAwake bool // it is tried, and comes without a pause
}

// choose chooses how to run a parallel-for whose kind is tried.
func (run *loopPlan) chooseMode(wc *workerContext, node *jobNode) {
	p, now := wc.pool, clock()
	pause := allWorkersAsleep(p, run.ns) && wc.timing.pauseBefore(now) > wc.awakeLimit()
	wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate = now, time.Duration(run.ns)
	run.now = now
	run.tuner = node.stats.tunerFor(p.workers, run.ns, pause)
	run.workersAwake = !pause
	way, timed := run.tuner.nextMode(run.ns)
	if run.mode = way; timed {
		run.began = now
	}
}

// pausedFor is for how long the seat has run no loop that is tried, as far as is known: the
// end of the last one is guessed, for that it would cost another look at the clock.
func (m *measurements) pauseBefore(now time.Duration) time.Duration {
	return now - m.tunedLoopStart - m.tunedLoopEstimate
}

// alone reports whether a loop that takes ns nanoseconds, if that is known, finds all
// workers asleep.
func allWorkersAsleep(p *Pool, ns int64) bool { return ns >= 0 && p.lot.Count() == p.workers-1 }

// unclocked is how many blocks are run without a look at the clock.
const untimedBlocks = 4

// serial runs the blocks [from, blocks) of a parallel-for on this seat alone, in
// ascending order. It stops early, and returns the next block, when it sees
// that more than limit nanoseconds have gone by: the job is not as small as it
// looked. It began at a time by clock, or begins now if that is 0. A block that fails
// does not keep those above it from running.
func runSerial(wc *workerContext, node *jobNode, from, blocks, limit uint64, began time.Duration) (next uint64) {
	wc.timing.serialLoops++
	wc.noteBlocks()
	t := wc.pushTask(node)
	var sp jobSpan
	if wc.pool.observed() {
		sp = newJobSpan(wc, node)
	}
	next, well := runSerialUntilFailure(wc, node, t, &sp, from, blocks, limit, began)
	for !well {
		if began == 0 {
			began = clock()
		}
		next, well = runSerialUntilFailure(wc, node, t, &sp, next, blocks, limit, began)
	}
	sp.endSerial(wc, node, t)
	return next
}

// endSerial ends the span and the task of serial.
func (sp *jobSpan) endSerial(wc *workerContext, node *jobNode, t *Task) {
	if sp.on {
		sp.end(node, int(t.block)+1)
	}
	wc.stack.popTask()
}

// serialUntilFailure is serial up to the first block that fails: then well is false, and next
// the block above it. If that block has ended the goroutine, it does what its callers will not.
func runSerialUntilFailure(wc *workerContext, node *jobNode, t *Task, sp *jobSpan, from, blocks, limit uint64, began time.Duration) (next uint64, well bool) {
	t.returned, t.bodyEnded = false, false
	defer func() {
		if t.returned {
			return
		}
		next = t.block + 1
		if exit := wc.recordFailure(node, t, recover()); exit != nil {
			t.exiting = true
			for over := false; !over; {
				next, over = runSerialUntilFailure(wc, node, t, sp, next, blocks, noLimit, 0)
			}
			t.exiting = false
			sp.endSerial(wc, node, t)
			wc.propagateExit(exit)
			wc.enqueueClaimed(wc.finishBody(node, noContinuation))
		}
	}()
	if wc.mustIsolate(node) {
		next, well = runSerialIsolated(wc, node, t, from, blocks, limit, began)
	} else {
		next, well = wc.timing.runSerialBlocks(node, t, from, blocks, limit, began), true
	}
	t.returned = true
	return next, well
}

// serialIsolated is serialUntilFailure on another goroutine.
func runSerialIsolated(wc *workerContext, node *jobNode, t *Task, from, blocks, limit uint64, began time.Duration) (uint64, bool) {
	next := blocks
	if !wc.runIsolated(node, t, func() { next = wc.timing.runSerialBlocks(node, t, from, blocks, limit, began) }) {
		return t.block + 1, false
	}
	return next, true
}

// serialBlocks is serial without what surrounds the blocks.
func (m *measurements) runSerialBlocks(node *jobNode, t *Task, from, blocks, limit uint64, began time.Duration) (next uint64) {
	next = from
	if (limit == noLimit || blocks <= untimedBlocks) && !m.shouldTime(node.stats) {
		return t.runBlocks(node, next, blocks)
	}
	timed := m.shouldTime(node.stats)
	start := began
	if start == 0 {
		start = clock()
	}
	for next < blocks {
		step := uint64(64)
		if next == from {
			step = 1
		}
		next = t.runBlocks(node, next, min(blocks, next+step))
		if next == blocks && !timed {
			break
		}
		if took := clock() - start; uint64(took) > limit || next == blocks {
			node.stats.recordCost(took, min(int(next-from)*node.grain, node.n))
			break
		}
	}
	return next
}

// runBlocks runs the blocks [lo, hi) and returns hi.
func (t *Task) runBlocks(node *jobNode, lo, hi uint64) uint64 {
	job, n, grain := node.loopJob, node.n, node.grain
	at := int(lo) * grain
	for b := lo; b < hi; b++ {
		t.beginBlock(b, at)
		job.RunRange(t, at, at+min(grain, n-at))
		at += grain
	}
	return hi
}
