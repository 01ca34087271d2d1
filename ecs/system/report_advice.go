package system

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// Warnings returns the mistakes that were found when the systems of w were created and its groups
// were sorted. Warnings also returns the advice about the entities of w that plugins give: the
// registered plugins, and the plugins of [WithPlugins] and [AddPlugin]. Each text says what to do.
// If a type was registered too late for w, the warning is only logged. Only the owner of w may call
// Warnings.
func Warnings(w *ecs.World) []string {
	a := attachmentFor("Warnings", w)
	all := placementWarnings(a)
	if a.closed || a.closing || w.InTransaction() {
		return all // the entities cannot be read at this time
	}
	for _, s := range advisingPlugins(a) {
		all = append(all, s.advise(w)...)
	}
	return all
}

// placementWarnings returns the warnings about the placement of systems in groups.
func placementWarnings(a *attachment) []string {
	all := slices.Clone(a.warnings)
	for _, in := range a.instances {
		if in.group != nil {
			all = append(all, in.group.warnings...)
		}
	}
	return all
}

// advisingPlugins returns the plugins of which the world has systems or might have systems.
func advisingPlugins(a *attachment) []*Plugin {
	plugins := Plugins()
	for _, s := range a.plugins {
		if !slices.Contains(plugins, s) {
			plugins = append(plugins, s)
		}
	}
	return plugins
}

// advise calls Advise of the plugin for the world.
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

func (x *reportBuilder) addAdvice(format string, args ...any) {
	x.out.Advice = append(x.out.Advice, fmt.Sprintf(format, args...))
}

// adviseAll adds advice about everything that costs time without need, such as sync points in the
// middle of a frame. adviseAll also adds advice about options and attributes that the world has
// ignored.
func (x *reportBuilder) adviseAll() {
	x.out.Advice = append(x.out.Advice, x.warnings...)
	if len(x.instances) == 0 {
		x.addAdvice("the world has no systems, and updates of it do nothing: make it by system.NewWorld, or give it systems by system.AddSystems")
	}
	for _, in := range x.instances {
		if !slices.Contains(defaultTypes(), in.typ) {
			x.adviseOn(in)
		}
	}
}

// adviseOnQueries reports the queries that have never matched an entity, although their system has
// had a turn.
func (x *reportBuilder) adviseOnQueries(in *Instance, name string) {
	if in.lastVersion == 0 && !x.hadFrame {
		return
	}
	if never := x.neverMatched[in]; len(never) > 0 {
		x.addAdvice("%s looks for entities that there have never been: %s; make one, or check the types and the width of the components", name, shortName(strings.Join(never, "; ")))
	}
}

func (x *reportBuilder) adviseOn(in *Instance) {
	name := shortName(in.uniqueName)
	a := in.typ.attrs()
	groups := make([]string, len(in.groups))
	for i, g := range in.groups {
		groups[i] = shortName(g.ownInstance.uniqueName)
	}
	where := strings.Join(groups, " and ")
	switch {
	case a.Manual && where == "":
		x.addAdvice("%s is Manual and no group updates it: whoever made it has to, with Instance.Update", name)
	case a.Manual:
		x.addAdvice("%s is Manual: it is updated by %s, into which it was put by hand", name, where)
	case where == "":
		x.addAdvice("%s stands in no group and is not updated: add it to one", name)
	case len(a.Places) == 0 && where == shortName(typeFor[Simulation]().name):
		x.addAdvice("%s names no group and stands in Simulation by default: say where it belongs, with In", name)
	}
	if in.typ.isLibraryType() {
		return // a program cannot change the systems of this library
	}
	x.adviseOnQueries(in, name)
	_, buffers := in.system.(commandBufferSystem)
	switch {
	case x.out.Frames > 0 && in.timing().syncWaits.total < x.leastSaving()*time.Duration(x.out.Frames):
		// No advice, because a change could save almost nothing.
	case buffers:
		x.addAdvice("%s plays back commands besides the default systems that do: one more sync point%s; use those where it does not matter", name, x.syncAdvice(in))
	case x.out.Frames > 0 && in.timing().syncWaits.count > 0:
		x.addAdvice("%s changes the structure itself: a sync point%s; record the changes into the buffers of a system that plays some back already", name, x.syncAdvice(in))
	}
	if in.group != nil && in.typ.overridesUpdate() {
		x.addAdvice("%s overrides Update of its group: put its logic in a system before or after it", name)
	}
}

// leastSaving returns the time below which a report gives no advice: one percent of a measured frame.
func (x *reportBuilder) leastSaving() time.Duration { return max(x.out.Frame/100, 1) }

// isLibraryType reports whether the type is from a package of this library.
func (t *Type) isLibraryType() bool {
	own, pkg := reflect.TypeFor[Group]().PkgPath(), t.goType.PkgPath()
	return pkg != own && strings.HasPrefix(pkg, path.Dir(own)+"/") && !strings.HasSuffix(pkg, "_test")
}

// syncAdvice returns a text about the time that a sync point has made the owner wait.
func (x *reportBuilder) syncAdvice(in *Instance) string {
	if x.out.Frames == 0 {
		return ""
	}
	return ", bubble of " + threeDigits(in.timing().syncWaits.total/time.Duration(x.out.Frames))
}

// overridesUpdate reports whether a group type declares its own Update. Otherwise the type has the
// Update of the embedded Group.
func (t *Type) overridesUpdate() bool {
	if _, own := t.goType.MethodByName("Update"); own {
		return true // a method with a value receiver cannot be the method of Group
	}
	// Reflection does not distinguish a promoted method from a declared one. But the function table
	// of the program distinguishes them: for all promoted methods, it contains the same file name.
	// Therefore this method compares the file name of t's Update with the file name of a method
	// that is known to be promoted. Only one piece of advice depends on this comparison.
	return updateFile(reflect.PointerTo(t.goType)) != updateFile(reflect.TypeFor[*struct{ Group }]())
}

// updateFile returns the file name that the function table of the program contains for the Update
// method of type t.
func updateFile(t reflect.Type) string {
	m, ok := t.MethodByName("Update")
	if !ok {
		return ""
	}
	file, _ := runtime.FuncForPC(m.Func.Pointer()).FileLine(m.Func.Pointer())
	return file
}

// notCreated returns the system types that the world might have but for which it has no system. It
// also returns the reasons. The list begins with the registered types in the order of registration.
// The list continues with the types of [WithPlugins] and [Only], the types whose creation failed,
// and the missing groups that systems of the world name. For a world of ecs.NewWorld, the list is
// empty, because such a world is not expected to have systems.
func (a *attachment) notCreated() (list []ReportMissing) {
	if a.worldPlan == nil {
		return nil
	}
	types := RegisteredTypes()
	known := slices.Clone(types)
	for _, s := range a.plugins {
		types = append(types, s.Types...)
	}
	types = append(types, a.worldPlan.only...)
	types = append(types, a.failures()...)
	wanted := make(map[*Type]*Type) // maps a missing group to a system that names it
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
		if t == nil || done[t] || a.findType(t) != nil {
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
		if m.Why = a.reasonNotCreated(t, m.Plugin != ""); m.Why == "" {
			m.Why = "left out by the code that populated the world, such as a bootstrap: give it to the world by system.AddSystems"
			if by := wanted[t]; by != nil && !slices.Contains(known, t) {
				m.Why = fmt.Sprintf("not registered, and %s stands in it: register the group, or name it beside the system", shortName(by.name))
			}
		}
		list = append(list, m)
	}
	return list
}

// reasonNotCreated returns why the world has no system of the type. It returns "" if neither the type nor
// the options of the world explain it. The parameter ofPlugin says whether a plugin contains the type.
func (a *attachment) reasonNotCreated(t *Type, ofPlugin bool) string {
	a.mu.Lock()
	err, made := a.createErrs[t], a.byType[t] != nil
	a.mu.Unlock()
	at, named := t.attrs(), slices.Contains(a.worldPlan.only, t)
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
	case !a.worldKinds.admitsType(at.For) && len(at.For) == 0:
		return fmt.Sprintf("for games, simulations, servers and clients, because it has no For, and the world is %s: mark it For[%[1]s]", a.worldKinds)
	case !a.worldKinds.admitsType(at.For):
		kinds := make([]string, len(at.For))
		for i, k := range at.For {
			kinds[i] = fmt.Sprintf("%T", k)
		}
		return fmt.Sprintf("For %s, and the world is %s: make the world WithKind[%s], or the type For[%[2]s]", strings.Join(kinds, " and "), a.worldKinds, kinds[0])
	case given || slices.Contains(a.worldPlan.registered, t) && !a.worldPlan.onlyGiven:
		return ""
	case a.worldPlan.onlyGiven && ofPlugin:
		return "not named in system.Only: give its plugin to the world by system.WithPlugins" + t.pluginCall() + ", or leave out Only"
	case a.worldPlan.onlyGiven && slices.Contains(RegisteredTypes(), t):
		return "not named in system.Only: name it there, or leave out Only"
	case slices.Contains(RegisteredTypes(), t):
		return "registered after the world was made: register it in func init, or give it to the world by system.AddSystems"
	}
	return ""
}

// pluginCall returns the call that returns the plugin of a type of this library, in parentheses, for example
// "(transform.Systems())". It returns "" for other types, because the function of their plugin is not known.
func (t *Type) pluginCall() string {
	if !t.isLibraryType() {
		return ""
	}
	return "(" + path.Base(t.goType.PkgPath()) + ".Systems())"
}

// remedyForMissing says how a world gets a system of a type that an attribute names.
func (r *roster) remedyForMissing(t *Type) string {
	if r == nil {
		return "create it, or remove the attribute"
	}
	r.mu.Lock()
	destroyed := r.byType[t] != nil
	r.mu.Unlock()
	if destroyed {
		return "it was destroyed: create it again, or remove the attribute"
	}
	a := attachmentOf(r.world)
	i := slices.IndexFunc(advisingPlugins(a), func(s *Plugin) bool { return slices.Contains(s.Types, t) })
	if a.worldPlan != nil {
		if why := a.reasonNotCreated(t, i >= 0); why != "" {
			return why
		}
	}
	if call := t.pluginCall(); i >= 0 && call != "" {
		return "call system.AddSystems with the types of its plugin, " + strings.Trim(call, "()") + "().Types..."
	}
	return "create it, or remove the attribute"
}

// failures returns the types whose last creation failed, sorted by name.
func (r *roster) failures() []*Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Keys(r.createErrs), func(t, o *Type) int { return strings.Compare(t.name, o.name) })
}

// noteFailure records that the creation of a system of type t failed, and returns the error.
func (r *roster) noteFailure(t *Type, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.createErrs == nil {
		r.createErrs = make(map[*Type]error)
	}
	r.createErrs[t] = err
	return err
}

// logCreated logs, at level Debug, which systems were created, which were not created, and why.
func (a *attachment) logCreated(created []*Instance) {
	l := a.logger
	if l == nil {
		l = defaultLogger()
	}
	if !debugs(l) {
		return
	}
	names, not := make([]string, len(created)), []string{}
	for i, in := range created {
		names[i] = shortName(in.uniqueName)
	}
	for _, m := range a.notCreated() {
		not = append(not, m.String())
	}
	l.Debug("system: systems created", "world", a.world.Name(), "created", names, "not created", not)
}
