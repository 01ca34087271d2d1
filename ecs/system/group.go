package system

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/internal/topo"
)

// Group is a system that updates other systems, its members, one after the other. A group is a type
// that embeds it:
//
//	type Physics struct {
//		system.Group
//		_ system.In[system.Simulation]
//	}
//
// First, Last, Before and After attributes decide the order of the members. If no attribute orders
// two members, their full type names decide; for two members of one type, the one that was added
// first comes first. transform.Group comes last of the members that no attribute orders, so that
// systems without attributes move entities before the matrices are computed. An attribute may name
// a system of another group: then it orders members of the deepest group that contains both
// systems, namely the members that contain them.
type Group struct {
	self     *Instance
	members  []member    // in the order in which they were added
	order    []*Instance // in the order in which they run
	dirty    bool        // order is out of date
	unsorted bool        // members run in the order of members
	index    *index
	rate     Rate
	warnings []string
}

// member is an instance in a group.
type member struct {
	*Instance
	leaving bool // was removed, but stays in order until the next sort
}

// grouping is implemented by every type that embeds Group.
type grouping interface {
	System
	asGroup() *Group
}

func (g *Group) asGroup() *Group { return g }

// Update runs the members once, or as often as the group's rate says. A member that fails does not
// keep the others from running. Update returns the joined errors of all members. A member that is
// added during an update runs from the next update on, and one that is removed still runs in this
// one.
//
// If a group type has an Update method of its own, the world calls that method. It runs the members
// by a call of this one.
func (g *Group) Update(*Frame) error {
	if g.self == nil {
		return fmt.Errorf("system: Group.Update: the group is not part of a world: %w", ecs.ErrState)
	}
	if g.dirty {
		if err := g.Sort(); g.dirty {
			return err
		} // a group below that cannot be sorted returns its error in its own update
	}
	rate := g.rate // read once, because a member that sets a rate changes the next update
	if rate == nil {
		return errors.Join(g.pass(nil)...)
	}
	r := g.self.roster
	c := &r.clock
	depth := c.depth()
	var errs []error
	for !r.quit && rate.Next(c) {
		pushed := c.depth()
		errs = g.pass(errs)
		if extra := c.unwind(pushed); extra > 0 {
			errs = append(errs, fmt.Errorf("system: %s: a member pushed %d times more than it popped: %w", g.self.typ.name, extra, ecs.ErrState))
		}
	}
	c.unwind(depth)
	if b, ok := rate.(interface{ BreakOff() }); ok && r.quit {
		b.BreakOff()
	}
	return errors.Join(errs...)
}

// pass updates every member once and appends the errors to errs. It claims the world for the whole
// pass, so that no member has to find out who owns the world.
func (g *Group) pass(errs []error) []error {
	r, w := g.self.roster, g.self.world
	w.Scheduler().BeginFrame()
	defer w.Scheduler().EndFrame()
	for _, m := range g.order {
		if m.phase == destroyed {
			continue
		}
		if err := m.turn(m.world == w); err != nil {
			errs = append(errs, err)
		}
		if m.roster != r {
			r.host(m.roster)
		}
		if r.quit {
			break
		}
	}
	return errs
}

// SetRate sets how often the members run in one update, from the next update on. Nil, the default,
// is once.
func (g *Group) SetRate(r Rate) { g.rate = r }

// SetStep sets the step of the group's rate in seconds. A step outside of [0.0001, 10] is clamped.
// The time that the rate has reached does not change. It panics if the rate has no step: only the
// rates of [CatchUpRate] and [SimpleRate] have one.
func (g *Group) SetStep(step float64) {
	r, ok := g.rate.(interface{ SetStep(step float64) })
	if !ok {
		panic(fmt.Errorf("system: Group.SetStep: the rate of the group is a %T, which has no step: set one of CatchUpRate or SimpleRate: %w", g.rate, ecs.ErrState))
	}
	r.SetStep(step)
}

// Add makes systems members of the group, from its next update on. The systems may belong to
// another world. Add skips nil, and skips members, except that it cancels a removal that has not
// taken place yet. It returns an error if a system belongs to no world, or is the group itself or a
// group that contains it.
func (g *Group) Add(systems ...System) error {
	if g.self != nil && g.self.roster.closed {
		return g.self.roster.open("add members to " + g.self.typ.name)
	}
	if g.self == nil || g.self.phase == destroyed {
		return fmt.Errorf("system: Group.Add: the group is not part of a world: %w", ecs.ErrState)
	}
	for _, s := range systems {
		if isNil(s) {
			continue
		}
		in := g.self.roster.findInAnyWorld(s)
		if in == nil {
			return fmt.Errorf("system: %s: Add: %T is not part of a world; make it with Create or Adopt: %w", g.self.typ.name, s, ecs.ErrArgument)
		}
		if err := g.add(in); err != nil {
			return err
		}
	}
	return nil
}

func (g *Group) add(in *Instance) error {
	switch {
	case in.phase == destroyed:
		return fmt.Errorf("system: %s: Add: %s is destroyed: %w", g.self.typ.name, in.typ.name, ecs.ErrState)
	case in == g.self:
		return fmt.Errorf("system: %s: Add: a group cannot be a member of itself: %w", g.self.typ.name, ecs.ErrArgument)
	case in.group != nil && in.group.holds(g):
		return fmt.Errorf("system: %s: Add: %s holds this group: %w", g.self.typ.name, in.typ.name, ecs.ErrArgument)
	}
	if i := g.find(in); i >= 0 {
		if g.members[i].leaving {
			g.members[i].leaving = false
			g.changed()
		}
		return nil
	}
	g.members = append(g.members, member{Instance: in})
	in.in = append(in.in, g)
	g.changed()
	return nil
}

// Remove removes systems from the group. The next sort carries that out, which is at the beginning
// of the next update. Remove skips systems that are no members.
func (g *Group) Remove(systems ...System) {
	for _, s := range systems {
		for i, m := range g.members {
			if m.system == s && !m.leaving {
				g.members[i].leaving = true
				g.changed()
			}
		}
	}
}

// Members returns the members in the order in which they run, as of the last sort, in a new slice.
func (g *Group) Members() []*Instance { return slices.Clone(g.order) }

// SetSorting sets whether the group sorts its members by their attributes, which is the default, or
// runs them in the order in which they were added.
func (g *Group) SetSorting(on bool) {
	if g.unsorted == on {
		g.unsorted = !on
		g.dirty = true
	}
}

// Sort carries out removals, sorts the members, and then sorts the groups among them. An update
// calls it when members have changed.
//
// It returns a *[CycleError] if the attributes contradict each other. Then the order stays as it
// was, and an update of the group runs no member until the cycle is gone.
func (g *Group) Sort() error {
	if g.self == nil {
		return fmt.Errorf("system: Group.Sort: the group is not part of a world: %w", ecs.ErrState)
	}
	var errs []error
	if g.dirty {
		errs = append(errs, g.sortOwn())
	}
	for _, m := range g.members {
		if m.group != nil {
			errs = append(errs, m.group.Sort())
		}
	}
	return errors.Join(errs...)
}

// sortOwn sorts the members of this group only.
func (g *Group) sortOwn() error {
	g.removeLeaving()
	x := g.indexed()
	var warnings []string
	order := slices.Clone(x.members) // a new slice, because an update may be going through the old one
	if !g.unsorted {
		w := g.constraints()
		warnings = w.warnings
		sorted, loop := topo.Sort(w.keys, w.edges)
		if loop != nil {
			types := make([]*Type, len(x.members))
			for i, m := range x.members {
				types[i] = m.typ
			}
			return newCycleError(g.self.typ.name, types, loop)
		}
		for i, at := range sorted {
			order[i] = x.members[at]
		}
	}
	g.order, g.dirty = order, false
	g.tell(warnings)
	return nil
}

// tell keeps the warnings of a sort and logs the new ones.
func (g *Group) tell(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(g.warnings, w) && g.self.roster != nil {
			warn(g.self.roster.logger, w, slog.String("group", g.self.typ.name))
		}
	}
	g.warnings = warnings
}

func (g *Group) removeLeaving() {
	g.members = slices.DeleteFunc(g.members, func(m member) bool {
		if m.leaving {
			m.in = slices.DeleteFunc(m.in, func(up *Group) bool { return up == g })
		}
		return m.leaving
	})
}

// end makes the members of a destroyed group forget it.
func (g *Group) end() {
	for i := range g.members {
		g.members[i].leaving = true
	}
	g.removeLeaving()
	g.order, g.dirty, g.index = nil, true, nil
}

func (g *Group) find(in *Instance) int {
	return slices.IndexFunc(g.members, func(m member) bool { return m.Instance == in })
}

// holds reports whether other is this group or is below it.
func (g *Group) holds(other *Group) bool {
	if g == other {
		return true
	}
	for _, m := range g.members {
		if m.group != nil && m.group.holds(other) {
			return true
		}
	}
	return false
}

// changed marks the order as out of date after a change of the members. It marks the groups above
// too, because attributes of systems below them order their members.
func (g *Group) changed() {
	g.dirty, g.index = true, nil
	for _, up := range g.self.in {
		up.changed()
	}
}
