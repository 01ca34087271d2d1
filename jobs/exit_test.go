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

// A quitter is a job that calls runtime.Goexit at index bad, whatever it is.
type quitter struct {
	name string
	bad  int
	ran  atomic.Int32
}

func (q *quitter) JobName() string { return q.name }
func (q *quitter) Run(*Task)       { exit() }
func (q *quitter) RunRange(_ *Task, lo, hi int) {
	if lo <= q.bad && q.bad < hi {
		exit()
	}
	q.ran.Add(1)
}

// waysToExit are the ways in which a job that calls runtime.Goexit is scheduled and waited
// for. Each returns the name that it is to bear, and what the wait for it did.
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
			n++ // of a single block, Range is a plain call
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
		if good.Err() != nil || bad.Err() != err || never.Err() != err || sc.open {
			t.Errorf("%v, %v, %v, %v; open: %v", err, good.Err(), bad.Err(), never.Err(), sc.open)
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
		if err := h.Wait(); err != nil || !ran {
			t.Errorf("the job that waited for it: %v; it has gone on: %v", err, ran)
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
		}); err != nil || ran.Load() != 20 {
			t.Errorf("the loop that waited for it: %v; %d of 20 blocks have gone on", err, ran.Load())
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
		h := p.Schedule(Func(func(task *Task) { // it may run apart: what is the caller's does not
			if err := task.Wait(p.ScheduleHere(Func(func(*Task) {}))); err != nil {
				t.Error(err)
			}
			inside = p.ScheduleHere(&nothing{}, p.External(context.Background(), func(context.Context) error { return nil }))
		}), p.ScheduleHere(Func(func(*Task) { ran = goroutineID() })))
		if err := h.Wait(); err != nil || ran != me {
			t.Errorf("what is the caller's ran on %x, want %x; %v", ran, me, err)
		}
		if err := inside.Wait(); err != nil { // the caller's, or a worker's
			t.Error(err)
		}
		return q.name, p.Schedule(q).Wait()
	},
}

// TestGoexitFailsItsJobAlone: whatever calls it, wherever it is waited for and however
// many workers there are, the job fails with an error that names it, the wait returns
// that, and the goroutine that waited goes on.
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
						if !errors.Is(err, ErrExited) || !errors.As(err, &exited) || !strings.Contains(exited.Job, job) {
							t.Errorf("%s, workers %d: %v, want an ErrExited of %s", name, workers, err, job)
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

// allThere has as many jobs run at a time as there are workers.
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
	soon(t, "all workers run a job", func() bool { return int(inside.Load()) == p.Workers()-1 })
}

// TestGoexitNamesTheLowestBlock: of blocks that end their goroutines.
func TestGoexitNamesTheLowestBlock(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		for first := range 40 {
			var ran [40]atomic.Int32
			loop := RangeFunc(func(_ *Task, lo, _ int) {
				ran[lo].Add(1)
				if lo >= first && lo%2 == first%2 {
					exit()
				}
			})
			var exited *ExitError
			if err := p.ParallelFor(loop, 40, 1).Wait(); !errors.As(err, &exited) || exited.Index != first {
				t.Fatalf("the first is %d: %v", first, err)
			}
			for i := range ran {
				if n := ran[i].Load(); n != 1 {
					t.Errorf("the first is %d: block %d ran %d times", first, i, n)
				}
			}
		}
	})
}

// anew makes a name that no kind has had: what is known of kinds stays for as long as
// the program runs, and a test may run twice in it.
func anew(name string) string { return fmt.Sprint(name, " ", names.Add(1)) }

var names atomic.Int64

// TestGoexitOfAKnownJob: what has run well before runs on the waiting goroutine, which
// then ends too. The job that called runtime.Goexit is named all the same, jobs below
// it on the stack carry its error, the pool goes on, and from then on the kind runs
// apart.
func TestGoexitOfAKnownJob(t *testing.T) {
	limit(t)
	bad := false
	job := &namedJob{Func: func(*Task) {
		if bad {
			exit()
		}
	}, name: anew("known and bad")}
	p := New(Workers(1))
	var h Handle
	outer := &namedJob{Func: func(task *Task) { _ = task.Wait(h) }, name: anew("known outer")}
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
		if came != (round > 0) || err != nil {
			t.Errorf("round %d: the wait has returned: %v; %v", round, came, err)
		}
		var exited *ExitError
		if !errors.As(h.Err(), &exited) || exited.Job != job.name {
			t.Errorf("round %d: %v", round, h.Err())
		}
		if round == 0 && outer.Err() != h.Err() || round > 0 && outer.Err() != nil {
			t.Errorf("round %d: the outer job: %v", round, outer.Err())
		}
	}
	if err := sc.End(); !errors.Is(err, ErrExited) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestGoexitOfWhatIsTheCallers: a job of ScheduleHere takes its goroutine along, but
// not what runs apart from that, and not the pool.
func TestGoexitOfWhatIsTheCallers(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		var here, after, outer Handle
		left := make(chan struct{})
		var got error
		go func() {
			defer close(left)
			here = p.ScheduleHere(&quitter{name: "here"})
			after = p.Schedule(&nothing{}, here)
			outer = p.Schedule(&namedJob{Func: func(task *Task) { got = task.Wait(here) }, name: anew("new")})
			_ = outer.Wait()
			_ = runHere(p) // if a worker has run the outer one
			t.Error("the goroutine has not ended")
		}()
		<-left
		if err := WaitAll(after, outer); err != here.Err() {
			t.Error(err)
		}
		if !errors.Is(here.Err(), ErrExited) || after.Err() != here.Err() || outer.Err() != nil || got != here.Err() {
			t.Errorf("%v; behind it %v; waiting for it %v, which got %v", here.Err(), after.Err(), outer.Err(), got)
		}
	})
}

// TestGoexitInClose: neither a job that Close runs nor one that belongs to its caller
// leaves the pool half closed.
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
			if came == owned || p.accepting.Load() || !h.Done() || !after.Done() || !errors.Is(after.Err(), ErrExited) {
				t.Errorf("owned %v, workers %d: returned %v, open %v, done %v %v, %v", owned, workers, came, p.accepting.Load(), h.Done(), after.Done(), after.Err())
			}
		}
	}
}

// TestGoexitInEnd: nor a job that ends the goroutine which ends a scope.
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
	if sc.open || !last.Done() || p.scopes.Load() != 0 {
		t.Errorf("open: %v; its last job is done: %v; %d scopes are open", sc.open, last.Done(), p.scopes.Load())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestTimedOnceTheyAreKnown: a job that runs apart costs several times what it takes
// otherwise, so only the first of a kind does.
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
		if apart > 3 { // the blocks of the first loop
			t.Errorf("%s: %d of 40 have run apart", name, apart)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// A lingerer is a loop of two blocks: the one that begins first ends when the other has
// begun, and that one stays, and may end its goroutine.
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

// TestKindsAreKnownByTheirEnd: what is learned while a block of a loop still runs,
// which may end its goroutine, makes no kind a known one.
func TestKindsAreKnownByTheirEnd(t *testing.T) {
	limit(t)
	for round := range 20 {
		p := New(Workers(2))
		l := &lingerer{name: anew("lingers"), bad: round%2 == 1, both: make(chan struct{}), end: make(chan struct{})}
		stats := statsByName.getOrCreate(l.name, func(s string) string { return s })
		h := p.ParallelFor(l, 2, 1)
		over := make(chan error)
		go func() { over <- h.Wait() }()
		soon(t, "one of two has left the loop", func() bool {
			lp := p.loops.all[0].Load()
			return lp != nil && lp.state.Load() == 1
		})
		if stats.hasCompleted() {
			t.Fatalf("exits %v: known while a block runs", l.bad)
		}
		close(l.end)
		if err := <-over; l.bad != errors.Is(err, ErrExited) || stats.hasCompleted() == l.bad {
			t.Errorf("exits %v: %v, and known: %v", l.bad, err, stats.hasCompleted())
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
