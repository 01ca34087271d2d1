package ecs

import "slices"

// matcher is the queries of a world, over its tables.
type matcher struct {
	packing
	world   any // the *World that has it, for Query.World
	queries []*Query
	cached  map[string]*Query
	owned   map[string][]*Query // the queries of each system
	chunks  []*Chunk            // free, for loops of the owner
	runs    []span              // scratch: the rows that an operation on many entities is about
	wholes  []*match            // of all columns, written, by archetype: what Create shows, once it does
	spans   []span              // of the last Create
}

// made lets every query look at an archetype that is new.
func (w *matcher) made(a *archetype) {
	for _, q := range w.queries {
		q.consider(a)
	}
}

// forget has the Chunks that are not shown let go of the memory that they showed last, of
// which each would keep a slab.
func (w *matcher) forget() {
	for _, c := range w.chunks {
		c.forget()
	}
	for _, q := range w.queries {
		for _, c := range q.free {
			c.forget()
		}
		for s := range q.workers.all() {
			for c := s.chunk; c != nil; c = c.inner {
				c.forget()
			}
		}
	}
}

// disown takes a query that is closed off the lists of w. Systems end in reverse order, so
// it is looked for from the end.
func (w *matcher) disown(q *Query) {
	for i, o := range slices.Backward(w.queries) {
		if o == q {
			w.queries = slices.Delete(w.queries, i, i+1)
			break
		}
	}
	if q.owner == "" {
		return
	}
	if own := slices.DeleteFunc(w.owned[q.owner], func(o *Query) bool { return o == q }); len(own) > 0 {
		w.owned[q.owner] = own
	} else {
		delete(w.owned, q.owner)
	}
}

// wholeMatch is a match of all columns, written: of new rows.
func (w *matcher) wholeMatch(a *archetype) *match {
	w.wholes = slices.Grow(w.wholes, max(0, a.index+1-len(w.wholes)))[:max(len(w.wholes), a.index+1)]
	if m := w.wholes[a.index]; m != nil {
		return m
	}
	m := &match{arch: a, bound: true}
	view := 0
	for i := range a.columns {
		c := a.columns[i].comp
		if c.kind.has(isShared) {
			continue
		}
		m.binds = append(m.binds, newBind(a, data{comp: c, write: true, view: view}, len(m.binds)))
		view += max(1, len(c.view))
	}
	m.join()
	w.wholes[a.index], a.headers = m, view
	return m
}
