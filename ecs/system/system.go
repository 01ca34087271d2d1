package system

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// System is a part of a world's update. The group of the system calls Update. The update of the
// world returns Update's error, with the name of the system. Other members still run.
//
// A system may have more methods: see [Creator], [Starter], [Stopper] and [Destroyer].
type System interface {
	Update(f *Frame) error
}

// Creator is a system with a method that prepares it, usually by creating its queries. If Create
// returns an error, the system is not added to the world.
type Creator interface {
	Create(s *Setup) error
}

// Starter is a system with a method that is called before the system's first update, and before the
// first update after each StopRunning.
type Starter interface {
	StartRunning(f *Frame) error
}

// Stopper is a system with a method that is called when the system stops running, after it ran in
// the last frame. A system stops for one of four reasons: it was disabled, a required query has
// no entities, its group has stopped, or it is about to be destroyed.
type Stopper interface {
	StopRunning(f *Frame) error
}

// Destroyer is a system with a method that is called when the system is removed from its world. At
// that time, the other systems and the entities of the world still exist.
type Destroyer interface {
	Destroy(s *Setup) error
}

// hooks lists the optional methods, in the order in which they are called.
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

// checkHooks returns an error if a method has the name of a hook but the wrong signature, because
// such a method would never be called. checkHooks checks each type only once.
func (t *Type) checkHooks() error {
	t.hooksOnce.Do(func() { t.badHook = t.findBadHook() })
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

// newSystem returns a new system of the type. The address of a system identifies it. Values without
// fields may share an address, so a type without fields gets a padded allocation.
func (t *Type) newSystem() System {
	if t.padded == nil {
		return reflect.New(t.goType).Interface().(System)
	}
	return reflect.New(t.padded).Elem().Field(0).Addr().Interface().(System)
}

// paddedType returns the type that is allocated for a t without fields. It returns nil if t has
// fields.
func paddedType(t reflect.Type) reflect.Type {
	if t.Size() > 0 {
		return nil
	}
	return reflect.StructOf([]reflect.StructField{
		{Name: "System", Type: t},
		{Name: "Padding", Type: reflect.TypeFor[byte]()},
	})
}

// Type is a system type. There is one Type for each Go type, so Types can be compared with ==:
// Of[Move]() == Of[Move](). A Type is safe for concurrent use.
type Type struct {
	goType   reflect.Type
	name     string
	isSystem bool // the pointer to the type has a method Update
	isGroup  bool // the type embeds Group

	attributesOnce sync.Once
	attributes     attributes
	hooksOnce      sync.Once
	badHook        error        // result of checkHooks
	padded         reflect.Type // type that is allocated if this type has no fields
	mistakesOnce   sync.Once
	mistakeTexts   []string // result of mistakes
}

// typeRegistry holds every Type of the process.
var typeRegistry struct {
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

// String returns the full name of the type: package path, dot, name.
func (t *Type) String() string { return t.name }

// attrs returns the attributes of the type. The caller must not change the attributes, because all
// worlds share them.
func (t *Type) attrs() *attributes {
	t.attributesOnce.Do(func() { t.attributes = readAttributes(t.goType) })
	return &t.attributes
}

// typeFor returns the Type of S, which need not be a system.
func typeFor[S any]() *Type { return typeOf(reflect.TypeFor[S]()) }

// typeOf returns the Type of t, or of its element if t is a pointer.
func typeOf(t reflect.Type) *Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	typeRegistry.Lock()
	defer typeRegistry.Unlock()
	st := typeRegistry.of[t]
	if st == nil {
		st = newType(t)
		if typeRegistry.of == nil {
			typeRegistry.of = make(map[reflect.Type]*Type)
		}
		typeRegistry.of[t] = st
	}
	return st
}

func newType(t reflect.Type) *Type {
	p := reflect.PointerTo(t)
	st := &Type{
		goType:   t,
		name:     fullName(t),
		isSystem: p.Implements(reflect.TypeFor[System]()),
		isGroup:  p.Implements(reflect.TypeFor[groupSystem]()),
	}
	if st.isSystem {
		st.padded = paddedType(t)
	}
	return st
}

// fullName returns the name that is used for sorting and reporting systems.
func fullName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}
