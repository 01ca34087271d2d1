package jobs

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestOwnerJobsRunOnTheirGoroutine(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		me := goroutineID()
		sc := p.Scope(context.Background())
		for range 30 {
			where := [2]uintptr{}
			first := sc.Schedule(&nothing{})
			here := p.ScheduleHere(Func(func(*Task) { where[0] = goroutineID() }), first)
			then := sc.ParallelFor(&nothing{}, 10, 1, here)
			again := p.ScheduleHere(Func(func(*Task) { where[1] = goroutineID() }), then)
			done := sc.Schedule(&nothing{}, again)
			if err := done.Wait(); err != nil || where != [2]uintptr{me, me} {
				t.Fatalf("ran on goroutines %x, want %x; error %v", where, me, err)
			}
		}
		ran := false
		h := p.ScheduleHere(Func(func(*Task) { ran = true }))
		if n := runHere(p); n != 1 || !ran || !h.Done() {
			t.Errorf("%d jobs were run", n)
		}
		boom := errors.New("boom")
		bad := p.ScheduleHere(Func(func(*Task) { panic(boom) }))
		sc.Schedule(&nothing{}, bad)
		if err := sc.End(); !errors.Is(err, boom) || bad.Err() != err {
			t.Error(err)
		}
	})
}

func TestOwnerOnAnotherGoroutine(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	// The job belongs to a goroutine that comes to wait only after this one.
	hand, gate, got := make(chan Handle), make(chan struct{}), make(chan uintptr, 2)
	go func() {
		h := p.ScheduleHere(Func(func(*Task) { got <- goroutineID() }))
		got <- goroutineID()
		hand <- h
		<-gate
		h.Wait()
	}()
	h := <-hand
	waited := make(chan error)
	go func() { waited <- h.Wait() }()
	close(gate)
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	if a, b := <-got, <-got; a != b {
		t.Errorf("ran on %x, want %x", b, a)
	}
}

// A job that a worker owns becomes ready while the worker sleeps.
func TestWorkerOwnsJob(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	var owned atomic.Pointer[Handle]
	gate := make(chan struct{})
	p.Schedule(Func(func(*Task) {
		h := p.ScheduleHere(&nothing{}, p.External(context.Background(), func(context.Context) error { <-gate; return nil }))
		owned.Store(&h)
	}))
	soon(t, "a worker runs the job", func() bool { return owned.Load() != nil })
	soon(t, "the worker sleeps", func() bool { return p.lot.Count() == 1 })
	close(gate)
	soon(t, "the owned job is done", func() bool { return owned.Load().Done() })
}
