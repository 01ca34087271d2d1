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
			block := CallerBlock()
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
		for wait := time.Now(); blocksRun.Load() != 0; time.Sleep(time.Millisecond) {
			if time.Since(wait) > 10*time.Second {
				t.Fatalf("%d blocks are counted, and none runs", blocksRun.Load())
			}
		}
	})
}

// TestCallerAcrossPools: the caller is the innermost body, of whatever pool, and its block the one to which that belongs, however deep
// jobs of several pools wait for each other, and whoever runs them; each answer is also that of a pool that runs nothing, and of none.
func TestCallerAcrossPools(t *testing.T) {
	limit(t)
	for workers := 1; workers <= 3; workers++ {
		idle := New(Workers(1))
		all := []*Pool{New(Workers(workers)), New(Workers(1)), New(Workers(2))}
		seed := uint64(time.Now().UnixNano())
		is := func(where string, want *Task, block uint64) {
			for i, p := range append([]*Pool{nil, idle}, all...) {
				c := p.Caller()
				if c.Task() != want {
					t.Errorf("seed %d, %s: pool %d tells of task %p, want %p", seed, where, i, c.Task(), want)
				}
				if of := c.TaskOf(p); (of != nil) != (want != nil && want.ctx.pool == p) {
					t.Errorf("seed %d, %s: pool %d says that the task %p is its own", seed, where, i, of)
				}
			}
			if got := CallerBlock(); got != block {
				t.Errorf("seed %d, %s: block %#x, want %#x", seed, where, got, block)
			}
		}
		var nest func(depth int, way uint64, task *Task, block uint64)
		nest = func(depth int, way uint64, task *Task, block uint64) {
			is("before", task, block)
			defer is("after", task, block)
			if depth == 0 {
				return
			}
			way = way*0x9e3779b97f4a7c15 + uint64(depth)
			p := all[way>>40%3]
			single := Func(func(own *Task) { nest(depth-1, way, own, 0) })
			loop := func(own *Task, lo, _ int) { // its number is new, and that of no other
				mine := CallerBlock()
				if mine == 0 || mine == block {
					t.Errorf("seed %d: a block has the number %#x, in %#x", seed, mine, block)
				}
				if lo == 0 {
					nest(depth-1, way, own, mine)
				}
			}
			var err error
			switch way >> 50 % 4 {
			case 0:
				err = p.Schedule(single).Wait()
			case 1:
				err = p.ParallelFor(RangeFunc(loop), 2, 1).Wait()
			case 2:
				err = p.Schedule(Func(func(outer *Task) {
					_ = outer.Wait(outer.Schedule(single)) // a child of a single job
				}), all[way>>45%3].ParallelFor(RangeFunc(loop), 3, 1)).Wait()
			case 3:
				err = p.ScheduleHere(single).Wait()
			}
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		for round := range uint64(60) {
			nest(int(round%6), seed+round, nil, 0)
		}
		for _, p := range append(all, idle) {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestCallerJob: the job of a caller is that of the innermost body, and for a child the job that it descends from.
func TestCallerJob(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		is := func(want any) {
			t.Helper()
			if got := p.Caller().Job(); got != want {
				t.Errorf("the job of the caller is %v, want %v", got, want)
			}
		}
		one, many := &jobOfTest{}, &jobOfTest{}
		one.run = func(task *Task) {
			is(one)
			child := &jobOfTest{run: func(task *Task) {
				is(one)
				grandchild := &jobOfTest{run: func(*Task) { is(one) }}
				if err := task.Wait(task.ParallelFor(grandchild, 5, 1)); err != nil {
					t.Error(err)
				}
			}}
			other := &jobOfTest{}
			other.run = func(*Task) { is(other) }
			if err := errors.Join(task.Wait(task.Schedule(child)), p.Schedule(other).Wait()); err != nil {
				t.Error(err)
			}
			is(one)
		}
		many.run = func(*Task) { is(many) }
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

// jobOfTest is a job of either kind.
type jobOfTest struct{ run func(*Task) }

func (j *jobOfTest) Run(t *Task)                { j.run(t) }
func (j *jobOfTest) RunRange(t *Task, _, _ int) { j.run(t) }
