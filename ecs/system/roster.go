package system

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// roster is what this package attaches to a world: its systems in the order of
// their creation, and the time.
type roster struct {
	world    *ecs.World
	flags    Flags
	sets     []*Set // of With
	planned  bool   // made with the registered types, or with some of them
	sequence uint64 // among all worlds
	logger   *slog.Logger
	clock    Clock
	changes  uint64   // systems created and destroyed
	warnings []string // of putting systems into groups

	instances []*Instance // in the order of creation
	executing *Instance   // whose method runs
	updating  bool        // inside Update of the world
	quit      bool        // no further member is to update
	closing   bool        // systems are being destroyed with the world
	closed    bool

	guests       []*roster // worlds of which systems were updated in this frame
	conservative bool      // jobs are ordered by all that their systems name

	made    map[*Type]int // how many instances there ever were
	scope   *jobs.Scope   // of the frame; nil before the first
	outside ecs.Runner    // what jobs are scheduled on outside of frames
	depth   int           // of the clock when the frame began
	idle    jobs.Access   // of jobs that touch no components: empty

	resources []resource // in the order of their making

	measure *measure // nil unless times are taken
	asked   bool     // by Measure
	border

	mu     sync.Mutex // guards the look-up, which other worlds' groups may use
	byType map[*Type][]*Instance
	byPtr  map[System]*Instance
}

// rosterKey is the key under which a world keeps its roster.
type rosterKey struct{}

// rosterFor is rosterOf for a call of a user, who may have no world. It panics then.
func rosterFor(call string, w *ecs.World) *roster {
	if err := given(call, w); err != nil {
		panic(err)
	}
	return rosterOf(w)
}

// rosterOf returns what is attached to w, attaching it the first time.
func rosterOf(w *ecs.World) *roster {
	if r, ok := w.Attached(rosterKey{}).(*roster); ok {
		return r
	}
	r := &roster{
		world:  w,
		flags:  FlagSimulation,
		logger: slog.New(slog.DiscardHandler),
		clock:  Clock{MaximumDelta: DefaultMaximumDelta},
		made:   make(map[*Type]int),
		byType: make(map[*Type][]*Instance),
		byPtr:  make(map[System]*Instance),
	}
	if _, err := w.RemoveTypes(ecs.Entity{}); err != nil {
		r.closed = true // before it ever had a system: nobody will tell
		return r
	}
	w.Attach(rosterKey{}, r)
	w.OnClose(r.close)
	worlds.add(r)
	return r
}

// busy returns the name of what is going on in the world; nothing is "".
func (r *roster) busy() string {
	switch {
	case r.executing != nil:
		return r.executing.typ.name + " is being called"
	case r.updating:
		return "it is being updated"
	}
	return ""
}

// runner is what the jobs of systems are scheduled on.
type runner interface {
	Schedule(j jobs.Job, after ...jobs.Handle) jobs.Handle
	ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle
}

// runner returns the frame's scope, or the pool outside of frames.
func (r *roster) runner() runner {
	if r.updating {
		return r.scope
	}
	return r.world.Pool()
}

// enlist makes s an instance that can be found.
func (r *roster) enlist(t *Type, s System) (*Instance, error) {
	if err := r.open("create " + t.name); err != nil {
		return nil, err
	}
	if err := t.checkHooks(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byPtr[s] != nil {
		return nil, fmt.Errorf("system: %s: the system is part of world %q already: %w", t.name, r.world.Name(), ecs.ErrArgument)
	}
	in := &Instance{world: r.world, roster: r, system: s, typ: t, timing: r.newTiming()}
	in.owner = t.name
	if r.made[t]++; r.made[t] > 1 {
		in.owner = fmt.Sprintf("%s#%d", t.name, r.made[t])
	}
	in.frame.in = in
	if g, ok := s.(grouping); ok {
		in.group = g.asGroup()
		in.group.self = in
	}
	r.instances = append(r.instances, in)
	r.byType[t] = append(r.byType[t], in)
	r.byPtr[s] = in
	r.changes++
	return in, nil
}

// strike takes an instance out of the world and out of every group.
func (r *roster) strike(in *Instance) {
	in.phase = destroyed
	for _, g := range slices.Clone(in.in) {
		g.Remove(in.system)
	}
	if in.group != nil {
		in.group.end()
	}
	same := func(o *Instance) bool { return o == in }
	r.mu.Lock()
	defer r.mu.Unlock()
	r.instances = slices.DeleteFunc(r.instances, same)
	r.byType[in.typ] = slices.DeleteFunc(r.byType[in.typ], same)
	delete(r.byPtr, in.system)
	r.changes++
}

// open reports, as an error, that the world no longer takes or shows systems.
func (r *roster) open(what string) error {
	switch {
	case r.closed:
		return fmt.Errorf("system: world %q: cannot %s: the world is closed: %w", r.world.Name(), what, ecs.ErrDisposed)
	case r.closing:
		return fmt.Errorf("system: world %q: cannot %s: the world is being closed: %w", r.world.Name(), what, ecs.ErrArgument)
	}
	return nil
}

// find returns the first instance of exactly type t.
func (r *roster) find(t *Type) *Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.byType[t]; len(s) > 0 {
		return s[0]
	}
	return nil
}

// of returns the instance that s is in this world.
func (r *roster) of(s System) *Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byPtr[s]
}

// anywhere returns the instance that s is in this world or another.
func (r *roster) anywhere(s System) *Instance {
	if in := r.of(s); in != nil {
		return in
	}
	for _, other := range worlds.all() {
		if in := other.of(s); in != nil {
			return in
		}
	}
	return nil
}

// isNil reports whether s is no system: nil, or a nil pointer of some type.
func isNil(s System) bool {
	if s == nil {
		return true
	}
	v := reflect.ValueOf(s)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
