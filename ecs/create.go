package ecs

// Create makes n entities of archetype a. The rows go into the first free places; the result yields them
// chunk by chunk, for the caller to fill:
//
//	for c := range w.Create(a, n).Chunks() { … }
//
// It panics with an *Error if a is not an archetype of w, n is negative, or the world cannot be changed
// now.
func (w *World) Create(a Archetype, n int) Created {
	w.mustExist("Create")
	return w.make("Create", a, n, false)
}

// CreateChunks is Create in new chunks: no row goes into an older chunk, and all new chunks are full
// except the last.
func (w *World) CreateChunks(a Archetype, n int) Created {
	w.mustExist("CreateChunks")
	return w.make("CreateChunks", a, n, true)
}

// CreateInto makes len(ids) entities of archetype a and writes their ids to ids. Their components are
// zero. It returns an error in the cases in which Create panics.
func (w *World) CreateInto(a Archetype, ids []Entity) error {
	if w == nil {
		return noWorld("CreateInto")
	}
	arch, err := w.tables.archetypeIn("CreateInto", a)
	if err != nil {
		return err
	}
	return w.createRows("CreateInto", arch, len(ids), false, ids, nil)
}

func (w *World) make(op string, a Archetype, n int, own bool) Created {
	arch, err := w.tables.archetypeIn(op, a)
	if err == nil {
		err = w.createRows(op, arch, n, own, nil, nil)
	}
	if err != nil {
		panic(err)
	}
	if n == 0 {
		return Created{}
	}
	return Created{w, w.gate.structural}
}

// createRows creates n entities of archetype a and stores their rows in w.tables.created. If ids is not nil,
// createRows copies the new ids into it.
func (w *World) createRows(op string, a *archetype, n int, own bool, ids []Entity, values []any) error {
	switch {
	case n < 0:
		return w.gate.fault(ErrArgument, op, "the number of entities is %d", n)
	case n == 0:
		return w.may(op)
	}
	g, err := w.changeIn(op, a, values)
	if err != nil {
		return err
	}
	w.tables.created = w.tables.created[:0]
	w.tables.entities.reserve(n)
	for n > 0 {
		var s span
		if own {
			s = w.tables.claimIn(w.tables.newRecord(a, g, n), n)
		} else {
			s = w.tables.claim(a, g, n)
		}
		w.tables.entities.take(s.ids(), s.rec.id, s.first)
		if ids != nil {
			copy(ids, s.ids())
			ids = ids[s.n:]
		}
		s.zero()
		w.tables.touchAll(s.rec)
		w.tables.created = append(w.tables.created, s)
		n -= s.n
	}
	w.finish()
	return nil
}

// changeIn begins a structural change that creates entities of an archetype. It returns their chunk
// group: the one with the given shared values, or the default group.
func (w *World) changeIn(op string, a *archetype, values []any) (*group, error) {
	if len(values) == 0 || a.shared == 0 {
		if err := w.change(op); err != nil {
			return nil, err
		}
		return a.defaultGroup(), nil
	}
	if err := w.canChange(op); err != nil {
		return nil, err
	}
	return w.commitWith(op, a, values)
}
