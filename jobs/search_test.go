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
			wc := p.acquire()
			w := newDependencyWalk(wc)
			var needed Handle
			finish := func() { w.runJob(needed.node) }
			if name == "a loop" {
				var lp *loop
				lp, needed = openLoop(p, wc, Normal, &nothing{})
				lp.state.Add(^uint64(0)) // its opener has left
				finish = func() { w.joinLoop(lp, needed) }
			} else {
				node := wc.newJob(&nothing{}, nil)
				needed = Handle{node: node, gen: generation(node.word.Load())}
				wc.timing.submitted++
				node.markReady()
				node.claimReady()
			}
			ran := false
			after := wc.submit(wc.newJob(Func(func(*Task) { ran = true }), nil), []Handle{needed})
			top := walkStep{node: after.node, gen: after.gen}
			if !same {
				top.gen--
			}
			wc.stack.walkSteps = append(wc.stack.walkSteps, top)
			finish()
			if !needed.Done() || ran != same || len(wc.stack.walkSteps) == 1 == same {
				t.Errorf("behind %s, wanted %v: ran %v, %d steps left", name, same, ran, len(wc.stack.walkSteps))
			}
			wc.stack.walkSteps = wc.stack.walkSteps[:0]
			wc.release()
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
	soon(t, "the seat is free", func() bool { return p.firstContext.queue.holder.Load() == 0 })
	wc := p.acquire()
	if wc != p.firstContext || len(wc.stack.walkSteps) != 0 {
		t.Errorf("seat %d has %d steps", wc.index, len(wc.stack.walkSteps))
	}
	wc.release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
