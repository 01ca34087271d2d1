package jobs

import "math/bits"

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
