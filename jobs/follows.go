package jobs

// String is the name of the job, "a job that is done" once it is.
func (h Handle) String() string {
	if h.slot == nil || !h.slot.pin(h.gen) {
		return "a job that is done"
	}
	defer h.slot.unpin()
	return h.slot.kind.name
}

// Follows reports whether the job cannot be done before other: it was scheduled behind it, is its
// parent or waits for it, or for another that does. A job that is done follows none.
func (h Handle) Follows(other Handle) bool {
	seen := map[Handle]bool{}
	stack := []Handle{h}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[top] || top.slot == nil || !top.slot.pin(top.gen) {
			continue
		}
		seen[top] = true
		st := step{slot: top.slot, gen: top.gen, edge: top.slot.deps}
		for st.read(); st.known > 0; st.read() {
			stack = append(stack, st.needs[:st.known]...)
			st.known = 0
		}
		top.slot.unpin()
		if top == other && top != h {
			return true
		}
	}
	return false
}

// Level is how much the pool of the job checks; Off for the zero Handle.
func (h Handle) Level() Level {
	if h.slot == nil {
		return Off
	}
	return h.slot.pool.level
}
