package ecs

import "slices"

// MoveEntities moves all entities of the world src to w, by whole chunks. It takes over the
// memory too: a slab that only these chunks use changes its owner as it is, and
// the rows of other slabs are copied, so that w never keeps memory that
// src still uses. The chunks come behind those of w, rows stay in
// their order, and all of them count as changed. Enabled bits, cleanup components,
// chunk components and managed components come along. Shared values are found in
// w or added to it.
//
// The entities get new ids, and so does every reference to them in components,
// buffers, chunk components, shared and managed values. References to other entities
// become null. The map m, unless it is nil, tells which id became which.
//
// It is a structural change of both worlds. The error is of category [ErrArgument],
// and nothing is moved, if both worlds are the same, or an open query of src has a [WithShared] term, because
// the query holds a shared value that would stay behind.
func MoveEntities(w, src *World, m *EntityMap) error {
	if w == nil {
		return noWorld("MoveEntities")
	}
	return w.moveFrom(src, m)
}

// MoveMatching is [MoveEntities] for the chunks that a query of another world
// matches. Filters of the query apply. The error is of category [ErrArgument] too if the query
// asks for enableable components, because these are on or off for each row, or matches meta
// entities.
func MoveMatching(w *World, q *Query, m *EntityMap) error {
	if w == nil {
		return noWorld("MoveMatching")
	}
	return w.moveMatchingFrom(q, m)
}

// CopyEntities makes copies in w of entities of the world src, and returns their ids in the
// order of ids. The copies have all components except those of cleanup. Managed
// components point to the same objects. References between the entities become references between the copies.
// References to others become null, because those are of the other world.
//
// The error is of category [ErrArgument], and nothing is made, if one of the entities
// does not exist, was destroyed, or comes twice, or if both worlds are the same: [World.CloneAll] copies
// within a world.
func CopyEntities(w, src *World, ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("CopyEntities")
	}
	return w.copyFrom(src, ids)
}

// moveFrom is MoveEntities for a world that is not nil.
func (w *World) moveFrom(src *World, moved *EntityMap) error {
	const op = "MoveEntities"
	if err := w.readyBoth(op, src); err != nil {
		return err
	}
	defer idleBoth(w, src)
	for _, q := range src.queries {
		for _, f := range q.only {
			if f.value != 0 {
				return w.fault(ErrArgument, op, "%v of world %q holds a shared value: close it first, or use MoveMatching", q, src.name).on(f.comp)
			}
		}
	}
	src.runs = src.runs[:0]
	for _, a := range src.archetypes {
		if !a.isMeta {
			for _, r := range a.chunks {
				src.runs = append(src.runs, span{r, 0, r.n})
			}
		}
	}
	return w.moveRuns(op, &src.copier, moved)
}

// moveMatchingFrom is MoveMatching for a world that is not nil.
func (w *World) moveMatchingFrom(q *Query, moved *EntityMap) error {
	const op = "MoveMatching"
	if q == nil {
		return w.fault(ErrArgument, op, "the query is nil")
	}
	src := q.World()
	if err := src.own(op, q); err != nil {
		return err
	}
	if err := w.readyBoth(op, src); err != nil {
		return err
	}
	defer idleBoth(w, src)
	if bits := slices.Concat(q.bits, q.switched()); len(bits) > 0 {
		return w.fault(ErrArgument, op, "whole chunks are moved, and %v asks for what each row has on or off: add IgnoreEnabled", q).on(bits[0])
	}
	src.runs = src.runs[:0]
	for _, m := range q.matches {
		first := len(src.runs)
		for _, r := range m.look(&src.tables) {
			if m.passes(r, q.since) {
				src.runs = append(src.runs, span{r, 0, r.n})
			}
		}
		if len(src.runs) > first {
			if err := src.mayEdit(op, m.arch); err != nil {
				return err
			}
		}
	}
	return w.moveRuns(op, &src.copier, moved)
}

// copyFrom is CopyEntities for a world that is not nil.
func (w *World) copyFrom(src *World, ids []Entity) ([]Entity, error) {
	const op = "CopyEntities"
	if err := w.readyBoth(op, src); err != nil {
		return nil, err
	}
	defer idleBoth(w, src)
	src.set.reset(len(src.entities.slots))
	src.sources = src.sources[:0]
	if w.ways == nil {
		w.ways = map[*archetype]*move{}
	}
	defer func() { clear(src.sources); clear(w.ways) }() // ways are not kept: see wayBetween
	for _, e := range ids {
		s, err := src.sourceOf(op, e)
		if err != nil {
			return nil, err
		}
		if s.move = w.ways[s.rec.arch]; s.move == nil {
			if s.move, err = w.wayBetween(op, s.rec.arch); err != nil {
				return nil, err
			}
			w.ways[s.rec.arch] = s.move
		}
		src.sources = append(src.sources, s)
	}
	m := &w.moving
	m.from.reset(len(src.entities.slots))
	for _, e := range ids {
		m.from.push(e)
	}
	m.promise(&w.tables)
	w.targetGroups = w.targetGroups[:0]
	err := w.interning(func() error {
		if err := w.landSources(op, &src.copier, m); err != nil {
			return err
		}
		w.committing(op)
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.structural++
	copies := w.takeCopies(&src.copier, m)
	m.carry(&w.tables, &src.tables)
	clear(w.targetGroups)
	w.finish()
	return copies, nil
}

// readyBoth makes both worlds ready for a structural change, and their data
// available.
func (w *World) readyBoth(op string, src *World) error {
	switch src {
	case nil:
		return w.fault(ErrArgument, op, "the other world is nil")
	case w:
		return w.fault(ErrArgument, op, "both worlds are the same")
	}
	for _, one := range []*World{w, src} {
		if err := one.canChange(op); err != nil {
			if one == src {
				w.idle()
			}
			return err
		}
	}
	for _, one := range []*World{w, src} {
		if err := one.complete(op); err != nil {
			idleBoth(w, src)
			return err
		}
	}
	return nil
}

// idleBoth ends the changes that between has begun, where that is left to do.
func idleBoth(w, src *World) {
	w.idle()
	src.idle()
}

// tidyUp calls Compact if that is due and can be.
func (w *World) tidyUp() {
	if w.visiting == 0 && w.tidy.due(&w.tables) && Compact(w) == nil {
		w.tidy.listing = w.listing
	}
}
