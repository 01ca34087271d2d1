package ecs

// Create creates n entities of archetype a. The rows are put into the first free rows of the
// archetype's chunks. The result yields them chunk by chunk, so that the caller can fill them:
//
//	for c := range w.Create(a, n).Chunks() { … }
//
// Create panics with an *Error if a is not an archetype of w, n is negative, or the world cannot be
// changed now.
func (w *World) Create(a Archetype, n int) Created {
	w.mustNotBeNil("Create")
	return w.createEntities("Create", a, n, false)
}

// CreateChunks is like Create, but puts all rows into new chunks, which are full except for the
// last chunk.
func (w *World) CreateChunks(a Archetype, n int) Created {
	w.mustNotBeNil("CreateChunks")
	return w.createEntities("CreateChunks", a, n, true)
}

// CreateInto creates len(ids) entities of archetype a and writes their ids to ids. The components
// of the entities are zero. If Create would panic, CreateInto returns an error instead.
func (w *World) CreateInto(a Archetype, ids []Entity) error {
	if w == nil {
		return noWorldError("CreateInto")
	}
	arch, err := w.tables.resolveArchetype("CreateInto", a)
	if err != nil {
		return err
	}
	return w.createRows("CreateInto", arch, len(ids), false, ids, nil)
}

func (w *World) createEntities(op string, a Archetype, n int, own bool) Created {
	arch, err := w.tables.resolveArchetype(op, a)
	if err == nil {
		err = w.createRows(op, arch, n, own, nil, nil)
	}
	if err != nil {
		panic(err)
	}
	if n == 0 {
		return Created{}
	}
	return Created{w, w.gate.structuralVersion}
}

// createRows creates n entities of archetype a and stores their rows in w.tables.created. If ids is not nil,
// createRows copies the new ids into it.
func (w *World) createRows(op string, a *archetype, n int, own bool, ids []Entity, values []any) error {
	switch {
	case n < 0:
		return w.gate.fault(ErrArgument, op, "the number of entities is %d", n)
	case n == 0:
		return w.checkWouldChange(op)
	}
	g, err := w.beginCreate(op, a, values)
	if err != nil {
		return err
	}
	w.tables.createdRows = w.tables.createdRows[:0]
	w.tables.entities.growFor(n)
	for n > 0 {
		var s rowRange
		if own {
			s = w.tables.claimRowsIn(w.tables.appendChunk(a, g, n), n)
		} else {
			s = w.tables.claimRows(a, g, n)
		}
		w.tables.entities.assignIDs(s.ids(), s.chunk.id, s.first)
		if ids != nil {
			copy(ids, s.ids())
			ids = ids[s.count:]
		}
		s.zeroRows()
		w.tables.markAllColumns(s.chunk)
		w.tables.createdRows = append(w.tables.createdRows, s)
		n -= s.count
	}
	w.endChange()
	return nil
}

// beginCreate begins a structural change that creates entities of an archetype. beginCreate returns
// the chunk group of the entities: the group with the given shared values, or the default group.
func (w *World) beginCreate(op string, a *archetype, values []any) (*chunkGroup, error) {
	if len(values) == 0 || a.sharedCount == 0 {
		if err := w.beginChange(op); err != nil {
			return nil, err
		}
		return a.defaultGroup(), nil
	}
	if err := w.checkCanChange(op); err != nil {
		return nil, err
	}
	return w.beginCreateShared(op, a, values)
}
