package ecs

import "iter"

// setShared sets the shared component c of a range of rows of one chunk to v, and adds c if they lack it.
// A whole chunk is relabelled in place.
func (w *World) setShared(op string, s span, c *component, v any) error {
	if w.gate.inJob() { // before the values are read, which belong to the owner
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

// mayShare reports whether rows of the chunk r have another shared value than that of index i, or none,
// and returns an error if they cannot get it.
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

// share moves a range of rows, for which mayShare was true, to chunks in which the shared component c has
// the value of index i, and marks c as changed. If all rows of a chunk get the value, the chunk is
// relabelled in place, except when the operation is for one entity.
func (w *World) share(s span, c *component, i int32, chunks bool) {
	a := s.rec.arch
	m := a.moveTo(a)
	if !a.has(c) {
		m, _ = w.tables.with("", a, c) // mayShare has checked it
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

// shareAll gives a shared value to entities, which must all exist. As in shareMatching, everything
// that can fail comes before the first row moves. This includes the methods of the value, which may
// panic, and the comparison of values that are not comparable.
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

// shareMatching gives a shared value to all entities that q matches.
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

// SharedValues yields the values of the shared component T that are in use, with their indices: first the
// default, always, then each value that a chunk or a query's WithShared has. An index is stable as long as
// its value is in use.
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

// commitWith begins a structural change of archetype a, which has shared components. It interns the given
// shared values and returns their group.
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
