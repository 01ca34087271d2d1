package ecs

import "iter"

// setShared sets the shared component c of a range of rows of one chunk to v. If the rows lack c, it adds
// c. If the range is a whole chunk, the chunk itself gets the value, and no row moves.
func (w *World) setShared(op string, s rowRange, c *component, v any) error {
	if w.gate.inJob() { // before the values are read, which belong to the owner
		return w.checkCanChange(op)
	}
	if err := w.gate.checkRead(op); err != nil {
		return err
	}
	st := w.shared.storeOf(c)
	i, hash, err := w.shared.lookup(op, st, v)
	if err != nil {
		return err
	}
	if must, err := w.checkSetShared(op, s.chunk, c, i); !must || err != nil {
		return err
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	if i < 0 {
		i = st.insert(v, hash)
	}
	w.moveToSharedValue(s, c, i, false)
	w.endChange()
	return nil
}

// checkSetShared returns true if the rows of the chunk r do not have the shared value with index i yet. It
// returns an error if they cannot get this value.
func (w *World) checkSetShared(op string, r *chunkData, c *component, i int32) (must bool, err error) {
	at := r.arch.findColumn(c.key)
	if at >= 0 && i == r.group.valueIndices[r.arch.columns[at].sharedIndex] {
		return false, nil
	}
	if err := w.checkCanChange(op); err != nil {
		return true, err
	}
	if at < 0 {
		_, err = w.tables.moveAdding(op, r.arch, c)
	}
	return true, err
}

// moveToSharedValue moves a range of rows to chunks in which the shared component c has the value of index i, and marks c
// as changed. checkSetShared must have returned true for the rows. If all rows of a chunk get the value, the chunk itself
// gets it and no row moves, except when the operation is for one entity.
func (w *World) moveToSharedValue(s rowRange, c *component, i int32, chunks bool) {
	a := s.chunk.arch
	m := a.moveTo(a)
	if !a.has(c) {
		m, _ = w.tables.moveAdding("", a, c) // checkSetShared has checked it
	}
	var values [maxShared]int32
	for k, from := range m.sourceShared {
		if from >= 0 {
			values[k] = s.chunk.group.valueIndices[from]
		}
	}
	at := m.to.findColumn(c.key)
	values[m.to.columns[at].sharedIndex] = i
	g := m.to.groups.findOrCreate(values[:m.to.sharedCount])
	if m.canRelabel && s.count == s.chunk.count && (s.count > 1 || chunks) {
		w.tables.relabelChunk(m, s.chunk, g)
		s.chunk.versions[at] = w.gate.changeVersion
		return
	}
	for s.count > 0 {
		dst := w.tables.claimRows(m.to, g, s.count)
		part := rowRange{s.chunk, s.first + s.count - dst.count, dst.count}
		w.tables.copyRows(m, dst, part)
		dst.chunk.versions[at] = w.gate.changeVersion
		w.tables.dropRows(part)
		s.count -= dst.count
	}
}

// setSharedAll sets a shared value of entities, which must all exist. As in setSharedMatching, every step
// that can fail comes before the first row moves. These steps are the calls of the value's methods, which
// may panic, and the comparison of values, which may be not comparable.
func (w *World) setSharedAll(op string, ids []Entity, c *component, v any) error {
	if len(ids) == 0 {
		return w.gate.checkOpen(op)
	}
	if s, n := w.tables.leadingRows(ids); n == len(ids) {
		return w.setShared(op, s, c, v)
	}
	if w.gate.inJob() {
		return w.checkCanChange(op)
	}
	if err := w.gate.checkRead(op); err != nil {
		return err
	}
	st, some := w.shared.storeOf(c), false
	i, hash, err := w.shared.lookup(op, st, v)
	if err != nil {
		return err
	}
	for rest := ids; len(rest) > 0; {
		s, n := w.tables.leadingRows(rest)
		rest = rest[n:]
		must, err := w.checkSetShared(op, s.chunk, c, i)
		if err != nil {
			return err
		}
		some = some || must
	}
	if !some {
		return nil
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	if i < 0 {
		i = st.insert(v, hash)
	}
	for len(ids) > 0 {
		s, n := w.tables.leadingRows(ids)
		ids = ids[n:]
		if must, _ := w.checkSetShared(op, s.chunk, c, i); must {
			w.moveToSharedValue(s, c, i, false)
		}
	}
	w.endChange()
	return nil
}

// setSharedMatching sets a shared value of all entities that q matches.
func (w *World) setSharedMatching(op string, q *Query, c *component, v any) error {
	if err := w.selectRows(op, q); err != nil {
		return err
	}
	st, some := w.shared.storeOf(c), false
	i, hash, err := w.shared.lookup(op, st, v)
	if err != nil {
		return err
	}
	for _, s := range w.queries.selectedRows {
		must, err := w.checkSetShared(op, s.chunk, c, i)
		if err != nil {
			return err
		}
		some = some || must
	}
	if !some {
		w.gate.endUnchanged()
		return nil
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	if i < 0 {
		i = st.insert(v, hash)
	}
	for _, s := range w.queries.selectedRows {
		if must, _ := w.checkSetShared(op, s.chunk, c, i); must {
			w.moveToSharedValue(s, c, i, true)
		}
	}
	w.endChange()
	return nil
}

// SharedValues yields the values of the shared component T that are in use, with their indices. It always
// yields the default first, and then each value that a chunk or a WithShared term of a query uses. An
// index stays the same as long as its value is in use.
func SharedValues[T comparable](w *World) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		const op = "SharedValues"
		c, err := componentIn[T](w, op)
		if err != nil {
			panic(err)
		}
		if !c.kind.has(isShared) {
			panic(w.gate.fault(ErrArgument, op, "the component is not shared: embed ecs.Shared").forComponent(c))
		}
		w.gate.mustNotBeLent(op)
		if err := w.gate.checkNotInJob(op); err != nil {
			panic(err)
		}
		for i, v := range w.shared.storeOf(c).values {
			if v != nil && !yield(i, v.(T)) {
				return
			}
		}
	}
}

// beginCreateShared begins a structural change of archetype a, which has shared components. It stores the given
// shared values and returns their group.
func (w *World) beginCreateShared(op string, a *archetype, given []any) (*chunkGroup, error) {
	var values [maxShared]int32
	err := w.shared.internTogether(func() (err error) {
		if values, err = w.shared.internAll(op, a.sharedStores, given); err != nil {
			return err
		}
		return w.beginAllowedChange(op)
	})
	if err != nil {
		return nil, err
	}
	return a.groups.findOrCreate(values[:a.sharedCount]), nil
}
