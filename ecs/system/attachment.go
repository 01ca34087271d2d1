package system

import (
	"errors"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// attachment holds this package's data about a world: the roster of the world's systems, the
// current frame, the functions that observe the ends of frames, measurements and resources.
// Systems, groups and instances can access only the roster, because they must work without
// measurements. These types access the measurements through the interface [timer].
type attachment struct {
	roster

	worldKinds worldKinds // the kinds of the world
	plugins    []*Plugin  // added by WithPlugins and AddPlugin
	worldPlan  *plan      // the plan of NewWorld; nil for a world that was created without systems

	outsideRunner ecs.Runner    // the runner of jobs between frames
	clockDepth    int           // number of pushed moments when the frame began
	pauser        Pauser        // the loop that runs the frame; nil if Update runs it
	frameCount    uint64        // number of frames so far
	frameStart    time.Duration // start of the current frame
	frameEnd      time.Duration // end of the last frame
	frameEnds     frameEnds

	measure   *measure // nil unless times are measured
	measureOn bool     // Measure is on
	sampling

	resources []resource // in the order of creation

	restoring bool  // Restore is running and will return the errors of Savers
	saverErrs error // the errors of Savers while restoring is set
}

// resource is a [Resource] of any type.
type resource interface{ end() error }

// attachmentKey is the key for the attachment of a world.
type attachmentKey struct{}

// attachmentFor returns the attachment of w, for an exported function. If w is nil, it panics, and
// the message begins with the name of that function.
func attachmentFor(call string, w *ecs.World) *attachment {
	if err := checkWorld(call, w); err != nil {
		panic(err)
	}
	return attachmentOf(w)
}

// attachmentOf returns the attachment of w. The first call for w creates the attachment.
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

// ClockOf returns the clock of w. It is always the same clock. ClockOf panics if w is nil. Only the
// owner of w may use the clock.
func ClockOf(w *ecs.World) *Clock { return &attachmentFor("ClockOf", w).clock }

// IsKind reports whether w is a world of kind K.
func IsKind[K WorldKind](w *ecs.World) bool {
	var k K
	return attachmentFor("IsKind", w).worldKinds&k.worldKinds() != 0
}

// SetConservative sets whether the jobs of w are ordered by whole systems, as in Unity. If on is
// set, a job waits for the jobs of every other system that shares a component type with this
// system, even if the queries of the two jobs differ. By default, only the job's own query
// determines the order, so more jobs run at the same time. SetConservative panics if w is
// closed.
func SetConservative(w *ecs.World, on bool) {
	a := attachmentFor("SetConservative", w)
	a.mustBeOpen("be made conservative")
	a.conservative = on
}

// Worlds returns the open worlds with systems, in the order of their creation. Worlds is safe for
// concurrent use.
func Worlds() []*ecs.World {
	var ws []*ecs.World
	for _, r := range worlds.all() {
		ws = append(ws, r.world)
	}
	return ws
}

// SystemsVersion returns the number of systems that were created in w plus the number that were
// destroyed. If the number has changed, a tool knows that its list of systems is out of date.
func SystemsVersion(w *ecs.World) uint64 { return attachmentFor("SystemsVersion", w).changes }

// WorldID returns the number of w among all worlds with systems in the process. Two worlds never
// have the same number, and a later world has a larger number. For an open world, WorldID is safe
// for concurrent use.
func WorldID(w *ecs.World) uint64 {
	for _, r := range worlds.all() {
		if r.world == w {
			return r.sequence
		}
	}
	return attachmentFor("WorldID", w).sequence
}

// close destroys the systems of a world that is being closed, in the reverse order of their
// creation. close stops the running systems, then destroys all systems, and then releases their
// queries and jobs. While systems are stopped, programs can still find and create systems, but not
// while systems are destroyed. Resources are removed after the systems, because Destroy may still
// use them. If an error occurs, close continues with the rest.
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

// endResources removes the resources of the world in the reverse order of their creation.
func (a *attachment) endResources() error {
	if len(a.resources) == 0 {
		return nil
	}
	errs := []error{a.world.Sync()} // wait for jobs that systems have scheduled in StopRunning or Destroy
	for _, own := range slices.Backward(a.resources) {
		errs = append(errs, own.end())
	}
	a.resources = nil
	return errors.Join(errs...)
}
