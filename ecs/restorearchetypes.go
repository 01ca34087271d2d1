package ecs

import (
	"encoding/binary"
	"slices"
)

// reorder makes the archetypes of the world those of the image, in order.
func (t *restoreState) reorder(op string) {
	w, m := t.world, t.image
	if t.first == len(w.archetypes) && t.first == len(m.archetypes) {
		return
	}
	if t.first < len(w.archetypes) {
		t.rest(t.first)
	}
	for i := t.first; i < len(m.archetypes); i++ {
		a, err := w.archetypeOf(op, slices.Clone(m.archetypes[i].set))
		if err != nil || a.index != i {
			panic("ecs: Restore: the image is not one of a world") // plan has looked at names, and others were made once
		}
	}
	for _, a := range w.archetypes {
		if a.isMeta && a.kinds.has(isCleanup) {
			if _, err := w.cleanupMove(op, a); err != nil {
				panic(err) // as above
			}
		}
	}
}

// rest takes the archetypes from a place on out of the order. They have no chunks, but handles
// may lead to them.
func (t *restoreState) rest(first int) {
	w := t.world
	if w.returns.unlisted == nil {
		w.returns.unlisted = map[string]*archetype{}
	}
	w.returns.reordered++
	for _, q := range w.queries {
		cutMatches(q, first)
	}
	for c := range w.having {
		w.having[c].cut(first)
	}
	for _, a := range w.archetypes[first:] {
		key := string(t.keyOf(a))
		delete(w.bySet, key)
		w.returns.unlisted[key] = a
		a.index, a.counting = unlisted, nil
		a.adds, a.removes, a.moves, a.toCleanup = nil, nil, nil, nil
	}
	clear(w.wholes[min(first, len(w.wholes)):])
	clear(w.archetypes[first:])
	w.archetypes = w.archetypes[:first]
	for _, a := range w.archetypes {
		gone := func(m *move) bool { return m.to.index == unlisted }
		a.moves = slices.DeleteFunc(a.moves, gone)
		a.adds = slices.DeleteFunc(a.adds, func(e edge) bool { return gone(e.move) })
		a.removes = slices.DeleteFunc(a.removes, func(e edge) bool { return gone(e.move) })
		if a.toCleanup != nil && gone(a.toCleanup) {
			a.toCleanup = nil
		}
	}
	w.recipes = nil // recipes lead to archetypes
}

// keyOf returns the key of an archetype in bySet.
func (t *restoreState) keyOf(a *archetype) []byte {
	t.key = t.key[:0]
	for i := range a.columns {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(a.columns[i].comp.index))
	}
	return t.key
}

// cutMatches forgets the matches of archetypes from an index on.
func cutMatches(q *Query, first int) {
	n := len(q.matches)
	for n > 0 && q.matches[n-1].arch.index >= first {
		n--
		q.access.Where.Remove(q.matches[n].arch.index)
	}
	if n == len(q.matches) {
		return
	}
	for _, m := range q.matches[n:] {
		m.uncount()
		if meta := m.arch.meta; meta != nil {
			q.access.Where.Remove(meta.index)
		}
	}
	kept := q.matches[:n]
	f := newFound(max(first, 64), max(n, 4))
	for i, m := range kept {
		f.add(m, i)
		if len(q.reach) > 0 {
			continue
		}
		q.access.Where.Add(m.arch.index) // it may hold the meta entities of one that has gone
		if meta := m.arch.meta; meta != nil {
			q.access.Where.Add(meta.index)
		}
	}
	q.matches = f.matches[:n]
	q.shown.Store(f)
	q.list, q.listing = nil, 0
}

// findAgain finds the matches of a query whose values have moved, and its place among the
// queries.
func findAgain(q *Query) {
	w := q.world
	if w.cached[q.id] == q {
		delete(w.cached, q.id)
	}
	id, err := w.idOf("Restore", q.owner, q.terms, q.only)
	if err != nil {
		panic(err) // the types were right when the query was made
	}
	q.id = id
	w.cached[id] = q
	cutMatches(q, 0)
	q.considerAll()
}
