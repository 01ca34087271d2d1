package system

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Create creates a system of type S in w, even if w already has a system of that type. The system
// belongs to no group. To add it to a group, call [Group.Add]. If the Create method of the system
// fails, Create returns the error, and w does not have the system. Then Destroy is not called.
func Create[S any, P interface {
	*S
	System
}](w *ecs.World) (P, error) {
	s, err := typeFor[S]().new("Create", w)
	if err != nil {
		return nil, err
	}
	return s.(P), nil
}

// Adopt makes s a system of w. The caller has allocated s. Adopt returns an error if s is not a
// pointer, or if s is a group or a command-buffer system of another world.
func Adopt(w *ecs.World, s System) error {
	if err := checkWorld("Adopt", w); err != nil {
		return err
	}
	if isNil(s) {
		return fmt.Errorf("system: Adopt: the system is nil: %w", ecs.ErrArgument)
	}
	t := reflect.TypeOf(s)
	if t.Kind() != reflect.Pointer {
		return fmt.Errorf("system: Adopt: %v is not a pointer; a system is known by its address: %w", t, ecs.ErrArgument)
	}
	a := attachmentOf(w)
	_, group := s.(groupSystem)
	_, buffers := s.(commandBufferSystem)
	if in := a.findInAnyWorld(s); in != nil && in.roster != &a.roster && (group || buffers) {
		return fmt.Errorf("system: Adopt: the %s is part of world %q; make another one: %w", in.typ.name, in.world.Name(), ecs.ErrArgument)
	}
	_, err := a.create(typeOf(t), s)
	return err
}

func (t *Type) new(call string, w *ecs.World) (System, error) {
	if err := checkWorld(call, w); err != nil {
		return nil, fmt.Errorf("%w, for %s", err, t.name)
	}
	if !t.isSystem {
		return nil, fmt.Errorf("system: %s is not a system: its pointer has no Update(*system.Frame) error: %w", t.name, ecs.ErrArgument)
	}
	in, err := attachmentOf(w).create(t, t.newSystem())
	if err != nil {
		return nil, err
	}
	return in.system, nil
}

// Find returns the system of type S in w, or nil if there is none. If there are several, Find
// returns the one that was created first. Find panics during and after the closing of w.
func Find[S any, P interface {
	*S
	System
}](w *ecs.World) P {
	a := attachmentFor("Find", w)
	a.mustBeOpen("look up " + typeFor[S]().name)
	if in := a.findType(typeFor[S]()); in != nil {
		return in.system.(P)
	}
	return nil
}

// GetOrCreate returns the system of type S in w. If there is none, GetOrCreate creates it.
// GetOrCreate panics if the creation fails. If that may happen, use [Create].
func GetOrCreate[S any, P interface {
	*S
	System
}](w *ecs.World) P {
	if err := checkWorld("GetOrCreate", w); err != nil {
		panic(err)
	}
	if s := Find[S, P](w); s != nil {
		return s
	}
	s, err := Create[S, P](w)
	if err != nil {
		panic(err)
	}
	return s
}

// FindAs returns the first system of w, in the order of creation, whose type is I. The type
// parameter may be an interface or a pointer to a system type. FindAs panics during and after the
// closing of w.
func FindAs[I any](w *ecs.World) (I, bool) {
	a := attachmentFor("FindAs", w)
	a.mustBeOpen(fmt.Sprintf("look up %v", reflect.TypeFor[I]()))
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, in := range a.instances {
		if s, ok := in.system.(I); ok {
			return s, true
		}
	}
	var none I
	return none, false
}

// InstanceOf returns the instance of the system s in w, or nil if s is not a system of w.
func InstanceOf(w *ecs.World, s System) *Instance {
	return attachmentFor("InstanceOf", w).instanceOf(s)
}

// Instances returns the systems of w in the order of their creation, in a new slice.
func Instances(w *ecs.World) []*Instance {
	a := attachmentFor("Instances", w)
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.instances)
}

// Destroy removes the system s from w and from its groups. Destroy calls StopRunning if the
// system was running, and then the system's Destroy. The system is removed even if these calls
// fail. While a system of w is updating, or while w is in use by a transaction, Destroy removes
// nothing and returns an error that wraps [ecs.ErrArgument].
func Destroy(w *ecs.World, s System) error {
	if err := checkWorld("Destroy", w); err != nil {
		return err
	}
	a := attachmentOf(w)
	if what := a.busyReason(); what != "" {
		return fmt.Errorf("system: Destroy: world %q: %s; destroy systems between updates: %w", w.Name(), what, ecs.ErrArgument)
	}
	in := a.instanceOf(s)
	if in == nil {
		return fmt.Errorf("system: Destroy: world %q: %T is not part of it, or destroyed already: %w", w.Name(), s, ecs.ErrArgument)
	}
	if err := in.checkNotLent("Destroy"); err != nil {
		return err
	}
	return in.destroy()
}
