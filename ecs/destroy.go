package ecs

// cleanupEntity marks entities that were destroyed and wait for their cleanup
// components to be removed.
type cleanupEntity struct{}

// Destroy ends e, and what is in its [LinkedGroup]. An entity that has cleanup
// components stays, with nothing else, until they are removed. The null entity
// and entities that do not exist any more are ignored; an id that this world
// cannot have given is an error of category ErrArgument.
func (w *World) Destroy(e Entity) error {
	const op = "Destroy"
	s := w.entities.find(e)
	if s == nil {
		return w.absent(op, e)
	}
	r := w.records[s.record]
	if r.arch.residue {
		return nil
	}
	if err := w.mayEdit(op, r.arch); err != nil {
		return err
	}
	if r.arch.kinds.has(isLinked) {
		return w.destroyAll(op, []Entity{e})
	}
	if err := w.change(op); err != nil {
		return err
	}
	if one := (span{r, int(s.row), 1}); !r.arch.kinds.has(isCleanup) {
		w.entities.release(one.ids())
		w.drop(one)
	} else if err := w.destroyRows(op, one); err != nil {
		return err
	}
	w.finish()
	return nil
}

// DestroyAll ends the entities ids, in order, and then what is in their groups.
// Null, dead and repeated ones are ignored. If one is an id that this world cannot
// have given, the error is of category ErrArgument and nothing is destroyed.
func (w *World) DestroyAll(ids []Entity) error { return w.destroyAll("DestroyAll", ids) }

func (w *World) destroyAll(op string, ids []Entity) error {
	groups := false
	for _, e := range ids {
		s := w.entities.find(e)
		if s == nil {
			if err := w.absent(op, e); err != nil {
				return err
			}
			continue
		}
		a := w.records[s.record].arch
		if err := w.mayEdit(op, a); err != nil {
			return err
		}
		groups = groups || a.kinds.has(isLinked)
	}
	if len(ids) == 0 {
		return nil
	}
	if groups {
		var err error
		if ids, err = w.withParts(op, ids); err != nil {
			return err
		}
	}
	if err := w.change(op); err != nil {
		return err
	}
	for len(ids) > 0 {
		s, n := w.run(ids)
		ids = ids[n:]
		if s.rec != nil && !s.rec.arch.residue {
			if err := w.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	w.finish()
	return nil
}

// DestroyMatching ends all entities that q matches, filters heeded. If one of
// them has a [LinkedGroup] with a part that q does not match, the error is of
// category ErrArgument and nothing is destroyed.
func (w *World) DestroyMatching(q *Query) error {
	const op = "DestroyMatching"
	if err := w.wholeGroups(op, q); err != nil {
		return err
	}
	if err := w.choose(op, q); err != nil {
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	for _, s := range w.runs {
		if !s.rec.arch.residue {
			if err := w.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	w.finish()
	return nil
}

// run returns the rows of the first entities of ids that follow one another in
// one chunk, and how many ids that are. The chunk is nil if the first does not
// exist.
func (w *World) run(ids []Entity) (span, int) {
	s := w.entities.find(ids[0])
	if s == nil {
		return span{}, 1
	}
	r, first := s.record, s.row
	n := 1
	for n < len(ids) {
		next := w.entities.find(ids[n])
		if next == nil || next.record != r || next.row != first+int32(n) {
			break
		}
		n++
	}
	return span{w.records[r], int(first), n}, n
}

// absent returns nil for entities that Destroy ignores when they do not exist:
// the null entity and those that once existed.
func (w *World) absent(op string, e Entity) error {
	if err := w.open(op); err != nil {
		return err
	}
	if e.Index < 0 || int(e.Index) >= len(w.entities.slots) && !e.Null() {
		return w.dead(op, e)
	}
	return nil
}

// destroyRows ends a run of rows, or reduces them to their cleanup components.
func (w *World) destroyRows(op string, s span) error {
	a := s.rec.arch
	if !a.kinds.has(isCleanup) {
		w.endRows(s)
		return nil
	}
	m, err := w.toResidue(op, a)
	if err != nil {
		return err
	}
	w.moveRows(m, s, m.group(s.rec))
	return nil
}

// toResidue returns the way of destroyed entities from a.
func (w *World) toResidue(op string, a *archetype) (*move, error) {
	if a.toResidue != nil {
		return a.toResidue, nil
	}
	set := []*component{w.residue}
	for i := range a.columns {
		if c := a.columns[i].comp; c.kind.has(isCleanup) {
			set = append(set, c)
		}
	}
	set, err := w.sortSet(op, set)
	if err != nil {
		return nil, err
	}
	a.toResidue, err = w.moveTo(op, a, set)
	return a.toResidue, err
}

// endRows ends the entities of a run of rows for good.
func (w *World) endRows(s span) {
	w.entities.release(s.ids())
	w.drop(s)
}
