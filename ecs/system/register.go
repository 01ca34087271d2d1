package system

import (
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// registered is what every world of [NewWorld] has, and the default world, in order.
var registered struct {
	sync.Mutex
	types []*Type
	sets  []*Set

	worlds []madeWorld // that have them, in order
}

// Register makes S part of every world that [NewWorld] makes from now on,
// unless S is marked [Manual]. A second time changes nothing. Worlds that exist already do
// not get it, and a warning is logged: see [WithLogger]. So call it in func init.
func Register[S any, P interface {
	*S
	System
}]() {
	register(typeFor[S]())
}

// Unregister takes S away from what is registered, by whatever package; worlds
// that have a system of it keep that. It is for tests:
//
//	system.Register[Move]()
//	t.Cleanup(system.Unregister[Move])
func Unregister[S any, P interface {
	*S
	System
}]() {
	unregister(typeFor[S]())
}

// Types returns the registered types in the order of their registration, those of
// sets too.
func Types() []*Type {
	registered.Lock()
	defer registered.Unlock()
	return slices.Clone(registered.types)
}

// Sets returns the registered sets in the order of their registration.
func Sets() []*Set {
	registered.Lock()
	defer registered.Unlock()
	return slices.Clone(registered.sets)
}

func register(ts ...*Type) {
	registered.Lock()
	var fresh []*Type
	for _, t := range ts {
		if !slices.Contains(registered.types, t) {
			registered.types, fresh = append(registered.types, t), append(fresh, t)
		}
	}
	made := slices.Clone(registered.worlds)
	registered.Unlock()
	warnLate(fresh, made)
}

func unregister(ts ...*Type) {
	registered.Lock()
	defer registered.Unlock()
	registered.types = slices.DeleteFunc(registered.types, func(t *Type) bool { return slices.Contains(ts, t) })
}

// Set is a list of system types that belong together, as those of a package do.
// [Set.Register] makes it part of all worlds, [With] of one, and [Populate] takes its
// types. It is not changed once it is in use.
type Set struct {
	Name  string // of the package, as a rule
	Types []*Type

	// Advise says what the entities of a world lack for these systems, in texts that
	// say what to do: [Warnings] and [Explain] ask it, of a world that has the systems
	// and of one that might, as those of a registered set. It must not change the
	// world. It may be nil.
	Advise func(w *ecs.World) []string
}

// Register makes the types of the set part of every world that [NewWorld] makes
// from now on, as the function of that name does of one. A second time changes
// nothing.
func (s *Set) Register() {
	register(s.Types...)
	registered.Lock()
	defer registered.Unlock()
	if !slices.Contains(registered.sets, s) {
		registered.sets = append(registered.sets, s)
	}
}

// Unregister takes the set and its types away from what is registered, whatever
// registered them.
func (s *Set) Unregister() {
	unregister(s.Types...)
	registered.Lock()
	defer registered.Unlock()
	registered.sets = slices.DeleteFunc(registered.sets, func(o *Set) bool { return o == s })
}
