package jobs

import (
	"sync"
	"sync/atomic"
)

// A job that waits needs the job that it waits for. Every job below the waiting job on the
// goroutine's stack needs that job too, because it cannot continue before the wait is over. Edges
// record these needs while the goroutine sleeps. If another goroutine waits for one of the jobs on
// this stack, it follows the edges and runs the jobs that are needed. A walk that meets a job of
// its own goroutine's stack has found a cycle.
//
// In a cycle of waits, the wait that adds its edges last finds the cycle: the edges of all other
// waits are already there. A cycle may also be closed later, when a job schedules a child that
// depends on one of the waiting jobs. In that case all waits are woken, so that they search for a
// cycle again. Several goroutines may find the cycle at the same time. They give up one after the
// other. Each of them takes a lock and searches again, so the first one that gives up breaks the
// cycle for the others.

// linkStack records that the jobs on the stack need the target. For unlinkStack, firstEdge holds
// the previous length of the context's waitEdges.
func (pw *pendingWait) linkStack() {
	wc := pw.ctx
	for t := range wc.runningTasks {
		wc.stack.waitEdges = append(wc.stack.waitEdges, wc.free.addNeed(t, pw.target.node, pw.target.gen, edgeWait))
	}
}

// A job that closes another pool waits for the workers and the external jobs of that pool.
// Therefore it needs every job whose body these workers and external jobs run. Pool.Close creates
// a job, called the closer, and waits as this job. The bodies on the stack of the goroutine that
// calls Close need the closer. The closer needs the bodies on the stacks of the pool's waiting
// goroutines. Each waiting goroutine records these needs itself, because no other goroutine can
// read its stack. If Close creates the closer after the wait has begun, it wakes all waiters so
// that they record their needs.

// closesInJobs is the number of calls of Close inside jobs. It is raised only when other
// goroutines can already find the closer.
var closesInJobs atomic.Uint32

// beginClose begins the wait of Pool.Close inside a job.
func (pw *pendingWait) beginClose() {
	wc := pw.ctx
	node := wc.free.takeNode()
	node.stats = closeStats
	node.word.Add(phaseRunning - phaseWaiting)
	pw.target, pw.firstEdge, pw.linked = Handle{node: node, gen: generation(node.word.Load())}, len(wc.stack.waitEdges), true
	deadlockMu.Lock()
	wc.pool.closer = &Task{node: node}
	deadlockMu.Unlock()
	closesInJobs.Add(1)
	pw.linkStack()
	for p := range eachPool {
		p.waiters.WakeAll()
	}
}

// endClose ends the wait of Pool.Close. By then, the pool has no goroutine left that could need
// the closer.
func (pw *pendingWait) endClose() {
	wc, node := pw.ctx, pw.target.node
	pw.unlinkStack()
	deadlockMu.Lock()
	wc.pool.closer = nil
	deadlockMu.Unlock()
	wc.free.recycleNode(node, node.endGeneration())
}

// hasNewClosers reports whether there are closers that linkClosers has not yet linked.
func (pw *pendingWait) hasNewClosers() bool {
	return pw.linked && closesInJobs.Load() != pw.closesInJobsSeen
}

// linkClosers records that the closers of the calling goroutine's pools need the jobs on its stack.
func (pw *pendingWait) linkClosers() {
	if !pw.hasNewClosers() {
		return
	}
	wc := pw.ctx
	g := goroutineID()
	me, _ := isolatedGoroutines.owner()
	deadlockMu.Lock()
	defer deadlockMu.Unlock() // deferred, because addNeed may panic
	pw.closesInJobsSeen = closesInJobs.Load()
	for p := range eachPool {
		waitsForMe := p.registry.findWorker(g) != nil || p.externals.taskOf(me) != nil || p.closer != nil && p.closer.node == pw.target.node && wc.stack.depth > 0
		if p.closer == nil || !waitsForMe {
			continue
		}
		for t := range wc.runningTasks {
			wc.stack.waitEdges = append(wc.stack.waitEdges, wc.free.addNeed(p.closer, t.node, generation(t.node.word.Load()), edgeWait))
		}
	}
}

// runningTasks yields the tasks of the bodies that the calling goroutine runs: the tasks in its
// contexts of all pools, and the task of its external job.
func (wc *workerContext) runningTasks(yield func(*Task) bool) {
	for other := range wc.heldContexts {
		for _, t := range other.stack.tasks[:other.stack.depth] {
			if !yield(t) {
				return
			}
		}
	}
	me, _ := isolatedGoroutines.owner()
	for p := range eachPool {
		if t := p.externals.taskOf(me); t != nil && !yield(t) {
			return
		}
	}
}

// heldContexts yields the contexts that the calling goroutine holds: this context, and contexts
// of other pools.
func (wc *workerContext) heldContexts(yield func(*workerContext) bool) {
	if !yield(wc) {
		return
	}
	g := goroutineID()
	for p := range eachPool {
		if p == wc.pool {
			continue
		}
		if other := p.contextOf(g); other != nil && !yield(other) {
			return
		}
	}
}

// insideJob reports whether the calling goroutine, which holds the context, is in the body of a job
// of any pool.
func (wc *workerContext) insideJob() bool {
	for range wc.runningTasks {
		return true
	}
	return false
}

// insideForeignJob reports whether the calling goroutine is in the body of a job of a pool other
// than the context's.
func (wc *workerContext) insideForeignJob() bool {
	for t := range wc.runningTasks {
		if t.node.pool != wc.pool {
			return true
		}
	}
	return false
}

// deadlockMu is held at the end of a wait if other goroutines may have seen the edges of that
// wait; see confirmDeadlock. The lock is global, because a cycle may lead through several pools.
var deadlockMu sync.Mutex

// unlinkStack removes the edges that linkStack added.
func (pw *pendingWait) unlinkStack() {
	wc := pw.ctx
	if len(wc.stack.waitEdges) == pw.firstEdge {
		return
	}
	deadlockMu.Lock()
	defer deadlockMu.Unlock()
	wc.stack.unlinkLocked(pw.firstEdge)
}

// unlinkLocked removes the wait edges from index base on. The caller holds deadlockMu. The removed
// edges stay in their lists, without effect, until a sweep frees them or their job ends.
func (ts *taskStack) unlinkLocked(base int) {
	for _, i := range ts.waitEdges[base:] {
		e := edgeAt(i)
		node := e.to
		node.lockEdges()
		e.from = nil
		node.unlockEdges()
	}
	ts.waitEdges = ts.waitEdges[:base]
}

// confirmDeadlock searches once more for a cycle, that is, for a job on this stack that must be
// done before the target. If there is a cycle, the target can never be done. In that case
// confirmDeadlock removes the edges from firstEdge on and returns the chain of jobs from the
// target to that job.
func (pw *pendingWait) confirmDeadlock() error {
	wc := pw.ctx
	deadlockMu.Lock()
	defer deadlockMu.Unlock()
	w := newDependencyWalk(wc)
	w.dryRun = true
	w.visitFrom(pw.target)
	if w.chain == nil {
		return nil
	}
	wc.stack.unlinkLocked(pw.firstEdge)
	return &DeadlockError{Chain: w.chain, closes: pw.target.node.stats == closeStats}
}
