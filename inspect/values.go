package inspect

import (
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// text is a value that is told in words: it may hold Go pointers, which are the owner's.
type text string

// copyOf returns a copy of a component that needs the world no longer; nil if there is none.
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

// head is the first elements of a buffer that has more.
type head struct {
	first    any
	elements int
}

// shown is a copied value as JSON has it.
func shown(value any, names map[ecs.Entity]string) any {
	switch x := value.(type) {
	case text:
		return string(x)
	case head:
		return append(show(reflect.ValueOf(x.first), names).([]any), more(x.elements-mostElements))
	}
	return show(reflect.ValueOf(value), names)
}

// facts is what is known of a type, which takes a while to find out.
type facts struct{ buffer, plain bool }

// known is the facts of the types that were seen.
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

// isPlain reports whether values of a component are copied whole by an assignment: they hold no
// Go pointers. A buffer comes as a slice that is the copy itself.
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
