package ecs

import (
	"slices"
)

// linkedGroupOf returns the linked group of a row. It returns nil if the row has no group, or an
// empty group.
func (w *World) linkedGroupOf(r *chunkData, row int) []Linked {
	if !r.arch.kinds.has(isLinked) {
		return nil
	}
	i := r.arch.findColumn(w.types.linkedGroup.key)
	if i < 0 {
		return nil
	}
	return bufferElements[Linked](bufferAt(r, &r.arch.columns[i], row).elementBytes())
}

// withoutRoot returns a linked group without its root.
func withoutRoot(group []Linked) []Linked { return group[min(1, len(group)):] }

// withLinkedParts returns the entities ids, followed by the parts of their linked groups, the parts of those
// parts, and so on. A group that is reached in two ways is included only once. It returns an error if one of
// the entities cannot be destroyed. The slice is valid until the next call.
func (w *World) withLinkedParts(op string, ids []Entity) ([]Entity, error) {
	if err := w.checkCanChange(op); err != nil {
		return nil, err
	}
	if err := w.completeJobs(op); err != nil { // jobs may be writing groups
		return nil, err
	}
	w.editScratch.groupMembers = append(w.editScratch.groupMembers[:0], ids...)
	w.editScratch.entitySet.reset(len(w.tables.entities.slots))
	for i := 0; i < len(w.editScratch.groupMembers); i++ {
		s := w.tables.entities.find(w.editScratch.groupMembers[i])
		if s == nil {
			if err := w.absentError(op, w.editScratch.groupMembers[i]); err != nil {
				return nil, err
			}
			continue
		}
		r := w.tables.chunks[s.chunk]
		if err := w.tables.checkNotMeta(op, r.arch); err != nil {
			return nil, err
		}
		if r.arch.awaitsCleanup { // it was destroyed before
			continue
		}
		if group := w.linkedGroupOf(r, int(s.row)); len(group) > 1 && w.editScratch.entitySet.add(w.editScratch.groupMembers[i]) {
			for _, l := range withoutRoot(group) {
				w.editScratch.groupMembers = append(w.editScratch.groupMembers, l.Entity)
			}
		}
	}
	return w.editScratch.groupMembers, nil
}

// checkWholeGroups returns an error if q matches the root of a linked group but not all of its members,
// because destroying by query destroys only the entities that the query matches.
func (w *World) checkWholeGroups(op string, q *Query) error {
	if err := w.checkOwnQuery(op, q); err != nil {
		return err
	}
	for _, m := range q.matches {
		if !m.arch.kinds.has(isLinked) || m.arch.awaitsCleanup || len(m.arch.chunks) == 0 {
			continue
		}
		if err := w.checkCanChange(op); err != nil {
			return err
		}
		if err := w.completeJobs(op); err != nil {
			return err
		}
		if err := w.checkWholeGroupsIn(op, q, m); err != nil {
			return err
		}
	}
	return nil
}

// checkWholeGroupsIn does the work of checkWholeGroups for one archetype.
func (w *World) checkWholeGroupsIn(op string, q *Query, m *match) error {
	for _, r := range m.candidateChunks(&w.tables) {
		if !m.chunkPasses(r, q.since) {
			continue
		}
		w.queries.selectedRows = q.appendRuns(w.queries.selectedRows[:0], m, r)
		for _, s := range w.queries.selectedRows {
			if err := w.checkWholeGroupsOfRows(op, q, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkWholeGroupsOfRows does the work of checkWholeGroups for a range of rows.
func (w *World) checkWholeGroupsOfRows(op string, q *Query, s rowRange) error {
	for i, root := range s.ids() {
		for _, l := range withoutRoot(w.linkedGroupOf(s.chunk, s.first+i)) {
			if !w.exists(l.Entity) {
				if err := w.absentError(op, l.Entity); err != nil {
					return err
				}
				continue
			}
			if !q.Matches(l.Entity) {
				return w.gate.fault(ErrArgument, op, "the query matches the entity, but not %v of its LinkedGroup: use Entities, or a query that matches both", l.Entity).forEntity(root)
			}
		}
	}
	return nil
}

// setActive removes Inactive from e if active is true, and otherwise adds it if e does not have it.
func (w *World) setActive(op string, e Entity, active bool) (err error) {
	switch s := w.tables.entities.find(e); {
	case active:
		_, err = w.removeComponent(op, e, w.types.inactive)
	case !w.tables.chunks[s.chunk].arch.has(w.types.inactive):
		_, err = w.addComponent(op, e, w.types.inactive)
	}
	return err
}

// activeMove returns the move that adds Inactive to an entity, or the move that removes it.
func (w *World) activeMove(op string, a *archetype, active bool) (*archetypeMove, error) {
	if active {
		return w.tables.moveRemoving(op, a, w.types.inactive)
	}
	return w.tables.moveAdding(op, a, w.types.inactive)
}

// appendLinked appends to ids the entities in the linked group of e that match the query mask and have the
// component c. If mask or c is nil, it is not checked. Destroyed entities that wait for their cleanup are
// not included.
func (w *World) appendLinked(op string, e Entity, mask *Query, c *component, ids []Entity) ([]Entity, error) {
	if err := w.checkWouldChange(op); err != nil {
		return nil, err
	}
	if err := w.completeJobs(op); err != nil { // jobs may be writing groups
		return nil, err
	}
	if mask != nil {
		if err := w.checkOwnQuery(op, mask); err != nil {
			return nil, err
		}
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return nil, w.entityError(op, e)
	}
	for _, l := range w.linkedGroupOf(w.tables.chunks[s.chunk], int(s.row)) {
		part := w.tables.entities.find(l.Entity)
		if part == nil {
			continue
		}
		a := w.tables.chunks[part.chunk].arch
		if (mask == nil || mask.matchOf(a) != nil) && (c == nil || a.has(c)) && (mask != nil || c != nil || !a.awaitsCleanup) {
			ids = append(ids, l.Entity)
		}
	}
	return ids, nil
}

func (w *World) destroyAll(op string, ids []Entity) error {
	groups, err := w.checkDestroy(op, ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	if groups {
		if ids, err = w.withLinkedParts(op, ids); err != nil {
			return err
		}
	}
	if err := w.beginChange(op); err != nil {
		return err
	}
	if err := w.destroyRuns(op, ids); err != nil {
		return err
	}
	w.endChange()
	return nil
}

// checkDestroy returns an error if one of ids cannot be destroyed, and reports whether one is the root of a
// linked group.
func (w *World) checkDestroy(op string, ids []Entity) (groups bool, err error) {
	for _, e := range ids {
		s := w.tables.entities.find(e)
		if s == nil {
			if err := w.absentError(op, e); err != nil {
				return false, err
			}
			continue
		}
		a := w.tables.chunks[s.chunk].arch
		if err := w.tables.checkNotMeta(op, a); err != nil {
			return false, err
		}
		groups = groups || a.kinds.has(isLinked)
	}
	return groups, nil
}

// destroyRuns destroys entities. It destroys neighbouring rows together. It skips entities that already
// wait for their cleanup.
func (w *World) destroyRuns(op string, ids []Entity) error {
	for len(ids) > 0 {
		s, n := w.tables.leadingRows(ids)
		ids = ids[n:]
		if s.chunk != nil && !s.chunk.arch.awaitsCleanup {
			if err := w.tables.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// destroyMatching destroys all entities that q matches and that pass its filters.
func (w *World) destroyMatching(op string, q *Query) error {
	if err := w.checkWholeGroups(op, q); err != nil {
		return err
	}
	if err := w.selectRows(op, q); err != nil {
		return err
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	for _, s := range w.queries.selectedRows {
		if !s.chunk.arch.awaitsCleanup {
			if err := w.tables.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	w.endChange()
	return nil
}

// sparseSet is a list of entities with an index to find each in constant time: a sparse set (Briggs and
// Torczon, "An efficient representation for sparse sets", 1993). indexOf checks each element of
// indexOfEntity against the list. So the element for an entity that is not in the list may have any
// value. Therefore reset does not have to clear indexOfEntity. Short lists are searched without
// indexOfEntity.
type sparseSet struct {
	list          []Entity
	indexOfEntity []int32 // by entity index: the place in list, valid if the entity is there
	indexLimit    int     // entity indices are below this
}

// linearSearchMax is the length up to which a linear search of the list is fast enough.
const linearSearchMax = 8

// reset empties the list. Afterwards it can hold entities whose indices are below n.
func (r *sparseSet) reset(n int) { r.list, r.indexLimit = r.list[:0], n }

// add appends e if it is not in the list, and reports whether it was appended.
func (r *sparseSet) add(e Entity) bool {
	if r.indexOf(e) >= 0 {
		return false
	}
	r.push(e)
	return true
}

// push appends e, which is not in the list.
func (r *sparseSet) push(e Entity) {
	r.list = append(r.list, e)
	switch k := len(r.list) - 1; {
	case k > linearSearchMax:
		r.indexOfEntity[e.Index] = int32(k)
	case k == linearSearchMax:
		if r.indexLimit > len(r.indexOfEntity) {
			r.indexOfEntity = slices.Grow(r.indexOfEntity, r.indexLimit-len(r.indexOfEntity))[:r.indexLimit]
		}
		for i, e := range r.list {
			r.indexOfEntity[e.Index] = int32(i)
		}
	}
}

// indexOf returns the index of e in the list, or -1.
func (r *sparseSet) indexOf(e Entity) int {
	if len(r.list) <= linearSearchMax {
		return slices.Index(r.list, e)
	}
	if uint(e.Index) < uint(len(r.indexOfEntity)) {
		if k := int(r.indexOfEntity[e.Index]); k < len(r.list) && r.list[k] == e {
			return k
		}
	}
	return -1
}
