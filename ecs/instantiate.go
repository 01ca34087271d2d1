package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Instantiate makes n copies of e. A copy has the components of e with their values, except for Prefab and
// cleanup components. References to e in e's own data become references to the copy. It returns the copies
// in order.
//
// If e has a [LinkedGroup], the whole group is copied, member by member, and references between the
// members become references between the members of the same copy. The error is of category [ErrArgument],
// and nothing is made, if the group does not begin with e, or one of its members does not exist, is
// destroyed and waits for its cleanup, or comes twice.
func (w *World) Instantiate(e Entity, n int) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("Instantiate")
	}
	if n < 0 {
		return nil, w.gate.fault(ErrArgument, "Instantiate", "the number of copies is %d", n).of(e)
	}
	ids := make([]Entity, n)
	if err := w.instantiate("Instantiate", e, ids); err != nil {
		return nil, err
	}
	return ids, nil
}

// InstantiateInto is Instantiate for len(ids) copies, whose ids it writes to ids, so that the result needs
// no new memory. The errors are those of Instantiate.
func (w *World) InstantiateInto(e Entity, ids []Entity) error {
	if w == nil {
		return noWorld("InstantiateInto")
	}
	return w.instantiate("InstantiateInto", e, ids)
}

// InstantiateAll makes one copy of each of the entities ids, as Instantiate does, and returns the copies
// in that order. References between these entities become references between the copies. A LinkedGroup is
// copied as a component, without copies of its members. The error is of category [ErrArgument], and
// nothing is made, if one of the entities does not exist, is destroyed and waits for its cleanup, or comes
// twice.
func (w *World) InstantiateAll(ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("InstantiateAll")
	}
	return w.copyAll("InstantiateAll", ids, w.types.prefab)
}

// CloneAll is InstantiateAll, except that copies of entities with Prefab have Prefab too. The errors are
// those of InstantiateAll.
func (w *World) CloneAll(ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("CloneAll")
	}
	return w.copyAll("CloneAll", ids, nil)
}

// copyAll creates one copy of each of the entities ids. The copies lack the component less.
func (w *World) copyAll(op string, ids []Entity, less *component) ([]Entity, error) {
	if err := w.canChange(op); err != nil { // before the scratch memory is used, because it belongs to the owner
		return nil, err
	}
	w.edits.set.reset(len(w.tables.entities.slots))
	w.edits.sources = w.edits.sources[:0]
	for _, e := range ids {
		if err := w.addSource(op, e, less); err != nil {
			return nil, err
		}
	}
	if len(ids) == 0 {
		w.gate.idle()
		return nil, nil
	}
	if err := w.commit(op); err != nil {
		return nil, err
	}
	return append([]Entity(nil), w.copySources(1)...), nil
}

// instantiate creates copies of e, or of its whole LinkedGroup, and writes the ids of the copies of
// e to ids.
func (w *World) instantiate(op string, e Entity, ids []Entity) error {
	if err := w.canChange(op); err != nil { // before the scratch memory is used, because it belongs to the owner
		return err
	}
	w.edits.set.reset(len(w.tables.entities.slots))
	w.edits.sources = w.edits.sources[:0]
	if err := w.addSource(op, e, w.types.prefab); err != nil {
		return err
	}
	if root := w.edits.sources[0]; root.rec.arch.has(w.types.group) {
		if err := w.complete(op); err != nil { // because jobs may be writing the group
			return err
		}
		group := w.groupOf(root.rec, root.row)
		if len(group) == 0 || group[0].Entity != e {
			return w.gate.fault(ErrArgument, op, "the first element of its LinkedGroup is not the entity itself: a group begins with its root").of(e)
		}
		for _, l := range parts(group) {
			if err := w.addSource(op, l.Entity, w.types.prefab); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 {
		w.gate.idle()
		return nil
	}
	if err := w.commit(op); err != nil {
		return err
	}
	copy(ids, w.copySources(len(ids)))
	return nil
}

// source is one of the entities that a call copies.
type source struct {
	rec    *record
	row    int
	move   *move // from the source's archetype to that of the copies
	target int   // index of the copies' archetype, if they are in another world
}

// addSource adds e to the entities to copy. The copies lack its cleanup components, and the
// component less.
func (w *World) addSource(op string, e Entity, less *component) error {
	s, err := w.sourceOf(op, e)
	if err != nil {
		return err
	}
	s.move, err = w.toCopy(op, s.rec.arch, less)
	w.edits.sources = append(w.edits.sources, s)
	return err
}

// sourceOf returns e as a source, or an error if it cannot be copied.
func (w *World) sourceOf(op string, e Entity) (source, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return source{}, w.entityError(op, e)
	}
	r := w.tables.records[s.record]
	if r.arch.awaitsCleanup {
		return source{}, w.gate.fault(ErrArgument, op, "the entity was destroyed and waits for its cleanup: it cannot be copied").of(e)
	}
	if err := w.tables.mayEdit(op, r.arch); err != nil {
		return source{}, err
	}
	if !w.edits.set.add(e) {
		return source{}, w.gate.fault(ErrArgument, op, "the entity is to be copied twice at once: it stands in the list, or in the LinkedGroup, more than once").of(e)
	}
	return source{rec: r, row: int(s.row)}, nil
}

// toCopy returns the move from an archetype to the archetype of its copies.
func (w *World) toCopy(op string, a *archetype, less *component) (*move, error) {
	var drop []*component
	alone := a.has(w.types.omit) && a.has(w.types.group)
	for i := range a.columns {
		if c := a.columns[i].comp; c.kind.has(isCleanup) || c == less || alone && (c == w.types.omit || c == w.types.group) {
			drop = append(drop, c)
		}
	}
	m, err := w.tables.edit(op, a, nil, drop)
	if m == nil && err == nil {
		m = a.moveTo(a)
	}
	return m, err
}

// copySources creates n copies of each source: first all copies of the first source, then all of
// the next. It returns their ids in this order; the slice is valid until the next call. A reference
// from one source to another becomes, in copy number i, a reference to copy number i.
func (w *World) copySources(n int) []Entity {
	w.tables.entities.reserve(n * len(w.edits.sources))
	w.edits.copies = w.edits.copies[:0]
	for k := range w.edits.sources {
		s := &w.edits.sources[k]
		g := s.move.group(s.rec)
		for left := n; left > 0; {
			dst := w.tables.claim(s.move.to, g, left)
			w.tables.entities.take(dst.ids(), dst.rec.id, dst.first)
			w.edits.copies = append(w.edits.copies, dst.ids()...)
			s.move.spread(dst, s.rec, s.row)
			w.tables.touchAll(dst.rec)
			left -= dst.n
		}
	}
	for at := 0; at < len(w.edits.copies); {
		s, k := w.tables.run(w.edits.copies[at:])
		if s.rec.arch.refs {
			w.redirect(s, at, n)
		}
		at += k
	}
	w.finish()
	return w.edits.copies
}

// redirect replaces the references between sources in a span of copies. The span starts at index at
// of w.edits.copies.
func (w *World) redirect(s span, at, n int) {
	s.mapRefs(func(i int, id Entity) Entity {
		if k := w.edits.set.find(id); k >= 0 {
			return w.edits.copies[k*n+(at+i)%n]
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
