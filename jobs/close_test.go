package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestEarlyErrorsAreTold checks that a scope with many jobs drops jobs that have finished, but never
// a job that failed, because End must return its error.
func TestEarlyErrorsAreTold(t *testing.T) {
	limit(t)
	boom := errors.New("boom")
	runPools(t, func(t *testing.T, p *Pool) {
		sc := p.Scope(context.Background())
		for i := range 1000 {
			job := Func(func(*Task) {
				if i == 0 {
					panic(boom)
				}
			})
			if err := sc.Schedule(job).Wait(); (err != nil) != (i == 0) { // done before the next job is scheduled
				t.Fatalf("job %d: %v", i, err)
			}
		}
		if n := len(sc.handles); n > 200 {
			t.Errorf("%d jobs of 1000 are kept", n)
		}
		if err := sc.End(); !errors.Is(err, boom) {
			t.Errorf("the scope tells %v", err)
		}
	})
}

// TestCloseRunsWhatItsCallerOwns checks that Close runs the jobs that only the goroutine calling
// Close may run. A worker, an external job and a job with dependencies need these jobs, so Close
// would otherwise wait permanently.
func TestCloseRunsWhatItsCallerOwns(t *testing.T) {
	limit(t)
	for _, parker := range []Option{func(*Pool) {}, Futex()} {
		for name, need := range map[string]func(p *Pool, owned Handle) Handle{
			"a worker": func(p *Pool, owned Handle) Handle {
				return p.Schedule(Func(func(task *Task) {
					if err := task.Wait(owned); err != nil {
						t.Error(err)
					}
				}))
			},
			"an external job": func(p *Pool, owned Handle) Handle {
				return p.External(context.Background(), func(context.Context) error { return owned.Wait() })
			},
			"a job behind it": func(p *Pool, owned Handle) Handle {
				return p.Schedule(&nothing{}, owned)
			},
		} {
			for _, late := range []bool{false, true} {
				p := New(Workers(2), parker)
				var gate Handle
				if late { // the job becomes ready only when Close sleeps
					gate = p.External(context.Background(), func(context.Context) error {
						waitUntil(t, "Close is called", p.closed.Load)
						waitUntil(t, "its caller sleeps", func() bool { return p.isAsleep(Handle{}) })
						return nil
					})
				}
				me, ran := goroutineID(), uintptr(0)
				owned := p.ScheduleHere(Func(func(*Task) { ran = goroutineID() }), gate)
				h := need(p, owned)
				if name != "a job behind it" {
					waitUntil(t, name+" waits", func() bool { return p.isAsleep(owned) })
				}
				if err := p.Close(); err != nil {
					t.Errorf("err != nil: for %s: ran on %x, want %x; done: %v, %v; %v", name, ran, me, h.Done(), h.Err(), err)
				} else if ran != me {
					t.Errorf("ran != me: for %s: ran on %x, want %x; done: %v, %v; %v", name, ran, me, h.Done(), h.Err(), err)
				} else if !h.Done() {
					t.Errorf("!h.Done(): for %s: ran on %x, want %x; done: %v, %v; %v", name, ran, me, h.Done(), h.Err(), err)
				} else if h.Err() != nil {
					t.Errorf("h.Err() != nil: for %s: ran on %x, want %x; done: %v, %v; %v", name, ran, me, h.Done(), h.Err(), err)
				}
			}
		}
	}
}

// isAsleep reports whether a goroutine is asleep until the job of h is done.
func (p *Pool) isAsleep(h Handle) bool {
	return p.waiters.Has(h.key())
}

// TestCloseWaitsForAnOwner checks that Close waits while a worker needs a job of another goroutine.
// The owner runs the job only after Close has begun.
func TestCloseWaitsForAnOwner(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	hand, gone := make(chan Handle), make(chan struct{})
	go func() {
		defer close(gone)
		hand <- p.ScheduleHere(&nothing{})
		waitUntil(t, "Close sleeps", func() bool { return p.isAsleep(Handle{}) })
		if n := runHere(p); n != 1 {
			t.Errorf("%d jobs ran", n)
		}
	}()
	owned := <-hand
	h := p.Schedule(Func(func(task *Task) {
		if err := task.Wait(owned); err != nil {
			t.Error(err)
		}
	}))
	waitUntil(t, "the worker waits", func() bool { return p.isAsleep(owned) })
	if err := p.Close(); err != nil {
		t.Errorf("err is %v, want nil; h.Done() is %v", err, h.Done())
	} else if !h.Done() {
		t.Errorf("!h.Done(); h.Done() is %v; err is %v", h.Done(), err)
	}
	<-gone
}

// TestCloseRunsWhatExternalsNeed checks an external job that blocks until another job has run. The
// other job becomes ready only after the workers have ended, so Close must run it.
func TestCloseRunsWhatExternalsNeed(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	ran := make(chan struct{})
	blocked := p.External(context.Background(), func(context.Context) error { <-ran; return nil })
	gate := p.External(context.Background(), func(context.Context) error {
		waitUntil(t, "the workers are gone", p.goroutines.allGone)
		return nil
	})
	p.Schedule(Func(func(*Task) { close(ran) }), gate)
	for _, h := range []Handle{blocked, gate} {
		waitUntil(t, "the external jobs run", func() bool { return h.node.word.Load()&phaseMask == phaseRunning })
	}
	if err := p.Close(); err != nil {
		t.Errorf("err is %v, want nil; blocked.Done() is %v", err, blocked.Done())
	} else if !blocked.Done() {
		t.Errorf("!blocked.Done(); blocked.Done() is %v; err is %v", blocked.Done(), err)
	}
}

// TestLeakNamesTheOldest checks that the error of Close names the oldest leaked job. Some jobs wait
// for another pool, and all other nodes belong to failed jobs or have been used before.
func TestLeakNamesTheOldest(t *testing.T) {
	limit(t)
	other, p := New(Workers(1)), New(Workers(2))
	gate := other.Schedule(&nothing{})
	for range 10 * nodesPerSlab {
		if err := p.Schedule(Func(func(*Task) { panic("boom") })).Wait(); err == nil {
			t.Fatal("no panic")
		}
	}
	for _, name := range []string{"first", "second", "third"} {
		p.Schedule(&namedJob{Func: func(*Task) {}, name: name}, gate)
	}
	const want = "jobs: first is not done, nor are 2 others: wait for its handle"
	if err := p.Close(); err == nil {
		t.Errorf("err is nil: %v, want %s", err, want)
	} else if err.Error() != want {
		t.Errorf("err.Error() is %v, want %v: %v, want %s", err.Error(), want, err, want)
	}
	if err := errors.Join(gate.Wait(), other.Close()); err != nil {
		t.Error(err)
	}
}

// closeBodies holds functions that run f in a pool, one for each way in which a pool can run a
// function. If a job of that kind has a name, it gets the given name.
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

// onTwoPools runs f with pools of 1 and 3 workers, on all CPUs and on one CPU. There are four
// cases. If which is not negative, only the case with that number runs.
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

// run starts a goroutine for each job that waits for it, so that the jobs also run in a pool with
// one worker.
func run(hs ...Handle) (over chan error) {
	over = make(chan error, len(hs))
	for _, h := range hs {
		go func() { over <- h.Wait() }()
	}
	return over
}

// TestCloseOfAPoolThatWaits makes a job of one pool close another pool, while a job of that other
// pool waits for the closing job. The wait begins before or after the call of Close. All jobs must
// end. If the two jobs run on goroutines for which Close waits, either Close or the wait must
// return an error. Otherwise both jobs would wait permanently.
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
								waitUntil(t, "Close is called", b.closed.Load)
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
						if in == "an external job" && how == "Handle.Wait" { // this combination always runs on a goroutine of the pool
							if err := errors.Join(told[:]...); !errors.As(err, &circle) {
								t.Errorf("!errors.As(err, &circle): Close and the wait return %v, want a DeadlockError", told)
							} else if !slices.Contains(circle.Chain, closeStats.name) {
								t.Errorf("!slices.Contains(circle.Chain, closeStats.name): Close and the wait return %v, want a DeadlockError", told)
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

// TestPoolsCloseEachOther makes jobs of two pools close each other's pools, on workers or as
// external jobs. Either Close or the wait must return an error, and both jobs must continue.
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
				runtime.Gosched() // yields without a wait, because a wait would run the jobs
			}
			var circle *DeadlockError
			if err := errors.Join(told[:]...); onWorkers && (!errors.As(err, &circle) || len(circle.Chain) < 4) {
				t.Errorf("onWorkers && (!errors.As(err, &circle) || len(circle.Chain) < 4): the two return %v, want a DeadlockError", told)
			} else if !onWorkers && err != nil {
				t.Errorf("!onWorkers && err != nil: the two return %v, want a DeadlockError", told)
			}
		})
	}
}

// panicValue calls f and returns the value with which f panics.
func panicValue(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// scheduling returns a map of all calls that schedule on a pool, keyed by the name in the call's
// panic message.
func scheduling(p *Pool, sc *Scope) map[string]func() {
	n := 1
	outside := func(context.Context) error { return nil }
	return map[string]func(){
		"Schedule":           func() { p.Schedule(&nothing{}) },
		"ParallelFor":        func() { p.ParallelFor(&nothing{}, 10, 1) },
		"Range":              func() { _ = p.Range(10, 1, func(int, int) {}) },
		"Range of one block": func() { _ = p.Range(1, 1, func(int, int) {}) },
		"Reduce":             func() { _, _ = Reduce(p, 0, func(int, int) int { return 0 }, func(a, _ int) int { return a }) },
		"External":           func() { p.External(context.Background(), outside) },
		"ScheduleHere":       func() { p.ScheduleHere(&nothing{}) },
		"ScheduleAt":         func() { p.ScheduleAt(High, &nothing{}) },
		"ParallelForAt":      func() { p.ParallelForAt(High, &nothing{}, 1, 1) },
		"ParallelForLater":   func() { p.ParallelForLater(&nothing{}, &n, 1) },
		"Scope.Schedule":     func() { sc.Schedule(&nothing{}) },
		"Scope.ParallelFor":  func() { sc.ParallelFor(&nothing{}, 1, 1) },
	}
}

func TestNothingIsScheduledOnAClosedPool(t *testing.T) {
	limit(t)
	for _, workers := range counts {
		p := New(Workers(workers))
		sc := p.Scope(context.Background())
		boom := func() Handle { return p.Schedule(Func(func(*Task) { panic("boom") })) }
		well, bad, worse := p.Schedule(&nothing{}), boom(), boom()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		for name, f := range scheduling(p, sc) {
			fn, _, _ := strings.Cut(name, " of ")
			if got, want := panicValue(f), "jobs: "+fn+": the pool is closed: schedule before Close, or on another pool"; got != want {
				t.Errorf("%d workers: %s panics with %v, want %s", workers, name, got, want)
			}
		}
		// Jobs scheduled before Close remain usable.
		var pe *PanicError
		if err := Combine(well, bad, worse).Wait(); !errors.As(err, &pe) {
			t.Errorf("!errors.As(err, &pe): %d workers: %v, %v", workers, err, well.Err())
		} else if well.Wait() != nil {
			t.Errorf("well.Wait() != nil: %d workers: %v, %v", workers, err, well.Err())
		} else if runHere(p) != 0 {
			t.Errorf("runHere(p) != 0: %d workers: %v, %v", workers, err, well.Err())
		}
		other := New(Workers(1))
		if err := other.Schedule(&nothing{}, well).Wait(); err != nil {
			t.Error(err)
		}
		for _, err := range []error{sc.End(), p.Close(), other.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestLiveJobsOutliveClose checks that running jobs may schedule the jobs that they need. It checks
// this while Close waits, and later while a goroutine waits for a job and runs it.
func TestLiveJobsOutliveClose(t *testing.T) {
	limit(t)
	for _, workers := range counts {
		p := New(Workers(workers))
		closing := func() bool { return p.closed.Load() }
		inside := func(task *Task) {
			errs := []error{
				task.Wait(task.Schedule(&nothing{})), task.Wait(task.ParallelFor(&nothing{}, 100, 1)),
				p.Schedule(&nothing{}).Wait(), p.Range(100, 1, func(int, int) {}),
			}
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
		}
		begun, waited := make(chan struct{}), make(chan error)
		go func() {
			waited <- p.ScheduleHere(Func(func(task *Task) {
				close(begun)
				waitUntil(t, "the pool takes no more jobs", func() bool { return !p.accepting.Load() })
				inside(task)
			})).Wait()
		}()
		<-begun
		external := p.External(context.Background(), func(context.Context) error {
			waitUntil(t, "Close is called", closing)
			return errors.Join(p.Schedule(Func(inside)).Wait(), p.Range(100, 1, func(int, int) {}))
		})
		worker := p.Schedule(Func(func(task *Task) {
			waitUntil(t, "Close is called", closing)
			inside(task)
		}))
		if err := p.Close(); err != nil {
			t.Errorf("err != nil: %d workers: %v, %v, %v", workers, err, external.Err(), worker.Err())
		} else if external.Err() != nil {
			t.Errorf("external.Err() != nil: %d workers: %v, %v, %v", workers, err, external.Err(), worker.Err())
		} else if !worker.succeeded() {
			t.Errorf("!worker.well(): %d workers: %v, %v, %v", workers, err, external.Err(), worker.Err())
		}
		if err := <-waited; err != nil {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

// TestScheduleWhileClosing checks that a job scheduled during Close is either accepted and run, or
// refused with a panic.
func TestScheduleWhileClosing(t *testing.T) {
	limit(t)
	for range 20 {
		p := New(Workers(2))
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				for range 1000 { // Close waits for a moment without work
					ran := false
					var err error
					if v := panicValue(func() { err = p.Schedule(Func(func(*Task) { ran = true })).Wait() }); v != nil {
						if !strings.HasPrefix(fmt.Sprint(v), "jobs: Schedule: the pool is closed") {
							t.Error(v)
						}
						return
					}
					if err != nil {
						t.Errorf("err != nil: ran: %v, %v", ran, err)
						return
					} else if !ran {
						t.Errorf("ran is false: ran: %v, %v", ran, err)
						return
					}
				}
			})
		}
		if err := p.Close(); err != nil {
			var leak *LeakError // for a job that came after the last look
			if !errors.As(err, &leak) {
				t.Error(err)
			}
		}
		group.Wait()
	}
}

func TestDefaultPoolIsNeverClosed(t *testing.T) {
	limit(t)
	p := newDefault()
	if v := fmt.Sprint(panicValue(func() { _ = p.Close() })); !strings.HasPrefix(v, "jobs: Pool.Close: the default pool is never closed") {
		t.Error(v)
	}
	if err := p.Schedule(&nothing{}).Wait(); err != nil {
		t.Error(err)
	}
	p.isDefault = false
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestZeroPool(t *testing.T) {
	limit(t)
	p := new(Pool)
	all := scheduling(p, &Scope{pool: p, ctx: context.Background(), open: true})
	all["Pool.Close"] = func() { _ = p.Close() }
	all["Pool.Stats"] = func() { p.Stats() }
	for name, f := range all {
		fn, _, _ := strings.Cut(name, " of ")
		if got, want := panicValue(f), "jobs: "+fn+": the pool is a zero Pool: make one with jobs.New"; got != want {
			t.Errorf("%s panics with %v, want %s", name, got, want)
		}
	}
}
