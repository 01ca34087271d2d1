package jobs

import "runtime"

// on returns the task that goroutine g, which calls, is running in p.
func (p *Pool) on(g uintptr) *Task {
	if p == nil {
		return nil
	}
	s := p.registry.find(g)
	if s == nil {
		s = p.sitting(g)
	}
	if s == nil || s.depth == 0 {
		return nil
	}
	return s.tasks[s.depth-1]
}

// Current returns the task that the calling goroutine is running in p, the
// innermost one, or nil. Until the body of its job returns the task is that of
// no other body: a caller that keeps it can tell whether a call comes from the same one.
// After that it may be used again. A Range of a single block has no task. ok is
// false where goroutines cannot be told apart cheaply: built with the tag purego, and
// on CPUs for which there is no assembly at all (mips, wasm).
//
// It takes a few nanoseconds and does not allocate.
func (p *Pool) Current() (t *Task, ok bool) {
	g := goroutine()
	if g == 0 {
		return nil, false
	}
	return p.on(g), true
}

// sitting returns the seat that a goroutine from outside has taken, if it has.
func (p *Pool) sitting(g uintptr) *seat {
	if p.front.holder.Load() == g {
		return p.front
	}
	for _, s := range (*p.seats.Load())[p.workers:] {
		if s.holder.Load() == g {
			return s
		}
	}
	return nil
}

// check panics if the pool takes no jobs.
func (p *Pool) check(fn string) {
	if !p.taking.Load() {
		p.refuse(fn)
	}
}

// refuse panics, but not in a job that a waiting goroutine runs: that shall end as if
// the pool was not closed.
func (p *Pool) refuse(fn string) {
	p.made(fn)
	if t, _ := p.Current(); t == nil {
		panic("jobs: " + fn + ": the pool is closed: schedule before Close, or on another pool")
	}
}

// unknownGoroutine stands for the holder where goroutines cannot be told apart.
const unknownGoroutine = 1

// countReader is the holder of a seat while its counts are read; see flush.
const countReader = 2

// enter finds a seat for the calling goroutine: the one it sits on already,
// because it runs a job there, or the lowest free one.
func (p *Pool) enter() *seat {
	g := goroutine()
	if g == 0 {
		return p.takeSeat(unknownGoroutine)
	}
	if s := p.registry.find(g); s != nil {
		s.nested++
		return s
	}
	for _, s := range (*p.seats.Load())[p.workers:] { // before a look at the first seat, which may be free
		if s.holder.Load() == g {
			s.nested++
			return s
		}
	}
	if s := p.front; s.holder.CompareAndSwap(0, g) {
		s.nested = 1
		return s
	} else if s.holder.Load() == g {
		s.nested++
		return s
	}
	return p.takeSeat(g)
}

// takeSeat takes a free seat, and makes one if there is none.
func (p *Pool) takeSeat(g uintptr) *seat {
	if p.front.take(g) {
		return p.front
	}
	for {
		seats := *p.seats.Load()
		for _, s := range seats[p.workers:] {
			if s.take(g) {
				return s
			}
		}
		p.mu.Lock()
		if now := *p.seats.Load(); len(now) == len(seats) { // no other goroutine has made one
			grown := make([]*seat, len(seats)+1)
			copy(grown, seats)
			grown[len(seats)] = newSeat(p, len(seats))
			p.seats.Store(&grown)
		}
		p.mu.Unlock()
	}
}

// take takes a seat if it is free. That its counts are being read is waited for:
// else a caller would get another seat, with an index that Task.Worker excludes.
func (s *seat) take(g uintptr) bool {
	for !s.holder.CompareAndSwap(0, g) {
		switch s.holder.Load() {
		case 0: // just now
		case countReader:
			runtime.Gosched()
		default:
			return false
		}
	}
	s.nested = 1
	return true
}

// leave undoes one enter.
func (s *seat) leave() {
	s.nested--
	if s.nested == 0 {
		s.holder.Store(0)
	}
}

// flush publishes the counts of a seat that is free, or that is the calling
// goroutine's own.
func (s *seat) flush() {
	if s.holder.CompareAndSwap(0, countReader) {
		s.publish()
		s.holder.Store(0)
	} else if g := goroutine(); g != 0 && s.holder.Load() == g {
		s.publish()
	}
}
