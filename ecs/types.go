package ecs

import "slices"

// addOne adds c to e, which lacks it, and returns where e is now.
func (w *editor) addOne(op string, e Entity, c *component) (span, error) {
	s := w.entities.find(e)
	if s == nil {
		return span{}, w.entityError(op, e)
	}
	return w.extend(op, w.records[s.record], int(s.row), c)
}

// extend adds c to the entity in a row, which lacks it, and returns where the
// entity is now.
func (w *editor) extend(op string, r *record, row int, c *component) (span, error) {
	if err := w.canChange(op); err != nil {
		return span{}, err
	}
	m := edgeTo(r.arch.adds, c)
	if m == nil {
		var err error
		if m, err = w.with(op, r.arch, c); err != nil {
			return span{}, err
		}
	}
	if err := w.commit(op); err != nil {
		return span{}, err
	}
	at := w.moveRows(m, span{r, row, 1}, m.group(r))
	w.finish()
	return at, nil
}

// removeOne takes c from e, and reports whether e had it.
func (w *editor) removeOne(op string, e Entity, c *component) (bool, error) {
	s := w.entities.find(e)
	if s == nil {
		return false, w.open(op)
	}
	r := w.records[s.record]
	if !r.arch.has(c) {
		return false, nil
	}
	err := w.reduce(op, r, int(s.row), c)
	return err == nil, err
}

// reduce takes c from the entity in a row, which has it.
func (w *editor) reduce(op string, r *record, row int, c *component) error {
	if err := w.canChange(op); err != nil {
		return err
	}
	m := edgeTo(r.arch.removes, c)
	if m == nil {
		var err error
		if m, err = w.without(op, r.arch, c); err != nil {
			return err
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	w.shrink(m, span{r, row, 1})
	w.finish()
	return nil
}

// shrink moves a run of rows to an archetype with fewer components. Rows of a
// destroyed entity that lose the last cleanup component end.
func (w *editor) shrink(m *move, s span) {
	if m.to.awaitsCleanup && !m.to.kinds.has(isCleanup) {
		w.endRows(s)
		return
	}
	w.moveRows(m, s, m.group(s.rec))
}

// changeTypes adds and removes sets of components of e in one move.
func (w *editor) changeTypes(op string, e Entity, add, remove []*component) (bool, error) {
	s := w.entities.find(e)
	if s == nil {
		return false, w.entityError(op, e)
	}
	if err := w.canChange(op); err != nil {
		return false, err
	}
	r := w.records[s.record]
	m, err := w.edit(op, r.arch, add, remove)
	if err != nil || m == nil {
		w.idle()
		return false, err
	}
	if err := w.commit(op); err != nil {
		return false, err
	}
	w.shrink(m, span{r, int(s.row), 1})
	w.finish()
	return true, nil
}

// edit returns the way from a to the archetype with some components more and
// some less; nil if that is a itself.
func (w *editor) edit(op string, a *archetype, add, remove []*component) (*move, error) {
	switch {
	case len(add) == 1 && len(remove) == 0: // the archetype knows the way
		if a.has(add[0]) {
			return nil, nil
		}
		return w.with(op, a, add[0])
	case len(add) == 0 && len(remove) == 1:
		if !a.has(remove[0]) {
			return nil, nil
		}
		return w.without(op, a, remove[0])
	}
	set := w.edited[:0]
	for i := range a.columns {
		set = append(set, a.columns[i].comp)
	}
	n := len(set)
	for _, c := range add {
		if !a.has(c) {
			set = append(set, c)
		}
	}
	added := len(set) > n
	w.edited = set
	for _, c := range remove {
		set = slices.DeleteFunc(set, func(o *component) bool { return o == c })
	}
	if !added && len(set) == n {
		return nil, nil
	}
	if err := w.mayEdit(op, a); err != nil {
		return nil, err
	}
	if err := w.mayGive(op, set...); err != nil {
		return nil, err
	}
	if added && a.awaitsCleanup && !slices.ContainsFunc(set, func(c *component) bool { return c.kind.has(isCleanup) }) {
		return nil, w.fault(ErrArgument, op, "a destroyed entity ends with its last cleanup component, so that nothing would have what is added: %v", a).on(add[0])
	}
	slices.SortFunc(set, compareComponents)
	return w.moveTo(op, a, set)
}
