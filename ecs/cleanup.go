package ecs

// run returns the rows of the first entities of ids that follow one another in
// one chunk, and how many ids that are. The chunk is nil if the first does not
// exist.
func (w *tables) run(ids []Entity) (span, int) {
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
func (w *tables) absent(op string, e Entity) error {
	if err := w.open(op); err != nil {
		return err
	}
	if e.Index < 0 || int(e.Index) >= len(w.entities.slots) && !e.Null() {
		return w.dead(op, e)
	}
	return nil
}

// endRows ends the entities of a run of rows for good.
func (w *tables) endRows(s span) {
	w.entities.release(s.ids())
	w.drop(s)
}

// destroyRows ends a run of rows, or reduces them to their cleanup components.
func (w *tables) destroyRows(op string, s span) error {
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
