package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Instantiate creates n copies of e. A copy has the same components as e with the same values, except for
// Prefab and cleanup components. If data of e refers to e itself, the reference becomes a reference to the
// copy. It returns the copies in order.
//
// If e has a [LinkedGroup], the whole group is copied. References between the members become references
// between the members of the same copy. The error is of category [ErrArgument], and nothing is created,
// in two cases: e is not the first member of the group, or a member does not exist, is a destroyed entity
// that waits for its cleanup, or occurs twice.
func (w *World) Instantiate(e Entity, n int) ([]Entity, error) {
	if w == nil {
		return nil, noWorldError("Instantiate")
	}
	if n < 0 {
		return nil, w.gate.fault(ErrArgument, "Instantiate", "the number of copies is %d", n).forEntity(e)
	}
	ids := make([]Entity, n)
	if err := w.instantiate("Instantiate", e, ids); err != nil {
		return nil, err
	}
	return ids, nil
}

// InstantiateInto is like Instantiate for len(ids) copies. It writes their ids into the slice ids, so
// that it does not have to allocate a result. The errors are the same as for Instantiate.
func (w *World) InstantiateInto(e Entity, ids []Entity) error {
	if w == nil {
		return noWorldError("InstantiateInto")
	}
	return w.instantiate("InstantiateInto", e, ids)
}

// InstantiateAll creates one copy of each of the entities ids, as Instantiate does, and returns the copies
// in that order. References between these entities become references between the copies. A LinkedGroup is
// copied as a component, without copies of its members. The error is of category [ErrArgument], and
// nothing is created, if an entity does not exist, is a destroyed entity that waits for its cleanup, or
// occurs twice.
func (w *World) InstantiateAll(ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorldError("InstantiateAll")
	}
	return w.copyEntities("InstantiateAll", ids, w.types.prefab)
}

// CloneAll is like InstantiateAll, except that copies of entities with Prefab also have Prefab. The
// errors are the same as for InstantiateAll.
func (w *World) CloneAll(ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorldError("CloneAll")
	}
	return w.copyEntities("CloneAll", ids, nil)
}

// copyEntities creates one copy of each of the entities ids. The copies do not have the component
// that is given by less.
func (w *World) copyEntities(op string, ids []Entity, less *component) ([]Entity, error) {
	if err := w.checkCanChange(op); err != nil { // before the scratch memory is used, because it belongs to the owner
		return nil, err
	}
	w.editScratch.entitySet.reset(len(w.tables.entities.slots))
	w.editScratch.copySources = w.editScratch.copySources[:0]
	for _, e := range ids {
		if err := w.addCopySource(op, e, less); err != nil {
			return nil, err
		}
	}
	if len(ids) == 0 {
		w.gate.endUnchanged()
		return nil, nil
	}
	if err := w.beginAllowedChange(op); err != nil {
		return nil, err
	}
	return append([]Entity(nil), w.createCopies(1)...), nil
}

// instantiate creates copies of e, or of its whole LinkedGroup, and writes the ids of the copies of
// e to ids.
func (w *World) instantiate(op string, e Entity, ids []Entity) error {
	if err := w.checkCanChange(op); err != nil { // before the scratch memory is used, because it belongs to the owner
		return err
	}
	w.editScratch.entitySet.reset(len(w.tables.entities.slots))
	w.editScratch.copySources = w.editScratch.copySources[:0]
	if err := w.addCopySource(op, e, w.types.prefab); err != nil {
		return err
	}
	if root := w.editScratch.copySources[0]; root.chunk.arch.has(w.types.linkedGroup) {
		if err := w.completeJobs(op); err != nil { // because jobs may be writing the group
			return err
		}
		group := w.linkedGroupOf(root.chunk, root.row)
		if len(group) == 0 || group[0].Entity != e {
			return w.gate.fault(ErrArgument, op, "the first element of its LinkedGroup is not the entity itself: a group begins with its root").forEntity(e)
		}
		for _, l := range withoutRoot(group) {
			if err := w.addCopySource(op, l.Entity, w.types.prefab); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 {
		w.gate.endUnchanged()
		return nil
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	copy(ids, w.createCopies(len(ids)))
	return nil
}

// copySource is one of the entities that a call copies.
type copySource struct {
	chunk       *chunkData
	row         int
	move        *archetypeMove // from the source's archetype to that of the copies
	targetIndex int            // index of the copies' archetype, if they are in another world
}

// addCopySource adds e to the entities to copy. The copies will have neither the cleanup
// components of e nor the component that is given by less.
func (w *World) addCopySource(op string, e Entity, less *component) error {
	s, err := w.copySourceOf(op, e)
	if err != nil {
		return err
	}
	s.move, err = w.copyMove(op, s.chunk.arch, less)
	w.editScratch.copySources = append(w.editScratch.copySources, s)
	return err
}

// copySourceOf returns e as a source, or an error if it cannot be copied.
func (w *World) copySourceOf(op string, e Entity) (copySource, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return copySource{}, w.entityError(op, e)
	}
	r := w.tables.chunks[s.chunk]
	if r.arch.awaitsCleanup {
		return copySource{}, w.gate.fault(ErrArgument, op, "the entity was destroyed and waits for its cleanup: it cannot be copied").forEntity(e)
	}
	if err := w.tables.checkNotMeta(op, r.arch); err != nil {
		return copySource{}, err
	}
	if !w.editScratch.entitySet.add(e) {
		return copySource{}, w.gate.fault(ErrArgument, op, "the entity is to be copied twice at once: it is more than once in the list or in the LinkedGroup").forEntity(e)
	}
	return copySource{chunk: r, row: int(s.row)}, nil
}

// copyMove returns the move from an archetype to the archetype of its copies.
func (w *World) copyMove(op string, a *archetype, less *component) (*archetypeMove, error) {
	var drop []*component
	alone := a.has(w.types.omitGroup) && a.has(w.types.linkedGroup)
	for i := range a.columns {
		if c := a.columns[i].comp; c.kind.has(isCleanup) || c == less || alone && (c == w.types.omitGroup || c == w.types.linkedGroup) {
			drop = append(drop, c)
		}
	}
	m, err := w.tables.editMove(op, a, nil, drop)
	if m == nil && err == nil {
		m = a.moveTo(a)
	}
	return m, err
}

// createCopies creates n copies of each source: first all copies of the first source, then all
// copies of the next source. createCopies returns their ids in this order; the slice is valid until
// the next call. If a source refers to another source, copy number i of the one refers to copy
// number i of the other.
func (w *World) createCopies(n int) []Entity {
	w.tables.entities.growFor(n * len(w.editScratch.copySources))
	w.editScratch.copyIDs = w.editScratch.copyIDs[:0]
	for k := range w.editScratch.copySources {
		s := &w.editScratch.copySources[k]
		g := s.move.groupFor(s.chunk)
		for left := n; left > 0; {
			dst := w.tables.claimRows(s.move.to, g, left)
			w.tables.entities.assignIDs(dst.ids(), dst.chunk.id, dst.first)
			w.editScratch.copyIDs = append(w.editScratch.copyIDs, dst.ids()...)
			s.move.repeatRow(dst, s.chunk, s.row)
			w.tables.markAllColumns(dst.chunk)
			left -= dst.count
		}
	}
	for at := 0; at < len(w.editScratch.copyIDs); {
		s, k := w.tables.leadingRows(w.editScratch.copyIDs[at:])
		if s.chunk.arch.holdsEntityIDs {
			w.remapSourceRefs(s, at, n)
		}
		at += k
	}
	w.endChange()
	return w.editScratch.copyIDs
}

// remapSourceRefs replaces references to sources by references to their copies, in a range of copies. The
// first copy in the range has index at in w.editScratch.copyIDs.
func (w *World) remapSourceRefs(s rowRange, at, n int) {
	s.mapRefs(func(i int, id Entity) Entity {
		if k := w.editScratch.entitySet.indexOf(id); k >= 0 {
			return w.editScratch.copyIDs[k*n+(at+i)%n]
		}
		return id
	})
}

// repeatRow copies one row to all rows of dst.
func (m *archetypeMove) repeatRow(dst rowRange, r *chunkData, row int) {
	m.copy.Rows(&dst.chunk.Place, dst.first, &r.Place, row, 1)
	for _, l := range m.copy.Pairs() {
		fillRepeated(dst.chunk.Bytes(table.Lane{Index: l.To, Size: l.Size}, dst.first, dst.count), int(l.Size))
	}
	for _, pair := range m.commonBuffers {
		for i := range dst.count {
			dst.chunk.bufferHeaps[pair[0]].cloneRow(dst.chunk, dst.first+i, &r.bufferHeaps[pair[1]], row)
		}
	}
	for _, pair := range m.commonBits {
		if r.enabledBits[pair[1]].isOn(row) {
			dst.chunk.enabledBits[pair[0]].turnOn(dst.first, dst.count)
		} else {
			dst.chunk.enabledBits[pair[0]].turnOff(dst.first, dst.count)
		}
	}
	m.repeatManaged(dst, r, row)
}
