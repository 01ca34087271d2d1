package ecs

import (
	"reflect"
)

// spawn makes one entity of the given components. Finishing is for the caller.
func (w *maker) spawn(op string, values []any) (Entity, error) {
	if p := w.recipeFor(values); p != nil {
		return w.spawnBy(op, p, values)
	}
	e, err := w.spawnNew(op, values)
	if err == nil {
		w.learn(w.records[w.entities.slots[e.Index].record].arch, values)
	}
	return e, err
}

// spawnNew is spawn for types that it has no recipe for.
func (w *maker) spawnNew(op string, values []any) (Entity, error) {
	if err := w.canChange(op); err != nil {
		return Entity{}, err
	}
	set := make([]*component, len(values))
	for i, v := range values {
		c, err := w.componentOf(op, reflect.TypeOf(v))
		if err == nil {
			err = w.foreign(op, c, handleOf(c, v))
		}
		if err != nil {
			w.idle()
			return Entity{}, err
		}
		set[i] = c
	}
	if err := w.mayGive(op, set...); err != nil {
		return Entity{}, err
	}
	set, err := w.sortSet(op, set)
	if err != nil {
		return Entity{}, err
	}
	a, err := w.archetypeOf(op, set)
	if err != nil {
		return Entity{}, err
	}
	g := &a.groups.only
	if a.shared == 0 {
		err = w.commit(op)
	} else {
		g, err = w.commitWith(op, a, values)
	}
	if err != nil {
		return Entity{}, err
	}
	s := w.claim(a, g, 1)
	w.entities.take(s.ids(), s.rec.id, s.first)
	s.zero()
	w.touchAll(s.rec)
	for _, v := range values {
		w.scatterBox(s.rec, s.first, v)
	}
	e := s.ids()[0]
	return e, nil
}

func (w *maker) make(op string, a Archetype, n int, own bool) Created {
	arch, err := w.archetypeIn(op, a)
	if err == nil {
		err = w.createRows(op, arch, n, own, nil, nil)
	}
	if err != nil {
		panic(err)
	}
	if n == 0 {
		return Created{}
	}
	return Created{&w.matcher, w.structural}
}

// createRows makes n entities of archetype a, and leaves their rows in w.spans.
// Their ids are copied to ids if it is not nil.
func (w *maker) createRows(op string, a *archetype, n int, own bool, ids []Entity, values []any) error {
	switch {
	case n < 0:
		return w.fault(ErrArgument, op, "the number of entities is %d", n)
	case n == 0:
		return w.may(op)
	}
	g, err := w.changeIn(op, a, values)
	if err != nil {
		return err
	}
	w.spans = w.spans[:0]
	w.entities.reserve(n)
	for n > 0 {
		var s span
		if own {
			s = w.claimIn(w.newRecord(a, g, n), n)
		} else {
			s = w.claim(a, g, n)
		}
		w.entities.take(s.ids(), s.rec.id, s.first)
		if ids != nil {
			copy(ids, s.ids())
			ids = ids[s.n:]
		}
		s.zero()
		w.touchAll(s.rec)
		w.spans = append(w.spans, s)
		n -= s.n
	}
	w.finish()
	return nil
}

// changeIn begins a structural change by which entities of an archetype come, and returns the
// group in which they shall be: the default one, unless shared values are given.
func (w *maker) changeIn(op string, a *archetype, values []any) (*group, error) {
	if len(values) == 0 || a.shared == 0 {
		if err := w.change(op); err != nil {
			return nil, err
		}
		return a.defaultGroup(), nil
	}
	if err := w.canChange(op); err != nil {
		return nil, err
	}
	return w.commitWith(op, a, values)
}
