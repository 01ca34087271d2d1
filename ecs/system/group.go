package system

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/internal/topo"
)

// Group is a system that updates other systems, its members, one after the other. A type that
// embeds Group is a group:
//
//	type Physics struct {
//		system.Group
//		_ system.In[system.Simulation]
//	}
//
// The attributes First, Last, Before and After determine the order of the members. If no attribute
// orders two members, they are ordered by their full type names. Two members of one type are in the
// order in which they were added. Among the members that no attribute orders, transform.Group is
// last. So systems without attributes move entities before the matrices are computed. If an
// attribute names a system of another group, the deepest group that contains both systems applies
// it. That group orders its two members that contain these systems, or are these systems.
type Group struct {
	ownInstance *Instance
	members     []member    // in the order in which they were added
	runOrder    []*Instance // in the order in which they run
	orderStale  bool        // runOrder is out of date
	unsorted    bool        // members run in the order in which they were added
	index       *memberIndex
	rate        Rate
	warnings    []string
}

// member is an instance that is in a group.
type member struct {
	*Instance
	leaving bool // the member was removed, but remains in the order until the next sort
}

// groupSystem is implemented by every type that embeds Group.
type groupSystem interface {
	System
	asGroup() *Group
}

func (g *Group) asGroup() *Group { return g }

// Update runs the members once, or as often as the rate of the group requires. If a member fails,
// the others still run. Update returns the joined errors of all members. If a member is added
// during an update, it runs from the next update on. If a member is removed, it still runs in this
// update.
//
// If a group type has its own Update method, the world calls that method. The Update method of the
// group type must call this Update to run the members.
func (g *Group) Update(*Frame) error {
	if g.ownInstance == nil {
		return fmt.Errorf("system: Group.Update: the group is not part of a world: %w", ecs.ErrState)
	}
	if g.orderStale {
		if err := g.Sort(); g.orderStale {
			return err
		} // if a group below cannot be sorted, its own update returns the error
	}
	rate := g.rate // read the rate only once, because a member may set a rate for the next update
	if rate == nil {
		return errors.Join(g.updateMembers(nil)...)
	}
	r := g.ownInstance.roster
	c := &r.clock
	depth := c.depth()
	var errs []error
	for !r.quit && rate.Next(c) {
		pushed := c.depth()
		errs = g.updateMembers(errs)
		if extra := c.unwind(pushed); extra > 0 {
			errs = append(errs, fmt.Errorf("system: %s: a member pushed %d times more than it popped: %w", g.ownInstance.typ.name, extra, ecs.ErrState))
		}
	}
	c.unwind(depth)
	if b, ok := rate.(interface{ BreakOff() }); ok && r.quit {
		b.BreakOff()
	}
	return errors.Join(errs...)
}

// updateMembers updates every member once and appends the errors to errs. updateMembers claims the world
// for the whole pass, so that members need not check who owns the world.
func (g *Group) updateMembers(errs []error) []error {
	r, w := g.ownInstance.roster, g.ownInstance.world
	w.Scheduler().BeginFrame()
	defer w.Scheduler().EndFrame()
	for _, m := range g.runOrder {
		if m.phase == destroyed {
			continue
		}
		if err := m.updateOnce(m.world == w); err != nil {
			errs = append(errs, err)
		}
		if m.roster != r {
			r.addGuest(m.roster)
		}
		if r.quit {
			break
		}
	}
	return errs
}

// SetRate sets how often the members run in one update, from the next update on. If r is nil, which
// is the default, the members run once.
func (g *Group) SetRate(r Rate) { g.rate = r }

// SetStep sets the step of the group's rate, in seconds. A step outside of [0.0001, 10] is clamped.
// The time that the rate has reached does not change. SetStep panics if the rate has no step: only
// the rates of [CatchUpRate] and [SimpleRate] have one.
func (g *Group) SetStep(step float64) {
	r, ok := g.rate.(interface{ SetStep(step float64) })
	if !ok {
		panic(fmt.Errorf("system: Group.SetStep: the rate of the group is a %T, which has no step: set one of CatchUpRate or SimpleRate: %w", g.rate, ecs.ErrState))
	}
	r.SetStep(step)
}

// Add makes the systems members of the group, from the group's next update on. The systems may
// belong to another world. Add skips nil. Add also skips systems that are already members. If
// such a member is about to be removed, Add cancels the removal. Add returns an error if a system
// belongs to no world, is the group itself, or is a group that contains the group.
func (g *Group) Add(systems ...System) error {
	if g.ownInstance != nil && g.ownInstance.roster.closed {
		return g.ownInstance.roster.checkOpen("add members to " + g.ownInstance.typ.name)
	}
	if g.ownInstance == nil || g.ownInstance.phase == destroyed {
		return fmt.Errorf("system: Group.Add: the group is not part of a world: %w", ecs.ErrState)
	}
	for _, s := range systems {
		if isNil(s) {
			continue
		}
		in := g.ownInstance.roster.findInAnyWorld(s)
		if in == nil {
			return fmt.Errorf("system: %s: Add: %T is not part of a world; make it with Create or Adopt: %w", g.ownInstance.typ.name, s, ecs.ErrArgument)
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
		return fmt.Errorf("system: %s: Add: %s is destroyed: %w", g.ownInstance.typ.name, in.typ.name, ecs.ErrState)
	case in == g.ownInstance:
		return fmt.Errorf("system: %s: Add: a group cannot be a member of itself: %w", g.ownInstance.typ.name, ecs.ErrArgument)
	case in.group != nil && in.group.contains(g):
		return fmt.Errorf("system: %s: Add: %s holds this group: %w", g.ownInstance.typ.name, in.typ.name, ecs.ErrArgument)
	}
	if i := g.memberPosition(in); i >= 0 {
		if g.members[i].leaving {
			g.members[i].leaving = false
			g.markOrderStale()
		}
		return nil
	}
	g.members = append(g.members, member{Instance: in})
	in.groups = append(in.groups, g)
	g.markOrderStale()
	return nil
}

// Remove removes systems from the group. The next sort carries out the removal, at the beginning of
// the next update. Remove skips systems that are not members.
func (g *Group) Remove(systems ...System) {
	for _, s := range systems {
		for i, m := range g.members {
			if m.system == s && !m.leaving {
				g.members[i].leaving = true
				g.markOrderStale()
			}
		}
	}
}

// Members returns the members in a new slice. The members are in the order of the last sort, in which
// they run.
func (g *Group) Members() []*Instance { return slices.Clone(g.runOrder) }

// SetSorting sets whether the group sorts its members by their attributes. That is the default.
// If sorting is off, the members run in the order in which they were added.
func (g *Group) SetSorting(on bool) {
	if g.unsorted == on {
		g.unsorted = !on
		g.orderStale = true
	}
}

// Sort carries out removals, sorts the members, and then sorts the groups among them. An update
// calls Sort if members have changed.
//
// If the attributes contradict each other, Sort returns a *[CycleError]. After such an error, the order
// does not change, and updates of the group run no members until the cycle is gone.
func (g *Group) Sort() error {
	if g.ownInstance == nil {
		return fmt.Errorf("system: Group.Sort: the group is not part of a world: %w", ecs.ErrState)
	}
	var errs []error
	if g.orderStale {
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
	x := g.currentIndex()
	var warnings []string
	order := slices.Clone(x.members) // create a new slice, because an update may be iterating over the old one
	if !g.unsorted {
		w := g.constraints()
		warnings = w.warnings
		sorted, loop := topo.Sort(w.keys, w.edges)
		if loop != nil {
			types := make([]*Type, len(x.members))
			for i, m := range x.members {
				types[i] = m.typ
			}
			return newCycleError(g.ownInstance.typ.name, types, loop)
		}
		for i, at := range sorted {
			order[i] = x.members[at]
		}
	}
	g.runOrder, g.orderStale = order, false
	g.keepWarnings(warnings)
	return nil
}

// keepWarnings stores the warnings of a sort, and logs the new ones.
func (g *Group) keepWarnings(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(g.warnings, w) && g.ownInstance.roster != nil {
			warn(g.ownInstance.roster.logger, w, "group", g.ownInstance.typ.name)
		}
	}
	g.warnings = warnings
}

func (g *Group) removeLeaving() {
	g.members = slices.DeleteFunc(g.members, func(m member) bool {
		if m.leaving {
			m.groups = slices.DeleteFunc(m.groups, func(up *Group) bool { return up == g })
		}
		return m.leaving
	})
}

// forgetMembers removes a destroyed group from its members.
func (g *Group) forgetMembers() {
	for i := range g.members {
		g.members[i].leaving = true
	}
	g.removeLeaving()
	g.runOrder, g.orderStale, g.index = nil, true, nil
}

func (g *Group) memberPosition(in *Instance) int {
	return slices.IndexFunc(g.members, func(m member) bool { return m.Instance == in })
}

// contains reports whether other is this group or is below it.
func (g *Group) contains(other *Group) bool {
	if g == other {
		return true
	}
	for _, m := range g.members {
		if m.group != nil && m.group.contains(other) {
			return true
		}
	}
	return false
}

// markOrderStale marks the order as out of date after the members have changed. markOrderStale also
// marks the groups above, because the attributes of systems below them affect their order.
func (g *Group) markOrderStale() {
	g.orderStale, g.index = true, nil
	for _, up := range g.ownInstance.groups {
		up.markOrderStale()
	}
}
