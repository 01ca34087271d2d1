package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// TestCaller checks that the current task is the task of the innermost body, and that there is none
// outside of bodies.
func TestCaller(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(3))
	defer p.Close()
	is := func(want *jobs.Task) {
		t.Helper()
		if got := p.Caller().Task(); got != want {
			t.Errorf("the current task is %p, want %p", got, want)
		}
	}
	is(nil)
	h := p.Schedule(jobs.Func(func(outer *jobs.Task) {
		is(outer)
		inner := p.ParallelFor(jobs.RangeFunc(func(own *jobs.Task, _, _ int) {
			is(own)
			if own == outer {
				t.Error("two bodies have one task")
			}
		}), 64, 1)
		if err := inner.Wait(); err != nil {
			t.Error(err)
		}
		is(outer)
		done := make(chan struct{})
		go func() { is(nil); close(done) }()
		<-done
	}))
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
	is(nil)
}

// TestCallerInEveryWay checks that a body's task is found, no matter how the body is run. It covers
// bodies on a worker, on a waiting goroutine, on a goroutine that runs a body isolated, and inside
// another body.
func TestCallerInEveryWay(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		var bodies atomic.Int32
		one := func() jobs.Job {
			return jobs.Func(func(task *jobs.Task) {
				bodies.Add(1)
				if got := p.Caller().Task(); got != task {
					t.Errorf("the current task is %p, want %p", got, task)
				}
			})
		}
		many := jobs.RangeFunc(func(task *jobs.Task, _, _ int) {
			if got := p.Caller().Task(); got != task {
				t.Errorf("in a block the current task is %p, want %p", got, task)
			}
		})
		known := func(lo, _ int) int {
			if p.Caller().Task() == nil {
				t.Error("a block of a range is in no task")
			}
			return lo
		}
		ways := func() error {
			sc := p.Scope(context.Background())
			sc.Schedule(one(), sc.ParallelFor(many, 9, 1))
			_, err := jobs.Reduce(p, 9, known, func(a, b int) int { return a + b })
			return errors.Join(err,
				p.Schedule(one()).Wait(), p.ParallelFor(many, 9, 1).Wait(),
				jobs.WaitAll(p.Schedule(one(), p.ParallelFor(many, 9, 1))),
				p.Range(9, 1, func(lo, hi int) { known(lo, hi) }),
				p.ScheduleHere(one()).Wait(), sc.End())
		}
		for range 3 { // the first time no such job has completed, so the bodies run isolated
			if err := ways(); err != nil {
				t.Error(err)
			}
			task := p.Schedule(jobs.Func(func(outer *jobs.Task) {
				if err := errors.Join(ways(), outer.Wait(outer.Schedule(one()))); err != nil {
					t.Error(err)
				}
				if got := p.Caller().Task(); got != outer {
					t.Errorf("after all the current task is %p, want %p", got, outer)
				}
			}))
			if err := task.Wait(); err != nil {
				t.Error(err)
			}
			if p.Caller().Task() != nil {
				t.Error("outside of all jobs there is a task")
			}
		}
		if n := bodies.Load(); n != 3*(4+4+1) {
			t.Errorf("%d bodies", n)
		}
	})
}

// TestCloseTellsOfAnOwnerGone checks that Close reports a job whose goroutine has ended: neither
// that job nor the jobs after it can run.
func TestCloseTellsOfAnOwnerGone(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	hand := make(chan jobs.Handle)
	go func() { hand <- p.ScheduleHere(&nothing{}) }()
	p.Schedule(&nothing{}, <-hand)
	const want = "jobs: jobs.nothing is not done, nor is 1 other: wait for its handle"
	var leak *jobs.LeakError
	if err := p.Close(); !errors.As(err, &leak) {
		t.Errorf("!errors.As(err, &leak): %v, want two jobs that leak: %s", err, want)
	} else if leak.Count != 2 {
		t.Errorf("leak.Count is %v, want 2: %v, want two jobs that leak: %s", leak.Count, err, want)
	} else if leak.Error() != want {
		t.Errorf("leak.Error() is %v, want %v: %v, want two jobs that leak: %s", leak.Error(), want, err, want)
	}
}

// TestCloseByItsOwn checks that a job cannot close its pool if Close would wait for the job, because
// Close would then wait for its caller.
func TestCloseByItsOwn(t *testing.T) {
	limit(t)
	closes := func(p *jobs.Pool) (v any) {
		defer func() { v = recover() }()
		_ = p.Close()
		return nil
	}
	barks := make(chan any, 1)
	var p *jobs.Pool
	made := make(chan struct{})
	p = jobs.New(jobs.Workers(2), jobs.Watchdog(4*time.Millisecond, func(jobs.LiveJobs) {
		<-made
		select {
		case barks <- closes(p):
		default:
		}
	}))
	close(made)
	got := map[string]any{}
	var h jobs.Handle
	h = p.Schedule(jobs.Func(func(*jobs.Task) { got["a worker"] = closes(p) }))
	soon(t, "the worker has run the job", h.Done)
	if err := p.External(context.Background(), func(context.Context) error { got["an external job"] = closes(p); return nil }).Wait(); err != nil {
		t.Error(err)
	}
	callers := []string{"a worker", "an external job", "the watchdog", "a caller"}
	p.ScheduleHere(jobs.Func(func(*jobs.Task) { got["a caller"] = closes(p) }))
	runHere(p)
	body, release := held()
	h = p.Schedule(body)
	got["the watchdog"] = <-barks
	release()
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
	for _, caller := range callers {
		if s, _ := got[caller].(string); !strings.HasPrefix(s, "jobs: Pool.Close: called by a job") {
			t.Errorf("%s: %v", caller, got[caller])
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if v := closes(p); v != nil {
		t.Errorf("again: %v", v)
	}
}

// TestCallerJob checks that the job of a caller is the job of the innermost body. For a child, it is
// the ancestor that was scheduled outside of all jobs.
func TestCallerJob(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		is := func(want any) {
			t.Helper()
			if got := p.Caller().RootJob(); got != want {
				t.Errorf("the job of the caller is %v, want %v", got, want)
			}
		}
		one, many := &jobOfTest{}, &jobOfTest{}
		one.run = func(task *jobs.Task) {
			is(one)
			child := &jobOfTest{run: func(task *jobs.Task) {
				is(one)
				grandchild := &jobOfTest{run: func(*jobs.Task) { is(one) }}
				if err := task.Wait(task.ParallelFor(grandchild, 5, 1)); err != nil {
					t.Error(err)
				}
			}}
			other := &jobOfTest{}
			other.run = func(*jobs.Task) { is(other) }
			if err := errors.Join(task.Wait(task.Schedule(child)), p.Schedule(other).Wait()); err != nil {
				t.Error(err)
			}
			is(one)
		}
		many.run = func(*jobs.Task) { is(many) }
		is(nil)
		if err := errors.Join(p.Schedule(one).Wait(), p.ParallelFor(many, 9, 1).Wait(), p.ScheduleHere(one).Wait()); err != nil {
			t.Error(err)
		}
		is(nil)
		task := p.Sit()
		is(nil)
		task.Rise()
	})
}

// jobOfTest can be scheduled as a single job and as a loop.
type jobOfTest struct{ run func(*jobs.Task) }

func (j *jobOfTest) Run(t *jobs.Task)                { j.run(t) }
func (j *jobOfTest) RunRange(t *jobs.Task, _, _ int) { j.run(t) }
