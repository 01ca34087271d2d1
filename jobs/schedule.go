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

// Schedule queues a job behind others.
func (p *Pool) Schedule(j Job, after ...Handle) Handle {
	mustHave("Schedule", j != nil)
	p.check("Schedule")
	s := p.enter()
	defer s.leave() // also if the job's JobName panics
	return s.submit(s.newJob(j, nil), after)
}

// ParallelFor queues a job over the indices of [0, n), cut into blocks of
// grain. Grain 0 chooses. It panics if n or grain is negative.
func (p *Pool) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("ParallelFor", j != nil)
	grain = checkGrain("ParallelFor", n, grain)
	p.check("ParallelFor")
	s := p.enter()
	defer s.leave()
	return s.submit(s.newLoop(j, n, grain, nil), after)
}

// ScheduleAt is Schedule at a priority. Children inherit it. It panics if there is no such priority.
func (p *Pool) ScheduleAt(pr Priority, j Job, after ...Handle) Handle {
	mustHave("ScheduleAt", j != nil)
	pr.check("ScheduleAt")
	p.check("ScheduleAt")
	s := p.enter()
	defer s.leave()
	sl := s.newJob(j, nil)
	sl.priority = pr
	return s.submit(sl, after)
}

// ParallelForAt is ParallelFor at a priority. Children inherit it. It panics if n or grain is
// negative, or if there is no such priority.
func (p *Pool) ParallelForAt(pr Priority, j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("ParallelForAt", j != nil)
	grain = checkGrain("ParallelForAt", n, grain)
	pr.check("ParallelForAt")
	p.check("ParallelForAt")
	s := p.enter()
	defer s.leave()
	sl := s.newLoop(j, n, grain, nil)
	sl.priority = pr
	return s.submit(sl, after)
}

// ParallelForLater is ParallelFor over [0, *n), where *n is read when the jobs
// before it are done: one of them may be what counts. Grain 0 chooses. A
// negative *n makes the job fail; a negative grain panics.
func (p *Pool) ParallelForLater(j RangeJob, n *int, grain int, after ...Handle) Handle {
	mustHave("ParallelForLater", j != nil)
	if n == nil {
		panic("jobs: ParallelForLater: n is nil: it points to the number of indices")
	}
	checkGrain("ParallelForLater", 0, grain)
	p.check("ParallelForLater")
	s := p.enter()
	defer s.leave()
	sl := s.newLoop(j, 0, grain, nil)
	sl.bound, sl.later = true, n
	return s.submit(sl, after)
}

// ScheduleHere queues a job that only the calling goroutine may run, such as a
// call into a library that is bound to a thread. It runs when this goroutine
// waits for anything on the pool or ends a scope. A wait inside a
// job, or for a job of another pool, comes to it when it would else sleep; that job goes on when this one is
// over, and for this one to wait for it is an ErrDeadlock. If it calls runtime.Goexit
// it fails with an *ExitError, and its goroutine ends.
func (p *Pool) ScheduleHere(j Job, after ...Handle) Handle {
	mustHave("ScheduleHere", j != nil)
	p.check("ScheduleHere")
	s := p.enter()
	defer s.leave()
	sl := s.newJob(j, nil)
	sl.bound = true
	sl.owner, _ = apart.self()
	return s.submit(sl, after)
}

// External runs f on a goroutine of its own once the jobs before it are done:
// for what blocks or takes long, which would hold up a worker. The handle
// carries the error that f returns, or the context's cause if it was cancelled before
// f began; what f does about it later is its own affair.
func (p *Pool) External(ctx context.Context, f func(ctx context.Context) error, after ...Handle) Handle {
	mustHave("External", f != nil)
	mustKnow("External", ctx)
	p.check("External")
	s := p.enter()
	defer s.leave()
	sl := s.newJob(&external{ctx, f}, nil)
	sl.shape = shapeOutside
	return s.submit(sl, after)
}

// Scope opens a scope. End it when its jobs are scheduled.
func (p *Pool) Scope(ctx context.Context) *Scope {
	s := &Scope{pool: p}
	s.Begin(ctx)
	return s
}

// submit links a new slot behind the jobs it waits for, and queues it if there
// are none.
func (s *seat) submit(sl *slot, after []Handle) Handle {
	h := Handle{slot: sl, gen: generation(sl.word.Load())}
	s.begun++
	if s.begun%64 == 0 {
		s.publish()
	}
	if p := s.pool; p.live != nil {
		p.live.enter(sl, after)
	}
	child, waits := sl.bound && sl.parent != nil, false
	if len(after) == 1 {
		waits = s.follow(sl, h, after[0])
	} else {
		waits = s.link(sl, after)
	}
	if child {
		sl.unlock() // see adopt
		if waits && s.pool.abroad.Load() {
			s.pool.waiters.WakeAll() // they may now need jobs of pools in which they were not registered
		} else if waits && s.pool.waiters.Inside() > 0 {
			s.pool.waiters.WakeInside() // what the child waits for may sleep until its parent is done
		}
	}
	if !waits {
		s.enqueue(sl, h)
	}
	return h
}

// newJob takes a slot for a single job.
func (s *seat) newJob(j Job, sc *Scope) *slot {
	k := s.kindOf(j)
	sl := s.newSlot()
	sl.shape, sl.one, sl.kind = shapeOne, j, k
	sl.bind(sc)
	return sl
}

// newLoop takes a slot for a parallel-for.
func (s *seat) newLoop(j RangeJob, n, grain int, sc *Scope) *slot {
	k := s.kindOf(j)
	sl := s.newSlot()
	sl.shape, sl.many, sl.n, sl.grain, sl.kind = shapeMany, j, n, grain, k
	sl.bind(sc)
	return sl
}

// maxBlocks is how many blocks a parallel-for can have.
const maxBlocks = math.MaxUint32

// maxLeaves is how many parts a reduction, or a loop whose grain is chosen,
// has at most.
const maxLeaves = 256

// autoGrain is the grain that is chosen for n indices. It may depend on
// nothing but n: a panic reports the first index of its block, and a reduction
// joins its parts in a fixed tree.
func autoGrain(n int) int {
	return max(1, (n-1)/maxLeaves+1)
}

// checkGrain checks the arguments of a parallel-for and chooses a grain of 0.
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

// Scope is a time in which workers stay awake, a frame for example, with a
// context that cancels the jobs that have not begun. A job that has begun is not
// stopped, nor are the blocks of a loop that are left: a body that shall give up
// asks its context, or Task.Cancelled, and returns. Then its job has ended well, and
// the wait for it returns nil.
type Scope struct {
	pool *Pool
	ctx  context.Context
	mu   sync.Mutex
	jobs []Handle // except for those that are done and well
	look int      // jobs is looked through when it is this long
	last []Handle // those that End waits for
	open bool

	traced context.Context // ctx with a task of runtime/trace
	task   *trace.Task
}

// Begin opens an ended scope again: one Scope serves all frames. It panics if
// the scope is open.
func (s *Scope) Begin(ctx context.Context) {
	if s.open {
		panic("jobs: Scope.Begin: the scope is open")
	}
	mustKnow("Scope.Begin", ctx)
	s.open, s.ctx = true, ctx
	if trace.IsEnabled() {
		s.traced, s.task = trace.NewTask(ctx, "jobs.Scope")
	}
	s.pool.machine.Look()
	s.pool.scopes.Add(1)
}

// Schedule queues a job behind others.
func (s *Scope) Schedule(j Job, after ...Handle) Handle {
	mustHave("Scope.Schedule", j != nil)
	seat := s.enter("Scope.Schedule")
	defer seat.leave()
	return s.keep(seat.submit(seat.newJob(j, s), after))
}

// ParallelFor queues a job over the indices of [0, n), cut into blocks of
// grain. Grain 0 chooses. If the context is cancelled before the first block, none
// runs and the handle carries the cause; later, all run: see Scope. It panics if n or
// grain is negative.
func (s *Scope) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("Scope.ParallelFor", j != nil)
	grain = checkGrain("Scope.ParallelFor", n, grain)
	seat := s.enter("Scope.ParallelFor")
	defer seat.leave()
	return s.keep(seat.submit(seat.newLoop(j, n, grain, s), after))
}

// End waits for every job of the scope, also for those that its jobs schedule on
// it meanwhile, and closes it. It returns the jobs' errors, joined in the order
// in which they were scheduled, each once; and, where the pool keeps a list of
// its jobs, a *LeakError for each that is not of this scope and has outlived four
// of them. To end an ended scope does nothing.
func (s *Scope) End() error {
	if !s.open {
		return nil
	}
	err := joinErrors(s.waitJobs())
	s.open = false
	s.pool.scopes.Add(-1)
	if s.task != nil {
		s.task.End()
		s.traced, s.task = nil, nil
	}
	if b := s.pool.live; b != nil {
		err = joinErrors(append(b.endScope(), err))
	}
	return err
}

// waitJobs waits for all jobs of the scope and returns their errors. If one that runs
// here ends the goroutine, it ends the scope first.
func (s *Scope) waitJobs() []error {
	over := false
	defer func() {
		if !over {
			_ = s.End()
		}
	}()
	errs := waitEach(nil, s.last) // of an End that was cut short
	for s.takeJobs() {
		errs = waitEach(errs, s.last)
	}
	over = true
	return errs
}

// takeJobs moves the jobs scheduled so far to last. It returns false if there
// are none.
func (s *Scope) takeJobs() bool {
	clear(s.last)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs, s.last = s.last[:0], s.jobs
	return len(s.last) > 0
}

// enter panics if the scope has ended, or its pool is closed.
func (s *Scope) enter(fn string) *seat {
	if !s.open {
		panic("jobs: " + fn + ": the scope has ended")
	}
	s.pool.check(fn)
	return s.pool.enter()
}

// keep remembers a job for End.
func (s *Scope) keep(h Handle) Handle {
	s.mu.Lock()
	if len(s.jobs) >= max(s.look, 64) {
		s.jobs = forgetWell(s.jobs)
		s.look = 2 * len(s.jobs)
	}
	s.jobs = append(s.jobs, h)
	s.mu.Unlock()
	return h
}

// forgetWell removes the handles of jobs that are done without an error.
func forgetWell(list []Handle) []Handle {
	kept := list[:0]
	for _, h := range list {
		if !h.well() {
			kept = append(kept, h)
		}
	}
	clear(list[len(kept):])
	return kept
}

// external is the job of a function that runs outside of the workers.
type external struct {
	ctx context.Context
	f   func(ctx context.Context) error
}

// JobName is the name of the function.
func (x *external) JobName() string { return kindsByCode.find(codeOf(x.f), codeName).name }

// Run is never called: the job is launched instead.
func (x *external) Run(*Task) { panic("jobs: External: run by a worker") }

// errNotReturned says that f has not returned: it ended its goroutine.
var errNotReturned = errors.New("")

// launch starts the goroutine of an external job; one that is cancelled has ended.
func launch(s *seat, sl *slot, then continuation) *slot {
	x := sl.one.(*external)
	if x.ctx.Err() != nil {
		sl.fail(rankSkipped, context.Cause(x.ctx))
		return s.finish(sl, then)
	}
	p := sl.pool
	p.externals.call()
	go func() {
		p.externals.come(&Task{slot: sl})
		defer p.externals.leave(false)
		err := errNotReturned
		defer func() {
			s := p.enter()
			defer s.leave()
			switch v := recover(); {
			case v != nil:
				sl.fail(rankOwn, &PanicError{Job: sl.kind.name, Value: v, Stack: debug.Stack(), single: true})
			case err == errNotReturned:
				sl.fail(rankOwn, &ExitError{Job: sl.kind.name, single: true})
			case err != nil:
				sl.fail(rankOwn, err)
			}
			s.finish(sl, nothingElse)
		}()
		err = x.f(x.ctx)
	}()
	return nil
}
