package jobs

import (
	"runtime"
	"sync"
	"time"
)

// An idle worker goes down a ladder: it stays awake for a while, then it sleeps
// until it is woken. While small jobs were left to be fetched, one worker, the
// sentinel, sleeps only a millisecond at a time.

const (
	lookRounds   = 24 // probes for loops between two looks into the deques
	spinOutside  = 20 * time.Microsecond
	spinWaiting  = 20 * time.Microsecond // of a goroutine that waits for a job
	sentinelNap  = time.Millisecond
	sentinelNaps = 32 // without work; then the sentinel sleeps like the others

	// lostGap is how long a pause cannot take: the processor was taken away.
	// lateWake is how long whoever is woken does not wait for one, if one is free.
	lostGap    = 50 * time.Microsecond
	lateWake   = time.Millisecond
	maxCrowded = 6
	calmTime   = 100 * time.Millisecond // without a sign of others that takes one sign back
)

// Spin sets how long an idle worker stays awake in a scope before it sleeps;
// 100 µs if it is not set. Longer than the longest gap between two jobs of a
// frame is best; 0 saves power.
func Spin(limit time.Duration) Option { return func(p *Pool) { p.spin = limit } }

// pauseRounds is how many rounds of pause take some 40 nanoseconds.
var pauseRounds = sync.OnceValue(func() uint32 {
	best := time.Hour
	for range 20 {
		start := clock()
		pause(64)
		best = min(best, clock()-start)
	}
	return uint32(min(max(64*40/(best+1), 1), 64))
})

// idle waits until there may be work.
func (s *seat) idle() {
	p := s.pool
	limit := p.spinLimit(spinOutside)
	if p.scopes.Load() > 0 {
		limit = p.spinLimit(p.spin)
	}
	if limit > 0 && s.spinForWork(limit) {
		return
	}
	s.sleep()
}

// spinLimit is how long to stay awake on a machine as crowded as this one.
func (p *Pool) spinLimit(limit time.Duration) time.Duration {
	if p.processors.Load() == 1 {
		return 0
	}
	return limit >> p.signs()
}

// spinForWork stays awake until there may be work, but no longer than limit.
// Open loops are what it looks for all the time; into the deques it looks less
// often, because that costs their owners.
func (s *seat) spinForWork(limit time.Duration) bool {
	p := s.pool
	counted := false
	defer func() {
		if counted {
			p.searching.Add(-1)
		}
	}()
	start := clock()
	last := start
	for round := 1; ; round++ {
		if p.openLoops(High)|p.openLoops(Normal) != 0 || p.high.size.Load() > 0 || p.closed.Load() {
			return true
		}
		if round%lookRounds == 0 {
			if p.hasBackground() {
				return true
			}
			for i, victim := range *p.seats.Load() {
				if s.ripe(victim, i) {
					return true
				}
			}
		}
		pause(p.pauses)
		if round%32 != 0 {
			continue
		}
		if !counted {
			counted, s.searched = true, true
			p.searching.Add(1)
			s.publish()
		}
		now := clock()
		p.notice(now-last, lostGap)
		if now-start > limit {
			count(&s.counters.spins)
			s.counters.spun.Store(s.counters.spun.Load() + int64(now-start))
			return false
		}
		if round%128 == 0 {
			runtime.Gosched() // timers and the garbage collector want to run too
			now = clock()
		}
		last = now
	}
}

// notice takes a time that was too long as a sign that others use the machine
// too. Each sign halves the time that is spent awake, and is remembered for
// calmTime: whoever hardly spins any more sees few of them.
func (p *Pool) notice(took, most time.Duration) {
	if took > most {
		p.crowdedAt.Store(int64(clock())) // first: else an old time would make the sign look old
		p.crowded.Store(min(p.crowded.Load()+1, maxCrowded))
	}
}

// signs is how many signs are remembered. Those that are old are forgotten; it is
// no matter that one is lost where several workers see some at a time.
func (p *Pool) signs() int32 {
	n := p.crowded.Load()
	if n == 0 {
		return 0
	}
	now := int64(clock())
	if old := (now - p.crowdedAt.Load()) / int64(calmTime); old > 0 {
		n -= int32(min(old, int64(n)))
		p.crowded.Store(n)
		p.crowdedAt.Store(now)
	}
	return n
}

// spinFor stays awake for a while in the hope that the job will be done.
func (s *seat) spinFor(h Handle) {
	p := s.pool
	limit := p.spinLimit(spinWaiting)
	if limit == 0 {
		runtime.Gosched()
		return
	}
	start := clock()
	last := start
	for round := 1; !h.Done(); round++ {
		pause(p.pauses)
		if round%32 != 0 {
			continue
		}
		now := clock()
		p.notice(now-last, lostGap)
		if now-start > limit {
			return
		}
		last = now
	}
}

// sleep parks a worker until it is woken.
func (s *seat) sleep() {
	p := s.pool
	p.at(s, "is about to park")
	s.woken = true
	p.lookAround()
	s.wokenAt.Store(0) // the sentinel may have risen without a look at it
	p.park(s.index)
	p.at(s, "has parked")
	if p.hasWork() || p.closed.Load() || s.owns() {
		if p.unpark(s.index) {
			return
		}
		// somebody is about to wake it: then the sleep is short
	} else {
		p.at(s, "has looked once more")
		s.searched, s.moved = false, false // there is nothing left to pass on
		if p.wanted.Load() && p.sentinel.CompareAndSwap(false, true) && s.watch() {
			return
		}
	}
	for s.rest(0); p.isParked(s.index); s.rest(0) {
		// The call was for a wait that is over.
	}
	s.awoken()
}

// rest sleeps until the seat is roused, or for a time if that is not 0.
func (s *seat) rest(limit time.Duration) {
	count(&s.counters.sleeps)
	s.publish()
	e := s.events.Load()
	if e == nil {
		s.bed.sleep(limit)
		return
	}
	start := clock()
	s.bed.sleep(limit)
	e.add(event{start: start, end: clock()})
}

// watch is the sleep of the sentinel. It returns true when it was woken or has
// found something to do, and false when it is no longer needed: then the
// worker is still marked as asleep.
func (s *seat) watch() bool {
	p := s.pool
	for range sentinelNaps {
		s.rest(sentinelNap)
		if !p.isParked(s.index) {
			p.sentinel.Store(false)
			return true
		}
		if p.hasWork() {
			p.sentinel.Store(false)
			p.unpark(s.index)
			return true
		}
	}
	p.at(s, "is no sentinel any longer")
	p.sentinel.Store(false)
	p.at(s, "takes back that one is wanted")
	p.wanted.Swap(false)
	p.at(s, "looks a last time")
	if p.hasWork() { // left before wanted was taken back
		p.unpark(s.index)
		return true
	}
	return false
}
