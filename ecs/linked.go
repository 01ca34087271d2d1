package ecs

import (
	"slices"
)

// groupOf returns the linked group of a row; nil if it has none or an empty one.
func (w *World) groupOf(r *record, row int) []Linked {
	if !r.arch.kinds.has(isLinked) {
		return nil
	}
	i := r.arch.find(w.types.group.key)
	if i < 0 {
		return nil
	}
	return elements[Linked](bufferAt(r, &r.arch.columns[i], row).bytes())
}

// parts returns a linked group without its root.
func parts(group []Linked) []Linked { return group[min(1, len(group)):] }

// withParts returns the entities ids, followed by the parts of their linked groups, the parts of those,
// and so on. A group that is reached twice comes once. All of them can be destroyed. The slice is valid
// until the next call.
func (w *World) withParts(op string, ids []Entity) ([]Entity, error) {
	if err := w.canChange(op); err != nil {
		return nil, err
	}
	if err := w.complete(op); err != nil { // jobs may be writing groups
		return nil, err
	}
	w.edits.members = append(w.edits.members[:0], ids...)
	w.edits.set.reset(len(w.tables.entities.slots))
	for i := 0; i < len(w.edits.members); i++ {
		s := w.tables.entities.find(w.edits.members[i])
		if s == nil {
			if err := w.absent(op, w.edits.members[i]); err != nil {
				return nil, err
			}
			continue
		}
		r := w.tables.records[s.record]
		if err := w.tables.mayEdit(op, r.arch); err != nil {
			return nil, err
		}
		if r.arch.awaitsCleanup { // it was destroyed before
			continue
		}
		if group := w.groupOf(r, int(s.row)); len(group) > 1 && w.edits.set.add(w.edits.members[i]) {
			for _, l := range parts(group) {
				w.edits.members = append(w.edits.members, l.Entity)
			}
		}
	}
	return w.edits.members, nil
}

// wholeGroups returns an error if q matches the root of a linked group but not all of its parts, because
// destroying by a query destroys only entities that it matches.
func (w *World) wholeGroups(op string, q *Query) error {
	if err := w.own(op, q); err != nil {
		return err
	}
	for _, m := range q.matches {
		if !m.arch.kinds.has(isLinked) || m.arch.awaitsCleanup || len(m.arch.chunks) == 0 {
			continue
		}
		if err := w.canChange(op); err != nil {
			return err
		}
		if err := w.complete(op); err != nil {
			return err
		}
		if err := w.wholeGroupsOf(op, q, m); err != nil {
			return err
		}
	}
	return nil
}

// wholeGroupsOf is wholeGroups for one archetype.
func (w *World) wholeGroupsOf(op string, q *Query, m *match) error {
	for _, r := range m.look(&w.tables) {
		if !m.passes(r, q.since) {
			continue
		}
		w.queries.runs = q.appendRuns(w.queries.runs[:0], m, r)
		for _, s := range w.queries.runs {
			if err := w.wholeGroup(op, q, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// wholeGroup is wholeGroups for a range of rows.
func (w *World) wholeGroup(op string, q *Query, s span) error {
	for i, root := range s.ids() {
		for _, l := range parts(w.groupOf(s.rec, s.first+i)) {
			if !w.exists(l.Entity) {
				if err := w.absent(op, l.Entity); err != nil {
					return err
				}
				continue
			}
			if !q.Matches(l.Entity) {
				return w.gate.fault(ErrArgument, op, "the query matches the entity, but not %v of its LinkedGroup: use Entities, or a query that matches both", l.Entity).of(root)
			}
		}
	}
	return nil
}

// setActive removes Inactive from e, or adds it if e does not have it.
func (w *World) setActive(op string, e Entity, active bool) (err error) {
	switch s := w.tables.entities.find(e); {
	case active:
		_, err = w.removeOne(op, e, w.types.inactive)
	case !w.tables.records[s.record].arch.has(w.types.inactive):
		_, err = w.addOne(op, e, w.types.inactive)
	}
	return err
}

// rest returns the move to the archetype with Inactive, or to the one without it.
func (w *World) rest(op string, a *archetype, active bool) (*move, error) {
	if active {
		return w.tables.without(op, a, w.types.inactive)
	}
	return w.tables.with(op, a, w.types.inactive)
}

// linkedOf appends to ids the entities in the linked group of e that match the query mask and have the
// component c. A nil mask or component is not checked. Destroyed entities that wait for their cleanup are
// left out.
func (w *World) linkedOf(op string, e Entity, mask *Query, c *component, ids []Entity) ([]Entity, error) {
	if err := w.may(op); err != nil {
		return nil, err
	}
	if err := w.complete(op); err != nil { // jobs may be writing groups
		return nil, err
	}
	if mask != nil {
		if err := w.own(op, mask); err != nil {
			return nil, err
		}
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return nil, w.entityError(op, e)
	}
	for _, l := range w.groupOf(w.tables.records[s.record], int(s.row)) {
		part := w.tables.entities.find(l.Entity)
		if part == nil {
			continue
		}
		a := w.tables.records[part.record].arch
		if (mask == nil || mask.matchOf(a) != nil) && (c == nil || a.has(c)) && (mask != nil || c != nil || !a.awaitsCleanup) {
			ids = append(ids, l.Entity)
		}
	}
	return ids, nil
}

func (w *World) destroyAll(op string, ids []Entity) error {
	groups, err := w.mayDestroy(op, ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	if groups {
		if ids, err = w.withParts(op, ids); err != nil {
			return err
		}
	}
	if err := w.change(op); err != nil {
		return err
	}
	if err := w.destroyRuns(op, ids); err != nil {
		return err
	}
	w.finish()
	return nil
}

// mayDestroy returns an error if one of ids cannot be destroyed, and reports whether one is the root of a
// linked group.
func (w *World) mayDestroy(op string, ids []Entity) (groups bool, err error) {
	for _, e := range ids {
		s := w.tables.entities.find(e)
		if s == nil {
			if err := w.absent(op, e); err != nil {
				return false, err
			}
			continue
		}
		a := w.tables.records[s.record].arch
		if err := w.tables.mayEdit(op, a); err != nil {
			return false, err
		}
		groups = groups || a.kinds.has(isLinked)
	}
	return groups, nil
}

// destroyRuns destroys entities, neighbouring rows together. It skips entities that already wait for their
// cleanup.
func (w *World) destroyRuns(op string, ids []Entity) error {
	for len(ids) > 0 {
		s, n := w.tables.run(ids)
		ids = ids[n:]
		if s.rec != nil && !s.rec.arch.awaitsCleanup {
			if err := w.tables.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// destroyMatching destroys all entities that q matches and that pass its filters.
func (w *World) destroyMatching(op string, q *Query) error {
	if err := w.wholeGroups(op, q); err != nil {
		return err
	}
	if err := w.choose(op, q); err != nil {
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	for _, s := range w.queries.runs {
		if !s.rec.arch.awaitsCleanup {
			if err := w.tables.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	w.finish()
	return nil
}

// sparseSet is a list of entities with an index to find each in constant time: a sparse set (Briggs and
// Torczon, "An efficient representation for sparse sets", 1993). Entries of at for other entities may have
// any value, because find checks them against the list. A reset therefore clears nothing. Short lists are
// searched without at.
type sparseSet struct {
	list []Entity
	at   []int32 // by entity index: the place in list, valid if the entity is there
	n    int     // entity indices are below this
}

// shortList is the length up to which a search of the list is fast enough.
const shortList = 8

// reset empties the list, for entities with indices below n.
func (r *sparseSet) reset(n int) { r.list, r.n = r.list[:0], n }

// add appends e if it is not in the list, and reports whether it was appended.
func (r *sparseSet) add(e Entity) bool {
	if r.find(e) >= 0 {
		return false
	}
	r.push(e)
	return true
}

// push appends e, which is not in the list.
func (r *sparseSet) push(e Entity) {
	r.list = append(r.list, e)
	switch k := len(r.list) - 1; {
	case k > shortList:
		r.at[e.Index] = int32(k)
	case k == shortList:
		if r.n > len(r.at) {
			r.at = slices.Grow(r.at, r.n-len(r.at))[:r.n]
		}
		for i, e := range r.list {
			r.at[e.Index] = int32(i)
		}
	}
}

// find returns the place of e, or -1.
func (r *sparseSet) find(e Entity) int {
	if len(r.list) <= shortList {
		return slices.Index(r.list, e)
	}
	if uint(e.Index) < uint(len(r.at)) {
		if k := int(r.at[e.Index]); k < len(r.list) && r.list[k] == e {
			return k
		}
	}
	return -1
}
