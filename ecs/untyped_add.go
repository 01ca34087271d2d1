package ecs

import "reflect"

// Add gives e a value of a component of type t, and the component too if e lacks it. Programs that name the type in Go use [ecs.Add]. The value has the form
// that [Untyped.Get] returns: a slice of the elements for a buffer, the value of the chunk for a [PerChunk]. Add marks the component as
// changed, and first waits for jobs that read or write it. The error is of category [ErrArgument], and nothing is changed, if e does not exist, t is
// no component, or the value is of another type.
func (u Untyped) Add(e Entity, t reflect.Type, v any) error {
	w := u.world
	const op = "Untyped.Add"
	if err := w.open(op); err != nil {
		return err
	}
	if t == nil {
		return w.fault(ErrArgument, op, "the type is nil")
	}
	c, err := w.componentOf(op, t)
	if err != nil {
		return err
	}
	want := t
	if c.kind.has(isBuffer) {
		want = reflect.SliceOf(c.buffer.elem)
	}
	if reflect.TypeOf(v) != want {
		return w.fault(ErrArgument, op, "the value is of type %v, not %v", reflect.TypeOf(v), want).of(e).on(c)
	}
	s := w.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	if c.kind.has(isShared) { // in one move: whether the value can be compared is found out before
		return w.setShared(op, span{w.records[s.record], int(s.row), 1}, c, v)
	}
	if !w.records[s.record].arch.has(c) {
		if err := editTypes(op, opAddTypes, w, One(e), []Term{With[struct{}]().OfType(t)}); err != nil {
			return err
		}
	}
	r, i, row, err := placeOf(op, w, e, t)
	if err != nil {
		return err
	}
	if err := w.await(op, c, true); err != nil {
		return err
	}
	if guard {
		w.wrote()
	}
	r.mark(i, w.version)
	col := &r.arch.columns[i]
	switch {
	case c.kind.has(isTag):
	case c.per != nil:
		w.scatterChunk(r, i, boxBytes(v, c.size), w.version)
	case c.kind.has(isManaged):
		r.objects[col.object].rows.Index(row).Set(reflect.ValueOf(v))
	case c.kind.has(isBuffer):
		list := reflect.ValueOf(v)
		n := list.Len()
		var content []byte
		if n > 0 {
			content = newBytes(list, uintptr(n*c.buffer.size))
		}
		bufferAt(r, col, row).set(content, n)
	default:
		col.scatter(&r.Place, row, boxBytes(v, c.size))
	}
	return nil
}
