package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestLowestPanicIsReported: each block runs once, up to its own failure, whichever of the others fail.
func TestLowestPanicIsReported(t *testing.T) {
	limit(t)
	const n = 60
	for _, workers := range []int{1, 2, 3, 8, 64} {
		for seed := range uint64(3) {
			grain := 1 + int(seed)
			p := New(Workers(workers), seeded(seed))
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
				var pe *PanicError
				if !errors.As(err, &pe) || pe.Value != first || pe.Index != first/grain*grain || len(pe.Stack) == 0 {
					t.Fatalf("workers %d, seed %d, panic at %d: %v", workers, seed, first, err)
				}
				failed := false // in the block of i
				for i := range n {
					if failed = failed && i%grain != 0; ran[i].Load() != 1 && !failed || ran[i].Load() != 0 && failed {
						t.Fatalf("workers %d, grain %d, panic at %d: index %d ran %d times", workers, grain, first, i, ran[i].Load())
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
		p := New(Workers(workers))
		bad := p.Schedule(Func(func(*Task) { panic(boom) }))
		good := p.Schedule(&nothing{})
		both := Combine(good, bad, p.Schedule(Func(func(*Task) { panic("later") })))
		ran := false
		after := p.Schedule(Func(func(*Task) { ran = true }), both)
		if err := after.Wait(); !errors.Is(err, boom) || ran || after.Err() != err || bad.Err() == nil {
			t.Fatalf("workers %d: %v, %v", workers, err, ran)
		}
		late := p.Schedule(Func(func(*Task) { ran = true }), bad)
		if err := late.Wait(); !errors.Is(err, boom) || ran {
			t.Fatalf("workers %d: %v, %v", workers, err, ran)
		}
		parent := p.Schedule(Func(func(t *Task) {
			t.Schedule(&nothing{})
			t.Schedule(Func(func(*Task) { panic(boom) }))
			t.Schedule(Func(func(*Task) { panic("second") }))
		}))
		if err := parent.Wait(); !errors.Is(err, boom) {
			t.Fatalf("workers %d: %v", workers, err)
		}
		p.Close()
	}
}

// TestPanicNamesABlockOfALoop: a job that is no loop has none.
func TestPanicNamesABlockOfALoop(t *testing.T) {
	limit(t)
	for _, workers := range counts {
		p := New(Workers(workers))
		boom := func(int, int) { panic("boom") }
		single := p.Schedule(&namedJob{Func: func(*Task) { panic("boom") }, name: "single"}).Wait()
		loop := p.ParallelFor(&namedBoom{}, 10, 1).Wait()
		outside := p.External(context.Background(), func(context.Context) error { panic("boom") }).Wait()
		for want, err := range map[string]error{
			"jobs: single: panic: boom":                       single,
			"jobs: loop: panic in the block at index 0: boom": loop,
			": panic: boom":                                   outside,
			": panic in the block at index 0: boom":           p.Range(1, 1, boom),
		} {
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

type namedBoom struct{}

func (*namedBoom) JobName() string          { return "loop" }
func (*namedBoom) RunRange(*Task, int, int) { panic("boom") }

func TestCancelStopsAtJobBorders(t *testing.T) {
	limit(t)
	cause := errors.New("enough")
	for _, workers := range []int{1, 2, 3, 8} {
		p := New(Workers(workers))
		for border := range 20 {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			sc := p.Scope(ctx)
			var h Handle
			var ran [20]int
			var seen bool
			handles := make([]Handle, 20)
			for i := range handles {
				h = sc.ParallelFor(RangeFunc(func(t *Task, lo, hi int) {
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
			if err := sc.End(); err != cause && border < 19 || border == 19 && err != nil || !seen {
				t.Fatalf("workers %d, border %d: %v, %v", workers, border, err, seen)
			}
			for i, n := range ran {
				want, wantErr := 1, error(nil)
				if i > border {
					want, wantErr = 0, cause
				}
				if n != want || handles[i].Err() != wantErr {
					t.Fatalf("workers %d, border %d: job %d ran its last block %d times, error %v", workers, border, i, n, handles[i].Err())
				}
			}
		}
		p.Close()
	}
}

func TestReduceHasTheSameBits(t *testing.T) {
	limit(t)
	var want float32
	for i, workers := range []int{1, 2, 3, 8, 64} {
		for seed := range uint64(4) {
			p := New(Workers(workers), seeded(seed))
			got, err := Reduce(p, 100_000, func(lo, hi int) (sum float32) {
				for i := lo; i < hi; i++ {
					sum += 1 / float32(i+1)
				}
				return sum
			}, func(a, b float32) float32 { return a + b })
			if i == 0 && seed == 0 {
				want = got
			}
			if got != want || err != nil {
				t.Errorf("workers %d: %v, want %v; error %v", workers, got, want, err)
			}
			if zero, err := Reduce(p, 0, func(lo, hi int) int { return 1 }, func(a, b int) int { return a + b }); zero != 0 || err != nil {
				t.Errorf("nothing: %v, %v", zero, err)
			}
			p.Close()
		}
	}
}

// TestReduceJoinsInOrder: with parts whose order and grouping show.
func TestReduceJoinsInOrder(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
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
			if got != want || err != nil {
				t.Errorf("n %d: %s, want %s; %v", n, got, want, err)
			}
		}
	})
}

// TestBlocksAboveAFailureRun: on the only seat that runs a loop, opened to others or
// not, with few or many blocks taken at a time, each block runs once, though all above one fail.
func TestBlocksAboveAFailureRun(t *testing.T) {
	limit(t)
	for i := range 4 {
		workers, level := 1+i%2, []Level{Check, Panic}[i/2]
		for _, cost := range []int64{0, 1, 50 << 8, 1000 << 8} { // of a block, as the pool believes
			for name, fail := range map[string]func(){"panic": func() { panic("boom") }, "Goexit": exit} {
				p := New(Workers(workers), Safety(level))
				body, release := held()
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
					if index, failed := failedAt(<-left); !failed || index != first {
						t.Errorf("%s at %d, cost %d, workers %d: the error is of %d", name, first, cost, workers, index)
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

// failedAt is the first index of the block that an error is of.
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

// TestManyBlocksExit: the blocks of a loop that all end their goroutines leave nothing on the stack
// of the next, and a worker that is ending runs those that are left.
func TestManyBlocksExit(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		const n = 2000
		var ran [n]atomic.Int32
		var deepest atomic.Int64
		h := p.ParallelFor(RangeFunc(func(_ *Task, lo, _ int) {
			if ran[lo].Add(1); lo%16 == 0 {
				pcs := make([]uintptr, 1000)
				depth := int64(runtime.Callers(0, pcs))
				for old := deepest.Load(); depth > old && !deepest.CompareAndSwap(old, depth); old = deepest.Load() {
				}
			}
			exit()
		}), n, 1)
		for end := time.Now().Add(20 * time.Millisecond); !h.Done() && time.Now().Before(end); { // a worker may come first
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

// TestSameHash runs steps that depend on each other over some rows, with loops,
// children and a reduction, and hashes what comes out.
func TestSameHash(t *testing.T) {
	limit(t)
	const rows, steps = 300, 10
	var want uint64
	for i, workers := range counts {
		for seed := range uint64(3) {
			p := New(Workers(workers), seeded(seed))
			sc := p.Scope(context.Background())
			var from, to, byChild [rows]uint64
			var last Handle
			for step := range uint64(steps) {
				last = sc.ParallelFor(RangeFunc(func(t *Task, lo, hi int) {
					for k := lo; k < hi; k++ {
						to[k] = from[k]*31 + from[(k+1)%rows] + step + uint64(k)
					}
					t.Schedule(Func(func(*Task) { byChild[lo] += to[lo] }))
				}), rows, 1+int(step), last)
				last = sc.Schedule(Func(func(*Task) { from, to = to, from }), last)
			}
			if err := sc.End(); err != nil {
				t.Fatal(err)
			}
			got, err := Reduce(p, rows, func(lo, hi int) (sum uint64) {
				for k := lo; k < hi; k++ {
					sum = sum*1099511628211 ^ from[k] ^ byChild[k]
				}
				return sum
			}, func(a, b uint64) uint64 { return a*1099511628211 ^ b })
			if i == 0 && seed == 0 {
				want = got
			}
			if got != want || err != nil || want == 0 {
				t.Errorf("workers %d, seed %d: hash %#x, want %#x; %v", workers, seed, got, want, err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestGoexitIsAnError(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	for range 50 {
		done := make(chan error, 1)
		go func() {
			h := p.ParallelFor(RangeFunc(func(_ *Task, lo, _ int) {
				if lo == 5 {
					exit()
				}
			}), 10, 1)
			for !h.Done() {
				runtime.Gosched()
			}
			done <- h.Err()
		}()
		if err := <-done; !errors.Is(err, ErrExited) {
			t.Fatal(err)
		}
	}
}

func TestArguments(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	for want, f := range map[string]func(){
		"jobs: Workers: n is 0: it counts the caller too, so 1 is the least; without the option there is one for each CPU": func() { Workers(0) },
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
			var pe *PanicError
			if err := p.Schedule(Func(func(t *Task) { t.Scratch(1); t.Scratch(-2) })).Wait(); errors.As(err, &pe) {
				panic(pe.Value)
			}
		},
		"jobs: ScheduleAt: the job is nil":                                        func() { p.ScheduleAt(High, nil) },
		"jobs: ScheduleHere: the job is nil":                                      func() { p.ScheduleHere(nil) },
		"jobs: ScheduleAt: priority is 2: there are Background, Normal, High":     func() { p.ScheduleAt(High+1, &nothing{}) },
		"jobs: ParallelForAt: priority is -2: there are Background, Normal, High": func() { p.ParallelForAt(Background-1, &nothing{}, 1, 1) },
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

func exit() { runtime.Goexit() }
