package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// closeBodies start f in a pool in each way in which a pool runs a function, under a name where the job has one.
var closeBodies = map[string]func(p *Pool, name string, f func()) Handle{
	"a job": func(p *Pool, name string, f func()) Handle {
		return p.Schedule(&named{name: name, run: func(*Task) { f() }})
	},
	"a background job": func(p *Pool, name string, f func()) Handle {
		return p.ScheduleAt(Background, &named{name: name, run: func(*Task) { f() }})
	},
	"a loop": func(p *Pool, _ string, f func()) Handle {
		return p.ParallelFor(RangeFunc(func(_ *Task, lo, _ int) {
			if lo == 0 {
				f()
			}
		}), 3, 1)
	},
	"a child": func(p *Pool, name string, f func()) Handle {
		return p.Schedule(Func(func(t *Task) {
			_ = t.Wait(t.Schedule(&named{name: name, run: func(*Task) { f() }}))
		}))
	},
	"an external job": func(p *Pool, _ string, f func()) Handle {
		return p.External(context.Background(), func(context.Context) error { f(); return nil })
	},
	"a job of its own goroutine": func(p *Pool, name string, f func()) Handle {
		hand := make(chan Handle)
		go func() {
			h := p.ScheduleHere(&named{name: name, run: func(*Task) { f() }})
			hand <- h
			_ = h.Wait()
		}()
		return <-hand
	},
}

// onTwoPools runs f with pools of 1 and 3 workers, with all CPUs and with one; if which is not negative, with one of the four alone.
func onTwoPools(t *testing.T, name string, which int, f func(t *testing.T, a, b *Pool)) {
	for i, procs := range []int{runtime.GOMAXPROCS(0), 1} {
		for j, workers := range []int{1, 3} {
			if which >= 0 && which%4 != 2*i+j {
				continue
			}
			t.Run(fmt.Sprintf("%s/procs=%d/workers=%d", name, procs, workers), func(t *testing.T) {
				old := runtime.GOMAXPROCS(procs)
				defer runtime.GOMAXPROCS(old)
				f(t, New(Workers(workers)), New(Workers(workers)))
			})
		}
	}
}

// run has goroutines of its own wait for jobs, so that they run with one worker too.
func run(hs ...Handle) (over chan error) {
	over = make(chan error, len(hs))
	for _, h := range hs {
		go func() { over <- h.Wait() }()
	}
	return over
}

// A job of a pool closes another pool while a job of that pool waits for it, before or after Close is called: all end, and if they are on goroutines
// of the pool, which Close waits for, one of the two is told.
func TestCloseOfAPoolThatWaits(t *testing.T) {
	limit(t)
	waits := map[string]func(p *Pool, h Handle) error{
		"Handle.Wait": func(_ *Pool, h Handle) error { return h.Wait() },
		"Scope.End": func(p *Pool, h Handle) error {
			sc := p.Scope(context.Background())
			sc.Schedule(&nothing{}, h)
			return sc.End()
		},
		"another pool": func(_ *Pool, h Handle) error {
			c := New(Workers(2))
			mid := c.Schedule(&named{name: "between", run: func(t *Task) { _ = t.Wait(h) }})
			err := mid.Wait()
			return errors.Join(err, c.Close(), h.Err())
		},
	}
	for by, closes := range closeBodies {
		for in, body := range closeBodies {
			for how, wait := range waits {
				for _, late := range []bool{false, true} {
					onTwoPools(t, fmt.Sprintf("%s closes the pool of %s in %s, late %v", by, in, how, late), rand.IntN(4), func(t *testing.T, a, b *Pool) {
						var told [2]error
						var first, second Handle
						made, waiting := make(chan struct{}), make(chan struct{})
						first = closes(a, "first", func() {
							<-made
							<-waiting
							told[0] = b.Close()
						})
						second = body(b, "second", func() {
							<-made
							if close(waiting); late {
								soon(t, "Close is called", b.closed.Load)
							}
							told[1] = wait(a, first)
						})
						close(made)
						over := run(first, second)
						for range 2 {
							var panicked *PanicError
							if err := <-over; errors.As(err, &panicked) {
								t.Error(err)
							}
						}
						if told[0] != nil && !errors.Is(told[0], ErrDeadlock) {
							t.Errorf("Close returns %v", told[0])
						}
						var circle *DeadlockError
						if in == "an external job" && how == "Handle.Wait" { // it is always on a goroutine of the pool
							if err := errors.Join(told[:]...); !errors.As(err, &circle) || !slices.Contains(circle.Chain, closeStats.name) {
								t.Errorf("Close and the wait return %v, want a DeadlockError", told)
							}
						}
						if err := errors.Join(a.Close(), b.Close()); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

// Jobs of two pools, on workers or as external jobs, close the pools of each other: one is told, and both go on.
func TestPoolsCloseEachOther(t *testing.T) {
	limit(t)
	for _, in := range []string{"a job", "a background job", "an external job"} {
		body := closeBodies[in]
		onTwoPools(t, in, -1, func(t *testing.T, a, b *Pool) {
			var told [2]error
			begun := make(chan struct{}, 2)
			both := func() {
				begun <- struct{}{}
				for len(begun) < 2 {
					runtime.Gosched()
				}
			}
			first := body(a, "first", func() { both(); told[0] = b.Close() })
			second := body(b, "second", func() { both(); told[1] = a.Close() })
			onWorkers := a.Workers() > 1 || in == "an external job"
			if a.Workers() == 1 {
				over := run(first, second)
				_, _ = <-over, <-over
			}
			for !first.Done() || !second.Done() {
				runtime.Gosched() // not a wait: it would run them
			}
			var circle *DeadlockError
			if err := errors.Join(told[:]...); onWorkers && (!errors.As(err, &circle) || len(circle.Chain) < 4) || !onWorkers && err != nil {
				t.Errorf("the two return %v, want a DeadlockError", told)
			}
		})
	}
}
