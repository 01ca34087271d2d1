package jobs

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"
)

// What it costs to wake a worker, and how long it then takes until that runs: a
// first guess, and from then on what was measured.
const (
	guessedCall    = 10 * time.Microsecond
	guessedLatency = 20 * time.Microsecond
)

// park marks a worker as asleep.
func (p *Pool) park(index int) {
	p.parked[index/64].Or(1 << (index % 64))
	p.parkedCount.Add(1)
}

// isParked reports whether a worker is marked as asleep.
func (p *Pool) isParked(index int) bool { return p.parked[index/64].Load()&(1<<(index%64)) != 0 }

// unpark takes the mark away; false if somebody else did, to wake the worker.
func (p *Pool) unpark(index int) bool {
	bit := uint64(1) << (index % 64)
	if p.parked[index/64].And(^bit)&bit == 0 {
		return false
	}
	p.parkedCount.Add(-1)
	return true
}

// wakeOne wakes the lowest worker that is asleep.
func (p *Pool) wakeOne() bool {
	for i := range p.parked {
		for w := p.parked[i].Load(); w != 0; w = p.parked[i].Load() {
			index := i*64 + bits.TrailingZeros64(w)
			if p.wakeWorker((*p.seats.Load())[index]) {
				return true
			}
		}
	}
	return false
}

// wakeWorker wakes the worker of a seat, if it is asleep.
func (p *Pool) wakeWorker(s *seat) bool {
	if !p.unpark(s.index) {
		return false
	}
	p.at(nil, "is about to call a worker")
	start := clock()
	s.wokenAt.Store(int64(start))
	s.bed.rouse()
	smooth(&p.wakeCall, clock()-start)
	p.wakes.Add(1)
	return true
}

// smooth moves an average a little towards a new value.
func smooth(average *atomic.Int64, value time.Duration) {
	old := average.Load()
	average.Store(old + (min(int64(value), 4*old)-old)/8)
}

// announce says that n jobs have become ready that will take ns nanoseconds in
// all; negative if that is not known.
func (p *Pool) announce(n int, ns int64) {
	p.hot(nil, "announces")
	if p.parkedCount.Load() == 0 {
		// All workers are awake. They may all be waiting inside jobs, and what
		// they wait for may be what has become ready.
		if p.asleep.Load() > 0 && p.searching.Load() == 0 {
			p.at(nil, "is about to wake sleepers")
			p.wakeSleepers()
		}
		return
	}
	if uint64(ns) < uint64(n)*tinyJob || !p.wake(n, ns) {
		p.wantSentinel()
	}
}

// wantSentinel leaves small jobs to whoever waits for them; should nobody, the
// sentinel will find them. If there is none, the worker that is woken here will
// become one.
func (p *Pool) wantSentinel() {
	if !p.wanted.Load() && !p.wanted.Swap(true) && !p.sentinel.Load() {
		p.at(nil, "has asked for a sentinel")
		p.wakeOne()
	}
}

// wake wakes workers for n jobs or blocks, as many as their ns nanoseconds are
// worth. It returns false if they are not worth waking one.
func (p *Pool) wake(n int, ns int64) bool {
	n = min(n-int(p.searching.Load()), int(p.parkedCount.Load()))
	if n <= 0 {
		return true
	}
	if !p.worthWaking(ns) {
		return false
	}
	for range min(p.wakeUseful(n, ns), 2) {
		p.wakeOne()
	}
	return true
}

// wakeUseful is how many of n workers are worth waking one after the other.
func (p *Pool) wakeUseful(n int, ns int64) int {
	if ns < 0 {
		return n
	}
	return min(n, int(ns/(2*(p.wakeCall.Load()+1)))+1)
}

// wakeForLoop wakes workers for a loop with work for n others. The first two
// wake the next ones as they join.
func (s *seat) wakeForLoop(lp *loop, n int, ns int64) {
	p := s.pool
	n = min(n-int(p.searching.Load()), int(p.parkedCount.Load()))
	if n <= 0 {
		return
	}
	n = p.wakeUseful(n, ns)
	lp.toWake.Store(int32(n - 2))
	for range min(n, 2) {
		p.wakeOne()
	}
	if s.bed.yields() {
		// The runtime starts the worker on this processor at once, and the
		// caller on the one that is waking up: else the worker would have to
		// wait until it is stolen from here.
		runtime.Gosched()
	}
}

// relayLoop is called by a worker that has joined a loop.
func (p *Pool) relayLoop(lp *loop) {
	for range 2 {
		if lp.toWake.Load() > 0 && lp.toWake.Add(-1) >= 0 {
			p.wakeOne()
		}
	}
}

// worthWaking reports whether ns nanoseconds of work, by themselves or together
// with what has come shortly before, are worth waking a worker. What is not
// known is.
func (p *Pool) worthWaking(ns int64) bool {
	return ns < 0 || ns >= p.wakeWorth() || p.owe(ns)
}

// wakeWorth is how much work makes it worth while to wake a worker: with one
// more worker it is done in half the time and what waking costs.
func (p *Pool) wakeWorth() int64 { return 2 * (p.wakeCall.Load() + p.wakeLatency.Load()) }

// oweTime is how long work that woke nobody is remembered.
const oweTime = 200 * time.Microsecond

// owe adds up work that was too small to wake a worker. It returns true when
// together it is worth it.
func (p *Pool) owe(ns int64) bool {
	// What was measured while the machine was busy shall not hold for ever.
	if l := p.wakeLatency.Load(); l > int64(guessedLatency) {
		p.wakeLatency.Store(l - l/256)
	}
	now := int64(clock())
	if now-p.owedAt.Swap(now) > int64(oweTime) {
		p.owed.Store(ns)
		return false
	}
	if p.owed.Add(ns) < p.wakeWorth() {
		return false
	}
	p.owed.Store(0)
	return true
}

// awoken is called by a worker that was asleep.
func (s *seat) awoken() {
	if at := s.wokenAt.Swap(0); at != 0 {
		took := clock() - time.Duration(at)
		smooth(&s.pool.wakeLatency, took)
		s.pool.notice(took, lateWake)
	}
}

// relay is called by a worker that has found something to do where there is
// more: it wakes another if work of about ns nanoseconds is left.
func (p *Pool) relay(ns int64) {
	if p.parkedCount.Load() > 0 && p.searching.Load() == 0 && (ns < 0 || ns >= p.wakeWorth()) {
		p.wakeOne()
	}
}
