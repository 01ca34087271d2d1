package jobs

import (
	"context"
)

// execute runs a job that the seat has claimed, and then whatever becomes
// ready behind it.
func (wc *workerContext) runWithContinuations(node *jobNode) { wc.runFrom(node, anyContinuation) }

// runOn runs a claimed job and then one that fits, as long as there is one.
func (wc *workerContext) runFrom(node *jobNode, then continuation) {
	for node != nil {
		node = wc.runClaimed(node, then)
	}
}

// step runs one claimed job to the end of its body. Of the jobs that become
// ready by that it returns the first that fits the continuation, claimed; the others
// are queued.
func (wc *workerContext) runClaimed(node *jobNode, then continuation) *jobNode {
	if b := wc.pool.live; b != nil {
		b.markRunning(node)
	}
	switch {
	case node.word.Load()&wordFailed != 0: // a job before it failed
	case node.hasExtras && node.scope != nil && node.scope.ctx.Err() != nil:
		node.fail(rankSkipped, context.Cause(node.scope.ctx))
	case node.shape == shapeExternal:
		return startExternal(wc, node, then)
	case node.shape == shapeSingle:
		wc.runSingle(node)
	case node.shape == shapeLoop:
		return runParallelFor(wc, node, then)
	}
	return wc.finishBody(node, then)
}

// call runs the body of a single job.
func (wc *workerContext) runSingle(node *jobNode) {
	if node.hasExtras && node.parent != nil {
		wc.noteBlocks()
	}
	t := wc.pushTask(node)
	var sp jobSpan
	if wc.pool.observed() {
		sp = newJobSpan(wc, node)
	}
	defer func() {
		if sp.on {
			sp.end(node, 0)
		}
		wc.stack.popTask()
		if t.returned {
			return
		}
		if exit := wc.recordFailure(node, t, recover()); exit != nil {
			wc.propagateExit(exit)
			wc.enqueueClaimed(wc.finishBody(node, noContinuation)) // the goroutine is ending: no other will
		}
	}()
	if wc.timing.shouldTime(node.stats) {
		wc.runSingleTimed(node, t)
	} else {
		node.single.Run(t)
	}
	t.returned = true
}

// callSampled takes the time of the body of a single job.
func (wc *workerContext) runSingleTimed(node *jobNode, t *Task) {
	if wc.mustIsolate(node) {
		wc.runIsolated(node, t, func() { runTimed(node, t) })
	} else {
		runTimed(node, t)
	}
}

func runTimed(node *jobNode, t *Task) {
	start := clock()
	node.single.Run(t)
	node.stats.recordCost(clock()-start, 1)
}

// runLine runs a claimed job and those that become ready behind it on its line, as
// far as h.
func (wc *workerContext) runChain(node *jobNode, h Handle) {
	for node != nil {
		then := nextInChain
		if node == h.node {
			then = noContinuation
		}
		node = wc.runClaimed(node, then)
	}
}

// continuation says which of the jobs that become ready the goroutine that made them so
// runs itself, next: one job, the next on the line, or any.
type continuation struct {
	node *jobNode
	gen  uint32 // of the one job: its slot may hold a later one by now
}

func (then continuation) fits(node *jobNode) bool {
	switch then.node {
	case nil:
		return true
	case &chainNode:
		return node.chained
	}
	return node == then.node && generation(node.word.Load()) == then.gen
}

// finish ends the body of a job; the job is done if its children are.
func (wc *workerContext) finishBody(node *jobNode, then continuation) *jobNode {
	if node.unfinishedChildren.Load() != 0 && node.unfinishedChildren.Add(bodyDone) != bodyDone {
		return nil
	}
	return wc.complete(node, then)
}

// complete ends a job, and its parents if they waited for nothing else, and
// releases the jobs behind them.
//
// Its invariant: sl.close takes the job's edges away and ends its generation in one step,
// so each edge is met once, by the goroutine that closed, and what comes later sees that the job is
// done. Until then no other touches the slot; from dropSlot on it may be another job's.
func (wc *workerContext) complete(node *jobNode, then continuation) (next *jobNode) {
	r := readyJobs{continuation: then}
	for {
		var parent *jobNode
		order := uint64(0)
		if node.hasExtras {
			parent, order = node.parent, node.childOrder
		}
		if b := wc.pool.live; b != nil {
			b.removeJob(node)
		}
		wc.timing.completed++
		wc.pool.hookHot(wc, "is about to complete a job")
		word := node.endGeneration()
		wc.pool.hookHot(wc, "has completed a job")
		var failed *failure
		if word&wordFailed != 0 {
			failed = node.failure.Load()
		}
		if first := uint32(word&wordEdges) >> edgeShift; first != 0 {
			r.release(wc, first, failed)
		}
		if word&wordWatched != 0 {
			wc.pool.hookAt(wc, "is about to wake the watchers")
			wc.pool.waiters.WakeFor(Handle{node, generation(word)})
		}
		wc.free.recycleNode(node, word)
		if parent == nil {
			break
		}
		if failed != nil {
			parent.fail(rankChild|order, failed.err)
		}
		if parent.unfinishedChildren.Add(-1) != bodyDone {
			break
		}
		node = parent
		if r.continuation == nextInChain {
			r.continuation = noContinuation // the parent is on another
		}
	}
	if r.queued > 0 {
		r.publish(wc)
	}
	return r.next
}

// released is what has become ready by the end of a job.
type readyJobs struct {
	continuation continuation
	next         *jobNode // the first that fits the continuation, claimed
	queued       int      // the others
	ns           int64    // that these take; negative if that is not known
}

// show shows the others what a seat has queued.
func (r *readyJobs) publish(wc *workerContext) {
	wc.queue.deque.publish()
	each := r.ns
	if each > 0 {
		each /= int64(r.queued)
	}
	wc.queue.noteJobSize(each)
	wc.pool.announce(r.queued, r.ns)
}

// take meets the dependencies behind the edges out of a job that has ended; failed is
// its error. It claims the first job that becomes ready and fits the continuation, and queues the
// others: what is queued is seen by others at the latest after deque.publish.
func (r *readyJobs) release(wc *workerContext, first uint32, failed *failure) {
	for i := reverseEdges(first); i != 0; {
		e := edgeAt(i)
		i = e.nextOut
		to := e.to
		if failed != nil {
			to.fail(rankDependency|uint64(e.position&^edgeOnly), failed.err)
		}
		switch {
		case !dependencyMet(e, to):
			// it waits for others
		case to.pool != wc.pool:
			enqueueElsewhere(to)
		case to.hasExtras && to.owner != 0:
			wc.enqueueOwned(to)
		case r.next == nil && r.continuation.fits(to) && (to.priority.needsNoPermit() || wc.backgroundPermit || r.continuation.node != nil):
			r.next = to
		default:
			if n := to.estimate(); n < 0 || r.ns < 0 {
				r.ns = -1
			} else {
				r.ns += n
			}
			wc.publishReady(to)
			if r.queued++; r.queued%16 == 0 {
				wc.queue.deque.publish()
			}
		}
	}
}

// inOrder turns a list of edges out of a job round: the last was linked first.
func reverseEdges(i uint32) uint32 {
	before := uint32(0)
	for i != 0 {
		e := edgeAt(i)
		i, before, e.nextOut = e.nextOut, i, before
	}
	return before
}

// met counts the dependency behind an edge as done. It reports whether it was
// the job's last.
func dependencyMet(e *edge, to *jobNode) bool {
	if e.position&edgeOnly != 0 {
		return true
	}
	if e.counter != 0 && !edgeAt(e.counter).countDown() {
		return false
	}
	return to.pendingDependencies.Add(-1) == 0
}

// queue makes a job that the seat could run, but does not, available.
func (wc *workerContext) enqueueClaimed(node *jobNode) {
	if node != nil {
		wc.enqueue(node, Handle{})
	}
}

// post queues a job from the goroutine of another pool.
func enqueueElsewhere(node *jobNode) {
	wc := node.pool.acquire()
	wc.enqueueClaimed(node)
	wc.release()
}
