package ecs

import "github.com/lanewise/lanewise/ecs/internal/table"

// copyAll makes one copy of each of the entities ids, without one component.
func (w *copier) copyAll(op string, ids []Entity, less *component) ([]Entity, error) {
	if err := w.canChange(op); err != nil { // the scratch is the owner's
		return nil, err
	}
	w.set.reset(len(w.entities.slots))
	w.sources = w.sources[:0]
	for _, e := range ids {
		if err := w.addSource(op, e, less); err != nil {
			return nil, err
		}
	}
	if len(ids) == 0 {
		w.idle()
		return nil, nil
	}
	if err := w.commit(op); err != nil {
		return nil, err
	}
	return append([]Entity(nil), w.copySources(1)...), nil
}

// instantiate makes copies of e, or of the whole group if it has one, and writes
// the ids of those of e to ids.
func (w *copier) instantiate(op string, e Entity, ids []Entity) error {
	if err := w.canChange(op); err != nil { // the scratch is the owner's
		return err
	}
	w.set.reset(len(w.entities.slots))
	w.sources = w.sources[:0]
	if err := w.addSource(op, e, w.prefab); err != nil {
		return err
	}
	if root := w.sources[0]; root.rec.arch.has(w.group) {
		if err := w.complete(op); err != nil { // jobs may be writing the group
			return err
		}
		group := w.groupOf(root.rec, root.row)
		if len(group) == 0 || group[0].Entity != e {
			return w.fault(ErrArgument, op, "the first element of its LinkedGroup is not the entity itself: a group begins with its root").of(e)
		}
		for _, l := range parts(group) {
			if err := w.addSource(op, l.Entity, w.prefab); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 {
		w.idle()
		return nil
	}
	if err := w.commit(op); err != nil {
		return err
	}
	copy(ids, w.copySources(len(ids)))
	return nil
}

// source is one of the entities that are copied together.
type source struct {
	rec    *record
	row    int
	move   *move // to the archetype of the copies
	target int   // of copies in another world
}

// addSource adds an entity to those that are to be copied; the copies lack its
// cleanup components and the component given.
func (w *copier) addSource(op string, e Entity, less *component) error {
	s, err := w.sourceOf(op, e)
	if err != nil {
		return err
	}
	s.move, err = w.toCopy(op, s.rec.arch, less)
	w.sources = append(w.sources, s)
	return err
}

// sourceOf returns an entity as one of those that are to be copied.
func (w *copier) sourceOf(op string, e Entity) (source, error) {
	s := w.entities.find(e)
	if s == nil {
		return source{}, w.entityError(op, e)
	}
	r := w.records[s.record]
	if r.arch.awaitsCleanup {
		return source{}, w.fault(ErrArgument, op, "the entity was destroyed and waits for its cleanup: it cannot be copied").of(e)
	}
	if err := w.mayEdit(op, r.arch); err != nil {
		return source{}, err
	}
	if !w.set.add(e) {
		return source{}, w.fault(ErrArgument, op, "the entity is to be copied twice at once: it stands in the list, or in the LinkedGroup, more than once").of(e)
	}
	return source{rec: r, row: int(s.row)}, nil
}

// toCopy returns the way from an archetype to that of copies.
func (w *copier) toCopy(op string, a *archetype, less *component) (*move, error) {
	var drop []*component
	alone := a.has(w.omit) && a.has(w.group)
	for i := range a.columns {
		if c := a.columns[i].comp; c.kind.has(isCleanup) || c == less || alone && (c == w.omit || c == w.group) {
			drop = append(drop, c)
		}
	}
	m, err := w.edit(op, a, nil, drop)
	if m == nil && err == nil {
		m = a.moveTo(a)
	}
	return m, err
}

// copySources makes n copies of each source, all of the first one, then all of
// the next, and returns their ids in that order, good until the next call.
// References between sources lead to copies of the same number.
func (w *copier) copySources(n int) []Entity {
	w.entities.reserve(n * len(w.sources))
	w.copies = w.copies[:0]
	for k := range w.sources {
		s := &w.sources[k]
		g := s.move.group(s.rec)
		for left := n; left > 0; {
			dst := w.claim(s.move.to, g, left)
			w.entities.take(dst.ids(), dst.rec.id, dst.first)
			w.copies = append(w.copies, dst.ids()...)
			s.move.spread(dst, s.rec, s.row)
			w.touchAll(dst.rec)
			left -= dst.n
		}
	}
	for at := 0; at < len(w.copies); {
		s, k := w.run(w.copies[at:])
		if s.rec.arch.refs {
			w.redirect(s, at, n)
		}
		at += k
	}
	w.finish()
	return w.copies
}

// redirect makes references of copies, which begin at a place of w.copies, lead to
// copies of the same number.
func (w *copier) redirect(s span, at, n int) {
	s.mapRefs(func(i int, id Entity) Entity {
		if k := w.set.find(id); k >= 0 {
			return w.copies[k*n+(at+i)%n]
		}
		return id
	})
}

// spread copies one row to all rows of dst.
func (m *move) spread(dst span, r *record, row int) {
	m.copy.Rows(&dst.rec.Place, dst.first, &r.Place, row, 1)
	for _, l := range m.copy.Pairs() {
		repeat(dst.rec.Bytes(table.Lane{Index: l.To, Size: l.Size}, dst.first, dst.n), int(l.Size))
	}
	for _, pair := range m.spills {
		for i := range dst.n {
			dst.rec.spills[pair[0]].clone(dst.rec, dst.first+i, &r.spills[pair[1]], row)
		}
	}
	for _, pair := range m.bits {
		if r.switches[pair[1]].on(row) {
			dst.rec.switches[pair[0]].fill(dst.first, dst.n)
		} else {
			dst.rec.switches[pair[0]].clear(dst.first, dst.n)
		}
	}
	m.spreadObjects(dst, r, row)
}

// repeat fills b with copies of its first size bytes.
func repeat(b []byte, size int) {
	for done := size; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

// eachRef calls f with every entity id in the column's row.
func (c *column) eachRef(r *record, row int, f func(id *Entity)) {
	if c.comp.kind.has(isBuffer) {
		values, size := bufferAt(r, c, row).bytes(), c.comp.buffer.size
		for at := 0; at < len(values); at += size {
			for _, ref := range c.comp.refs {
				f(entityAt(values[at:at+size], ref))
			}
		}
		return
	}
	for i, l := range c.lanes {
		field := c.comp.fields[i]
		value := r.Bytes(l, row, 1)
		for _, ref := range c.comp.refs {
			if ref >= field.offset && ref < field.offset+field.size {
				f(entityAt(value, ref-field.offset))
			}
		}
	}
}

// mapRefs replaces every entity id in the rows of s: to is given the number of the
// row in s. Shared values are left alone: they are the group's.
func (s span) mapRefs(to func(i int, id Entity) Entity) {
	for i := range s.rec.arch.columns {
		if c := &s.rec.arch.columns[i]; len(c.comp.refs)+len(c.comp.boxed) > 0 {
			c.mapRefs(s, to)
		}
	}
}

// mapRefs replaces every entity id of a column in the rows of s.
func (c *column) mapRefs(s span, to func(i int, id Entity) Entity) {
	r := s.rec
	for i := range s.n {
		switch {
		case c.object >= 0:
			box := r.objects[c.object].rows.Index(s.first + i).Addr()
			for _, ref := range c.comp.boxed {
				id := entityIn(box, ref)
				*id = to(i, *id)
			}
		case len(c.lanes) > 0:
			c.eachRef(r, s.first+i, func(id *Entity) { *id = to(i, *id) })
		}
	}
}
