package jobs

import "context"

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
