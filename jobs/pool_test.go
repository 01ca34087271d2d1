package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// Conformance: 236
func TestRangeRunsEachIndexOnce(t *testing.T) {
	limit(t)
	for _, workers := range []int{1, 2, 3, 8, 64} {
		p := New(Workers(workers))
		for _, n := range []int{0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 1000} {
			for _, grain := range []int{0, 1, 2, 3, 7, n + 1} {
				hits := make([]int32, n)
				err := p.Range(n, grain, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						hits[i]++
					}
				})
				for i, h := range hits {
					if h != 1 {
						t.Fatalf("workers %d, n %d, grain %d: index %d ran %d times", workers, n, grain, i, h)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPanicNamesBlockAndSkipsDependants(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	h := p.ParallelFor(RangeFunc(func(_ *Task, lo, _ int) {
		if lo == 20 || lo == 40 {
			panic("boom")
		}
	}), 100, 10)
	ran := false
	after := p.Schedule(Func(func(*Task) { ran = true }), h)
	var pe *PanicError
	if err := after.Wait(); !errors.As(err, &pe) || pe.Index != 20 || ran {
		t.Fatalf("err is %v, ran is %v", err, ran)
	}
}

// TestCloseByItsOwn: a pool is not closed by jobs for which Close would wait.
func TestCloseByItsOwn(t *testing.T) {
	limit(t)
	closes := func(p *Pool) (v any) {
		defer func() { v = recover() }()
		_ = p.Close()
		return nil
	}
	barks := make(chan any, 1)
	var p *Pool
	made := make(chan struct{})
	p = New(Workers(2), Watchdog(4*time.Millisecond, func(LiveJobs) {
		<-made
		select {
		case barks <- closes(p):
		default:
		}
	}))
	close(made)
	got := map[string]any{}
	var h Handle
	h = p.Schedule(Func(func(*Task) { got["a worker"] = closes(p) }))
	soon(t, "the worker has run the job", h.Done)
	if err := p.External(context.Background(), func(context.Context) error { got["an external job"] = closes(p); return nil }).Wait(); err != nil {
		t.Error(err)
	}
	callers := []string{"a worker", "an external job", "the watchdog", "a caller"}
	p.ScheduleHere(Func(func(*Task) { got["a caller"] = closes(p) }))
	runHere(p)
	body, release := held()
	h = p.Schedule(body)
	got["the watchdog"] = <-barks
	release()
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
	for _, caller := range callers {
		if s, _ := got[caller].(string); !strings.HasPrefix(s, "jobs: Pool.Close: called by a job") {
			t.Errorf("%s: %v", caller, got[caller])
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if v := closes(p); v != nil {
		t.Errorf("again: %v", v)
	}
}
