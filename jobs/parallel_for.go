package jobs

import (
	"time"
)

// runParallelFor runs a parallel-for that the context has claimed.
//
// Invariant: when a loop is opened, each block before first has run once, and the blocks from first
// on are divided among the workers. Therefore every block runs exactly once, whether or not other
// blocks fail. If a failure kept other blocks from running, the job's effects would depend on the
// order in which the blocks run.
func runParallelFor(wc *workerContext, node *jobNode, then continuation) *jobNode {
	if node.hasOptionalFields && node.lengthPointer != nil && !node.readLaterLength() {
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
	plan := loopPlan{estimateNs: node.stats.estimate(node.n)}
	if isTunable(plan.estimateNs) {
		plan.chooseMode(wc, node)
	}
	if plan.mode == inSerial || uint64(plan.estimateNs) < minTunable || !plan.workersAwake && allWorkersAsleep(p, plan.estimateNs) && !p.sleepers.Cost.WorthWaking(plan.estimateNs) {
		stats, n := node.stats, node.n
		if first = runSerial(wc, node, 0, blocks, uint64(2*plan.estimateNs)+escapeMargin, plan.now); first == blocks {
			if plan.began != 0 && node.word.Load()&wordFailed == 0 {
				plan.tuner.recordTime(stats, plan.mode, clock()-plan.began, n)
			}
			return wc.finishBody(node, then)
		}
		plan.estimateNs, plan.began = -1, 0 // the loop takes longer than its estimate
	}
	lp := p.loops.acquireLoop(p.workers)
	if lp == nil {
		runSerial(wc, node, first, blocks, noLimit, 0)
		return wc.finishBody(node, then)
	}
	lp.node, lp.job, lp.n, lp.grain, lp.priority = node, node.loopJob, node.n, node.grain, node.priority
	p.loops.openBits[node.priority.index()].Or(1 << lp.index) // before another worker can join the loop and close it
	lp.openToWorkers(first, blocks, plan.estimateNs)
	increment(&wc.counters.loops)
	if p.sleepers.Count() != 0 || p.waiters.Count() != 0 {
		lp.wakeForLoop(wc, plan.estimateNs, int(blocks-first)-1)
	}
	return lp.workOpened(wc, &plan, then)
}

// loopPlan is the decision about how to run a parallel-for.
type loopPlan struct {
	estimateNs   int64         // estimated duration; negative if it is not known
	now          time.Duration // time of the start by clock, or 0 if the clock was not read
	began        time.Duration // time of the start by clock, if the tuner wants the duration, otherwise 0
	tuner        *modeTuner    // nil if such loops are not tuned
	mode         runMode
	workersAwake bool // the loop is tuned and comes without a pause
}

// chooseMode asks the tuner how to run a parallel-for.
func (plan *loopPlan) chooseMode(wc *workerContext, node *jobNode) {
	p, now := wc.pool, clock()
	pause := allWorkersAsleep(p, plan.estimateNs) && wc.timing.pauseBefore(now) > wc.awakeLimit()
	wc.timing.tunedLoopStart, wc.timing.tunedLoopEstimate = now, time.Duration(plan.estimateNs)
	plan.now = now
	plan.tuner = node.stats.tunerFor(p.workers, plan.estimateNs, pause)
	plan.workersAwake = !pause
	mode, timed := plan.tuner.nextMode(plan.estimateNs)
	if plan.mode = mode; timed {
		plan.began = now
	}
}

// pauseBefore returns the time since the context last ran a tuned loop. The end of that loop is
// estimated, because measuring it would require another reading of the clock.
func (m *measurements) pauseBefore(now time.Duration) time.Duration {
	return now - m.tunedLoopStart - m.tunedLoopEstimate
}

// allWorkersAsleep reports whether all workers sleep. allWorkersAsleep returns false if the
// duration ns of the loop is not known.
func allWorkersAsleep(p *Pool, ns int64) bool { return ns >= 0 && p.sleepers.Count() == p.workers-1 }

// untimedBlocks is the number of blocks that run without a reading of the clock.
const untimedBlocks = 4

// runSerial runs the blocks [from, blocks) of a parallel-for on this context alone, in ascending
// order. If more than limit nanoseconds have passed since the start, the job takes longer than its
// estimate. In this case runSerial stops early and returns the next block. The start is the time
// began, or the time of the call if began is 0. If a block fails, the blocks above it still run.
func runSerial(wc *workerContext, node *jobNode, from, blocks, limit uint64, began time.Duration) (next uint64) {
	wc.timing.serialLoops++
	wc.noteBlocks()
	t := wc.pushTask(node)
	var sp jobSpan
	if wc.pool.isObserved() {
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

// endSerial ends the span and the task of runSerial.
func (sp *jobSpan) endSerial(wc *workerContext, node *jobNode, t *Task) {
	if sp.recording {
		sp.end(node, int(t.block)+1)
	}
	wc.stack.popTask()
}

// runSerialUntilFailure runs blocks as runSerial does, but stops at the first block that fails.
// In that case well is false, and next is the block after the failed block. If the failed block has
// ended the goroutine, this function also does the work that its callers can no longer do.
func runSerialUntilFailure(wc *workerContext, node *jobNode, t *Task, sp *jobSpan, from, blocks, limit uint64, began time.Duration) (next uint64, well bool) {
	t.bodyReturned, t.bodyEnded = false, false
	defer func() {
		if t.bodyReturned {
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
			wc.enqueueIfAny(wc.finishBody(node, noContinuation))
		}
	}()
	if wc.mustIsolate(node) {
		next, well = runSerialIsolated(wc, node, t, from, blocks, limit, began)
	} else {
		next, well = wc.timing.runSerialBlocks(node, t, from, blocks, limit, began), true
	}
	t.bodyReturned = true
	return next, well
}

// runSerialIsolated does the work of runSerialUntilFailure on another goroutine.
func runSerialIsolated(wc *workerContext, node *jobNode, t *Task, from, blocks, limit uint64, began time.Duration) (uint64, bool) {
	next := blocks
	if !wc.runIsolated(node, t, func() { next = wc.timing.runSerialBlocks(node, t, from, blocks, limit, began) }) {
		return t.block + 1, false
	}
	return next, true
}

// runSerialBlocks is the inner loop of runSerial.
func (m *measurements) runSerialBlocks(node *jobNode, t *Task, from, blocks, limit uint64, began time.Duration) (next uint64) {
	next = from
	if (limit == noLimit || blocks <= untimedBlocks) && !m.shouldTime(node.stats, node.n) {
		return t.runBlocks(node, next, blocks)
	}
	timed := m.shouldTime(node.stats, node.n)
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
