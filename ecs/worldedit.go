package ecs

// SetArchetype moves e to archetype a: what both have is kept, what is new is
// zero. It is an error of category ErrArgument if that would take a cleanup
// component from e.
func (w *World) SetArchetype(e Entity, a Archetype) error {
	const op = "SetArchetype"
	if w == nil {
		return noWorld(op)
	}
	to, err := w.archetypeIn(op, a)
	if err != nil {
		return err
	}
	s := w.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r := w.records[s.record]
	if r.arch == to {
		return nil
	}
	if err := w.mayEdit(op, r.arch); err != nil {
		return err
	}
	for i := range r.arch.columns {
		c := r.arch.columns[i].comp
		if (c.kind.has(isCleanup) || c == w.cleanupTag) && !to.has(c) {
			return w.fault(ErrArgument, op, "the new archetype %v lacks this cleanup component: Remove it when its cleanup is done", a).of(e).on(c)
		}
	}
	if err := w.change(op); err != nil {
		return err
	}
	m := r.arch.moveTo(to)
	w.moveRows(m, span{r, int(s.row), 1}, m.group(r))
	w.finish()
	return nil
}

// SetActive takes Inactive from e, or adds it; if e has a [LinkedGroup], from or
// to all that are in it and exist, except for destroyed ones that wait for their
// cleanup. It is a structural change, unless e is in that
// state.
func (w *World) SetActive(e Entity, active bool) error {
	const op = "SetActive"
	if w == nil {
		return noWorld(op)
	}
	s := w.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r := w.records[s.record]
	if has := r.arch.has(w.inactive); has != active {
		return nil
	}
	if !r.arch.kinds.has(isLinked) {
		return w.setActive(op, e, active)
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	defer w.idle()
	if err := w.complete(op); err != nil { // jobs may be writing the group
		return err
	}
	w.members = append(w.members[:0], e)
	for _, l := range w.groupOf(r, int(s.row)) {
		s := w.entities.find(l.Entity)
		if s == nil {
			continue
		}
		if a := w.records[s.record].arch; !a.awaitsCleanup && a.has(w.inactive) == active {
			w.members = append(w.members, l.Entity)
			if _, err := w.rest(op, a, active); err != nil {
				return err
			}
		}
	}
	if len(w.members) == 1 {
		return w.setActive(op, e, active)
	}
	if err := w.commit(op); err != nil { // once: a function of OnCommit that panics refuses all
		return err
	}
	for _, member := range w.members {
		s := w.entities.find(member)
		r := w.records[s.record]
		if r.arch.has(w.inactive) != active {
			continue // it is in the group twice
		}
		m, _ := w.rest(op, r.arch, active) // which is possible, as asked above
		w.moveRows(m, span{r, int(s.row), 1}, m.group(r))
	}
	w.finish()
	return nil
}

// Swap lets two entities of one archetype, and of equal shared values, change places:
// each has its id and its values as before, the enabled bits, elements of buffers and
// managed components among them, in the row where the other one was. Values of chunks
// stay with their chunks. With it rows are brought into an order of one's own: the
// order of loops, and of what lies side by side in memory.
//
// It is a structural change, though no row comes or goes: handles to buffers and views
// end, both chunks count as changed, and OrderChanged and OrderCount tell of it, since
// whoever remembers places must look again. An entity changes places with itself
// without any of that. The error is of category ErrArgument, and nothing is changed, if
// one of the two does not exist, or they have other components or other shared values.
func (w *World) Swap(a, b Entity) error {
	const op = "Swap"
	if err := w.open(op); err != nil {
		return err
	}
	from, to := w.entities.find(a), w.entities.find(b)
	switch {
	case from == nil:
		return w.entityError(op, a)
	case to == nil:
		return w.entityError(op, b)
	}
	r, s := w.records[from.record], w.records[to.record]
	if err := w.mayEdit(op, r.arch); err != nil {
		return err
	}
	if err := w.mayEdit(op, s.arch); err != nil {
		return err
	}
	switch {
	case r.arch != s.arch:
		return w.fault(ErrArgument, op, "it has %v and %v has %v: rows of one archetype change places", r.arch, b, s.arch).of(a)
	case r.group != s.group:
		return w.fault(ErrArgument, op, "its shared values are not those of %v: rows of chunks with equal shared values change places", b).of(a)
	}
	if a == b {
		return w.may(op)
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	r.swapRows(int(from.row), s, int(to.row))
	*from, *to = slot{from.version, to.record, to.row}, slot{to.version, from.record, from.row}
	w.moved(r)
	w.touchAll(r)
	if s != r {
		w.moved(s)
		w.touchAll(s)
	}
	w.finish()
	return nil
}

// SetEntityName gives e a name for people: errors and tools show it beside the id. The name
// belongs to the entity and not to its components; it is no part of the world's hash, ends
// with the entity, and comes along when that moves to another world or is copied from one.
// An empty name takes the name away. Two entities may have the same. The error is of
// category ErrArgument if e does not exist.
func (w *World) SetEntityName(e Entity, name string) error {
	const op = "SetEntityName"
	if w == nil {
		return noWorld(op)
	}
	if err := w.may(op); err != nil {
		return err
	}
	if w.entities.find(e) == nil {
		return w.entityError(op, e)
	}
	w.label(e, name)
	return nil
}

// EntityName returns the name that SetEntityName has given e; "" if there is none, or e does not
// exist.
func (w *World) EntityName(e Entity) string {
	w.given("EntityName")
	if w.entities.find(e) == nil {
		w.refuseLent("EntityName")
		return ""
	}
	return w.labels.name(e)
}
