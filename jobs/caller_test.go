package jobs

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// The current task is that of the innermost body; outside of bodies there is none.
func TestCaller(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	is := func(want *Task) {
		t.Helper()
		if got := p.Caller().Task(); got != want {
			t.Errorf("the current task is %p, want %p", got, want)
		}
	}
	is(nil)
	h := p.Schedule(Func(func(outer *Task) {
		is(outer)
		inner := p.ParallelFor(RangeFunc(func(own *Task, _, _ int) {
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

// In whatever way the body of a job comes to run, its task is found: on a worker, on a goroutine
// that waits, on one that runs a body apart, and inside of another body.
func TestCallerInEveryWay(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		var bodies atomic.Int32
		one := func() Job {
			return Func(func(task *Task) {
				bodies.Add(1)
				if got := p.Caller().Task(); got != task {
					t.Errorf("the current task is %p, want %p", got, task)
				}
			})
		}
		many := RangeFunc(func(task *Task, _, _ int) {
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
			_, err := Reduce(p, 9, known, func(a, b int) int { return a + b })
			return errors.Join(err,
				p.Schedule(one()).Wait(), p.ParallelFor(many, 9, 1).Wait(),
				WaitAll(p.Schedule(one(), p.ParallelFor(many, 9, 1))),
				p.Range(9, 1, func(lo, hi int) { known(lo, hi) }),
				p.ScheduleHere(one()).Wait(), sc.End())
		}
		for range 3 { // the first time the kinds are not known: their bodies run apart
			if err := ways(); err != nil {
				t.Error(err)
			}
			task := p.Schedule(Func(func(outer *Task) {
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
