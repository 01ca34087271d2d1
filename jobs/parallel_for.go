package jobs

import (
	"time"
)

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

// alone reports whether a loop that takes ns nanoseconds, if that is known, finds all
// workers asleep.
func alone(p *Pool, ns int64) bool { return ns >= 0 && p.lot.Count() == p.workers-1 }

// unclocked is how many blocks are run without a look at the clock.
const unclocked = 4

// serial runs the blocks [from, blocks) of a parallel-for on this seat alone, in
// ascending order. It stops early, and returns the next block, when it sees
// that more than limit nanoseconds have gone by: the job is not as small as it
// looked. It began at a time by clock, or begins now if that is 0. A block that fails
// does not keep those above it from running.
func serial(s *seat, sl *slot, from, blocks, limit uint64, began time.Duration) (next uint64) {
	s.inlined++
	s.hasBlock()
	t := s.push(sl)
	var sp span
	if s.pool.observed() {
		sp = newSpan(s, sl)
	}
	next, well := serialUntilFailure(s, sl, t, &sp, from, blocks, limit, began)
	for !well {
		if began == 0 {
			began = clock()
		}
		next, well = serialUntilFailure(s, sl, t, &sp, next, blocks, limit, began)
	}
	sp.endSerial(s, sl, t)
	return next
}

// endSerial ends the span and the task of serial.
func (sp *span) endSerial(s *seat, sl *slot, t *Task) {
	if sp.on {
		sp.end(sl, int(t.block)+1)
	}
	s.pop()
}

// serialUntilFailure is serial up to the first block that fails: then well is false, and next
// the block above it. If that block has ended the goroutine, it does what its callers will not.
func serialUntilFailure(s *seat, sl *slot, t *Task, sp *span, from, blocks, limit uint64, began time.Duration) (next uint64, well bool) {
	t.ok, t.bodyEnded = false, false
	defer func() {
		if t.ok {
			return
		}
		next = t.block + 1
		if exit := s.caught(sl, t, recover()); exit != nil {
			t.leaving = true
			for over := false; !over; {
				next, over = serialUntilFailure(s, sl, t, sp, next, blocks, noLimit, 0)
			}
			t.leaving = false
			sp.endSerial(s, sl, t)
			s.passExit(exit)
			s.queue(s.finish(sl, nothingElse))
		}
	}()
	if s.mustIsolate(sl) {
		next, well = serialIsolated(s, sl, t, from, blocks, limit, began)
	} else {
		next, well = s.serialBlocks(sl, t, from, blocks, limit, began), true
	}
	t.ok = true
	return next, well
}

// serialIsolated is serialUntilFailure on another goroutine.
func serialIsolated(s *seat, sl *slot, t *Task, from, blocks, limit uint64, began time.Duration) (uint64, bool) {
	next := blocks
	if !s.isolate(sl, t, func() { next = s.serialBlocks(sl, t, from, blocks, limit, began) }) {
		return t.block + 1, false
	}
	return next, true
}

// serialBlocks is serial without what surrounds the blocks.
func (m *measures) serialBlocks(sl *slot, t *Task, from, blocks, limit uint64, began time.Duration) (next uint64) {
	next = from
	if (limit == noLimit || blocks <= unclocked) && !m.sampled(sl.kind) {
		return t.runBlocks(sl, next, blocks)
	}
	timed := m.sampled(sl.kind)
	start := began
	if start == 0 {
		start = clock()
	}
	for next < blocks {
		step := uint64(64)
		if next == from {
			step = 1
		}
		next = t.runBlocks(sl, next, min(blocks, next+step))
		if next == blocks && !timed {
			break
		}
		if took := clock() - start; uint64(took) > limit || next == blocks {
			sl.kind.learn(took, min(int(next-from)*sl.grain, sl.n))
			break
		}
	}
	return next
}

// runBlocks runs the blocks [lo, hi) and returns hi.
func (t *Task) runBlocks(sl *slot, lo, hi uint64) uint64 {
	job, n, grain := sl.many, sl.n, sl.grain
	at := int(lo) * grain
	for b := lo; b < hi; b++ {
		t.begin(b, at)
		job.RunRange(t, at, at+min(grain, n-at))
		at += grain
	}
	return hi
}
