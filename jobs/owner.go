package jobs

import "slices"

// ScheduleHere queues a job that only the calling goroutine may run, such as a
// call into a library that is bound to a thread. It runs when this goroutine
// waits for anything on the pool or ends a scope. A wait inside a
// job comes to it when it would else sleep; that job goes on when this one is
// over, and for this one to wait for it is an ErrDeadlock. If it calls runtime.Goexit
// it fails with an *ExitError, and its goroutine ends.
func (p *Pool) ScheduleHere(j Job, after ...Handle) Handle {
	mustHave("ScheduleHere", j != nil)
	p.check("ScheduleHere")
	s := p.enter()
	defer s.leave()
	sl := s.newJob(j, nil)
	sl.bound = true
	sl.owner, _ = p.self()
	return s.submit(sl, after)
}

// owns reports whether there are ready jobs that belong to the goroutine on this
// seat.
func (s *seat) owns() bool {
	o := &s.pool.owners
	if o.size.Load() == 0 {
		return false
	}
	me, _ := s.pool.self()
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.list, func(sl *slot) bool { return sl.owner == me })
}

// runOwned runs the ready jobs that belong to the goroutine on this seat, in
// the order in which they became ready.
func (s *seat) runOwned() (ran int) {
	o := &s.pool.owners
	if o.size.Load() == 0 {
		return 0
	}
	me, away := s.pool.self()
	for {
		var mine *slot
		o.mu.Lock()
		for i, sl := range o.list {
			if sl.owner == me {
				mine = sl
				o.list = append(o.list[:i], o.list[i+1:]...)
				o.size.Store(int32(len(o.list)))
				break
			}
		}
		o.mu.Unlock()
		if mine == nil {
			return ran
		}
		s.passOn()
		if away == nil {
			s.runWishes(mine, nothingElse)
		} else {
			away.ask(s, mine)
		}
		ran++
	}
}

// ask has a job run by the goroutine that makes the errands, which sits on the seat
// meanwhile.
func (e *errands) ask(s *seat, sl *slot) {
	over, back := make(chan struct{}), goroutine()
	e.calls <- func() {
		defer close(over)
		defer s.sit(back)
		s.sit(goroutine())
		s.runWishes(sl, nothingElse)
	}
	<-over
}
