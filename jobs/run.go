package jobs

import (
	"context"
)

// runWithContinuations runs a job that the context has claimed, and then jobs that become ready
// when it ends.
func (wc *workerContext) runWithContinuations(node *jobNode) { wc.runFrom(node, anyContinuation) }

// runFrom runs a claimed job and then one continuation after the other, as long as there is one.
func (wc *workerContext) runFrom(node *jobNode, then continuation) {
	for node != nil {
		node = wc.runClaimed(node, then)
	}
}

// runClaimed runs one claimed job to the end of its body. It claims and returns the first newly
// ready job that fits the continuation, and queues the others.
func (wc *workerContext) runClaimed(node *jobNode, then continuation) *jobNode {
	if b := wc.pool.live; b != nil {
		b.markRunning(node)
	}
	switch {
	case node.word.Load()&wordFailed != 0: // a dependency failed
	case node.hasOptionalFields && node.scope != nil && node.scope.ctx.Err() != nil:
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

// runSingle runs the body of a single job.
func (wc *workerContext) runSingle(node *jobNode) {
	if node.hasOptionalFields && node.parent != nil {
		wc.noteBlocks()
	}
	t := wc.pushTask(node)
	var sp jobSpan
	if wc.pool.isObserved() {
		sp = newJobSpan(wc, node)
	}
	defer func() {
		if sp.recording {
			sp.end(node, 0)
		}
		wc.stack.popTask()
		if t.bodyReturned {
			return
		}
		if exit := wc.recordFailure(node, t, recover()); exit != nil {
			wc.propagateExit(exit)
			wc.enqueueIfAny(wc.finishBody(node, noContinuation)) // the goroutine is ending, so another one must run the continuation
		}
	}()
	if wc.timing.shouldTime(node.stats, 1) {
		wc.runSingleTimed(node, t)
	} else {
		node.single.Run(t)
	}
	t.bodyReturned = true
}

// runSingleTimed runs the body of a single job and measures its time.
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

// runChain runs a claimed job and its chained successors, up to the job of h.
func (wc *workerContext) runChain(node *jobNode, h Handle) {
	for node != nil {
		then := nextInChain
		if node == h.node {
			then = noContinuation
		}
		node = wc.runClaimed(node, then)
	}
}

// continuation says which newly ready job the goroutine itself runs next: a given job, the next
// job of the chain, any job, or no job.
type continuation struct {
	node *jobNode
	gen  uint32 // of the certain job, because its node may hold a later one by now
}

func (then continuation) matches(node *jobNode) bool {
	switch then.node {
	case nil:
		return true
	case &chainNode:
		return node.chained
	}
	return node == then.node && generation(node.word.Load()) == then.gen
}

// finishBody ends the body of a job. The job is done if its children are done.
func (wc *workerContext) finishBody(node *jobNode, then continuation) *jobNode {
	if node.unfinishedChildren.Load() != 0 && node.unfinishedChildren.Add(bodyDone) != bodyDone {
		return nil
	}
	return wc.complete(node, then)
}

// complete ends a job and releases the jobs that depend on it. It does the same for each ancestor
// that was only waiting for this job.
//
// Invariant: endGeneration takes the job's edges away and ends its generation
// in one step. So exactly one goroutine counts each edge: the goroutine that ended the generation.
// A goroutine that comes later sees that the job is done. No other goroutine touches the node
// before recycleNode. After that call, the node may hold another job.
func (wc *workerContext) complete(node *jobNode, then continuation) (next *jobNode) {
	r := readyJobs{continuation: then}
	for {
		var parent *jobNode
		order := uint64(0)
		if node.hasOptionalFields {
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
			wc.pool.waiters.WakeFor(Handle{node, generation(word)}.key())
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
			r.continuation = noContinuation // the parent is not part of the chain
		}
	}
	if r.queued > 0 {
		r.publish(wc)
	}
	return r.next
}

// readyJobs holds the jobs that become ready when a job ends.
type readyJobs struct {
	continuation continuation
	next         *jobNode // the first that fits the continuation, claimed
	queued       int      // the number of others
	estimateNs   int64    // their estimated duration; negative if it is not known
}

// publish shows the queued jobs to other workers.
func (r *readyJobs) publish(wc *workerContext) {
	wc.queue.deque.publish()
	each := r.estimateNs
	if each > 0 {
		each /= int64(r.queued)
	}
	wc.queue.noteJobSize(each)
	wc.pool.announce(r.queued, r.estimateNs)
}

// release goes through the edges that lead out of an ended job, and counts a dependency as met for
// each edge. Parameter failed is the error of the ended job. release claims the first job that
// becomes ready and fits the continuation, and queues the other ready jobs. Other workers see the
// queued jobs after deque.publish at the latest.
func (r *readyJobs) release(wc *workerContext, first uint32, failed *failure) {
	for i := reverseEdges(first); i != 0; {
		e := edgeAt(i)
		i = e.nextOut
		to := e.to
		if failed != nil {
			to.fail(rankDependency|uint64(e.position&^onlyDependency), failed.err)
		}
		switch {
		case !dependencyMet(e, to):
			// The job has other dependencies that are not done.
		case to.pool != wc.pool:
			enqueueElsewhere(to)
		case to.hasOptionalFields && to.owner != 0:
			wc.enqueueOwned(to)
		case r.next == nil && r.continuation.matches(to) && (to.priority.needsNoPermit() || wc.backgroundPermit || r.continuation.node != nil):
			r.next = to
		default:
			if n := to.estimate(); n < 0 || r.estimateNs < 0 {
				r.estimateNs = -1
			} else {
				r.estimateNs += n
			}
			wc.publishReady(to)
			if r.queued++; r.queued%16 == 0 {
				wc.queue.deque.publish()
			}
		}
	}
}

// reverseEdges reverses a list of edges that lead out of a job, because the edge that was
// linked first is the last one in the list.
func reverseEdges(i uint32) uint32 {
	before := uint32(0)
	for i != 0 {
		e := edgeAt(i)
		i, before, e.nextOut = e.nextOut, i, before
	}
	return before
}

// dependencyMet counts the dependency of an edge as done. dependencyMet reports whether that was
// the job's last dependency.
func dependencyMet(e *edge, to *jobNode) bool {
	if e.position&onlyDependency != 0 {
		return true
	}
	if e.counter != 0 && !edgeAt(e.counter).countDown() {
		return false
	}
	return to.pendingDependencies.Add(-1) == 0
}

// enqueueIfAny queues a job that has become ready and that this context does not run itself.
// Parameter node may be nil.
func (wc *workerContext) enqueueIfAny(node *jobNode) {
	if node != nil {
		wc.enqueue(node, Handle{})
	}
}

// enqueueElsewhere queues a job of another pool.
func enqueueElsewhere(node *jobNode) {
	wc := node.pool.acquire()
	wc.enqueueIfAny(node)
	wc.release()
}
