package jobs

import "time"

// spread runs a parallel-for that the seat has claimed.
//
// However it is run, each block below first has run once when a loop is opened, and
// those from first on are dealt then: so every block runs exactly once, whether others fail
// or not. A block that was left out because another had failed would make what the job has
// done depend on which of them ran first.
func spread(s *seat, sl *slot, then continuation) *slot {
	if sl.bound && sl.later != nil && !sl.settle() {
		return s.finish(sl, then)
	}
	blocks, first := uint64(0), uint64(0)
	if sl.n > 0 {
		blocks = uint64((sl.n-1)/sl.grain + 1)
	}
	p := s.pool
	if blocks <= 1 || p.workers == 1 {
		serial(s, sl, 0, blocks, noLimit, 0)
		return s.finish(sl, then)
	}
	run := plan{ns: sl.kind.estimate(sl.n)}
	if tried(run.ns) {
		run.choose(s, sl)
	}
	if run.way == inSerial || uint64(run.ns) < smallLoop || !run.hot && alone(p, run.ns) && !p.lot.Cost.WorthWaking(run.ns) {
		k, n := sl.kind, sl.n
		if first = serial(s, sl, 0, blocks, uint64(2*run.ns)+escapeTime, run.now); first == blocks {
			if run.began != 0 && sl.word.Load()&wordFailed == 0 {
				run.trial.took(k, run.way, clock()-run.began, n)
			}
			return s.finish(sl, then)
		}
		run.ns, run.began = -1, 0 // it was not as small as it looked
	}
	lp := p.takeLoop(p.workers)
	if lp == nil {
		serial(s, sl, first, blocks, noLimit, 0)
		return s.finish(sl, then)
	}
	lp.slot, lp.job, lp.n, lp.grain, lp.priority = sl, sl.many, sl.n, sl.grain, sl.priority
	p.open[sl.priority.place()].Or(1 << lp.index) // before others can get in, and close it
	lp.open(first, blocks, run.ns)
	count(&s.counters.loops)
	if p.lot.Count() != 0 || p.waiters.Count() != 0 {
		lp.call(s, run.ns, int(blocks-first)-1)
	}
	return lp.workOpened(s, &run, then)
}

// plan is how a parallel-for is to be run.
type plan struct {
	ns    int64         // that it will take; negative if that is not known
	now   time.Duration // when it began, by clock, if that was looked at, else 0
	began time.Duration // when it began, by clock, if its time is to be told to the trial, else 0
	trial *trial        // what is known of such loops; nil if they are not tried
	way   runMode
	hot   bool // it is tried, and comes without a pause
}

// choose chooses how to run a parallel-for whose kind is tried.
func (run *plan) choose(s *seat, sl *slot) {
	p, now := s.pool, clock()
	pause := alone(p, run.ns) && s.pausedFor(now) > worker{s}.awakeFor()
	s.began, s.lasts = now, time.Duration(run.ns)
	run.now = now
	run.trial = sl.kind.trialFor(p.workers, run.ns, pause)
	run.hot = !pause
	way, timed := run.trial.choose(run.ns)
	if run.way = way; timed {
		run.began = now
	}
}

// pausedFor is for how long the seat has run no loop that is tried, as far as is known: the
// end of the last one is guessed, for that it would cost another look at the clock.
func (m *measures) pausedFor(now time.Duration) time.Duration { return now - m.began - m.lasts }

// call wakes workers for a loop that was opened and will take ns nanoseconds,
// besides the opener on n blocks at most, if that seems worth it. Whether they all sleep
// is asked again: it is no matter that one has woken up meanwhile.
func (lp *loop) call(s *seat, ns int64, n int) {
	p := s.pool
	worth := ns < 0 || ns >= p.lot.Cost.Worth()
	if p.lot.Count() != 0 && (worth || alone(p, ns)) {
		lp.wake(s, n, ns)
	}
	if p.waiters.Count() != 0 && worth {
		p.at(s, "is about to wake the waits for a loop")
		p.waiters.WakeAll() // one may wait for it, that has found it claimed, but not yet open
	}
}

// workOpened works in a loop that the seat has opened, and leaves it.
func (lp *loop) workOpened(s *seat, run *plan, then continuation) *slot {
	k, n := lp.slot.kind, lp.n
	if run.ns >= 0 && run.ns < timedLoop && !s.sampled(k) {
		lp.workAll(s)
	} else {
		start := clock()
		if t := lp.workAll(s); t.blocks > 0 {
			if took, n := clock()-start, int(t.blocks)*lp.grain; k.known() {
				k.learn(took, n)
			} else {
				lp.took, lp.timed = took, n
			}
		}
	}
	if run.began != 0 { // not before: loops that were opened inside of it are told of first
		s.opened = opened{Handle{slot: lp.slot, gen: generation(lp.slot.word.Load())}, run.trial, run.began, k, n}
	}
	return lp.leave(s, then)
}

// share works in a loop that the seat has joined until nothing is left, and
// ends the job if the seat is the last to leave.
func (lp *loop) share(s *seat, then continuation) *slot {
	lp.workAll(s)
	return lp.leave(s, then)
}

// workAll takes blocks until there are none. It returns the task that ran
// them.
func (lp *loop) workAll(s *seat) *Task {
	t := s.push(lp.slot)
	t.taken = 0
	for !lp.work(s, t) {
	}
	s.pop()
	return t
}

// leave closes the loop if it is open, and ends it if no other worker is in it.
func (lp *loop) leave(s *seat, then continuation) *slot {
	for {
		st := lp.state.Load()
		if st&loopOpen == 0 {
			break
		}
		if lp.state.CompareAndSwap(st, st&^loopOpen) {
			s.pool.open[lp.priority.place()].And(^uint64(1 << lp.index))
			break
		}
	}
	s.pool.hot(s, "has closed a loop")
	if lp.state.Add(^uint64(0)) != 0 {
		return nil
	}
	return lp.end(s, then)
}

// quit leaves a loop that the seat has joined by mistake, and does not close
// it.
func (lp *loop) quit(s *seat, then continuation) *slot {
	if lp.state.Add(^uint64(0)) != 0 {
		return nil
	}
	return lp.end(s, then) // it was closed meanwhile
}

// end ends the body of a loop that all have left.
func (lp *loop) end(s *seat, then continuation) *slot {
	sl, index := lp.slot, lp.index
	lp.slot, lp.job = nil, nil
	if lp.timed != 0 {
		if sl.word.Load()&wordFailed == 0 {
			sl.kind.learn(lp.took, lp.timed)
		}
		lp.timed = 0
	}
	next := s.finish(sl, then) // first of all: a goroutine may wait for it
	blocksRun.Add(-1)
	s.pool.usedLoops.And(^uint64(1 << index))
	if s.opened.trial != nil {
		s.opened.tell(s.opened.loop)
	}
	return next
}

// work takes blocks until there are none. It returns false when a block has
// failed: the others run in the next call.
func (lp *loop) work(s *seat, t *Task) (over bool) {
	t.ok, t.bodyEnded = false, false
	var sp span
	if s.pool.observed() {
		sp = newSpan(s, lp.slot)
	}
	before := t.blocks
	defer func() {
		if sp.on {
			sp.end(lp.slot, int(t.blocks-before))
		}
		if t.ok {
			return
		}
		exit := s.caught(lp.slot, t, recover())
		if exit != nil { // the goroutine is ending: do what its callers will not
			t.leaving = true
			for !lp.work(s, t) {
			}
			t.leaving = false
			s.pop()
			s.passExit(exit)
			s.queue(lp.leave(s, nothingElse))
		}
	}()
	well := true
	if s.mustIsolate(lp.slot) {
		well = s.isolate(lp.slot, t, func() { lp.takeBlocks(s, t) })
	} else {
		lp.takeBlocks(s, t)
	}
	t.ok = true
	return well
}

// takeBlocks takes blocks and runs them until there are none. It begins with those that the
// task has taken together with a block that failed.
func (lp *loop) takeBlocks(s *seat, t *Task) {
	if t.block+1 < t.taken {
		lp.run(t, t.block+1, t.taken)
	}
	cursor := newCursor(lp, s)
	for cursor.take() {
		t.blocks += cursor.hi - cursor.lo
		t.taken = cursor.hi
		lp.run(t, cursor.lo, cursor.hi)
	}
}

// tell is called by the seat that has just seen the end of a job. If that is the loop that was
// opened here last, its trial is told how long it took, until its opener could go
// on: what sleeping and waking up takes at its end counts. If the loop has ended without
// being seen it is not known when, and it does not count.
func (o *opened) tell(seen Handle) {
	if !o.loop.Done() {
		return
	}
	if seen == o.loop && o.loop.Err() == nil {
		o.trial.took(o.kind, inParallel, clock()-o.began, o.n)
	}
	*o = opened{}
}

// alone reports whether a loop that takes ns nanoseconds, if that is known, finds all
// workers asleep.
func alone(p *Pool, ns int64) bool { return ns >= 0 && p.lot.Count() == p.workers-1 }
