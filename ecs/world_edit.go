package ecs

// SetArchetype moves e to archetype a. Components that both archetypes have keep their values, and new
// components are zero. The error is of category [ErrArgument] if e does not exist, or if the move would
// remove a cleanup component from e.
func (w *World) SetArchetype(e Entity, a Archetype) error {
	const op = "SetArchetype"
	if w == nil {
		return noWorldError(op)
	}
	to, err := w.tables.resolveArchetype(op, a)
	if err != nil {
		return err
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r := w.tables.chunks[s.chunk]
	if r.arch == to {
		return nil
	}
	if err := w.tables.checkNotMeta(op, r.arch); err != nil {
		return err
	}
	for i := range r.arch.columns {
		c := r.arch.columns[i].comp
		if (c.kind.has(isCleanup) || c == w.types.cleanupTag) && !to.has(c) {
			return w.gate.fault(ErrArgument, op, "the new archetype %v lacks this cleanup component: Remove it when its cleanup is done", a).forEntity(e).forComponent(c)
		}
	}
	if err := w.beginChange(op); err != nil {
		return err
	}
	m := r.arch.moveTo(to)
	w.tables.moveRows(m, rowRange{r, int(s.row), 1}, m.groupFor(r))
	w.endChange()
	return nil
}

// SetActive removes [Inactive] from e if active is true. Otherwise it adds [Inactive]. Queries skip
// entities with Inactive, as Unity's queries skip those with Disabled. If e has a [LinkedGroup], SetActive
// does the same for all existing entities of the group, except for destroyed ones that wait for their
// cleanup. SetActive is a structural change, unless e has that state already. The error is of category
// [ErrArgument] if e does not exist, and of category [ErrState] if the world cannot be changed now.
func (w *World) SetActive(e Entity, active bool) error {
	const op = "SetActive"
	if w == nil {
		return noWorldError(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r := w.tables.chunks[s.chunk]
	if has := r.arch.has(w.types.inactive); has != active {
		return nil
	}
	if !r.arch.kinds.has(isLinked) {
		return w.setActive(op, e, active)
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	defer w.gate.endUnchanged()
	if err := w.completeJobs(op); err != nil { // because jobs may be writing the group
		return err
	}
	w.editScratch.groupMembers = append(w.editScratch.groupMembers[:0], e)
	for _, l := range w.linkedGroupOf(r, int(s.row)) {
		s := w.tables.entities.find(l.Entity)
		if s == nil {
			continue
		}
		if a := w.tables.chunks[s.chunk].arch; !a.awaitsCleanup && a.has(w.types.inactive) == active {
			w.editScratch.groupMembers = append(w.editScratch.groupMembers, l.Entity)
			if _, err := w.activeMove(op, a, active); err != nil {
				return err
			}
		}
	}
	if len(w.editScratch.groupMembers) == 1 {
		return w.setActive(op, e, active)
	}
	if err := w.beginAllowedChange(op); err != nil { // once, so that a function of OnCommit that panics refuses the whole change
		return err
	}
	for _, member := range w.editScratch.groupMembers {
		s := w.tables.entities.find(member)
		r := w.tables.chunks[s.chunk]
		if r.arch.has(w.types.inactive) != active {
			continue // it is in the group twice
		}
		m, _ := w.activeMove(op, r.arch, active) // no error is possible after the check above
		w.tables.moveRows(m, rowRange{r, int(s.row), 1}, m.groupFor(r))
	}
	w.endChange()
	return nil
}

// Swap exchanges the rows of two entities of one archetype with equal shared values. Each entity keeps its
// id and its values, including enabled bits, elements of buffers and managed components. Chunk components
// stay with their chunks. A program uses Swap to bring rows into a certain order, which is the order of
// loops and of memory.
//
// Swap is a structural change, although no row comes or goes: handles to buffers and views become stale,
// and both chunks count as changed. OrderChanged and OrderCount report the swap, because a program that
// has stored the places of rows must find them again. Swapping an entity with itself has none of these
// effects. The error is of category [ErrArgument], and nothing is changed, if one of the two entities
// does not exist, or if they have different components or shared values.
func (w *World) Swap(a, b Entity) error {
	const op = "Swap"
	if err := w.checkOpen(op); err != nil {
		return err
	}
	from, to := w.tables.entities.find(a), w.tables.entities.find(b)
	switch {
	case from == nil:
		return w.entityError(op, a)
	case to == nil:
		return w.entityError(op, b)
	}
	r, s := w.tables.chunks[from.chunk], w.tables.chunks[to.chunk]
	if err := w.tables.checkNotMeta(op, r.arch); err != nil {
		return err
	}
	if err := w.tables.checkNotMeta(op, s.arch); err != nil {
		return err
	}
	switch {
	case r.arch != s.arch:
		return w.gate.fault(ErrArgument, op, "it has %v and %v has %v: rows of one archetype change places", r.arch, b, s.arch).forEntity(a)
	case r.group != s.group:
		return w.gate.fault(ErrArgument, op, "its shared values are not those of %v: rows of chunks with equal shared values change places", b).forEntity(a)
	}
	if a == b {
		return w.checkWouldChange(op)
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	r.swapRows(int(from.row), s, int(to.row))
	*from, *to = entitySlot{from.version, to.chunk, to.row}, entitySlot{to.version, from.chunk, from.row}
	w.tables.noteRowsChanged(r)
	w.tables.markAllColumns(r)
	if s != r {
		w.tables.noteRowsChanged(s)
		w.tables.markAllColumns(s)
	}
	w.endChange()
	return nil
}

// SetEntityName gives e a name for people, like SetName of Unity. Errors and tools show the name next to
// the id. The name belongs to the entity and is not a component. The name is not part of the world's hash
// and disappears with the entity. It stays with the entity when that moves to another world or is copied
// from one. An empty name removes the name. Two entities may have the same name. The error is of category
// [ErrArgument] if e does not exist.
func (w *World) SetEntityName(e Entity, name string) error {
	const op = "SetEntityName"
	if w == nil {
		return noWorldError(op)
	}
	if err := w.checkWouldChange(op); err != nil {
		return err
	}
	if w.tables.entities.find(e) == nil {
		return w.entityError(op, e)
	}
	w.nameEntity(e, name)
	return nil
}

// EntityName returns the name that SetEntityName has set for e. It returns "" if there is no name
// or e does not exist.
func (w *World) EntityName(e Entity) string {
	w.mustNotBeNil("EntityName")
	if w.tables.entities.find(e) == nil {
		w.gate.mustNotBeLent("EntityName")
		return ""
	}
	return w.gate.entityNames.name(e)
}

// Destroy despawns (removes, deletes) e and the members of its [LinkedGroup]. An entity with cleanup
// components stays, with only these, until they are removed. The null entity and entities that no longer
// exist are ignored. An id that this world cannot have returned is an error of category [ErrArgument].
func (w *World) Destroy(e Entity) error {
	const op = "Destroy"
	if w == nil {
		return noWorldError(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.absentError(op, e)
	}
	r := w.tables.chunks[s.chunk]
	if r.arch.awaitsCleanup {
		return nil
	}
	if err := w.tables.checkNotMeta(op, r.arch); err != nil {
		return err
	}
	if r.arch.kinds.has(isLinked) {
		return w.destroyAll(op, []Entity{e})
	}
	if err := w.beginChange(op); err != nil {
		return err
	}
	if one := (rowRange{r, int(s.row), 1}); !r.arch.kinds.has(isCleanup) {
		w.tables.entities.freeIDs(one.ids())
		w.tables.dropRows(one)
	} else if err := w.tables.destroyRows(op, one); err != nil {
		return err
	}
	w.endChange()
	return nil
}
