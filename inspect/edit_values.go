package inspect

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
)

// These are the bytes that an edit uses for an entity in a list, and for a reference with its entry in editLog.refs.
const (
	entityBytes = 8
	refBytes    = 64
)

// keptValue is a value that an edit holds for its undo or redo, with references to the entities inside it. The entities in unexported
// fields and in managed values have no references: they stay as they were.
type keptValue struct {
	value any
	refs  []*entityRef // in the order of eachEntity
}

// keep returns a value as an edit holds it.
func (x *editing) keep(value any) keptValue {
	k := keptValue{value: value}
	if holdsEntities(reflect.TypeOf(value)) {
		eachEntity(settableCopy(value), func(v reflect.Value) { k.refs = append(k.refs, x.log.refTo(v.Interface().(ecs.Entity))) })
	}
	return k
}

// present returns the value. References to entities in it refer to the entities that have taken their places.
func (k keptValue) present() any {
	if len(k.refs) == 0 {
		return k.value
	}
	box, at := settableCopy(k.value), 0
	eachEntity(box, func(v reflect.Value) {
		v.Set(reflect.ValueOf(k.refs[at].now))
		at++
	})
	return box.Interface()
}

// bytes returns about the number of bytes of the value.
func (k keptValue) bytes() int { return valueBytes(k.value) + len(k.refs)*refBytes }

// valueBytes returns about the number of bytes of a value of a component or of one of its fields.
func valueBytes(value any) int {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Invalid:
		return 0
	case reflect.String:
		return v.Len() + int(v.Type().Size())
	case reflect.Slice:
		return v.Len() * int(v.Type().Elem().Size())
	default:
		return int(v.Type().Size())
	}
}

// excerptBytes returns about the number of bytes of an excerpt.
func excerptBytes(x *ecs.Excerpt) int {
	n := len(x.Outside) * 8
	for _, name := range x.Names {
		n += len(name) + 16
	}
	for _, part := range x.Parts() {
		n += len(part.Places) * 4
		for _, c := range part.Columns {
			n += len(c.On)*8 + len(c.Counts)*4 + len(c.Elements) + valueBytes(c.Value)
			for _, lane := range c.Lanes {
				n += len(lane)
			}
		}
	}
	return n
}

// settableCopy returns a copy of a value whose fields and elements can be set.
func settableCopy(value any) reflect.Value {
	v := reflect.ValueOf(value)
	box := reflect.New(v.Type()).Elem()
	if v.Kind() == reflect.Slice {
		box.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
	} else {
		box.Set(v)
	}
	return box
}

// holdsEntities reports whether values of a type may contain entities that eachEntity visits.
func holdsEntities(t reflect.Type) bool {
	if t.Kind() == reflect.Slice { // the elements of a buffer
		t = t.Elem()
	}
	return holdsEntityInside(t)
}

func holdsEntityInside(t reflect.Type) bool {
	switch {
	case t == reflect.TypeFor[ecs.Entity]():
		return true
	case t.Kind() == reflect.Array:
		return holdsEntityInside(t.Elem())
	case t.Kind() == reflect.Struct:
		for k := range t.NumField() {
			if f := t.Field(k); f.IsExported() && holdsEntityInside(f.Type) {
				return true
			}
		}
	}
	return false
}

// eachEntity calls f for each entity in a value that can be set: in arrays, in exported fields, and in the elements of a buffer.
func eachEntity(v reflect.Value, f func(reflect.Value)) {
	if v.Kind() == reflect.Slice {
		for k := range v.Len() {
			eachEntityInside(v.Index(k), f)
		}
		return
	}
	eachEntityInside(v, f)
}

func eachEntityInside(v reflect.Value, f func(reflect.Value)) {
	switch t := v.Type(); {
	case t == reflect.TypeFor[ecs.Entity]():
		f(v)
	case !holdsEntityInside(t):
	case t.Kind() == reflect.Array:
		for k := range v.Len() {
			eachEntityInside(v.Index(k), f)
		}
	case t.Kind() == reflect.Struct:
		for k := range v.NumField() {
			if t.Field(k).IsExported() {
				eachEntityInside(v.Field(k), f)
			}
		}
	}
}
