package jobs

import (
	"slices"
)

// A waiting goroutine works, but only on what it waits for: it walks the
// edges backwards from the job it needs, runs what is ready and joins loops
// that are open. So an unrelated long job never sits on a waiting stack, and
// no wait can block a job that it depends on. Meeting a job of the own stack
// on the way means that the wait could never end.
//
// The edges lead from pool to pool, and so does the walk: it runs each job on a seat of the
// job's own pool. So a wait never depends on another pool having a worker that is free.

// help does what can be done now for the job that is waited for. It reports whether it ran
// anything, and whether it has come upon a job of this stack: then h may never
// be done, and there is no more to do for it, unless the wait for it must go on.
func (pw *pendingWait) helpOnce() (ran, circular bool) {
	w := newDependencyWalk(pw.ctx)
	w.unconditional = pw.unconditional
	if pw.notesPools {
		w.homePool, w.firstPool = pw.target.node.pool, pw.firstPool
	}
	w.visitFrom(pw.target)
	return w.ranJob, w.circular
}

// walk is one pass over what a job needs. Its steps lie on the seat's stack
// from base on: a job that it runs may begin a walk of its own.
type dependencyWalk struct {
	ctx           *workerContext
	base          int
	mark          uint64 // left on jobs for which nothing can be done in this pass
	unconditional bool   // it does not end at a job of the own stack
	dryRun        bool   // it runs nothing
	homePool      *Pool  // it notes the pools that it comes to, in seat.met, except for this one; nil if it notes none
	firstPool     int    // where in seat.met they begin
	ranJob        bool
	circular      bool     // it has met a job of the own stack
	chain         []string // the names on the way there, if it only looks
}

func newDependencyWalk(wc *workerContext) dependencyWalk {
	wc.stack.walkCount++
	return dependencyWalk{ctx: wc, base: len(wc.stack.walkSteps), mark: uint64(wc.walkID)<<40 | wc.stack.walkCount&(1<<40-1)}
}

// all begins at h and goes on until there is nothing left to look at.
func (w *dependencyWalk) visitFrom(h Handle) {
	wc := w.ctx
	defer w.popAll() // also if a job that is run here ends the goroutine
	w.visit(h)
	for len(wc.stack.walkSteps) > w.base && (!w.circular || w.unconditional) {
		top := &wc.stack.walkSteps[len(wc.stack.walkSteps)-1]
		needed, open := top.nextDependency()
		switch {
		case !open: // it is done
			w.popStep()
		case needed != Handle{}:
			w.visit(needed)
		default: // everything it needs was looked at
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

// end takes all steps away.
func (w *dependencyWalk) popAll() { w.ctx.stack.walkSteps = w.ctx.stack.walkSteps[:w.base] }

// enter deals with one job: it runs it, or joins it, or makes it a step.
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

// runsHere reports whether the slot holds an external job that the calling goroutine runs.
func (node *jobNode) isExternalHere() bool {
	me, _ := isolatedGoroutines.owner()
	t := node.pool.externals.taskOf(me)
	return t != nil && t.node == node
}

// runs reports whether the body of a slot's job is on the stack of the seat's goroutine. That
// of another pool's job is on the seat that the goroutine has in that pool.
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

// onTheWay reports whether h is a step of the walk: others wait in a circle, and
// going round it would never end. Every circle leads through a job that needs a
// child or what it waits for, so only those are looked up.
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

// die ends the walk at a job of the own stack. One that only looks notes how it was
// reached: none of those on the way can be done meanwhile, so their names can be
// read.
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

// push makes a pinned slot the topmost step.
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

// join works in the loop lp if it is still that of h.
func (w *dependencyWalk) joinLoop(lp *loop, h Handle) {
	if !lp.tryJoin() {
		return
	}
	wc := w.ctx
	if p := h.node.pool; p != wc.pool {
		wc = p.acquireToRun()
		defer wc.release()
	}
	if lp.node != h.node || h.Done() { // a later job's, perhaps in the same slot
		lp.leaveUnworked(wc, noContinuation)
		return
	}
	w.ranJob = true
	w.runContinuations(wc, lp.workJoined(wc, w.continuation()))
}

// look returns the next job that the step's job needs, the zero Handle at the
// end of the list. The step is not open when its job is done.
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

// read reads some more of the lists; the slot is pinned.
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
			continue // a counter, or a wait that is over
		}
		n := &st.needs[st.needCount]
		n.node, n.gen = e.from, e.fromGen
		st.needCount++
	}
}

// drop takes the topmost step away.
func (w *dependencyWalk) popStep() {
	w.ctx.stack.walkSteps = w.ctx.stack.walkSteps[:len(w.ctx.stack.walkSteps)-1]
}

// continuation is the job that the walk would come back to, the topmost step: when it
// becomes ready it is run next.
func (w *dependencyWalk) continuation() continuation {
	if wc := w.ctx; len(wc.stack.walkSteps) > w.base {
		top := &wc.stack.walkSteps[len(wc.stack.walkSteps)-1]
		return continuation{node: top.node, gen: top.gen}
	}
	return noContinuation
}

// run runs a job that was claimed, and then the steps above it as they become
// ready.
func (w *dependencyWalk) runJob(node *jobNode) {
	w.ranJob = true
	if wc := w.ctx; node.pool == wc.pool {
		w.runContinuations(wc, wc.runClaimed(node, w.continuation()))
	} else {
		w.runInPool(node)
	}
}

// runAbroad is run in another pool.
func (w *dependencyWalk) runInPool(node *jobNode) {
	wc := node.pool.acquireToRun()
	defer wc.release() // also if the job ends the goroutine
	w.runContinuations(wc, wc.runClaimed(node, w.continuation()))
}

func (w *dependencyWalk) runContinuations(wc *workerContext, node *jobNode) {
	for node != nil {
		w.popStep() // it was the wanted one
		node = wc.runClaimed(node, w.continuation())
	}
}

// step is a place in such a walk: a job and the edges into it that have not
// been looked at.
type walkStep struct {
	node       *jobNode
	gen        uint32
	nextEdge   uint32
	inChildren bool // edge is in the list of children; before that come the dependencies

	sweepCount uint32 // of that list, when it was read

	needs     [8]Handle // read ahead: known of them from at on
	nextNeed  int
	needCount int
}
