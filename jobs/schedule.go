package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/trace"
	"sync"
)

// Schedule queues a job that runs when all jobs of after are done. If one of
// these jobs fails, the new job is skipped and carries that error. Schedule does not
// allocate in the steady state, and any goroutine may call it. Schedule panics if j
// is nil or the pool is closed.
func (p *Pool) Schedule(j Job, after ...Handle) Handle {
	requireJob("Schedule", j != nil)
	p.requireOpen("Schedule")
	wc := p.acquire()
	defer wc.release() // deferred, because the job's JobName may panic
	return wc.submit(wc.newJob(j, nil), after)
}

// ParallelFor queues a job over the indices of [0, n), divided into blocks of
// grain indices. The job runs when all jobs of after are done. If grain is 0, the pool chooses the
// grain from n alone. It panics if j is nil, if n or grain is
// negative, or if the pool is closed.
func (p *Pool) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	requireJob("ParallelFor", j != nil)
	grain = checkGrain("ParallelFor", n, grain)
	p.requireOpen("ParallelFor")
	wc := p.acquire()
	defer wc.release()
	return wc.submit(wc.newLoop(j, n, grain, nil), after)
}

// ScheduleAt is like Schedule, but with a priority, which children inherit. ScheduleAt also
// panics if the priority does not exist.
func (p *Pool) ScheduleAt(pr Priority, j Job, after ...Handle) Handle {
	requireJob("ScheduleAt", j != nil)
	pr.check("ScheduleAt")
	p.requireOpen("ScheduleAt")
	wc := p.acquire()
	defer wc.release()
	node := wc.newJob(j, nil)
	node.priority = pr
	return wc.submit(node, after)
}

// ParallelForAt is like ParallelFor, but with a priority, which children inherit. ParallelForAt
// also panics if the priority does not exist.
func (p *Pool) ParallelForAt(pr Priority, j RangeJob, n, grain int, after ...Handle) Handle {
	requireJob("ParallelForAt", j != nil)
	grain = checkGrain("ParallelForAt", n, grain)
	pr.check("ParallelForAt")
	p.requireOpen("ParallelForAt")
	wc := p.acquire()
	defer wc.release()
	node := wc.newLoop(j, n, grain, nil)
	node.priority = pr
	return wc.submit(node, after)
}

// ParallelForLater is like ParallelFor over [0, *n), but *n is read when the jobs of after are
// done. For example, one of the jobs in after may count the indices. If grain is 0, the pool
// chooses it. If *n is negative, the job fails; if grain is negative, ParallelForLater panics.
func (p *Pool) ParallelForLater(j RangeJob, n *int, grain int, after ...Handle) Handle {
	requireJob("ParallelForLater", j != nil)
	if n == nil {
		panic("jobs: ParallelForLater: n is nil: it points to the number of indices")
	}
	checkGrain("ParallelForLater", 0, grain)
	p.requireOpen("ParallelForLater")
	wc := p.acquire()
	defer wc.release()
	node := wc.newLoop(j, 0, grain, nil)
	node.hasOptionalFields, node.lengthPointer = true, n
	return wc.submit(node, after)
}

// ScheduleHere queues a job that only the calling goroutine may run, for example a call into a
// library that is bound to a thread. The job runs when this goroutine waits for anything on the
// pool or ends a scope. A wait inside a job, or a wait for a job of another pool, runs the job when
// the wait would otherwise sleep. The wait continues only when the job is done. So if the job
// waits for the job inside which it runs, it gets an ErrDeadlock. If the job calls runtime.Goexit,
// it fails with an *ExitError and its goroutine ends.
func (p *Pool) ScheduleHere(j Job, after ...Handle) Handle {
	requireJob("ScheduleHere", j != nil)
	p.requireOpen("ScheduleHere")
	wc := p.acquire()
	defer wc.release()
	node := wc.newJob(j, nil)
	node.hasOptionalFields = true
	node.owner, _ = isolatedGoroutines.owner()
	return wc.submit(node, after)
}

// External runs f on a separate goroutine once the jobs of after are done. Use it for functions
// that block or take long and would hold up a worker. The handle returns the error of f. If the
// context is cancelled before f begins, f does not run and the handle returns the context's cause.
// After f has begun, f itself must watch the context.
func (p *Pool) External(ctx context.Context, f func(ctx context.Context) error, after ...Handle) Handle {
	requireJob("External", f != nil)
	requireContext("External", ctx)
	p.requireOpen("External")
	wc := p.acquire()
	defer wc.release()
	node := wc.newJob(&externalJob{ctx, f}, nil)
	node.shape = shapeExternal
	return wc.submit(node, after)
}

// Scope opens a scope, in which idle workers stay awake. If ctx is cancelled, the jobs of the
// scope that have not begun are cancelled too. Call End after scheduling the scope's jobs. Scope
// allocates the scope; to reuse the scope for the next frame, call Begin. Scope panics if ctx is
// nil.
func (p *Pool) Scope(ctx context.Context) *Scope {
	s := &Scope{pool: p}
	s.Begin(ctx)
	return s
}

// submit links a new job after the jobs that it depends on, and queues it if all of them are done.
func (wc *workerContext) submit(node *jobNode, after []Handle) Handle {
	h := Handle{node: node, gen: generation(node.word.Load())}
	wc.timing.submitted++
	if wc.timing.submitted%64 == 0 {
		wc.publishCounters()
	}
	if p := wc.pool; p.live != nil {
		p.live.recordJob(node, after)
	}
	child, waits := node.hasOptionalFields && node.parent != nil, false
	switch len(after) {
	case 0:
	case 1:
		waits = wc.linkAfterOne(node, h, after[0])
	default:
		waits = wc.free.linkAfterAll(node, after)
	}
	if child {
		node.unlockEdges() // adoptChild has locked them
		if waits && wc.pool.crossPool.Load() {
			wc.pool.waiters.WakeAll() // they may now need jobs of pools in which they are not registered
		} else if waits && wc.pool.waiters.Inside() > 0 {
			wc.pool.waiters.WakeInside() // a dependency of the child may be a job whose wait sleeps until the child's parent is done
		}
	}
	if !waits {
		wc.enqueue(node, h)
	}
	return h
}

// newJob creates a node for a single job.
func (wc *workerContext) newJob(j Job, sc *Scope) *jobNode {
	stats := wc.timing.statsOf(j)
	node := wc.free.takeNode()
	node.shape, node.single, node.stats = shapeSingle, j, stats
	node.bindScope(sc)
	return node
}

// newLoop creates a node for a parallel-for.
func (wc *workerContext) newLoop(j RangeJob, n, grain int, sc *Scope) *jobNode {
	stats := wc.timing.statsOf(j)
	node := wc.free.takeNode()
	node.shape, node.loopJob, node.n, node.grain, node.stats = shapeLoop, j, n, grain, stats
	node.bindScope(sc)
	return node
}

// maxBlocks is the largest number of blocks of a parallel-for.
const maxBlocks = math.MaxUint32

// maxLeaves is the largest number of parts of a reduction. It is also the largest number of blocks
// of a loop whose grain the pool chooses.
const maxLeaves = 256

// autoGrain returns the grain that the pool chooses for n indices. The grain may depend only on n,
// because a panic reports the first index of its block, and a reduction joins its parts in a fixed
// tree.
func autoGrain(n int) int {
	return max(1, (n-1)/maxLeaves+1)
}

// checkGrain checks the arguments of a parallel-for and replaces a grain of 0.
func checkGrain(fn string, n, grain int) int {
	if n < 0 || grain < 0 {
		panic(fmt.Sprintf("jobs: %s: n is %d, grain is %d", fn, n, grain))
	}
	if grain == 0 {
		return autoGrain(n)
	}
	if uint64(n)/uint64(grain) >= maxBlocks {
		panic(fmt.Sprintf("jobs: %s: n is %d, grain is %d: more than %d blocks", fn, n, grain, int64(maxBlocks)))
	}
	return grain
}

// Scope is a period of time, for example a frame, in which workers stay awake. The context of a
// Scope can cancel jobs that have not begun. Cancelling stops neither a job that has begun nor the
// remaining blocks of a loop. A body that should stop early checks its context, or Task.Cancelled,
// and returns. A job that returns early ends without an error, and a wait for it returns nil.
type Scope struct {
	pool        *Pool
	ctx         context.Context
	mu          sync.Mutex
	handles     []Handle // without those that are done and have not failed
	pruneAt     int      // length at which handles is pruned
	waitHandles []Handle // the jobs that End waits for
	open        bool

	traceCtx  context.Context // ctx with a task of runtime/trace
	traceTask *trace.Task
}

// Begin opens an ended scope again, so that one Scope serves all frames. Begin panics if the scope
// is open.
func (s *Scope) Begin(ctx context.Context) {
	if s.open {
		panic("jobs: Scope.Begin: the scope is open")
	}
	requireContext("Scope.Begin", ctx)
	s.open, s.ctx = true, ctx
	if trace.IsEnabled() {
		s.traceCtx, s.traceTask = trace.NewTask(ctx, "jobs.Scope")
	}
	s.pool.machine.UpdateProcessors()
	s.pool.scopes.Add(1)
}

// Schedule queues a job of the scope that runs when all jobs of after are done;
// see Pool.Schedule. Schedule panics if j is nil, or if the scope has ended.
func (s *Scope) Schedule(j Job, after ...Handle) Handle {
	requireJob("Scope.Schedule", j != nil)
	wc := s.acquireContext("Scope.Schedule")
	defer wc.release()
	return s.recordHandle(wc.submit(wc.newJob(j, s), after))
}

// ParallelFor queues a job over the indices of [0, n), cut into blocks of grain indices. If grain
// is 0, the pool chooses it. If the context is cancelled before the first block, no block runs and
// the handle returns the context's cause. If the context is cancelled later, all blocks run; see
// Scope. It panics if n or grain is negative.
func (s *Scope) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	requireJob("Scope.ParallelFor", j != nil)
	grain = checkGrain("Scope.ParallelFor", n, grain)
	wc := s.acquireContext("Scope.ParallelFor")
	defer wc.release()
	return s.recordHandle(wc.submit(wc.newLoop(j, n, grain, s), after))
}

// End waits for every job of the scope, including jobs that the scope's jobs schedule on it
// meanwhile, and closes the scope. End returns each error of the jobs once, joined in the order in
// which the jobs were scheduled. If the pool keeps a list of its jobs, End also looks at jobs
// outside of the scope. End adds a *LeakError for each job that is still not done although more
// than four scopes have ended since the job was scheduled. Ending an ended scope does nothing.
func (s *Scope) End() error {
	if !s.open {
		return nil
	}
	err := joinErrors(s.waitJobs())
	s.open = false
	s.pool.scopes.Add(-1)
	if s.traceTask != nil {
		s.traceTask.End()
		s.traceCtx, s.traceTask = nil, nil
	}
	if b := s.pool.live; b != nil {
		err = joinErrors(append(b.endScope(), err))
	}
	return err
}

// waitJobs waits for all jobs of the scope and returns their errors. A job that End runs in this
// wait may end the goroutine. In that case a deferred call of End waits for the remaining jobs.
func (s *Scope) waitJobs() []error {
	over := false
	defer func() {
		if !over {
			_ = s.End()
		}
	}()
	errs := waitForEach(nil, s.waitHandles) // left by an End that was cut short
	for s.takeJobs() {
		errs = waitForEach(errs, s.waitHandles)
	}
	over = true
	return errs
}

// takeJobs moves the jobs that were scheduled so far from handles to waitHandles.
// takeJobs returns false if there are none.
func (s *Scope) takeJobs() bool {
	clear(s.waitHandles)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handles, s.waitHandles = s.waitHandles[:0], s.handles
	return len(s.waitHandles) > 0
}

// acquireContext panics if the scope has ended or its pool is closed.
func (s *Scope) acquireContext(fn string) *workerContext {
	if !s.open {
		panic("jobs: " + fn + ": the scope has ended")
	}
	s.pool.requireOpen(fn)
	return s.pool.acquire()
}

// recordHandle adds a job to the jobs that End waits for.
func (s *Scope) recordHandle(h Handle) Handle {
	s.mu.Lock()
	if len(s.handles) >= max(s.pruneAt, 64) {
		s.handles = dropSucceeded(s.handles)
		s.pruneAt = 2 * len(s.handles)
	}
	s.handles = append(s.handles, h)
	s.mu.Unlock()
	return h
}

// dropSucceeded removes the handles of jobs that are done without an error.
func dropSucceeded(list []Handle) []Handle {
	kept := list[:0]
	for _, h := range list {
		if !h.succeeded() {
			kept = append(kept, h)
		}
	}
	clear(list[len(kept):])
	return kept
}

// externalJob is the job of a function that runs outside of the workers.
type externalJob struct {
	ctx context.Context
	run func(ctx context.Context) error
}

// JobName returns the name of the function.
func (x *externalJob) JobName() string { return statsByCode.getOrCreate(funcPC(x.run), funcName).name }

// Run is never called, because startExternal runs the function.
func (x *externalJob) Run(*Task) { panic("jobs: External: run by a worker") }

// errNotReturned marks a function that ended its goroutine instead of returning.
var errNotReturned = errors.New("")

// startExternal starts the goroutine of an external job, or ends the job if its context is
// cancelled.
func startExternal(wc *workerContext, node *jobNode, then continuation) *jobNode {
	x := node.single.(*externalJob)
	if x.ctx.Err() != nil {
		node.fail(rankSkipped, context.Cause(x.ctx))
		return wc.finishBody(node, then)
	}
	p := node.pool
	p.externals.expectOne()
	go func() {
		p.externals.joinSet(&Task{node: node})
		defer p.externals.leaveSet(false)
		err := errNotReturned
		defer func() {
			wc := p.acquire()
			defer wc.release()
			switch v := recover(); {
			case v != nil:
				node.fail(rankOwn, &PanicError{Job: node.stats.name, Value: v, Stack: debug.Stack(), single: true})
			case err == errNotReturned:
				node.fail(rankOwn, &ExitError{Job: node.stats.name, single: true})
			case err != nil:
				node.fail(rankOwn, err)
			}
			wc.finishBody(node, noContinuation)
		}()
		err = x.run(x.ctx)
	}()
	return nil
}
