package jobs

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
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

// TestCallerBlock: the block of the caller is known in blocks and in their children, in whatever way these run, also when a block fails
// or ends its goroutine; elsewhere there is none. What is counted for that ends with the jobs.
func TestCallerBlock(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		is := func(where string, want bool) uint64 {
			block := p.CallerBlock()
			if block != 0 != want {
				t.Errorf("%s: the block is %#x", where, block)
			}
			return block
		}
		single := Func(func(task *Task) {
			is("a single job", false)
			_ = task.Wait(task.Schedule(Func(func(*Task) { is("a child of a single job", false) })))
			is("a single job that has waited", false)
		})
		many := RangeFunc(func(task *Task, lo, _ int) {
			own := is("a block", true)
			child := func(*Task) {
				if got := is("a child of a block", true); got != own {
					t.Errorf("a child is of block %#x, its parent of %#x", got, own)
				}
			}
			task.Schedule(Func(child)) // it may outlive the block
			_ = task.Wait(task.Schedule(Func(child)))
			_ = task.Wait(task.ParallelFor(RangeFunc(func(*Task, int, int) { is("a loop of a block", true) }), 3, 1))
			_ = p.Range(3, 1, func(int, int) { is("a range of a block", true) })
			if lo == 2 {
				panic("a block fails")
			}
		})
		for range 20 {
			is("outside", false)
			_ = WaitAll(p.ParallelFor(many, 5, 1), p.Schedule(single), p.ParallelFor(many, 3, 1))
			_ = p.Range(4, 1, func(int, int) { is("a range", true) })
			is("outside, after loops", false)
		}
		exited := make(chan struct{})
		go func() {
			defer close(exited)
			_ = p.ParallelFor(RangeFunc(func(*Task, int, int) { is("a block that ends its goroutine", true); runtime.Goexit() }), 3, 1).Wait()
		}()
		<-exited
		for wait := time.Now(); p.blocks.Load() != 0; time.Sleep(time.Millisecond) {
			if time.Since(wait) > 10*time.Second {
				t.Fatalf("%d blocks are counted, and none runs", p.blocks.Load())
			}
		}
	})
}
