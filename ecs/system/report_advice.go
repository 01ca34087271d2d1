package system

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// Warnings returns what making the world and sorting its groups had to ignore, and
// what the registered plugins, and those of [WithPlugins], find that its entities lack. Each
// text says what to do. A [Plugin.Register] that came too late for w is logged alone.
func Warnings(w *ecs.World) []string {
	a := attachmentFor("Warnings", w)
	all := placementWarnings(a)
	if a.closed || a.closing || w.InTransaction() {
		return all // the entities may not be looked at now
	}
	for _, s := range advisingPlugins(a) {
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

// advisingPlugins are the plugins whose systems the world has, or might have.
func advisingPlugins(a *attachment) []*Plugin {
	plugins := Plugins()
	for _, s := range a.plugins {
		if !slices.Contains(plugins, s) {
			plugins = append(plugins, s)
		}
	}
	return plugins
}

// advise asks the plugin what the world lacks.
func (s *Plugin) advise(w *ecs.World) (texts []string) {
	if s.Advise == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			texts = []string{fmt.Sprintf("system: the plugin %s: Advise has panicked: %v", s.Name, v)}
		}
	}()
	return s.Advise(w)
}

func (x *reportBuilder) advice(format string, args ...any) {
	x.out.Advice = append(x.out.Advice, fmt.Sprintf(format, args...))
}

// advise looks for what the manual of Unity advises against, and for what the
// world had to ignore.
func (x *reportBuilder) advise() {
	x.out.Advice = append(x.out.Advice, x.warnings...)
	if len(x.instances) == 0 {
		x.advice("the world has no systems, and updates of it do nothing: make it by system.NewWorld, or give it systems by system.AddSystems")
	}
	for _, in := range x.instances {
		if !slices.Contains(defaultTypes(), in.typ) {
			x.adviseOn(in)
		}
	}
}

// adviseOnQueries names the queries of a system that has had its turn which have
// never matched an entity.
func (x *reportBuilder) adviseOnQueries(in *Instance, name string) {
	if in.lastVersion == 0 && !x.begun {
		return
	}
	if never := x.never[in]; len(never) > 0 {
		x.advice("%s looks for entities that there have never been: %s; make one, or check the types and the width of the components", name, short(strings.Join(never, "; ")))
	}
}

func (x *reportBuilder) adviseOn(in *Instance) {
	name := short(in.owner)
	a := in.typ.attrs()
	groups := make([]string, len(in.in))
	for i, g := range in.in {
		groups[i] = short(g.self.owner)
	}
	where := strings.Join(groups, " and ")
	switch {
	case a.Manual && where == "":
		x.advice("%s is Manual and no group updates it: whoever made it has to, with Instance.Update", name)
	case a.Manual:
		x.advice("%s is Manual: it is updated by %s, into which it was put by hand", name, where)
	case where == "":
		x.advice("%s stands in no group and is not updated: add it to one", name)
	case len(a.Places) == 0 && where == short(typeFor[Simulation]().name):
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
func (x *reportBuilder) bubble(in *Instance) string {
	if x.out.Frames == 0 {
		return ""
	}
	return ", bubble of " + brief(in.timing().syncs.waited/time.Duration(x.out.Frames))
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

// notCreated lists the system types that the world might have and has no system of, each with the reason: those that are registered, in the
// order of their registration, then those of [WithPlugins] and [Only], those that failed, and groups in which systems of the world stand. A
// world of ecs.NewWorld has no such list, because nothing promises it any system.
func (a *attachment) notCreated() (list []ReportMissing) {
	if a.made == nil {
		return nil
	}
	types := RegisteredTypes()
	known := slices.Clone(types)
	for _, s := range a.plugins {
		types = append(types, s.Types...)
	}
	types = append(types, a.made.only...)
	types = append(types, a.failures()...)
	wanted := make(map[*Type]*Type) // a group, and a system that stands in it
	for _, in := range a.instances {
		for _, p := range in.typ.attrs().Places {
			if p.Group.isGroup && wanted[p.Group] == nil {
				wanted[p.Group] = in.typ
				types = append(types, p.Group)
			}
		}
	}
	done := make(map[*Type]bool)
	for _, t := range types {
		if t == nil || done[t] || a.find(t) != nil {
			continue
		}
		done[t] = true
		m := ReportMissing{System: t.name}
		for _, s := range advisingPlugins(a) {
			if slices.Contains(s.Types, t) {
				m.Plugin = s.Name
				break
			}
		}
		if m.Why = a.whyNot(t, m.Plugin != ""); m.Why == "" {
			m.Why = "left out by the code that populated the world, such as a bootstrap: give it to the world by system.AddSystems"
			if by := wanted[t]; by != nil && !slices.Contains(known, t) {
				m.Why = fmt.Sprintf("not registered, and %s stands in it: register the group, or name it beside the system", short(by.name))
			}
		}
		list = append(list, m)
	}
	return list
}

// whyNot says why the world has no system of the type, which is of a plugin or of none; "" if neither the type nor the options of the world say it.
func (a *attachment) whyNot(t *Type, ofPlugin bool) string {
	a.mu.Lock()
	err, made := a.failed[t], a.kinds[t] != nil
	a.mu.Unlock()
	at, named := t.attrs(), slices.Contains(a.made.only, t)
	given := slices.ContainsFunc(a.plugins, func(s *Plugin) bool { return slices.Contains(s.Types, t) })
	switch {
	case err != nil:
		return "failed: " + strings.TrimPrefix(err.Error(), "system: "+t.name+": ")
	case made:
		return "created, and destroyed since"
	case named:
		return ""
	case at.Manual:
		return "Manual: make it by system.Create, or name it in system.Only"
	case !a.is.admits(at.For) && len(at.For) == 0:
		return fmt.Sprintf("for games, simulations, servers and clients, because it has no For, and the world is %s: mark it For[%[1]s]", a.is)
	case !a.is.admits(at.For):
		kinds := make([]string, len(at.For))
		for i, k := range at.For {
			kinds[i] = fmt.Sprintf("%T", k)
		}
		return fmt.Sprintf("For %s, and the world is %s: make the world WithKind[%s], or the type For[%[2]s]", strings.Join(kinds, " and "), a.is, kinds[0])
	case given || slices.Contains(a.made.offered, t) && !a.made.limit:
		return ""
	case a.made.limit && ofPlugin:
		return "not named in system.Only: give its plugin to the world by system.WithPlugins, or leave out Only"
	case a.made.limit && slices.Contains(RegisteredTypes(), t):
		return "not named in system.Only: name it there, or leave out Only"
	case slices.Contains(RegisteredTypes(), t):
		return "registered after the world was made: register it in func init, or give it to the world by system.AddSystems"
	}
	return ""
}

// failures are the types of which the last system that was to be created failed, by name.
func (r *roster) failures() []*Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Keys(r.failed), func(t, o *Type) int { return strings.Compare(t.name, o.name) })
}

// fail notes that a system of the type could not be created, and returns the error.
func (r *roster) fail(t *Type, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = make(map[*Type]error)
	}
	r.failed[t] = err
	return err
}

// logCreated logs, at Debug, which systems were created, and which were not and why.
func (a *attachment) logCreated(created []*Instance) {
	l := a.logger
	if l == nil {
		l = slog.Default()
	}
	if !l.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	names, not := make([]string, len(created)), []string{}
	for i, in := range created {
		names[i] = short(in.owner)
	}
	for _, m := range a.notCreated() {
		not = append(not, m.String())
	}
	l.Debug("system: systems created", "world", a.world.Name(), "created", names, "not created", not)
}
