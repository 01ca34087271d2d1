package jobs

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

// Caller returns where the call comes from, as far as jobs of this pool go. A nil pool has none.
func (p *Pool) Caller() Caller {
	g := goroutine()
	if g == 0 {
		return Caller{goroutine: goroutineID()}
	}
	return Caller{g, p.on(g)}
}

// Is reports whether c calls: the same goroutine, in the body of the same job or, if
// there was none, outside of all jobs of the pool. Where Pool.Current cannot tell
// tasks apart, bodies that one goroutine runs are one.
//
// It takes two nanoseconds and does not allocate. Where there is no assembly, which
// is with the tag purego above all, it takes microseconds.
func (p *Pool) Is(c Caller) bool {
	g := goroutine()
	if g == 0 {
		return goroutineID() == c.goroutine
	}
	return g == c.goroutine && p.on(g) == c.task
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
