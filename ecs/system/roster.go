package system

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"weak"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// roster is the systems of a world in the order of their creation, and what they share.
type roster struct {
	world    *ecs.World
	sequence uint64       // among all worlds
	logger   *slog.Logger // nil: the default one, which has each text once
	warnings []string     // of making systems and putting them into groups
	clock    Clock
	changes  uint64 // systems created and destroyed

	instances []*Instance // in the order of creation
	executing *Instance   // whose method runs
	updating  bool        // inside a frame of the world
	quit      bool        // no further member is to update
	closing   bool        // systems are being destroyed with the world
	closed    bool

	guests       []*roster     // worlds of which systems were updated in this frame
	conservative bool          // jobs are ordered by all that their systems name
	scope        *jobs.Scope   // of the frame; nil before the first
	idle         access.Access // of jobs that touch no components: empty

	observers

	mu    sync.Mutex // guards the look-up, which other worlds' groups may use
	kinds map[*Type]*kind
	byPtr map[System]*Instance

	failed map[*Type]error // creations that failed, unless a later one did not
}

// observers is what looks at what systems do.
type observers struct {
	timers   func(*Instance) timer // makes what takes the times of a system; nil when they are not wanted
	skipped  bool                  // nor are those of this frame
	watchers watchedUpdates        // nil when none watches
}

// watchedUpdates makes the updates of systems while they are watched.
type watchedUpdates interface {
	run(in *Instance, held bool) error
}

// kind is the systems of one type that a world has.
type kind struct {
	made int // how many there ever were
	list []*Instance
}

// worlds are the worlds with systems, in the order of their creation. It does
// not keep a world alive that nothing else knows.
var worlds worldList

type worldList struct {
	mu   sync.Mutex
	list []weak.Pointer[roster]
	made uint64 // sequence number of the last
}

func (l *worldList) add(r *roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	r.sequence = l.made
	l.list = append(l.list, weak.Make(r))
}

func (l *worldList) remove(r *roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(p weak.Pointer[roster]) bool {
		other := p.Value()
		return other == nil || other == r
	})
}

func (l *worldList) all() (rs []*roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.list {
		if r := p.Value(); r != nil {
			rs = append(rs, r)
		}
	}
	return rs
}

// busy returns the name of what is going on in the world; nothing is "".
func (r *roster) busy() string {
	switch {
	case (r.executing != nil || r.updating) && !r.owned():
		return elsewhere
	case r.executing != nil:
		return r.executing.typ.name + " is being called"
	case r.updating:
		return "it is being updated"
	}
	return ""
}

// elsewhere is what busy returns to others than the goroutine that is at it.
const elsewhere = "another goroutine is updating it, whose it is until the update ends"

// owned reports whether the world is not another goroutine's: it asks as a frame does, which is refused.
func (r *roster) owned() (mine bool) {
	defer func() {
		e := recover()
		if err, is := e.(error); e != nil && !(is && errors.Is(err, ecs.ErrState)) {
			panic(e)
		}
	}()
	r.world.Scheduler().BeginFrame()
	r.world.Scheduler().EndFrame()
	return true
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
	in := &Instance{world: r.world, roster: r, system: s, typ: t}
	k := r.kinds[t]
	if k == nil {
		k = new(kind)
		r.kinds[t] = k
	}
	in.owner = t.name
	if k.made++; k.made > 1 {
		in.owner = fmt.Sprintf("%s#%d", t.name, k.made)
	}
	if r.timers != nil {
		in.timer = r.timers(in)
	}
	in.frame.in = in
	if g, ok := s.(grouping); ok {
		in.group = g.asGroup()
		in.group.self = in
	}
	r.instances = append(r.instances, in)
	k.list = append(k.list, in)
	r.byPtr[s] = in
	delete(r.failed, t)
	r.changes++
	return in, nil
}

// create makes s a system of the world.
func (r *roster) create(t *Type, s System) (*Instance, error) {
	in, err := r.enlist(t, s)
	if err != nil {
		return nil, err
	}
	r.warnOf(t)
	if err := in.create(); err != nil {
		return in, r.fail(t, err)
	}
	return in, nil
}

// createAll makes a system of each type: all can be found before the first is created.
func (r *roster) createAll(ts []*Type) (made []*Instance, err error) {
	var errs []error
	for _, t := range ts {
		if !t.isSystem {
			errs = append(errs, r.fail(t, fmt.Errorf("system: %s is not a system: its pointer has no Update(*system.Frame) error: %w", t.name, ecs.ErrArgument)))
			continue
		}
		in, err := r.enlist(t, t.make())
		if err != nil {
			errs = append(errs, r.fail(t, err))
			continue
		}
		r.warnOf(t)
		made = append(made, in)
	}
	made = slices.DeleteFunc(made, func(in *Instance) bool {
		err := in.create()
		if err != nil {
			errs = append(errs, r.fail(in.typ, err))
		}
		return err != nil
	})
	return made, errors.Join(errs...)
}

// unlist takes an instance out of the world and out of every group.
func (r *roster) unlist(in *Instance) {
	in.phase = destroyed
	for _, g := range slices.Clone(in.in) {
		g.Remove(in.system)
	}
	if in.group != nil {
		in.group.end()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.instances = removeInstance(r.instances, in)
	k := r.kinds[in.typ]
	k.list = removeInstance(k.list, in)
	delete(r.byPtr, in.system)
	r.changes++
}

// removeInstance takes a system out of a list, where the last ones are the first to end.
func removeInstance(list []*Instance, in *Instance) []*Instance {
	for i, o := range slices.Backward(list) {
		if o == in {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
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

// mustBeOpen panics with what open reports.
func (r *roster) mustBeOpen(what string) {
	if err := r.open(what); err != nil {
		panic(err)
	}
}

// find returns the first instance of exactly type t.
func (r *roster) find(t *Type) *Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := r.kinds[t]; k != nil && len(k.list) > 0 {
		return k.list[0]
	}
	return nil
}

// of returns the instance that s is in this world.
func (r *roster) of(s System) *Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byPtr[s]
}

// findInAnyWorld returns the instance that s is in this world or another.
func (r *roster) findInAnyWorld(s System) *Instance {
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

// host takes note of another world, of which a system was updated in this one's
// groups: its jobs are part of the frame, and its systems can end it.
func (r *roster) host(guest *roster) {
	r.quit = r.quit || guest.quit
	if !slices.Contains(r.guests, guest) {
		r.guests = append(r.guests, guest)
	}
}

// isNil reports whether s is no system: nil, or a nil pointer of some type.
func isNil(s System) bool {
	if s == nil {
		return true
	}
	v := reflect.ValueOf(s)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
