package ecs

// WorldOrCommands is the first argument of functions that change components. With a World they
// change components at once, and with a Commands buffer at playback.
type WorldOrCommands interface{ *World | *Commands }

// Get returns the component T of e. Use Get for single entities, because each call searches for the
// entity. [Column] gives access to all rows of a chunk, and a [Lookup] is faster for many random
// entities. If T is a buffer component, the result is a read-only handle; see [GetBuffer].
//
// Get first completes jobs that write T. The error is of category ErrArgument if e does not exist
// or has no T, or if T is a tag, which has no data. While the world is being updated, another
// goroutine cannot call functions that change the world, but it can call Get (see
// docs/decisions/0009). In this case the result of Get may be old, new or half written.
func Get[T any](w *World, e Entity) (v T, err error) {
	const op = "Get"
	if w == nil {
		return v, noWorldError(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return v, w.entityError(op, e)
	}
	r := w.tables.chunks[s.chunk]
	i := r.arch.findColumn(keyOf[T]())
	if i < 0 {
		return v, lacksError[T](w, op, e)
	}
	c := &r.arch.columns[i]
	if w.gate.jobs.jobsPending {
		if err := w.awaitComponent(op, c.comp, false); err != nil {
			return v, err
		}
	}
	switch {
	case c.layoutKind <= layoutLanes || c.layoutKind == layoutManaged:
		readRow(r, i, int(s.row), &v)
	case c.comp.kind.has(isShared):
		v = r.arch.sharedStores[c.sharedIndex].values[r.group.valueIndices[c.sharedIndex]].(T)
	case c.comp.perChunkValue != nil:
		w.tables.gatherChunk(r, c.comp.perChunkValue, bytesOf(&v))
	case c.layoutKind == layoutBuffer:
		*bufferPlaceOf(&v) = bufferPlace{world: w, chunk: r, structuralVersion: w.gate.structuralVersion, row: s.row, column: int32(i)}
	default:
		return v, w.gate.fault(ErrArgument, op, "a tag has no data: use Has").forEntity(e).forComponent(c.comp)
	}
	return v, nil
}

// Has reports whether e exists and has a component T. It does not complete jobs, because jobs
// cannot add or remove components.
func Has[T any](w *World, e Entity) bool {
	w.mustNotBeNil("Has")
	s := w.tables.entities.find(e)
	if s == nil {
		return w.gate.mustNotBeLent("Has")
	}
	return w.tables.chunks[s.chunk].arch.findColumn(keyOf[T]()) >= 0
}

// Set overwrites the component T of e with v. The entity must have a T already; [Add] has no such
// condition. Set is not a structural change, unless T is shared and the value differs. If a shared
// value differs, the entity moves to another chunk.
//
// Set first completes jobs that access T. The error is of category ErrArgument if e does not exist
// or has no T, or if T is a tag. With a Commands buffer, playback returns such an error. Recording
// returns an error of category ErrState if e is the null entity or the buffer was
// played.
func Set[T any, D WorldOrCommands](to D, e Entity, v T) error {
	switch to := any(to).(type) {
	case *World:
		return setNow("Set", to, e, &v)
	case *Commands:
		return recordValue(to, opSet, e, &v)
	}
	return nil
}

// Add adds the component v to e. If e already has a T, Add overwrites it. It is a structural change
// if e has no T. The errors are those of [Set], with one difference: Add accepts an entity without
// a T, and a T that is a tag. The value of a tag is ignored.
func Add[T any, D WorldOrCommands](to D, e Entity, v T) error {
	switch to := any(to).(type) {
	case *World:
		return addNow(to, e, &v)
	case *Commands:
		return recordValue(to, opAdd, e, &v)
	}
	return nil
}

// AppendBuffer appends elements to the Buffer[T] of e, like Unity's AppendToBuffer. The errors are
// the same as for [Set]. If e has no such buffer at playback, the error is of category ErrState.
func AppendBuffer[T any, D WorldOrCommands](to D, e Entity, elements ...T) error {
	switch to := any(to).(type) {
	case *World:
		b, err := GetBuffer[T](to, e)
		if err != nil {
			return withOp(err, "AppendBuffer")
		}
		b.Append(elements...)
	case *Commands:
		return recordAppend(to, e, elements)
	}
	return nil
}

// Ensure adds a zero T to e if e has none, and keeps an existing value. The result reports whether Ensure has added
// the component. With a Commands buffer it returns false.
func Ensure[T any, D WorldOrCommands](to D, e Entity) (bool, error) {
	const op = "Ensure"
	switch to := any(to).(type) {
	case *World:
		if to == nil {
			return false, noWorldError(op)
		}
		if s := to.tables.entities.find(e); s != nil && to.tables.chunks[s.chunk].arch.findColumn(keyOf[T]()) >= 0 {
			return false, nil
		}
		c, err := componentIn[T](to, op)
		if err != nil {
			return false, err
		}
		_, err = to.addComponent(op, e, c)
		return err == nil, err
	case *Commands:
		return false, recordType[T](to, opEnsure, e)
	}
	return false, nil
}

// Remove removes the component T from e and reports whether e had one. With a Commands buffer it
// returns false. It is not an error if e does not exist or has no T. If T is the last cleanup
// component of a destroyed entity, the entity ceases to exist.
func Remove[T any, D WorldOrCommands](to D, e Entity) (bool, error) {
	const op = "Remove"
	switch to := any(to).(type) {
	case *World:
		if to == nil {
			return false, noWorldError(op)
		}
		if s := to.tables.entities.find(e); s != nil {
			r := to.tables.chunks[s.chunk]
			if i := r.arch.findColumn(keyOf[T]()); i >= 0 {
				err := to.removeFromRow(op, r, int(s.row), r.arch.columns[i].comp)
				return err == nil, err
			}
		}
		c, err := componentIn[T](to, op)
		if err != nil {
			return false, err
		}
		return to.removeComponent(op, e, c)
	case *Commands:
		return false, recordType[T](to, opRemove, e)
	}
	return false, nil
}

// setNow overwrites the T of e.
func setNow[T any](op string, w *World, e Entity, v *T) error {
	if w == nil {
		return noWorldError(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r := w.tables.chunks[s.chunk]
	i := r.arch.findColumn(keyOf[T]())
	if i < 0 {
		return lacksError[T](w, op, e)
	}
	return assignRow(op, w, r, i, int(s.row), v)
}

// assignRow overwrites the T in a row of column i.
func assignRow[T any](op string, w *World, r *chunkData, i, row int, v *T) error {
	c := &r.arch.columns[i]
	own := c.layoutKind <= layoutLanes // most components store a value in each row, and for them the component need not be read
	switch {
	case own:
	case c.comp.kind.has(isShared):
		return w.setShared(op, rowRange{r, row, 1}, c.comp, *v)
	case c.comp.kind.has(isTag):
		return w.gate.fault(ErrArgument, op, "a tag has no data: use Add and Remove").forEntity(*r.idAt(row)).forComponent(c.comp)
	}
	if w.gate.mayBeConcurrent() {
		if err := w.awaitComponent(op, c.comp, true); err != nil {
			return err
		}
	}
	if guard {
		w.tables.noteOwnerWrite()
	}
	r.mark(i, w.gate.changeVersion)
	switch {
	case own:
		writeRow(r, i, row, v)
	case c.comp.perChunkValue != nil:
		w.tables.scatterChunk(r, i, bytesOf(v), w.gate.changeVersion)
	case c.layoutKind == layoutBuffer:
		bufferAt(r, c, row).replaceAll(bufferContent(v, c.comp.buffer.elemSize))
	default:
		writeRow(r, i, row, v)
	}
	return nil
}

// addNow adds the value *v to e, or overwrites the T of e.
func addNow[T any](w *World, e Entity, v *T) error {
	const op = "Add"
	if w == nil {
		return noWorldError(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r, row := w.tables.chunks[s.chunk], int(s.row)
	i := r.arch.findColumn(keyOf[T]())
	if i < 0 {
		c, err := componentIn[T](w, op)
		if err != nil {
			return err
		}
		switch {
		case c.kind.has(isShared): // the entity changes its archetype and its chunk group in one move
			return w.setShared(op, rowRange{r, row, 1}, c, *v)
		case c.kind.has(isBuffer) && contentIsHandle(v):
			return w.checkBufferHandle(op, c, bufferPlaceOf(v)).(*Error).forEntity(e)
		}
		at, err := w.addToRow(op, r, row, c)
		if err != nil {
			return err
		}
		r, row = at.chunk, at.first
		i = r.arch.findColumn(keyOf[T]())
	}
	if r.arch.columns[i].comp.kind.has(isTag) {
		return nil
	}
	return assignRow(op, w, r, i, row, v)
}

// lacksError returns the error for an entity that has no T.
func lacksError[T any](w *World, op string, e Entity) error {
	c, err := componentIn[T](w, op)
	if err != nil {
		return err
	}
	a := w.tables.chunks[w.tables.entities.find(e).chunk].arch
	text := "the entity has no such component, it has %v: use Add"
	if a.awaitsCleanup {
		text = "the entity was destroyed and has only its cleanup components left: %v"
	}
	return w.gate.fault(ErrArgument, op, text, a).forEntity(e).forComponent(c)
}

// GetBuffer returns a handle to the Buffer[T] of e for reading and writing, and marks the buffer as
// changed. GetBuffer first completes jobs that access the buffer. The errors are the same as for
// [Get].
func GetBuffer[T any](w *World, e Entity) (Buffer[T], error) {
	const op = "GetBuffer"
	b, err := Get[Buffer[T]](w, e)
	if err != nil {
		return b, withOp(err, op)
	}
	r, i := b.place.chunk, b.place.column
	if w.gate.mayBeConcurrent() {
		if err := w.awaitComponent(op, r.arch.columns[i].comp, true); err != nil {
			return Buffer[T]{}, err
		}
	}
	if guard {
		w.tables.noteOwnerWrite()
	}
	r.mark(int(i), w.gate.changeVersion)
	b.place.writable = true
	return b, nil
}

// checkBufferHandle returns an error if the value of a buffer component is a handle to an entity's
// buffer. Such a handle becomes stale by the structural change that adds the component, before its
// elements can be copied. A nil handle is not an error.
func (w *World) checkBufferHandle(op string, c *component, handle *bufferPlace) error {
	if handle == nil {
		return nil
	}
	return w.gate.fault(ErrArgument, op, "the value is a handle to the buffer of an entity, and this change ends its life: copy the elements with BufferOf(b.Slice()...)").forComponent(c)
}

// addComponent adds c to e and returns the entity's new row. The caller has checked that e does not
// have c.
func (w *World) addComponent(op string, e Entity, c *component) (rowRange, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return rowRange{}, w.entityError(op, e)
	}
	return w.addToRow(op, w.tables.chunks[s.chunk], int(s.row), c)
}

// addToRow adds c to the entity in the given row and returns the entity's new row. The entity must
// lack c.
func (w *World) addToRow(op string, r *chunkData, row int, c *component) (rowRange, error) {
	if err := w.checkCanChange(op); err != nil {
		return rowRange{}, err
	}
	m := cachedMove(r.arch.addEdges, c)
	if m == nil {
		var err error
		if m, err = w.tables.moveAdding(op, r.arch, c); err != nil {
			return rowRange{}, err
		}
	}
	if err := w.beginAllowedChange(op); err != nil {
		return rowRange{}, err
	}
	at := w.tables.moveRows(m, rowRange{r, row, 1}, m.groupFor(r))
	w.endChange()
	return at, nil
}

// removeComponent removes c from e, and reports whether e had it.
func (w *World) removeComponent(op string, e Entity, c *component) (bool, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return false, w.gate.checkOpen(op)
	}
	r := w.tables.chunks[s.chunk]
	if !r.arch.has(c) {
		return false, nil
	}
	err := w.removeFromRow(op, r, int(s.row), c)
	return err == nil, err
}

// removeFromRow removes c from the entity in the given row, which must have it.
func (w *World) removeFromRow(op string, r *chunkData, row int, c *component) error {
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	m := cachedMove(r.arch.removeEdges, c)
	if m == nil {
		var err error
		if m, err = w.tables.moveRemoving(op, r.arch, c); err != nil {
			return err
		}
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	w.moveToFewerComponents(m, rowRange{r, row, 1})
	w.endChange()
	return nil
}

// moveToFewerComponents moves a range of rows to an archetype with fewer components. If a destroyed entity loses
// its last cleanup component, it ceases to exist, because no cleanup remains.
func (w *World) moveToFewerComponents(m *archetypeMove, s rowRange) {
	if m.to.awaitsCleanup && !m.to.kinds.has(isCleanup) {
		w.tables.destroyIgnoringCleanup(s)
		return
	}
	w.tables.moveRows(m, s, m.groupFor(s.chunk))
}

// changeTypes adds and removes sets of components of e in one move, and reports whether e changed.
func (w *World) changeTypes(op string, e Entity, add, remove []*component) (bool, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return false, w.entityError(op, e)
	}
	if err := w.checkCanChange(op); err != nil {
		return false, err
	}
	r := w.tables.chunks[s.chunk]
	m, err := w.tables.editMove(op, r.arch, add, remove)
	if err != nil || m == nil {
		w.gate.endUnchanged()
		return false, err
	}
	if err := w.beginAllowedChange(op); err != nil {
		return false, err
	}
	w.moveToFewerComponents(m, rowRange{r, int(s.row), 1})
	w.endChange()
	return true, nil
}

// editScratch holds memory that operations on many entities reuse.
type editScratch struct {
	groupMembers []Entity     // of changes of linked groups
	entitySet    sparseSet    // the entities among those
	copyIDs      []Entity     // of Instantiate
	copySources  []copySource // the same
}
