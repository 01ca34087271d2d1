package jobs

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// Errors that a handle can carry besides *PanicError and the cause of a
// cancelled context.
var (
	// ErrDeadlock is returned by a wait that could never end: the job waited
	// for cannot be done before the waiting one is.
	ErrDeadlock = errors.New("job waits for a job that waits for it")

	// ErrExited is the error of a job that ended its goroutine with
	// runtime.Goexit, as testing.T.FailNow does; the handle carries an *ExitError,
	// which is one and names the job.
	ErrExited = errors.New("job called runtime.Goexit")
)

// DeadlockError says how the job that was waited for depends on the waiting
// one. It is an ErrDeadlock. In a chain through a job that closes a pool, "Pool.Close" is the name of that call.
type DeadlockError struct {
	Chain []string // names: the job waited for, the one it needs, and so on to the waiting one

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

// ExitError is what a job that called runtime.Goexit leaves in its handle. It is an
// ErrExited.
type ExitError struct {
	Job   string // the name of the job that called it
	Index int    // first index of the block that did; 0 for a job that is no loop

	single bool // the job is no loop
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

// PanicError is what a job that panicked leaves in its handle.
type PanicError struct {
	Job   string // the job's name
	Index int    // first index of the lowest block that panicked; 0 for a job that is no loop
	Place string // what the body was at, where its job tells: of a query's, the world, the archetype and the chunk's first entity
	Value any    // what was passed to panic
	Stack []byte // the stack of the panic

	single bool // the job is no loop
}

// Error names the job, the block of a loop and the value; the stack is in Stack.
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

// Unwrap returns the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// failure is an error and its rank among the errors of one job: the lowest
// rank is kept, so that which error a handle carries depends on no timing.
type failure struct {
	gen  uint32 // of the slot
	rank uint64
	err  error
}

const (
	rankDependency = 0 << 62 // | place in the list of dependencies
	rankSkipped    = 1 << 62 // the scope was cancelled
	rankOwn        = 2 << 62 // | first index of the block
	rankChild      = 3 << 62 // | order among the children
)

// LeakError says that a job is still not done long after it was scheduled: at
// the close of its pool, or when several scopes have come and gone.
type LeakError struct {
	Job   string // its name; of one of them where Count is more than one
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

// panicNegative is apart from the functions that call it to keep them small.
func panicNegative(fn, what string, n int) {
	panic(fmt.Sprintf("jobs: %s: %s is %d", fn, what, n))
}

// A body may call runtime.Goexit: testing.T.FailNow does. Its job fails with an
// *ExitError, as it would by a panic, and no other. But Go ends the whole
// goroutine, and nothing on its stack can stop that: what runs a body inside a wait,
// whose caller shall go on, has to run it on another goroutine. That costs several
// times what a short job takes, so it is done where it can matter:
//
//   - A worker that runs a job with nothing below it on its stack ends, and another
//     goroutine takes its seat: see worker.work.
//   - In a wait, jobs of a kind that has never run to its end so far, or of which one
//     has called runtime.Goexit, run apart.
//   - So do the blocks that such a worker has still to run before it ends: others of them may
//     call runtime.Goexit too, and each would add to its stack.
//   - At level Panic, which is for tests, and in Pool.Close all of them do.
//   - What belongs to a goroutine (ScheduleHere) cannot, and what has run well before
//     does not. If such a job calls runtime.Goexit in a wait the goroutine ends when
//     the job has been completed, and so do the jobs below it on that stack: they
//     carry the error of the one that called, which bears its name.
//
// While a body runs apart, its goroutine holds the seats of all pools, so that all it calls finds
// its place; the goroutine that waits for it only runs what belongs to it.

// mustIsolate reports whether the body of the job that was pushed last is to run apart.
func (wc *workerContext) mustIsolate(node *jobNode) bool {
	if !wc.isCaller && wc.stack.depth == 1 && !wc.stack.tasks[0].exiting {
		return false
	}
	return (wc.timing.timingMask == 0 || !node.stats.hasCompleted()) && !(node.hasExtras && node.owner != 0)
}

// isolate runs the body of a job on a goroutine of its own, and records how it fails. It
// reports whether it has not.
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
		defer wc.moveContexts(id, back) // not later: another goroutine may soon look like this one
		isolatedGoroutines.addGoroutine(id, asked)
		wc.moveContexts(back, id)
		defer func() {
			if !well {
				_ = wc.recordFailure(node, t, recover()) // the slot has it
				for other := range wc.heldContexts {
					_ = other.stack.takeExit() // jobs below are on another stack
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
		<-over // the goroutine below makes the calls
	}
	return well
}

// handOver makes another goroutine the holder of all seats that one has: of this seat, and of those
// in other pools. So all that one goroutine has begun stays on one seat of each pool, wherever
// its bodies run.
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

// sit makes a goroutine the holder of the seat, which the calling one holds or is given.
func (wc *workerContext) setHolder(id uintptr) {
	if p := wc.pool; !wc.isCaller {
		p.mu.Lock()
		p.registry.removeWorker(wc.queue.holder.Load())
		p.registry.addWorker(id, wc)
		p.mu.Unlock()
	}
	wc.queue.holder.Store(id)
}

// passExit tells the jobs below on the goroutine's stack, of all pools, why they end.
func (wc *workerContext) propagateExit(err *ExitError) {
	for other := range wc.heldContexts {
		if other.stack.depth > 0 {
			other.stack.exiting = exitingCall{err, goroutineID()}
		}
	}
}

// exitHere takes the call that is ending the calling goroutine; nil if the body that
// was caught has made it.
func (ts *taskStack) takeExit() *ExitError {
	e := ts.exiting
	if e.err == nil || e.goroutine != goroutineID() {
		return nil
	}
	ts.exiting = exitingCall{}
	return e.err
}

// caught records how a body failed: a panic with value v, or, when there is
// none, a call of runtime.Goexit; then it returns the error of that.
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
			return exit // the body has ended on a goroutine of its own: only the goroutine that waited for it is ending
		}
		if exit.Job == node.stats.name {
			node.stats.markExits()
		}
		node.fail(rank, exit)
		return exit
	}
	if reported { // of many blocks that fail, only few need a stack
		node.fail(rank, &PanicError{Job: node.stats.name, Index: t.lo, Place: place, Value: v, Stack: debug.Stack(), single: single})
	}
	return nil
}

// place asks a loop what its body was at that has not returned, while it still knows.
func (node *jobNode) describePlace(worker int) string {
	at, is := any(node.loopJob).(interface{ JobPlace(worker int) string })
	if !is || node.shape != shapeLoop {
		return ""
	}
	defer func() { _ = recover() }()
	return at.JobPlace(worker)
}

// abandon tells a job that its body has not returned.
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

// proxy makes calls for the goroutines that run bodies apart from it: what belongs to the
// goroutine that waits for them.
type ownerProxy struct {
	owner uintptr // the goroutine that makes the calls
	calls chan func()
}

// serve makes calls until it is over, even if one of them ends the goroutine.
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

// apart knows the goroutines that run bodies apart, for all pools: what belongs to the goroutine
// that waits for them may be a job of any.
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

// self is the goroutine whose jobs of ScheduleHere the calling one runs: itself, or,
// if it runs a body apart, the one that waits for that, and the proxy through which it does.
func (a *isolatedBodies) owner() (id uintptr, by *ownerProxy) {
	id = goroutineID()
	a.mu.Lock()
	defer a.mu.Unlock()
	if by = a.proxies[id]; by != nil {
		id = by.owner
	}
	return id, by
}
