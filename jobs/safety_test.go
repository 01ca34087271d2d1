package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func access(read, write, where []int) *Access {
	a := new(Access)
	for _, id := range read {
		a.Read.Add(id)
	}
	for _, id := range write {
		a.Write.Add(id)
	}
	for _, id := range where {
		a.Where.Add(id)
	}
	return a
}

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

func TestConflictIsFound(t *testing.T) {
	limit(t)
	for _, level := range []Level{Check, Off, Panic} {
		p := New(Workers(3), Safety(level))
		body, release := held()
		var tr Tracker
		write := access(nil, []int{3}, nil)
		first := p.Schedule(&namedJob{Func: body, name: "first"})
		if err := tr.AddOrdered(write, first); err != nil {
			t.Error(err)
		}
		behind := p.Schedule(&nothing{}, p.Schedule(&nothing{}, first))
		if err := tr.AddOrdered(write, behind); err != nil {
			t.Errorf("level %d: ordered through a third job: %v", level, err)
		}
		apart := p.Schedule(&namedJob{Func: func(*Task) {}, name: "apart"}, first)
		elsewhere := access([]int{3}, nil, []int{9})
		err, thrown := error(nil), any(nil)
		func() {
			defer func() { thrown = recover() }()
			err = tr.AddOrdered(elsewhere, apart)
		}()
		if level == Panic {
			err, _ = thrown.(error)
		}
		var ce *ConflictError
		if level == Off {
			if err != nil || thrown != nil {
				t.Error(err, thrown)
			}
		} else if !errors.As(err, &ce) || ce.Job != "apart" || ce.Component != 3 || !strings.Contains(ce.Error(), "nothing orders them") {
			t.Errorf("level %d: %v", level, err)
		}
		release()
		if err := tr.WaitAll(); err != nil {
			t.Error(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

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
			if (p.book != nil && i == leakScopes) != errors.As(err, &leak) {
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
		if !errors.As(err, &leak) || leak.Count != 1 || p.book != nil && leak.Job != "orphan" {
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
			if name == "Handle.Wait" && goroutine() == 0 {
				continue // goroutines cannot be told apart here
			}
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
