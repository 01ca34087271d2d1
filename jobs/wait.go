package jobs

import (
	"errors"
	"reflect"
	"runtime"
	"slices"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// Handle stands for a job that was scheduled. It is small and comparable; the
// zero Handle is complete.
type Handle struct {
	node *jobNode
	gen  uint32
}

// Done reports whether the job, and every child of it, is done.
func (h Handle) Done() bool {
	return h.node == nil || generation(h.node.word.Load()) != h.gen
}

// Err is the error of a job that is done; nil before that.
func (h Handle) Err() error {
	if h.node == nil || !h.Done() {
		return nil
	}
	if f := h.node.failure.Load(); f != nil && f.gen == h.gen {
		return f.err
	}
	return nil
}

// well reports whether the job is done without an error.
func (h Handle) well() bool { return h.Done() && h.Err() == nil }

// wait works for the job behind h until it is done, on a seat of its pool.
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
				wc.queue.deque.pop() // not before the claim: the slot may hold another job by now
			}
			wc.runChain(last.node, h)
			spinBriefly(wc.pool, h)
		}
	}
	return pw.waitForTarget()
}

// spinBriefly waits a moment for others that are at the last blocks of what the caller
// has worked on itself.
func spinBriefly(p *Pool, h Handle) {
	for round := 0; round < 16 && !h.Done(); round++ {
		pause(p.pauseRounds)
	}
}

// await is a wait: which seat waits, and for what.
type pendingWait struct {
	ctx           *workerContext
	target        Handle
	unconditional bool // it goes on though the job may never be done
	firstEdge     int  // how many edges of other waits lie below its own, once it is linked

	firstPool       int // where its part of seat.met begins, while it is registered
	registeredPools int // up to where it is registered in these pools

	linked     bool // it is linked: its goroutine is in the body of a job
	notesPools bool // its walks note the pools that they come to

	closesSeen uint32 // how many pools had been closed by jobs when it last looked for them
}

// end works, spins and sleeps until the job is done.
func (pw *pendingWait) waitForTarget() error {
	wc, h := pw.ctx, pw.target
	for spun := false; !h.Done(); {
		if wc.stack.depth == 0 && wc.pool.owners.size.Load() > 0 && wc.pool.owners.runForCaller(wc) > 0 {
			continue
		}
		ran, circular := pw.helpOnce()
		switch {
		case circular && !pw.unconditional:
			pw.firstEdge = len(wc.stack.waitEdges)
			if err := pw.confirmDeadlock(); err != nil {
				return err
			}
		case ran:
			spun = false
		case !spun:
			pw.spinForTarget()
			spun = true
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

// endLinked is end inside a job, once it has come to sleeping: others that wait
// for the jobs on the stack shall see what those wait for.
func (pw *pendingWait) waitLinked() error {
	wc, h := pw.ctx, pw.target
	pw.firstEdge, pw.linked = len(wc.stack.waitEdges), true
	defer pw.unlinkStack()
	pw.linkStack() // this may panic half-way
	told := false
	for spun := true; !h.Done(); {
		pw.linkClosers()
		ran, circular := pw.helpOnce()
		switch {
		case circular && !pw.unconditional:
			if err := pw.confirmDeadlock(); err != nil {
				return err
			}
		case ran:
			spun = false
		case !spun:
			pw.spinForTarget()
			spun = true
		case circular && !told:
			for p := range eachPool {
				p.waiters.WakeAll() // those that can give up have begun to wait before
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

// spin stays awake for a while in the hope that the job will be done.
func (pw *pendingWait) spinForTarget() {
	p, h := pw.ctx.pool, pw.target
	limit := p.machine.Awake(spinWaiting)
	if limit == 0 {
		runtime.Gosched()
		return
	}
	start := clock()
	last := start
	for round := 1; !h.Done(); round++ {
		pause(p.pauseRounds)
		if round%32 != 0 {
			continue
		}
		now := clock()
		p.machine.Notice(now-last, park.LostGap)
		if now-start > limit {
			return
		}
		last = now
	}
}

// sleep sleeps until the job is done, or until there is something to do
// that may be for it.
//
// Its invariant: it is registered in each pool of which it needs a job, before the walk that finds nothing to
// do there. So whatever makes such a job ready wakes it, if no worker of that pool is there to be woken. If the job
// that it waits for comes to need others later, of pools that were not met, submit wakes it.
func (pw *pendingWait) sleepUntilReady() {
	wc, h := pw.ctx, pw.target
	p := h.node.pool // which knows when the job is done
	wc.pool.hookAt(wc, "is about to register as a waiter")
	p.waiters.Add(wc.parker, h, pw.linked)
	wc.pool.hookAt(wc, "is registered as a waiter")
	defer p.waiters.Remove(wc.parker, h) // also if a job that is run here ends the goroutine
	if !h.node.requestWake(h.gen) {
		return
	}
	wc.pool.hookAt(wc, "watches")
	pw.notesPools, pw.firstPool, pw.registeredPools = true, len(wc.stack.waitPools), len(wc.stack.waitPools)
	defer pw.unregister()
	for {
		// What was made ready by a goroutine that could not see the sleeper yet was
		// made so before this look.
		if ran, circular := pw.helpOnce(); ran || circular && !pw.unconditional || h.Done() {
			return
		}
		if pw.registeredPools == len(wc.stack.waitPools) {
			break
		}
		for ; pw.registeredPools < len(wc.stack.waitPools); pw.registeredPools++ {
			wc.stack.waitPools[pw.registeredPools].waiters.Add(wc.parker, h, pw.linked)
		}
		wc.pool.hookAt(wc, "is registered in other pools")
	}
	if !pw.hasNewClosers() && runOwnedEverywhere(wc) == 0 { // of these nothing may be needed, so they come last
		wc.park(0)
	}
}

// strikeOut ends what sleep has begun in other pools. The last walk may have noted some in which it is not
// registered.
func (pw *pendingWait) unregister() {
	wc := pw.ctx
	pw.notesPools = false
	for _, other := range wc.stack.waitPools[pw.firstPool:pw.registeredPools] {
		other.waiters.Remove(wc.parker, pw.target)
	}
	clear(wc.stack.waitPools[pw.firstPool:])
	wc.stack.waitPools = wc.stack.waitPools[:pw.firstPool]
}

// WaitAll waits for several jobs, working on all of them, and joins their
// errors in the given order, each once. It costs less than Combine where
// nothing else depends on them all.
func WaitAll(hs ...Handle) error { return waitAll(hs) }

func waitAll(hs []Handle) error { return joinErrors(waitForEach(nil, hs)) }

// waitEach waits for several jobs and appends their errors to a list.
func waitForEach(errs []error, hs []Handle) []error {
	helpWithAll(hs)
	for _, h := range hs {
		if err := h.Wait(); err != nil && !slices.ContainsFunc(errs, func(e error) bool { return sameError(e, err) }) {
			errs = append(errs, err)
		}
	}
	return errs
}

// same reports whether two errors are the same one.
func sameError(a, b error) bool { return reflect.ValueOf(a).Comparable() && a == b }

// joinErrors joins errors, but leaves one alone as it is.
func joinErrors(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// helpAll does what can be done now for any of the jobs, again and again
// until there is nothing: a wait for the first of them alone would sleep while
// another is ready.
func helpWithAll(hs []Handle) {
	i := slices.IndexFunc(hs, func(h Handle) bool { return !h.Done() })
	if i < 0 {
		return
	}
	wc := hs[i].node.pool.acquireToRun()
	defer wc.release()
	for ran := true; ran; {
		ran = false
		for _, h := range hs {
			if !h.Done() {
				r, _ := (&pendingWait{ctx: wc, target: h}).helpOnce()
				ran = ran || r
			}
		}
	}
}

// Wait returns when the job is done; until then the caller works too, on what
// the job needs, in whichever pool that is, and on nothing else. The error is nil, a *PanicError, an *ExitError,
// the cause of a cancelled context, ErrDeadlock or what a job before it left.
// Inside a job, Task.Wait is the better way.
func (h Handle) Wait() error {
	if h.Done() {
		return h.Err()
	}
	wc := h.node.pool.acquireToRun()
	defer wc.release()
	return (&pendingWait{ctx: wc, target: h}).waitChain()
}

// Combine is a handle that is done when all of hs are. It carries the error
// of the first in the list that failed.
func Combine(hs ...Handle) Handle {
	var one Handle
	n := 0
	for _, h := range hs {
		if !h.well() {
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

// String is the name of the job, "a job that is done" once it is.
func (h Handle) String() string {
	if h.node == nil || !h.node.pin(h.gen) {
		return "a job that is done"
	}
	defer h.node.unpin()
	return h.node.stats.name
}

// Follows reports whether the job cannot be done before other: it was scheduled behind it, is its
// parent or waits for it, or for another that does. A job that is done follows none.
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

// Level is how much the pool of the job checks; Off for the zero Handle.
func (h Handle) Level() Level {
	if h.node == nil {
		return Off
	}
	return h.node.pool.level
}
