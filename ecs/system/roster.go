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
	goroutine uintptr     // the goroutine that calls it, from jobs.Goroutine
	updating  bool        // inside of a frame of the world
	quit      bool        // no further member updates in this frame
	closing   bool        // systems are being destroyed with the world
	closed    bool

	guestWorlds  []*roster     // other worlds with systems that updated in this frame
	conservative bool          // jobs are ordered by all components that their systems name
	scope        *jobs.Scope   // of the frame, in which workers stay awake; nil before the first
	frameRunner  runner        // of the frame: the pool, or the scope while an execution trace is taken
	emptyAccess  access.Access // the empty access, of jobs that touch no components

	observers

	mu     sync.Mutex // guards the look-up, which groups of other worlds use too
	byType map[*Type]*typeInstances
	byPtr  map[System]*Instance

	createErrs map[*Type]error // failed creations, unless a later one succeeded
}

// observers holds the hooks that tools attach to the updates of systems.
type observers struct {
	newTimer     func(*Instance) timer // makes the timer of a system; nil while no times are taken
	frameUntimed bool                  // the current frame is not timed
	watchers     watchedUpdates        // nil while no watcher is attached
}

// watchedUpdates runs the updates of systems while watchers are attached.
type watchedUpdates interface {
	runUpdate(in *Instance, held bool) error
}

// typeInstances lists the systems of one type that a world has.
type typeInstances struct {
	createdCount int // number of systems that were ever created
	instances    []*Instance
}

// worlds lists the open worlds with systems in the order of their creation. It holds weak pointers,
// so that it keeps no world alive.
var worlds worldList

type worldList struct {
	mu           sync.Mutex
	list         []weak.Pointer[roster]
	lastSequence uint64 // sequence number of the last world
}

func (l *worldList) add(r *roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastSequence++
	r.sequence = l.lastSequence
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

// busyReason returns a text that says what is going on in the world, or "" if nothing is.
func (r *roster) busyReason() string {
	switch {
	case (r.executing != nil || r.updating) && !r.callerOwns():
		return busyElsewhere
	case r.executing != nil:
		return r.executing.typ.name + " is being called"
	case r.updating:
		return "it is being updated"
	}
	return ""
}

// busyElsewhere is the result of busyReason on another goroutine than the one that updates the world.
const busyElsewhere = "another goroutine is updating it, whose it is until the update ends"

// callerOwns reports whether the calling goroutine may use the world. It tries to begin a frame, which
// is refused while another goroutine has the world.
func (r *roster) callerOwns() (mine bool) {
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

// runner returns the runner of the frame, or the pool between frames.
func (r *roster) runner() runner {
	if r.updating {
		return r.frameRunner
	}
	return r.world.Pool()
}

// enlist makes s an instance that look-ups find.
func (r *roster) enlist(t *Type, s System) (*Instance, error) {
	if err := r.checkOpen("create " + t.name); err != nil {
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
	in := &Instance{world: r.world, roster: r, system: s, typ: t, matchingOnly: t.attrs().MatchingOnly}
	k := r.byType[t]
	if k == nil {
		k = new(typeInstances)
		r.byType[t] = k
	}
	in.uniqueName = t.name
	if k.createdCount++; k.createdCount > 1 {
		in.uniqueName = fmt.Sprintf("%s#%d", t.name, k.createdCount)
	}
	if r.newTimer != nil {
		in.timer = r.newTimer(in)
	}
	in.frame.in = in
	if g, ok := s.(groupSystem); ok {
		in.group = g.asGroup()
		in.group.ownInstance = in
	}
	r.instances = append(r.instances, in)
	k.instances = append(k.instances, in)
	r.byPtr[s] = in
	delete(r.createErrs, t)
	r.changes++
	return in, nil
}

// create makes s a system of the world.
func (r *roster) create(t *Type, s System) (*Instance, error) {
	in, err := r.enlist(t, s)
	if err != nil {
		return nil, err
	}
	r.warnMistakes(t)
	if err := in.create(); err != nil {
		return in, r.noteFailure(t, err)
	}
	return in, nil
}

// createAll makes a system of each type. It enlists all of them before it calls the first Create,
// so that each can find the others.
func (r *roster) createAll(ts []*Type) (made []*Instance, err error) {
	var errs []error
	for _, t := range ts {
		if !t.isSystem {
			errs = append(errs, r.noteFailure(t, fmt.Errorf("system: %s is not a system: its pointer has no Update(*system.Frame) error: %w", t.name, ecs.ErrArgument)))
			continue
		}
		in, err := r.enlist(t, t.newSystem())
		if err != nil {
			errs = append(errs, r.noteFailure(t, err))
			continue
		}
		r.warnMistakes(t)
		made = append(made, in)
	}
	made = slices.DeleteFunc(made, func(in *Instance) bool {
		err := in.create()
		if err != nil {
			errs = append(errs, r.noteFailure(in.typ, err))
		}
		return err != nil
	})
	return made, errors.Join(errs...)
}

// unlist removes an instance from the world and from every group.
func (r *roster) unlist(in *Instance) {
	in.phase = destroyed
	for _, g := range slices.Clone(in.groups) {
		g.Remove(in.system)
	}
	if in.group != nil {
		in.group.forgetMembers()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.instances = removeInstance(r.instances, in)
	k := r.byType[in.typ]
	k.instances = removeInstance(k.instances, in)
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

// checkOpen returns an error if the world is closing or closed, so that systems can be neither created
// nor found. What names the refused operation.
func (r *roster) checkOpen(what string) error {
	switch {
	case r.closed:
		return fmt.Errorf("system: world %q: cannot %s: the world is closed: %w", r.world.Name(), what, ecs.ErrDisposed)
	case r.closing:
		return fmt.Errorf("system: world %q: cannot %s: the world is being closed: %w", r.world.Name(), what, ecs.ErrArgument)
	}
	return nil
}

// mustBeOpen panics with the error of checkOpen.
func (r *roster) mustBeOpen(what string) {
	if err := r.checkOpen(what); err != nil {
		panic(err)
	}
}

// findType returns the first instance of exactly type t, or nil.
func (r *roster) findType(t *Type) *Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := r.byType[t]; k != nil && len(k.instances) > 0 {
		return k.instances[0]
	}
	return nil
}

// instanceOf returns the instance of s in this world, or nil.
func (r *roster) instanceOf(s System) *Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byPtr[s]
}

// findInAnyWorld returns the instance of s in this world or in another one, or nil.
func (r *roster) findInAnyWorld(s System) *Instance {
	if in := r.instanceOf(s); in != nil {
		return in
	}
	for _, other := range worlds.all() {
		if in := other.instanceOf(s); in != nil {
			return in
		}
	}
	return nil
}

// addGuest notes that a system of another world was updated by groups of this one: the jobs of that
// world are part of the frame, and its systems can quit the frame.
func (r *roster) addGuest(guest *roster) {
	r.quit = r.quit || guest.quit
	if !slices.Contains(r.guestWorlds, guest) {
		r.guestWorlds = append(r.guestWorlds, guest)
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
