package ecs

// allExist returns an error if one of the entities does not exist.
func (w *editor) allExist(op string, ids []Entity) error {
	for _, e := range ids {
		if !w.exists(e) {
			return w.lost(op, e)
		}
	}
	return nil
}

// changeAll edits the types of entities, in runs of rows.
func (w *editor) changeAll(op string, ids []Entity, add, remove []*component) error {
	if len(ids) == 0 || len(add)+len(remove) == 0 {
		return w.open(op)
	}
	if err := w.settled(op); err != nil {
		return err
	}
	// Every archetype must be possible before the first row moves.
	for rest := ids; len(rest) > 0; {
		s, n := w.run(rest)
		rest = rest[n:]
		if s.rec != nil {
			if _, err := w.edit(op, s.rec.arch, add, remove); err != nil {
				return err
			}
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	var from *archetype
	var m *move // from there
	for len(ids) > 0 {
		s, n := w.run(ids)
		ids = ids[n:]
		if s.rec == nil {
			continue
		}
		if s.rec.arch != from {
			from = s.rec.arch
			m, _ = w.edit(op, from, add, remove)
		}
		if m != nil {
			w.shrink(m, s)
		}
	}
	w.finish()
	return nil
}

// changeMatching edits the types of what a query matches, in whole chunks where
// it can.
func (w *editor) changeMatching(op string, q *Query, add, remove []*component) error {
	if err := w.choose(op, q); err != nil {
		return err
	}
	var from *archetype
	for _, s := range w.runs { // all must be possible before the first row moves
		if s.rec.arch != from {
			from = s.rec.arch
			if _, err := w.edit(op, from, add, remove); err != nil {
				return err
			}
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	from = nil
	var m *move // from there
	for _, s := range w.runs {
		if s.rec.arch != from {
			from = s.rec.arch
			m, _ = w.edit(op, from, add, remove)
		}
		switch {
		case m == nil:
		case m.to.residue && !m.to.kinds.has(isCleanup):
			w.endRows(s)
		case m.relabel && s.n == s.rec.n:
			w.relabelChunk(m, s.rec, m.group(s.rec))
		default:
			w.moveRows(m, s, m.group(s.rec))
		}
	}
	w.finish()
	return nil
}

// shareAll gives entities, which all exist, a shared value. What can go wrong does
// so before the first row moves, as in shareMatching: a panic of the value's
// methods too, or one because it cannot be compared.
func (w *editor) shareAll(op string, ids []Entity, c *component, v any) error {
	if len(ids) == 0 {
		return w.open(op)
	}
	if s, n := w.run(ids); n == len(ids) {
		return w.setShared(op, s, c, v)
	}
	if w.inJob() {
		return w.settled(op)
	}
	if err := w.looks(op); err != nil {
		return err
	}
	st, some := w.storeOf(c), false
	i, hash, err := w.seek(op, st, v)
	if err != nil {
		return err
	}
	for rest := ids; len(rest) > 0; {
		s, n := w.run(rest)
		rest = rest[n:]
		must, err := w.mayShare(op, s.rec, c, i)
		if err != nil {
			return err
		}
		some = some || must
	}
	if !some {
		return nil
	}
	if err := w.commit(op); err != nil {
		return err
	}
	if i < 0 {
		i = st.put(v, hash)
	}
	for len(ids) > 0 {
		s, n := w.run(ids)
		ids = ids[n:]
		if must, _ := w.mayShare(op, s.rec, c, i); must {
			w.share(s, c, i, false)
		}
	}
	w.finish()
	return nil
}

// shareMatching gives all entities that q matches a shared value.
func (w *editor) shareMatching(op string, q *Query, c *component, v any) error {
	if err := w.choose(op, q); err != nil {
		return err
	}
	st, some := w.storeOf(c), false
	i, hash, err := w.seek(op, st, v)
	if err != nil {
		return err
	}
	for _, s := range w.runs {
		must, err := w.mayShare(op, s.rec, c, i)
		if err != nil {
			return err
		}
		some = some || must
	}
	if !some {
		w.idle()
		return nil
	}
	if err := w.commit(op); err != nil {
		return err
	}
	if i < 0 {
		i = st.put(v, hash)
	}
	for _, s := range w.runs {
		if must, _ := w.mayShare(op, s.rec, c, i); must {
			w.share(s, c, i, true)
		}
	}
	w.finish()
	return nil
}
