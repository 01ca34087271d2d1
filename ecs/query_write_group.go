package ecs

import (
	"fmt"
	"reflect"
	"slices"
)

// A write group lets a component take over the computation of another component. A type joins a write
// group with a method:
//
//	func (Spring) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorld]()} }
//
// A system may write LocalToWorld with FilterWriteGroup. It then skips entities that have a Spring,
// unless its query names Spring too. If Spring is enableable, the system leaves out the entities whose
// Spring is on. A package can therefore add Spring together with a system that writes LocalToWorld, and
// the older systems need no change.

// FilterWriteGroup excludes an entity if it has a member of a write group, unless the query names that
// member. Only the write groups of components that the query writes count. If the query names a component
// with Read or With, it does not exclude the members of this component's write group, the members of their
// write groups, and so on. For example, a system that reads LocalToParent need not know the components
// from which LocalToParent was computed.
//
// An enableable member of a write group excludes only the rows in which it is on, as Without does. With
// [IgnoreEnabled] it leaves out no row. Jobs must then check [Chunk.AllMatch]. With Changed or
// ChangedAny, a chunk also passes if an enableable member was switched or written, because rows that are
// no longer excluded must be computed again.
func FilterWriteGroup() Term { return Term{mode: modeFilterWriteGroup} }

// isOverridden reports in all whether, for every entity of a, another component takes over the computation
// of a component that q writes. If all is false, it returns the enableable components that take over the
// computation in some rows: those in which the component is on. all is determined once, when the query is
// matched with the archetype. Rows are checked each time, because bits change without a structural change.
func (s *signature) isOverridden(a *archetype) (all bool, switched []*component) {
	if !s.filterWriteGroup {
		return false, nil
	}
	for i := range a.columns {
		c := a.columns[i].comp
		switch {
		case !s.overriddenBy(c):
		case !c.kind.has(isEnableable):
			return true, nil
		case !s.ignoreEnabled:
			switched = append(switched, c)
		}
	}
	return false, switched
}

// overriddenBy reports whether c takes over the computation of a component that the query writes. This is so if c is in that
// component's write group.
func (s *signature) overriddenBy(c *component) bool {
	return len(c.writeGroups) > 0 && s.writesOneOf(c.writeGroups) && !s.hasTermFor(c.key) && !s.readsTargets(c.writeGroups)
}

// writesOneOf reports whether the query writes a component of the list.
func (s *signature) writesOneOf(list []reflect.Type) bool {
	return slices.ContainsFunc(s.columnTerms, func(d columnTerm) bool { return d.write && slices.Contains(list, d.comp.typ) })
}

// hasTermFor reports whether a term of the query is for a component.
func (s *signature) hasTermFor(k key) bool {
	is := func(c *component) bool { return c.key == k }
	return slices.ContainsFunc(s.columnTerms, func(d columnTerm) bool { return is(d.comp) }) ||
		slices.ContainsFunc(s.with, is) || slices.ContainsFunc(s.without, is) ||
		slices.ContainsFunc(s.present, is) || slices.ContainsFunc(s.absent, is) ||
		slices.ContainsFunc(s.anyOf, func(set []*component) bool { return slices.ContainsFunc(set, is) }) ||
		slices.ContainsFunc(s.choices, func(ch alternatives) bool {
			return slices.ContainsFunc(ch, func(o *alternative) (found bool) {
				o.eachNamed(func(c *component) { found = found || is(c) })
				return found
			})
		})
}

// readsTargets reports whether the query reads one of the targets. If a target is itself in the write group of
// other components, these count as targets too, and so on. Each type is checked once, because groups may form a
// cycle.
func (s *signature) readsTargets(targets []reflect.Type) bool {
	all := slices.Clone(targets)
	for i := 0; i < len(all); i++ {
		if s.onlyReads(typeKey(all[i])) {
			return true
		}
		for _, t := range writeGroupsOf(all[i]) {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return false
}

// onlyReads reports whether the query requires a component and does not write it.
func (s *signature) onlyReads(k key) bool {
	is := func(c *component) bool { return c.key == k }
	writes := slices.ContainsFunc(s.columnTerms, func(d columnTerm) bool { return d.write && is(d.comp) })
	return slices.ContainsFunc(s.columnTerms, func(d columnTerm) bool { return !d.write && is(d.comp) }) ||
		slices.ContainsFunc(s.with, is) ||
		slices.ContainsFunc(s.anyOf, func(set []*component) bool {
			return slices.ContainsFunc(set, is) && !writes
		}) ||
		!writes && slices.ContainsFunc(s.choices, func(ch alternatives) bool {
			return slices.ContainsFunc(ch, func(o *alternative) bool { return slices.ContainsFunc(o.with, is) })
		})
}

// writeGroupsOf returns the components to whose write groups a type belongs. The type may be one that no
// program has used yet.
func writeGroupsOf(t reflect.Type) []reflect.Type {
	c, err := componentOf("FilterWriteGroup", t)
	if err != nil {
		return nil // the first use of the type reports the error
	}
	return c.writeGroups
}

// describeWriteGroups finds the components to whose write groups c belongs.
func (c *component) describeWriteGroups(zero any) error {
	g, ok := zero.(writeGrouped)
	if !ok {
		return nil
	}
	for _, t := range g.WriteGroups() {
		if t.mode != modeWith {
			return fmt.Errorf("its method WriteGroups names its targets by With, not by %v", t)
		}
		if t.typ == c.typ {
			return fmt.Errorf("its method WriteGroups names the type itself")
		}
		if !slices.Contains(c.writeGroups, t.typ) {
			c.writeGroups = append(c.writeGroups, t.typ)
		}
	}
	return nil
}

// writeGrouped is a component that belongs to write groups.
type writeGrouped interface{ WriteGroups() []Term }
