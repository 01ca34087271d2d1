package jobs

import (
	"math/bits"
)

// worker is a seat for a goroutine that looks for something to do: as a rule one of the pool's
// goroutines, which goes from job to job and sleeps where there is none.
type worker struct{ *seat }

// work is the life of one of the pool's goroutines.
func (s worker) work() {
	p := s.pool
	g := goroutineID()
	p.goroutines.come(nil)
	p.mu.Lock()
	p.registry.add(g, s.seat)
	s.holder.Store(g)
	s.nested, s.depth, s.steps = 1, 0, s.steps[:0]
	p.mu.Unlock()
	ended := false
	defer func() {
		s.publish()
		p.mu.Lock()
		p.registry.remove(g)
		p.mu.Unlock()
		if !ended { // a job called runtime.Goexit: another goroutine goes on
			go s.work()
		}
		p.goroutines.leave(!ended)
		p.at(s.seat, hasEnded)
	}()
	for s.serve() {
	}
	ended = true
}

// serve does one thing that can be done, or waits for one. It returns false
// when the pool is closed and there is nothing left.
func (s worker) serve() bool {
	p := s.pool
	s.opened.trial = nil // if others are still in the last loop, nothing here waits to see its end
	if ownedReady.Load() > 0 && runOwned(s.seat) > 0 {
		return true
	}
	if sl := p.high.claim((*slot).claim); sl != nil {
		s.passOn()
		s.execute(sl)
		return true
	}
	if s.joinAny(High) || s.joinAny(Normal) {
		return true
	}
	if sl := s.find(); sl != nil {
		if sl.kind.prompt.Load() != 0 {
			sl.kind.prompt.Store(0) // the goroutine that scheduled it had better things to do than to wait
		}
		s.passOn()
		s.execute(sl)
		return true
	}
	if !s.spared && s.background() {
		return true
	}
	s.hasNoBlock()
	if p.closed.Load() {
		return false
	}
	s.idle()
	return true
}

// background runs a background job, if there is one and few enough workers do
// that.
func (s worker) background() bool {
	p := s.pool
	if !p.hasBackground() {
		return false
	}
	if p.permits.Add(-1) < 0 {
		p.permits.Add(1)
		return false
	}
	s.permit = true
	defer func() {
		s.permit = false
		p.permits.Add(1)
	}()
	if sl := p.background.claim((*slot).claimSpare); sl != nil {
		s.passOn()
		s.execute(sl)
		return true
	}
	return s.joinAny(Background)
}

// joinAny works in an open loop of a priority, if there is one.
func (s worker) joinAny(pr Priority) bool {
	p := s.pool
	for open := p.openLoops(pr); open != 0; open &= open - 1 {
		if lp := p.loops[bits.TrailingZeros64(open)].Load(); lp.join() {
			if lp.priority != pr { // not the loop that was seen
				lp.quit(s.seat, nothingElse)
				continue
			}
			count(&s.counters.joined)
			s.passOn()
			lp.relay(&p.lot)
			s.execute(lp.share(s.seat, anything))
			return true
		}
	}
	return false
}

// find claims a job: the seat's newest, or else the oldest of another seat.
func (s worker) find() *slot {
	if sl := s.runnext.Load(); sl != nil && sl.claim() {
		return sl
	}
	for sl := s.deque.pop(); sl != nil; sl = s.deque.pop() {
		if sl.claim() {
			return sl
		}
	}
	s.spared = false
	seats := *s.pool.seats.Load()
	first, _ := bits.Mul64(s.random(), uint64(len(seats)))
	for i := range seats {
		i = (int(first) + i) % len(seats)
		victim := seats[i]
		if victim == s.seat {
			continue
		}
		if sl := s.stealFrom(victim, i); sl != nil {
			if n := victim.deque.size(); n > 0 {
				s.pool.lot.Relay(sl.kind.estimate(n))
			}
			return sl
		}
	}
	return nil
}

// thief is what a worker remembers of its search for work.
type thief struct {
	rng      uint64
	looks    []look // by seat: what was seen in its deque
	searched bool   // it was counted as one that looks for work, and has not passed on since
	moved    bool   // it has taken jobs from another seat's deque into its own
	woken    bool   // it has slept and not found anything to do since
	spared   bool   // the last search has left a job alone: see worthStealing
}

// look is what a thief has seen of another seat.
type look struct {
	runnext Handle // its runnext
	top     int64  // the oldest entry of its deque
	count   uint64 // of jobs that were scheduled or run there
	times   int    // that it looked like that
	skip    int    // looks to leave out
}

// random is a step of xorshift64*.
func (t *thief) random() uint64 {
	x := t.rng
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	t.rng = x
	return x * 0x2545f4914f6cdd1d
}

// How often a thief looks at jobs that no other takes before it does. A single
// one is left alone at first sight: as a rule the goroutine that has scheduled it is about
// to wait for it, and would rather find it than have it done far away. Tiny
// ones are left alone as long as their seat schedules or runs any; even to look
// at them often would cost more than they are worth.
const (
	looksAtOne  = 2
	looksAtTiny = 4
	tinySkip    = 8
)

// worthStealing reports whether to steal from seat i, the victim. Of a seat that offers
// tiny jobs it touches, as a rule, one cache line that hardly ever changes. In a pool that is closing
// there may be no second look.
//
// The invariant: a thief that leaves a job alone has noted what it saw, says so in spared,
// and looks again before it sleeps, so that after as many looks as its patience nothing is
// left that no other has taken. Looks that are left out do not count as seen.
func (t *thief) worthStealing(victim *seat, i int, closing bool) bool {
	for i >= len(t.looks) {
		t.looks = append(t.looks, look{})
	}
	last := &t.looks[i]
	tiny := victim.tiny.Load() && !closing
	if tiny {
		if last.skip--; last.skip > 0 {
			return false
		}
		last.skip = tinySkip
	}
	now := look{runnext: victim.onRunnext(), top: victim.deque.top.Load(), skip: last.skip}
	n := victim.deque.size()
	if now.runnext.slot != nil {
		n++
	}
	if n <= 0 {
		return false
	}
	patience := 1
	if n == 1 && !closing {
		patience = looksAtOne
	}
	if tiny {
		patience = looksAtTiny
		now.count = victim.counters.jobs.Load() + victim.counters.begun.Load()
	}
	if last.runnext != now.runnext || last.top != now.top || last.count != now.count {
		*last = now
	}
	last.times++
	if last.times < patience {
		t.spared = true
		return false
	}
	// The next look must not be left out: a thief that has only looked comes to steal now,
	// and for one that steals whatever changes is its own doing.
	last.skip = 0
	return true
}

// onRunnext is the job that is the seat's runnext; zero if there is none.
func (q *queues) onRunnext() Handle {
	if sl := q.runnext.Load(); sl != nil {
		if w := sl.word.Load(); w&phaseMask == phaseReady {
			return Handle{slot: sl, gen: generation(w)}
		}
	}
	return Handle{}
}

// stealFrom claims a job of seat i: its runnext, or the oldest of the
// deque that is ready.
func (s worker) stealFrom(victim *seat, i int) *slot {
	for s.worthStealing(victim, i, s.pool.closed.Load()) {
		last := &s.looks[i]
		if sl := last.runnext.slot; sl != nil {
			last.runnext = Handle{}
			if sl.claim() {
				count(&s.counters.steals)
				return sl
			}
			continue
		}
		s.pool.at(s.seat, "is about to steal")
		sl := victim.deque.steal()
		if sl == nil {
			return nil
		}
		s.pool.at(s.seat, "has stolen")
		last.top++
		s.takeMore(victim, last)
		if sl.claim() {
			count(&s.counters.steals)
			return sl
		}
	}
	return nil
}

// stealMost is how many jobs a thief takes at a time, at most.
const stealMost = 16

// takeMore moves jobs from a seat's deque into the own one, until the thief has
// taken half of them: while it has jobs of its own it disturbs no other. On their
// way no worker sees them, one that goes to sleep just then included: see passOn.
func (s worker) takeMore(victim *seat, last *look) {
	for n := min(victim.deque.size()/2, stealMost-1); n > 0; n-- {
		sl := victim.deque.steal()
		if sl == nil {
			break
		}
		last.top++
		s.deque.put(sl)
		s.moved = true
	}
	s.pool.at(s.seat, "is about to show what it has moved")
	s.deque.publish()
}
