package system

import (
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/ecs/system/clock"
	"github.com/lanewise/lanewise/ecs/system/state"
)

// attachment is what this package attaches to a world: the roster of its systems, and
// around that what happens in a frame and at its end. Systems, groups and instances
// know of the roster alone; what they do for measuring goes by [timer].
type attachment struct {
	roster

	is   worldKinds // what the world is for
	sets []*Set     // of With, and of packages that populate the world
	made *plan      // by which it was made; nil if it was made without any system

	outside plumbing.Runner // what jobs are scheduled on outside of frames
	depth   int             // of the clock when the frame began
	ticker  ticker          // that ticks the frame; nil if it is one of Update
	frames  uint64          // so far
	began   time.Duration   // the present one
	borders borders

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
	if a, ok := plumbing.Attached(w, attachmentKey{}).(*attachment); ok {
		return a
	}
	a := &attachment{
		is: simulations,
		roster: roster{
			world: w,
			clock: clock.Clock{MaximumDelta: clock.MaximumDelta},
			kinds: make(map[*Type]*kind),
			byPtr: make(map[System]*Instance),
		},
	}
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); err != nil {
		a.closed = true // before it ever had a system: it will not be told
		return a
	}
	plumbing.Attach(w, attachmentKey{}, a)
	plumbing.OnClose(w, a.close)
	plumbing.OnCapture(w, func(m *ecs.Image) { state.Keep(m, states{a}.state()) })
	plumbing.OnRestore(w, states{a}.restored)
	worlds.add(&a.roster)
	return a
}

// ClockOf returns the clock of w.
func ClockOf(w *ecs.World) *clock.Clock { return &attachmentFor("ClockOf", w).clock }

// Is reports whether w is for what K says.
func Is[K Kind](w *ecs.World) bool {
	var k K
	return attachmentFor("Is", w).is&k.worldKinds() != 0
}

// Conservative says whether jobs of w are ordered as the manual of Unity has it:
// by all the types that all the queries of their systems name, wherever these
// look. At first they are not: each job is ordered by what its own query touches.
func Conservative(w *ecs.World, on bool) {
	a := attachmentFor("Conservative", w)
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

// sequenceOf is monitor.Sequence: of worlds that are open it looks at what any goroutine may read.
func sequenceOf(w *ecs.World) uint64 {
	for _, r := range worlds.all() {
		if r.world == w {
			return r.sequence
		}
	}
	return attachmentFor("monitor.Sequence", w).sequence
}
