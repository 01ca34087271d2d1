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
