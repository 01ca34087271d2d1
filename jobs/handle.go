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
