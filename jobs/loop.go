package jobs

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// loop is a parallel-for while several workers run it. The blocks of a loop are cut into one
// contiguous share for each worker. The same worker always gets the same share, because its caches
// may still hold that data. When a worker's own share is empty, it steals the upper half of another
// share.
//
// Workers join while the loop is open. The first worker that finds no block left closes the loop,
// and the last worker that leaves ends the job. So a worker that wakes up after the loop is closed
// cannot join, and no goroutine waits for it.
type loop struct {
	// A worker that joins needs the fields on this cache line.
	state    atomic.Uint64 // loopOpen and the number of workers inside; stored by the opener after all else, then changed by atomic read-modify-writes of workers that join, close and leave
	node     *jobNode
	job      RangeJob
	n        int
	grain    int
	maxTake  uint32 // largest number of blocks that a worker takes at a time
	priority Priority
	_        [8]byte

	// The following fields hardly ever change.
	shares        []blockShare
	index         int          // in loopTable.all
	workersToWake atomic.Int32 // number of workers that those which join have still to wake; stored by the opener, taken by workers that join; one too many or too few does no harm

	// measured is the time that one worker has measured, if no earlier time of such jobs is known.
	// The time is recorded when all blocks have returned, because a block may still end its
	// goroutine before that. The first worker that ends its part sets isMeasured and stores its time.
	// This need not be the opener: on one CPU, another worker may run all blocks before the opener.
	measured        time.Duration
	measuredIndices int
	isMeasured      atomic.Bool
	_               [4]byte
}

// blockShare is the range [lo, hi) of the blocks that no worker has taken yet. blockShare is alone
// on its cache line.
type blockShare struct {
	// blocks is hi<<32 | lo. The opener stores the blocks without an atomic operation, before it
	// stores the state that lets workers join. While the loop is open, all accesses are atomic. The
	// share's worker takes blocks from the front by adding to lo, and stores a new value when the
	// share is empty. Thieves take blocks from the back by compare-and-swap. The worker and the
	// thieves change the same word, so only one of them gets each block.
	blocks uint64
	_      [56]byte
}

const (
	loopOpen = 1 << 32
	maxLoops = 64
	noLimit  = math.MaxUint64
)

// openToWorkers divides the blocks from first on among the workers and lets workers join. The
// caller is already inside the loop.
func (lp *loop) openToWorkers(first, blocks uint64, ns int64) {
	lp.maxTake = 1
	if ns >= 0 {
		lp.maxTake = uint32(min(max(maxTakeTime*blocks/uint64(ns+1), 1), math.MaxUint32))
	}
	n := uint64(len(lp.shares))
	for i := range lp.shares {
		lo, hi := first+uint64(i)*(blocks-first)/n, first+uint64(i+1)*(blocks-first)/n
		lp.shares[i].blocks = hi<<32 | lo // a plain store, because no worker is inside yet and the store of state publishes it
	}
	lp.node.openLoop.Store(int32(lp.index + 1)) // before the loop is open
	lp.state.Store(loopOpen | 1)
}

// tryJoin enters the loop if it is open.
func (lp *loop) tryJoin() bool {
	if lp.state.CompareAndSwap(loopOpen+1, loopOpen+2) {
		return true // usually only the opener is inside, and a load would transfer the cache line a second time
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

// runBlocks runs the blocks [lo, hi).
func (lp *loop) runBlocks(t *Task, lo, hi uint64) {
	job, n, grain := lp.job, lp.n, lp.grain
	at := int(lo) * grain
	for b := lo; b < hi; b++ {
		t.beginBlock(b, at)
		job.RunRange(t, at, at+min(grain, n-at))
		at += grain
	}
}

// acquireLoop returns a loop that is not in use, or nil if all loops are in use.
func (t *loopTable) acquireLoop(workers int) *loop {
	for {
		used := t.usedBits.Load()
		i := bits.TrailingZeros64(^used)
		if i == maxLoops {
			return nil
		}
		if t.usedBits.CompareAndSwap(used, used|1<<i) {
			blockRunners.Add(1)
			if t.all[i].Load() == nil {
				t.all[i].Store(&loop{index: i, shares: make([]blockShare, workers)})
			}
			return t.all[i].Load()
		}
	}
}

// loopTable holds the loops of a pool.
type loopTable struct {
	// openBits has one word for each priority. In that word, the bit of a loop is set while workers
	// can join the loop. The opener sets the bit before it opens the loop. The worker that closes
	// the loop clears the bit. Idle workers read the words all the time. A bit may be out of date,
	// so only tryJoin decides whether a worker enters.
	_        [64]byte
	openBits [priorities]atomic.Uint64
	_        [64 - 8*priorities]byte

	highQueue priorityQueue // idle workers look at it together with openBits

	// Each loop is allocated once, by the goroutine that has taken the loop's bit in usedBits,
	// before openBits shows the loop.
	all [maxLoops]atomic.Pointer[loop]

	// usedBits has a bit for each loop in use. The opener sets the bit by compare-and-swap. The
	// goroutine that ends a loop clears its bit in usedBits after the last use.
	_        [64]byte
	usedBits atomic.Uint64
	_        [56]byte
}

// openLoops returns the bits of the loops of a priority that can be joined.
func (t *loopTable) openLoops(pr Priority) uint64 { return t.openBits[pr.index()].Load() }

// hasOpenLoop reports whether there is a loop that every worker may join.
func (t *loopTable) hasOpenLoop() bool { return t.openLoops(High)|t.openLoops(Normal) != 0 }

// blockCursor takes blocks of a loop for one context. It takes blocks from the context's own share
// first, one or several at once, then from other shares.
type blockCursor struct {
	loop        *loop
	ctx         *workerContext
	ownShare    *uint64 // nil for a context without a share
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

// nextBlocks takes the next blocks. nextBlocks returns false when there are none.
func (c *blockCursor) nextBlocks() bool {
	if c.ownShare == nil {
		return c.stealBlocks()
	}
	// If the blocks are short, take several at a time, but leave seven eighths to thieves.
	n := min(uint64(c.loop.maxTake), c.leftInShare/8+1)
	r := atomic.AddUint64(c.ownShare, n)
	c.lo, c.hi = r&math.MaxUint32-n, r>>32
	if c.lo >= c.hi { // the sum may exceed hi, because empty shares are not read
		return c.stealBlocks()
	}
	c.leftInShare = c.hi - min(c.lo+n, c.hi)
	c.hi -= c.leftInShare
	return true
}

// stealBlocks makes the upper half of another share the context's own share, and takes the first
// block of it. A context without a share takes one block.
func (c *blockCursor) stealBlocks() bool {
	if c.loop.state.Load()&loopOpen == 0 {
		return false // another worker has found that no block is left
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

// wakeForLoop wakes workers for a loop that was just opened, if that seems worth it. The loop takes
// ns nanoseconds and has n blocks for other workers. The code evaluates allWorkersAsleep again
// here; it does no harm if a worker has woken up meanwhile.
func (lp *loop) wakeForLoop(wc *workerContext, ns int64, n int) {
	p := wc.pool
	worth := ns < 0 || ns >= p.sleepers.Cost.Worth()
	if p.sleepers.Count() != 0 && (worth || allWorkersAsleep(p, ns)) {
		lp.wakeWorkers(wc, n, ns)
	}
	if p.waiters.Count() != 0 && worth {
		p.hookAt(wc, "is about to wake the waits for a loop")
		p.waiters.WakeAll() // a goroutine may wait for this loop that has found it claimed but not open yet
	}
}

// workOpened runs blocks of a loop that this context has opened, and leaves the loop.
func (lp *loop) workOpened(wc *workerContext, plan *loopPlan, then continuation) *jobNode {
	stats, n := lp.node.stats, lp.n
	if plan.estimateNs >= 0 && plan.estimateNs < alwaysTimed && !wc.timing.shouldTime(stats, n) {
		lp.workAll(wc)
	} else {
		start := clock()
		if t := lp.workAll(wc); t.blocksTaken > 0 {
			if took, n := clock()-start, int(t.blocksTaken)*lp.grain; stats.hasCompleted() {
				stats.recordCost(took, n)
			} else {
				lp.keepMeasured(took, n)
			}
		}
	}
	if plan.began != 0 { // set only now, because loops that were opened inside this one report first
		wc.openedLoop = openedLoop{Handle{node: lp.node, gen: generation(lp.node.word.Load())}, plan.tuner, plan.began, stats, n}
	}
	return lp.leaveLoop(wc, then)
}

// workJoined runs blocks of a loop that this context has joined, until no block is left. If this
// context is the last to leave, it ends the job.
func (lp *loop) workJoined(wc *workerContext, then continuation) *jobNode {
	if lp.node.stats.hasCompleted() {
		lp.workAll(wc)
	} else {
		start := clock()
		if t := lp.workAll(wc); t.blocksTaken > 0 {
			lp.keepMeasured(clock()-start, int(t.blocksTaken)*lp.grain)
		}
	}
	return lp.leaveLoop(wc, then)
}

// keepMeasured keeps the time that a worker needed for n indices, unless another worker was first.
// The worker must not have left the loop yet, because the last worker that leaves reads the time.
func (lp *loop) keepMeasured(took time.Duration, n int) {
	if lp.isMeasured.CompareAndSwap(false, true) {
		lp.measured, lp.measuredIndices = took, n
	}
}

// workAll takes and runs blocks until none are left. workAll returns the task that ran the blocks.
func (lp *loop) workAll(wc *workerContext) *Task {
	t := wc.pushTask(lp.node)
	t.takenEnd = 0
	for !lp.workOnce(wc, t) {
	}
	wc.stack.popTask()
	return t
}

// leaveLoop closes the loop if it is open, and ends it if no other worker is inside.
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

// leaveUnworked leaves a loop that this context has joined by mistake, without closing it.
func (lp *loop) leaveUnworked(wc *workerContext, then continuation) *jobNode {
	if lp.state.Add(^uint64(0)) != 0 {
		return nil
	}
	return lp.finishLoop(wc, then) // another worker has closed it meanwhile
}

// finishLoop ends the body of a loop that all workers have left.
func (lp *loop) finishLoop(wc *workerContext, then continuation) *jobNode {
	node, index := lp.node, lp.index
	lp.node, lp.job = nil, nil
	if lp.measuredIndices != 0 {
		if node.word.Load()&wordFailed == 0 {
			node.stats.recordCost(lp.measured, lp.measuredIndices)
		}
		lp.measuredIndices = 0
		lp.isMeasured.Store(false)
	}
	next := wc.finishBody(node, then) // first, because a goroutine may wait for it
	blockRunners.Add(-1)
	wc.pool.loops.usedBits.And(^uint64(1 << index))
	if wc.openedLoop.tuner != nil {
		wc.openedLoop.reportIfDone(wc.openedLoop.loop)
	}
	return next
}

// workOnce takes and runs blocks until none are left. workOnce returns false if a block has failed.
// In that case another call of workOnce runs the remaining blocks.
func (lp *loop) workOnce(wc *workerContext, t *Task) (over bool) {
	t.bodyReturned, t.bodyEnded = false, false
	var sp jobSpan
	if wc.pool.isObserved() {
		sp = newJobSpan(wc, lp.node)
	}
	before := t.blocksTaken
	defer func() {
		if sp.recording {
			sp.end(lp.node, int(t.blocksTaken-before))
		}
		if t.bodyReturned {
			return
		}
		exit := wc.recordFailure(lp.node, t, recover())
		if exit != nil { // the goroutine is ending, so its callers will not do the rest
			t.exiting = true
			for !lp.workOnce(wc, t) {
			}
			t.exiting = false
			wc.stack.popTask()
			wc.propagateExit(exit)
			wc.enqueueIfAny(lp.leaveLoop(wc, noContinuation))
		}
	}()
	well := true
	if wc.mustIsolate(lp.node) {
		well = wc.runIsolated(lp.node, t, func() { lp.takeBlocks(wc, t) })
	} else {
		lp.takeBlocks(wc, t)
	}
	t.bodyReturned = true
	return well
}

// takeBlocks takes and runs blocks until none are left. It begins with the blocks that the task
// had taken together with a block that failed.
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
