package ecs

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/spell"
)

// RegisterComponent makes the component T known by its name, as ComponentByName and files find it, before
// anything else names the type: a program that reads files registers what these may have. To
// register a type again changes nothing. It panics with an *Error if T is no component.
func RegisterComponent[T any]() {
	if _, err := componentFor[T]("RegisterComponent"); err != nil {
		panic(err)
	}
}

// componentNamed returns the component of a full name.
func componentNamed(op, name string) (*component, error) {
	var found *component
	for _, c := range components() {
		switch {
		case c.name != name || c.worldwide:
		case found != nil:
			return nil, fault(ErrArgument, op, "two types have this name, for they are declared inside functions: declare one of them outside").on(c)
		default:
			found = c
		}
	}
	if found != nil {
		return found, nil
	}
	e := fault(ErrArgument, op, "no component of this name is registered: %s", insteadOf(name))
	e.Component = name
	return nil, e
}

// insteadOf says what to do about a name that is not registered.
func insteadOf(name string) string {
	list := nearNames(name)
	if len(list) == 0 {
		return "name the type once before, with RegisterComponent"
	}
	names := make([]string, 0, 3)
	whole := !strings.Contains(name, ".") && list[0].far == 0 // a package is missing, and nothing else
	for _, n := range list[:min(len(list), 3)] {
		if !whole || n.far == 0 {
			names = append(names, n.name)
		}
	}
	if whole {
		return "write the full name: " + strings.Join(names, ", or ")
	}
	return "there is " + strings.Join(names, ", ") + "; name the type once before, with RegisterComponent"
}

// near is a name that is registered, and how far one that is not is from it.
type near struct {
	name string
	far  int
}

// nearNames returns which registered names look like one that is not, the nearest first.
func nearNames(name string) []near {
	var list []near
	base := name[strings.LastIndexByte(name, '.')+1:]
	for _, c := range components() {
		if c.worldwide {
			continue
		}
		own := c.name[strings.LastIndexByte(c.name, '.')+1:]
		if len(base) > 2*len(own)+2 {
			continue // far away, and a name of a file may be very long
		}
		if far := spell.Distance(base, own); far <= max(1, len(base)/3) && !slices.ContainsFunc(list, func(n near) bool { return n.name == c.name }) {
			list = append(list, near{c.name, far})
		}
	}
	slices.SortFunc(list, func(a, b near) int { return cmp.Or(a.far-b.far, strings.Compare(a.name, b.name)) })
	return list
}

// boolsOf appends the offsets of the bytes of a value of type t that must be 0 or 1.
func boolsOf(t reflect.Type, at uintptr, list []uintptr) []uintptr {
	switch t.Kind() {
	case reflect.Bool:
		return append(list, at)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			list = boolsOf(f.Type, at+f.Offset, list)
		}
	case reflect.Array:
		for i := range t.Len() {
			list = boolsOf(t.Elem(), at+uintptr(i)*t.Elem().Size(), list)
		}
	}
	return list
}
