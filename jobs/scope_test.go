package jobs

import (
	"context"
	"errors"
	"testing"
)

// TestJobsScheduleOnTheirScope: End waits also for what the jobs of a scope
// schedule on it while End waits for them.
func TestJobsScheduleOnTheirScope(t *testing.T) {
	limit(t)
	boom := errors.New("boom")
	pools(t, func(t *testing.T, p *Pool) {
		sc := p.Scope(context.Background())
		sc.End()
		for range 5 {
			sc.Begin(context.Background())
			ran := 0
			var next func(*Task)
			next = func(*Task) {
				if ran++; ran < 200 {
					sc.Schedule(Func(next))
				} else {
					panic(boom)
				}
			}
			sc.Schedule(Func(next))
			if err := sc.End(); !errors.Is(err, boom) || ran != 200 {
				t.Errorf("%d of 200 ran, %v", ran, err)
			}
		}
	})
}

// TestEarlyErrorsAreTold: a scope forgets jobs when it has many, but not those that have
// failed, however long ago.
func TestEarlyErrorsAreTold(t *testing.T) {
	limit(t)
	boom := errors.New("boom")
	pools(t, func(t *testing.T, p *Pool) {
		sc := p.Scope(context.Background())
		for i := range 1000 {
			job := Func(func(*Task) {
				if i == 0 {
					panic(boom)
				}
			})
			if err := sc.Schedule(job).Wait(); (err != nil) != (i == 0) { // done before the next comes
				t.Fatalf("job %d: %v", i, err)
			}
		}
		if n := len(sc.jobs); n > 200 {
			t.Errorf("%d jobs of 1000 are kept", n)
		}
		if err := sc.End(); !errors.Is(err, boom) {
			t.Errorf("the scope tells %v", err)
		}
	})
}

// TestWaitAllTellsOnce: an error that several jobs carry, also with another in between.
func TestWaitAllTellsOnce(t *testing.T) {
	limit(t)
	first, second := errors.New("first"), errors.New("second")
	pools(t, func(t *testing.T, p *Pool) {
		fail := func(err error, after ...Handle) Handle {
			return p.External(context.Background(), func(context.Context) error { return err }, after...)
		}
		a, b := fail(first), fail(second)
		err := WaitAll(a, b, fail(nil, a), fail(nil, b), fail(nil, a), Handle{})
		if err == nil || err.Error() != "first\nsecond" {
			t.Errorf("%q", err)
		}
	})
}
