package ecs

// WorldOrCommands is what components can be edited through: a World, now, or a Commands
// buffer, at playback.
type WorldOrCommands interface{ *World | *Commands }

// Get returns the T of e. This is the slow way, for single entities: Column
// shows the components of many, a Lookup is for many random accesses. The T of a
// buffer component is a handle that may only be read; see GetBuffer.
//
// It first completes jobs that write T. Unlike what changes the world it is not refused to another goroutine while the world
// is being updated, see docs/decisions/0009: what it returns then may be of any time, or half-written. The error is of category ErrArgument if
// e does not exist or has no T, or if T is a tag and has no data.
func Get[T any](w *World, e Entity) (v T, err error) {
	const op = "Get"
	if w == nil {
		return v, noWorld(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return v, w.entityError(op, e)
	}
	r := w.tables.records[s.record]
	i := r.arch.find(keyOf[T]())
	if i < 0 {
		return v, lacks[T](w, op, e)
	}
	c := &r.arch.columns[i]
	if w.gate.jobs.pending {
		if err := w.await(op, c.comp, false); err != nil {
			return v, err
		}
	}
	switch {
	case c.way <= wayLanes || c.way == wayManaged:
		readRow(r, i, int(s.row), &v)
	case c.comp.kind.has(isShared):
		v = r.arch.stores[c.shared].values[r.group.values[c.shared]].(T)
	case c.comp.per != nil:
		w.tables.gatherChunk(r, c.comp.per, bytesOf(&v))
	case c.way == wayBuffer:
		*place(&v) = bufferPlace{world: w, rec: r, stamp: w.gate.structural, row: s.row, column: int32(i)}
	default:
		return v, w.gate.fault(ErrArgument, op, "a tag has no data: use Has").of(e).on(c.comp)
	}
	return v, nil
}

// Has reports whether e exists and has a T.
func Has[T any](w *World, e Entity) bool {
	w.mustExist("Has")
	s := w.tables.entities.find(e)
	if s == nil {
		return w.gate.refuseLent("Has")
	}
	return w.tables.records[s.record].arch.find(keyOf[T]()) >= 0
}

// Set gives e the value v of a component that it has. For a shared component
// this is a structural change, unless it has that value already.
//
// It first completes jobs that touch T. The error is of category ErrArgument if
// e does not exist or has no T, or if T is a tag. A Commands buffer finds that
// out at playback; it returns an error of category ErrState if e is the null
// entity or the buffer was played.
func Set[T any, D WorldOrCommands](to D, e Entity, v T) error {
	switch to := any(to).(type) {
	case *World:
		return setNow("Set", to, e, &v)
	case *Commands:
		return recordValue(to, opSet, e, &v)
	}
	return nil
}

// Add gives e the component v, or overwrites the one it has. It is a structural
// change if e has no T. Errors are those of Set, except for e having no T; adding to
// a tag ignores the value.
func Add[T any, D WorldOrCommands](to D, e Entity, v T) error {
	switch to := any(to).(type) {
	case *World:
		return addNow(to, e, &v)
	case *Commands:
		return recordValue(to, opAdd, e, &v)
	}
	return nil
}

// AppendBuffer adds elements at the end of the buffer of T that e has. Errors are those
// of Set; a Commands buffer that finds no buffer of T at playback fails with an
// error of category ErrState.
func AppendBuffer[T any, D WorldOrCommands](to D, e Entity, elements ...T) error {
	switch to := any(to).(type) {
	case *World:
		b, err := GetBuffer[T](to, e)
		if err != nil {
			return renamed(err, "AppendBuffer")
		}
		b.Append(elements...)
	case *Commands:
		return recordAppend(to, e, elements)
	}
	return nil
}

// Ensure gives e a zero T unless it has one, whose value is kept. It reports
// whether it added one; a Commands buffer reports false.
func Ensure[T any, D WorldOrCommands](to D, e Entity) (bool, error) {
	const op = "Ensure"
	switch to := any(to).(type) {
	case *World:
		if to == nil {
			return false, noWorld(op)
		}
		if s := to.tables.entities.find(e); s != nil && to.tables.records[s.record].arch.find(keyOf[T]()) >= 0 {
			return false, nil
		}
		c, err := componentIn[T](to, op)
		if err != nil {
			return false, err
		}
		_, err = to.addOne(op, e, c)
		return err == nil, err
	case *Commands:
		return false, recordType[T](to, opEnsure, e)
	}
	return false, nil
}

// Remove takes T from e, and reports whether e had one; a Commands buffer
// reports false. An entity that does not exist has none, which is no error.
// Removing the last cleanup component of a destroyed entity ends it.
func Remove[T any, D WorldOrCommands](to D, e Entity) (bool, error) {
	const op = "Remove"
	switch to := any(to).(type) {
	case *World:
		if to == nil {
			return false, noWorld(op)
		}
		if s := to.tables.entities.find(e); s != nil {
			r := to.tables.records[s.record]
			if i := r.arch.find(keyOf[T]()); i >= 0 {
				err := to.reduce(op, r, int(s.row), r.arch.columns[i].comp)
				return err == nil, err
			}
		}
		c, err := componentIn[T](to, op)
		if err != nil {
			return false, err
		}
		return to.removeOne(op, e, c)
	case *Commands:
		return false, recordType[T](to, opRemove, e)
	}
	return false, nil
}

// setNow overwrites the T of e.
func setNow[T any](op string, w *World, e Entity, v *T) error {
	if w == nil {
		return noWorld(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r := w.tables.records[s.record]
	i := r.arch.find(keyOf[T]())
	if i < 0 {
		return lacks[T](w, op, e)
	}
	return assign(op, w, r, i, int(s.row), v)
}

// assign overwrites the T in a row of column i.
func assign[T any](op string, w *World, r *record, i, row int, v *T) error {
	c := &r.arch.columns[i]
	own := c.way <= wayLanes // a value of the row's own, which is most: its component need not be looked at
	switch {
	case own:
	case c.comp.kind.has(isShared):
		return w.setShared(op, span{r, row, 1}, c.comp, *v)
	case c.comp.kind.has(isTag):
		return w.gate.fault(ErrArgument, op, "a tag has no data: use Add and Remove").of(*r.idAt(row)).on(c.comp)
	}
	if w.gate.guarded() {
		if err := w.await(op, c.comp, true); err != nil {
			return err
		}
	}
	if guard {
		w.tables.wrote()
	}
	r.mark(i, w.gate.version)
	switch {
	case own:
		writeRow(r, i, row, v)
	case c.comp.per != nil:
		w.tables.scatterChunk(r, i, bytesOf(v), w.gate.version)
	case c.way == wayBuffer:
		bufferAt(r, c, row).set(contentOf(v, c.comp.buffer.size))
	default:
		writeRow(r, i, row, v)
	}
	return nil
}

// addNow gives e the value *v, adding T when it is missing.
func addNow[T any](w *World, e Entity, v *T) error {
	const op = "Add"
	if w == nil {
		return noWorld(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r, row := w.tables.records[s.record], int(s.row)
	i := r.arch.find(keyOf[T]())
	if i < 0 {
		c, err := componentIn[T](w, op)
		if err != nil {
			return err
		}
		switch {
		case c.kind.has(isShared): // in one move
			return w.setShared(op, span{r, row, 1}, c, *v)
		case c.kind.has(isBuffer) && contentIsHandle(v):
			return w.foreign(op, c, place(v)).(*Error).of(e)
		}
		at, err := w.extend(op, r, row, c)
		if err != nil {
			return err
		}
		r, row = at.rec, at.first
		i = r.arch.find(keyOf[T]())
	}
	if r.arch.columns[i].comp.kind.has(isTag) {
		return nil
	}
	return assign(op, w, r, i, row, v)
}

// lacks says that e has no T.
func lacks[T any](w *World, op string, e Entity) error {
	c, err := componentIn[T](w, op)
	if err != nil {
		return err
	}
	a := w.tables.records[w.tables.entities.find(e).record].arch
	text := "the entity has no such component, it has %v: use Add"
	if a.awaitsCleanup {
		text = "the entity was destroyed and has only its cleanup components left: %v"
	}
	return w.gate.fault(ErrArgument, op, text, a).of(e).on(c)
}

// GetBuffer returns the buffer of e, to be read and written; this marks it as
// changed. It first completes jobs that touch it. Errors are those of Get.
func GetBuffer[T any](w *World, e Entity) (Buffer[T], error) {
	const op = "GetBuffer"
	b, err := Get[Buffer[T]](w, e)
	if err != nil {
		return b, renamed(err, op)
	}
	r, i := b.home.rec, b.home.column
	if w.gate.guarded() {
		if err := w.await(op, r.arch.columns[i].comp, true); err != nil {
			return Buffer[T]{}, err
		}
	}
	if guard {
		w.tables.wrote()
	}
	r.mark(int(i), w.gate.version)
	b.home.write = true
	return b, nil
}

// foreign returns an error if a component is given as a handle, whose life the
// change that adds the component would end. Nil is no handle.
func (w *World) foreign(op string, c *component, handle *bufferPlace) error {
	if handle == nil {
		return nil
	}
	return w.gate.fault(ErrArgument, op, "the value is a handle to the buffer of an entity, and this change ends its life: copy the elements with BufferOf(b.Slice()...)").on(c)
}

// addOne adds c to e, which lacks it, and returns where e is now.
func (w *World) addOne(op string, e Entity, c *component) (span, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return span{}, w.entityError(op, e)
	}
	return w.extend(op, w.tables.records[s.record], int(s.row), c)
}

// extend adds c to the entity in a row, which lacks it, and returns where the
// entity is now.
func (w *World) extend(op string, r *record, row int, c *component) (span, error) {
	if err := w.canChange(op); err != nil {
		return span{}, err
	}
	m := edgeTo(r.arch.adds, c)
	if m == nil {
		var err error
		if m, err = w.tables.with(op, r.arch, c); err != nil {
			return span{}, err
		}
	}
	if err := w.commit(op); err != nil {
		return span{}, err
	}
	at := w.tables.moveRows(m, span{r, row, 1}, m.group(r))
	w.finish()
	return at, nil
}

// removeOne takes c from e, and reports whether e had it.
func (w *World) removeOne(op string, e Entity, c *component) (bool, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return false, w.gate.open(op)
	}
	r := w.tables.records[s.record]
	if !r.arch.has(c) {
		return false, nil
	}
	err := w.reduce(op, r, int(s.row), c)
	return err == nil, err
}

// reduce takes c from the entity in a row, which has it.
func (w *World) reduce(op string, r *record, row int, c *component) error {
	if err := w.canChange(op); err != nil {
		return err
	}
	m := edgeTo(r.arch.removes, c)
	if m == nil {
		var err error
		if m, err = w.tables.without(op, r.arch, c); err != nil {
			return err
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	w.shrink(m, span{r, row, 1})
	w.finish()
	return nil
}

// shrink moves a run of rows to an archetype with fewer components. Rows of a
// destroyed entity that lose the last cleanup component end.
func (w *World) shrink(m *move, s span) {
	if m.to.awaitsCleanup && !m.to.kinds.has(isCleanup) {
		w.tables.endRows(s)
		return
	}
	w.tables.moveRows(m, s, m.group(s.rec))
}

// changeTypes adds and removes sets of components of e in one move.
func (w *World) changeTypes(op string, e Entity, add, remove []*component) (bool, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return false, w.entityError(op, e)
	}
	if err := w.canChange(op); err != nil {
		return false, err
	}
	r := w.tables.records[s.record]
	m, err := w.tables.edit(op, r.arch, add, remove)
	if err != nil || m == nil {
		w.gate.idle()
		return false, err
	}
	if err := w.commit(op); err != nil {
		return false, err
	}
	w.shrink(m, span{r, int(s.row), 1})
	w.finish()
	return true, nil
}

// editScratch is memory that operations on many entities use again.
type editScratch struct {
	members []Entity  // of changes of linked groups
	set     sparseSet // the entities among those
	copies  []Entity  // of Instantiate
	sources []source  // the same
}
