package inspect

import (
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// text is the description of a value that may hold Go pointers. The owner of
// the world writes the description, because only the owner may follow the
// pointers.
type text string

// copyOf returns a copy of a component that does not refer to memory of the
// world, or nil if the entity lacks it.
func copyOf(w *ecs.World, e ecs.Entity, t reflect.Type, names map[ecs.Entity]string) any {
	value, elements, err := w.Untyped().Head(e, t, maxElements)
	if err != nil {
		return nil
	}
	if !isPlain(t) {
		return text(clip(describe(reflect.ValueOf(value), 5), 400))
	}
	for _, to := range entitiesIn(reflect.ValueOf(value), nil) {
		if name := w.EntityName(to); name != "" {
			names[to] = name
		}
	}
	if elements > maxElements {
		return bufferHead{value, elements}
	}
	return value
}

// bufferHead holds the first elements of a long buffer.
type bufferHead struct {
	first    any
	elements int
}

// jsonValue converts a copied value for JSON.
func jsonValue(value any, names map[ecs.Entity]string) any {
	switch x := value.(type) {
	case text:
		return string(x)
	case bufferHead:
		return append(show(reflect.ValueOf(x.first), names).([]any), moreText(x.elements-maxElements))
	}
	return show(reflect.ValueOf(value), names)
}

// typeFacts holds properties of a type that are slow to compute.
type typeFacts struct{ buffer, plain bool }

// typeFactsCache maps the types that were used to their facts.
var typeFactsCache sync.Map // of reflect.Type to facts

func factsOf(t reflect.Type) typeFacts {
	if f, ok := typeFactsCache.Load(t); ok {
		return f.(typeFacts)
	}
	m, ok := t.MethodByName("Slice")
	f := typeFacts{buffer: ok && t.PkgPath() == reflect.TypeFor[ecs.Entity]().PkgPath() && m.Type.NumIn() == 1}
	f.plain = f.buffer || !holdsPointers(t)
	typeFactsCache.Store(t, f)
	return f
}

// isPlain reports whether values of a component hold no Go pointers, so that an
// assignment copies them completely. A buffer is plain too, because reading it
// returns a slice that is itself a copy.
func isPlain(t reflect.Type) bool { return factsOf(t).plain }

// holdsPointers reports whether values of a type may contain Go pointers through which the world could change them.
func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && holdsPointers(t.Elem())
	case reflect.Struct:
		for k := range t.NumField() {
			if holdsPointers(t.Field(k).Type) {
				return true
			}
		}
		return false
	case reflect.Pointer, reflect.UnsafePointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Chan, reflect.Func:
		return true // a string is none of these, because its bytes never change
	}
	return false
}

// isBuffer reports whether a component is a buffer: an array that can grow.
func isBuffer(t reflect.Type) bool { return factsOf(t).buffer }
