package jobs

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// These are the errors that a handle can return in addition to *PanicError and the cause of a
// cancelled context.
var (
	// A wait returns ErrDeadlock if it could never end: the job that it waits for cannot be done
	// before the waiting job is done.
	ErrDeadlock = errors.New("job waits for a job that waits for it")

	// ErrExited is the error of a job that ended its goroutine with runtime.Goexit, as
	// testing.T.FailNow does. The handle returns an *ExitError, which wraps ErrExited and names the
	// job.
	ErrExited = errors.New("job called runtime.Goexit")
)

// DeadlockError describes how the job that was waited for depends on the waiting job. It wraps
// ErrDeadlock. If a chain goes through a job that closes a pool, "Pool.Close" is the name of that
// call.
type DeadlockError struct {
	Chain []string // names: the job waited for, the one that it needs, and so on to the waiting one

	closes bool // Pool.Close returns it
}

// Error names the jobs of the chain.
func (e *DeadlockError) Error() string {
	fn := "Wait"
	if e.closes {
		fn = "Pool.Close"
	}
	return fmt.Sprintf("jobs: %s: %s: %v", fn, strings.Join(e.Chain, " needs "), ErrDeadlock)
}

// Unwrap returns ErrDeadlock.
func (e *DeadlockError) Unwrap() error { return ErrDeadlock }

// ExitError is the error of a job that called runtime.Goexit. It wraps ErrExited.
type ExitError struct {
	Job   string // the name of the job that called it
	Index int    // first index of the block that called it; 0 for a single job

	single bool // the job is not a loop
}

// Error names the job and the block of a loop.
func (e *ExitError) Error() string {
	if e.single {
		return fmt.Sprintf("jobs: %s: %v", e.Job, ErrExited)
	}
	return fmt.Sprintf("jobs: %s: %v in the block at index %d", e.Job, ErrExited, e.Index)
}

// Unwrap returns ErrExited.
func (e *ExitError) Unwrap() error { return ErrExited }

// PanicError is the error of a job that panicked.
type PanicError struct {
	Job   string // the job's name
	Index int    // first index of the lowest block that panicked; 0 for a single job
	Place string // where the body was, if its job tells; for a query the world, the archetype and the first entity of the chunk
	Value any    // the argument of panic
	Stack []byte // the stack of the panic

	single bool // the job is not a loop
}

// Error names the job, the block of a loop, and the value. The stack is in Stack.
func (e *PanicError) Error() string {
	if e.single {
		return fmt.Sprintf("jobs: %s: panic: %v", e.Job, e.Value)
	}
	place := ""
	if e.Place != "" {
		place = ", " + e.Place
	}
	return fmt.Sprintf("jobs: %s: panic in the block at index %d%s: %v", e.Job, e.Index, place, e.Value)
}

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// failure is an error and its rank among the errors of one job. A job keeps the error of the lowest
// rank, so that the error of a handle does not depend on timing.
type failure struct {
	gen  uint32 // of the node
	rank uint64
	err  error
}

const (
	rankDependency = 0 << 62 // | index in the list of dependencies
	rankSkipped    = 1 << 62 // the scope was cancelled
	rankOwn        = 2 << 62 // | first index of the block
	rankChild      = 3 << 62 // | order among the children
)

// LeakError says that a job is still not done long after it was scheduled: when its pool is closed,
// or after several scopes have ended.
type LeakError struct {
	Job   string // its name; if Count is more than one, the name of one of them
	Count int
	Site  string // file and line where it was scheduled, at level Panic
}

// Error names the job and where it was scheduled.
func (e *LeakError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "jobs: %s is not done", e.Job)
	if e.Count == 2 {
		b.WriteString(", nor is 1 other")
	} else if e.Count > 2 {
		fmt.Fprintf(&b, ", nor are %d others", e.Count-1)
	}
	if e.Site != "" {
		fmt.Fprintf(&b, "; it was scheduled at %s", e.Site)
	}
	b.WriteString(": wait for its handle")
	return b.String()
}

// panicNegative is a function so that its callers stay small.
func panicNegative(fn, what string, n int) {
	panic(fmt.Sprintf("jobs: %s: %s is %d", fn, what, n))
}

// A body may call runtime.Goexit, as testing.T.FailNow does. If it does, that job fails with an
// *ExitError, as it would fail after a panic. No other job fails. But Go ends the whole goroutine,
// and nothing on its stack can stop that. If the goroutine waits, its caller must continue. So the
// body has to run isolated, that is, on another goroutine. A new goroutine costs several times as
// much as a short job, so a body runs isolated only if these rules say so:
//
//   - A worker whose stack holds only the job that called runtime.Goexit may end, because another
//     goroutine takes over its context; see runWorker.
//   - In a wait, a job runs isolated if no job of its kind has completed so far. It also runs
//     isolated if a job of that kind has called runtime.Goexit.
//   - The blocks that a worker still has to run before it ends run isolated, because more of them
//     may call runtime.Goexit, and each would add to its stack.
//   - All jobs run isolated at level Panic, which is for tests, and in Pool.Close.
//   - A job that belongs to a goroutine (ScheduleHere) cannot run isolated, and a job of a kind
//     that has completed before does not. If such a job calls runtime.Goexit in a wait, the
//     goroutine ends when the job has been completed, and so do the jobs below it on that stack.
//     These jobs carry the error of the job that made the call, with that job's name.
//
// While a body runs isolated, its goroutine holds the contexts of all pools, so
// that every function that the body calls finds them. Meanwhile, the goroutine that waits for the
// body runs only jobs that belong to itself.

// mustIsolate reports whether the body of the job that was pushed last must run isolated.
func (wc *workerContext) mustIsolate(node *jobNode) bool {
	if !wc.isCaller && wc.stack.depth == 1 && !wc.stack.tasks[0].exiting {
		return false
	}
	return (wc.timing.timingMask == 0 || !node.stats.hasCompleted()) && !(node.hasOptionalFields && node.owner != 0)
}

// runIsolated runs the body of a job on a new goroutine and records its failure. runIsolated
// reports whether the body returned.
func (wc *workerContext) runIsolated(node *jobNode, t *Task, body func()) (well bool) {
	me, given := isolatedGoroutines.owner()
	asked := given
	if asked == nil {
		asked = &ownerProxy{owner: me, calls: make(chan func())}
	}
	over, back := make(chan struct{}), goroutineID()
	go func() {
		defer close(over)
		id := goroutineID()
		defer wc.moveContexts(id, back) // here and not later, because another goroutine may soon have the same number
		isolatedGoroutines.addGoroutine(id, asked)
		wc.moveContexts(back, id)
		defer func() {
			if !well {
				_ = wc.recordFailure(node, t, recover()) // the node has the error
				for other := range wc.heldContexts {
					_ = other.stack.takeExit() // the jobs below are on another stack
				}
			}
			t.bodyEnded = true
			isolatedGoroutines.removeGoroutine(id)
		}()
		body()
		well = true
	}()
	if given == nil {
		asked.serveCalls(over)
	} else {
		<-over // the goroutine further below makes the calls
	}
	return well
}

// moveContexts makes another goroutine the holder of all contexts of a goroutine, in this pool and
// in others. So all jobs that one goroutine has begun are in one context of each pool, no matter
// where their bodies run.
func (wc *workerContext) moveContexts(from, to uintptr) {
	wc.setHolder(to)
	for p := range eachPool {
		if p == wc.pool {
			continue
		}
		if other := p.contextOf(from); other != nil {
			other.setHolder(to)
		}
	}
}

// setHolder makes a goroutine the holder of the context.
func (wc *workerContext) setHolder(id uintptr) {
	if p := wc.pool; !wc.isCaller {
		p.mu.Lock()
		p.registry.removeWorker(wc.queue.holder.Load())
		p.registry.addWorker(id, wc)
		p.mu.Unlock()
	}
	wc.queue.holder.Store(id)
}

// propagateExit tells the jobs further down on the goroutine's stack, in all pools, that a call of
// runtime.Goexit is ending them.
func (wc *workerContext) propagateExit(err *ExitError) {
	for other := range wc.heldContexts {
		if other.stack.depth > 0 {
			other.stack.goexit = goexitCall{err, goroutineID()}
		}
	}
}

// takeExit returns and clears the recorded call of runtime.Goexit that is ending the calling
// goroutine. It returns nil if the body that has just failed made the call itself, because that
// call is not recorded yet.
func (ts *taskStack) takeExit() *ExitError {
	e := ts.goexit
	if e.err == nil || e.goroutine != goroutineID() {
		return nil
	}
	ts.goexit = goexitCall{}
	return e.err
}

// recordFailure records how a body failed: by a panic with value v, or by a call of runtime.Goexit
// if v is nil. If the body called runtime.Goexit, recordFailure returns the error.
func (wc *workerContext) recordFailure(node *jobNode, t *Task, v any) *ExitError {
	single := node.shape != shapeLoop
	rank := rankOwn | uint64(t.lo)
	reported := node.wouldReport(rank)
	place := ""
	if !t.bodyEnded {
		if reported {
			place = node.describePlace(wc.index)
		}
		node.notifyUnfinished(wc.index)
	}
	if v == nil {
		exit := wc.stack.takeExit()
		if exit == nil {
			exit = &ExitError{Job: node.stats.name, Index: t.lo, single: single}
		}
		if t.bodyEnded {
			return exit // the body has ended on another goroutine, so only the goroutine that waited for it is ending
		}
		if exit.Job == node.stats.name {
			node.stats.markExits()
		}
		node.fail(rank, exit)
		return exit
	}
	if reported { // debug.Stack is slow, and of many blocks that fail only few are reported
		node.fail(rank, &PanicError{Job: node.stats.name, Index: t.lo, Place: place, Value: v, Stack: debug.Stack(), single: single})
	}
	return nil
}

// describePlace returns the loop job's description of the place at which its body failed, if the
// job still has this description.
func (node *jobNode) describePlace(worker int) string {
	at, is := any(node.loopJob).(interface{ JobPlace(worker int) string })
	if !is || node.shape != shapeLoop {
		return ""
	}
	defer func() { _ = recover() }()
	return at.JobPlace(worker)
}

// notifyUnfinished tells a job that its body did not return.
func (node *jobNode) notifyUnfinished(worker int) {
	var job any = node.single
	if node.shape == shapeLoop {
		job = node.loopJob
	}
	if u, ok := job.(Unfinished); ok {
		defer func() { _ = recover() }()
		u.NotReturned(worker)
	}
}

// ownerProxy calls functions on one goroutine, on behalf of the isolated bodies for which that
// goroutine waits. The functions run jobs that belong to that goroutine.
type ownerProxy struct {
	owner uintptr // the goroutine that makes the calls
	calls chan func()
}

// serveCalls makes the requested calls until over is closed. It continues even if one of the calls
// tries to end the goroutine.
func (x *ownerProxy) serveCalls(over <-chan struct{}) {
	ended := false
	defer func() {
		if !ended {
			x.serveCalls(over)
		}
	}()
	for {
		select {
		case <-over:
			ended = true
			return
		case f := <-x.calls:
			f()
		}
	}
}

// isolatedGoroutines holds the goroutines that run isolated bodies. It covers all pools, because
// a job that belongs to the waiting goroutine may be of any pool.
var isolatedGoroutines isolatedBodies

type isolatedBodies struct {
	mu      sync.Mutex
	proxies map[uintptr]*ownerProxy
}

func (a *isolatedBodies) addGoroutine(id uintptr, x *ownerProxy) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.proxies == nil {
		a.proxies = map[uintptr]*ownerProxy{}
	}
	a.proxies[id] = x
}

func (a *isolatedBodies) removeGoroutine(id uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.proxies, id)
}

// owner returns the goroutine on whose behalf the caller runs jobs of ScheduleHere. Normally this
// is the calling goroutine itself. If the calling goroutine runs an isolated body, owner returns
// the goroutine that waits for that body, and the proxy for calls on that goroutine.
func (a *isolatedBodies) owner() (id uintptr, by *ownerProxy) {
	id = goroutineID()
	a.mu.Lock()
	defer a.mu.Unlock()
	if by = a.proxies[id]; by != nil {
		id = by.owner
	}
	return id, by
}
