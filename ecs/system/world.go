package system

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/internal/topo"
	"github.com/lanewise/lanewise/jobs"
)

// Option changes what [NewWorld] makes.
type Option func(*plan)

// plan is the sum of the options of a new world. [NewWorld] makes a plan, the empty world of it, and then the systems of its types.
// Package app makes its worlds in these steps too, with a bootstrap in between: see package driver.
type plan struct {
	// noDefault and noEditor keep package app from making its worlds: they are options there.
	noDefault, noEditor bool

	kinds   worldKinds
	pool    *jobs.Pool
	logger  *slog.Logger
	only    []*Type
	limit   bool // only the types of only, and of plugins
	plugins []*Plugin

	offered []*Type // what was registered when the world was made
}

// newPlan returns what the options make of a world, which is of the kind unless they
// say otherwise by [WithKind]. It panics, in the name of the call, if one is nil.
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

// SetKind makes the world one of the kind alone, whatever the options say.
func (p *plan) SetKind(k WorldKind) { p.kinds = k.worldKinds().named() }

// WithKind says what the world is for. Several add up; without one that of [NewWorld] is a
// simulation, and the default world of package app a game.
func WithKind[K WorldKind]() Option {
	var k K
	return func(p *plan) { p.kinds |= k.worldKinds().named() }
}

// OnPool runs the world's jobs on a pool of one's own.
func OnPool(pool *jobs.Pool) Option { return func(p *plan) { p.pool = pool } }

// WithLogger sends warnings about the world's systems to l; nil silences them. Without it they go to slog.Default, which
// writes to standard error, each text once for all worlds. They are about systems that are never updated because their group
// is missing, order that cannot be kept, methods that are never called (OnUpdate), value receivers, and types that are
// registered after the world was made. [Warnings] returns those of the world in any case.
func WithLogger(l *slog.Logger) Option {
	if l == nil {
		l = slog.New(slog.DiscardHandler)
	}
	return func(p *plan) { p.logger = l }
}

// Only makes systems of the given types instead of the registered ones, even
// if they are [Manual] or for another kind of world. The default groups and
// their command-buffer systems are made all the same. It may be given several times.
func Only(ts ...*Type) Option {
	return func(p *plan) { p.only, p.limit = append(p.only, ts...), true }
}

// WithPlugins adds plugins to a new world, beside what is registered or what [Only] names, as
// if they were registered for this world alone: types that are [Manual], or for
// other kinds of world, are left out. It may be given several times. It panics if a
// plugin is nil.
func WithPlugins(plugins ...*Plugin) Option {
	if slices.Contains(plugins, nil) {
		panic("system: WithPlugins: a plugin is nil")
	}
	return func(p *plan) { p.plugins = append(p.plugins, plugins...) }
}

// NewWorld makes a world with the default groups, and every registered system
// that is for it in its place:
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
// A system that cannot be created or placed is left out, and the errors are
// returned, joined, together with the world.
func NewWorld(name string, opts ...Option) (*ecs.World, error) {
	p := newPlan("system: NewWorld", SimulationWorld{}, opts...)
	w := p.Empty(name)
	basic, own := p.Types()
	return w, attachmentOf(w).populate(append(basic, own...))
}

// Empty makes the world, without systems.
func (p *plan) Empty(name string) *ecs.World {
	var opts []ecs.Option
	if p.pool != nil {
		opts = append(opts, ecs.OnPool(p.pool))
	}
	w := ecs.NewWorld(name, opts...)
	a := attachmentOf(w)
	a.is, a.plugins, a.made = p.kinds, p.plugins, p
	p.offered = RegisteredTypes()
	a.logger = p.logger
	if !p.limit {
		noteMade(a)
	}
	return w
}

// admitted are those of the types that a world of these kinds has by itself.
func (w worldKinds) admitted(ts []*Type) (own []*Type) {
	for _, t := range ts {
		if t == nil || !t.attrs().Manual && w.admits(t.attrs().For) { // nil is for populate to tell
			own = append(own, t)
		}
	}
	return own
}

// Types returns the types of systems that the world is to have: the default groups and
// what stands in them, and its own, without repetition.
func (p *plan) Types() (basic, own []*Type) {
	basic, own = defaultTypes(), []*Type{}
	var ts []*Type
	if p.limit {
		ts = append(ts, p.only...)
	} else {
		ts = append(ts, p.kinds.admitted(RegisteredTypes())...)
	}
	for _, s := range p.plugins {
		ts = append(ts, p.kinds.admitted(s.Types)...)
	}
	for _, t := range ts {
		if !slices.Contains(basic, t) && !slices.Contains(own, t) {
			own = append(own, t)
		}
	}
	return basic, own
}

// AddSystems makes a system in w of each of the types of which it has none, and puts
// all of them into the groups in which they stand. Groups and their members may come
// in any order; [Manual] and [For] do not matter. It is for a world of ecs.NewWorld,
// which has no group at all, and for one that grows later.
//
// A group that names no group, in a world without [Simulation], is a root: whoever
// populates the world updates it, by [Instance.Update].
//
// Like NewWorld, it refuses a type that has both [In] and [First] or [Last] for one group:
// drop the In, because First and Last name the group too. [Create] with [Group.Add] does
// not read these fields, because the caller chooses the group.
//
// A system that cannot be created or placed is left out, and the errors are
// returned, joined; one whose group is not there is one of the [Warnings].
func AddSystems(w *ecs.World, types ...*Type) error {
	if err := worldGiven("AddSystems", w); err != nil {
		return err
	}
	a := attachmentOf(w)
	if err := a.open("be populated"); err != nil {
		return err
	}
	return a.populate(types)
}

// populate gives the world a system of each of the types, unless it has one, and
// puts them into their groups.
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
		if a.find(t) == nil {
			missing = append(missing, t)
		}
	}
	created, err := a.createAll(missing)
	errs := []error{err}
	for _, t := range ts {
		if in := a.find(t); in != nil {
			errs = append(errs, a.place(in))
		}
	}
	for _, in := range a.topGroups(ts) {
		errs = append(errs, in.group.Sort())
	}
	a.logCreated(created)
	return errors.Join(errs...)
}

// topGroups are the root groups of the world, and those groups of the given types that
// stand in no other.
func (a *attachment) topGroups(ts []*Type) (tops []*Instance) {
	first := roots()
	for _, t := range first {
		if in := a.find(t); in != nil {
			tops = append(tops, in)
		}
	}
	for _, t := range ts {
		if in := a.find(t); in != nil && in.group != nil && len(in.in) == 0 && !slices.Contains(first[:], t) {
			tops = append(tops, in)
		}
	}
	return tops
}

// creationOrder sorts types by CreateBefore and CreateAfter, and else by name.
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

// place adds a system to the groups that its type names, or to Simulation.
func (a *attachment) place(in *Instance) error {
	if isRoot(in.typ) {
		return nil
	}
	places := in.typ.attrs().Places
	if len(places) == 0 && in.group != nil && a.find(typeFor[Simulation]()) == nil {
		return nil // a root of its own
	}
	if len(places) == 0 {
		places = []place{{Group: typeFor[Simulation]()}}
	}
	var errs []error
	for i, p := range places {
		errs = append(errs, a.placeIn(in, p, places[:i]))
	}
	return errors.Join(errs...)
}

func (a *attachment) placeIn(in *Instance, p place, earlier []place) error {
	name := in.typ.name
	for _, e := range earlier {
		if e.Group == p.Group && e.order() != p.order() {
			return fmt.Errorf("system: %s: it stands in %s both as %v and as %v; keep one: %w", name, p.Group.name, e.order(), p.order(), ecs.ErrState)
		}
	}
	if !p.Group.isGroup {
		return fmt.Errorf("system: %s: it stands in %s, which is not a group; a group embeds system.Group: %w", name, p.Group.name, ecs.ErrState)
	}
	g := a.find(p.Group)
	if g == nil {
		a.warnMissing(name, p.Group)
		return nil
	}
	return g.group.add(in)
}

// warnMissing says that a system will not be updated because its group is not there.
func (a *attachment) warnMissing(name string, g *Type) {
	text := fmt.Sprintf("system: %s stands in %s, which this world does not have, and will not be updated; register the group, or name it beside the system", name, g.name)
	if g.attrs().Manual {
		text = fmt.Sprintf("system: %s stands in %s, which is Manual, and will not be updated; create the group and add the system to it", name, g.name)
	}
	a.warn(text)
}
