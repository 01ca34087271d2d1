package jobs

import (
	"sync"
	"sync/atomic"
)

// A job that waits needs what it waits for, and so does every job below it on
// the stack of its goroutine: none of them goes on before the wait is over. Edges
// say so while the goroutine sleeps. Others that wait for one of these jobs follow
// them and help; and one that meets a job of its own stack on the way has found a
// circle.
//
// Of those that wait in a circle the one that links last finds it, for the edges
// of all others are there; if a child closes it, which is scheduled behind one of
// them, all are woken to look again. Several may find it at a time, but they give up one
// by one, under a lock, and only after another look: the first breaks the circle
// for the rest.

// link records that the jobs on the stack need the one that is waited for. unlink has to
// begin at base, what the length of the seat's waits was before.
func (pw *pendingWait) linkStack() {
	wc := pw.ctx
	for t := range wc.runningTasks {
		wc.stack.waitEdges = append(wc.stack.waitEdges, wc.free.addNeed(t, pw.target.node, pw.target.gen, edgeWait))
	}
}

// A job that closes another pool waits for the workers and the external jobs of that pool, and so needs each
// job whose body they run. Pool.Close waits in the name of a job of its own, the closer: the bodies of the caller need the
// closer, and the closer needs the bodies on the stack of each goroutine of the pool that waits. The waiting goroutine records
// that, because no other can read its stack. If the closer comes after the wait, Close wakes all waiters so that they do.

// closings counts the calls of Close inside jobs, once others can find their closers.
var closesInJobs atomic.Uint32

// close begins the wait of Pool.Close inside a job.
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

// closed ends the wait of Pool.Close. No goroutine of the pool is left that could need the closer.
func (pw *pendingWait) endClose() {
	wc, node := pw.ctx, pw.target.node
	pw.unlinkStack()
	deadlockMu.Lock()
	wc.pool.closer = nil
	deadlockMu.Unlock()
	wc.free.recycleNode(node, node.endGeneration())
}

// closersCame reports whether linkClosers has something to do.
func (pw *pendingWait) hasNewClosers() bool { return pw.linked && closesInJobs.Load() != pw.closesSeen }

// linkClosers records that the closers of the calling goroutine's pools need the jobs on its stack.
func (pw *pendingWait) linkClosers() {
	if !pw.hasNewClosers() {
		return
	}
	wc := pw.ctx
	g := goroutineID()
	me, _ := isolatedGoroutines.owner()
	deadlockMu.Lock()
	defer deadlockMu.Unlock() // also if need panics
	pw.closesSeen = closesInJobs.Load()
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

// bodies yields the tasks of the bodies that the calling goroutine, which sits here, runs: those on its seats in
// all pools, and that of its external job.
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

// all yields the seats of the calling goroutine: this one, and those in other pools.
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

// inside reports whether the calling goroutine, which sits here, is in the body of a job, of any pool.
func (wc *workerContext) insideJob() bool {
	for range wc.runningTasks {
		return true
	}
	return false
}

// abroad is inside for a job of another pool than the seat's.
func (wc *workerContext) insideForeignJob() bool {
	for t := range wc.runningTasks {
		if t.node.pool != wc.pool {
			return true
		}
	}
	return false
}

// circles is held to end a wait of which others may know; see await.giveUp. A circle may lead
// through several pools.
var deadlockMu sync.Mutex

// unlink takes back what link has recorded.
func (pw *pendingWait) unlinkStack() {
	wc := pw.ctx
	if len(wc.stack.waitEdges) == pw.firstEdge {
		return
	}
	deadlockMu.Lock()
	defer deadlockMu.Unlock()
	wc.stack.unlinkLocked(pw.firstEdge)
}

// unlinkHeld takes the edges of the waits from base on back, for the holder of the lock. They stay in
// their lists, without a meaning, until sweep or the end of their job.
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

// giveUp looks once more whether the job can never be done because one on this stack
// would have to end first. If so it takes back what was recorded from base on and
// returns how the job depends on that one.
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
