package ecs

// AddTypesAll adds the types of the terms to all entities ids. Repeated ones
// count once. If one does not exist the error is of category ErrArgument and
// nothing is changed.
func (w *World) AddTypesAll(ids []Entity, terms ...Term) error {
	const op = "AddTypesAll"
	set, err := w.typesOf(op, terms)
	if err != nil {
		return err
	}
	if err := w.allExist(op, ids); err != nil {
		return err
	}
	return w.changeAll(op, ids, set, nil)
}

// allExist returns an error if one of the entities does not exist.
func (w *World) allExist(op string, ids []Entity) error {
	for _, e := range ids {
		if !w.Exists(e) {
			return w.lost(op, e)
		}
	}
	return nil
}

// RemoveTypesAll takes the types of the terms from all entities ids. Those that
// do not exist are ignored.
func (w *World) RemoveTypesAll(ids []Entity, terms ...Term) error {
	const op = "RemoveTypesAll"
	set, err := w.typesOf(op, terms)
	if err != nil {
		return err
	}
	return w.changeAll(op, ids, nil, set)
}

// AddTypesMatching adds the types of the terms to all entities that q matches.
// Chunks that have them all are left alone; those for which the new types take
// no memory are relabelled where they are, whole.
func (w *World) AddTypesMatching(q *Query, terms ...Term) error {
	const op = "AddTypesMatching"
	set, err := w.typesOf(op, terms)
	if err != nil {
		return err
	}
	return w.changeMatching(op, q, set, nil)
}

// RemoveTypesMatching takes the types of the terms from all entities that q
// matches. Chunks that have none of them are left alone.
func (w *World) RemoveTypesMatching(q *Query, terms ...Term) error {
	const op = "RemoveTypesMatching"
	set, err := w.typesOf(op, terms)
	if err != nil {
		return err
	}
	return w.changeMatching(op, q, nil, set)
}

// changeAll edits the types of entities, in runs of rows.
func (w *World) changeAll(op string, ids []Entity, add, remove []*component) error {
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
func (w *World) changeMatching(op string, q *Query, add, remove []*component) error {
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

// AddAll gives all entities ids the component v, or overwrites those they have.
// Repeated ones count once. If one does not exist the error is of category
// ErrArgument and nothing is changed; a Commands buffer finds that out at playback.
// So it is if v is a handle to the buffer of an entity; a Commands buffer copies
// the elements.
func AddAll[T any, D Editor](to D, ids []Entity, v T) error {
	switch to := any(to).(type) {
	case *World:
		return addAllNow("AddAll", to, ids, &v)
	case *Commands:
		return recordAddAll(to, ids, &v)
	}
	return nil
}

func addAllNow[T any](op string, w *World, ids []Entity, v *T) error {
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if err := w.allExist(op, ids); err != nil {
		return err
	}
	if !c.kind.has(isShared) {
		if err := w.changeAll(op, ids, []*component{c}, nil); err != nil {
			return err
		}
		return assignAll(op, w, ids, v)
	}
	return w.shareAll(op, ids, c, *v)
}

// componentForMany returns the component T of a value that many entities are to
// have, in a change that ends the life of handles.
func componentForMany[T any](op string, w *World, v *T) (*component, error) {
	c, err := componentIn[T](w, op)
	if err == nil && c.kind.has(isBuffer) && contentIsHandle(v) {
		err = w.foreign(op, c, place(v))
	}
	return c, err
}

// AddMatching gives all entities that q matches the component v, or overwrites
// those they have. With a shared component whole chunks are relabelled. A Commands
// buffer asks q at playback. As with [AddAll], v is no handle.
func AddMatching[T any, D Editor](to D, q *Query, v T) error {
	switch to := any(to).(type) {
	case *World:
		return addMatchingNow(to, q, &v)
	case *Commands:
		return recordAddMatching(to, q, &v)
	}
	return nil
}

func addMatchingNow[T any](w *World, q *Query, v *T) error {
	const op = "AddMatching"
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if c.kind.has(isShared) {
		return w.shareMatching(op, q, c, *v)
	}
	if err := w.own(op, q); err != nil {
		return err
	}
	ids := q.AppendEntities(nil)
	if err := w.changeMatching(op, q, []*component{c}, nil); err != nil {
		return err
	}
	return assignAll(op, w, ids, v)
}

// shareAll gives entities, which all exist, a shared value. What can go wrong does
// so before the first row moves, as in shareMatching: a panic of the value's
// methods too, or one because it cannot be compared.
func (w *World) shareAll(op string, ids []Entity, c *component, v any) error {
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
func (w *World) shareMatching(op string, q *Query, c *component, v any) error {
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

// assignAll overwrites the T of entities that have one.
func assignAll[T any](op string, w *World, ids []Entity, v *T) error {
	for _, e := range ids {
		s := w.entities.find(e)
		r := w.records[s.record]
		i := r.arch.find(keyOf[T]())
		if r.arch.columns[i].comp.kind.has(isTag) {
			return nil
		}
		if err := assign(op, w, r, i, int(s.row), v); err != nil {
			return err
		}
	}
	return nil
}
