package jobs

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// loop is a parallel-for while it runs on several workers. The blocks are cut
// into one contiguous share for each worker, always the same share for the
// same worker; one that has finished its own steals the upper half of another's.
//
// Workers join while the loop is open. The first that finds nothing left
// closes it, the last that leaves ends the job: a worker that wakes up late
// cannot join and is never waited for.
type loop struct {
	// One cache line that a worker needs when it joins.
	state    atomic.Uint64 // open bit and number of workers inside: stored by the opener after all else, then changed by read-modify-writes of workers that join, close and leave
	slot     *slot
	job      RangeJob
	n        int
	grain    int
	most     uint32 // blocks to take at a time, at most
	priority Priority
	_        [8]byte

	// What hardly ever changes.
	shares []share
	index  int          // in Pool.loops
	toWake atomic.Int32 // workers that those that join have still to wake: stored by the opener, taken by them; one too many or few does no harm

	// What the opener has measured of a kind that is not known: that is learned when
	// all blocks have come to their end, since until then one may end its goroutine.
	took  time.Duration
	timed int
	_     [8]byte
}

// share is the part [lo, hi) of the blocks that are not taken yet, alone on its cache line.
type share struct {
	// blocks is hi<<32 | lo. The opener stores it plainly before the state that lets workers in; while the loop
	// is open it is used atomically: its worker adds to lo, which takes blocks from the front, and stores it anew when it is
	// empty; thieves take from the back by compare-and-swap. Both are changes of one word, so a block has one taker.
	blocks uint64
	_      [56]byte
}

const (
	loopOpen = 1 << 32
	maxLoops = 64
	noLimit  = math.MaxUint64
)

// open deals the blocks from first on and lets workers join; the caller has.
func (lp *loop) open(first, blocks uint64, ns int64) {
	lp.most = 1
	if ns >= 0 {
		lp.most = uint32(min(max(takeTime*blocks/uint64(ns+1), 1), math.MaxUint32))
	}
	n := uint64(len(lp.shares))
	for i := range lp.shares {
		lo, hi := first+uint64(i)*(blocks-first)/n, first+uint64(i+1)*(blocks-first)/n
		lp.shares[i].blocks = hi<<32 | lo // no worker is inside, and state publishes it
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

// run runs the blocks [lo, hi).
func (lp *loop) run(t *Task, lo, hi uint64) {
	job, n, grain := lp.job, lp.n, lp.grain
	at := int(lo) * grain
	for b := lo; b < hi; b++ {
		t.begin(b, at)
		job.RunRange(t, at, at+min(grain, n-at))
		at += grain
	}
}

// takeLoop finds a loop that is not in use; nil if all are.
func (t *loopTable) takeLoop(workers int) *loop {
	for {
		used := t.usedLoops.Load()
		i := bits.TrailingZeros64(^used)
		if i == maxLoops {
			return nil
		}
		if t.usedLoops.CompareAndSwap(used, used|1<<i) {
			blocksRun.Add(1)
			if t.loops[i].Load() == nil {
				t.loops[i].Store(&loop{index: i, shares: make([]share, workers)})
			}
			return t.loops[i].Load()
		}
	}
}

// loopTable is the loops of the pool.
type loopTable struct {
	// open has a bit for each loop that can be joined, by the place of its priority. The opener
	// sets it before it opens the loop, the worker that closes the loop takes it away, and idle workers
	// look at it all the time. A bit may be old: joining decides.
	_    [64]byte
	open [priorities]atomic.Uint64
	_    [64 - 8*priorities]byte

	high lane // jobs of priority High, at which idle workers look too

	// loops are made once, by the goroutine that has taken the bit in usedLoops, before open shows them.
	loops [maxLoops]atomic.Pointer[loop]

	// usedLoops has a bit for each loop in use: set by compare-and-swap by the opener,
	// taken back by the goroutine that ends it, after the last use.
	_         [64]byte
	usedLoops atomic.Uint64
	_         [56]byte
}

// openLoops are the loops of a priority that can be joined.
func (t *loopTable) openLoops(pr Priority) uint64 { return t.open[pr.place()].Load() }

// hasOpen reports whether there is a loop that every worker may join.
func (t *loopTable) hasOpen() bool { return t.openLoops(High)|t.openLoops(Normal) != 0 }

// cursor takes blocks of a loop for one seat: from the seat's own share first,
// one or several at a time, then from the shares of others.
type cursor struct {
	loop *loop
	seat *seat
	own  *uint64 // nil for a seat that has no share
	lo   uint64  // the blocks [lo, hi) were taken
	hi   uint64
	left uint64 // blocks in the own share, as far as known
}

func newCursor(lp *loop, s *seat) cursor {
	h := cursor{loop: lp, seat: s}
	if s.index < len(lp.shares) {
		h.own = &lp.shares[s.index].blocks
	}
	return h
}

// take takes the next blocks. It returns false when there are none.
func (h *cursor) take() bool {
	if h.own == nil {
		return h.steal()
	}
	// Several at a time where they are short, but seven eighths stay for thieves.
	n := min(uint64(h.loop.most), h.left/8+1)
	r := atomic.AddUint64(h.own, n)
	h.lo, h.hi = r&math.MaxUint32-n, r>>32
	if h.lo >= h.hi { // the sum is no matter: an empty share is never looked at
		return h.steal()
	}
	h.left = h.hi - min(h.lo+n, h.hi)
	h.hi -= h.left
	return true
}

// steal takes the upper half of another's share, keeps it and takes the first
// block of it; a seat without a share takes one block.
func (h *cursor) steal() bool {
	if h.loop.state.Load()&loopOpen == 0 {
		return false // another has seen that there is nothing left
	}
	shares := h.loop.shares
	n := uint64(len(shares))
	first, _ := bits.Mul64(h.seat.random(), n)
	for i := range n {
		victim := &shares[(first+i)%n].blocks
		for victim != h.own {
			r := atomic.LoadUint64(victim)
			lo, hi := r&math.MaxUint32, r>>32
			if lo >= hi {
				break
			}
			mid := lo + (hi-lo)/2
			if h.own == nil {
				mid = hi - 1
			}
			h.seat.pool.at(h.seat, "is about to take blocks")
			if !atomic.CompareAndSwapUint64(victim, r, mid<<32|lo) {
				continue
			}
			h.lo, h.hi, h.left = mid, mid+1, hi-mid-1
			count(&h.seat.counters.steals)
			if h.own != nil {
				atomic.StoreUint64(h.own, hi<<32|(mid+1))
			}
			return true
		}
	}
	h.lo, h.hi = 0, 0
	return false
}

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
