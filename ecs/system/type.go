package system

import (
	"reflect"
	"sync"
)

// Type is a system type. There is one Type for each Go type, so that they
// compare by identity: Of[Move]() == Of[Move]().
type Type struct {
	goType   reflect.Type
	name     string
	isSystem bool // a pointer to it has Update
	isGroup  bool // and it embeds Group

	read       sync.Once
	attributes Attributes
	hooked     sync.Once
	badHook    error        // what checkHooks found
	padded     reflect.Type // of an instance, if the type has no fields
	looked     sync.Once
	wrong      []string // what mistakes found
}

// types holds every Type there is.
var types struct {
	sync.Mutex
	of map[reflect.Type]*Type
}

// Of returns the type of system S.
func Of[S any, P interface {
	*S
	System
}]() *Type {
	return typeFor[S]()
}

// Name is the full type name: package path, a dot and the name.
func (t *Type) Name() string { return t.name }

func (t *Type) String() string { return t.name }

// Attributes returns what the marker fields of the type say. It must not be changed.
func (t *Type) Attributes() *Attributes {
	t.read.Do(func() { t.attributes = readAttributes(t.goType) })
	return &t.attributes
}

// Groups returns the groups in which the type stands, in field order.
// It is empty for a type that stands in [Simulation] by default.
func (t *Type) Groups() []*Type {
	places := t.Attributes().Places
	groups := make([]*Type, len(places))
	for i, p := range places {
		groups[i] = p.Group
	}
	return groups
}

// typeFor returns the Type of S, which may be no system at all.
func typeFor[S any]() *Type { return typeOf(reflect.TypeFor[S]()) }

// typeOf returns the Type of t, or of what t points to.
func typeOf(t reflect.Type) *Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	types.Lock()
	defer types.Unlock()
	st := types.of[t]
	if st == nil {
		st = newType(t)
		if types.of == nil {
			types.of = make(map[reflect.Type]*Type)
		}
		types.of[t] = st
	}
	return st
}

func newType(t reflect.Type) *Type {
	p := reflect.PointerTo(t)
	st := &Type{
		goType:   t,
		name:     fullName(t),
		isSystem: p.Implements(reflect.TypeFor[System]()),
		isGroup:  p.Implements(reflect.TypeFor[grouping]()),
	}
	if st.isSystem {
		st.padded = padded(t)
	}
	return st
}

// fullName returns the name by which systems are sorted and reported.
func fullName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}
