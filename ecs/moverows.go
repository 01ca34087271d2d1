package ecs

// moveRows moves a run of rows to group g of the new archetype. When its chunks have
// less room than that, the end of the run goes first. It returns where the first
// row of the run is now.
func (w *tables) moveRows(m *move, s span, g *group) span {
	if s.n == 1 && m.plain {
		return w.moveRow(m, s.rec, s.first, g)
	}
	for {
		dst := w.claim(m.to, g, s.n)
		part := span{s.rec, s.first + s.n - dst.n, dst.n}
		w.copyRows(m, dst, part)
		w.drop(part)
		if s.n -= dst.n; s.n == 0 {
			return dst
		}
	}
}

// copyRows makes dst hold what src does: ids, common columns and their versions;
// the other columns are zero.
func (w *tables) copyRows(m *move, dst, src span) {
	to, from := dst.rec, src.rec
	copy(dst.ids(), src.ids())
	w.entities.place(dst.ids(), to.id, dst.first)
	m.copy.Rows(&to.Place, dst.first, &from.Place, src.first, dst.n)
	for _, pair := range m.spills {
		to.spills[pair[0]].copyFrom(dst, &from.spills[pair[1]], src)
	}
	for _, pair := range m.bits {
		to.switches[pair[0]].copy(dst.first, &from.switches[pair[1]], src.first, dst.n)
	}
	for _, pair := range m.objects {
		to.objects[pair[0]].copy(dst.first, &from.objects[pair[1]], src.first, dst.n)
	}
	m.moveVersions(to, dst.n, from)
	m.zeroFresh(dst, w.version)
}

// zeroFresh zeroes the columns that are new to rows which have moved.
func (m *move) zeroFresh(dst span, version uint32) {
	for _, i := range m.fresh {
		m.to.columns[i].zero(dst)
		dst.rec.versions[i] = version
	}
}

// relabelChunk makes a whole chunk one of the new archetype, in group g, where it is:
// same memory, same rows. What both archetypes have keeps its versions.
func (w *tables) relabelChunk(m *move, r *record, g *group) {
	w.moved(r)
	own := m.to.nextVersions()
	for _, k := range m.kept {
		own[k.to] = r.versions[k.from]
	}
	for _, i := range m.fresh {
		own[i] = w.version
	}
	m.to.retain(g) // values that only this chunk has must not end on the way
	w.delist(r)
	r.versions = own
	m.from.rows -= r.n
	m.to.rows += r.n
	if m.to == m.from { // other shared values, and one chunk less than when the place was found
		w.enlist(r, m.to, g)
	} else {
		w.enlistPlaced(r, m.to, g)
	}
	m.to.unretain(g)
	if m.from.switches+m.to.switches > 0 {
		w.relabelSwitches(m, r)
	}
	if m.from.managed+m.to.managed > 0 {
		m.relabelObjects(r)
	}
	if m.from.meta != m.to.meta {
		w.relabelMeta(m.from, r)
	}
	w.moved(r)
}

// relabelSwitches gives a chunk that has become one of m.to the switches of its
// columns. Words that it does not need any more stay past the end of its list.
func (w *tables) relabelSwitches(m *move, r *record) {
	old := r.switches[:cap(r.switches)]
	list := resize(w.switches, m.to.switches)
	for _, pair := range m.bits {
		list[pair[0]], old[pair[1]] = old[pair[1]], switches{}
	}
	for _, i := range m.fresh {
		if bit := m.to.columns[i].bit; bit >= 0 {
			list[bit].words = takeWords(old, wordsFor(r.Rows()))
			list[bit].fill(0, r.n)
		}
	}
	for _, s := range old {
		if s.words != nil {
			list = append(list, s)
		}
	}
	clear(old)
	r.switches = append(r.switches[:0], list...)[:m.to.switches]
	w.switches = list
	clear(w.switches) // the words are the chunk's
}

// relabelObjects gives a chunk that has become one of m.to the managed columns of
// that.
func (m *move) relabelObjects(r *record) {
	list := make([]objects, m.to.managed)
	for i, j := range m.source {
		switch c := &m.to.columns[i]; {
		case c.object < 0:
		case j >= 0:
			list[c.object] = r.objects[m.from.columns[j].object]
		default:
			list[c.object] = newObjects(c.comp.typ, r.Rows())
		}
	}
	r.objects = list
}

// spreadObjects copies the managed components of one row to all rows of dst. What
// they point to is not copied.
func (m *move) spreadObjects(dst span, r *record, row int) {
	for _, pair := range m.objects {
		to, v := dst.rec.objects[pair[0]].rows, r.objects[pair[1]].rows.Index(row)
		for i := range dst.n {
			to.Index(dst.first + i).Set(v)
		}
	}
}

// Entities are often edited one by one, and what moves a run of rows is slow for a
// single one: it asks about each lane how large it is, and about each chunk what
// else it has. Here rows move alone, between archetypes that have lanes only.

// moveRow is moveRows for one row between plain archetypes.
func (w *tables) moveRow(m *move, r *record, row int, g *group) span {
	dst := w.claim(m.to, g, 1)
	e := *r.idAt(row)
	*dst.rec.idAt(dst.first) = e
	w.entities.slots[e.Index].put(dst.rec.id, dst.first)
	m.copy.Row(&dst.rec.Base, dst.first, &r.Base, row)
	m.moveVersions(dst.rec, 1, r)
	if len(m.fresh) > 0 {
		dst.rec.ZeroRow(m.zeros, dst.first)
		for _, i := range m.fresh {
			dst.rec.versions[i] = w.version
		}
	}
	w.dropRow(r, row)
	return dst
}

// dropRow is drop for one row of a plain archetype.
func (w *tables) dropRow(r *record, row int) {
	if last := r.n - 1; row < last {
		e := *r.idAt(last)
		*r.idAt(row) = e
		w.entities.slots[e.Index].row = int32(row)
		r.arch.copy.Within(&r.Base, row, last)
	}
	w.shorten(r, 1)
}

// destroyRows ends a run of rows, or reduces them to their cleanup components.
func (w *tables) destroyRows(op string, s span) error {
	a := s.rec.arch
	if !a.kinds.has(isCleanup) {
		w.endRows(s)
		return nil
	}
	m, err := w.cleanupMove(op, a)
	if err != nil {
		return err
	}
	w.moveRows(m, s, m.group(s.rec))
	return nil
}
