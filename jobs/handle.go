package jobs

// Handle stands for a job that was scheduled. It is small and comparable; the
// zero Handle is complete.
type Handle struct {
	slot *slot
	gen  uint32
}

// Done reports whether the job, and every child of it, is done.
func (h Handle) Done() bool {
	return h.slot == nil || generation(h.slot.word.Load()) != h.gen
}

// Err is the error of a job that is done; nil before that.
func (h Handle) Err() error {
	if h.slot == nil || !h.Done() {
		return nil
	}
	if f := h.slot.failed.Load(); f != nil && f.gen == h.gen {
		return f.err
	}
	return nil
}

// well reports whether the job is done without an error.
func (h Handle) well() bool { return h.Done() && h.Err() == nil }

// Wait returns when the job is done; until then the caller works too, on what
// the job needs and on nothing else. The error is nil, a *PanicError, an *ExitError,
// the cause of a cancelled context, ErrDeadlock or what a job before it left.
// Inside a job, Task.Wait is the better way.
func (h Handle) Wait() error {
	if h.Done() {
		return h.Err()
	}
	s := h.slot.pool.enter()
	defer s.leave()
	return s.wait(h)
}

// Combine is a handle that is done when all of hs are. It carries the error
// of the first in the list that failed.
func Combine(hs ...Handle) Handle {
	var one Handle
	n := 0
	for _, h := range hs {
		if !h.well() {
			one = h
			n++
		}
	}
	if n <= 1 {
		return one
	}
	s := one.slot.pool.enter()
	defer s.leave()
	sl := s.newSlot()
	sl.kind = combined
	return s.submit(sl, hs)
}
