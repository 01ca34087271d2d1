package ecs

import "iter"

// setShared gives a run of rows of one chunk the value v of the shared component
// c, which they may lack. A whole chunk is relabelled where it is.
func (w *World) setShared(op string, s span, c *component, v any) error {
	if w.gate.inJob() { // before the values are touched, which are the owner's
		return w.canChange(op)
	}
	if err := w.gate.looks(op); err != nil {
		return err
	}
	st := w.shared.storeOf(c)
	i, hash, err := w.shared.seek(op, st, v)
	if err != nil {
		return err
	}
	if must, err := w.mayShare(op, s.rec, c, i); !must || err != nil {
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	if i < 0 {
		i = st.put(v, hash)
	}
	w.share(s, c, i, false)
	w.finish()
	return nil
}

// mayShare reports whether rows of the chunk r must be given the shared value of
// index i, since they have another or none, and returns an error if they cannot.
func (w *World) mayShare(op string, r *record, c *component, i int32) (must bool, err error) {
	at := r.arch.find(c.key)
	if at >= 0 && i == r.group.values[r.arch.columns[at].shared] {
		return false, nil
	}
	if err := w.canChange(op); err != nil {
		return true, err
	}
	if at < 0 {
		_, err = w.tables.with(op, r.arch, c)
	}
	return true, err
}

// share moves a run of rows, for which mayShare was true, to chunks in which the
// shared component c has the value of index i, and marks c as changed. A chunk all of
// whose rows are given it is relabelled, except for one row that is meant as an entity.
func (w *World) share(s span, c *component, i int32, chunks bool) {
	a := s.rec.arch
	m := a.moveTo(a)
	if !a.has(c) {
		m, _ = w.tables.with("", a, c) // mayShare has been there
	}
	var values [maxShared]int32
	for k, from := range m.shared {
		if from >= 0 {
			values[k] = s.rec.group.values[from]
		}
	}
	at := m.to.find(c.key)
	values[m.to.columns[at].shared] = i
	g := m.to.groups.of(values[:m.to.shared])
	if m.relabel && s.n == s.rec.n && (s.n > 1 || chunks) {
		w.tables.relabelChunk(m, s.rec, g)
		s.rec.versions[at] = w.gate.version
		return
	}
	for s.n > 0 {
		dst := w.tables.claim(m.to, g, s.n)
		part := span{s.rec, s.first + s.n - dst.n, dst.n}
		w.tables.copyRows(m, dst, part)
		dst.rec.versions[at] = w.gate.version
		w.tables.drop(part)
		s.n -= dst.n
	}
}

// shareAll gives entities, which all exist, a shared value. What can go wrong does
// so before the first row moves, as in shareMatching: a panic of the value's
// methods too, or one because it cannot be compared.
func (w *World) shareAll(op string, ids []Entity, c *component, v any) error {
	if len(ids) == 0 {
		return w.gate.open(op)
	}
	if s, n := w.tables.run(ids); n == len(ids) {
		return w.setShared(op, s, c, v)
	}
	if w.gate.inJob() {
		return w.canChange(op)
	}
	if err := w.gate.looks(op); err != nil {
		return err
	}
	st, some := w.shared.storeOf(c), false
	i, hash, err := w.shared.seek(op, st, v)
	if err != nil {
		return err
	}
	for rest := ids; len(rest) > 0; {
		s, n := w.tables.run(rest)
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
		s, n := w.tables.run(ids)
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
	st, some := w.shared.storeOf(c), false
	i, hash, err := w.shared.seek(op, st, v)
	if err != nil {
		return err
	}
	for _, s := range w.queries.runs {
		must, err := w.mayShare(op, s.rec, c, i)
		if err != nil {
			return err
		}
		some = some || must
	}
	if !some {
		w.gate.idle()
		return nil
	}
	if err := w.commit(op); err != nil {
		return err
	}
	if i < 0 {
		i = st.put(v, hash)
	}
	for _, s := range w.queries.runs {
		if must, _ := w.mayShare(op, s.rec, c, i); must {
			w.share(s, c, i, true)
		}
	}
	w.finish()
	return nil
}

// SharedValues yields the values of the shared component T that are in use, by
// index: the default first, always, then each value that a chunk or a query's
// WithShared has. Indices are stable while a value is in use.
func SharedValues[T comparable](w *World) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		const op = "SharedValues"
		c, err := componentIn[T](w, op)
		if err != nil {
			panic(err)
		}
		if !c.kind.has(isShared) {
			panic(w.gate.fault(ErrArgument, op, "the component is not shared: embed ecs.Shared").on(c))
		}
		w.gate.refuseLent(op)
		if err := w.gate.notInJob(op); err != nil {
			panic(err)
		}
		for i, v := range w.shared.storeOf(c).values {
			if v != nil && !yield(i, v.(T)) {
				return
			}
		}
	}
}

// commitWith begins a structural change of archetype a, which has shared components:
// it interns those of the values given that are, and returns their group.
func (w *World) commitWith(op string, a *archetype, given []any) (*group, error) {
	var values [maxShared]int32
	err := w.shared.interning(func() (err error) {
		if values, err = w.shared.internAll(op, a.stores, given); err != nil {
			return err
		}
		return w.commit(op)
	})
	if err != nil {
		return nil, err
	}
	return a.groups.of(values[:a.shared]), nil
}
