package system

import (
	"errors"
	"fmt"
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
	sequence uint64   // number of the world among all worlds of the process
	logger   Logger   // nil for the default logger, which gets each text only once
	warnings []string // warnings about creating systems and adding them to groups
	clock    Clock
	changes  uint64 // number of systems that were created plus number that were destroyed

	instances []*Instance // in the order of creation
	executing *Instance   // the system whose method runs
	goroutine uintptr     // the goroutine that calls it, from jobs.Goroutine
	updating  bool        // inside of a frame of the world
	quit      bool        // no further member updates in this frame
	closing   bool        // systems are being destroyed with the world
	closed    bool

	guestWorlds  []*roster     // other worlds whose systems updated in this frame
	conservative bool          // jobs are ordered by all components of their systems
	scope        *jobs.Scope   // scope of the frame, in which workers stay awake; nil before the first frame
	frameRunner  runner        // runner of the frame: the pool, or the scope while an execution trace is recorded
	emptyAccess  access.Access // the empty access, for jobs that use no components

	observers

	mu     sync.Mutex // guards the look-up, which groups of other worlds also use
	byType map[*Type]*typeInstances
	byPtr  map[System]*Instance

	createErrs map[*Type]error // errors of failed creations; an error is removed if a later creation succeeds
}

// observers holds the hooks that tools attach to the updates of systems.
type observers struct {
	newTimer     func(*Instance) timer // creates the timer of a system; nil unless times are measured
	frameUntimed bool                  // the current frame is not measured
	watchers     watchedUpdates        // nil unless a watcher is attached
}

// watchedUpdates runs the updates of systems while watchers are attached.
type watchedUpdates interface {
	runUpdate(in *Instance, held bool) error
}

// typeInstances lists the systems of one type that a world has.
type typeInstances struct {
	createdCount int // number of systems that have ever been created
	instances    []*Instance
}

// worlds lists the open worlds with systems in the order of their creation. The list holds weak
// pointers, so that it keeps no world alive.
var worlds worldList

type worldList struct {
	mu           sync.Mutex
	list         []weak.Pointer[roster]
	lastSequence uint64 // sequence number of the newest world
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

// busyReason returns a text that says what is running in the world, or "" if nothing is running.
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

// busyElsewhere is the result of busyReason if the caller is not the goroutine that updates the
// world.
const busyElsewhere = "another goroutine is updating it, whose it is until the update ends"

// callerOwns reports whether the calling goroutine may use the world. callerOwns tries to begin a
// frame. The attempt fails while another goroutine owns the world.
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

// enlist creates an instance for s, so that look-ups find it.
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

// createAll creates a system of each type. createAll enlists all of them before it calls the first
// Create, so that each system can find the others.
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

// removeInstance removes a system from a list. removeInstance searches from the end, because a closing
// world destroys its systems in reverse order.
func removeInstance(list []*Instance, in *Instance) []*Instance {
	for i, o := range slices.Backward(list) {
		if o == in {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}

// checkOpen returns an error if the world is closing or closed. In that state, systems can be neither
// created nor found. The parameter what names the refused operation.
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

// findType returns the first instance whose type is exactly t, or nil.
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

// findInAnyWorld returns the instance of s in this world or in another world, or nil.
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

// addGuest records that groups of this world have updated a system of another world. The jobs of
// that world are then part of the frame, and its systems can quit the frame.
func (r *roster) addGuest(guest *roster) {
	r.quit = r.quit || guest.quit
	if !slices.Contains(r.guestWorlds, guest) {
		r.guestWorlds = append(r.guestWorlds, guest)
	}
}

// isNil reports whether v is nil, a nil pointer or a nil function.
func isNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func:
		return r.IsNil()
	}
	return false
}
