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
	node     *jobNode
	job      RangeJob
	n        int
	grain    int
	maxTake  uint32 // blocks to take at a time, at most
	priority Priority
	_        [8]byte

	// What hardly ever changes.
	shares []blockShare
	index  int          // in Pool.loops
	toWake atomic.Int32 // workers that those that join have still to wake: stored by the opener, taken by them; one too many or few does no harm

	// What the opener has measured of a kind that is not known: that is learned when
	// all blocks have come to their end, since until then one may end its goroutine.
	measured        time.Duration
	measuredIndices int
	_               [8]byte
}

// share is the part [lo, hi) of the blocks that are not taken yet, alone on its cache line.
type blockShare struct {
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
func (lp *loop) openToWorkers(first, blocks uint64, ns int64) {
	lp.maxTake = 1
	if ns >= 0 {
		lp.maxTake = uint32(min(max(maxTakeTime*blocks/uint64(ns+1), 1), math.MaxUint32))
	}
	n := uint64(len(lp.shares))
	for i := range lp.shares {
		lo, hi := first+uint64(i)*(blocks-first)/n, first+uint64(i+1)*(blocks-first)/n
		lp.shares[i].blocks = hi<<32 | lo // no worker is inside, and state publishes it
	}
	lp.node.openLoop.Store(int32(lp.index + 1)) // before it is open
	lp.state.Store(loopOpen | 1)
}

// join enters an open loop.
func (lp *loop) tryJoin() bool {
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
func (lp *loop) runBlocks(t *Task, lo, hi uint64) {
	job, n, grain := lp.job, lp.n, lp.grain
	at := int(lo) * grain
	for b := lo; b < hi; b++ {
		t.beginBlock(b, at)
		job.RunRange(t, at, at+min(grain, n-at))
		at += grain
	}
}

// takeLoop finds a loop that is not in use; nil if all are.
func (t *loopTable) acquireLoop(workers int) *loop {
	for {
		used := t.usedBits.Load()
		i := bits.TrailingZeros64(^used)
		if i == maxLoops {
			return nil
		}
		if t.usedBits.CompareAndSwap(used, used|1<<i) {
			blocksRun.Add(1)
			if t.all[i].Load() == nil {
				t.all[i].Store(&loop{index: i, shares: make([]blockShare, workers)})
			}
			return t.all[i].Load()
		}
	}
}

// loopTable is the loops of the pool.
type loopTable struct {
	// open has a bit for each loop that can be joined, by the place of its priority. The opener
	// sets it before it opens the loop, the worker that closes the loop takes it away, and idle workers
	// look at it all the time. A bit may be old: joining decides.
	_        [64]byte
	openBits [priorities]atomic.Uint64
	_        [64 - 8*priorities]byte

	highQueue priorityQueue // jobs of priority High, at which idle workers look too

	// loops are made once, by the goroutine that has taken the bit in usedLoops, before open shows them.
	all [maxLoops]atomic.Pointer[loop]

	// usedLoops has a bit for each loop in use: set by compare-and-swap by the opener,
	// taken back by the goroutine that ends it, after the last use.
	_        [64]byte
	usedBits atomic.Uint64
	_        [56]byte
}

// openLoops are the loops of a priority that can be joined.
func (t *loopTable) openLoops(pr Priority) uint64 { return t.openBits[pr.index()].Load() }

// hasOpen reports whether there is a loop that every worker may join.
func (t *loopTable) hasOpenLoop() bool { return t.openLoops(High)|t.openLoops(Normal) != 0 }

// cursor takes blocks of a loop for one seat: from the seat's own share first,
// one or several at a time, then from the shares of others.
type blockCursor struct {
	loop        *loop
	ctx         *workerContext
	ownShare    *uint64 // nil for a seat that has no share
	lo          uint64  // the blocks [lo, hi) were taken
	hi          uint64
	leftInShare uint64 // blocks in the own share, as far as known
}

func newBlockCursor(lp *loop, wc *workerContext) blockCursor {
	c := blockCursor{loop: lp, ctx: wc}
	if wc.index < len(lp.shares) {
		c.ownShare = &lp.shares[wc.index].blocks
	}
	return c
}

// take takes the next blocks. It returns false when there are none.
func (c *blockCursor) nextBlocks() bool {
	if c.ownShare == nil {
		return c.stealBlocks()
	}
	// Several at a time where they are short, but seven eighths stay for thieves.
	n := min(uint64(c.loop.maxTake), c.leftInShare/8+1)
	r := atomic.AddUint64(c.ownShare, n)
	c.lo, c.hi = r&math.MaxUint32-n, r>>32
	if c.lo >= c.hi { // the sum is no matter: an empty share is never looked at
		return c.stealBlocks()
	}
	c.leftInShare = c.hi - min(c.lo+n, c.hi)
	c.hi -= c.leftInShare
	return true
}

// steal takes the upper half of another's share, keeps it and takes the first
// block of it; a seat without a share takes one block.
func (c *blockCursor) stealBlocks() bool {
	if c.loop.state.Load()&loopOpen == 0 {
		return false // another has seen that there is nothing left
	}
	shares := c.loop.shares
	n := uint64(len(shares))
	first, _ := bits.Mul64(c.ctx.steal.random(), n)
	for i := range n {
		victim := &shares[(first+i)%n].blocks
		for victim != c.ownShare {
			r := atomic.LoadUint64(victim)
			lo, hi := r&math.MaxUint32, r>>32
			if lo >= hi {
				break
			}
			mid := lo + (hi-lo)/2
			if c.ownShare == nil {
				mid = hi - 1
			}
			c.ctx.pool.hookAt(c.ctx, "is about to take blocks")
			if !atomic.CompareAndSwapUint64(victim, r, mid<<32|lo) {
				continue
			}
			c.lo, c.hi, c.leftInShare = mid, mid+1, hi-mid-1
			increment(&c.ctx.counters.steals)
			if c.ownShare != nil {
				atomic.StoreUint64(c.ownShare, hi<<32|(mid+1))
			}
			return true
		}
	}
	c.lo, c.hi = 0, 0
	return false
}

// call wakes workers for a loop that was opened and will take ns nanoseconds,
// besides the opener on n blocks at most, if that seems worth it. Whether they all sleep
// is asked again: it is no matter that one has woken up meanwhile.
func (lp *loop) wakeForLoop(wc *workerContext, ns int64, n int) {
	p := wc.pool
	worth := ns < 0 || ns >= p.lot.Cost.Worth()
	if p.lot.Count() != 0 && (worth || allWorkersAsleep(p, ns)) {
		lp.wakeWorkers(wc, n, ns)
	}
	if p.waiters.Count() != 0 && worth {
		p.hookAt(wc, "is about to wake the waits for a loop")
		p.waiters.WakeAll() // one may wait for it, that has found it claimed, but not yet open
	}
}

// workOpened works in a loop that the seat has opened, and leaves it.
func (lp *loop) workOpened(wc *workerContext, run *loopPlan, then continuation) *jobNode {
	stats, n := lp.node.stats, lp.n
	if run.ns >= 0 && run.ns < alwaysTimed && !wc.timing.shouldTime(stats) {
		lp.workAll(wc)
	} else {
		start := clock()
		if t := lp.workAll(wc); t.blocksTaken > 0 {
			if took, n := clock()-start, int(t.blocksTaken)*lp.grain; stats.hasCompleted() {
				stats.recordCost(took, n)
			} else {
				lp.measured, lp.measuredIndices = took, n
			}
		}
	}
	if run.began != 0 { // not before: loops that were opened inside of it are told of first
		wc.openedLoop = openedLoop{Handle{node: lp.node, gen: generation(lp.node.word.Load())}, run.tuner, run.began, stats, n}
	}
	return lp.leaveLoop(wc, then)
}

// share works in a loop that the seat has joined until nothing is left, and
// ends the job if the seat is the last to leave.
func (lp *loop) workJoined(wc *workerContext, then continuation) *jobNode {
	lp.workAll(wc)
	return lp.leaveLoop(wc, then)
}

// workAll takes blocks until there are none. It returns the task that ran
// them.
func (lp *loop) workAll(wc *workerContext) *Task {
	t := wc.pushTask(lp.node)
	t.takenEnd = 0
	for !lp.workOnce(wc, t) {
	}
	wc.stack.popTask()
	return t
}

// leave closes the loop if it is open, and ends it if no other worker is in it.
func (lp *loop) leaveLoop(wc *workerContext, then continuation) *jobNode {
	for {
		st := lp.state.Load()
		if st&loopOpen == 0 {
			break
		}
		if lp.state.CompareAndSwap(st, st&^loopOpen) {
			wc.pool.loops.openBits[lp.priority.index()].And(^uint64(1 << lp.index))
			break
		}
	}
	wc.pool.hookHot(wc, "has closed a loop")
	if lp.state.Add(^uint64(0)) != 0 {
		return nil
	}
	return lp.finishLoop(wc, then)
}

// quit leaves a loop that the seat has joined by mistake, and does not close
// it.
func (lp *loop) leaveUnworked(wc *workerContext, then continuation) *jobNode {
	if lp.state.Add(^uint64(0)) != 0 {
		return nil
	}
	return lp.finishLoop(wc, then) // it was closed meanwhile
}

// end ends the body of a loop that all have left.
func (lp *loop) finishLoop(wc *workerContext, then continuation) *jobNode {
	node, index := lp.node, lp.index
	lp.node, lp.job = nil, nil
	if lp.measuredIndices != 0 {
		if node.word.Load()&wordFailed == 0 {
			node.stats.recordCost(lp.measured, lp.measuredIndices)
		}
		lp.measuredIndices = 0
	}
	next := wc.finishBody(node, then) // first of all: a goroutine may wait for it
	blocksRun.Add(-1)
	wc.pool.loops.usedBits.And(^uint64(1 << index))
	if wc.openedLoop.tuner != nil {
		wc.openedLoop.reportIfDone(wc.openedLoop.loop)
	}
	return next
}

// work takes blocks until there are none. It returns false when a block has
// failed: the others run in the next call.
func (lp *loop) workOnce(wc *workerContext, t *Task) (over bool) {
	t.returned, t.bodyEnded = false, false
	var sp jobSpan
	if wc.pool.observed() {
		sp = newJobSpan(wc, lp.node)
	}
	before := t.blocksTaken
	defer func() {
		if sp.on {
			sp.end(lp.node, int(t.blocksTaken-before))
		}
		if t.returned {
			return
		}
		exit := wc.recordFailure(lp.node, t, recover())
		if exit != nil { // the goroutine is ending: do what its callers will not
			t.exiting = true
			for !lp.workOnce(wc, t) {
			}
			t.exiting = false
			wc.stack.popTask()
			wc.propagateExit(exit)
			wc.enqueueClaimed(lp.leaveLoop(wc, noContinuation))
		}
	}()
	well := true
	if wc.mustIsolate(lp.node) {
		well = wc.runIsolated(lp.node, t, func() { lp.takeBlocks(wc, t) })
	} else {
		lp.takeBlocks(wc, t)
	}
	t.returned = true
	return well
}

// takeBlocks takes blocks and runs them until there are none. It begins with those that the
// task has taken together with a block that failed.
func (lp *loop) takeBlocks(wc *workerContext, t *Task) {
	if t.block+1 < t.takenEnd {
		lp.runBlocks(t, t.block+1, t.takenEnd)
	}
	cursor := newBlockCursor(lp, wc)
	for cursor.nextBlocks() {
		t.blocksTaken += cursor.hi - cursor.lo
		t.takenEnd = cursor.hi
		lp.runBlocks(t, cursor.lo, cursor.hi)
	}
}
