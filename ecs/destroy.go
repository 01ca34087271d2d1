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
		if s.rec != nil && !s.rec.arch.residue {
			if err := w.destroyRows(op, s); err != nil {
				return err
			}
		}
	}
	w.finish()
	return nil
}
