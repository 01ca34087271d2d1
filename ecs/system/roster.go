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

// roster holds the systems of a world in the order of their creation, and the state that they
// share.
type roster struct {
	world    *ecs.World
	sequence uint64       // number of the world in the process
	logger   *slog.Logger // nil for the default one, which gets each text once
	warnings []string     // about creating systems and putting them into groups
	clock    Clock
	changes  uint64 // number of systems created and destroyed

	instances []*Instance // in the order of creation
	executing *Instance   // the system whose method runs
	updating  bool        // inside of a frame of the world
	quit      bool        // no further member updates in this frame
	closing   bool        // systems are being destroyed with the world
	closed    bool

	guests       []*roster     // other worlds with systems that updated in this frame
	conservative bool          // jobs are ordered by all components that their systems name
	scope        *jobs.Scope   // of the frame; nil before the first
	idle         access.Access // the empty access, of jobs that touch no components

	observers

	mu    sync.Mutex // guards the look-up, which groups of other worlds use too
	kinds map[*Type]*kind
	byPtr map[System]*Instance

	failed map[*Type]error // failed creations, unless a later one succeeded
}

// observers holds the hooks that tools attach to the updates of systems.
type observers struct {
	timers   func(*Instance) timer // makes the timer of a system; nil while no times are taken
	skipped  bool                  // the current frame is not timed
	watchers watchedUpdates        // nil while no watcher is attached
}

// watchedUpdates runs the updates of systems while watchers are attached.
type watchedUpdates interface {
	run(in *Instance, held bool) error
}

// kind lists the systems of one type that a world has.
type kind struct {
	made int // number of systems that were ever created
	list []*Instance
}

// worlds lists the open worlds with systems in the order of their creation. It holds weak pointers,
// so that it keeps no world alive.
var worlds worldList

type worldList struct {
	mu   sync.Mutex
	list []weak.Pointer[roster]
	made uint64 // sequence number of the last world
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

// busy returns a text that says what is going on in the world, or "" if nothing is.
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

// elsewhere is the result of busy on another goroutine than the one that updates the world.
const elsewhere = "another goroutine is updating it, whose it is until the update ends"

// owned reports whether the calling goroutine may use the world. It tries to begin a frame, which
// is refused while another goroutine has the world.
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

// runner schedules the jobs of systems.
type runner interface {
	Schedule(j jobs.Job, after ...jobs.Handle) jobs.Handle
	ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle
}

// runner returns the scope of the frame, or the pool between frames.
func (r *roster) runner() runner {
	if r.updating {
		return r.scope
	}
	return r.world.Pool()
}

// enlist makes s an instance that look-ups find.
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

// createAll makes a system of each type. It enlists all of them before it calls the first Create,
// so that each can find the others.
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

// unlist removes an instance from the world and from every group.
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

// removeInstance removes a system from a list. It searches from the end, because the systems of a
// closing world end in reverse order.
func removeInstance(list []*Instance, in *Instance) []*Instance {
	for i, o := range slices.Backward(list) {
		if o == in {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}

// open returns an error if the world is closing or closed, so that systems can be neither created
// nor found. What names the refused operation.
func (r *roster) open(what string) error {
	switch {
	case r.closed:
		return fmt.Errorf("system: world %q: cannot %s: the world is closed: %w", r.world.Name(), what, ecs.ErrDisposed)
	case r.closing:
		return fmt.Errorf("system: world %q: cannot %s: the world is being closed: %w", r.world.Name(), what, ecs.ErrArgument)
	}
	return nil
}

// mustBeOpen panics with the error of open.
func (r *roster) mustBeOpen(what string) {
	if err := r.open(what); err != nil {
		panic(err)
	}
}

// find returns the first instance of exactly type t, or nil.
func (r *roster) find(t *Type) *Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := r.kinds[t]; k != nil && len(k.list) > 0 {
		return k.list[0]
	}
	return nil
}

// of returns the instance of s in this world, or nil.
func (r *roster) of(s System) *Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byPtr[s]
}

// findInAnyWorld returns the instance of s in this world or in another one, or nil.
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

// host notes that a system of another world was updated by groups of this one: the jobs of that
// world are part of the frame, and its systems can quit the frame.
func (r *roster) host(guest *roster) {
	r.quit = r.quit || guest.quit
	if !slices.Contains(r.guests, guest) {
		r.guests = append(r.guests, guest)
	}
}

// isNil reports whether s is nil or a nil pointer.
func isNil(s System) bool {
	if s == nil {
		return true
	}
	v := reflect.ValueOf(s)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
