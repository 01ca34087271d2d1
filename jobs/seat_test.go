package jobs

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestGoroutineKeepsItsSeat: a goroutine that runs a job stays on its seat, also
// when a lower one becomes free.
func TestGoroutineKeepsItsSeat(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	begun, over, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		p.ScheduleHere(Func(func(*Task) { close(begun); <-over }))
		runHere(p)
		close(left)
	}()
	<-begun
	var own Handle
	var got error
	own = p.ScheduleHere(Func(func(task *Task) {
		if task.Worker() == 0 {
			t.Error("the first seat is not taken")
		}
		close(over)
		<-left
		if now := p.Caller().Task(); now != task {
			t.Errorf("the current task is %p, want %p", now, task)
		}
		got = own.Wait()
	}))
	runHere(p)
	if err := own.Wait(); err != nil || !errors.Is(got, ErrDeadlock) {
		t.Error(err, got)
	}
}

// TestSpuriousUnpark: a call that ends no sleep may reach a worker that sleeps
// for another reason. It goes on sleeping, and is counted once.
func TestSpuriousUnpark(t *testing.T) {
	limit(t)
	for _, parker := range []Option{func(*Pool) {}, Futex()} {
		p := New(Workers(2), parker)
		for range 5 {
			asleep(t, p)
			(*p.contexts.Load())[1].parker.Unpark()
			time.Sleep(time.Millisecond)
		}
		if n := p.lot.Count(); n != 1 {
			t.Errorf("of one worker %d are asleep", n)
		}
		h := p.Schedule(&nothing{})
		soon(t, "the job is done", h.Done)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWaitRunsItsLineAlone: of two lines the wait for one runs nothing of the
// other, also where slots were on a line before.
func TestWaitRunsItsLineAlone(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	wc := p.acquire()
	for round := range 50 {
		var ran [6]bool
		job := func(i int) *jobNode { return wc.newJob(Func(func(*Task) { ran[i] = true }), nil) }
		a := wc.submit(job(0), nil)
		a1 := wc.submit(job(1), []Handle{a})
		beside := wc.submit(job(2), []Handle{a}) // not the first
		b := wc.submit(job(3), nil)              // queued last
		b1 := wc.submit(job(4), []Handle{b})
		b2 := wc.submit(job(5), []Handle{b1})
		if wc.queue.lastJob != b || wc.queue.chainTail != b2 {
			t.Fatalf("round %d: the line from %v to %v, want %v to %v", round, wc.queue.lastJob, wc.queue.chainTail, b, b2)
		}
		until, want := b1, [6]bool{3: true, 4: true} // in the middle
		if round%2 == 1 {
			until, want = b2, [6]bool{3: true, 4: true, 5: true} // the end
		}
		if err := (&pendingWait{ctx: wc, target: until}).waitChain(); err != nil || ran != want {
			t.Fatalf("round %d: ran %v, want %v; %v", round, ran, want, err)
		}
		if err := waitAll([]Handle{beside, b2, a1}); err != nil || ran != [6]bool{true, true, true, true, true, true} {
			t.Fatalf("round %d: ran %v, %v", round, ran, err)
		}
		for _, node := range wc.free.nodes {
			if node.chained {
				t.Fatalf("round %d: a free slot is on a line", round)
			}
		}
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestPanicOnTheWayInLeavesTheSeat: a JobName that panics stops the call, and
// holds nothing.
func TestPanicOnTheWayInLeavesTheSeat(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	bad := &badName{}
	sc := p.Scope(context.Background())
	for name, f := range map[string]func(){
		"Pool.Schedule":         func() { p.Schedule(bad) },
		"Pool.ParallelFor":      func() { p.ParallelFor(bad, 5, 1) },
		"Pool.ParallelForLater": func() { p.ParallelForLater(bad, new(int), 1) },
		"Pool.ScheduleHere":     func() { p.ScheduleHere(bad) },
		"Scope.Schedule":        func() { sc.Schedule(bad) },
		"Scope.ParallelFor":     func() { sc.ParallelFor(bad, 5, 1) },
		"Pool.ScheduleAt":       func() { p.ScheduleAt(High, bad) },
		"Pool.ParallelForAt":    func() { p.ParallelForAt(High, bad, 5, 1) },
	} {
		func() {
			defer func() {
				if v := recover(); v != "no name" {
					t.Errorf("%s: panic %v", name, v)
				}
			}()
			f()
		}()
	}
	if err := sc.End(); err != nil {
		t.Error(err)
	}
	for _, wc := range *p.contexts.Load() {
		if g := wc.queue.holder.Load(); g != 0 {
			t.Errorf("seat %d is held", wc.index)
		}
	}
	if n := len(*p.contexts.Load()); n != 1 {
		t.Errorf("%d seats were needed", n)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// badName is a job whose name cannot be had.
type badName struct{ nothing }

func (*badName) JobName() string { panic("no name") }
