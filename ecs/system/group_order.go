package system

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs/system/internal/topo"
)

// constraint is one Before, After, CreateBefore or CreateAfter attribute of a system type.
type constraint struct {
	system, other *Type
	after         bool
}

// edge is a constraint between two nodes of a sort.
type edge = topo.Edge[constraint]

func (w constraint) String() string {
	if w.after {
		return w.system.name + " after " + w.other.name
	}
	return w.system.name + " before " + w.other.name
}

// isBetween reports whether a has the attribute and the attribute names b, or the reverse.
func (w constraint) isBetween(a, b *Type) bool {
	return w.system == a && w.other == b || w.system == b && w.other == a
}

// newCycleError returns the error for a cycle among nodes with the given types.
func newCycleError(group string, types []*Type, circle []edge) *CycleError {
	e := &CycleError{Group: group}
	for _, l := range circle {
		from, to := types[l.From], types[l.To]
		e.Systems = append(e.Systems, from.name)
		cause := ""
		if own := l.Reason.isBetween(from, to); !own {
			cause = l.Reason.String()
		}
		e.Constraints = append(e.Constraints, cause)
	}
	return e
}

// memberIndex maps each type in a group, or below the group, to members of the group: those of that
// type and those that contain a system of that type. memberIndex excludes members that will be
// removed. A sort needs this map to find the members that an attribute orders, because attributes
// name types.
type memberIndex struct {
	members       []*Instance
	membersByType map[*Type][]int
}

// currentIndex returns the group's index. currentIndex computes the index again if the group, or a
// group below it, has changed.
func (g *Group) currentIndex() *memberIndex {
	if g.index != nil {
		return g.index
	}
	x := &memberIndex{membersByType: make(map[*Type][]int)}
	for _, m := range g.members {
		if m.leaving {
			continue
		}
		at := len(x.members)
		x.members = append(x.members, m.Instance)
		x.addType(m.typ, at)
		if m.group != nil {
			for t := range m.group.currentIndex().membersByType { //lanewise:inexact each t has a list of its own
				x.addType(t, at)
			}
		}
	}
	g.index = x
	return x
}

func (x *memberIndex) addType(t *Type, member int) {
	if s := x.membersByType[t]; len(s) == 0 || s[len(s)-1] != member {
		x.membersByType[t] = append(s, member)
	}
}

// constraints collects the edges between the members of one group. The edges come from attributes
// of the members. An attribute of a system below a member also causes an edge, if it names a
// system below another member.
type constraints struct {
	group    *Group
	index    *memberIndex
	keys     []topo.Key
	edges    []edge
	warnings []string
}

func (g *Group) constraints() *constraints {
	x := g.currentIndex()
	w := &constraints{group: g, index: x, keys: make([]topo.Key, len(x.members))}
	for i, m := range x.members {
		w.keys[i] = topo.Key{Part: int(m.typ.attrs().partOf(g.ownInstance.typ)), Late: m.typ.attrs().runsLate, Name: m.typ.name}
	}
	for i, m := range x.members {
		w.collect(i, m, nil)
	}
	return w
}

// collect adds the constraints of s and of all systems below it. The parameter i is the index of the
// member that is s or contains s. The parameter path lists the groups between the group and s.
func (w *constraints) collect(i int, s *Instance, path []*Group) {
	a := s.typ.attrs()
	for _, t := range a.Before {
		w.add(i, constraint{s.typ, t, false}, path)
	}
	for _, t := range a.After {
		w.add(i, constraint{s.typ, t, true}, path)
	}
	if s.group == nil {
		return
	}
	path = append(path, s.group)
	for _, m := range s.group.currentIndex().members {
		w.collect(i, m, path)
	}
}

func (w *constraints) add(i int, constraint constraint, path []*Group) {
	direct := len(path) == 0
	if !constraint.other.isSystem || constraint.other == constraint.system {
		if direct {
			w.warnUseless(constraint)
		}
		return
	}
	for _, g := range path {
		if len(g.currentIndex().membersByType[constraint.other]) > 0 {
			return // a deeper group orders the two systems
		}
	}
	targets := w.index.membersByType[constraint.other]
	if len(targets) == 0 {
		if direct && !w.group.isInGroupAbove(constraint.other) {
			w.warnNoCommonGroup(constraint)
		}
		return
	}
	met := false
	for _, j := range targets {
		if j == i {
			continue
		}
		met = true
		w.addEdge(i, j, constraint)
	}
	if !met {
		w.warn("%s, but one of them stands inside the other; give the attribute to what stands beside it", constraint)
	}
}

// addEdge adds an edge between the members i and j, unless First and Last already determine their
// order.
func (w *constraints) addEdge(i, j int, constraint constraint) {
	from, to := i, j
	if constraint.after {
		from, to = j, i
	}
	switch f, t := w.keys[from].Part, w.keys[to].Part; {
	case f == t:
		w.edges = append(w.edges, edge{From: from, To: to, Reason: constraint})
	case f > t:
		w.warn("%s, but First and Last have precedence: %s stands under %s, %s under %s; change one of them",
			constraint, w.keys[from].Name, groupPart(f), w.keys[to].Name, groupPart(t))
	}
}

// isInGroupAbove reports whether a group above g contains a system of type t.
func (g *Group) isInGroupAbove(t *Type) bool {
	for _, up := range g.ownInstance.groups {
		if len(up.currentIndex().membersByType[t]) > 0 || up.isInGroupAbove(t) {
			return true
		}
	}
	return false
}

// isBelow reports whether g, or a group above g, is of type t.
func (g *Group) isBelow(t *Type) bool {
	if g.ownInstance.typ == t {
		return true
	}
	for _, up := range g.ownInstance.groups {
		if up.isBelow(t) {
			return true
		}
	}
	return false
}

func (w *constraints) warnUseless(constraint constraint) {
	if constraint.other == constraint.system {
		w.warn("%s: a system cannot be ordered against itself; remove the attribute", constraint)
		return
	}
	w.warn("%s, which is not a system; name a type whose pointer has Update(*system.Frame) error", constraint)
}

func (w *constraints) warnNoCommonGroup(constraint constraint) {
	if w.group.isBelow(constraint.other) {
		w.warn("%s, but one of them stands inside the other; give the attribute to what stands beside it", constraint)
		return
	}
	r := w.group.ownInstance.roster
	if r == nil || r.findType(constraint.other) == nil {
		w.warn("%s, but the world has no %s: %s", constraint, shortName(constraint.other.name), r.remedyForMissing(constraint.other))
		return
	}
	w.warn("%s, but no group holds both of them: put both into one group, or remove the attribute", constraint)
}

func (w *constraints) warn(format string, args ...any) {
	w.warnings = append(w.warnings, fmt.Sprintf("system: order of "+w.group.ownInstance.typ.name+": "+format, args...))
}
