package system

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs/system/internal/topo"
)

// wish is one Before or After attribute, or one of creation.
type wish struct {
	system, other *Type
	after         bool
}

// edge is an order of two that an attribute wishes.
type edge = topo.Edge[wish]

func (w wish) String() string {
	if w.after {
		return w.system.name + " after " + w.other.name
	}
	return w.system.name + " before " + w.other.name
}

// isBetween reports whether the wish is one of a and b about the other.
func (w wish) isBetween(a, b *Type) bool {
	return w.system == a && w.other == b || w.system == b && w.other == a
}

// newCycleError describes a circle among nodes of the given types.
func newCycleError(group string, types []*Type, circle []edge) *CycleError {
	e := &CycleError{Group: group}
	for _, l := range circle {
		from, to := types[l.From], types[l.To]
		e.Systems = append(e.Systems, from.name)
		cause := ""
		if own := l.Wish.isBetween(from, to); !own {
			cause = l.Wish.String()
		}
		e.Wishes = append(e.Wishes, cause)
	}
	return e
}

// index says, for every type that stands in a group or below it, under which of
// the group's members. It leaves out members that are about to be removed.
type index struct {
	members []*Instance
	under   map[*Type][]int
}

// indexed returns the group's index, made anew after a change in the group or below it.
func (g *Group) indexed() *index {
	if g.index != nil {
		return g.index
	}
	x := &index{under: make(map[*Type][]int)}
	for _, m := range g.members {
		if m.leaving {
			continue
		}
		at := len(x.members)
		x.members = append(x.members, m.Instance)
		x.note(m.typ, at)
		if m.group != nil {
			for t := range m.group.indexed().under { //lanewise:inexact each t has a list of its own
				x.note(t, at)
			}
		}
	}
	g.index = x
	return x
}

func (x *index) note(t *Type, member int) {
	if s := x.under[t]; len(s) == 0 || s[len(s)-1] != member {
		x.under[t] = append(s, member)
	}
}

// wishes collects the edges between the members of one group: its members' own
// Before and After, and those of systems deeper down that lead out of their
// groups and meet first in this one.
type wishes struct {
	group    *Group
	index    *index
	keys     []topo.Key
	edges    []edge
	warnings []string
}

func (g *Group) wishes() *wishes {
	x := g.indexed()
	w := &wishes{group: g, index: x, keys: make([]topo.Key, len(x.members))}
	for i, m := range x.members {
		w.keys[i] = topo.Key{Part: int(m.typ.Attributes().order(g.self.typ)), Name: m.typ.name}
	}
	for i, m := range x.members {
		w.collect(i, m, nil)
	}
	return w
}

// collect takes the wishes of s and of all that stands below it. Member i of the
// group is s itself or holds it; path are the groups on the way down to s.
func (w *wishes) collect(i int, s *Instance, path []*Group) {
	a := s.typ.Attributes()
	for _, t := range a.Before {
		w.add(i, wish{s.typ, t, false}, path)
	}
	for _, t := range a.After {
		w.add(i, wish{s.typ, t, true}, path)
	}
	if s.group == nil {
		return
	}
	path = append(path, s.group)
	for _, m := range s.group.indexed().members {
		w.collect(i, m, path)
	}
}

func (w *wishes) add(i int, wish wish, path []*Group) {
	direct := len(path) == 0
	if !wish.other.isSystem || wish.other == wish.system {
		if direct {
			w.warnUseless(wish)
		}
		return
	}
	for _, g := range path {
		if len(g.indexed().under[wish.other]) > 0 {
			return // met further down
		}
	}
	targets := w.index.under[wish.other]
	if len(targets) == 0 {
		if direct && !w.group.heldAbove(wish.other) {
			w.warnNoCommonGroup(wish)
		}
		return
	}
	met := false
	for _, j := range targets {
		if j == i {
			continue
		}
		met = true
		w.order(i, j, wish)
	}
	if !met {
		w.warn("%s, but one of them stands inside the other; give the attribute to what stands beside it", wish)
	}
}

// order makes the edge between members i and j, unless First and Last have said it already.
func (w *wishes) order(i, j int, wish wish) {
	from, to := i, j
	if wish.after {
		from, to = j, i
	}
	switch f, t := w.keys[from].Part, w.keys[to].Part; {
	case f == t:
		w.edges = append(w.edges, edge{From: from, To: to, Wish: wish})
	case f > t:
		w.warn("%s, but First and Last have precedence: %s stands under %s, %s under %s; change one of them",
			wish, w.keys[from].Name, order(f), w.keys[to].Name, order(t))
	}
}

// heldAbove reports whether some group above g holds a system of type t.
func (g *Group) heldAbove(t *Type) bool {
	for _, up := range g.self.in {
		if len(up.indexed().under[t]) > 0 || up.heldAbove(t) {
			return true
		}
	}
	return false
}

// isBelow reports whether g or a group above it is of type t.
func (g *Group) isBelow(t *Type) bool {
	if g.self.typ == t {
		return true
	}
	for _, up := range g.self.in {
		if up.isBelow(t) {
			return true
		}
	}
	return false
}

func (w *wishes) warnUseless(wish wish) {
	if wish.other == wish.system {
		w.warn("%s: a system cannot be ordered against itself; take the attribute away", wish)
		return
	}
	w.warn("%s, which is not a system; name a type whose pointer has Update(*system.Frame) error", wish)
}

func (w *wishes) warnNoCommonGroup(wish wish) {
	if w.group.isBelow(wish.other) {
		w.warn("%s, but one of them stands inside the other; give the attribute to what stands beside it", wish)
		return
	}
	w.warn("%s, but no group holds both of them; create %s, put both into one group or take the attribute away",
		wish, wish.other.name)
}

func (w *wishes) warn(format string, args ...any) {
	w.warnings = append(w.warnings, fmt.Sprintf("system: order of "+w.group.self.typ.name+": "+format, args...))
}
