package jobs

import (
	"context"
	"runtime/debug"
)

// wish says which of the jobs that become ready the one who made them so would
// run itself: one job, the next on the line, or any.
type wish struct {
	slot *slot
	gen  uint32 // of the one job: its slot may hold a later one by now
}

var (
	noSlot, lineSlot slot // never hold a job

	anything    = wish{}
	nothingElse = wish{slot: &noSlot}
	nextOnLine  = wish{slot: &lineSlot}
)

func (w wish) fits(sl *slot) bool {
	switch w.slot {
	case nil:
		return true
	case &lineSlot:
		return sl.lined
	}
	return sl == w.slot && generation(sl.word.Load()) == w.gen
}

// execute runs a job that the seat has claimed, and then whatever becomes
// ready behind it.
func (s *seat) execute(sl *slot) { s.runWishes(sl, anything) }

// runWishes runs a claimed job and then one that fits, as long as there is one.
func (s *seat) runWishes(sl *slot, w wish) {
	for sl != nil {
		sl = s.step(sl, w)
	}
}

// step runs one claimed job to the end of its body. Of the jobs that become
// ready by that it returns the first that fits the wish, claimed; the others
// are queued.
func (s *seat) step(sl *slot, w wish) *slot {
	if b := s.pool.book; b != nil {
		b.begin(sl)
	}
	switch {
	case sl.word.Load()&wordFailed != 0: // a job before it failed
	case sl.bound && sl.scope != nil && sl.scope.ctx.Err() != nil:
		sl.fail(rankSkipped, context.Cause(sl.scope.ctx))
	case sl.shape == shapeOutside:
		s.launch(sl)
		return nil
	case sl.shape == shapeOne:
		s.call(sl)
	case sl.shape == shapeMany:
		return s.spread(sl, w)
	}
	return s.finish(sl, w)
}

// call runs the body of a single job.
func (s *seat) call(sl *slot) {
	t := s.push(sl)
	var sp span
	if s.pool.observed() {
		sp = s.beginSpan(sl)
	}
	defer func() {
		if sp.on {
			s.endSpan(sp, sl, 0, 0)
		}
		s.pop()
		if t.ok {
			return
		}
		if exit := s.caught(sl, t, recover()); exit != nil {
			s.passExit(exit)
			s.queue(s.finish(sl, nothingElse)) // the goroutine is ending: nobody else will
		}
	}()
	if s.sampled(sl.kind) {
		s.callSampled(sl, t)
	} else {
		sl.one.Run(t)
	}
	t.ok = true
}

// callSampled takes the time of the body of a single job.
func (s *seat) callSampled(sl *slot, t *Task) {
	if s.wary(sl) {
		s.apart(sl, t, func() { timed(sl, t) })
	} else {
		timed(sl, t)
	}
}

func timed(sl *slot, t *Task) {
	start := clock()
	sl.one.Run(t)
	sl.kind.learn(clock()-start, 1)
}

// caught records how a body failed: a panic with value v, or, when there is
// none, a call of runtime.Goexit; then it returns the error of that.
func (s *seat) caught(sl *slot, t *Task, v any) *ExitError {
	single := sl.shape != shapeMany
	if !t.past {
		s.abandon(sl)
	}
	if v == nil {
		exit := s.exitHere()
		if exit == nil {
			exit = &ExitError{Job: sl.kind.name, Index: t.lo, single: single}
		}
		if t.past {
			return exit // the body has ended apart: only the goroutine that waited for it is ending
		}
		if exit.Job == sl.kind.name {
			sl.kind.distrust()
		}
		sl.fail(rankOwn|uint64(t.lo), exit)
		return exit
	}
	sl.fail(rankOwn|uint64(t.lo), &PanicError{Job: sl.kind.name, Index: t.lo, Value: v, Stack: debug.Stack(), single: single})
	return nil
}

// abandon tells a job that its body has not returned.
func (s *seat) abandon(sl *slot) {
	var job any = sl.one
	if sl.shape == shapeMany {
		job = sl.many
	}
	if u, ok := job.(Unfinished); ok {
		defer func() { _ = recover() }()
		u.NotReturned(s.index)
	}
}

// finish ends the body of a job; the job is done if its children are.
func (s *seat) finish(sl *slot, w wish) *slot {
	if sl.left.Load() != 0 && sl.left.Add(bodyDone) != bodyDone {
		return nil
	}
	return s.complete(sl, w)
}

// complete ends a job, and its parents if they waited for nothing else, and
// releases the jobs behind them.
func (s *seat) complete(sl *slot, w wish) (next *slot) {
	pushed, ns := 0, int64(0)
	for {
		var parent *slot
		order := uint64(0)
		if sl.bound {
			parent, order = sl.parent, sl.order
		}
		if b := s.pool.book; b != nil {
			b.remove(sl)
		}
		s.ended++
		s.pool.hot(s, "is about to complete a job")
		word := sl.close()
		s.pool.hot(s, "has completed a job")
		var failed *failure
		if word&wordFailed != 0 {
			failed = sl.failed.Load()
		}
		for i := inOrder(uint32(word&wordEdges) >> edgeShift); i != 0; {
			e := edgeAt(i)
			i = e.nextOut
			to := e.to
			if failed != nil {
				to.fail(rankDependency|uint64(e.pos&^edgeOnly), failed.err)
			}
			switch {
			case !met(e, to):
				// it waits for others
			case to.pool != s.pool:
				to.pool.post(to)
			case to.bound && to.owner != 0:
				s.pool.handOver(to)
			case next == nil && w.fits(to) && (to.priority >= Normal || s.permit || w.slot != nil):
				next = to
			default:
				if n := to.estimate(); n < 0 || ns < 0 {
					ns = -1
				} else {
					ns += n
				}
				s.offer(to)
				if pushed++; pushed%16 == 0 {
					s.deque.publish()
				}
			}
		}
		if word&wordWatched != 0 {
			s.pool.at(s, "is about to wake who watches")
			s.pool.wakeWatchers(sl, generation(word))
		}
		s.dropSlot(sl, word)
		if parent == nil {
			break
		}
		if failed != nil {
			parent.fail(rankChild|order, failed.err)
		}
		if parent.left.Add(-1) != bodyDone {
			break
		}
		sl = parent
		if w == nextOnLine {
			w = nothingElse // the parent is on another
		}
	}
	if pushed > 0 {
		s.deque.publish()
		if ns < 0 {
			s.size(ns)
		} else {
			s.size(ns / int64(pushed))
		}
		s.pool.announce(pushed, ns)
	}
	return next
}

// inOrder turns a list of edges out of a job round: the last was linked first.
func inOrder(i uint32) uint32 {
	before := uint32(0)
	for i != 0 {
		e := edgeAt(i)
		i, before, e.nextOut = e.nextOut, i, before
	}
	return before
}

// met counts the dependency behind an edge as done. It reports whether it was
// the job's last.
func met(e *edge, to *slot) bool {
	if e.pos&edgeOnly != 0 {
		return true
	}
	if e.group != 0 && !edgeAt(e.group).met() {
		return false
	}
	return to.pending.Add(-1) == 0
}

// queue makes a job that the seat could run, but does not, available.
func (s *seat) queue(sl *slot) {
	if sl != nil {
		s.enqueue(sl, Handle{})
	}
}

// post queues a job from the goroutine of another pool.
func (p *Pool) post(sl *slot) {
	s := p.enter()
	s.queue(sl)
	s.leave()
}
