package ecs

// Single returns the only entity that q matches and that passes its filters. Such an entity is a
// singleton, for example the settings of a game. If no entity matches, or more than one, the error is
// of category [ErrState] and contains the number of entities.
func (q *Query) Single() (Entity, error) { return q.onlyEntity("Query.Single", nil) }

// FindSingle returns the only entity that q matches, and reports whether there is one. FindSingle
// panics with an *Error of category [ErrState] if more than one entity matches.
func (q *Query) FindSingle() (e Entity, ok bool) {
	e, ok, err := q.onlyEntityOrNone("Query.FindSingle", nil)
	if err != nil {
		panic(err)
	}
	return e, ok
}

// Singleton returns the T of the only entity that q matches and that passes its filters. Singleton first
// completes jobs that write T. If T is a [Buffer] with a Write term in q, the caller may write through the
// handle, and T is marked as changed.
//
// The error is of category [ErrState] in three cases: the number of matching entities is not one,
// q does not require T, or T is a tag or enableable. If T is a tag or enableable, use
// [Query.Single].
func Singleton[T any](q *Query) (v T, err error) {
	const op = "Singleton"
	v, ok, err := singletonOrNone[T](q, op)
	if err == nil && !ok {
		c, _ := cachedComponentIn[T](q.world, op)
		return v, q.singletonError(op, c, noSingleton)
	}
	return v, err
}

// FindSingleton returns the T of the only entity that q matches, and reports whether there is one. If
// there is no entity, it returns false. For the other errors of [Singleton], it panics with an *Error.
func FindSingleton[T any](q *Query) (v T, ok bool) {
	v, ok, err := singletonOrNone[T](q, "FindSingleton")
	if err != nil {
		panic(err)
	}
	return v, ok
}

// singletonOrNone returns the T of the entity that q matches, if there is one.
func singletonOrNone[T any](q *Query, op string) (v T, ok bool, err error) {
	c, err := singletonOf[T](q, op, false)
	if err != nil {
		return v, false, err
	}
	r, row, err := q.onlyRow(op, c)
	if err != nil || r == nil {
		return v, false, err
	}
	if c.layoutKind <= layoutLanes && !q.world.gate.jobs.jobsPending {
		readRow(r, r.arch.findColumn(c.key), row, &v)
		return v, true, nil
	}
	v, err = readSingleton[T](q, op, c, *r.idAt(row))
	return v, err == nil, err
}

// SetSingleton sets the T of the only entity that q matches to v, and marks T as changed.
// SetSingleton first completes jobs that access T. The errors are the same as for [Singleton]. In
// addition, the error is of category [ErrState] if q has only a Read term for T.
func SetSingleton[T any](q *Query, v T) error {
	const op = "SetSingleton"
	c, err := singletonOf[T](q, op, true)
	if err != nil {
		return err
	}
	e, err := q.onlyEntity(op, c)
	if err != nil {
		return err
	}
	return setNow(op, q.World(), e, &v)
}

// CreateSingleton creates an entity with the component v. No other entity may have a T. The error
// is of category [ErrState] if there is one already. Prefabs, ghosts and meta entities with a T do
// not count. T may be a tag.
func CreateSingleton[T any](w *World, v T) (Entity, error) {
	const op = "CreateSingleton"
	if w == nil {
		return Entity{}, noWorldError(op)
	}
	if err := w.checkWouldChange(op); err != nil {
		return Entity{}, err
	}
	c, err := componentIn[T](w, op)
	if err != nil {
		return Entity{}, err
	}
	for _, a := range w.tables.archetypes {
		if a.rowCount > 0 && a.has(c) && !a.has(w.types.prefab) && !a.has(w.types.ghost) && !a.isMeta {
			return Entity{}, w.gate.fault(ErrState, op, "there is one already: use SetSingleton").forEntity(*a.chunks[0].idAt(0)).forComponent(c)
		}
	}
	e, err := w.spawn(op, []any{v})
	if err == nil {
		w.endChange()
	}
	return e, err
}

// onlyEntity returns the entity that q matches, which must be the only one.
func (q *Query) onlyEntity(op string, c *component) (Entity, error) {
	e, ok, err := q.onlyEntityOrNone(op, c)
	if err == nil && !ok {
		return e, q.singletonError(op, c, noSingleton)
	}
	return e, err
}

// noSingleton is the text of the error if a query for a singleton matches no entity.
const noSingleton = "the query matches no entity; there must be one"

// onlyEntityOrNone returns the entity that q matches, if there is one. The error names c.
func (q *Query) onlyEntityOrNone(op string, c *component) (e Entity, ok bool, err error) {
	if err := checkOpenQuery(q, op); err != nil {
		return e, false, err
	}
	if err := q.world.gate.checkNotInJob(op); err != nil {
		return e, false, err
	}
	r, row, err := q.onlyRow(op, c)
	if r == nil || err != nil {
		return e, false, err
	}
	return *r.idAt(row), true, nil
}

// onlyRow returns the chunk and the row of the entity that q matches; the chunk is nil if there is none. The error
// names c.
func (q *Query) onlyRow(op string, c *component) (*chunkData, int, error) {
	w := q.world
	w.awaitFilters(op, &q.queryMatcher)
	var only *chunkData
	row, n := 0, 0
	for _, m := range q.matches {
		if m.arch.rowCount == 0 || m.unchangedSince(q.since) {
			continue
		}
		for _, r := range m.candidateChunks(&w.tables) {
			if !m.chunkPasses(r, q.since) {
				continue
			}
			mask, rows := q.matchingRows(m, r)
			if n == 0 && rows > 0 {
				only = r
				if mask != nil {
					row, _ = nextRun(mask, 0, r.count)
				}
			}
			n += rows
		}
	}
	if n > 1 {
		return nil, 0, q.singletonError(op, c, "the query matches %d entities; there must be one only", n)
	}
	return only, row, nil
}

func (q *Query) singletonError(op string, c *component, text string, args ...any) error {
	e := q.world.gate.fault(ErrState, op, text, args...)
	if c != nil {
		return e.forComponent(c)
	}
	return e
}

// singletonOf checks that T can be read or written as a singleton of q, and returns the component
// T.
func singletonOf[T any](q *Query, op string, write bool) (*component, error) {
	if err := checkOpenQuery(q, op); err != nil {
		return nil, err
	}
	w := q.world
	if err := w.gate.checkNotInJob(op); err != nil {
		return nil, err
	}
	c, err := cachedComponentIn[T](w, op)
	if err != nil {
		return nil, err
	}
	switch asked, writes := q.requiresComponent(c); {
	case !asked:
		return nil, w.gate.fault(ErrState, op, "the query does not ask for the component: add Read, Write or With").forComponent(c)
	case c.kind.has(isTag):
		return nil, w.gate.fault(ErrState, op, "a tag has no value: use Query.Single").forComponent(c)
	case c.kind.has(isEnableable):
		return nil, w.gate.fault(ErrState, op, "the component can be off, when the query matches nothing: use Query.Single and Get, or leave out Enableable").forComponent(c)
	case write && !writes && !c.kind.has(isShared):
		return nil, w.gate.fault(ErrState, op, "the query only reads it: ask for it with Write").forComponent(c)
	}
	return c, nil
}

// readSingleton reads the T of e.
func readSingleton[T any](q *Query, op string, c *component, e Entity) (v T, err error) {
	w := q.world
	if _, writes := q.requiresComponent(c); writes && c.kind.has(isBuffer) {
		if err := w.awaitComponent(op, c, true); err != nil {
			return v, err
		}
		s := w.tables.entities.find(e)
		r := w.tables.chunks[s.chunk]
		i := r.arch.findColumn(c.key)
		r.mark(i, w.gate.changeVersion)
		if guard {
			w.tables.noteOwnerWrite()
		}
		*bufferPlaceOf(&v) = bufferPlace{w, r, w.gate.structuralVersion, s.row, int32(i), true}
		return v, nil
	}
	v, err = Get[T](q.World(), e)
	return v, withOp(err, op)
}
