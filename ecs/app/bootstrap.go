package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"runtime/trace"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
	"github.com/lanewise/lanewise/ecs/system"
)

// Bootstrap decides which systems the default world gets. Initialize receives the registered
// types that belong to the default world. It may create other worlds and remove types, and it
// returns the types that the default world gets. If the returned list is empty, the world has
// only the default groups. If the list is nil, there is no default world. If Initialize panics,
// [Play] returns an error and leaves no default world.
type Bootstrap interface {
	Initialize(types []*system.Type) (rest []*system.Type, err error)
}

// WorldBootstrap creates the default world itself. InitializeWorld returns true if it has created
// the world and called [SetDefault]. If it returns false, [Play] creates the world. If
// InitializeWorld fails or panics, Play closes the world that was set and returns an error.
type WorldBootstrap interface {
	InitializeWorld(name string) (done bool, err error)
}

// bootState holds the bootstrap, and the functions that Play calls with each default world.
var bootState struct {
	sync.Mutex
	strap any // the Bootstrap or WorldBootstrap
	hooks []func(*ecs.World)
}

// SetBootstrap sets the bootstrap of the process: a [Bootstrap] or a [WorldBootstrap]; nil removes
// it. If there is already a bootstrap, and the type of one bootstrap embeds the type of the other,
// SetBootstrap uses the embedding bootstrap. For example, a game may embed the bootstrap of its
// engine. If neither type embeds the other, SetBootstrap changes nothing and returns an error.
// SetBootstrap is safe for concurrent use.
func SetBootstrap(b any) error {
	switch b.(type) {
	case nil, Bootstrap, WorldBootstrap:
	default:
		return fmt.Errorf("app: SetBootstrap: %T has neither Initialize([]*system.Type) ([]*system.Type, error) nor InitializeWorld(string) (bool, error): %w", b, ecs.ErrArgument)
	}
	bootState.Lock()
	defer bootState.Unlock()
	switch old := bootState.strap; {
	case b == nil || old == nil || embeds(b, old):
		bootState.strap = b
	case embeds(old, b):
	default:
		return fmt.Errorf("app: SetBootstrap: there is %T already, and %T is not made from it: %w", old, b, ecs.ErrState)
	}
	return nil
}

// embeds reports whether the type of a is the type of b or embeds it.
func embeds(a, b any) bool { return embedsType(structOf(a), structOf(b), map[reflect.Type]bool{}) }

// embedsType examines each type only once, because a type may embed a pointer to itself.
func embedsType(a, b reflect.Type, seen map[reflect.Type]bool) bool {
	if a == b {
		return true
	}
	if a.Kind() != reflect.Struct || seen[a] {
		return false
	}
	seen[a] = true
	for i := range a.NumField() {
		f := a.Field(i)
		if t := f.Type; f.Anonymous {
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			if embedsType(t, b, seen) {
				return true
			}
		}
	}
	return false
}

func structOf(v any) reflect.Type {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// OnInitialized makes [Play] call f with each default world that it creates. At that time the world
// is in the current loop, and Play has not returned yet. Play calls the functions in the order of
// the calls of OnInitialized. If f panics, Play returns an error.
func OnInitialized(f func(*ecs.World)) {
	bootState.Lock()
	defer bootState.Unlock()
	bootState.hooks = append(bootState.hooks, f)
}

// Play creates the default world and adds it to the current loop. Play first closes the editor
// world and the previous default world. If Play was called by a system of one of these worlds,
// that world cannot be closed; Play then creates nothing and returns an error. If there is a
// bootstrap, it chooses the systems of the new world. The world is a [system.GameWorld] unless
// [system.WithKind] says otherwise. The result is nil if the bootstrap, the option
// [NoDefaultWorld] or one of the build tags lanewise_noruntimeworld and lanewise_noworlds
// excludes a default world.
//
// Like [system.NewWorld], Play returns the errors of systems together with the world.
func Play(name string, opts ...system.Option) (w *ecs.World, err error) {
	defer trace.StartRegion(context.Background(), "Create World & Systems").End()
	p := planner.New("app: Play", system.GameWorld{}, opts...)
	errs := []error{closeWorld(openEditorWorld()), closeWorld(Default())}
	noDefault, _ := p.Unwanted()
	if noRuntimeWorld || noDefault || openEditorWorld() != nil || Default() != nil {
		return nil, errors.Join(errs...)
	}
	bootState.Lock()
	strap, hooks := bootState.strap, slices.Clone(bootState.hooks)
	bootState.Unlock()
	w, err = bootWorld(p, name, strap)
	errs = append(errs, err)
	if w == nil {
		return nil, errors.Join(errs...)
	}
	for _, h := range hooks {
		errs = append(errs, callHook(h, w))
	}
	return w, errors.Join(errs...)
}

// planner creates worlds in steps.
var planner = driver.Plans.(driver.Planner[*system.Type, system.WorldKind, system.Option])

// plan is the plan of a world that is being created in steps.
type plan = driver.Plan[*system.Type, system.WorldKind]

// bootWorld creates the default world, as the bootstrap decides.
func bootWorld(p plan, name string, strap any) (*ecs.World, error) {
	if b, ok := strap.(WorldBootstrap); ok {
		var done bool
		if err := recoverPanic("InitializeWorld", func() (err error) { done, err = b.InitializeWorld(name); return err }); err != nil {
			return nil, errors.Join(fmt.Errorf("app: Play: %T: %w", b, err), closeWorld(Default())) // closes the world that the bootstrap may have set
		}
		if done {
			if w := Default(); w != nil {
				return w, nil
			}
			return nil, fmt.Errorf("app: Play: %T has made the default world, it says, but not set it; call SetDefault: %w", b, ecs.ErrState)
		}
	}
	w := p.Empty(name)
	SetDefault(w)
	types, own := p.Types()
	if b, ok := strap.(Bootstrap); ok {
		var rest []*system.Type
		if err := recoverPanic("Initialize", func() (err error) { rest, err = b.Initialize(own); return err }); err != nil {
			return nil, errors.Join(fmt.Errorf("app: Play: %T: %w", b, err), w.Close())
		}
		if rest == nil {
			return nil, w.Close()
		}
		own = rest
	}
	return w, errors.Join(system.AddSystems(w, append(types, own...)...), appendCurrent(w))
}

func callHook(h func(*ecs.World), w *ecs.World) error {
	if err := recoverPanic("OnInitialized", func() error { h(w); return nil }); err != nil {
		return fmt.Errorf("app: Play: a function of OnInitialized: %w", err)
	}
	return nil
}

// recoverPanic calls a function of the program. If the function panics, recoverPanic returns the
// panic as an error.
func recoverPanic(method string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &system.PanicError{Method: method, Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// NoDefaultWorld is an option that forbids [Play] to create a world.
func NoDefaultWorld() system.Option { return planner.NoDefault }

// NoEditorWorld is an option that forbids [EditorWorld] to create a world.
func NoEditorWorld() system.Option { return planner.NoEditor }

// Stop closes the default world, if there is one, and returns the error of closing it.
func Stop() error { return closeWorld(Default()) }

// EditorWorld returns the default world if there is one, and otherwise the editor world, which is
// for tools. The first call creates the editor world. Its name is "Editor World", and it runs the
// systems marked For[system.EditorWorld]. The result is nil if the option [NoEditorWorld] or one of
// the build tags lanewise_noeditorworld and lanewise_noworlds excludes an editor world.
func EditorWorld(opts ...system.Option) (*ecs.World, error) {
	if w := Default(); w != nil {
		return w, nil
	}
	w := openEditorWorld()
	p := planner.New("app: EditorWorld", system.EditorWorld{}, opts...)
	p.SetKind(system.EditorWorld{})
	if _, noEditor := p.Unwanted(); w != nil || noEditorWorld || noEditor {
		return w, nil
	}
	w = p.Empty("Editor World")
	basic, own := p.Types()
	err := system.AddSystems(w, append(basic, own...)...)
	current.Lock()
	current.editor = w
	current.Unlock()
	return w, err
}

// Shutdown closes the default world and the editor world, and returns their joined errors.
func Shutdown() error { return errors.Join(Stop(), closeWorld(openEditorWorld())) }

// CloseAll closes all worlds that have systems, in the order of their creation, and returns their
// joined errors.
func CloseAll() error {
	var errs []error
	for _, w := range system.Worlds() {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// openEditorWorld returns the editor world, or nil if no editor world is open.
func openEditorWorld() *ecs.World {
	current.Lock()
	defer current.Unlock()
	return current.editor
}

func closeWorld(w *ecs.World) error {
	if w == nil {
		return nil
	}
	return w.Close()
}
