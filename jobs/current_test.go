package jobs

import "testing"

// The current task is that of the innermost body; outside of bodies there is none.
func TestCurrent(t *testing.T) {
	limit(t)
	if goroutine() == 0 {
		t.Skip("goroutines cannot be told apart without assembly")
	}
	p := New(Workers(3))
	defer p.Close()
	is := func(want *Task) {
		t.Helper()
		if got, ok := p.Current(); got != want || !ok {
			t.Errorf("the current task is %p, %v; want %p", got, ok, want)
		}
	}
	is(nil)
	h := p.Schedule(Func(func(outer *Task) {
		is(outer)
		inner := p.ParallelFor(RangeFunc(func(own *Task, _, _ int) {
			is(own)
			if own == outer {
				t.Error("two bodies have one task")
			}
		}), 64, 1)
		if err := inner.Wait(); err != nil {
			t.Error(err)
		}
		is(outer)
		done := make(chan struct{})
		go func() { is(nil); close(done) }()
		<-done
	}))
	if err := h.Wait(); err != nil {
		t.Error(err)
	}
	is(nil)
}
