package system

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"weak"
)

// This file finds mistakes that compile but have no effect. The package logs a warning about such a
// mistake when the system is created or registered.

// warn stores a warning about the systems of the world, and logs it.
func (r *roster) warn(text string) {
	if !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
		warn(r.logger, text)
	}
}

// warnMistakes warns about the mistakes of a type that has a system in the world.
func (r *roster) warnMistakes(t *Type) {
	for _, text := range t.mistakes() {
		r.warn(text)
	}
}

// unityNames lists the names that the methods of a system have in Unity.
var unityNames = []struct{ name, is, want string }{
	{"OnCreate", "Create", "Create(*system.Setup) error"},
	{"OnStartRunning", "StartRunning", "StartRunning(*system.Frame) error"},
	{"OnUpdate", "Update", "Update(*system.Frame) error"},
	{"OnStopRunning", "StopRunning", "StopRunning(*system.Frame) error"},
	{"OnDestroy", "Destroy", "Destroy(*system.Setup) error"},
}

// mistakes returns the mistakes in the declaration of a system type.
func (t *Type) mistakes() []string {
	t.mistakesOnce.Do(func() {
		if t.goType.Kind() == reflect.Struct {
			t.mistakeTexts = slices.Concat(t.unityMethods(), t.valueReceivers(), t.embeddedAttributes())
		}
	})
	return t.mistakeTexts
}

// unityMethods returns a warning for each method whose name is one of Unity's. There is no warning
// if the type also has the correctly named method and the method with Unity's name takes neither a
// Setup nor a Frame, because then the correct method probably calls it.
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
// Each name in this function is a constant, so that the linker keeps only methods with these names.
// If a program calls MethodByName with a variable, or calls Method, the linker keeps every exported
// method of every type that is converted to an interface. If this function did so, a program that
// uses NewWorld would become two megabytes larger.
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

// valueReceivers returns a warning for each hook with a value receiver, because such a hook is
// called on a copy of the system.
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
		return nil // if a type has no fields, a copy loses nothing
	}
	for _, n := range unityNames {
		if _, ok := methodOf(t.goType, n.is); !ok {
			continue
		}
		if slices.ContainsFunc(embedded, func(e reflect.Type) bool { _, has := methodOf(e, n.is); return has }) {
			continue // the method comes from an embedded field
		}
		texts = append(texts, fmt.Sprintf("system: %s: %s has a value receiver, so that what it writes to the fields of the system is lost: declare it func (s *%s) %s", t.name, n.is, t.goType.Name(), n.want))
	}
	return texts
}

// embeddedAttributes returns a warning for each attribute of an embedded type, because attributes
// are not inherited.
func (t *Type) embeddedAttributes() (texts []string) {
	for i := range t.goType.NumField() {
		f := t.goType.Field(i)
		if f.Name == "_" && isAttribute(f.Type) {
			return nil // the type has its own attributes
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

// isAttribute reports whether a field of type t is an attribute.
func isAttribute(t reflect.Type) bool { return t.Implements(reflect.TypeFor[attribute]()) }

// madeWorld is a world that was created with the types that were registered at that time.
type madeWorld struct {
	roster weak.Pointer[roster]
	name   string
	kinds  worldKinds
	logger Logger
}

// noteWorldMade records that a world was created with the registered types.
func noteWorldMade(a *attachment) {
	registered.Lock()
	defer registered.Unlock()
	registered.worlds = append(registered.worlds, madeWorld{weak.Make(&a.roster), a.world.Name(), a.worldKinds, a.logger})
}

// noteWorldClosed removes a closed world from that record.
func noteWorldClosed(r *roster) {
	registered.Lock()
	defer registered.Unlock()
	registered.worlds = slices.DeleteFunc(registered.worlds, func(m madeWorld) bool {
		of := m.roster.Value()
		return of == nil || of == r
	})
}

// warnLate warns that types were registered too late for the given worlds.
func warnLate(ts []*Type, made []madeWorld) {
	for len(made) > 0 {
		logger, names, late := made[0].logger, []string{}, []*Type{}
		made = slices.DeleteFunc(made, func(m madeWorld) bool {
			if m.logger != logger {
				return false
			}
			if own := m.kinds.admittedTypes(ts); len(own) > 0 && m.roster.Value() != nil {
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
			types[i] = shortName(t.name)
		}
		warn(logger, fmt.Sprintf("system: Register: %s: registered after world %s was made, which does not get it: register in func init, or give it to the world by system.AddSystems",
			firstNames(types), firstNames(names)))
	}
}

// firstNames returns a text with the first of the names.
func firstNames(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}
