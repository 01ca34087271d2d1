package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// held returns a job that runs until release is called.
func held() (job Func, release func()) {
	gate := make(chan struct{})
	return func(*Task) { <-gate }, func() { close(gate) }
}

type namedJob struct {
	Func
	name string
}

func (j *namedJob) JobName() string { return j.name }

func TestLeaksAreReported(t *testing.T) {
	limit(t)
	for _, opts := range [][]Option{{Safety(Check)}, {Safety(Panic)}, {Watchdog(time.Hour, func(LiveJobs) {})}} {
		p := New(append(opts, Workers(2))...)
		hand := make(chan Handle)
		go func() { hand <- p.ScheduleHere(&namedJob{Func: func(*Task) {}, name: "orphan"}) }()
		<-hand
		var leak *LeakError
		for i := range leakScopes + 2 {
			err := p.Scope(context.Background()).End()
			if (p.live != nil && i == leakScopes) != errors.As(err, &leak) {
				t.Errorf("scope %d: %v", i, err)
			}
		}
		err := error(nil)
		func() {
			defer func() {
				if v := recover(); v != nil {
					err = v.(error)
				}
			}()
			err = p.Close()
		}()
		if !errors.As(err, &leak) || leak.Count != 1 || p.live != nil && leak.Job != "orphan" {
			t.Errorf("%v", err)
		}
		if p.level == Panic && !strings.Contains(err.Error(), "safety_test.go:") {
			t.Errorf("no site: %v", err)
		}
	}
	p := New(Workers(1), Safety(Off))
	hand := make(chan Handle)
	go func() { hand <- p.ScheduleHere(&nothing{}) }()
	<-hand
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeadlocksAreErrors(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		for name, wait := range map[string]func(t *Task, h Handle) error{
			"Task.Wait":   func(t *Task, h Handle) error { return t.Wait(h) },
			"Handle.Wait": func(_ *Task, h Handle) error { return h.Wait() },
		} {
			// A job waits for one that comes after it.
			hand := make(chan Handle, 1)
			var got error
			first := p.Schedule(&namedJob{Func: func(t *Task) { got = wait(t, <-hand) }, name: "first"})
			last := p.Schedule(&namedJob{Func: func(*Task) {}, name: "last"}, p.Schedule(&nothing{}, first))
			hand <- last
			var dead *DeadlockError
			if err := last.Wait(); err != nil || !errors.Is(got, ErrDeadlock) || !errors.As(got, &dead) ||
				strings.Join(dead.Chain, " ") != "last jobs.nothing first" {
				t.Errorf("%s: %v, %v", name, err, got)
			}
			// A child waits for its parent, a block for its loop.
			var child, block error
			parent := p.Schedule(Func(func(t *Task) {
				self := <-hand
				t.Schedule(Func(func(t *Task) { child = wait(t, self) }))
			}))
			hand <- parent
			loop := p.ParallelFor(RangeFunc(func(t *Task, lo, _ int) {
				if lo == 7 {
					block = wait(t, <-hand)
				}
			}), 10, 1, parent)
			if err := parent.Wait(); err != nil || !errors.Is(child, ErrDeadlock) {
				t.Errorf("%s: child: %v, %v", name, err, child)
			}
			hand <- loop
			if err := loop.Wait(); err != nil || !errors.Is(block, ErrDeadlock) {
				t.Errorf("%s: block: %v, %v", name, err, block)
			}
		}
	})
}
