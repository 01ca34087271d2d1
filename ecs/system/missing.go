package system

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs/system/explain"
)

// notCreated lists the system types that the world might have and has no system of, each with the reason: those that are registered, in the
// order of their registration, then those of [With] and [Only], those that failed, and groups in which systems of the world stand. A
// world of ecs.NewWorld has no such list, because nothing promises it any system.
func (a *attachment) notCreated() (list []explain.Missing) {
	if a.made == nil {
		return nil
	}
	types := Types()
	known := slices.Clone(types)
	for _, s := range a.sets {
		types = append(types, s.Types...)
	}
	types = append(types, a.made.only...)
	types = append(types, a.failures()...)
	wanted := make(map[*Type]*Type) // a group, and a system that stands in it
	for _, in := range a.instances {
		for _, p := range in.typ.Attributes().Places {
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
		m := explain.Missing{System: t.name}
		for _, s := range advisingSets(a) {
			if slices.Contains(s.Types, t) {
				m.Set = s.Name
				break
			}
		}
		if m.Why = a.whyNot(t, m.Set != ""); m.Why == "" {
			m.Why = "left out by the code that populated the world, such as a bootstrap: give it to the world by system.Populate"
			if by := wanted[t]; by != nil && !slices.Contains(known, t) {
				m.Why = fmt.Sprintf("not registered, and %s stands in it: register the group, or name it beside the system", explain.Short(by.name))
			}
		}
		list = append(list, m)
	}
	return list
}

// whyNot says why the world has no system of the type, which is of a set or of none; "" if neither the type nor the options of the world say it.
func (a *attachment) whyNot(t *Type, ofSet bool) string {
	a.mu.Lock()
	err, made := a.failed[t], a.kinds[t] != nil
	a.mu.Unlock()
	at, named := t.Attributes(), slices.Contains(a.made.only, t)
	given := slices.ContainsFunc(a.sets, func(s *Set) bool { return slices.Contains(s.Types, t) })
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
		return fmt.Sprintf("For %s, and the world is %s: make the world As[%s], or the type For[%[2]s]", strings.Join(kinds, " and "), a.is, kinds[0])
	case given || slices.Contains(a.made.offered, t) && !a.made.limit:
		return ""
	case a.made.limit && ofSet:
		return "not named in system.Only: give its set to the world by system.With, or leave out Only"
	case a.made.limit && slices.Contains(Types(), t):
		return "not named in system.Only: name it there, or leave out Only"
	case slices.Contains(Types(), t):
		return "registered after the world was made: register it in func init, or give it to the world by system.Populate"
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
		names[i] = explain.Short(in.owner)
	}
	for _, m := range a.notCreated() {
		not = append(not, m.String())
	}
	l.Debug("system: systems created", "world", a.world.Name(), "created", names, "not created", not)
}
