package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// quitter is a single job or a loop that calls runtime.Goexit at index bad.
type quitter struct {
	name string
	bad  int
	ran  atomic.Int32
}

func (q *quitter) JobName() string { return q.name }

func (q *quitter) Run(*Task) { exit() }

func (q *quitter) RunRange(_ *Task, lo, hi int) {
	if lo <= q.bad && q.bad < hi {
		exit()
	}
	q.ran.Add(1)
}

// waysToExit holds functions that schedule a job that calls runtime.Goexit and wait for it, each in
// a different way. Each function returns the expected name of the job and the error of the wait.
var waysToExit = map[string]func(t *testing.T, p *Pool, q *quitter) (string, error){
	"job": func(_ *testing.T, p *Pool, q *quitter) (string, error) { return q.name, p.Schedule(q).Wait() },
	"loop": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		return q.name, p.ParallelFor(q, 100, 1).Wait()
	},
	"block": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		return q.name, p.ParallelFor(q, 100, 200).Wait()
	},
	"later": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		n := 0
		return q.name, p.ParallelForLater(q, &n, 1, p.Schedule(Func(func(*Task) { n = 100 }))).Wait()
	},
	"background": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		return q.name, WaitAll(p.ScheduleAt(Background, q))
	},
	"high": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		return q.name, p.ParallelForAt(High, q, 100, 1).Wait()
	},
	"range": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		return "jobs.init.func", p.Range(100, 1, func(lo, hi int) { q.RunRange(nil, lo, hi) })
	},
	"range of a block or two": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		n := 100
		if p.level != Panic {
			n++ // with a single block, Range is a plain call
		}
		return "jobs.init.func", p.Range(n, 100, func(lo, hi int) { q.RunRange(nil, lo, hi) })
	},
	"reduce": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		_, err := Reduce(p, 100, func(lo, hi int) int { q.RunRange(nil, lo, hi); return lo }, func(a, b int) int { return a + b })
		return "jobs.init.func", err
	},
	"external": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		return "jobs.init.func", p.External(context.Background(), func(context.Context) error { q.Run(nil); return nil }).Wait()
	},
	"scope": func(t *testing.T, p *Pool, q *quitter) (string, error) {
		sc := p.Scope(context.Background())
		good := sc.ParallelFor(&nothing{}, 50, 1)
		bad := sc.ParallelFor(q, 100, 1)
		never := sc.Schedule(Func(func(*Task) { t.Error("a job behind it has run") }), good, bad)
		err := sc.End()
		if good.Err() != nil {
			t.Errorf("good.Err() != nil: %v, %v, %v, %v; open: %v", err, good.Err(), bad.Err(), never.Err(), sc.open)
		} else if bad.Err() != err {
			t.Errorf("bad.Err() != err: %v, %v, %v, %v; open: %v", err, good.Err(), bad.Err(), never.Err(), sc.open)
		} else if never.Err() != err {
			t.Errorf("never.Err() != err: %v, %v, %v, %v; open: %v", err, good.Err(), bad.Err(), never.Err(), sc.open)
		} else if sc.open {
			t.Errorf("sc.open: %v, %v, %v, %v; open: %v", err, good.Err(), bad.Err(), never.Err(), sc.open)
		}
		return q.name, err
	},
	"behind it": func(t *testing.T, p *Pool, q *quitter) (string, error) {
		bad := p.Schedule(q, p.Schedule(&nothing{}))
		return q.name, p.Schedule(Func(func(*Task) { t.Error("a job behind it has run") }), bad).Wait()
	},
	"child": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		return q.name, p.Schedule(Func(func(t *Task) { t.Schedule(&nothing{}); t.ParallelFor(q, 100, 1) })).Wait()
	},
	"waited for in a job": func(t *testing.T, p *Pool, q *quitter) (string, error) {
		bad, ran := p.Schedule(q), false
		var got error
		h := p.Schedule(Func(func(task *Task) { got = task.Wait(bad); ran = true }))
		if err := h.Wait(); err != nil {
			t.Errorf("err != nil: the job that waited for it: %v; it has gone on: %v", err, ran)
		} else if !ran {
			t.Errorf("ran is false: the job that waited for it: %v; it has gone on: %v", err, ran)
		}
		return q.name, got
	},
	"waited for in a block": func(t *testing.T, p *Pool, q *quitter) (string, error) {
		var ran atomic.Int32
		var got error
		if err := p.Range(20, 1, func(lo, _ int) {
			err := p.ParallelFor(q, 100, 1).Wait()
			if lo == 7 {
				got = err
			} else if !errors.Is(err, ErrExited) {
				t.Errorf("in block %d: %v", lo, err)
			}
			ran.Add(1)
		}); err != nil {
			t.Errorf("err != nil: the loop that waited for it: %v; %d of 20 blocks have gone on", err, ran.Load())
		} else if ran.Load() != 20 {
			t.Errorf("ran.Load() != 20: the loop that waited for it: %v; %d of 20 blocks have gone on", err, ran.Load())
		}
		return q.name, got
	},
	"range in a job": func(t *testing.T, p *Pool, q *quitter) (string, error) {
		var got error
		if err := p.Schedule(Func(func(*Task) {
			got = p.Range(100, 1, func(lo, hi int) { q.RunRange(nil, lo, hi) })
		})).Wait(); err != nil {
			t.Errorf("the job that called Range: %v", err)
		}
		return "jobs.init.func", got
	},
	"seven deep": func(t *testing.T, p *Pool, q *quitter) (string, error) {
		var got error
		var dig func(depth int) Func
		dig = func(depth int) Func {
			return func(task *Task) {
				if depth == 0 {
					got = task.Wait(p.Schedule(q))
				} else if err := task.Wait(p.Schedule(dig(depth - 1))); err != nil {
					t.Errorf("at depth %d: %v", depth, err)
				}
			}
		}
		if err := p.Schedule(dig(7)).Wait(); err != nil {
			t.Error(err)
		}
		return q.name, got
	},
	"in a chain": func(_ *testing.T, p *Pool, q *quitter) (string, error) {
		bad := p.Schedule(q, p.Schedule(&nothing{}))
		last := p.Schedule(&nothing{}, bad)
		return q.name, errors.Join(last.Wait(), bad.Wait())
	},
	"needs its caller": func(t *testing.T, p *Pool, q *quitter) (string, error) {
		me, ran := goroutineID(), uintptr(0)
		var inside Handle
		h := p.Schedule(Func(func(task *Task) { // this job may run isolated; a job that belongs to the caller does not
			if err := task.Wait(p.ScheduleHere(Func(func(*Task) {}))); err != nil {
				t.Error(err)
			}
			inside = p.ScheduleHere(&nothing{}, p.External(context.Background(), func(context.Context) error { return nil }))
		}), p.ScheduleHere(Func(func(*Task) { ran = goroutineID() })))
		if err := h.Wait(); err != nil {
			t.Errorf("err != nil: what is the caller's ran on %x, want %x; %v", ran, me, err)
		} else if ran != me {
			t.Errorf("ran != me: what is the caller's ran on %x, want %x; %v", ran, me, err)
		}
		if err := inside.Wait(); err != nil { // runs on the caller or on a worker
			t.Error(err)
		}
		return q.name, p.Schedule(q).Wait()
	},
}

// TestGoexitFailsItsJobAlone checks all functions of waysToExit, with several numbers of workers. The
// job must fail with an error that names it, the wait must return that error, and the waiting
// goroutine must continue.
func TestGoexitFailsItsJobAlone(t *testing.T) {
	limit(t)
	for name, run := range waysToExit {
		for i, workers := range []int{1, 2, 3, 4, 8, 16, 64} {
			for _, level := range []Level{Check, Panic} {
				p := New(Workers(workers), seeded(uint64(i)), Safety(level))
				for round := range 3 {
					q := &quitter{name: fmt.Sprintf("quitter %s", name), bad: 10 * round}
					came := false
					left := make(chan struct{})
					go func() {
						defer close(left)
						job, err := run(t, p, q)
						came = true
						var exited *ExitError
						if !errors.Is(err, ErrExited) {
							t.Errorf("!errors.Is(err, ErrExited): %s, workers %d: %v, want an ErrExited of %s", name, workers, err, job)
						} else if !errors.As(err, &exited) {
							t.Errorf("!errors.As(err, &exited): %s, workers %d: %v, want an ErrExited of %s", name, workers, err, job)
						} else if !strings.Contains(exited.Job, job) {
							t.Errorf("!strings.Contains(exited.Job, job): %s, workers %d: %v, want an ErrExited of %s", name, workers, err, job)
						}
					}()
					<-left
					if !came {
						t.Errorf("%s, workers %d: the wait has not returned", name, workers)
					}
				}
				allThere(t, p)
				if err := p.Close(); err != nil {
					t.Errorf("%s, workers %d: %v", name, workers, err)
				}
			}
		}
	}
}

// allThere runs a job on each worker goroutine at the same time. It fails the test if a worker is
// missing.
func allThere(t *testing.T, p *Pool) {
	t.Helper()
	var inside atomic.Int32
	for range p.Workers() - 1 {
		p.Schedule(Func(func(*Task) {
			inside.Add(1)
			for int(inside.Load()) < p.Workers()-1 {
				runtime.Gosched()
			}
		}))
	}
	waitUntil(t, "all workers run a job", func() bool { return int(inside.Load()) == p.Workers()-1 })
}

// newName returns a name that no job has had before. Statistics of jobs are kept as long as the program
// runs, and a test may run twice in one program.
func newName(name string) string { return fmt.Sprint(name, " ", names.Add(1)) }

var names atomic.Int64

// TestGoexitOfAKnownJob runs a job of a kind that has completed many times before. A job of such a
// kind runs on the waiting goroutine, so Goexit ends that goroutine too. The error must still name the
// job that called runtime.Goexit, and the jobs below it on the stack must carry the error. The pool
// continues, and from then on it runs jobs of that kind isolated.
func TestGoexitOfAKnownJob(t *testing.T) {
	limit(t)
	bad := false
	job := &namedJob{Func: func(*Task) {
		if bad {
			exit()
		}
	}, name: newName("known and bad")}
	p := New(Workers(1))
	var h Handle
	outer := &namedJob{Func: func(task *Task) { _ = task.Wait(h) }, name: newName("known outer")}
	for range 3 {
		h = p.Schedule(job)
		if err := p.Schedule(outer).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	bad = true
	sc := p.Scope(context.Background())
	for round := range 3 {
		h = sc.Schedule(job)
		outer := sc.Schedule(outer)
		left := make(chan error, 1)
		go func() {
			defer close(left)
			left <- outer.Wait()
		}()
		err, came := <-left
		if came != (round > 0) {
			t.Errorf("came != (round > 0): round %d: the wait has returned: %v; %v", round, came, err)
		} else if err != nil {
			t.Errorf("err != nil: round %d: the wait has returned: %v; %v", round, came, err)
		}
		var exited *ExitError
		if !errors.As(h.Err(), &exited) {
			t.Errorf("!errors.As(h.Err(), &exited): round %d: %v", round, h.Err())
		} else if exited.Job != job.name {
			t.Errorf("exited.Job is %v, want %v: round %d: %v", exited.Job, job.name, round, h.Err())
		}
		if round == 0 && outer.Err() != h.Err() {
			t.Errorf("round == 0 && outer.Err() != h.Err(): round %d: the outer job: %v", round, outer.Err())
		} else if round > 0 && outer.Err() != nil {
			t.Errorf("round > 0 && outer.Err() != nil: round %d: the outer job: %v", round, outer.Err())
		}
	}
	if err := sc.End(); !errors.Is(err, ErrExited) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestGoexitOfWhatIsTheCallers checks a job of ScheduleHere that calls runtime.Goexit. The call must
// end the job's goroutine, but neither an isolated body on another goroutine nor the pool.
func TestGoexitOfWhatIsTheCallers(t *testing.T) {
	limit(t)
	runPools(t, func(t *testing.T, p *Pool) {
		var here, after, outer Handle
		left := make(chan struct{})
		var got error
		go func() {
			defer close(left)
			here = p.ScheduleHere(&quitter{name: "here"})
			after = p.Schedule(&nothing{}, here)
			outer = p.Schedule(&namedJob{Func: func(task *Task) { got = task.Wait(here) }, name: newName("new")})
			_ = outer.Wait()
			_ = runHere(p) // if a worker has run the outer one
			t.Error("the goroutine has not ended")
		}()
		<-left
		if err := WaitAll(after, outer); err != here.Err() {
			t.Error(err)
		}
		if !errors.Is(here.Err(), ErrExited) {
			t.Errorf("!errors.Is(here.Err(), ErrExited): %v; behind it %v; waiting for it %v, which got %v", here.Err(), after.Err(), outer.Err(), got)
		} else if after.Err() != here.Err() {
			t.Errorf("after.Err() != here.Err(): %v; behind it %v; waiting for it %v, which got %v", here.Err(), after.Err(), outer.Err(), got)
		} else if outer.Err() != nil {
			t.Errorf("outer.Err() != nil: %v; behind it %v; waiting for it %v, which got %v", here.Err(), after.Err(), outer.Err(), got)
		} else if got != here.Err() {
			t.Errorf("got != here.Err(): %v; behind it %v; waiting for it %v, which got %v", here.Err(), after.Err(), outer.Err(), got)
		}
	})
}

// TestGoexitInClose checks that the pool is closed completely although a job ends the goroutine that
// calls Close. The goroutine schedules the job with Schedule or with ScheduleHere.
func TestGoexitInClose(t *testing.T) {
	limit(t)
	for _, owned := range []bool{false, true} {
		for _, workers := range []int{1, 2, 8} {
			p := New(Workers(workers))
			bad := &quitter{name: "in close"}
			statsByName.getOrCreate(bad.name, func(s string) string { return s }).cost.Store(1 << 20)
			var h, after Handle
			left, came := make(chan struct{}), false
			go func() {
				defer close(left)
				if owned {
					h = p.ScheduleHere(bad)
				} else {
					h = p.Schedule(bad)
				}
				after = p.Schedule(&nothing{}, h)
				if err := p.Close(); err != nil {
					t.Error(err)
				}
				came = true
			}()
			<-left
			if came == owned {
				t.Errorf("came == owned: owned %v, workers %d: returned %v, open %v, done %v %v, %v", owned, workers, came, p.accepting.Load(), h.Done(), after.Done(), after.Err())
			} else if p.accepting.Load() {
				t.Errorf("p.accepting.Load(): owned %v, workers %d: returned %v, open %v, done %v %v, %v", owned, workers, came, p.accepting.Load(), h.Done(), after.Done(), after.Err())
			} else if !h.Done() {
				t.Errorf("!h.Done(): owned %v, workers %d: returned %v, open %v, done %v %v, %v", owned, workers, came, p.accepting.Load(), h.Done(), after.Done(), after.Err())
			} else if !after.Done() {
				t.Errorf("!after.Done(): owned %v, workers %d: returned %v, open %v, done %v %v, %v", owned, workers, came, p.accepting.Load(), h.Done(), after.Done(), after.Err())
			} else if !errors.Is(after.Err(), ErrExited) {
				t.Errorf("!errors.Is(after.Err(), ErrExited): owned %v, workers %d: returned %v, open %v, done %v %v, %v", owned, workers, came, p.accepting.Load(), h.Done(), after.Done(), after.Err())
			}
		}
	}
}

// TestGoexitInEnd checks the same as TestGoexitInClose for a job that ends the goroutine that calls
// Scope.End.
func TestGoexitInEnd(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	var sc *Scope
	var last Handle
	left := make(chan struct{})
	go func() {
		defer close(left)
		sc = p.Scope(context.Background())
		last = sc.Schedule(&nothing{}, sc.Schedule(&nothing{}), p.External(context.Background(), func(context.Context) error { return nil }))
		sc.Schedule(&nothing{}, p.ScheduleHere(&quitter{name: "in end"}))
		_ = sc.End()
		t.Error("the goroutine has not ended")
	}()
	<-left
	if sc.open {
		t.Errorf("sc.open: open: %v; its last job is done: %v; %d scopes are open", sc.open, last.Done(), p.scopes.Load())
	} else if !last.Done() {
		t.Errorf("!last.Done(): open: %v; its last job is done: %v; %d scopes are open", sc.open, last.Done(), p.scopes.Load())
	} else if p.scopes.Load() != 0 {
		t.Errorf("p.scopes.Load() != 0: open: %v; its last job is done: %v; %d scopes are open", sc.open, last.Done(), p.scopes.Load())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestTimedOnceTheyAreKnown checks that only the first job of a kind runs isolated, because an
// isolated job takes several times as long.
func TestTimedOnceTheyAreKnown(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	me := goroutineID()
	for name, run := range map[string]func(f func()) error{
		"job":    func(f func()) error { return p.Schedule(Func(func(*Task) { f() })).Wait() },
		"loop":   func(f func()) error { return p.ParallelFor(RangeFunc(func(*Task, int, int) { f() }), 3, 1).Wait() },
		"range":  func(f func()) error { return p.Range(3, 1, func(int, int) { f() }) },
		"reduce": func(f func()) error { _, err := Reduce(p, 1, func(int, int) int { f(); return 0 }, nil); return err },
	} {
		apart := 0
		for range 40 {
			if err := run(func() {
				if goroutineID() != me {
					apart++
				}
			}); err != nil {
				t.Error(err)
			}
		}
		if apart > 3 { // as many as the first loop has blocks
			t.Errorf("%s: %d of 40 have run apart", name, apart)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// A lingerer is a loop of two blocks. The block that begins first ends when the other block has
// begun. The other block continues, and may end its goroutine.
type lingerer struct {
	name      string
	bad       bool
	began     atomic.Int32
	both, end chan struct{}
}

func (l *lingerer) JobName() string { return l.name }

func (l *lingerer) RunRange(*Task, int, int) {
	if l.began.Add(1) == 1 {
		<-l.both
		return
	}
	close(l.both)
	<-l.end
	if l.bad {
		exit()
	}
}

// TestCostIsKnownAtTheEnd checks that no measured cost is recorded while a block of the loop still
// runs, because that block may end its goroutine.
func TestCostIsKnownAtTheEnd(t *testing.T) {
	limit(t)
	for round := range 20 {
		p := New(Workers(2))
		l := &lingerer{name: newName("lingers"), bad: round%2 == 1, both: make(chan struct{}), end: make(chan struct{})}
		stats := statsByName.getOrCreate(l.name, func(s string) string { return s })
		h := p.ParallelFor(l, 2, 1)
		over := make(chan error)
		go func() { over <- h.Wait() }()
		waitUntil(t, "one of two has left the loop", func() bool {
			lp := p.loops.all[0].Load()
			return lp != nil && lp.state.Load() == 1
		})
		if stats.hasCompleted() {
			t.Fatalf("exits %v: known while a block runs", l.bad)
		}
		close(l.end)
		if err := <-over; l.bad != errors.Is(err, ErrExited) {
			t.Errorf("l.bad != errors.Is(err, ErrExited): exits %v: %v, and known: %v", l.bad, err, stats.hasCompleted())
		} else if stats.hasCompleted() == l.bad {
			t.Errorf("stats.hasCompleted() == l.bad: exits %v: %v, and known: %v", l.bad, err, stats.hasCompleted())
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestReduceJoinsInOrder reduces parts that reveal the order and grouping in which they were joined.
func TestReduceJoinsInOrder(t *testing.T) {
	limit(t)
	runPools(t, func(t *testing.T, p *Pool) {
		for _, n := range []int{1, 2, 5, 255, 256, 257, 1000} {
			size, want := autoGrain(n), ""
			for lo := 0; lo < n; lo += size {
				part := fmt.Sprint(lo, "-", min(lo+size, n))
				if lo == 0 {
					want = part
				} else {
					want = "(" + want + " " + part + ")"
				}
			}
			got, err := Reduce(p, n,
				func(lo, hi int) string { return fmt.Sprint(lo, "-", hi) },
				func(a, b string) string { return "(" + a + " " + b + ")" })
			if got != want {
				t.Errorf("got != want: n %d: %s, want %s; %v", n, got, want, err)
			} else if err != nil {
				t.Errorf("err != nil: n %d: %s, want %s; %v", n, got, want, err)
			}
		}
	})
}

// TestBlocksAboveAFailureRun checks that the only worker of a loop runs each block once, although all
// blocks above one of them fail. It covers loops that are open to other workers and loops that are
// not. It also covers workers that take few blocks at once, and workers that take many.
func TestBlocksAboveAFailureRun(t *testing.T) {
	limit(t)
	for i := range 4 {
		workers, level := 1+i%2, []Level{Check, Panic}[i/2]
		for _, cost := range []int64{0, 1, 50 << 8, 1000 << 8} { // the cost of a block that the pool believes
			for name, fail := range map[string]func(){"panic": func() { panic("boom") }, "Goexit": exit} {
				p := New(Workers(workers), Safety(level))
				body, release := newHeldJob()
				begun := make(chan struct{})
				if workers == 2 { // the worker is busy
					p.Schedule(Func(func(t *Task) { close(begun); body(t) }))
					<-begun
				}
				for _, first := range []int{0, 1, 37, 60, 99} {
					var ran [100]int
					job := RangeFunc(func(_ *Task, lo, _ int) {
						ran[lo]++
						if lo >= first {
							fail()
						}
					})
					stats := statsByCode.getOrCreate(funcPC(job), funcName)
					if stats.cost.Store(cost); name == "Goexit" {
						stats.markExits()
					}
					left := make(chan error, 1)
					go func() { left <- p.ParallelFor(job, len(ran), 1).Wait() }()
					if index, failed := failedAt(<-left); !failed {
						t.Errorf("failed is false: %s at %d, cost %d, workers %d: the error is of %d", name, first, cost, workers, index)
					} else if index != first {
						t.Errorf("index != first: %s at %d, cost %d, workers %d: the error is of %d", name, first, cost, workers, index)
					}
					for i, n := range ran {
						if n != 1 {
							t.Errorf("%s at %d, cost %d, workers %d: block %d ran %d times", name, first, cost, workers, i, n)
						}
					}
				}
				release()
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// failedAt returns the first index of the block that err names.
func failedAt(err error) (index int, failed bool) {
	var panicked *PanicError
	var exited *ExitError
	switch {
	case errors.As(err, &panicked):
		return panicked.Index, true
	case errors.As(err, &exited):
		return exited.Index, true
	}
	return -1, err != nil
}
