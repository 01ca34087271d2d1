package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

func TestPanicNamesBlockAndSkipsDependants(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(3))
	defer p.Close()
	h := p.ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, _ int) {
		if lo == 20 || lo == 40 {
			panic("boom")
		}
	}), 100, 10)
	ran := false
	after := p.Schedule(jobs.Func(func(*jobs.Task) { ran = true }), h)
	var pe *jobs.PanicError
	if err := after.Wait(); !errors.As(err, &pe) {
		t.Fatalf("!errors.As(err, &pe): err is %v, ran is %v", err, ran)
	} else if pe.Index != 20 {
		t.Fatalf("pe.Index is %v, want 20: err is %v, ran is %v", pe.Index, err, ran)
	} else if ran {
		t.Fatalf("ran is true: err is %v, ran is %v", err, ran)
	}
}

// TestLowestPanicIsReported checks that each block runs once, up to its failure, no matter which
// other blocks fail. Otherwise the reported index would differ from run to run.
func TestLowestPanicIsReported(t *testing.T) {
	limit(t)
	const n = 60
	for _, workers := range []int{1, 2, 3, 8, 64} {
		for seed := range uint64(3) {
			grain := 1 + int(seed)
			p := jobs.New(jobs.Workers(workers), seeded(seed))
			for first := range n {
				var ran [n]atomic.Int32
				fails := func(i int) bool { return i == first || i > first && i%3 == 0 }
				err := p.Range(n, grain, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						if ran[i].Add(1); fails(i) {
							panic(i)
						}
					}
				})
				var pe *jobs.PanicError
				if !errors.As(err, &pe) {
					t.Fatalf("!errors.As(err, &pe): workers %d, seed %d, panic at %d: %v", workers, seed, first, err)
				} else if pe.Value != first {
					t.Fatalf("pe.Value is %v, want %v: workers %d, seed %d, panic at %d: %v", pe.Value, first, workers, seed, first, err)
				} else if pe.Index != first/grain*grain {
					t.Fatalf("pe.Index is %v, want %v: workers %d, seed %d, panic at %d: %v", pe.Index, first/grain*grain, workers, seed, first, err)
				} else if len(pe.Stack) == 0 {
					t.Fatalf("len(pe.Stack) is %v: workers %d, seed %d, panic at %d: %v", len(pe.Stack), workers, seed, first, err)
				}
				failed := false // in the block of i
				for i := range n {
					if failed = failed && i%grain != 0; ran[i].Load() != 1 && !failed {
						t.Fatalf("ran[i].Load() != 1 && !failed: workers %d, grain %d, panic at %d: index %d ran %d times", workers, grain, first, i, ran[i].Load())
					} else if ran[i].Load() != 0 && failed {
						t.Fatalf("ran[i].Load() != 0 && failed: workers %d, grain %d, panic at %d: index %d ran %d times", workers, grain, first, i, ran[i].Load())
					}
					failed = failed || fails(i)
				}
			}
			p.Close()
		}
	}
}

func TestPanicReachesDependantsAndParents(t *testing.T) {
	limit(t)
	boom := errors.New("boom")
	for _, workers := range []int{1, 2, 8} {
		p := jobs.New(jobs.Workers(workers))
		bad := p.Schedule(jobs.Func(func(*jobs.Task) { panic(boom) }))
		good := p.Schedule(&nothing{})
		both := jobs.Combine(good, bad, p.Schedule(jobs.Func(func(*jobs.Task) { panic("later") })))
		ran := false
		after := p.Schedule(jobs.Func(func(*jobs.Task) { ran = true }), both)
		if err := after.Wait(); !errors.Is(err, boom) {
			t.Fatalf("!errors.Is(err, boom): workers %d: %v, %v", workers, err, ran)
		} else if ran {
			t.Fatalf("ran is true: workers %d: %v, %v", workers, err, ran)
		} else if after.Err() != err {
			t.Fatalf("after.Err() is %v, want %v: workers %d: %v, %v", after.Err(), err, workers, err, ran)
		} else if bad.Err() == nil {
			t.Fatalf("bad.Err() is nil: workers %d: %v, %v", workers, err, ran)
		}
		late := p.Schedule(jobs.Func(func(*jobs.Task) { ran = true }), bad)
		if err := late.Wait(); !errors.Is(err, boom) {
			t.Fatalf("!errors.Is(err, boom): workers %d: %v, %v", workers, err, ran)
		} else if ran {
			t.Fatalf("ran is true: workers %d: %v, %v", workers, err, ran)
		}
		parent := p.Schedule(jobs.Func(func(t *jobs.Task) {
			t.Schedule(&nothing{})
			t.Schedule(jobs.Func(func(*jobs.Task) { panic(boom) }))
			t.Schedule(jobs.Func(func(*jobs.Task) { panic("second") }))
		}))
		if err := parent.Wait(); !errors.Is(err, boom) {
			t.Fatalf("workers %d: %v", workers, err)
		}
		p.Close()
	}
}

// TestPanicNamesABlockOfALoop checks that only errors of loops name a block, because single jobs have
// none.
func TestPanicNamesABlockOfALoop(t *testing.T) {
	limit(t)
	for _, workers := range counts {
		p := jobs.New(jobs.Workers(workers))
		boom := func(int, int) { panic("boom") }
		single := p.Schedule(&namedJob{Func: func(*jobs.Task) { panic("boom") }, name: "single"}).Wait()
		loop := p.ParallelFor(&namedBoom{}, 10, 1).Wait()
		outside := p.External(context.Background(), func(context.Context) error { panic("boom") }).Wait()
		for want, err := range map[string]error{
			"jobs: single: panic: boom":                       single,
			"jobs: loop: panic in the block at index 0: boom": loop,
			": panic: boom":                                   outside,
			": panic in the block at index 0: boom":           p.Range(1, 1, boom),
		} {
			if err == nil {
				t.Errorf("err is nil: %v, want %s", err, want)
			} else if !strings.HasSuffix(err.Error(), want) {
				t.Errorf("!strings.HasSuffix(err.Error(), want): %v, want %s", err, want)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

type namedBoom struct{}

func (*namedBoom) JobName() string { return "loop" }

func (*namedBoom) RunRange(*jobs.Task, int, int) { panic("boom") }

func TestCancelStopsAtJobBorders(t *testing.T) {
	limit(t)
	cause := errors.New("enough")
	for _, workers := range []int{1, 2, 3, 8} {
		p := jobs.New(jobs.Workers(workers))
		for border := range 20 {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			sc := p.Scope(ctx)
			var h jobs.Handle
			var ran [20]int
			var seen bool
			handles := make([]jobs.Handle, 20)
			for i := range handles {
				h = sc.ParallelFor(jobs.RangeFunc(func(t *jobs.Task, lo, hi int) {
					if i == border && lo == 3 {
						cancel(cause)
						seen = t.Cancelled()
					}
					if lo == 9 {
						ran[i]++
					}
				}), 10, 1, h)
				handles[i] = h
			}
			if err := sc.End(); err != cause && border < 19 {
				t.Fatalf("err != cause && border < 19: workers %d, border %d: %v, %v", workers, border, err, seen)
			} else if border == 19 && err != nil {
				t.Fatalf("border == 19 && err != nil: workers %d, border %d: %v, %v", workers, border, err, seen)
			} else if !seen {
				t.Fatalf("seen is false: workers %d, border %d: %v, %v", workers, border, err, seen)
			}
			for i, n := range ran {
				want, wantErr := 1, error(nil)
				if i > border {
					want, wantErr = 0, cause
				}
				if n != want {
					t.Fatalf("n != want: workers %d, border %d: job %d ran its last block %d times, error %v", workers, border, i, n, handles[i].Err())
				} else if handles[i].Err() != wantErr {
					t.Fatalf("handles[i].Err() != wantErr: workers %d, border %d: job %d ran its last block %d times, error %v", workers, border, i, n, handles[i].Err())
				}
			}
		}
		p.Close()
	}
}

// TestManyBlocksExit makes all blocks of a loop end their goroutines. No block may leave entries on
// the stack of the next block, and a worker that is ending must run the remaining blocks.
func TestManyBlocksExit(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		const n = 2000
		var ran [n]atomic.Int32
		var deepest atomic.Int64
		h := p.ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, _ int) {
			if ran[lo].Add(1); lo%16 == 0 {
				pcs := make([]uintptr, 1000)
				depth := int64(runtime.Callers(0, pcs))
				for old := deepest.Load(); depth > old && !deepest.CompareAndSwap(old, depth); old = deepest.Load() {
				}
			}
			exit()
		}), n, 1)
		for end := time.Now().Add(20 * time.Millisecond); !h.Done() && time.Now().Before(end); { // a worker may take it first
			runtime.Gosched()
		}
		if index, _ := failedAt(h.Wait()); index != 0 {
			t.Errorf("the error is of block %d", index)
		}
		for i := range ran {
			if got := ran[i].Load(); got != 1 {
				t.Fatalf("block %d ran %d times", i, got)
			}
		}
		if depth := deepest.Load(); depth > 100 {
			t.Errorf("a block has %d calls below it", depth)
		}
	})
}

func TestGoexitIsAnError(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	for range 50 {
		done := make(chan error, 1)
		go func() {
			h := p.ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, _ int) {
				if lo == 5 {
					exit()
				}
			}), 10, 1)
			for !h.Done() {
				runtime.Gosched()
			}
			done <- h.Err()
		}()
		if err := <-done; !errors.Is(err, jobs.ErrExited) {
			t.Fatal(err)
		}
	}
}

func TestArguments(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(1))
	defer p.Close()
	for want, f := range map[string]func(){
		"jobs: Workers: n is 0: it counts the caller too, so 1 is the least; without the option there is one for each CPU": func() { jobs.Workers(0) },
		"jobs: Range: n is -1, grain is 1":                                     func() { p.Range(-1, 1, nil) },
		"jobs: ParallelFor: n is 1, grain is -3":                               func() { p.ParallelFor(&nothing{}, 1, -3) },
		"jobs: Scope.Begin: the scope is open":                                 func() { p.Scope(context.Background()).Begin(context.Background()) },
		"jobs: Scope.Schedule: the scope has ended":                            func() { s := p.Scope(context.Background()); s.End(); s.Schedule(&nothing{}) },
		"jobs: Schedule: the job is nil":                                       func() { p.Schedule(nil) },
		"jobs: ParallelFor: the job is nil":                                    func() { p.ParallelFor(nil, 1, 1) },
		"jobs: External: the job is nil":                                       func() { p.External(context.Background(), nil) },
		"jobs: ParallelForLater: the job is nil":                               func() { p.ParallelForLater(nil, new(int), 1) },
		"jobs: ParallelForLater: n is nil: it points to the number of indices": func() { p.ParallelForLater(&nothing{}, nil, 1) },
		"jobs: Task.Scratch: n is -2": func() {
			var pe *jobs.PanicError
			if err := p.Schedule(jobs.Func(func(t *jobs.Task) { t.Scratch(1); t.Scratch(-2) })).Wait(); errors.As(err, &pe) {
				panic(pe.Value)
			}
		},
		"jobs: ScheduleAt: the job is nil":                                        func() { p.ScheduleAt(jobs.High, nil) },
		"jobs: ScheduleHere: the job is nil":                                      func() { p.ScheduleHere(nil) },
		"jobs: ScheduleAt: priority is 2: there are Background, Normal, High":     func() { p.ScheduleAt(jobs.High+1, &nothing{}) },
		"jobs: ParallelForAt: priority is -2: there are Background, Normal, High": func() { p.ParallelForAt(jobs.Background-1, &nothing{}, 1, 1) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

// TestGoexitNamesTheLowestBlock checks that the error names the lowest of the blocks that end their
// goroutines.
func TestGoexitNamesTheLowestBlock(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		for first := range 40 {
			var ran [40]atomic.Int32
			loop := jobs.RangeFunc(func(_ *jobs.Task, lo, _ int) {
				ran[lo].Add(1)
				if lo >= first && lo%2 == first%2 {
					exit()
				}
			})
			var exited *jobs.ExitError
			if err := p.ParallelFor(loop, 40, 1).Wait(); !errors.As(err, &exited) {
				t.Fatalf("!errors.As(err, &exited): the first is %d: %v", first, err)
			} else if exited.Index != first {
				t.Fatalf("exited.Index is %v, want %v: the first is %d: %v", exited.Index, first, first, err)
			}
			for i := range ran {
				if n := ran[i].Load(); n != 1 {
					t.Errorf("the first is %d: block %d ran %d times", first, i, n)
				}
			}
		}
	})
}

// careful is a single job or a loop. It counts three kinds of bodies: bodies that began, bodies that returned,
// and bodies that did not return.
type careful struct {
	fails func(i int) func() // how the body of block i fails; nil if it does not
	worse bool               // the notification panics too

	at                   [64]atomic.Int32 // by worker: running bodies
	began, done, stopped atomic.Int32
}

func (j *careful) Run(t *jobs.Task) { j.RunRange(t, 0, 1) }

func (j *careful) RunRange(t *jobs.Task, lo, _ int) {
	j.began.Add(1)
	j.at[t.Worker()].Add(1)
	if f := j.fails(lo); f != nil {
		f()
	}
	j.at[t.Worker()].Add(-1)
	j.done.Add(1)
}

func (j *careful) NotReturned(worker int) {
	j.at[worker].Add(-1)
	j.stopped.Add(1)
	if j.worse {
		panic("worse")
	}
}

// TestUnfinished checks that a job is notified of each of its bodies that did not return. The call must
// be on the body's worker and before the job is done.
func TestUnfinished(t *testing.T) {
	limit(t)
	const n = 50
	boom := errors.New("boom")
	panics := func() { panic(boom) }
	for _, workers := range []int{1, 2, 8} {
		p := jobs.New(jobs.Workers(workers))
		for name, tc := range map[string]struct {
			fails func(i int) func()
			cause error
		}{
			"nothing": {func(int) func() { return nil }, nil},
			"one":     {func(i int) func() { return map[int]func(){17: panics}[i] }, boom},
			"first":   {func(i int) func() { return map[int]func(){0: panics}[i] }, boom},
			"all":     {func(int) func() { return panics }, boom},
		} {
			for _, worse := range []bool{false, true} {
				for _, single := range []bool{false, true} {
					j := &careful{fails: tc.fails, worse: worse}
					h, want := jobs.Handle{}, tc.cause
					if single {
						h = p.Schedule(j)
						if tc.fails(0) == nil {
							want = nil
						}
					} else {
						h = p.ParallelFor(j, n, 1)
					}
					if err := h.Wait(); !errors.Is(err, want) {
						t.Errorf("%s, %d workers: got %v, want %v", name, workers, err, want)
					} else if err != nil && !strings.Contains(string(err.(*jobs.PanicError).Stack), "(*careful).RunRange") {
						t.Errorf("%s: the stack does not show where it happened:\n%s", name, err.(*jobs.PanicError).Stack)
					}
					if j.began.Load() != j.done.Load()+j.stopped.Load() {
						t.Errorf("j.began.Load() != j.done.Load()+j.stopped.Load(): %s, %d workers: %d began, %d returned, %d did not", name, workers, j.began.Load(), j.done.Load(), j.stopped.Load())
					} else if (j.stopped.Load() > 0) != (h.Err() != nil) {
						t.Errorf("(j.stopped.Load() > 0) is %v, want %v: %s, %d workers: %d began, %d returned, %d did not", (j.stopped.Load() > 0), (h.Err() != nil), name, workers, j.began.Load(), j.done.Load(), j.stopped.Load())
					}
					for i := range j.at {
						if left := j.at[i].Load(); left != 0 {
							t.Errorf("%s: %d bodies of worker %d were not put away", name, left, i)
						}
					}
				}
			}
		}
		j := &careful{fails: func(int) func() { return runtime.Goexit }}
		done := make(chan bool)
		go func() { // the job may run here
			defer close(done)
			_ = p.Schedule(j).Wait()
		}()
		<-done
		_ = p.Schedule(&nothing{}).Wait()
		for j.stopped.Load() == 0 {
			runtime.Gosched()
		}
		p.Close()
	}
}

func TestDeadlocksAreErrors(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		for name, wait := range map[string]func(t *jobs.Task, h jobs.Handle) error{
			"Task.Wait":   func(t *jobs.Task, h jobs.Handle) error { return t.Wait(h) },
			"Handle.Wait": func(_ *jobs.Task, h jobs.Handle) error { return h.Wait() },
		} {
			// Here a job waits for a job that depends on it.
			hand := make(chan jobs.Handle, 1)
			var got error
			first := p.Schedule(&namedJob{Func: func(t *jobs.Task) { got = wait(t, <-hand) }, name: "first"})
			last := p.Schedule(&namedJob{Func: func(*jobs.Task) {}, name: "last"}, p.Schedule(&nothing{}, first))
			hand <- last
			var dead *jobs.DeadlockError
			if err := last.Wait(); err != nil {
				t.Errorf("err != nil: %s: %v, %v", name, err, got)
			} else if !errors.Is(got, jobs.ErrDeadlock) {
				t.Errorf("!errors.Is(got, jobs.ErrDeadlock): %s: %v, %v", name, err, got)
			} else if !errors.As(got, &dead) {
				t.Errorf("!errors.As(got, &dead): %s: %v, %v", name, err, got)
			} else if strings.Join(dead.Chain, " ") != "last jobs.nothing first" {
				t.Errorf("strings.Join(dead.Chain, \" \") != \"last jobs.nothing first\": %s: %v, %v", name, err, got)
			}
			// Here a child waits for its parent, and a block waits for its loop.
			var child, block error
			parent := p.Schedule(jobs.Func(func(t *jobs.Task) {
				self := <-hand
				t.Schedule(jobs.Func(func(t *jobs.Task) { child = wait(t, self) }))
			}))
			hand <- parent
			loop := p.ParallelFor(jobs.RangeFunc(func(t *jobs.Task, lo, _ int) {
				if lo == 7 {
					block = wait(t, <-hand)
				}
			}), 10, 1, parent)
			if err := parent.Wait(); err != nil {
				t.Errorf("err != nil: %s: child: %v, %v", name, err, child)
			} else if !errors.Is(child, jobs.ErrDeadlock) {
				t.Errorf("!errors.Is(child, jobs.ErrDeadlock): %s: child: %v, %v", name, err, child)
			}
			hand <- loop
			if err := loop.Wait(); err != nil {
				t.Errorf("err != nil: %s: block: %v, %v", name, err, block)
			} else if !errors.Is(block, jobs.ErrDeadlock) {
				t.Errorf("!errors.Is(block, jobs.ErrDeadlock): %s: block: %v, %v", name, err, block)
			}
		}
	})
}
