package ecs

import (
	"math"
	"reflect"
)

// Get returns the component of type t that e has. Programs that name the type in Go use [ecs.Get]. The value of a buffer is
// a slice with a copy of its elements, that of a [PerChunk] contains the value of e's chunk, and that of a tag is its zero
// value. Get first waits for jobs that write the component. The error is of category [ErrArgument] if e
// does not exist, or has no such component.
func (u Untyped) Get(e Entity, t reflect.Type) (any, error) {
	w := u.world
	v, _, err := valueOf("Untyped.Get", w, e, t, math.MaxInt)
	return v, err
}

// Head is [Untyped.Get], but copies at most the first n elements of a buffer, because a buffer may be long. It also returns the number of
// all elements, which is 0 if the component is no buffer.
func (u Untyped) Head(e Entity, t reflect.Type, n int) (v any, elements int, err error) {
	w := u.world
	return valueOf("Untyped.Head", w, e, t, max(n, 0))
}

func valueOf(op string, w *World, e Entity, t reflect.Type, most int) (v any, elements int, err error) {
	r, i, row, err := placeOf(op, w, e, t)
	if err != nil {
		return nil, 0, err
	}
	c := &r.arch.columns[i]
	if err := w.await(op, c.comp, false); err != nil {
		return nil, 0, err
	}
	box := reflect.New(t)
	switch {
	case c.comp.kind.has(isShared):
		return r.arch.stores[c.shared].values[r.group.values[c.shared]], 0, nil
	case c.comp.kind.has(isManaged):
		return r.objects[c.object].rows.Index(row).Interface(), 0, nil
	case c.comp.kind.has(isBuffer):
		s := bufferAt(r, c, row)
		elements = int(s.head()[0])
		n := min(elements, most)
		list := reflect.MakeSlice(reflect.SliceOf(c.comp.buffer.elem), n, n)
		if content := s.bytes(); n > 0 && len(content) > 0 {
			content = content[:len(content)/elements*n]
			copy(newBytes(list, uintptr(len(content))), content)
		}
		return list.Interface(), elements, nil
	case c.comp.per != nil && t.Size() > 0:
		w.gatherChunk(r, c.comp.per, newBytes(box, t.Size()))
	case len(c.lanes) > 0:
		c.gather(&r.Place, row, newBytes(box, t.Size()))
	}
	return box.Elem().Interface(), 0, nil
}

// Set replaces the value of a component that e has. The type of v names the component. Programs that name the type in Go use [ecs.Set].
// Set marks the component as changed, and first waits for jobs that read or write it. The error is of category [ErrArgument], and nothing is
// changed, if e does not exist or has no such component, or if the component has no value in rows: if it is a tag, a buffer, shared, managed, or of chunks.
func (u Untyped) Set(e Entity, v any) error {
	w := u.world
	const op = "Untyped.Set"
	t := reflect.TypeOf(v)
	if t == nil && w != nil {
		return w.fault(ErrArgument, op, "the value is nil")
	}
	r, i, row, err := placeOf(op, w, e, t)
	if err != nil {
		return err
	}
	c := &r.arch.columns[i]
	if c.comp.kind&(isShared|isManaged|isBuffer|isPerChunk|isTag) != 0 {
		return w.fault(ErrArgument, op, "the component has no value in rows: it is a tag, a buffer, shared, managed or of chunks").of(e).on(c.comp)
	}
	if err := w.await(op, c.comp, true); err != nil {
		return err
	}
	if guard {
		w.wrote()
	}
	r.mark(i, w.version)
	c.scatter(&r.Place, row, boxBytes(v, c.comp.size))
	return nil
}

// Enabled reports whether the component of type t that e has is on, as the function [ecs.Enabled] does. A component without a switch is
// always on. Errors are those of [Untyped.Get].
func (u Untyped) Enabled(e Entity, t reflect.Type) (bool, error) {
	w := u.world
	const op = "Untyped.Enabled"
	r, i, row, err := placeOf(op, w, e, t)
	if err != nil {
		return false, err
	}
	c := &r.arch.columns[i]
	if c.bit < 0 {
		return true, nil
	}
	if err := w.await(op, c.comp, false); err != nil {
		return false, err
	}
	return r.switches[c.bit].on(row), nil
}

// placeOf returns the chunk, the column and the row of a component of e.
func placeOf(op string, w *World, e Entity, t reflect.Type) (r *record, column, row int, err error) {
	if w == nil {
		return nil, 0, 0, noWorld(op)
	}
	s := w.entities.find(e)
	if s == nil {
		return nil, 0, 0, w.entityError(op, e)
	}
	if t == nil {
		return nil, 0, 0, w.fault(ErrArgument, op, "the type is nil")
	}
	r = w.records[s.record]
	if column = r.arch.find(typeKey(t)); column < 0 {
		err := w.fault(ErrArgument, op, "the entity has no such component, it has %v: use Add", r.arch).of(e)
		err.Component = fullName(t)
		return nil, 0, 0, err
	}
	return r, column, int(s.row), nil
}
