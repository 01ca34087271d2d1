package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// thrown is what f panics with.
func thrown(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// scheduling is everything that schedules on a pool, by the name in its panics.
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
			if got, want := thrown(f), "jobs: "+fn+": the pool is closed: schedule before Close, or on another pool"; got != want {
				t.Errorf("%d workers: %s panics with %v, want %s", workers, name, got, want)
			}
		}
		// What was scheduled before can be used.
		var pe *PanicError
		if err := Combine(well, bad, worse).Wait(); !errors.As(err, &pe) || well.Wait() != nil || runHere(p) != 0 {
			t.Errorf("%d workers: %v, %v", workers, err, well.Err())
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

// TestLiveJobsOutliveClose: while Close waits, and after it where a goroutine waits for
// a job and runs it, jobs schedule what they need to end.
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
				soon(t, "the pool takes no more jobs", func() bool { return !p.accepting.Load() })
				inside(task)
			})).Wait()
		}()
		<-begun
		external := p.External(context.Background(), func(context.Context) error {
			soon(t, "Close is called", closing)
			return errors.Join(p.Schedule(Func(inside)).Wait(), p.Range(100, 1, func(int, int) {}))
		})
		worker := p.Schedule(Func(func(task *Task) {
			soon(t, "Close is called", closing)
			inside(task)
		}))
		if err := p.Close(); err != nil || external.Err() != nil || !worker.well() {
			t.Errorf("%d workers: %v, %v, %v", workers, err, external.Err(), worker.Err())
		}
		if err := <-waited; err != nil {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

// TestScheduleWhileClosing: what comes while Close runs is taken, or panics.
func TestScheduleWhileClosing(t *testing.T) {
	limit(t)
	for range 20 {
		p := New(Workers(2))
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				for range 1000 { // Close waits for a moment in which there is nothing to do
					ran := false
					var err error
					if v := thrown(func() { err = p.Schedule(Func(func(*Task) { ran = true })).Wait() }); v != nil {
						if !strings.HasPrefix(fmt.Sprint(v), "jobs: Schedule: the pool is closed") {
							t.Error(v)
						}
						return
					}
					if err != nil || !ran {
						t.Errorf("ran: %v, %v", ran, err)
						return
					}
				}
			})
		}
		if err := p.Close(); err != nil {
			var leak *LeakError // of a job that came after the last look
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
	if v := fmt.Sprint(thrown(func() { _ = p.Close() })); !strings.HasPrefix(v, "jobs: Pool.Close: the default pool is never closed") {
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
		if got, want := thrown(f), "jobs: "+fn+": the pool is a zero Pool: make one with jobs.New"; got != want {
			t.Errorf("%s panics with %v, want %s", name, got, want)
		}
	}
}
