package ecs

func (w *editor) destroyAll(op string, ids []Entity) error {
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
		if s.rec != nil && !s.rec.arch.awaitsCleanup {
			if err := w.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	w.finish()
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
