package jobs

import (
	"slices"
)

// A waiting goroutine runs jobs, but only jobs that it waits for. A wait follows the edges
// backwards from the job that it needs, runs ready jobs and joins open loops. So an unrelated long
// job is never on the stack of a wait, and no wait can block a job on which it depends. If the
// walk meets a job of the goroutine's own stack, the wait could never end.
//
// The edges lead from one pool to another, and the walk follows them. The walk runs each job in a
// context of the job's own pool, so that a wait never depends on a free worker of another pool.

// helpOnce does the work for the target that can be done now. helpOnce reports whether it ran any
// job, and whether it has met a job that is on the goroutine's stack. If it has met such a job,
// the target may never be done. The walk ends at that job, unless the wait is unconditional.
func (pw *pendingWait) helpOnce() (ran, circular bool) {
	w := newDependencyWalk(pw.ctx)
	w.unconditional = pw.unconditional
	if pw.recordsPools {
		w.homePool, w.firstPool = pw.target.node.pool, pw.firstPool
	}
	w.visitFrom(pw.target)
	return w.ranJob, w.circular
}

// dependencyWalk is one pass over the jobs that a job needs. The walk's steps are on the context's
// stack from base on, because a job that the walk runs may begin another walk.
type dependencyWalk struct {
	ctx           *workerContext
	base          int
	mark          uint64 // left on jobs for which nothing can be done in this pass
	unconditional bool   // it goes on after a job of the own stack
	dryRun        bool   // it runs nothing
	homePool      *Pool  // it adds the pools that it comes to, except for this one, to waitPools; nil if it adds none
	firstPool     int    // index of the first of them in waitPools
	ranJob        bool
	circular      bool     // it has met a job of the own stack
	chain         []string // the names on the way to that job, if it is a dry run
}

func newDependencyWalk(wc *workerContext) dependencyWalk {
	wc.stack.walkCount++
	return dependencyWalk{ctx: wc, base: len(wc.stack.walkSteps), mark: uint64(wc.walkID)<<40 | wc.stack.walkCount&(1<<40-1)}
}

// visitFrom starts the walk at h and continues until no step is left.
func (w *dependencyWalk) visitFrom(h Handle) {
	wc := w.ctx
	defer w.popAll() // deferred, because a job that runs here may end the goroutine
	w.visit(h)
	for len(wc.stack.walkSteps) > w.base && (!w.circular || w.unconditional) {
		top := &wc.stack.walkSteps[len(wc.stack.walkSteps)-1]
		needed, open := top.nextDependency()
		switch {
		case !open: // the job is done
			w.popStep()
		case needed != Handle{}:
			w.visit(needed)
		default: // all its dependencies were visited
			last := Handle{node: top.node, gen: top.gen}
			w.popStep()
			if !w.dryRun && last.node.claimGeneration(last.gen) {
				w.runJob(last.node)
			} else {
				last.node.walkMark.Store(w.mark)
			}
		}
	}
}

// popAll removes all steps.
func (w *dependencyWalk) popAll() { w.ctx.stack.walkSteps = w.ctx.stack.walkSteps[:w.base] }

// visit runs a job, joins the job's loop, or makes the job a step of the walk.
func (w *dependencyWalk) visit(h Handle) {
	wc, node := w.ctx, h.node
	word := node.word.Load()
	if generation(word) != h.gen {
		return
	}
	if w.homePool != nil && node.pool != w.homePool && !slices.Contains(wc.stack.waitPools[w.firstPool:], node.pool) {
		wc.stack.waitPools = append(wc.stack.waitPools, node.pool)
	}
	if word&phaseReady != 0 && !w.dryRun && node.claimGeneration(h.gen) {
		w.runJob(node)
		return
	}
	if node.walkMark.Load() == w.mark {
		return
	}
	if wc.isRunning(node) {
		w.endAtOwnStack(node)
		return
	}
	if w.isOnPath(h) {
		return
	}
	if i := node.openLoop.Load(); i != 0 && !w.dryRun {
		w.joinLoop(node.pool.loops.all[i-1].Load(), h)
	}
	if node.pin(h.gen) {
		mine := node.shape == shapeExternal && node.isExternalHere()
		if !mine {
			w.pushStep(node, h.gen)
		}
		node.unpin()
		if mine {
			w.endAtOwnStack(node)
		}
	}
}

// isExternalHere reports whether the calling goroutine runs the node's external job.
func (node *jobNode) isExternalHere() bool {
	me, _ := isolatedGoroutines.owner()
	t := node.pool.externals.taskOf(me)
	return t != nil && t.node == node
}

// isRunning reports whether the body of a job is on the stack of the context's goroutine. If the
// job belongs to another pool, isRunning looks at the context that the goroutine holds there.
func (wc *workerContext) isRunning(node *jobNode) bool {
	if node.pool != wc.pool {
		if wc = node.pool.contextOf(goroutineID()); wc == nil {
			return false
		}
	}
	for _, t := range wc.stack.tasks[:wc.stack.depth] {
		if t.node == node {
			return true
		}
	}
	return false
}

// isOnPath reports whether h is a step of the walk. If h is a step, other goroutines wait in a
// cycle, and following this cycle would never end. Every cycle contains a job that waits or needs
// a child, so only such jobs are compared.
func (w *dependencyWalk) isOnPath(h Handle) bool {
	if h.node.childEdges.Load() == 0 {
		return false
	}
	steps := w.ctx.stack.walkSteps[w.base:]
	for i := range steps {
		if st := &steps[i]; st.node == h.node && st.gen == h.gen {
			return true
		}
	}
	return false
}

// endAtOwnStack ends the walk at a job of the goroutine's own stack. In a dry run it records the
// path. The names of the jobs on the path can be read, because none of these jobs can be done
// meanwhile.
func (w *dependencyWalk) endAtOwnStack(last *jobNode) {
	w.circular = true
	if !w.dryRun {
		return
	}
	for _, st := range w.ctx.stack.walkSteps[w.base:] {
		w.chain = append(w.chain, st.node.stats.name)
	}
	w.chain = append(w.chain, last.stats.name)
}

// pushStep makes a pinned node the topmost step.
func (w *dependencyWalk) pushStep(node *jobNode, gen uint32) {
	wc := w.ctx
	if len(wc.stack.walkSteps) < cap(wc.stack.walkSteps) {
		wc.stack.walkSteps = wc.stack.walkSteps[:len(wc.stack.walkSteps)+1]
	} else {
		wc.stack.walkSteps = append(wc.stack.walkSteps, walkStep{})
	}
	st := &wc.stack.walkSteps[len(wc.stack.walkSteps)-1]
	st.node, st.gen, st.nextEdge, st.inChildren, st.sweepCount, st.needCount = node, gen, node.dependencies, false, 0, 0
	st.readAhead()
}

// joinLoop works in the loop lp if it still belongs to h.
func (w *dependencyWalk) joinLoop(lp *loop, h Handle) {
	if !lp.tryJoin() {
		return
	}
	wc := w.ctx
	if p := h.node.pool; p != wc.pool {
		wc = p.acquireToRun()
		defer wc.release()
	}
	if lp.node != h.node || h.Done() { // the loop belongs to a later job, perhaps in the same node
		lp.leaveUnworked(wc, noContinuation)
		return
	}
	w.ranJob = true
	w.runContinuations(wc, lp.workJoined(wc, w.continuation()))
}

// nextDependency returns the next job that the step's job needs. It returns the zero Handle at the
// end of the list. The result open is false if the step's job is done.
func (st *walkStep) nextDependency() (needed Handle, open bool) {
	if st.needCount == 0 {
		if !st.node.pin(st.gen) {
			return Handle{}, false
		}
		st.readAhead()
		st.node.unpin()
		if st.needCount == 0 {
			return Handle{}, true
		}
	}
	st.needCount--
	st.nextNeed++
	return st.needs[st.nextNeed-1], true
}

// readAhead reads some more edges of the lists. The node must be pinned.
func (st *walkStep) readAhead() {
	st.nextNeed, st.needCount = 0, 0
	for st.needCount < len(st.needs) {
		if st.nextEdge == 0 && !st.inChildren || st.inChildren && st.sweepCount != st.node.sweepCount {
			st.inChildren, st.sweepCount = true, st.node.sweepCount
			st.nextEdge = st.node.childEdges.Load()
		}
		if st.nextEdge == 0 {
			break
		}
		e := edgeAt(st.nextEdge)
		st.nextEdge = e.nextIn
		if e.from == nil {
			continue // a counter, or an edge of a wait that is over
		}
		n := &st.needs[st.needCount]
		n.node, n.gen = e.from, e.fromGen
		st.needCount++
	}
}

// popStep removes the topmost step.
func (w *dependencyWalk) popStep() {
	w.ctx.stack.walkSteps = w.ctx.stack.walkSteps[:len(w.ctx.stack.walkSteps)-1]
}

// continuation returns the job to which the walk would return, which is the topmost step. If that
// job becomes ready, it runs next.
func (w *dependencyWalk) continuation() continuation {
	if wc := w.ctx; len(wc.stack.walkSteps) > w.base {
		top := &wc.stack.walkSteps[len(wc.stack.walkSteps)-1]
		return continuation{node: top.node, gen: top.gen}
	}
	return noContinuation
}

// runJob runs a claimed job and then the steps below it as they become ready.
func (w *dependencyWalk) runJob(node *jobNode) {
	w.ranJob = true
	if wc := w.ctx; node.pool == wc.pool {
		w.runContinuations(wc, wc.runClaimed(node, w.continuation()))
	} else {
		w.runInPool(node)
	}
}

// runInPool is like runJob, but in the context of another pool.
func (w *dependencyWalk) runInPool(node *jobNode) {
	wc := node.pool.acquireToRun()
	defer wc.release() // deferred, because the job may end the goroutine
	w.runContinuations(wc, wc.runClaimed(node, w.continuation()))
}

func (w *dependencyWalk) runContinuations(wc *workerContext, node *jobNode) {
	for node != nil {
		w.popStep() // the job is the topmost step
		node = wc.runClaimed(node, w.continuation())
	}
}

// walkStep is a job on the path of a walk, together with the edges into it that the walk has not
// followed.
type walkStep struct {
	node       *jobNode
	gen        uint32
	nextEdge   uint32
	inChildren bool // nextEdge is in the list of children, which comes after the dependencies

	sweepCount uint32 // of the list of children when it was read

	needs     [8]Handle // read ahead; needCount of them from nextNeed on are left
	nextNeed  int
	needCount int
}
