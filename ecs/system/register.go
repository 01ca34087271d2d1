package system

import (
	"fmt"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// registered holds the types and plugins that NewWorld adds to every world. The types and plugins are
// in the order in which they were registered.
var registered struct {
	sync.Mutex
	types   []*Type
	plugins []*Plugin

	worlds []madeWorld // worlds that have received them, in the order of creation
}

// Register adds S to every world that [NewWorld] creates from now on, unless S is marked [Manual].
// A second call for S has no effect. Existing worlds do not get a system of type S. Instead, a
// warning is logged (see [WithLogger]). Therefore call Register in an init function. Register is
// safe for concurrent use.
func Register[S any, P interface {
	*S
	System
}]() {
	register(typeFor[S]())
}

// Unregister removes S from the registered types, even if a plugin has registered it. Worlds that
// already have a system of type S keep it. Unregister is meant for tests:
//
//	system.Register[Move]()
//	t.Cleanup(system.Unregister[Move])
func Unregister[S any, P interface {
	*S
	System
}]() {
	unregister(typeFor[S]())
}

// RegisteredTypes returns the registered types, including those of plugins, in a new slice. The types
// are in the order of their registration.
func RegisteredTypes() []*Type {
	registered.Lock()
	defer registered.Unlock()
	return slices.Clone(registered.types)
}

// Plugins returns the registered plugins in a new slice. The plugins are in the order of their
// registration.
func Plugins() []*Plugin {
	registered.Lock()
	defer registered.Unlock()
	return slices.Clone(registered.plugins)
}

// AddPlugin adds p to the plugins of w, so that [Warnings] and [Explain] call p.Advise for w.
// AddPlugin is meant for a world that gets its systems from [AddSystems]. It creates no systems. A
// second call has no effect. AddPlugin panics if w or p is nil.
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

// Plugin is a list of system types that belong together, for example those of one package.
// [Plugin.Register] adds the types to all later worlds, [WithPlugins] adds them to one new world,
// and [AddSystems] adds them to an existing world. The fields must not change after the plugin was
// first used.
type Plugin struct {
	Name  string // usually the name of the package
	Types []*Type

	// Advise returns advice about a world. For each kind of component that the world's entities
	// lack for these systems, there is one text. The text says what the program should do.
	// [Warnings] and [Explain] call Advise for a world with systems of the plugin. Warnings and
	// Explain also call Advise for a world that might have such systems, because the plugin is
	// registered. Advise must not change the world, and it may be nil.
	Advise func(w *ecs.World) []string
}

// Register adds the types of the plugin to every world that [NewWorld] creates from now on, as the
// function [Register] does for one type. A second call has no effect.
func (s *Plugin) Register() {
	register(s.Types...)
	registered.Lock()
	defer registered.Unlock()
	if !slices.Contains(registered.plugins, s) {
		registered.plugins = append(registered.plugins, s)
	}
}

// Unregister removes the plugin and its types from the list of registered types. Unregister removes the
// types even if they were also registered in another way.
func (s *Plugin) Unregister() {
	unregister(s.Types...)
	registered.Lock()
	defer registered.Unlock()
	registered.plugins = slices.DeleteFunc(registered.plugins, func(o *Plugin) bool { return o == s })
}
