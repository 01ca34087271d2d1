package jobs

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// loop is a parallel-for while it runs on several workers. The blocks are cut
// into one contiguous share for each worker, always the same share for the
// same worker; who has finished its own steals the upper half of another's.
//
// Workers join while the loop is open. The first that finds nothing left
// closes it, the last that leaves ends the job: a worker that wakes up late
// cannot join and is never waited for.
type loop struct {
	// One cache line that a worker needs when it joins.
	state    atomic.Uint64 // open bit and number of workers inside
	limit    atomic.Uint64 // lowest block that failed; higher ones are not begun
	slot     *slot
	job      RangeJob
	n        int
	grain    int
	most     uint32 // blocks to take at a time, at most
	priority Priority

	// What hardly ever changes.
	shares []share
	index  int          // in Pool.loops
	toWake atomic.Int32 // workers that those who join have still to wake

	// What the opener has measured of a kind that is not known: that is learned when
	// all blocks have come to their end, since until then one may end its goroutine.
	took  time.Duration
	timed int
	_     [8]byte
}

// share is the part [lo, hi) of the blocks that nobody has taken yet, as
// hi<<32 | lo, alone on its cache line. While the loop is open it is used
// atomically.
type share struct {
	blocks uint64
	_      [56]byte
}

const (
	loopOpen = 1 << 32
	maxLoops = 64
	noLimit  = math.MaxUint64

	// maxBlocks is how many blocks a parallel-for can have.
	maxBlocks = math.MaxUint32
)

const (
	smallLoop  = 2500   // ns: a loop that is shorter is run by one worker
	takeTime   = 16_000 // ns of work that is taken at a time, at most
	timedLoop  = 10_000 // ns: a longer loop is always measured
	escapeTime = 4 * smallLoop
)

// spread runs a parallel-for that the seat has claimed.
func (s *seat) spread(sl *slot, w wish) *slot {
	if sl.bound && sl.later != nil && !sl.settle() {
		return s.finish(sl, w)
	}
	blocks := uint64(0)
	if sl.n > 0 {
		blocks = uint64((sl.n-1)/sl.grain + 1)
	}
	first := uint64(0)
	if blocks <= 1 || s.pool.workers == 1 {
		s.serial(sl, 0, blocks, noLimit)
		return s.finish(sl, w)
	}
	p, ns := s.pool, sl.kind.estimate(sl.n)
	way, began := byAll, time.Duration(0)
	tr := sl.kind.trialFor(p.workers, ns)
	if tr != nil {
		way, began = tr.choose(ns)
	}
	alone := ns >= 0 && int(p.parkedCount.Load()) == p.workers-1
	if way == byOne || uint64(ns) < smallLoop || alone && !p.worthWaking(ns) {
		k, n := sl.kind, sl.n
		if first = s.serial(sl, 0, blocks, uint64(2*ns)+escapeTime); first == blocks {
			if began != 0 && sl.word.Load()&wordFailed == 0 {
				tr.took(k, way, clock()-began, n)
			}
			return s.finish(sl, w)
		}
		ns, began = -1, 0 // it was not as small as it looked
	}
	lp := p.takeLoop()
	if lp == nil {
		s.serial(sl, first, blocks, noLimit)
		return s.finish(sl, w)
	}
	lp.slot, lp.job, lp.n, lp.grain, lp.priority = sl, sl.many, sl.n, sl.grain, sl.priority
	if began != 0 {
		s.opened = opened{Handle{slot: sl, gen: generation(sl.word.Load())}, tr, began, sl.kind, sl.n}
	}
	p.open[sl.priority-Background].Or(1 << lp.index) // before others can get in, and close it
	lp.open(first, blocks, ns)
	count(&s.counters.loops)
	if p.parkedCount.Load() != 0 && (alone || ns < 0 || ns >= p.wakeWorth()) {
		s.wakeForLoop(lp, int(blocks-first)-1, ns)
	}
	if p.asleep.Load() != 0 && (ns < 0 || ns >= p.wakeWorth()) {
		p.at(s, "is about to wake who waits for a loop")
		p.wakeSleepers() // one may wait for it, that has found it claimed, but not yet open
	}
	if ns >= 0 && ns < timedLoop && !s.sampled(sl.kind) {
		return s.share(lp, w)
	}
	start := clock()
	t := s.workAll(lp)
	if t.blocks > 0 {
		if took, n := clock()-start, int(t.blocks)*lp.grain; sl.kind.known() {
			sl.kind.learn(took, n)
		} else {
			lp.took, lp.timed = took, n
		}
	}
	return s.leaveLoop(lp, w)
}

// open deals the blocks from first on and lets workers join; the caller has.
func (lp *loop) open(first, blocks uint64, ns int64) {
	lp.most = 1
	if ns >= 0 {
		lp.most = uint32(min(max(takeTime*blocks/uint64(ns+1), 1), math.MaxUint32))
	}
	if lp.limit.Load() != noLimit {
		lp.limit.Store(noLimit)
	}
	n := uint64(len(lp.shares))
	for i := range lp.shares {
		lo, hi := first+uint64(i)*(blocks-first)/n, first+uint64(i+1)*(blocks-first)/n
		lp.shares[i].blocks = hi<<32 | lo // nobody is inside, and state publishes it
	}
	lp.slot.loop.Store(int32(lp.index + 1)) // before it is open
	lp.state.Store(loopOpen | 1)
}

// join enters an open loop.
func (lp *loop) join() bool {
	if lp.state.CompareAndSwap(loopOpen+1, loopOpen+2) {
		return true // as a rule only the opener is inside, and a look would cost a second transfer
	}
	for {
		st := lp.state.Load()
		if st&loopOpen == 0 {
			return false
		}
		if lp.state.CompareAndSwap(st, st+1) {
			return true
		}
	}
}

// share works in a loop that the seat has joined until nothing is left, and
// ends the job if the seat is the last to leave.
func (s *seat) share(lp *loop, w wish) *slot {
	s.workAll(lp)
	return s.leaveLoop(lp, w)
}

// workAll takes blocks until there are none. It returns the task that ran
// them.
func (s *seat) workAll(lp *loop) *Task {
	t := s.push(lp.slot)
	for !s.work(lp, t) {
	}
	s.pop()
	return t
}

// leaveLoop closes the loop if it is open, and ends it if nobody else is in it.
func (s *seat) leaveLoop(lp *loop, w wish) *slot {
	for {
		st := lp.state.Load()
		if st&loopOpen == 0 {
			break
		}
		if lp.state.CompareAndSwap(st, st&^loopOpen) {
			s.pool.open[lp.priority-Background].And(^uint64(1 << lp.index))
			break
		}
	}
	s.pool.hot(s, "has closed a loop")
	if lp.state.Add(^uint64(0)) != 0 {
		return nil
	}
	return s.endLoop(lp, w)
}

// quitLoop leaves a loop that the seat has joined by mistake, and does not close
// it.
func (s *seat) quitLoop(lp *loop, w wish) *slot {
	if lp.state.Add(^uint64(0)) != 0 {
		return nil
	}
	return s.endLoop(lp, w) // it was closed meanwhile
}

// endLoop ends the body of a loop that everybody has left.
func (s *seat) endLoop(lp *loop, w wish) *slot {
	sl, index := lp.slot, lp.index
	lp.slot, lp.job = nil, nil
	if lp.timed != 0 {
		if sl.word.Load()&wordFailed == 0 {
			sl.kind.learn(lp.took, lp.timed)
		}
		lp.timed = 0
	}
	next := s.finish(sl, w) // first of all: somebody may wait for it
	s.pool.usedLoops.And(^uint64(1 << index))
	if s.opened.trial != nil {
		s.tell()
	}
	return next
}

// work takes blocks until there are none. It returns false when a block has
// failed: then there may be more.
func (s *seat) work(lp *loop, t *Task) (over bool) {
	t.ok, t.past = false, false
	var sp span
	if s.pool.observed() {
		sp = s.beginSpan(lp.slot)
	}
	before := t.blocks
	defer func() {
		if sp.on {
			s.endSpan(sp, lp.slot, t.lo, int(t.blocks-before))
		}
		if t.ok {
			return
		}
		block := t.block
		exit := s.caught(lp.slot, t, recover())
		lp.lower(block)
		if exit != nil { // the goroutine is ending: do what its callers will not
			for !s.work(lp, t) {
			}
			s.pop()
			s.passExit(exit)
			s.queue(s.leaveLoop(lp, nothingElse))
		}
	}()
	well := true
	if s.wary(lp.slot) {
		if well = s.apart(lp.slot, t, func() { s.takeBlocks(lp, t) }); !well {
			lp.lower(t.block)
		}
	} else {
		s.takeBlocks(lp, t)
	}
	t.ok = true
	return well
}

// takeBlocks takes blocks and runs them until there are none.
func (s *seat) takeBlocks(lp *loop, t *Task) {
	hand := newHand(lp, s)
	for hand.take() {
		t.blocks += hand.hi - hand.lo
		lp.run(t, hand.lo, hand.hi)
	}
}

// lower makes block the limit if it is lower.
func (lp *loop) lower(block uint64) {
	for {
		old := lp.limit.Load()
		if old <= block || lp.limit.CompareAndSwap(old, block) {
			return
		}
	}
}

// run runs the blocks [lo, hi).
func (lp *loop) run(t *Task, lo, hi uint64) {
	job, n, grain := lp.job, lp.n, lp.grain
	at := int(lo) * grain
	for b := lo; b < hi; b++ {
		if b > lp.limit.Load() {
			return
		}
		t.begin(b, at)
		job.RunRange(t, at, at+min(grain, n-at))
		at += grain
	}
}

// begin makes the task that of one block.
func (t *Task) begin(block uint64, lo int) {
	t.block, t.lo = block, lo
	if t.calls|t.arena.used != 0 {
		t.calls, t.arena.used = 0, 0
	}
}

// takeLoop finds a loop that is not in use; nil if all are.
func (p *Pool) takeLoop() *loop {
	for {
		used := p.usedLoops.Load()
		i := bits.TrailingZeros64(^used)
		if i == maxLoops {
			return nil
		}
		if p.usedLoops.CompareAndSwap(used, used|1<<i) {
			if p.loops[i].Load() == nil {
				lp := &loop{index: i, shares: make([]share, p.workers)}
				lp.limit.Store(noLimit)
				p.loops[i].Store(lp)
			}
			return p.loops[i].Load()
		}
	}
}
