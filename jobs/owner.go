package jobs

import "slices"

// has reports whether there are ready jobs that belong to the calling goroutine.
func (o *owners) has(a *isolated) bool {
	if o.size.Load() == 0 {
		return false
	}
	me, _ := a.self()
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.list, func(sl *slot) bool { return sl.owner == me })
}

// run runs the ready jobs that belong to the goroutine on a seat, in
// the order in which they became ready.
func (o *owners) run(s *seat) (ran int) {
	if o.size.Load() == 0 {
		return 0
	}
	me, by := s.pool.isolated.self()
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
		worker{s}.passOn()
		if by == nil {
			s.runOn(mine, nothingElse)
		} else {
			by.call(s, mine)
		}
		ran++
	}
}

// call has a job run by the goroutine that makes the calls, which sits on the seat
// meanwhile.
func (x *proxy) call(s *seat, sl *slot) {
	over, back := make(chan struct{}), goroutineID()
	x.calls <- func() {
		defer close(over)
		defer s.sit(back)
		s.sit(goroutineID())
		s.runOn(sl, nothingElse)
	}
	<-over
}
