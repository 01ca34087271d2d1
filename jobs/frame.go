package jobs

import (
	"context"
	"runtime/trace"
)

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
