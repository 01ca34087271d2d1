package jobs

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
)

func TestLengthIsKnownLater(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		sc := p.Scope(context.Background())
		for _, want := range []int{0, 1, 7, 1000} {
			for _, grain := range []int{0, 1, 5} {
				n := -1
				counted := sc.Schedule(Func(func(*Task) { n = want }))
				var ran atomic.Int32
				job := RangeFunc(func(_ *Task, lo, hi int) { ran.Add(int32(hi - lo)) })
				if err := p.ParallelForLater(job, &n, grain, counted).Wait(); err != nil || int(ran.Load()) != want {
					t.Errorf("n %d, grain %d: %d ran, %v", want, grain, ran.Load(), err)
				}
			}
		}
		bad := -1
		if err := p.ParallelForLater(&nothing{}, &bad, 1).Wait(); err == nil || !strings.Contains(err.Error(), "n is -1") {
			t.Error(err)
		}
		if err := sc.End(); err != nil {
			t.Error(err)
		}
	})
}
