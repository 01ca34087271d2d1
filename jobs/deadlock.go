package jobs

import (
	"sync"
	"sync/atomic"
)

// A job that waits needs the job that it waits for. Every job below it on the stack of its
// goroutine needs that job too, because none of them continues before the wait is over. Edges
// record these needs while the goroutine sleeps. Other goroutines that wait for one of the stack's
// jobs follow the edges and help. A walk that meets a job of its own goroutine's stack has found a
// cycle.
//
// In a cycle of waits, the wait that adds its edges last finds the cycle: the edges of all other
// waits are already there. A new child that is scheduled after one of the jobs may also close a
// cycle. Then all waits are woken to look again. Several goroutines may find the cycle at the same
// time. They give up one after the other. Each takes a lock and looks again, so the first
// goroutine that gives up breaks the cycle for the rest.

// linkStack records that the jobs on the stack need the target. unlinkStack later needs firstEdge,
// which is the previous length of the context's waitEdges.
func (pw *pendingWait) linkStack() {
	wc := pw.ctx
	for t := range wc.runningTasks {
		wc.stack.waitEdges = append(wc.stack.waitEdges, wc.free.addNeed(t, pw.target.node, pw.target.gen, edgeWait))
	}
}

// A job that closes another pool waits for the workers and the external jobs of that pool. So it
// needs every job whose body these workers and jobs run. Pool.Close creates a job, called the closer, and waits as
// this job. The bodies on the caller's stack need the closer. The closer needs
// the bodies on the stack of each goroutine of the pool that waits. The waiting goroutine itself
// records these needs, because no other goroutine can read its stack. If Close creates the closer
// after the wait has begun, it wakes all waiters so that they record their needs.

// closesInJobs is the number of calls of Close inside jobs. The number is raised when other
// goroutines can find the closer.
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

// endClose ends the wait of Pool.Close. No goroutine of the pool is left that could need the
// closer.
func (pw *pendingWait) endClose() {
	wc, node := pw.ctx, pw.target.node
	pw.unlinkStack()
	deadlockMu.Lock()
	wc.pool.closer = nil
	deadlockMu.Unlock()
	wc.free.recycleNode(node, node.endGeneration())
}

// hasNewClosers reports whether linkClosers has something to do.
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

// deadlockMu is held when a wait ends whose edges other goroutines may have seen; see
// confirmDeadlock. The lock is global, because a cycle may lead through several pools.
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

// unlinkLocked removes the wait edges from index base on. The caller holds deadlockMu. The edges
// stay in their lists without effect until a sweep or the end of their job.
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

// confirmDeadlock checks again whether the target can never be done, because a job on this stack
// would have to be done before the target. If so, it removes the edges from firstEdge on and
// returns the chain of jobs from the target to that job.
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
