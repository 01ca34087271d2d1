package system

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/explain"
	"github.com/lanewise/lanewise/ecs/transaction"
)

// Warnings returns what making the world and sorting its groups had to ignore, and
// what the registered sets, and those of [With], find that its entities lack. Each
// text says what to do. A [Set.Register] that came too late for w is logged alone.
func Warnings(w *ecs.World) []string {
	a := attachmentFor("Warnings", w)
	all := placementWarnings(a)
	if a.closed || a.closing || transaction.Lent(w) {
		return all // the entities may not be looked at now
	}
	for _, s := range advisingSets(a) {
		all = append(all, s.advise(w)...)
	}
	return all
}

// placementWarnings are what was found of systems that were put into groups.
func placementWarnings(a *attachment) []string {
	all := slices.Clone(a.warnings)
	for _, in := range a.instances {
		if in.group != nil {
			all = append(all, in.group.warnings...)
		}
	}
	return all
}

// advisingSets are the sets whose systems the world has, or might have.
func advisingSets(a *attachment) []*Set {
	sets := Sets()
	for _, s := range a.sets {
		if !slices.Contains(sets, s) {
			sets = append(sets, s)
		}
	}
	return sets
}

// advise asks the set what the world lacks.
func (s *Set) advise(w *ecs.World) (texts []string) {
	if s.Advise == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			texts = []string{fmt.Sprintf("system: the set %s: Advise has panicked: %v", s.Name, v)}
		}
	}()
	return s.Advise(w)
}

func (x *explainer) advice(format string, args ...any) {
	x.out.Advice = append(x.out.Advice, fmt.Sprintf(format, args...))
}

// advise looks for what the manual of Unity advises against, and for what the
// world had to ignore.
func (x *explainer) advise() {
	x.out.Advice = append(x.out.Advice, x.warnings...)
	if len(x.instances) == 0 {
		x.advice("the world has no systems, and updates of it do nothing: make it by system.NewWorld, or give it systems by system.Populate")
	}
	for _, in := range x.instances {
		if !slices.Contains(defaultTypes(), in.typ) {
			x.adviseOn(in)
		}
	}
}

// adviseOnQueries names the queries of a system that has had its turn which have
// never matched an entity.
func (x *explainer) adviseOnQueries(in *Instance, name string) {
	if in.lastVersion == 0 && !x.begun {
		return
	}
	if never := x.never[in]; len(never) > 0 {
		x.advice("%s looks for entities that there have never been: %s; make one, or check the types and the width of the components", name, explain.Short(strings.Join(never, "; ")))
	}
}

func (x *explainer) adviseOn(in *Instance) {
	name := explain.Short(in.owner)
	a := in.typ.Attributes()
	groups := make([]string, len(in.in))
	for i, g := range in.in {
		groups[i] = explain.Short(g.self.owner)
	}
	where := strings.Join(groups, " and ")
	switch {
	case a.Manual && where == "":
		x.advice("%s is Manual and no group updates it: whoever made it has to, with Instance.Update", name)
	case a.Manual:
		x.advice("%s is Manual: it is updated by %s, into which it was put by hand", name, where)
	case where == "":
		x.advice("%s stands in no group and is not updated: add it to one", name)
	case len(a.Places) == 0 && where == explain.Short(typeFor[Simulation]().name):
		x.advice("%s names no group and stands in Simulation by default: say where it belongs, with In", name)
	}
	if in.typ.library() {
		return // what it does is not its user's to change
	}
	x.adviseOnQueries(in, name)
	_, buffers := in.system.(buffering)
	switch {
	case buffers:
		x.advice("%s plays back commands besides the default systems that do: one more sync point%s; use those where it does not matter", name, x.bubble(in))
	case x.out.Frames > 0 && in.timing().syncs.count > 0:
		x.advice("%s changes the structure itself: a sync point%s; record the changes into the buffers of a system that plays some back already", name, x.bubble(in))
	}
	if in.group != nil && in.typ.overridesUpdate() {
		x.advice("%s overrides Update of its group: put its logic in a system before or after it", name)
	}
}

// library reports whether the type is of a package of this library that builds on
// this one.
func (t *Type) library() bool {
	own, pkg := reflect.TypeFor[Group]().PkgPath(), t.goType.PkgPath()
	return pkg != own && strings.HasPrefix(pkg, path.Dir(own)+"/") && !strings.HasSuffix(pkg, "_test")
}

// bubble says how long a sync point has kept the owner waiting.
func (x *explainer) bubble(in *Instance) string {
	if x.out.Frames == 0 {
		return ""
	}
	return ", bubble of " + explain.Brief(in.timing().syncs.waited/time.Duration(x.out.Frames))
}

// overridesUpdate reports whether a group type has an Update of its own, which
// the compiler did not make from that of the group inside it.
func (t *Type) overridesUpdate() bool {
	if _, own := t.goType.MethodByName("Update"); own {
		return true // on values, where Group has none
	}
	// Reflection does not tell a promoted method from a declared one. The file that is said to have it
	// does, next to that of one which is known to be promoted. Nothing but this advice depends on it.
	return updateFile(reflect.PointerTo(t.goType)) != updateFile(reflect.TypeFor[*struct{ Group }]())
}

// updateFile returns the file that the program's table of functions names for a type's Update.
func updateFile(t reflect.Type) string {
	m, ok := t.MethodByName("Update")
	if !ok {
		return ""
	}
	file, _ := runtime.FuncForPC(m.Func.Pointer()).FileLine(m.Func.Pointer())
	return file
}
