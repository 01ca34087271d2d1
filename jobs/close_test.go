package jobs

import (
	"context"
	"errors"
	"testing"
)

// TestCloseRunsWhatItsCallerOwns: a worker, an external job and a job behind others
// need what only the goroutine that closes the pool may run.
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
				if late { // it becomes ready only when Close sleeps
					gate = p.External(context.Background(), func(context.Context) error {
						soon(t, "Close is called", p.closed.Load)
						soon(t, "its caller sleeps", func() bool { return p.sleeps(Handle{}) })
						return nil
					})
				}
				me, ran := goroutineID(), uintptr(0)
				owned := p.ScheduleHere(Func(func(*Task) { ran = goroutineID() }), gate)
				h := need(p, owned)
				if name != "a job behind it" {
					soon(t, name+" waits", func() bool { return p.sleeps(owned) })
				}
				if err := p.Close(); err != nil || ran != me || !h.Done() || h.Err() != nil {
					t.Errorf("for %s: ran on %x, want %x; done: %v, %v; %v", name, ran, me, h.Done(), h.Err(), err)
				}
			}
		}
	}
}

// sleeps reports whether a goroutine sleeps until h is done.
func (p *Pool) sleeps(h Handle) bool {
	return p.waiters.Has(h)
}

// TestCloseWaitsForAnOwner: a worker waits for a job of a goroutine that comes to run
// it only when the pool is being closed.
func TestCloseWaitsForAnOwner(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	hand, gone := make(chan Handle), make(chan struct{})
	go func() {
		defer close(gone)
		hand <- p.ScheduleHere(&nothing{})
		soon(t, "Close sleeps", func() bool { return p.sleeps(Handle{}) })
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
	soon(t, "the worker waits", func() bool { return p.sleeps(owned) })
	if err := p.Close(); err != nil || !h.Done() {
		t.Error(h.Done(), err)
	}
	<-gone
}

// TestCloseRunsWhatExternalsNeed: an external job blocks until a job has run that
// becomes ready only when the workers are gone.
func TestCloseRunsWhatExternalsNeed(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	ran := make(chan struct{})
	blocked := p.External(context.Background(), func(context.Context) error { <-ran; return nil })
	gate := p.External(context.Background(), func(context.Context) error {
		soon(t, "the workers are gone", p.goroutines.allGone)
		return nil
	})
	p.Schedule(Func(func(*Task) { close(ran) }), gate)
	for _, h := range []Handle{blocked, gate} {
		soon(t, "the external jobs run", func() bool { return h.node.word.Load()&phaseMask == phaseRunning })
	}
	if err := p.Close(); err != nil || !blocked.Done() {
		t.Error(blocked.Done(), err)
	}
}

// TestCloseTellsOfAnOwnerGone: nothing runs that waits for the job of a goroutine that
// has ended.
func TestCloseTellsOfAnOwnerGone(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	hand := make(chan Handle)
	go func() { hand <- p.ScheduleHere(&nothing{}) }()
	p.Schedule(&nothing{}, <-hand)
	const want = "jobs: jobs.nothing is not done, nor is 1 other: wait for its handle"
	var leak *LeakError
	if err := p.Close(); !errors.As(err, &leak) || leak.Count != 2 || leak.Error() != want {
		t.Errorf("%v, want two jobs that leak: %s", err, want)
	}
}

// TestLeakNamesTheOldest: of jobs that wait for another pool, where all slots of others
// have failed or been used.
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
	if err := p.Close(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := errors.Join(gate.Wait(), other.Close()); err != nil {
		t.Error(err)
	}
}
