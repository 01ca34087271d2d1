package ecs

import "slices"

// changeTarget adds and removes sets of components of a target. There is an error if one of a list
// does not exist and all must.
func (w *editor) changeTarget(op string, at Target, must bool, add, remove []*component) error {
	if at.kind == toMatching {
		return w.changeMatching(op, at.query, add, remove)
	}
	if at.kind == toOne {
		if !must && w.entities.find(at.entity) == nil {
			return w.open(op)
		}
		_, err := w.changeTypes(op, at.entity, add, remove)
		return err
	}
	ids, err := w.idsOf(op, at, nil, nil)
	if err != nil {
		return err
	}
	if must {
		if err := w.allExist(op, ids); err != nil {
			return err
		}
	}
	return w.changeAll(op, ids, add, remove)
}

// idsOf returns the entities of a target that is no query, of a linked group those that have
// c; nil is any. What it has to gather it appends to ids.
func (w *editor) idsOf(op string, at Target, c *component, ids []Entity) ([]Entity, error) {
	switch at.kind {
	case toOne:
		return append(ids, at.entity), nil
	case toLinked:
		return w.linkedOf(op, at.entity, at.query, c, ids)
	}
	return at.ids, nil
}

// destroyTarget ends a target.
func (w *editor) destroyTarget(op string, at Target) error {
	if at.kind == toMatching {
		return w.destroyMatching(op, at.query)
	}
	ids, err := w.idsOf(op, at, nil, nil)
	if err != nil {
		return err
	}
	return w.destroyAll(op, ids)
}

// switchTarget turns a component of a target on or off.
func (w *editor) switchTarget(op string, at Target, c *component, on bool) error {
	switch at.kind {
	case toMatching:
		return w.setEnabledMatching(op, at.query, c, on)
	case toOne:
		return w.setEnabled(op, at.entity, c, on)
	}
	if !c.kind.has(isEnableable) {
		return w.fault(ErrArgument, op, notEnableable).on(c)
	}
	ids, err := w.idsOf(op, at, c, nil)
	if err != nil {
		return err
	}
	for _, e := range ids {
		if _, _, _, err := w.switchOf(op, e, c); err != nil {
			return err
		}
	}
	if err := w.await(op, c, true); err != nil {
		return err
	}
	for _, e := range ids {
		if err := w.setEnabled(op, e, c, on); err != nil {
			return err
		}
	}
	return nil
}

// allHave returns an error if one of a list, or a chunk of what a query matches, lacks c, or
// c has no values.
func (w *editor) allHave(op string, at Target, c *component) error {
	if c.kind.has(isTag) {
		return w.fault(ErrArgument, op, "a tag has no data: use AddTypes and RemoveTypes").on(c)
	}
	if at.kind == toMatching {
		return w.matchesHave(op, at.query, c)
	}
	for _, e := range at.ids {
		s := w.entities.find(e)
		if s == nil {
			return w.entityError(op, e)
		}
		if a := w.records[s.record].arch; !a.has(c) {
			return w.fault(ErrArgument, op, "the entity has no such component, it has %v: use AddAll", a).of(e).on(c)
		}
	}
	return nil
}

// matchesHave returns an error if a chunk that q would show lacks c.
func (w *editor) matchesHave(op string, q *Query, c *component) error {
	if err := w.own(op, q); err != nil {
		return err
	}
	for _, m := range q.matches {
		if m.arch.has(c) {
			continue
		}
		if slices.ContainsFunc(m.look(&w.tables), func(r *record) bool { return m.passes(r, q.since) }) {
			return w.fault(ErrArgument, op, "the query matches %v, which lacks the component: add With to its terms", m.arch).on(c)
		}
	}
	return nil
}

// allExist returns an error if one of the entities does not exist.
func (w *editor) allExist(op string, ids []Entity) error {
	for _, e := range ids {
		if !w.exists(e) {
			return w.entityError(op, e)
		}
	}
	return nil
}

// changeAll edits the types of entities, in runs of rows.
func (w *editor) changeAll(op string, ids []Entity, add, remove []*component) error {
	if len(ids) == 0 || len(add)+len(remove) == 0 {
		return w.open(op)
	}
	if err := w.canChange(op); err != nil {
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
		case m.to.awaitsCleanup && !m.to.kinds.has(isCleanup):
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
		return w.canChange(op)
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
