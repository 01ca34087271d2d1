package ecs

func (w *editor) destroyAll(op string, ids []Entity) error {
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

// mayDestroy returns an error if one of ids must not be destroyed, and whether one is the root of a group.
func (w *editor) mayDestroy(op string, ids []Entity) (groups bool, err error) {
	for _, e := range ids {
		s := w.entities.find(e)
		if s == nil {
			if err := w.absent(op, e); err != nil {
				return false, err
			}
			continue
		}
		a := w.records[s.record].arch
		if err := w.mayEdit(op, a); err != nil {
			return false, err
		}
		groups = groups || a.kinds.has(isLinked)
	}
	return groups, nil
}

// destroyRuns destroys entities, those that lie side by side at once, but for what already waits for its cleanup.
func (w *editor) destroyRuns(op string, ids []Entity) error {
	for len(ids) > 0 {
		s, n := w.run(ids)
		ids = ids[n:]
		if s.rec != nil && !s.rec.arch.awaitsCleanup {
			if err := w.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// destroyMatching ends all entities that q matches, filters heeded.
func (w *editor) destroyMatching(op string, q *Query) error {
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
		if !s.rec.arch.awaitsCleanup {
			if err := w.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	w.finish()
	return nil
}
