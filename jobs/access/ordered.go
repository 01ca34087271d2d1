package access

import "github.com/lanewise/lanewise/jobs"

// AddOrdered is Add for a job whose order was given by hand. It returns a
// *ConflictError if a live job conflicts with it and is not among those that
// the job waits for, and panics with it at level Panic. The job is added all
// the same.
func (t *Tracker) AddOrdered(a *Access, h jobs.Handle) error {
	err := t.conflict(a, h)
	t.Add(a, h)
	if err == nil {
		return nil
	}
	if h.Level() == jobs.Panic {
		panic(err)
	}
	return err
}

// conflict looks for a live job that conflicts with a and that h does not wait
// for.
func (t *Tracker) conflict(a *Access, h jobs.Handle) error {
	if h.Done() || h.Level() == jobs.Off {
		return nil
	}
	var buf [16]jobs.Handle
	for _, other := range t.Before(a, buf[:0]) {
		if other != h && !h.Follows(other) && !other.Done() {
			c := &ConflictError{Job: h.String(), Other: other.String(), Component: t.component(a, other)}
			if t.Name != nil {
				c.Name = t.Name(c.Component)
			}
			return c
		}
	}
	return nil
}

// component is the lowest that both access a and the job behind h touch.
func (t *Tracker) component(a *Access, h jobs.Handle) int {
	for id := range t.fences {
		l := &t.fences[id]
		if a.Write.Has(id) && (l.names(l.writers, h) || l.names(l.readers, h)) || a.Read.Has(id) && l.names(l.writers, h) {
			return id
		}
	}
	return -1
}

func (l *fenceList) names(list []*fence, h jobs.Handle) bool {
	for i := range list {
		if list[i].handle == h {
			return true
		}
	}
	return false
}
