package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

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
	w.given("Has")
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

// componentIn returns the component T for an operation of w. It may be called
// from a job, which is then refused.
func componentIn[T any](w *World, op string) (*component, error) {
	if w == nil {
		return nil, noWorld(op)
	}
	return cachedComponentIn[T](w, op)
}

// cachedComponentIn is componentIn below worlds.
func cachedComponentIn[T any](w *World, op string) (*component, error) {
	k := keyOf[T]()
	recent := &typeCache[k.hash()%uint(len(typeCache))]
	if c := recent.Load(); c != nil && c.key == k && !c.worldwide {
		return c, nil
	}
	c, err := w.types.componentOf(op, reflect.TypeFor[T]())
	if err == nil {
		recent.Store(c)
	}
	return c, err
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

// Ways to read and write a row. The first two do without a look at the lanes.
const (
	wayWhole   uint8 = iota + 1 // the component is one lane
	wayWords                    // neighbouring lanes of four bytes
	wayLanes                    // any lanes
	wayBuffer                   // a handle
	wayManaged                  // beside the chunk
	wayOther                    // a tag, or no value of the row's own
)

// findRowPath finds out how the rows of c are read and written.
func (c *column) findRowPath() rowPath {
	var a rowPath
	if len(c.lanes) > 0 {
		a.lane = c.lanes[0].Index
	}
	switch {
	case c.comp.kind.has(isBuffer):
		a.way = wayBuffer
	case c.comp.kind.has(isManaged):
		a.way = wayManaged
	case len(c.comp.fields) == 0:
		a.way = wayOther
	case c.comp.oneLane():
		a.way = wayWhole
	case c.comp.words():
		a.way = wayWords
	default:
		a.way = wayLanes
	}
	return a
}

// oneLane reports whether the component is one lane, which is all of its type.
func (c *component) oneLane() bool { return len(c.fields) == 1 && c.fields[0].size == c.size }

// words reports whether the lanes of the component are of four bytes each, in the order of the
// fields, which are all of the type.
func (c *component) words() bool {
	if len(c.fields) < 2 || c.size != 4*uintptr(len(c.fields)) {
		return false
	}
	for i, f := range c.fields {
		if f.size != 4 || f.offset != 4*uintptr(i) {
			return false
		}
	}
	return true
}

// threeWords reports whether rows are three lanes of words, and nothing beside the chunk.
func (c *component) threeWords() bool {
	return c.size == 12 && c.words() && !c.kind.has(isBuffer) && !c.kind.has(isManaged)
}

// readRow reads a row of column i, which has a value of its own.
func readRow[T any](r *record, i, row int, v *T) {
	c := &r.arch.columns[i]
	switch c.way {
	case wayWhole:
		*v = *table.At[T](&r.Place, c.lane, row)
	case wayWords:
		table.Gather(v, &r.Place, c.lane, row)
	case wayManaged:
		*v = *objectOf[T](r, c, row)
	default:
		c.gather(&r.Place, row, bytesOf(v))
	}
}

// writeRow writes a row of column i, which has a value of its own.
func writeRow[T any](r *record, i, row int, v *T) {
	c := &r.arch.columns[i]
	switch c.way {
	case wayWhole:
		*table.At[T](&r.Place, c.lane, row) = *v
	case wayWords:
		table.Scatter(&r.Place, c.lane, row, v)
	case wayManaged:
		*objectOf[T](r, c, row) = *v
	default:
		c.scatter(&r.Place, row, bytesOf(v))
	}
}

// objectOf shows the managed T in a row of a column.
func objectOf[T any](r *record, c *column, row int) *T {
	return &r.objects[c.object].list.([]T)[row]
}

// scatter writes a Go value of the column's component, as bytes, to a row.
func (c *column) scatter(p *table.Place, row int, value []byte) {
	if c.way == wayWords {
		p.PutWords(c.lane, row, value)
		return
	}
	fields := c.comp.fields
	for i := range c.lanes {
		l, f := &c.lanes[i], &fields[i]
		b := p.Bytes(*l, row, 1)
		if f.size == 4 {
			*(*[4]byte)(b) = *(*[4]byte)(value[f.offset:])
			continue
		}
		copy(b, value[f.offset:])
	}
}

// gather reads a row into a Go value of the column's component, as bytes.
func (c *column) gather(p *table.Place, row int, value []byte) {
	fields := c.comp.fields
	for i := range c.lanes {
		l, f := &c.lanes[i], &fields[i]
		b := p.Bytes(*l, row, 1)
		if f.size == 4 {
			*(*[4]byte)(value[f.offset:]) = *(*[4]byte)(b)
			continue
		}
		copy(value[f.offset:], b)
	}
}

// foreign returns an error if a component is given as a handle, whose life the
// change that adds the component would end. Nil is no handle.
func (w *World) foreign(op string, c *component, handle *bufferPlace) error {
	if handle == nil {
		return nil
	}
	return w.gate.fault(ErrArgument, op, "the value is a handle to the buffer of an entity, and this change ends its life: copy the elements with BufferOf(b.Slice()...)").on(c)
}
