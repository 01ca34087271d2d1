package ecs

import (
	"reflect"
	"slices"
)

// Write groups let a component take over the making of another one. A type says
// with a method that it takes part in making others:
//
//	func (Spring) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[LocalToWorld]()} }
//
// A system that writes LocalToWorld, and asks so with FilterWriteGroup, leaves
// out the entities that have a Spring, unless its query names Spring too; if a
// Spring can be switched off, those in which it is on. Whoever
// adds Spring to an entity also adds the system that writes its LocalToWorld, and
// the systems that did so until then need not be told.

// FilterWriteGroup leaves out entities that have a component of the write group
// of one that the query writes, unless the query names that component. What it
// names to be read, or by With, admits the write group of that too, and so on:
// what reads LocalToParent does not mind what that was made of.
//
// A member that is enableable leaves out the rows in which it is switched on, as
// Without does, and with [IgnoreEnabled] none. Jobs then have to look at
// [Chunk.AllMatch]. With Changed or ChangedAny, chunks pass too in which it was switched
// or written: what others have made of a row until then is to be made again.
func FilterWriteGroup() Term { return Term{mode: modeFilterWriteGroup} }

// overridden reports whether the making of what q writes is another's for all entities of a; and if not,
// the components that take it over in the rows in which they are on. A composition is decided on once, when
// it is matched, and rows each time: what is on may change without a structural change.
func (s *signature) overridden(a *archetype) (all bool, switched []*component) {
	if !s.grouped {
		return false, nil
	}
	for i := range a.columns {
		c := a.columns[i].comp
		switch {
		case !s.takesOver(c):
		case !c.kind.has(isEnableable):
			return true, nil
		case !s.ignore:
			switched = append(switched, c)
		}
	}
	return false, switched
}

// takesOver reports whether c takes the making of what q writes over, if q heeds
// write groups.
func (s *signature) takesOver(c *component) bool {
	return len(c.groups) > 0 && s.writesOneOf(c.groups) && !s.names(c.key) && !s.admits(c.groups)
}

// writesOneOf reports whether the query writes a component of the list.
func (s *signature) writesOneOf(list []reflect.Type) bool {
	return slices.ContainsFunc(s.data, func(d data) bool { return d.write && slices.Contains(list, d.comp.typ) })
}

// names reports whether a term of the query is for a component.
func (s *signature) names(k key) bool {
	is := func(c *component) bool { return c.key == k }
	return slices.ContainsFunc(s.data, func(d data) bool { return is(d.comp) }) ||
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

// admits reports whether the query reads one of the targets, or one that these take part in
// making, and so on. Each type is looked at once: groups of groups may be in a circle.
func (s *signature) admits(targets []reflect.Type) bool {
	all := slices.Clone(targets)
	for i := 0; i < len(all); i++ {
		if s.reads(typeKey(all[i])) {
			return true
		}
		for _, t := range groupsOf(all[i]) {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return false
}

// reads reports whether the query names a component to be there, and not to be
// written.
func (s *signature) reads(k key) bool {
	is := func(c *component) bool { return c.key == k }
	writes := slices.ContainsFunc(s.data, func(d data) bool { return d.write && is(d.comp) })
	return slices.ContainsFunc(s.data, func(d data) bool { return !d.write && is(d.comp) }) ||
		slices.ContainsFunc(s.with, is) ||
		slices.ContainsFunc(s.anyOf, func(set []*component) bool {
			return slices.ContainsFunc(set, is) && !writes
		}) ||
		!writes && slices.ContainsFunc(s.choices, func(ch alternatives) bool {
			return slices.ContainsFunc(ch, func(o *alternative) bool { return slices.ContainsFunc(o.with, is) })
		})
}

// groupsOf returns the targets of the component with this key, of which t is the
// type: it may be one that nothing has used yet.
func groupsOf(t reflect.Type) []reflect.Type {
	c, err := componentOf("FilterWriteGroup", t)
	if err != nil {
		return nil // whoever uses the type hears of it
	}
	return c.groups
}
