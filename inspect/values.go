package inspect

import (
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// text is a value that is described in words, because it may hold Go pointers,
// which only the owner may follow.
type text string

// copyOf returns a copy of a component that does not refer to memory of the
// world, or nil if the entity lacks it.
func copyOf(w *ecs.World, e ecs.Entity, t reflect.Type, names map[ecs.Entity]string) any {
	value, elements, err := w.Untyped().Head(e, t, mostElements)
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
	if elements > mostElements {
		return head{value, elements}
	}
	return value
}

// head has the first elements of a long buffer.
type head struct {
	first    any
	elements int
}

// shown converts a copied value for JSON.
func shown(value any, names map[ecs.Entity]string) any {
	switch x := value.(type) {
	case text:
		return string(x)
	case head:
		return append(show(reflect.ValueOf(x.first), names).([]any), more(x.elements-mostElements))
	}
	return show(reflect.ValueOf(value), names)
}

// facts are properties of a type that take a while to compute.
type facts struct{ buffer, plain bool }

// known has the facts of the types that were used.
var known sync.Map // of reflect.Type to facts

func factsOf(t reflect.Type) facts {
	if f, ok := known.Load(t); ok {
		return f.(facts)
	}
	m, ok := t.MethodByName("Slice")
	f := facts{buffer: ok && t.PkgPath() == reflect.TypeFor[ecs.Entity]().PkgPath() && m.Type.NumIn() == 1}
	f.plain = f.buffer || !holdsPointers(t)
	known.Store(t, f)
	return f
}

// isPlain reports whether an assignment copies values of a component
// completely, because they hold no Go pointers. A buffer is returned as a slice
// that is itself the copy.
func isPlain(t reflect.Type) bool { return factsOf(t).plain }

// holdsPointers reports whether there are Go pointers in a value.
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
	case reflect.Pointer, reflect.UnsafePointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.String, reflect.Chan, reflect.Func:
		return true
	}
	return false
}

// isBuffer reports whether a component is a growing array.
func isBuffer(t reflect.Type) bool { return factsOf(t).buffer }
