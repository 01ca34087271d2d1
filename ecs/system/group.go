package system

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/internal/topo"
)

// Group is a system that updates other systems, its members, one after the
// other. A group is a type that embeds it:
//
//	type Physics struct {
//		system.Group
//		_ system.In[system.Simulation]
//	}
//
// Members run in an order that keeps their First, Last, Before and After
// attributes. Between members that no attribute orders, the full type name
// decides, and between two of one type, which was added first; transform.Group comes last
// of them. The order in which members were added otherwise never matters. An attribute that names a
// system of another group orders the members of the deepest group that holds
// both, under which the two stand.
type Group struct {
	self     *Instance
	members  []member    // in the order in which they were added
	order    []*Instance // in the order in which they run
	dirty    bool        // order is out of date
	unsorted bool        // order is that of members
	index    *index
	rate     Rate
	warnings []string
}

// member is an instance in a group.
type member struct {
	*Instance
	leaving bool // removed, but in order until the next sort
}

// grouping is implemented by every type that embeds Group.
type grouping interface {
	System
	asGroup() *Group
}

func (g *Group) asGroup() *Group { return g }

// Update runs the members: once, or as often as the group's rate says. One
// that fails does not keep the others from running; Update returns what failed,
// joined. Members added meanwhile run next time, those removed still this time.
//
// A group type that has an Update of its own is updated by that one, which then
// runs the members by calling this one.
func (g *Group) Update(*Frame) error {
	if g.self == nil {
		return fmt.Errorf("system: Group.Update: the group is not part of a world: %w", ecs.ErrState)
	}
	if g.dirty {
		if err := g.Sort(); g.dirty {
			return err
		} // a group below that cannot be sorted says so when it is its turn
	}
	rate := g.rate // a member that sets another does so for the next update
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

// pass updates every member once and appends what fails to errs. It holds the world, so that
// whose that is need not be asked for each member.
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

// SetRate says how often the members run in one update, from the next one on;
// nil is once.
func (g *Group) SetRate(r Rate) { g.rate = r }

// SetStep changes the step of the group's rate, in seconds, within 0.0001 and 10; the time that the
// rate has come to stays. It panics if the rate has no step, because only those of CatchUpRate and SimpleRate have one.
func (g *Group) SetStep(step float64) {
	r, ok := g.rate.(interface{ SetStep(step float64) })
	if !ok {
		panic(fmt.Errorf("system: Group.SetStep: the rate of the group is a %T, which has no step: set one of CatchUpRate or SimpleRate: %w", g.rate, ecs.ErrState))
	}
	r.SetStep(step)
}

// Add makes systems members of the group, from its next update on. They may
// be of another world. A nil system is left out, and so is one that is a
// member already, except that its removal is taken back. It returns an error
// when a system is no part of a world, or is the group itself or holds it.
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

// Remove ends the membership of systems with the next sort, which the next
// update begins with. Those that are no members are left out.
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

// Members returns the systems of the group in the order in which they run,
// as of the last sort.
func (g *Group) Members() []*Instance { return slices.Clone(g.order) }

// SetSorting says whether the group sorts its members, as it does at first, or runs them
// in the order in which they were added.
func (g *Group) SetSorting(on bool) {
	if g.unsorted == on {
		g.unsorted = !on
		g.dirty = true
	}
}

// Sort removes the members that have been removed and sorts the rest, then
// sorts the groups below. An update does so by itself when it is needed.
//
// It returns a *[CycleError] when the attributes contradict each other. Then
// the group's order is what it was, and no update of the group runs a member.
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
	order := slices.Clone(x.members) // never in place: an update may be going through the old one
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

// tell keeps the warnings of a sort and logs those that are new.
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

// end takes the group, which is destroyed, away from what its members know.
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

// holds reports whether other is this group or stands below it.
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

// changed notes that members came or went: the order of this group, and by
// lifted attributes that of the groups above, is out of date.
func (g *Group) changed() {
	g.dirty, g.index = true, nil
	for _, up := range g.self.in {
		up.changed()
	}
}
