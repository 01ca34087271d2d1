package ecs

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
		m.zeroFresh(dst, w.version)
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
