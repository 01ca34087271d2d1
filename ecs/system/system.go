package system

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// System is a step of a world's update. Update is called by the group in which
// the system stands, and what it returns comes out of the world's update with
// the system's name; the other members run all the same.
//
// A system may have more methods, each called when its moment comes: [Creator],
// [Starter], [Stopper], [Destroyer].
type System interface {
	Update(f *Frame) error
}

// Creator is a system that prepares itself, by making its queries above all.
// When Create fails the system is not part of the world.
type Creator interface {
	Create(s *Setup) error
}

// Starter is a system that is told before its first update, and before the
// first after each StopRunning.
type Starter interface {
	StartRunning(f *Frame) error
}

// Stopper is a system that is told when it was running and no longer does:
// it was disabled, lacks what it requires, its group stopped, or it is about
// to be destroyed.
type Stopper interface {
	StopRunning(f *Frame) error
}

// Destroyer is a system that is told when it leaves its world. Other systems
// of the world are then still there, and so are the entities.
type Destroyer interface {
	Destroy(s *Setup) error
}

// hooks are the optional methods in the order of a system's life.
var hooks = []struct {
	name  string
	iface reflect.Type
	want  string
}{
	{"Create", reflect.TypeFor[Creator](), "Create(*system.Setup) error"},
	{"StartRunning", reflect.TypeFor[Starter](), "StartRunning(*system.Frame) error"},
	{"StopRunning", reflect.TypeFor[Stopper](), "StopRunning(*system.Frame) error"},
	{"Destroy", reflect.TypeFor[Destroyer](), "Destroy(*system.Setup) error"},
}

// checkHooks finds methods that have the name of a hook but would never be called. It
// looks once: the methods of a type stay what they are.
func (t *Type) checkHooks() error {
	t.hooked.Do(func() { t.badHook = t.findBadHook() })
	return t.badHook
}

func (t *Type) findBadHook() error {
	p := reflect.PointerTo(t.goType)
	for _, h := range hooks {
		if p.Implements(h.iface) {
			continue
		}
		if m, ok := methodOf(p, h.name); ok {
			return fmt.Errorf("system: %s: method %s has type %v and would never be called; declare it %s: %w",
				t.name, h.name, m.Type, h.want, ecs.ErrArgument)
		}
	}
	return nil
}

// make returns a new system of the type. Its pointer is its identity, so it
// gets memory of its own even when it has no fields.
func (t *Type) make() System {
	if t.padded == nil {
		return reflect.New(t.goType).Interface().(System)
	}
	return reflect.New(t.padded).Elem().Field(0).Addr().Interface().(System)
}

// padded returns the type of an instance of t if that has no fields, or nil.
func padded(t reflect.Type) reflect.Type {
	if t.Size() > 0 {
		return nil
	}
	return reflect.StructOf([]reflect.StructField{
		{Name: "System", Type: t},
		{Name: "Padding", Type: reflect.TypeFor[byte]()},
	})
}

// Type is a system type. There is one Type for each Go type, so that they
// compare by identity: Of[Move]() == Of[Move]().
type Type struct {
	goType   reflect.Type
	name     string
	isSystem bool // a pointer to it has Update
	isGroup  bool // and it embeds Group

	read       sync.Once
	attributes attributes
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

// String returns the full type name: package path, a dot and the name.
func (t *Type) String() string { return t.name }

// attrs returns what the marker fields of the type say. It must not be changed.
func (t *Type) attrs() *attributes {
	t.read.Do(func() { t.attributes = readAttributes(t.goType) })
	return &t.attributes
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
