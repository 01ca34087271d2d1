package jobs

import (
	"errors"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// Handle identifies a scheduled job. A Handle is small and comparable. A Handle may be copied, and
// any goroutine may use it. The zero Handle identifies a job that is done.
type Handle struct {
	node *jobNode
	gen  uint32
}

// key returns the key under which a goroutine waits for the job.
func (h Handle) key() park.Key { return park.Key{Job: h.node, Generation: h.gen} }

// Done reports whether the job and all its children are done. It does not wait.
func (h Handle) Done() bool {
	return h.node == nil || generation(h.node.word.Load()) != h.gen
}

// Err returns the error of a job that is done. Before the job is done, it returns nil. It
// does not wait.
func (h Handle) Err() error {
	if h.node == nil || !h.Done() {
		return nil
	}
	if f := h.node.failure.Load(); f != nil && f.gen == h.gen {
		return f.err
	}
	return nil
}

// succeeded reports whether the job is done without an error.
func (h Handle) succeeded() bool { return h.Done() && h.Err() == nil }

// waitChain runs the chain of jobs that ends with the target, if this context has scheduled the
// chain. After this, waitChain waits for the target in any case.
func (pw *pendingWait) waitChain() error {
	wc, h := pw.ctx, pw.target
	if h == wc.queue.chainTail {
		last := wc.queue.lastJob
		wc.queue.lastJob, wc.queue.chainTail = Handle{}, Handle{}
		if last.node.claimGeneration(last.gen) {
			if wc.queue.announcedAt != 0 {
				wc.queue.recordPromptWait(last.node.stats)
			}
			if wc.queue.deque.newest() == last.node {
				wc.queue.deque.pop() // only after the claim, because the node may hold another job by now
			}
			wc.runChain(last.node, h)
			spinBriefly(wc.pool, h)
		}
	}
	return pw.waitForTarget()
}

// spinBriefly waits briefly for other workers that run the last blocks of a loop in which the
// caller has worked.
func spinBriefly(p *Pool, h Handle) {
	for round := 0; round < 16 && !h.Done(); round++ {
		pause(p.pauseRounds)
	}
}

// pendingWait is one wait of a goroutine for a job.
type pendingWait struct {
	ctx           *workerContext
	target        Handle
	unconditional bool // go on even if the job may never be done
	firstEdge     int  // length of the context's waitEdges before its own, once it is linked

	firstPool       int // index in the context's waitPools of its first pool, while it is registered
	registeredPools int // end of the pools in waitPools with which it is registered

	loopsSeen    uint64        // the bits of the loops that were open before the last look of waitForTarget or waitLinked
	spinEnd      time.Duration // when to stop staying awake; 0 before the first spin and after each job that waitForTarget or waitLinked has run
	linked       bool          // the goroutine is in the body of a job, whose edge to the target is recorded
	recordsPools bool          // walks add the pools that they come to to waitPools

	closesInJobsSeen uint32 // value of closesInJobs when linkClosers last ran
}

// waitForTarget runs jobs, spins and sleeps until the target is done.
func (pw *pendingWait) waitForTarget() error {
	wc, h := pw.ctx, pw.target
	for spun := false; !h.Done(); {
		if wc.stack.depth == 0 && wc.pool.owners.size.Load() > 0 && wc.pool.owners.runForCaller(wc) > 0 {
			continue
		}
		pw.noteLoops()
		ran, circular := pw.helpOnce()
		switch {
		case circular && !pw.unconditional:
			pw.firstEdge = len(wc.stack.waitEdges)
			if err := pw.confirmDeadlock(); err != nil {
				return err
			}
		case ran:
			spun, pw.spinEnd = false, 0
		case !spun:
			spun = !pw.spinForTarget()
		case wc.insideJob():
			return pw.waitLinked()
		default:
			pw.sleepUntilReady()
		}
	}
	if wc.openedLoop.tuner != nil {
		wc.openedLoop.reportIfDone(h)
	}
	return h.Err()
}

// waitLinked does the second part of waitForTarget inside a job, when the goroutine is
// about to sleep. It links the jobs on the stack to the target, so that goroutines that wait for
// these jobs find this dependency.
func (pw *pendingWait) waitLinked() error {
	wc, h := pw.ctx, pw.target
	pw.firstEdge, pw.linked = len(wc.stack.waitEdges), true
	defer pw.unlinkStack()
	pw.linkStack() // this may panic half-way
	told := false
	for spun := true; !h.Done(); {
		pw.linkClosers()
		pw.noteLoops()
		ran, circular := pw.helpOnce()
		switch {
		case circular && !pw.unconditional:
			if err := pw.confirmDeadlock(); err != nil {
				return err
			}
		case ran:
			spun, pw.spinEnd = false, 0
		case !spun:
			spun = !pw.spinForTarget()
		case circular && !told:
			for p := range eachPool {
				p.waiters.WakeAll() // only those that have begun to wait before this one can give up
			}
			told = true
		default:
			pw.sleepUntilReady()
		}
	}
	if wc.openedLoop.tuner != nil {
		wc.openedLoop.reportIfDone(h)
	}
	return h.Err()
}

// spinForTarget stays awake for a while, because the target may be done soon. It returns true if
// there may be something to run that the target needs, for example a loop that a worker has opened
// meanwhile. In this case, call it again unless there is. After the limit, all calls return false.
// spinForTarget looks only at the pool of the target; a wait for loops of another pool sleeps until
// it is woken for them.
func (pw *pendingWait) spinForTarget() (again bool) {
	p, h := pw.ctx.pool, pw.target
	now := clock()
	if pw.spinEnd == 0 {
		limit := p.machine.AwakeTime(spinWaiting)
		if limit == 0 {
			runtime.Gosched()
			return false
		}
		pw.spinEnd = now + limit
	} else if now > pw.spinEnd {
		return false
	}
	loops := &h.node.pool.loops
	last := now
	for round := 1; !h.Done(); round++ {
		pause(p.pauseRounds)
		if (loops.openLoops(High)|loops.openLoops(Normal))&^pw.loopsSeen != 0 {
			return true
		}
		if round%32 != 0 {
			continue
		}
		now = clock()
		p.machine.NoticeDelay(now-last, park.LostGap)
		if now > pw.spinEnd {
			return false
		}
		if h.node.pool.hasWork() { // among others, a loop whose bit was seen before workers could join it
			return true
		}
		last = now
	}
	return false
}

// noteLoops records the loops that the next call of helpOnce sees, for spinForTarget.
func (pw *pendingWait) noteLoops() {
	loops := &pw.target.node.pool.loops
	pw.loopsSeen = loops.openLoops(High) | loops.openLoops(Normal)
}

// sleepUntilReady sleeps until the target is done, or until a job may be ready that the target
// needs.
//
// Invariant: the wait is registered in every pool that has a job which the target needs. It is
// registered in a pool before the last walk that finds nothing to do in that pool. So if a
// goroutine makes a job ready that the target needs, it wakes this goroutine, unless a worker of
// that pool takes the job. If the target later needs a job of another pool, submit wakes this
// goroutine.
func (pw *pendingWait) sleepUntilReady() {
	wc, h := pw.ctx, pw.target
	p := h.node.pool // the pool that knows when the target is done
	wc.pool.hookAt(wc, "is about to register as a waiter")
	p.waiters.Add(wc.parker, h.key(), pw.linked)
	wc.pool.hookAt(wc, "is registered as a waiter")
	defer p.waiters.Remove(wc.parker, h.key()) // deferred, because a job that runs here may end the goroutine
	if !h.node.requestWake(h.gen) {
		return
	}
	wc.pool.hookAt(wc, "watches")
	pw.recordsPools, pw.firstPool, pw.registeredPools = true, len(wc.stack.waitPools), len(wc.stack.waitPools)
	defer pw.unregister()
	for {
		// If a goroutine did not see this waiter, it made its jobs ready before this check, so the
		// check finds them.
		if ran, circular := pw.helpOnce(); ran || circular && !pw.unconditional || h.Done() {
			return
		}
		if pw.registeredPools == len(wc.stack.waitPools) {
			break
		}
		for ; pw.registeredPools < len(wc.stack.waitPools); pw.registeredPools++ {
			wc.stack.waitPools[pw.registeredPools].waiters.Add(wc.parker, h.key(), pw.linked)
		}
		wc.pool.hookAt(wc, "is registered in other pools")
	}
	if !pw.hasNewClosers() && runOwnedEverywhere(wc) == 0 { // last, because the target may not need any of these
		wc.park(0)
	}
}

// unregister removes the registrations of sleepUntilReady in other pools. The last walk may have
// added pools to waitPools in which the wait is not registered yet.
func (pw *pendingWait) unregister() {
	wc := pw.ctx
	pw.recordsPools = false
	for _, other := range wc.stack.waitPools[pw.firstPool:pw.registeredPools] {
		other.waiters.Remove(wc.parker, pw.target.key())
	}
	clear(wc.stack.waitPools[pw.firstPool:])
	wc.stack.waitPools = wc.stack.waitPools[:pw.firstPool]
}

// WaitAll waits for several jobs and meanwhile runs the jobs that they need. It joins the errors
// of the given jobs in their order, each error once. WaitAll costs less than Combine if no other
// job depends on all of them.
func WaitAll(hs ...Handle) error { return waitAll(hs) }

func waitAll(hs []Handle) error { return joinErrors(waitForEach(nil, hs)) }

// waitForEach waits for several jobs and appends their errors to a list. A wait for only the first
// job would sleep while another job is ready. So waitForEach first runs all ready jobs that any job
// of the list needs.
func waitForEach(errs []error, hs []Handle) []error {
	errs, done := runEach(errs, hs)
	for _, h := range hs[done:] {
		errs = appendError(errs, h.Wait())
	}
	return errs
}

// runEach runs ready jobs that any job of the list needs, until no such job is ready. It appends
// the errors of the finished jobs at the front of the list, and returns the number of these jobs.
// It runs the jobs in the order of the list, because a list usually has each job after the jobs on
// which it depends. Therefore one pass is enough, and a job that becomes ready when the previous
// job ends need not be queued.
func runEach(errs []error, hs []Handle) (_ []error, done int) {
	for ; done < len(hs) && hs[done].Done(); done++ {
		errs = appendError(errs, hs[done].Err())
	}
	if done == len(hs) {
		return errs, done
	}
	wc := hs[done].node.pool.acquireToRun()
	defer wc.release()
	for ran := true; ran; {
		ran = false
		next := (*jobNode)(nil) // the job of hs[i], claimed, if the end of the job before has made it ready
		for i := done; i < len(hs); i++ {
			h := hs[i]
			if next == nil && !h.Done() && h.node.pool == wc.pool && h.node.claimGeneration(h.gen) {
				next = h.node
			}
			switch {
			case next != nil:
				next = wc.runClaimed(next, continueWith(hs[i+1:]))
				spinBriefly(wc.pool, h)
				ran = true
			case !h.Done():
				helped, _ := (&pendingWait{ctx: wc, target: h}).helpOnce()
				ran = ran || helped
			}
			if wc.openedLoop.tuner != nil {
				wc.openedLoop.reportIfDone(h)
			}
			if i == done && h.Done() {
				errs = appendError(errs, h.Err())
				done++
			}
		}
	}
	return errs, done
}

// continueWith returns the continuation with the first job of a list.
func continueWith(hs []Handle) continuation {
	if len(hs) == 0 || hs[0].node == nil {
		return noContinuation
	}
	return continuation{node: hs[0].node, gen: hs[0].gen}
}

// appendError appends an error to a list, unless it is nil or the list has it.
func appendError(errs []error, err error) []error {
	if err == nil || slices.ContainsFunc(errs, func(e error) bool { return sameError(e, err) }) {
		return errs
	}
	return append(errs, err)
}

// sameError reports whether two errors are equal.
func sameError(a, b error) bool { return reflect.ValueOf(a).Comparable() && a == b }

// joinErrors joins errors. A single error is returned unchanged.
func joinErrors(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// Wait returns when the job is done. Until then the caller runs only jobs that this job needs, of
// any pool. The error is nil, a *PanicError, an *ExitError, the cause of a cancelled context,
// ErrDeadlock or the error of a dependency. Inside a job use Task.Wait, which is faster.
func (h Handle) Wait() error {
	if h.Done() {
		return h.Err()
	}
	wc := h.node.pool.acquireToRun()
	defer wc.release()
	return (&pendingWait{ctx: wc, target: h}).waitChain()
}

// Combine returns a handle that is done when all jobs of hs are done. The error of the handle is
// the error of the first job in the list that failed.
func Combine(hs ...Handle) Handle {
	var one Handle
	n := 0
	for _, h := range hs {
		if !h.succeeded() {
			one = h
			n++
		}
	}
	if n <= 1 {
		return one
	}
	wc := one.node.pool.acquire()
	defer wc.release()
	node := wc.free.takeNode()
	node.stats = combineStats
	return wc.submit(node, hs)
}

// String returns the name of the job, or "a job that is done".
func (h Handle) String() string {
	if h.node == nil || !h.node.pin(h.gen) {
		return "a job that is done"
	}
	defer h.node.unpin()
	return h.node.stats.name
}

// Follows reports whether the job cannot be done before other. This is true if the job was
// scheduled after other, is the parent of other, or waits for other. It is also true if a chain of
// such relations leads to other. A job that is done follows no job.
func (h Handle) Follows(other Handle) bool {
	seen := map[Handle]bool{}
	stack := []Handle{h}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[top] || top.node == nil || !top.node.pin(top.gen) {
			continue
		}
		seen[top] = true
		st := walkStep{node: top.node, gen: top.gen, nextEdge: top.node.dependencies}
		for st.readAhead(); st.needCount > 0; st.readAhead() {
			stack = append(stack, st.needs[:st.needCount]...)
			st.needCount = 0
		}
		top.node.unpin()
		if top == other && top != h {
			return true
		}
	}
	return false
}

// Level returns the safety level of the job's pool, or Off for the zero Handle.
func (h Handle) Level() Level {
	if h.node == nil {
		return Off
	}
	return h.node.pool.level
}
