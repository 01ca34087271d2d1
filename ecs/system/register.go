package system

import (
	"fmt"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// registered is what every world of [NewWorld] has, and the default world, in order.
var registered struct {
	sync.Mutex
	types   []*Type
	plugins []*Plugin

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

// RegisteredTypes returns the registered types in the order of their registration, those of
// plugins too.
func RegisteredTypes() []*Type {
	registered.Lock()
	defer registered.Unlock()
	return slices.Clone(registered.types)
}

// Plugins returns the registered plugins in the order of their registration.
func Plugins() []*Plugin {
	registered.Lock()
	defer registered.Unlock()
	return slices.Clone(registered.plugins)
}

// AddPlugin makes p one of the plugins of w, for a world that has its systems by [AddSystems]: [Warnings] and [Explain] ask its Advise
// about w. A second time changes nothing. It panics if w or p is nil.
func AddPlugin(w *ecs.World, p *Plugin) {
	a := attachmentFor("AddPlugin", w)
	if p == nil {
		panic(fmt.Errorf("system: AddPlugin: world %q: the plugin is nil: %w", w.Name(), ecs.ErrArgument))
	}
	if !slices.Contains(a.plugins, p) {
		a.plugins = append(a.plugins, p)
	}
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

// Plugin is a list of system types that belong together, as those of a package do.
// [Plugin.Register] makes it part of all worlds, [WithPlugins] of one, and [AddSystems] takes its
// types. It is not changed once it is in use.
type Plugin struct {
	Name  string // usually of the package
	Types []*Type

	// Advise says what the entities of a world lack for these systems, in texts that
	// say what to do: [Warnings] and [Explain] ask it, of a world that has the systems
	// and of one that might, as those of a registered plugin. It must not change the
	// world. It may be nil.
	Advise func(w *ecs.World) []string
}

// Register makes the types of the plugin part of every world that [NewWorld] makes
// from now on, as the function of that name does of one. A second time changes
// nothing.
func (s *Plugin) Register() {
	register(s.Types...)
	registered.Lock()
	defer registered.Unlock()
	if !slices.Contains(registered.plugins, s) {
		registered.plugins = append(registered.plugins, s)
	}
}

// Unregister takes the plugin and its types away from what is registered, whatever
// registered them.
func (s *Plugin) Unregister() {
	unregister(s.Types...)
	registered.Lock()
	defer registered.Unlock()
	registered.plugins = slices.DeleteFunc(registered.plugins, func(o *Plugin) bool { return o == s })
}
