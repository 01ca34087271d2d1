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

// Bootstrap decides which systems the default world gets. Initialize is given
// the registered types that are for it, may make worlds of its own and take
// types away, and returns the rest, of which the default world is then made. An
// empty rest gives a world with the default groups alone, nil none at all. A panic
// becomes an error of Play, which then leaves no default world.
type Bootstrap interface {
	Initialize(types []*system.Type) (rest []*system.Type, err error)
}

// WorldBootstrap makes the default world itself. InitializeWorld returns true
// when it has done so, and called [SetDefault]; false leaves it to [Play]. An error, or
// a panic, becomes one of Play, which closes the world that was set until then.
type WorldBootstrap interface {
	InitializeWorld(name string) (done bool, err error)
}

// boot is how default worlds begin.
var boot struct {
	sync.Mutex
	strap any // a Bootstrap or a WorldBootstrap
	hooks []func(*ecs.World)
}

// SetBootstrap sets the process's bootstrap: a [Bootstrap] or a
// [WorldBootstrap]; nil takes it away. If there is one already, the one whose
// type embeds the other's counts. It returns an error, and changes nothing, if
// neither does.
func SetBootstrap(b any) error {
	switch b.(type) {
	case nil, Bootstrap, WorldBootstrap:
	default:
		return fmt.Errorf("app: SetBootstrap: %T has neither Initialize([]*system.Type) ([]*system.Type, error) nor InitializeWorld(string) (bool, error): %w", b, ecs.ErrArgument)
	}
	boot.Lock()
	defer boot.Unlock()
	switch old := boot.strap; {
	case b == nil || old == nil || embeds(b, old):
		boot.strap = b
	case embeds(old, b):
	default:
		return fmt.Errorf("app: SetBootstrap: there is %T already, and %T is not made from it: %w", old, b, ecs.ErrState)
	}
	return nil
}

// embeds reports whether the type of a is that of b, or embeds it.
func embeds(a, b any) bool { return embedsType(structOf(a), structOf(b), map[reflect.Type]bool{}) }

// embedsType looks at each type once: one may embed a pointer to itself.
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

// OnInitialized has f called with every default world, when it is made and in
// the current loop and before [Play] returns. Several are called in the order in
// which they were given. A panic in one becomes an error of Play.
func OnInitialized(f func(*ecs.World)) {
	boot.Lock()
	defer boot.Unlock()
	boot.hooks = append(boot.hooks, f)
}

// Play makes the default world and puts it into the current loop. The editor
// world, and the default world that was, are closed before; if one cannot be,
// because a system of it calls Play, nothing is made. If there is a bootstrap,
// that decides. The world is a game's unless [system.WithKind] says
// otherwise. It is nil when there is to be none: by the bootstrap, by
// [NoDefaultWorld] or by the tags lanewise_noruntimeworld and lanewise_noworlds.
//
// As with [system.NewWorld], errors of systems are returned together with the world.
func Play(name string, opts ...system.Option) (w *ecs.World, err error) {
	defer trace.StartRegion(context.Background(), "Create World & Systems").End()
	p := plans.New("app: Play", system.GameWorld{}, opts...)
	errs := []error{closeWorld(editor()), closeWorld(Default())}
	noDefault, _ := p.Unwanted()
	if noRuntimeWorld || noDefault || editor() != nil || Default() != nil {
		return nil, errors.Join(errs...)
	}
	boot.Lock()
	strap, hooks := boot.strap, slices.Clone(boot.hooks)
	boot.Unlock()
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

// plans makes worlds in steps, as their options say.
var plans = driver.Plans.(driver.Planner[*system.Type, system.WorldKind, system.Option])

// plan is one of these worlds.
type plan = driver.Plan[*system.Type, system.WorldKind]

// bootWorld makes the default world, as the bootstrap says.
func bootWorld(p plan, name string, strap any) (*ecs.World, error) {
	if b, ok := strap.(WorldBootstrap); ok {
		var done bool
		if err := guarded("InitializeWorld", func() (err error) { done, err = b.InitializeWorld(name); return err }); err != nil {
			return nil, errors.Join(fmt.Errorf("app: Play: %T: %w", b, err), closeWorld(Default())) // if it came as far as SetDefault
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
		if err := guarded("Initialize", func() (err error) { rest, err = b.Initialize(own); return err }); err != nil {
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
	if err := guarded("OnInitialized", func() error { h(w); return nil }); err != nil {
		return fmt.Errorf("app: Play: a function of OnInitialized: %w", err)
	}
	return nil
}

// guarded calls what a user has given Play, and returns a panic in it as an error.
func guarded(method string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &system.PanicError{Method: method, Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// NoDefaultWorld keeps [Play] from making a world.
func NoDefaultWorld() system.Option { return plans.NoDefault }

// NoEditorWorld keeps [EditorWorld] from making a world.
func NoEditorWorld() system.Option { return plans.NoEditor }

// Stop closes the default world, if there is one.
func Stop() error { return closeWorld(Default()) }

// EditorWorld returns the default world if there is one, and otherwise the
// world of tools, which it makes the first time: it has the systems marked
// For[system.EditorWorld] and is called "Editor World". It is nil where there is to be none:
// by the tags lanewise_noeditorworld and lanewise_noworlds, or by [NoEditorWorld].
func EditorWorld(opts ...system.Option) (*ecs.World, error) {
	if w := Default(); w != nil {
		return w, nil
	}
	w := editor()
	p := plans.New("app: EditorWorld", system.EditorWorld{}, opts...)
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

// Shutdown closes the default world and the editor world.
func Shutdown() error { return errors.Join(Stop(), closeWorld(editor())) }

// CloseAll closes all worlds that have systems, the first made first.
func CloseAll() error {
	var errs []error
	for _, w := range system.Worlds() {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// editor returns the editor world, if there is one that is not closed.
func editor() *ecs.World {
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
