package system

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Create makes a system of type S in w, and another one if there is one
// already. It joins no group by itself. When the system's Create fails the
// error is returned and the world is without it; its Destroy is not called.
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

// Adopt makes a system that was made by hand part of w. It must be a pointer;
// a group or a command-buffer system belongs to one world.
func Adopt(w *ecs.World, s System) error {
	if err := given("Adopt", w); err != nil {
		return err
	}
	if isNil(s) {
		return fmt.Errorf("system: Adopt: the system is nil: %w", ecs.ErrArgument)
	}
	t := reflect.TypeOf(s)
	if t.Kind() != reflect.Pointer {
		return fmt.Errorf("system: Adopt: %v is not a pointer; a system is known by its address: %w", t, ecs.ErrArgument)
	}
	r := rosterOf(w)
	_, group := s.(grouping)
	_, buffers := s.(buffering)
	if in := r.anywhere(s); in != nil && in.roster != r && (group || buffers) {
		return fmt.Errorf("system: Adopt: the %s is part of world %q; make another one: %w", in.typ.name, in.world.Name(), ecs.ErrArgument)
	}
	_, err := r.create(typeOf(t), s)
	return err
}

// New makes a system of the type in w, as [Create] does.
func (t *Type) New(w *ecs.World) (System, error) { return t.new("Type.New", w) }

func (t *Type) new(call string, w *ecs.World) (System, error) {
	if err := given(call, w); err != nil {
		return nil, fmt.Errorf("%w, for %s", err, t.name)
	}
	if !t.isSystem {
		return nil, fmt.Errorf("system: %s is not a system: its pointer has no Update(*system.Frame) error: %w", t.name, ecs.ErrArgument)
	}
	in, err := rosterOf(w).create(t, t.make())
	if err != nil {
		return nil, err
	}
	return in.system, nil
}

// CreateAll makes a system of each type in w: all of them can be found before
// the first is created, and they are created in the given order. Those that
// fail are left out and do not keep the others from being made; their errors
// are returned, joined.
func CreateAll(w *ecs.World, ts ...*Type) ([]System, error) {
	if err := given("CreateAll", w); err != nil {
		return nil, err
	}
	r := rosterOf(w)
	var errs []error
	var made []*Instance
	for _, t := range ts {
		if t == nil {
			errs = append(errs, fmt.Errorf("system: CreateAll: world %q: a system type is nil: %w", w.Name(), ecs.ErrArgument))
			continue
		}
		if !t.isSystem {
			errs = append(errs, fmt.Errorf("system: %s is not a system: its pointer has no Update(*system.Frame) error: %w", t.name, ecs.ErrArgument))
			continue
		}
		in, err := r.enlist(t, t.make())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		made = append(made, in)
	}
	var systems []System
	for _, in := range made {
		if err := in.create(); err != nil {
			errs = append(errs, err)
			continue
		}
		systems = append(systems, in.system)
	}
	return systems, errors.Join(errs...)
}

func (r *roster) create(t *Type, s System) (*Instance, error) {
	in, err := r.enlist(t, s)
	if err != nil {
		return nil, err
	}
	return in, in.create()
}

// Find returns the system of type S in w, of several the one created first;
// nil when there is none. It panics while w is being closed, and after it.
func Find[S any, P interface {
	*S
	System
}](w *ecs.World) P {
	r := rosterFor("Find", w)
	r.mustBeOpen("look up " + typeFor[S]().name)
	if in := r.find(typeFor[S]()); in != nil {
		return in.system.(P)
	}
	return nil
}

// Get returns the system of type S in w, making it when there is none. It
// panics if that fails; use [Create] where it may.
func Get[S any, P interface {
	*S
	System
}](w *ecs.World) P {
	if err := given("Get", w); err != nil {
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

// FindAs returns the first created system of w that is an I: an interface, or
// a pointer to a system type. It panics while w is being closed, and after it.
func FindAs[I any](w *ecs.World) (I, bool) {
	r := rosterFor("FindAs", w)
	r.mustBeOpen(fmt.Sprintf("look up %v", reflect.TypeFor[I]()))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range r.instances {
		if s, ok := in.system.(I); ok {
			return s, true
		}
	}
	var none I
	return none, false
}

// InstanceOf returns what w keeps about system s; nil when s is not part of w.
func InstanceOf(w *ecs.World, s System) *Instance { return rosterFor("InstanceOf", w).of(s) }

// Instances returns the systems of w in the order of their creation.
func Instances(w *ecs.World) []*Instance {
	r := rosterFor("Instances", w)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.instances)
}

// Changes returns how many systems were created in w and destroyed, together.
func Changes(w *ecs.World) uint64 { return rosterFor("Changes", w).changes }

// Destroy takes system s out of w and out of its groups: its StopRunning is
// called if it was running, then its Destroy. It is gone even if they fail.
// Systems cannot be destroyed while one of the world updates, or the world is lent
// to a transaction.
func Destroy(w *ecs.World, s System) error {
	if err := given("Destroy", w); err != nil {
		return err
	}
	r := rosterOf(w)
	if what := r.busy(); what != "" {
		return fmt.Errorf("system: Destroy: world %q: %s; destroy systems between updates: %w", w.Name(), what, ecs.ErrArgument)
	}
	in := r.of(s)
	if in == nil {
		return fmt.Errorf("system: Destroy: world %q: %T is not part of it, or destroyed already: %w", w.Name(), s, ecs.ErrArgument)
	}
	if err := in.usable("Destroy"); err != nil {
		return err
	}
	return in.destroy()
}

func (r *roster) mustBeOpen(what string) {
	if err := r.open(what); err != nil {
		panic(err)
	}
}
