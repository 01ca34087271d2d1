package system

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"weak"
)

// This file finds mistakes that compile and fail silently, and logs a warning when the system is created or registered.

// told are the texts that were logged to the default logger: each once, however many worlds say it.
var told sync.Map

// warn logs a text. Nil is the default logger.
func warn(l *slog.Logger, text string, args ...any) {
	if l != nil {
		l.Warn(text, args...)
		return
	}
	if _, again := told.LoadOrStore(text, true); !again {
		slog.Default().Warn(text, args...)
	}
}

// warn keeps a warning about the systems of the world, and logs it.
func (r *roster) warn(text string) {
	if !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
		warn(r.logger, text)
	}
}

// warnOf says what is wrong with a type of which the world has a system.
func (r *roster) warnOf(t *Type) {
	for _, text := range t.mistakes() {
		r.warn(text)
	}
}

// unityNames are the names that Unity gives the methods of systems.
var unityNames = []struct{ name, is, want string }{
	{"OnCreate", "Create", "Create(*system.Setup) error"},
	{"OnStartRunning", "StartRunning", "StartRunning(*system.Frame) error"},
	{"OnUpdate", "Update", "Update(*system.Frame) error"},
	{"OnStopRunning", "StopRunning", "StopRunning(*system.Frame) error"},
	{"OnDestroy", "Destroy", "Destroy(*system.Setup) error"},
}

// mistakes returns what is wrong with the type though it is a system.
func (t *Type) mistakes() []string {
	t.looked.Do(func() {
		if t.goType.Kind() == reflect.Struct {
			t.wrong = slices.Concat(t.unityMethods(), t.valueReceivers(), t.embeddedAttributes())
		}
	})
	return t.wrong
}

// unityMethods finds methods that have Unity's names. One that takes neither a Setup nor a Frame is no mistake
// if the type has the method of the right name too, because that one probably calls it.
func (t *Type) unityMethods() (texts []string) {
	p := reflect.PointerTo(t.goType)
	for _, n := range unityNames {
		m, ok := methodOf(p, n.name)
		if !ok {
			continue
		}
		_, right := methodOf(p, n.is)
		if right && !(m.Type.NumIn() == 2 && (m.Type.In(1) == reflect.TypeFor[*Frame]() || m.Type.In(1) == reflect.TypeFor[*Setup]())) {
			continue
		}
		texts = append(texts, fmt.Sprintf("system: %s: method %s is never called, because hooks have no On in their names: call it %s", t.name, n.name, n.want))
	}
	return texts
}

// methodOf returns the method of t that has the name of a hook or Unity's name for one.
//
// Each name is a constant, because the linker then keeps only methods of that name. If a program calls
// MethodByName with a variable, or Method, then the linker keeps every exported method of every type
// that is converted to an interface: a program with NewWorld becomes two megabytes larger.
func methodOf(t reflect.Type, name string) (reflect.Method, bool) {
	switch name {
	case "Create":
		return t.MethodByName("Create")
	case "StartRunning":
		return t.MethodByName("StartRunning")
	case "Update":
		return t.MethodByName("Update")
	case "StopRunning":
		return t.MethodByName("StopRunning")
	case "Destroy":
		return t.MethodByName("Destroy")
	case "OnCreate":
		return t.MethodByName("OnCreate")
	case "OnStartRunning":
		return t.MethodByName("OnStartRunning")
	case "OnUpdate":
		return t.MethodByName("OnUpdate")
	case "OnStopRunning":
		return t.MethodByName("OnStopRunning")
	case "OnDestroy":
		return t.MethodByName("OnDestroy")
	}
	panic("system: methodOf: unknown name " + name)
}

// valueReceivers finds hooks that are called with a copy of the system.
func (t *Type) valueReceivers() (texts []string) {
	named := false
	var embedded []reflect.Type
	for i := range t.goType.NumField() {
		f := t.goType.Field(i)
		named = named || f.Name != "_" && !f.Anonymous
		if f.Anonymous {
			embedded = append(embedded, f.Type)
		}
	}
	if !named {
		return nil // there is nothing to lose
	}
	for _, n := range unityNames {
		if _, ok := methodOf(t.goType, n.is); !ok {
			continue
		}
		if slices.ContainsFunc(embedded, func(e reflect.Type) bool { _, has := methodOf(e, n.is); return has }) {
			continue // it is that one's
		}
		texts = append(texts, fmt.Sprintf("system: %s: %s has a value receiver, so that what it writes to the fields of the system is lost: declare it func (s *%s) %s", t.name, n.is, t.goType.Name(), n.want))
	}
	return texts
}

// embeddedAttributes finds attributes that the type would have if they were inherited.
func (t *Type) embeddedAttributes() (texts []string) {
	for i := range t.goType.NumField() {
		f := t.goType.Field(i)
		if f.Name == "_" && isAttribute(f.Type) {
			return nil // it has its own
		}
	}
	for i := range t.goType.NumField() {
		f := t.goType.Field(i)
		if !f.Anonymous || f.Type.Kind() != reflect.Struct {
			continue
		}
		for k := range f.Type.NumField() {
			if a := f.Type.Field(k); a.Name == "_" && isAttribute(a.Type) {
				texts = append(texts, fmt.Sprintf("system: %s: it embeds %s, whose attributes do not count for it: write them as fields of the system itself", t.name, fullName(f.Type)))
				break
			}
		}
	}
	return texts
}

// isAttribute reports whether a field of the type is an attribute.
func isAttribute(t reflect.Type) bool { return t.Implements(reflect.TypeFor[attribute]()) }

// madeWorld is a world that has what was registered when it was made.
type madeWorld struct {
	of     weak.Pointer[roster]
	name   string
	kinds  worldKinds
	logger *slog.Logger
}

// noteMade notes that a world was made of the registered types.
func noteMade(a *attachment) {
	registered.Lock()
	defer registered.Unlock()
	registered.worlds = append(registered.worlds, madeWorld{weak.Make(&a.roster), a.world.Name(), a.is, a.logger})
}

// noteClosed notes that a world is none any more.
func noteClosed(r *roster) {
	registered.Lock()
	defer registered.Unlock()
	registered.worlds = slices.DeleteFunc(registered.worlds, func(m madeWorld) bool {
		of := m.of.Value()
		return of == nil || of == r
	})
}

// warnLate warns that types were registered too late for existing worlds.
func warnLate(ts []*Type, made []madeWorld) {
	for len(made) > 0 {
		logger, names, late := made[0].logger, []string{}, []*Type{}
		made = slices.DeleteFunc(made, func(m madeWorld) bool {
			if m.logger != logger {
				return false
			}
			if own := m.kinds.admitted(ts); len(own) > 0 && m.of.Value() != nil {
				names = append(names, fmt.Sprintf("%q", m.name))
				for _, t := range own {
					if !slices.Contains(late, t) {
						late = append(late, t)
					}
				}
			}
			return true
		})
		if len(late) == 0 {
			continue
		}
		types := make([]string, len(late))
		for i, t := range late {
			types[i] = short(t.name)
		}
		warn(logger, fmt.Sprintf("system: Register: %s: registered after world %s was made, which does not get it: register in func init, or give it to the world by system.AddSystems",
			few(types), few(names)))
	}
}

// few lists the first names.
func few(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}
