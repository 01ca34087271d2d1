package system

import (
	"errors"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// attachment holds everything that this package keeps for a world: the roster of its systems, the
// current frame, the functions that watch the ends of frames, measurements and resources. Systems,
// groups and instances know only the roster, because they must work without measurements; they
// reach the measurements through [timer].
type attachment struct {
	roster

	worldKinds worldKinds // the kinds of the world
	plugins    []*Plugin  // added by WithPlugins and AddPlugin
	worldPlan  *plan      // the plan of NewWorld; nil for a world that was made without systems

	outsideRunner ecs.Runner    // the runner of jobs between frames
	clockDepth    int           // number of pushed moments when the frame began
	pauser        Pauser        // the driver of the frame; nil if Update runs it
	frameCount    uint64        // number of frames so far
	frameStart    time.Duration // start of the current frame
	frameEnds     frameEnds

	measure   *measure // nil while times are not taken
	measureOn bool     // Measure was switched on
	sampling

	resources []resource // in the order of creation

	restoring bool  // inside of Restore, which returns the errors of Savers
	saverErrs error // the errors of Savers while restoring is set
}

// resource is a [Resource] of any type.
type resource interface{ end() error }

// attachmentKey is the key under which a world keeps its attachment.
type attachmentKey struct{}

// attachmentFor is attachmentOf for an exported function. It panics in the name of that function if
// w is nil.
func attachmentFor(call string, w *ecs.World) *attachment {
	if err := checkWorld(call, w); err != nil {
		panic(err)
	}
	return attachmentOf(w)
}

// attachmentOf returns the attachment of w. The first call creates it.
func attachmentOf(w *ecs.World) *attachment {
	if a, ok := w.Hooks().Attached(attachmentKey{}).(*attachment); ok {
		return a
	}
	a := &attachment{
		worldKinds: simulationKind,
		roster: roster{
			world:  w,
			clock:  Clock{MaximumDelta: DefaultMaximumDelta},
			byType: make(map[*Type]*typeInstances),
			byPtr:  make(map[System]*Instance),
		},
	}
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); err != nil {
		a.closed = true // w was closed before it had a system, so its hooks would never be called
		return a
	}
	w.Hooks().Attach(attachmentKey{}, a)
	w.Hooks().OnClose(a.close)
	w.Hooks().OnCapture(func(m *ecs.Image) { AttachState(m, stateHandler{a}.state()) })
	w.Hooks().OnRestore(stateHandler{a}.afterRestore)
	worlds.add(&a.roster)
	return a
}

// ClockOf returns the clock of w, which is the same one for the life of w. It panics if w is nil.
// Only the owner of w may use the clock.
func ClockOf(w *ecs.World) *Clock { return &attachmentFor("ClockOf", w).clock }

// IsKind reports whether w is a world of kind K.
func IsKind[K WorldKind](w *ecs.World) bool {
	var k K
	return attachmentFor("IsKind", w).worldKinds&k.worldKinds() != 0
}

// SetConservative sets whether jobs of w are ordered by whole systems, as in Unity: then a job
// waits for each job of a system whose queries name a common type, even if the two jobs use other
// queries. By default a job is ordered by its own query only, so more jobs run at once. It panics
// if w is closed.
func SetConservative(w *ecs.World, on bool) {
	a := attachmentFor("SetConservative", w)
	a.mustBeOpen("be made conservative")
	a.conservative = on
}

// Worlds returns the open worlds that have systems, in the order of their creation. Any goroutine
// may call it.
func Worlds() []*ecs.World {
	var ws []*ecs.World
	for _, r := range worlds.all() {
		ws = append(ws, r.world)
	}
	return ws
}

// SystemsVersion returns the number of systems that were created and destroyed in w so far. A tool
// compares it with the number that it saw last, in order to learn whether its list of systems is
// still right.
func SystemsVersion(w *ecs.World) uint64 { return attachmentFor("SystemsVersion", w).changes }

// WorldID returns the number of w among all worlds with systems of the process. Two worlds never
// have the same number, and a later world has a larger number. Any goroutine may call it for an
// open world.
func WorldID(w *ecs.World) uint64 {
	for _, r := range worlds.all() {
		if r.world == w {
			return r.sequence
		}
	}
	return attachmentFor("WorldID", w).sequence
}

// close ends the systems of a world that is being closed, in the reverse order of their creation:
// it stops the running systems, then destroys all, then releases their queries and jobs. While
// systems stop, systems can still be looked up and created; while they are destroyed, they cannot.
// Resources end after the systems, because Destroy may still use them. An error does not keep the
// rest from ending.
func (a *attachment) close() error {
	var errs []error
	for _, in := range slices.Backward(slices.Clone(a.instances)) {
		if in.running {
			errs = append(errs, in.callStopRunning())
		}
	}
	a.closing = true
	all := slices.Clone(a.instances)
	slices.Reverse(all)
	for _, in := range all {
		in.complete()
		errs = append(errs, in.callDestroy())
	}
	for _, in := range all {
		errs = append(errs, in.release())
		a.unlist(in)
	}
	errs = append(errs, a.endResources())
	a.closed = true
	a.setMetering(false)
	worlds.remove(&a.roster)
	noteWorldClosed(&a.roster)
	if driver.Ended != nil {
		driver.Ended(a.world)
	}
	return errors.Join(errs...)
}

// endResources ends the resources of the world in the reverse order of their creation.
func (a *attachment) endResources() error {
	if len(a.resources) == 0 {
		return nil
	}
	errs := []error{a.world.Sync()} // systems may have scheduled jobs in StopRunning or Destroy
	for _, own := range slices.Backward(a.resources) {
		errs = append(errs, own.end())
	}
	a.resources = nil
	return errors.Join(errs...)
}
