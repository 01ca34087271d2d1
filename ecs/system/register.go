package system

import (
	"fmt"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// registered holds the types and plugins of every world that NewWorld makes, in the order of
// registration.
var registered struct {
	sync.Mutex
	types   []*Type
	plugins []*Plugin

	worlds []madeWorld // worlds that have them, in the order of creation
}

// Register makes S part of every world that [NewWorld] makes from now on, unless S is marked
// [Manual]. A second call for S has no effect. Existing worlds do not get a system of type S, and a
// warning is logged (see [WithLogger]). Therefore call Register in func init. Any goroutine may
// call it.
func Register[S any, P interface {
	*S
	System
}]() {
	register(typeFor[S]())
}

// Unregister removes S from the registered types, even if a plugin has registered it. Worlds that
// have a system of type S keep it. It is meant for tests:
//
//	system.Register[Move]()
//	t.Cleanup(system.Unregister[Move])
func Unregister[S any, P interface {
	*S
	System
}]() {
	unregister(typeFor[S]())
}

// RegisteredTypes returns the registered types in the order of their registration, including those
// of plugins, in a new slice.
func RegisteredTypes() []*Type {
	registered.Lock()
	defer registered.Unlock()
	return slices.Clone(registered.types)
}

// Plugins returns the registered plugins in the order of their registration, in a new slice.
func Plugins() []*Plugin {
	registered.Lock()
	defer registered.Unlock()
	return slices.Clone(registered.plugins)
}

// AddPlugin makes p one of the plugins of w, so that [Warnings] and [Explain] ask p.Advise about w.
// It is meant for a world that gets its systems by [AddSystems], and creates no system. A second
// call has no effect. It panics if w or p is nil.
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
// [Plugin.Register] makes it part of all later worlds, [WithPlugins] makes it part of one world,
// and [AddSystems] takes its types. The fields must not change once the plugin is in use.
type Plugin struct {
	Name  string // usually the name of the package
	Types []*Type

	// Advise returns advice about a world: one text for each thing that its entities lack for these
	// systems, saying what the program should do. [Warnings] and [Explain] call it for a world that
	// has systems of the plugin, and for a world that might have them because the plugin is
	// registered. Advise must not change the world. It may be nil.
	Advise func(w *ecs.World) []string
}

// Register makes the types of the plugin part of every world that [NewWorld] makes from now on, as
// the function [Register] does for one type. A second call has no effect.
func (s *Plugin) Register() {
	register(s.Types...)
	registered.Lock()
	defer registered.Unlock()
	if !slices.Contains(registered.plugins, s) {
		registered.plugins = append(registered.plugins, s)
	}
}

// Unregister removes the plugin and its types from the registered ones, even if another call has
// registered the types too.
func (s *Plugin) Unregister() {
	unregister(s.Types...)
	registered.Lock()
	defer registered.Unlock()
	registered.plugins = slices.DeleteFunc(registered.plugins, func(o *Plugin) bool { return o == s })
}
