package jobs

// Current returns the task that the calling goroutine is running in p, the
// innermost one, or nil. Until the body of its job returns the task is that of
// no other body: who keeps it can tell whether a call comes from the same one.
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
