package jobs

import "testing"

// TestWalkWantsItsOwnSteps: a walk has gone from a job to one that it needs. By the
// time that is done, the slot of the first may hold a later job: if this becomes ready
// then, it is not the one to be run next.
func TestWalkWantsItsOwnSteps(t *testing.T) {
	limit(t)
	for _, name := range []string{"a job", "a loop"} {
		for _, same := range []bool{true, false} {
			p := New(Workers(1))
			s := p.enter()
			w := newWalk(s)
			var needed Handle
			finish := func() { w.run(needed.slot) }
			if name == "a loop" {
				var lp *loop
				lp, needed = openLoop(p, s, Normal, &nothing{})
				lp.state.Add(^uint64(0)) // its opener has left
				finish = func() { w.join(lp, needed) }
			} else {
				sl := s.newJob(&nothing{}, nil)
				needed = Handle{slot: sl, gen: generation(sl.word.Load())}
				s.begun++
				sl.ready()
				sl.claim()
			}
			ran := false
			after := s.submit(s.newJob(Func(func(*Task) { ran = true }), nil), []Handle{needed})
			top := step{slot: after.slot, gen: after.gen}
			if !same {
				top.gen--
			}
			s.steps = append(s.steps, top)
			finish()
			if !needed.Done() || ran != same || len(s.steps) == 1 == same {
				t.Errorf("behind %s, wanted %v: ran %v, %d steps left", name, same, ran, len(s.steps))
			}
			s.steps = s.steps[:0]
			s.leave()
			if err := after.Wait(); err != nil || !ran {
				t.Error(ran, err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestGoexitLeavesNoSteps: a job that a walk runs ends the goroutine. The goroutine
// that takes its seat next begins with no steps.
func TestGoexitLeavesNoSteps(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	left := make(chan struct{})
	go func() {
		defer close(left)
		bad := p.Schedule(Func(func(*Task) { exit() }))
		_ = p.Schedule(&nothing{}, bad, p.Schedule(&nothing{})).Wait()
	}()
	<-left
	soon(t, "the seat is free", func() bool { return p.front.holder.Load() == 0 })
	s := p.enter()
	if s != p.front || len(s.steps) != 0 {
		t.Errorf("seat %d has %d steps", s.index, len(s.steps))
	}
	s.leave()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
