package jobs

import (
	"context"
)

// execute runs a job that the seat has claimed, and then whatever becomes
// ready behind it.
func (s *seat) execute(sl *slot) { s.runOn(sl, anything) }

// runOn runs a claimed job and then one that fits, as long as there is one.
func (s *seat) runOn(sl *slot, then continuation) {
	for sl != nil {
		sl = s.step(sl, then)
	}
}

// step runs one claimed job to the end of its body. Of the jobs that become
// ready by that it returns the first that fits the continuation, claimed; the others
// are queued.
func (s *seat) step(sl *slot, then continuation) *slot {
	if b := s.pool.live; b != nil {
		b.begin(sl)
	}
	switch {
	case sl.word.Load()&wordFailed != 0: // a job before it failed
	case sl.bound && sl.scope != nil && sl.scope.ctx.Err() != nil:
		sl.fail(rankSkipped, context.Cause(sl.scope.ctx))
	case sl.shape == shapeOutside:
		return launch(s, sl, then)
	case sl.shape == shapeOne:
		s.call(sl)
	case sl.shape == shapeMany:
		return spread(s, sl, then)
	}
	return s.finish(sl, then)
}

// call runs the body of a single job.
func (s *seat) call(sl *slot) {
	if sl.bound && sl.parent != nil {
		s.hasBlock()
	}
	t := s.push(sl)
	var sp span
	if s.pool.observed() {
		sp = newSpan(s, sl)
	}
	defer func() {
		if sp.on {
			sp.end(sl, 0)
		}
		s.pop()
		if t.ok {
			return
		}
		if exit := s.caught(sl, t, recover()); exit != nil {
			s.passExit(exit)
			s.queue(s.finish(sl, nothingElse)) // the goroutine is ending: no other will
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
	if s.mustIsolate(sl) {
		s.isolate(sl, t, func() { timed(sl, t) })
	} else {
		timed(sl, t)
	}
}

func timed(sl *slot, t *Task) {
	start := clock()
	sl.one.Run(t)
	sl.kind.learn(clock()-start, 1)
}

// runLine runs a claimed job and those that become ready behind it on its line, as
// far as h.
func (s *seat) runLine(sl *slot, h Handle) {
	for sl != nil {
		then := nextOnLine
		if sl == h.slot {
			then = nothingElse
		}
		sl = s.step(sl, then)
	}
}

// continuation says which of the jobs that become ready the goroutine that made them so
// runs itself, next: one job, the next on the line, or any.
type continuation struct {
	slot *slot
	gen  uint32 // of the one job: its slot may hold a later one by now
}

func (then continuation) fits(sl *slot) bool {
	switch then.slot {
	case nil:
		return true
	case &lineSlot:
		return sl.lined
	}
	return sl == then.slot && generation(sl.word.Load()) == then.gen
}

// finish ends the body of a job; the job is done if its children are.
func (s *seat) finish(sl *slot, then continuation) *slot {
	if sl.left.Load() != 0 && sl.left.Add(bodyDone) != bodyDone {
		return nil
	}
	return s.complete(sl, then)
}

// complete ends a job, and its parents if they waited for nothing else, and
// releases the jobs behind them.
//
// Its invariant: sl.close takes the job's edges away and ends its generation in one step,
// so each edge is met once, by the goroutine that closed, and what comes later sees that the job is
// done. Until then no other touches the slot; from dropSlot on it may be another job's.
func (s *seat) complete(sl *slot, then continuation) (next *slot) {
	r := released{continuation: then}
	for {
		var parent *slot
		order := uint64(0)
		if sl.bound {
			parent, order = sl.parent, sl.order
		}
		if b := s.pool.live; b != nil {
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
		if first := uint32(word&wordEdges) >> edgeShift; first != 0 {
			r.take(s, first, failed)
		}
		if word&wordWatched != 0 {
			s.pool.at(s, "is about to wake the watchers")
			s.pool.waiters.WakeFor(Handle{sl, generation(word)})
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
		if r.continuation == nextOnLine {
			r.continuation = nothingElse // the parent is on another
		}
	}
	if r.queued > 0 {
		r.show(s)
	}
	return r.next
}

// released is what has become ready by the end of a job.
type released struct {
	continuation continuation
	next         *slot // the first that fits the continuation, claimed
	queued       int   // the others
	ns           int64 // that these take; negative if that is not known
}

// show shows the others what a seat has queued.
func (r *released) show(s *seat) {
	s.deque.publish()
	each := r.ns
	if each > 0 {
		each /= int64(r.queued)
	}
	s.size(each)
	s.pool.announce(r.queued, r.ns)
}

// take meets the dependencies behind the edges out of a job that has ended; failed is
// its error. It claims the first job that becomes ready and fits the continuation, and queues the
// others: what is queued is seen by others at the latest after deque.publish.
func (r *released) take(s *seat, first uint32, failed *failure) {
	for i := inOrder(first); i != 0; {
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
			post(to)
		case to.bound && to.owner != 0:
			s.giveToOwner(to)
		case r.next == nil && r.continuation.fits(to) && (to.priority.anywhere() || s.permit || r.continuation.slot != nil):
			r.next = to
		default:
			if n := to.estimate(); n < 0 || r.ns < 0 {
				r.ns = -1
			} else {
				r.ns += n
			}
			s.offer(to)
			if r.queued++; r.queued%16 == 0 {
				s.deque.publish()
			}
		}
	}
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
	if e.counter != 0 && !edgeAt(e.counter).met() {
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
func post(sl *slot) {
	s := sl.pool.enter()
	s.queue(sl)
	s.leave()
}
