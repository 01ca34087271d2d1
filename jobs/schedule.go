package jobs

import (
	"context"
	"runtime/debug"
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

// Range runs body over [0, n) in blocks of grain, here and now, on all
// workers. Grain 0 chooses. A single block is a plain call of body: if that calls
// runtime.Goexit it ends the calling goroutine. It panics if n or grain is negative.
func (p *Pool) Range(n, grain int, body func(lo, hi int)) error {
	grain = checkGrain("Range", n, grain)
	p.check("Range")
	if n <= grain && p.live == nil && !p.observed() {
		return runBlock(body, n)
	}
	return p.runRange(plainRange(body), n, grain)
}

// runBlock runs a Range of one block.
func runBlock(body func(lo, hi int), n int) (err error) {
	if n == 0 {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Job: codeName(codeOf(body)), Value: v, Stack: debug.Stack()}
		}
	}()
	body(0, n)
	return nil
}

// runRange runs a parallel-for here and now.
func (p *Pool) runRange(j RangeJob, n, grain int) error {
	s := p.enterToRun()
	defer s.leave()
	sl := s.newLoop(j, n, grain, nil)
	h := Handle{slot: sl, gen: generation(sl.word.Load())}
	defer func() {
		if !h.Done() { // a block here has called runtime.Goexit: others may still run
			_ = (&await{seat: s, job: h, must: true}).end()
		}
	}()
	s.begun++
	if p.live != nil {
		p.live.enter(sl, nil)
	}
	s.step(sl, nothingElse)
	spinBriefly(p, h)
	return (&await{seat: s, job: h, must: true}).end()
}

// plainRange makes a RangeJob of the body of a Range.
type plainRange func(lo, hi int)

// RunRange calls f.
func (f plainRange) RunRange(_ *Task, lo, hi int) { f(lo, hi) }

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
