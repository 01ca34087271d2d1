package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestJobsScheduleOnTheirScope checks that End also waits for jobs that the scope's jobs schedule on
// it while End waits.
func TestJobsScheduleOnTheirScope(t *testing.T) {
	limit(t)
	boom := errors.New("boom")
	pools(t, func(t *testing.T, p *jobs.Pool) {
		sc := p.Scope(context.Background())
		sc.End()
		for range 5 {
			sc.Begin(context.Background())
			ran := 0
			var next func(*jobs.Task)
			next = func(*jobs.Task) {
				if ran++; ran < 200 {
					sc.Schedule(jobs.Func(next))
				} else {
					panic(boom)
				}
			}
			sc.Schedule(jobs.Func(next))
			if err := sc.End(); !errors.Is(err, boom) {
				t.Errorf("!errors.Is(err, boom): %d of 200 ran, %v", ran, err)
			} else if ran != 200 {
				t.Errorf("ran != 200: %d of 200 ran, %v", ran, err)
			}
		}
	})
}

// TestWaitAllInAnyOrder gives WaitAll jobs of two pools that depend on each other, in any order.
// WaitAll must wait for every job, and must return the errors in the order of the list.
func TestWaitAllInAnyOrder(t *testing.T) {
	limit(t)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		pools := []*jobs.Pool{jobs.New(jobs.Workers(1 + r.IntN(4))), jobs.New(jobs.Workers(1 + r.IntN(4)))}
		list := make([]jobs.Handle, 1, 60) // the first is the zero Handle
		for range 20 + r.IntN(20) {
			p, after := pools[min(r.IntN(8), 1)], list[:0:0]
			for range r.IntN(3) {
				after = append(after, list[max(len(list)-1-r.IntN(4), 0)])
			}
			switch r.IntN(12) {
			case 0:
				boom := fmt.Errorf("job %d", len(list))
				list = append(list, p.External(context.Background(), func(context.Context) error { return boom }, after...))
			case 1:
				list = append(list, p.ScheduleHere(&nothing{}, after...))
			case 2, 3, 4:
				list = append(list, p.ParallelFor(jobs.RangeFunc(func(*jobs.Task, int, int) {}), r.IntN(9), 1, after...))
			default:
				list = append(list, p.Schedule(&nothing{}, after...))
			}
		}
		list = append(list, list[r.IntN(len(list))], list[r.IntN(len(list))])
		if seed%2 == 1 {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		got := jobs.WaitAll(list...)
		var want []error
		for i, h := range list {
			if !h.Done() {
				t.Errorf("seed %d: job %d of the list is not done", seed, i)
			}
			if err := h.Err(); err != nil && !slices.Contains(want, err) {
				want = append(want, err)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(errors.Join(want...)) {
			t.Errorf("seed %d: the error is %v, want %v", seed, got, want)
		}
		for _, p := range pools {
			if err := p.Close(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
}

// TestWaitAllTellsOnce checks that WaitAll reports an error that several jobs carry only once, even if
// another error comes between.
func TestWaitAllTellsOnce(t *testing.T) {
	limit(t)
	first, second := errors.New("first"), errors.New("second")
	pools(t, func(t *testing.T, p *jobs.Pool) {
		fail := func(err error, after ...jobs.Handle) jobs.Handle {
			return p.External(context.Background(), func(context.Context) error { return err }, after...)
		}
		a, b := fail(first), fail(second)
		err := jobs.WaitAll(a, b, fail(nil, a), fail(nil, b), fail(nil, a), jobs.Handle{})
		if err == nil {
			t.Errorf("err is nil: %q", err)
		} else if err.Error() != "first\nsecond" {
			t.Errorf("err.Error() is %v, want %q: %q", err.Error(), "first\nsecond", err)
		}
	})
}

type key struct{}

func TestExternal(t *testing.T) {
	limit(t)
	boom := errors.New("boom")
	pools(t, func(t *testing.T, p *jobs.Pool) {
		ctx := context.WithValue(context.Background(), key{}, 7)
		sc := p.Scope(ctx)
		order := make(chan int, 10)
		first := sc.Schedule(jobs.Func(func(*jobs.Task) { order <- 1 }))
		out := p.External(ctx, func(ctx context.Context) error {
			order <- 2
			if ctx.Value(key{}) != 7 {
				return errors.New("another context")
			}
			return nil
		}, first)
		sc.Schedule(jobs.Func(func(*jobs.Task) { order <- 3 }), out)
		if err := sc.End(); err != nil {
			t.Errorf("out of order: err is %v, want nil", err)
		} else if <-order != 1 {
			t.Errorf("out of order: <-order != 1; err is %v", err)
		} else if <-order != 2 {
			t.Errorf("out of order: <-order != 2; err is %v", err)
		} else if <-order != 3 {
			t.Errorf("out of order: <-order != 3; err is %v", err)
		}
		bad := p.External(context.Background(), func(context.Context) error { return boom })
		skipped := p.Schedule(jobs.Func(func(*jobs.Task) { order <- 4 }), bad)
		if err := skipped.Wait(); err != boom {
			t.Errorf("err is %v, want %v; len(order) is %v", err, boom, len(order))
		} else if len(order) != 0 {
			t.Errorf("len(order) is %v, want 0; err is %v", len(order), err)
		}
		var pe *jobs.PanicError
		if err := p.External(context.Background(), func(context.Context) error { panic("help") }).Wait(); !errors.As(err, &pe) {
			t.Errorf("!errors.As(err, &pe); err is %v", err)
		} else if pe.Value != "help" {
			t.Errorf("pe.Value is %v, want %q; err is %v", pe.Value, "help", err)
		} else if pe.Job == "" {
			t.Errorf("pe.Job is %v; err is %v", pe.Job, err)
		}
		if err := p.External(context.Background(), func(context.Context) error { exit(); return nil }).Wait(); !errors.Is(err, jobs.ErrExited) {
			t.Error(err)
		}
	})
}

func TestExternalIsNotBegunWhenCancelled(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h := p.External(ctx, func(context.Context) error { return errors.New("begun") })
	if err := h.Wait(); err != context.Canceled {
		t.Error(err)
	}
	if err := p.Schedule(&nothing{}, h).Wait(); err != context.Canceled {
		t.Errorf("behind it: %v", err)
	}
}

// TestWithoutContext checks that a call with a nil context panics at once. If the context were first
// used on a worker, the panic would end the program.
func TestWithoutContext(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	var none context.Context
	for fn, do := range map[string]func(){
		"External":    func() { p.External(none, func(context.Context) error { return nil }) },
		"Scope.Begin": func() { p.Scope(none) },
	} {
		func() {
			defer func() {
				if v, want := recover(), "jobs: "+fn+": the context is nil: pass context.Background()"; v != want {
					t.Errorf("%s: %v, want the panic %q", fn, v, want)
				}
			}()
			do()
		}()
		if err := p.Schedule(&nothing{}).Wait(); err != nil {
			t.Errorf("after %s: %v", fn, err)
		}
	}
}

func TestBackgroundLeavesWorkersFree(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(9)) // two of eight may run background jobs
	defer p.Close()
	var now, most atomic.Int32
	gate := make(chan struct{})
	release := sync.OnceFunc(func() { close(gate) })
	defer release()
	sc := p.Scope(context.Background())
	slow := jobs.Func(func(*jobs.Task) {
		n := now.Add(1)
		for old := most.Load(); old < n && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-gate
		now.Add(-1)
	})
	for range 6 {
		p.ScheduleAt(jobs.Background, slow)
	}
	soon(t, "background jobs run", func() bool { return now.Load() == 2 })
	var n atomic.Int32
	if err := p.Range(100, 1, func(lo, hi int) { n.Add(1) }); err != nil {
		t.Errorf("err != nil: %d of 100, %v", n.Load(), err)
	} else if n.Load() != 100 {
		t.Errorf("n.Load() != 100: %d of 100, %v", n.Load(), err)
	}
	if got := most.Load(); got != 2 {
		t.Errorf("%d background jobs ran at a time", got)
	}
	release()
	if err := sc.End(); err != nil {
		t.Error(err)
	}
}

// TestBackgroundBehindOthers checks that background jobs leave workers free even if they become ready
// after normal jobs.
func TestBackgroundBehindOthers(t *testing.T) {
	limit(t)
	p := jobs.New(jobs.Workers(9)) // two of eight may run background jobs
	var now, most atomic.Int32
	gate := make(chan struct{})
	body, release := held()
	root := p.Schedule(body)
	slow := jobs.Func(func(*jobs.Task) {
		n := now.Add(1)
		for old := most.Load(); old < n && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-gate
		now.Add(-1)
	})
	var all []jobs.Handle
	var normal []jobs.Handle
	for range 20 {
		h := p.Schedule(&nothing{}, root)
		normal = append(normal, h)
		all = append(all, p.ScheduleAt(jobs.Background, slow, h))
	}
	release()
	soon(t, "the normal jobs are done", func() bool {
		return !slices.ContainsFunc(normal, func(h jobs.Handle) bool { return !h.Done() })
	})
	soon(t, "background jobs run", func() bool { return now.Load() >= 2 })
	var n atomic.Int32
	if err := p.Range(100, 1, func(lo, hi int) { n.Add(1) }); err != nil {
		t.Errorf("err != nil: %d of 100, %v", n.Load(), err)
	} else if n.Load() != 100 {
		t.Errorf("n.Load() != 100: %d of 100, %v", n.Load(), err)
	}
	close(gate)
	soon(t, "all are done", func() bool {
		return !slices.ContainsFunc(all, func(h jobs.Handle) bool { return !h.Done() })
	})
	if got := most.Load(); got != 2 {
		t.Errorf("%d background jobs ran at a time", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestPriorityLoopsAndChildren(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *jobs.Pool) {
		for _, pr := range []jobs.Priority{jobs.Background, jobs.Normal, jobs.High} {
			var n atomic.Int32
			h := p.ParallelForAt(pr, jobs.RangeFunc(func(t *jobs.Task, lo, hi int) {
				t.Schedule(jobs.Func(func(*jobs.Task) { n.Add(1) }))
				n.Add(int32(hi - lo))
			}), 100, 3)
			after := p.ScheduleAt(pr, &nothing{}, h)
			if err := after.Wait(); err != nil {
				t.Errorf("err != nil: priority %d: %d of 134, %v", pr, n.Load(), err)
			} else if n.Load() != 134 {
				t.Errorf("n.Load() != 134: priority %d: %d of 134, %v", pr, n.Load(), err)
			}
		}
	})
}
