package system

import (
	"errors"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// attachment is what this package attaches to a world: the roster of its systems, and
// around that what happens in a frame and at its end. Systems, groups and instances
// know of the roster alone; what they do for measuring goes by [timer].
type attachment struct {
	roster

	is      worldKinds // what the world is for
	plugins []*Plugin  // of WithPlugins and AddPlugin
	made    *plan      // by which it was made; nil if it was made without any system

	outside ecs.Runner    // what jobs are scheduled on outside of frames
	depth   int           // of the clock when the frame began
	by      Pauser        // that drives the frame; nil if it is one of Update
	frames  uint64        // so far
	began   time.Duration // the present one
	ends    frameEnds

	measure *measure // nil unless times are taken
	asked   bool     // by Measure
	sampling

	resources []resource // in the order of their making

	loading bool  // Restore returns what Savers refuse
	refused error // by them
}

// resource is a Resource of any type.
type resource interface{ end() error }

// attachmentKey is the key under which a world keeps its attachment.
type attachmentKey struct{}

// attachmentFor is attachmentOf for a call of a user, that may have no world. It panics then.
func attachmentFor(call string, w *ecs.World) *attachment {
	if err := worldGiven(call, w); err != nil {
		panic(err)
	}
	return attachmentOf(w)
}

// attachmentOf returns what is attached to w, attaching it the first time.
func attachmentOf(w *ecs.World) *attachment {
	if a, ok := w.Hooks().Attached(attachmentKey{}).(*attachment); ok {
		return a
	}
	a := &attachment{
		is: simulations,
		roster: roster{
			world: w,
			clock: Clock{MaximumDelta: DefaultMaximumDelta},
			kinds: make(map[*Type]*kind),
			byPtr: make(map[System]*Instance),
		},
	}
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); err != nil {
		a.closed = true // before it ever had a system: it will not be told
		return a
	}
	w.Hooks().Attach(attachmentKey{}, a)
	w.Hooks().OnClose(a.close)
	w.Hooks().OnCapture(func(m *ecs.Image) { AttachState(m, states{a}.state()) })
	w.Hooks().OnRestore(states{a}.restored)
	worlds.add(&a.roster)
	return a
}

// ClockOf returns the clock of w.
func ClockOf(w *ecs.World) *Clock { return &attachmentFor("ClockOf", w).clock }

// IsKind reports whether w is for what K says.
func IsKind[K WorldKind](w *ecs.World) bool {
	var k K
	return attachmentFor("IsKind", w).is&k.worldKinds() != 0
}

// SetConservative says whether jobs of w are ordered as the manual of Unity has it:
// by all the types that all the queries of their systems name, wherever these
// look. At first they are not: each job is ordered by what its own query touches.
func SetConservative(w *ecs.World, on bool) {
	a := attachmentFor("SetConservative", w)
	a.mustBeOpen("be made conservative")
	a.conservative = on
}

// Worlds returns the worlds that have systems and are not closed, in the order
// of their creation.
func Worlds() []*ecs.World {
	var ws []*ecs.World
	for _, r := range worlds.all() {
		ws = append(ws, r.world)
	}
	return ws
}

// SystemsVersion returns a number that increases whenever a system of w is created or destroyed: how often that has happened.
func SystemsVersion(w *ecs.World) uint64 { return attachmentFor("SystemsVersion", w).changes }

// WorldID returns the number of w among all worlds with systems that the
// process has ever had. No two worlds have the same number; later ones have larger numbers. For an open
// world any goroutine may call it.
func WorldID(w *ecs.World) uint64 {
	for _, r := range worlds.all() {
		if r.world == w {
			return r.sequence
		}
	}
	return attachmentFor("WorldID", w).sequence
}

// close ends the systems of a world that is being closed, all of them the last
// created first: it stops those that run, then destroys them, then lets go of
// what they hold. Systems can be looked up, and created, while others stop and no
// longer while others are destroyed. Resources end behind them, the last made first.
// What fails does not keep the rest from ending.
func (a *attachment) close() error {
	var errs []error
	for _, in := range slices.Backward(slices.Clone(a.instances)) {
		if in.running {
			errs = append(errs, in.stopAlone())
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
	a.meter(false)
	worlds.remove(&a.roster)
	noteClosed(&a.roster)
	if driver.Ended != nil {
		driver.Ended(a.world)
	}
	return errors.Join(errs...)
}

// endResources ends the resources of a world, the last made first.
func (a *attachment) endResources() error {
	if len(a.resources) == 0 {
		return nil
	}
	errs := []error{a.world.Sync()} // systems may have scheduled jobs as they ended
	for _, own := range slices.Backward(a.resources) {
		errs = append(errs, own.end())
	}
	a.resources = nil
	return errors.Join(errs...)
}
