package jobs

import "math/bits"

// work is the life of one of the pool's goroutines.
func (p *Pool) work(s *seat) {
	g := goroutine()
	p.staffed.come()
	p.mu.Lock()
	if g != 0 {
		p.staff.add(g, s)
	}
	s.holder.Store(max(g, unknownGoroutine))
	s.nested, s.depth, s.steps = 1, 0, s.steps[:0]
	p.mu.Unlock()
	ended := false
	defer func() {
		s.publish()
		p.mu.Lock()
		p.staff.remove(g)
		p.mu.Unlock()
		if !ended { // a job called runtime.Goexit: somebody else goes on
			go p.work(s)
		}
		p.staffed.leave(!ended)
		p.at(s, hasEnded)
	}()
	for s.serve() {
	}
	ended = true
}

// serve does one thing that can be done, or waits for one. It returns false
// when the pool is closed and there is nothing left.
func (s *seat) serve() bool {
	p := s.pool
	if p.owners.size.Load() > 0 && s.runOwned() > 0 {
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
			sl.kind.prompt.Store(0) // whoever scheduled it had better things to do than to wait
		}
		s.passOn()
		s.execute(sl)
		s.opened.trial = nil // if others are still in it, nobody here waits to see its end
		return true
	}
	if !s.unripe && s.background() {
		return true
	}
	if p.closed.Load() {
		return false
	}
	s.idle()
	return true
}

// background runs a background job, if there is one and few enough workers do
// that.
func (s *seat) background() bool {
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

// hasBackground reports whether there is a background job that may be begun.
func (p *Pool) hasBackground() bool {
	return (p.background.size.Load() > 0 || p.openLoops(Background) != 0) && p.permits.Load() > 0
}

// openLoops are the loops of a priority that can be joined.
func (p *Pool) openLoops(pr Priority) uint64 { return p.open[pr-Background].Load() }

// joinAny works in an open loop of a priority, if there is one.
func (s *seat) joinAny(pr Priority) bool {
	p := s.pool
	for open := p.openLoops(pr); open != 0; open &= open - 1 {
		if lp := p.loops[bits.TrailingZeros64(open)].Load(); lp.join() {
			if lp.priority != pr { // not the loop that was seen
				s.quitLoop(lp, nothingElse)
				continue
			}
			count(&s.counters.joined)
			s.passOn()
			p.relayLoop(lp)
			s.execute(s.share(lp, anything))
			return true
		}
	}
	return false
}

// find claims a job: the seat's newest, or else the oldest of another seat.
func (s *seat) find() *slot {
	if sl := s.desk.Load(); sl != nil && sl.claim() {
		return sl
	}
	for sl := s.deque.pop(); sl != nil; sl = s.deque.pop() {
		if sl.claim() {
			return sl
		}
	}
	s.unripe = false
	seats := *s.pool.seats.Load()
	first, _ := bits.Mul64(s.random(), uint64(len(seats)))
	for i := range seats {
		i = (int(first) + i) % len(seats)
		victim := seats[i]
		if victim == s {
			continue
		}
		if sl := s.stealFrom(victim, i); sl != nil {
			if n := victim.deque.size(); n > 0 {
				s.pool.relay(sl.kind.estimate(n))
			}
			return sl
		}
	}
	return nil
}

// look is what a thief has seen of another seat.
type look struct {
	desk  Handle // the job on its desk
	top   int64  // the oldest entry of its deque
	count uint64 // of jobs that were scheduled or run there
	times int    // that it looked like that
	skip  int    // looks to leave out
}

// How often a thief looks at jobs that nobody takes before it does. A single
// one is left alone at first sight: as a rule whoever has scheduled it is about
// to wait for it, and would rather find it than have it done far away. Tiny
// ones are left alone as long as their seat schedules or runs any; even to look
// at them often would cost more than they are worth.
const (
	looksAtOne  = 2
	looksAtTiny = 4
	tinySkip    = 8
)

// ripe reports whether to steal from seat i, the victim. Of a seat that offers
// tiny jobs it touches, as a rule, one cache line that hardly ever changes.
func (s *seat) ripe(victim *seat, i int) bool {
	for i >= len(s.looks) {
		s.looks = append(s.looks, look{})
	}
	last := &s.looks[i]
	closing := s.pool.closed.Load() // then there may be no second look
	tiny := victim.tiny.Load() && !closing
	if tiny {
		if last.skip--; last.skip > 0 {
			return false
		}
		last.skip = tinySkip
	}
	now := look{desk: victim.onDesk(), top: victim.deque.top.Load(), skip: last.skip}
	n := victim.deque.size()
	if now.desk.slot != nil {
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
	if last.desk != now.desk || last.top != now.top || last.count != now.count {
		*last = now
	}
	last.times++
	if last.times < patience {
		s.unripe = true
		return false
	}
	// The next look must not be left out: who has only looked comes to steal now,
	// and for who steals whatever changes is his own doing.
	last.skip = 0
	return true
}

// onDesk is the job that lies on the seat's desk; zero if there is none.
func (s *seat) onDesk() Handle {
	if sl := s.desk.Load(); sl != nil {
		if w := sl.word.Load(); w&phaseMask == phaseReady {
			return Handle{slot: sl, gen: generation(w)}
		}
	}
	return Handle{}
}

// stealFrom claims a job of seat i: the one on the desk, or the oldest of the
// deque that is ready.
func (s *seat) stealFrom(victim *seat, i int) *slot {
	for s.ripe(victim, i) {
		last := &s.looks[i]
		if sl := last.desk.slot; sl != nil {
			last.desk = Handle{}
			if sl.claim() {
				count(&s.counters.steals)
				return sl
			}
			continue
		}
		s.pool.at(s, "is about to steal")
		sl := victim.deque.steal()
		if sl == nil {
			return nil
		}
		s.pool.at(s, "has stolen")
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
// taken half of them: while it has jobs of its own it disturbs nobody. On their
// way nobody sees them, whoever goes to sleep just then included: see passOn.
func (s *seat) takeMore(victim *seat, last *look) {
	for n := min(victim.deque.size()/2, stealMost-1); n > 0; n-- {
		sl := victim.deque.steal()
		if sl == nil {
			break
		}
		last.top++
		s.deque.put(sl)
		s.moved = true
	}
	s.pool.at(s, "is about to show what it has moved")
	s.deque.publish()
}

// hasWork reports whether a worker might find something to do.
func (p *Pool) hasWork() bool {
	if p.openLoops(High)|p.openLoops(Normal) != 0 {
		return true
	}
	large, tiny := p.hasQueued()
	return large || tiny
}

// hasQueued reports whether jobs are queued that are worth waking a worker,
// and whether there are tiny ones.
func (p *Pool) hasQueued() (large, tiny bool) {
	large = p.high.size.Load() > 0 || p.hasBackground()
	for _, s := range *p.seats.Load() {
		if s.deque.size() > 0 || s.onDesk().slot != nil {
			if s.tiny.Load() {
				tiny = true
			} else {
				large = true
			}
		}
	}
	return large, tiny
}

// passOn is called by a worker that has found something to do. While it was
// looking, or moved jobs, nobody was woken for what was ready, and while it was
// the sentinel, or had been woken to become it, nobody was for what is small. Now
// another has to look after that: this one may be busy for long.
func (s *seat) passOn() {
	p := s.pool
	if !s.searched && !s.moved && !s.woken {
		return
	}
	p.at(s, "is about to pass on")
	searched := s.searched || s.moved
	s.searched, s.moved, s.woken = false, false, false
	if p.searching.Load() > 0 {
		return
	}
	if p.parkedCount.Load() == 0 {
		if p.asleep.Load() > 0 && p.hasWork() {
			p.wakeSleepers() // no worker is left to take it
		}
		return
	}
	relied := p.wanted.Load() && !p.sentinel.Load()
	if relied {
		p.wanted.Swap(false) // before the look: what is queued later wants one anew
	}
	if !searched && !relied {
		return
	}
	if large, tiny := p.hasQueued(); large && searched {
		p.wanted.Swap(true) // who is woken shall pass on what is left
		p.wakeOne()
	} else if large || tiny {
		p.wantSentinel()
	}
}
