package jobs

// on returns the task that goroutine g, which calls, is running in p.
func (p *Pool) on(g uintptr) *Task {
	if p == nil {
		return nil
	}
	s := p.held(g)
	if s == nil {
		return nil
	}
	return s.top()
}

// held returns the seat on which a goroutine sits, nil if it has none.
func (p *Pool) held(g uintptr) *seat {
	if s := p.registry.find(g); s != nil {
		return s
	}
	return p.sitting(g)
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
	if p.on(goroutineID()) == nil {
		panic("jobs: " + fn + ": the pool is closed: schedule before Close, or on another pool")
	}
}

// enter finds a seat for the calling goroutine to schedule from: the one it sits on already,
// because it runs a job there, or the lowest free one. Without assembly it is always a free one:
// to find the other would take longer than to schedule.
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

// enterToRun is enter for a goroutine that may run jobs there, which is where Caller and the search for
// circles of waits look for it: so all bodies that a goroutine runs lie on one seat.
func (p *Pool) enterToRun() *seat {
	g := goroutineID()
	s := p.enterAs(g)
	s.raise(g)
	return s
}

// enterAs is enter for goroutine g, which calls, in builds without assembly too.
func (p *Pool) enterAs(g uintptr) *seat {
	if quickIdentity {
		return p.enter()
	}
	s := p.held(g)
	if s == nil {
		return p.takeSeat(g)
	}
	s.nested++
	return s
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

// Caller returns where the call comes from, whichever pool the job is of that calls: this pool, which may be nil, is only the one where
// it looks first.
//
// It takes a few nanoseconds, as many more for each other pool that is not closed, and microseconds where there is no
// assembly: built with the tag purego, and on CPUs for which there is none at all (mips, wasm). A wait that begins to run jobs looks
// through the pools too. It does not allocate.
func (p *Pool) Caller() Caller {
	g := goroutineID()
	return Caller{g, innermost(g, p, p.on(g))}
}

// Sit returns a task for the calling goroutine, outside of any job of its own: for
// work that is done here and now by the same code that does it in a job elsewhere.
// Its Worker is that of the seat which the goroutine takes until Rise, so that no
// job uses it at the same time; its Scratch is as that of a block, which NextBlock
// ends. What it schedules has no parent, and Wait is that of the handle.
//
// The task is the goroutine's until Rise, which must follow on the same one. It does
// not allocate but the first times.
func (p *Pool) Sit() *Task {
	p.check("Sit")
	s := p.enter()
	if s.guests == len(s.sitting) {
		s.sitting = append(s.sitting, &Task{seat: s})
	}
	t := s.sitting[s.guests]
	s.guests++
	t.slot, t.ok, t.blocks = nil, false, 0
	t.begin(0, 0)
	return t
}
