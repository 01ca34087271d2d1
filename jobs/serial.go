package jobs

import "time"

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
