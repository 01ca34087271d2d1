package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestWalkWantsItsOwnSteps checks a walk that has moved on from a job to another job that the first
// job needs. When the needed job is done, the node of the first job may already hold a later job. If
// the later job becomes ready then, the walk must not run it next.
func TestWalkWantsItsOwnSteps(t *testing.T) {
	limit(t)
	for _, name := range []string{"a job", "a loop"} {
		for _, same := range []bool{true, false} {
			p := New(Workers(1))
			wc := p.acquire()
			w := newDependencyWalk(wc)
			var needed Handle
			finish := func() { w.runJob(needed.node) }
			if name == "a loop" {
				var lp *loop
				lp, needed = openLoop(p, wc, Normal, &nothing{})
				lp.state.Add(^uint64(0)) // its opener has left
				finish = func() { w.joinLoop(lp, needed) }
			} else {
				node := wc.newJob(&nothing{}, nil)
				needed = Handle{node: node, gen: generation(node.word.Load())}
				wc.timing.submitted++
				node.markReady()
				node.claimReady()
			}
			ran := false
			after := wc.submit(wc.newJob(Func(func(*Task) { ran = true }), nil), []Handle{needed})
			top := walkStep{node: after.node, gen: after.gen}
			if !same {
				top.gen--
			}
			wc.stack.walkSteps = append(wc.stack.walkSteps, top)
			finish()
			if !needed.Done() {
				t.Errorf("!needed.Done(): behind %s, wanted %v: ran %v, %d steps left", name, same, ran, len(wc.stack.walkSteps))
			} else if ran != same {
				t.Errorf("ran != same: behind %s, wanted %v: ran %v, %d steps left", name, same, ran, len(wc.stack.walkSteps))
			} else if len(wc.stack.walkSteps) == 1 == same {
				t.Errorf("len(wc.stack.walkSteps) == 1 is %v: behind %s, wanted %v: ran %v, %d steps left", len(wc.stack.walkSteps) == 1, name, same, ran, len(wc.stack.walkSteps))
			}
			wc.stack.walkSteps = wc.stack.walkSteps[:0]
			wc.release()
			if err := after.Wait(); err != nil {
				t.Errorf("err is %v, want nil; ran is %v", err, ran)
			} else if !ran {
				t.Errorf("ran is false; ran is %v; err is %v", ran, err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestGoexitLeavesNoSteps makes a job end its goroutine during a walk. The goroutine that takes its
// context next must begin without steps.
func TestGoexitLeavesNoSteps(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	left := make(chan struct{})
	go func() {
		defer close(left)
		bad := p.Schedule(Func(func(*Task) { exit() }))
		_ = p.Schedule(&nothing{}, bad, p.Schedule(&nothing{})).Wait()
	}()
	<-left
	waitUntil(t, "the seat is free", func() bool { return p.firstContext.queue.holder.Load() == 0 })
	wc := p.acquire()
	if wc != p.firstContext {
		t.Errorf("wc is %v, want %v: seat %d has %d steps", wc, p.firstContext, wc.index, len(wc.stack.walkSteps))
	} else if len(wc.stack.walkSteps) != 0 {
		t.Errorf("len(wc.stack.walkSteps) != 0: seat %d has %d steps", wc.index, len(wc.stack.walkSteps))
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestWaitsAcrossPools tries, one by one, all calls that can wait for a job of another pool.
// It runs with and without worker goroutines, and also on one CPU.
func TestWaitsAcrossPools(t *testing.T) {
	limit(t)
	forms := map[string]func(a, b *Pool) error{
		"Schedule behind": func(a, b *Pool) error { return b.Schedule(&nothing{}, a.Schedule(&nothing{})).Wait() },
		"Combine":         func(a, b *Pool) error { return Combine(a.Schedule(&nothing{}), b.Schedule(&nothing{})).Wait() },
		"WaitAll":         func(a, b *Pool) error { return WaitAll(a.Schedule(&nothing{}), b.Schedule(&nothing{})) },
		"External": func(a, b *Pool) error {
			return b.Schedule(&nothing{}, a.External(context.Background(), func(context.Context) error { return nil })).Wait()
		},
		"Background": func(a, b *Pool) error {
			return b.ScheduleAt(Background, &nothing{}, a.ParallelForAt(Background, &nothing{}, 9, 1)).Wait()
		},
		"Scope.End": func(a, b *Pool) error {
			sc := b.Scope(context.Background())
			sc.Schedule(&nothing{}, a.Schedule(&nothing{}))
			return sc.End()
		},
		"ParallelForLater": func(a, b *Pool) error {
			n := 0
			return b.ParallelForLater(&nothing{}, &n, 1, a.Schedule(Func(func(*Task) { n = 9 }))).Wait()
		},
		"Handle.Wait in a job": func(a, b *Pool) error {
			h := a.Schedule(&nothing{})
			var inner error
			return errors.Join(b.Schedule(Func(func(*Task) { inner = h.Wait() })).Wait(), inner)
		},
		"Task.Wait in a job": func(a, b *Pool) error {
			h := a.Schedule(&nothing{})
			var inner error
			return errors.Join(b.Schedule(Func(func(t *Task) { inner = t.Wait(h) })).Wait(), inner)
		},
		"a child behind": func(a, b *Pool) error {
			h := a.Schedule(&nothing{})
			return b.Schedule(Func(func(t *Task) { t.Schedule(&nothing{}, h) })).Wait()
		},
		"there and back": func(a, b *Pool) error {
			var h Handle
			for range 1000 {
				h = b.Schedule(&nothing{}, a.Schedule(&nothing{}, h))
			}
			return h.Wait()
		},
		"ScheduleHere": func(a, b *Pool) error { return b.Schedule(&nothing{}, a.ScheduleHere(&nothing{})).Wait() },
		"ScheduleHere in a job": func(a, b *Pool) error {
			var h Handle
			err := b.Schedule(Func(func(*Task) { h = a.ScheduleHere(&nothing{}) })).Wait() // belongs to the goroutine that waits here, wherever the body runs
			return errors.Join(err, h.Wait())
		},
		"ScheduleHere, while its pool closes": func(a, b *Pool) error {
			own := b.ScheduleHere(&nothing{})
			h := a.Schedule(Func(func(t *Task) { _ = t.Wait(own) }))
			if a.Workers() == 1 {
				return h.Wait()
			}
			return errors.Join(a.Close(), h.Wait())
		},
	}
	for _, procs := range []int{runtime.GOMAXPROCS(0), 1} {
		for _, workers := range []int{1, 2, 4} {
			for _, level := range []Level{Check, Panic} {
				for name, f := range forms {
					t.Run(fmt.Sprintf("%s/procs=%d/workers=%d/%v", name, procs, workers, levelNames[level]), func(t *testing.T) {
						old := runtime.GOMAXPROCS(procs)
						defer runtime.GOMAXPROCS(old)
						a, b := New(Workers(workers), Safety(level)), New(Workers(workers), Safety(level))
						if err := errors.Join(f(a, b), a.Close(), b.Close()); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

// TestCircleOfPools makes jobs wait for each other through two pools. One wait must return
// ErrDeadlock, and both jobs must continue.
func TestCircleOfPools(t *testing.T) {
	limit(t)
	waits := map[string]func(t *Task, h Handle) error{
		"Task.Wait":   func(t *Task, h Handle) error { return t.Wait(h) },
		"Handle.Wait": func(_ *Task, h Handle) error { return h.Wait() },
		"a child": func(t *Task, h Handle) error {
			return t.Wait(t.Schedule(&named{name: "child"}, h))
		},
		"another job": func(t *Task, h Handle) error {
			_ = t.ctx.pool.Range(4, 1, func(int, int) {})
			return h.Wait()
		},
	}
	for name, wait := range waits {
		for _, workers := range []int{1, 3} {
			for _, level := range []Level{Check, Panic} {
				t.Run(fmt.Sprint(name, "/", workers, "/", levelNames[level]), func(t *testing.T) {
					a, b := New(Workers(workers), Safety(level)), New(Workers(workers), Safety(level))
					var first, second Handle
					var told [2]error
					ready := make(chan struct{})
					first = a.Schedule(&named{name: "first", run: func(t *Task) { <-ready; told[0] = wait(t, second) }})
					second = b.Schedule(&named{name: "second", run: func(t *Task) { <-ready; told[1] = t.Wait(first) }})
					close(ready)
					if err := WaitAll(first, second); err != nil {
						t.Error(err)
					}
					var circle *DeadlockError
					if err := errors.Join(told[:]...); !errors.As(err, &circle) {
						t.Fatalf("!errors.As(err, &circle): the waits return %v, want a DeadlockError", told)
					} else if circle.Chain == nil {
						t.Fatalf("circle.Chain is nil: the waits return %v, want a DeadlockError", told)
					}
					if err := errors.Join(a.Close(), b.Close()); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// named is a job with a name.
type named struct {
	name string
	run  func(*Task)
}

func (j *named) JobName() string { return j.name }

func (j *named) Run(t *Task) {
	if j.run != nil {
		j.run(t)
	}
}

// exitRuns counts the runs of TestExitAcrossPools. Each run needs a new name: after one job of a
// kind has ended its goroutine, the pool treats jobs of this kind differently.
var exitRuns atomic.Int32

// TestExitAcrossPools makes a job of another pool end its goroutine in a wait. The jobs below that
// job on the stack must fail with an error that says why.
func TestExitAcrossPools(t *testing.T) {
	limit(t)
	a, b := New(Workers(1)), New(Workers(1))
	defer a.Close()
	defer b.Close()
	exit := false
	inner := &named{name: fmt.Sprint("of b, ran well before ", exitRuns.Add(1)), run: func(*Task) {
		if exit {
			runtime.Goexit()
		}
	}}
	outer := &named{name: "of a, ran well before", run: func(t *Task) { _ = t.Wait(b.Schedule(inner)) }}
	if err := a.Schedule(outer).Wait(); err != nil {
		t.Fatal(err)
	}
	exit = true
	h := a.Schedule(outer)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = h.Wait()
	}()
	<-over
	var err *ExitError
	if !errors.As(h.Err(), &err) {
		t.Errorf("!errors.As(h.Err(), &err): the job below has the error %v", h.Err())
	} else if err.Job != inner.name {
		t.Errorf("err.Job is %v, want %v: the job below has the error %v", err.Job, inner.name, h.Err())
	}
	if err := errors.Join(a.Schedule(&nothing{}, b.Schedule(&nothing{})).Wait(), b.Schedule(&nothing{}).Wait()); err != nil {
		t.Error(err)
	}
}

// TestPoolsAreForgotten checks that the list of all pools keeps neither closed nor unreachable pools
// alive.
func TestPoolsAreForgotten(t *testing.T) {
	limit(t)
	count := func() (n int) {
		for range eachPool {
			n++
		}
		return n
	}
	runtime.GC()
	before := count()
	for i := range 10 {
		p := New(Workers(1 + i%2))
		if err := p.Schedule(&nothing{}).Wait(); err != nil {
			t.Error(err)
		}
		if i%2 == 1 {
			p.Close()
		}
	}
	waitUntil(t, "they are gone", func() bool { runtime.GC(); return count() <= before })
}

// TestMarksOfPoolsDiffer checks that a walk never takes the mark of another pool's walk for its own
// mark, no matter how many walks and contexts each pool has. Otherwise the walk would skip jobs
// because another walk has visited them.
func TestMarksOfPoolsDiffer(t *testing.T) {
	limit(t)
	seen := map[uint64]string{}
	for i := range 3 {
		p := New(Workers(2))
		defer p.Close()
		for j := range 2 { // the first context, and another one that is created because the first is taken
			wc := p.acquireFree(uintptr(j + 1))
			defer wc.release()
			for k := range 3 {
				mark, who := newDependencyWalk(wc).mark, fmt.Sprintf("walk %d of seat %d of pool %d", k, wc.index, i)
				if other, is := seen[mark]; is {
					t.Errorf("%s and %s both leave the mark %#x", other, who, mark)
				}
				seen[mark] = who
			}
		}
	}
}
