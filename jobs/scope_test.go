package jobs

import (
	"context"
	"errors"
	"testing"
)

// TestJobsScheduleOnTheirScope: End waits also for what the jobs of a scope
// schedule on it while End waits for them.
func TestJobsScheduleOnTheirScope(t *testing.T) {
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
