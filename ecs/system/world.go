package system

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/internal/topo"
	"github.com/lanewise/lanewise/jobs"
)

// Option is an option of [NewWorld].
type Option func(*plan)

// plan holds the options of a new world. [NewWorld] creates a plan, then an empty world from the
// plan, and then the systems. Package app does the same in steps, so that a bootstrap can take
// part. Package driver connects the two packages.
type plan struct {
	// noDefault and noEditor keep package app from creating its worlds. noDefault and noEditor are
	// options of package app.
	noDefault, noEditor bool

	kinds     worldKinds
	pool      *jobs.Pool
	logger    Logger
	only      []*Type
	onlyGiven bool // use only the types of Only and of plugins
	plugins   []*Plugin

	registered []*Type // the types that were registered when the world was created
}

// newPlan applies the options to a plan. If the options do not contain [WithKind], the world gets the
// kind in the parameter unless. If an option is nil, newPlan panics with a message that begins with
// call.
func newPlan(call string, unless WorldKind, opts ...Option) *plan {
	p := new(plan)
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("%s: option %d is nil", call, i))
		}
		o(p)
	}
	if p.kinds == 0 {
		p.SetKind(unless)
	}
	return p
}

// SetKind sets the kind of the world. It replaces the kind that the options have set.
func (p *plan) SetKind(k WorldKind) { p.kinds = k.worldKinds().reduceLive() }

// WithKind adds a kind to the world. Without WithKind, a world of [NewWorld] is a simulation, and
// the default world of package app is a game.
func WithKind[K WorldKind]() Option {
	var k K
	return func(p *plan) { p.kinds |= k.worldKinds().reduceLive() }
}

// OnPool makes the world's jobs run on the given pool instead of the default one.
func OnPool(pool *jobs.Pool) Option { return func(p *plan) { p.pool = pool } }

// Only makes the given types replace the registered types of the world. The given types may be
// [Manual], or may be for other kinds of world. The world still has the default groups and their
// command-buffer systems. If the option is given several times, all of the types are used.
func Only(ts ...*Type) Option {
	return func(p *plan) { p.only, p.onlyGiven = append(p.only, ts...), true }
}

// WithPlugins adds plugins to the plugins that are registered or whose types [Only] lists. The
// plugins are handled as if they were registered for this world alone. So their types that are
// [Manual] or for other kinds of world are excluded. The option may be given several times.
// WithPlugins panics if a plugin is nil.
func WithPlugins(plugins ...*Plugin) Option {
	if slices.Contains(plugins, nil) {
		panic("system: WithPlugins: a plugin is nil")
	}
	return func(p *plan) { p.plugins = append(p.plugins, plugins...) }
}

// NewWorld creates a world with the default groups and a system of every registered type that is
// for worlds of its kind:
//
//	Initialization   BeginInitialization … EndInitialization
//	Simulation       BeginSimulation
//	                 FixedStep     BeginFixedStep … EndFixedStep
//	                 VariableRate  BeginVariableRate … EndVariableRate
//	                 …
//	                 LateSimulation
//	                 EndSimulation
//	Presentation     BeginPresentation … EndPresentation
//
// If a system cannot be created or placed, the world does not have that system, and NewWorld
// returns the world together with the joined errors. The caller must close the world, even if
// NewWorld returns an error.
func NewWorld(name string, opts ...Option) (*ecs.World, error) {
	p := newPlan("system: NewWorld", SimulationWorld{}, opts...)
	w := p.Empty(name)
	basic, own := p.Types()
	return w, attachmentOf(w).populate(append(basic, own...))
}

// Empty creates the world without systems.
func (p *plan) Empty(name string) *ecs.World {
	var opts []ecs.Option
	if p.pool != nil {
		opts = append(opts, ecs.OnPool(p.pool))
	}
	w := ecs.NewWorld(name, opts...)
	a := attachmentOf(w)
	a.worldKinds, a.plugins, a.worldPlan = p.kinds, p.plugins, p
	p.registered = RegisteredTypes()
	a.logger = p.logger
	if !p.onlyGiven {
		noteWorldMade(a)
	}
	return w
}

// admittedTypes returns the types in ts that a new world of these kinds receives automatically.
func (w worldKinds) admittedTypes(ts []*Type) (own []*Type) {
	for _, t := range ts {
		if t == nil || !t.attrs().Manual && w.admitsType(t.attrs().For) { // populate reports a nil type
			own = append(own, t)
		}
	}
	return own
}

// Types returns the types of the world's systems without duplicates: the default groups with their
// members, and the types that only this world uses.
func (p *plan) Types() (basic, own []*Type) {
	basic, own = defaultTypes(), []*Type{}
	var ts []*Type
	if p.onlyGiven {
		ts = append(ts, p.only...)
	} else {
		ts = append(ts, p.kinds.admittedTypes(RegisteredTypes())...)
	}
	for _, s := range p.plugins {
		ts = append(ts, p.kinds.admittedTypes(s.Types)...)
	}
	for _, t := range ts {
		if !slices.Contains(basic, t) && !slices.Contains(own, t) {
			own = append(own, t)
		}
	}
	return basic, own
}

// AddSystems creates a system in w for each given type for which w has none. AddSystems adds the
// systems to the groups that their attributes name. Groups and their members may be listed in any
// order. AddSystems ignores [Manual] and [For], because the caller lists the types. Use AddSystems
// for a world of ecs.NewWorld, which has no groups, or to add systems later.
//
// In a world without [Simulation], a group that names no group is a root. The program updates it by
// [Instance.Update].
//
// Like NewWorld, AddSystems refuses a type that has both [In] and [First] or [Last] for one group.
// Remove the In, because First and Last also name the group. [Create] with [Group.Add] does not
// read these fields, because the caller chooses the group.
//
// If a system cannot be created or placed, w does not have that system, and AddSystems returns the
// joined errors. If the group of a system is missing, that is not an error, but one of the
// [Warnings].
func AddSystems(w *ecs.World, types ...*Type) error {
	if err := checkWorld("AddSystems", w); err != nil {
		return err
	}
	a := attachmentOf(w)
	if err := a.checkOpen("be populated"); err != nil {
		return err
	}
	return a.populate(types)
}

// populate creates a system for each type for which the world has none, and adds the systems to
// their groups.
func (a *attachment) populate(ts []*Type) error {
	if slices.Contains(ts, nil) {
		rest := slices.DeleteFunc(slices.Clone(ts), func(t *Type) bool { return t == nil })
		return errors.Join(fmt.Errorf("system: world %q: a system type of the list is nil: %w", a.world.Name(), ecs.ErrArgument), a.populate(rest))
	}
	ts, err := a.creationOrder(ts)
	if err != nil {
		return err
	}
	var missing []*Type
	for _, t := range ts {
		if a.findType(t) == nil {
			missing = append(missing, t)
		}
	}
	created, err := a.createAll(missing)
	errs := []error{err}
	for _, t := range ts {
		if in := a.findType(t); in != nil {
			errs = append(errs, a.placeInGroups(in))
		}
	}
	for _, in := range a.topGroups(ts) {
		errs = append(errs, in.group.Sort())
	}
	a.logCreated(created)
	return errors.Join(errs...)
}

// topGroups returns the root groups of the world, and those groups of the given types that are in
// no other group.
func (a *attachment) topGroups(ts []*Type) (tops []*Instance) {
	first := roots()
	for _, t := range first {
		if in := a.findType(t); in != nil {
			tops = append(tops, in)
		}
	}
	for _, t := range ts {
		if in := a.findType(t); in != nil && in.group != nil && len(in.groups) == 0 && !slices.Contains(first[:], t) {
			tops = append(tops, in)
		}
	}
	return tops
}

// creationOrder sorts types by CreateBefore and CreateAfter. If these attributes do not order two
// types, the types are ordered by name.
func (a *attachment) creationOrder(ts []*Type) ([]*Type, error) {
	at := make(map[*Type]int, len(ts))
	keys := make([]topo.Key, len(ts))
	for i, t := range ts {
		at[t] = i
		keys[i] = topo.Key{Name: t.name}
	}
	var edges []edge
	for i, t := range ts {
		for _, other := range t.attrs().CreateBefore {
			if j, ok := at[other]; ok && j != i {
				edges = append(edges, edge{From: i, To: j, Reason: constraint{t, other, false}})
			}
		}
		for _, other := range t.attrs().CreateAfter {
			if j, ok := at[other]; ok && j != i {
				edges = append(edges, edge{From: j, To: i, Reason: constraint{t, other, true}})
			}
		}
	}
	order, loop := topo.Sort(keys, edges)
	if loop != nil {
		return nil, newCycleError("", ts, loop)
	}
	sorted := make([]*Type, len(order))
	for i, j := range order {
		sorted[i] = ts[j]
	}
	return sorted, nil
}

// placeInGroups adds a system to the groups that its type names. If the type names none, it adds
// the system to Simulation.
func (a *attachment) placeInGroups(in *Instance) error {
	if isRoot(in.typ) {
		return nil
	}
	places := in.typ.attrs().Places
	if len(places) == 0 && in.group != nil && a.findType(typeFor[Simulation]()) == nil {
		return nil // the system is a root
	}
	if len(places) == 0 {
		places = []groupPlacement{{Group: typeFor[Simulation]()}}
	}
	var errs []error
	for i, p := range places {
		errs = append(errs, a.placeInGroup(in, p, places[:i]))
	}
	return errors.Join(errs...)
}

func (a *attachment) placeInGroup(in *Instance, p groupPlacement, earlier []groupPlacement) error {
	name := in.typ.name
	for _, e := range earlier {
		if e.Group == p.Group && e.part() != p.part() {
			return fmt.Errorf("system: %s: it stands in %s both as %v and as %v; keep one: %w", name, p.Group.name, e.part(), p.part(), ecs.ErrState)
		}
	}
	if !p.Group.isGroup {
		return fmt.Errorf("system: %s: it stands in %s, which is not a group; a group embeds system.Group: %w", name, p.Group.name, ecs.ErrState)
	}
	g := a.findType(p.Group)
	if g == nil {
		a.warnMissing(name, p.Group)
		return nil
	}
	return g.group.add(in)
}

// warnMissing warns that a system will not be updated because its group is missing.
func (a *attachment) warnMissing(name string, g *Type) {
	text := fmt.Sprintf("system: %s stands in %s, which this world does not have, and will not be updated; register the group, or name it beside the system", name, g.name)
	if g.attrs().Manual {
		text = fmt.Sprintf("system: %s stands in %s, which is Manual, and will not be updated; create the group and add the system to it", name, g.name)
	}
	a.warn(text)
}
