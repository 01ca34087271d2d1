package jobs

// AddOrdered is Add for a job whose order was given by hand. It returns a
// *ConflictError if a live job conflicts with it and is not among those that
// the job waits for, and panics with it at level Panic. The job is added all
// the same.
func (t *Tracker) AddOrdered(a *Access, h Handle) error {
	err := t.conflict(a, h)
	t.Add(a, h)
	if err == nil {
		return nil
	}
	if h.slot.pool.level == Panic {
		panic(err)
	}
	return err
}

// conflict looks for a live job that conflicts with a and that h does not wait
// for.
func (t *Tracker) conflict(a *Access, h Handle) error {
	if h.Done() || h.slot.pool.level == Off {
		return nil
	}
	var buf [16]Handle
	for _, other := range t.Before(a, buf[:0]) {
		if other != h && !h.dependsOn(other) && !other.Done() {
			c := &ConflictError{Job: h.name(), Other: other.name(), Component: t.component(a, other)}
			if t.Name != nil {
				c.Name = t.Name(c.Component)
			}
			return c
		}
	}
	return nil
}

// component is the lowest that both access a and the job behind h touch.
func (t *Tracker) component(a *Access, h Handle) int {
	for id := range t.fences {
		l := &t.fences[id]
		if a.Write.Has(id) && (l.names(l.writers, h) || l.names(l.readers, h)) || a.Read.Has(id) && l.names(l.writers, h) {
			return id
		}
	}
	return -1
}

func (l *fenceList) names(list []*fence, h Handle) bool {
	for i := range list {
		if list[i].handle == h {
			return true
		}
	}
	return false
}

// name is the name of a live job, "a job that is done" otherwise.
func (h Handle) name() string {
	if h.slot == nil || !h.slot.pin(h.gen) {
		return "a job that is done"
	}
	defer h.slot.unpin()
	return h.slot.kind.name
}

// dependsOn reports whether the job behind h waits for other, directly or not.
func (h Handle) dependsOn(other Handle) bool {
	seen := map[Handle]bool{}
	stack := []Handle{h}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[top] || !top.slot.pin(top.gen) {
			continue
		}
		seen[top] = true
		st := step{slot: top.slot, gen: top.gen, edge: top.slot.deps}
		for st.read(); st.known > 0; st.read() {
			stack = append(stack, st.needs[:st.known]...)
			st.known = 0
		}
		top.slot.unpin()
		if top == other {
			return true
		}
	}
	return false
}
