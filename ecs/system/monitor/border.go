package monitor

import (
	"fmt"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Ticker is what ticks the frames of a world from outside, as a loop of package app does.
type Ticker = interface {
	// Hold calls f, which may take its time: see [Hold].
	Hold(f func())
}

// Border is what functions of [OnBorder] are shown of a world between two frames: after all jobs
// of a frame are done, before the next one begins. It is good during the call only.
type Border = struct {
	World      *ecs.World
	Ticker     Ticker // that ticks; nil if the frame is one of system.Update
	Frame      uint64 // number of the frame among those of the world, from 1
	Start, End time.Duration
	Timed      bool    // the times of the frame were taken: see [Record]
	Turns      []Turn  // what updated in a frame whose times were taken
	Errs       []error // what went wrong in the frame
}

// Turn is one update of a system in a frame on the owner's goroutine, or one wait for jobs.
// Times are those of profile.Clock.
type Turn = struct {
	Instance   *system.Instance // that updated, or that was waited for; nil if the wait was for jobs of no system
	Start, End time.Duration
	Depth      int  // how many updates it happened in
	Wait       bool // for jobs of Instance: of several systems, for those of the one that worked most meanwhile
}

// OnBorder makes every end of a frame of w call f on the owner's goroutine, after what
// was given before. The frames of a loop with several worlds end together. If f panics
// the frame returns a *system.PanicError. Remove takes f out again, as often as one likes and
// during a call of f too. Where there is none it costs a frame one comparison. It is for
// the owner of w, and panics if f is nil.
func OnBorder(w *ecs.World, f func(*Border)) (remove func()) { return internals.OnBorder(w, f) }

// OnEveryBorder is [OnBorder] for all worlds, those to come included. It may be called by
// any goroutine, and so may remove; a call of f that is under way, or about to begin,
// may still come after remove has returned. Each world calls f on its own owner's
// goroutine, several at a time. Where there is none it costs a frame one atomic load.
func OnEveryBorder(f func(*Border)) (remove func()) { return internals.OnEveryBorder(f) }

// Hold calls f, which may take its time, at border b: a pause. Real time that passes meanwhile is
// not time of the worlds of the loop: after a pause they go on where they were.
func Hold(b *Border, f func()) {
	switch {
	case b == nil:
		panic(fmt.Errorf("system: monitor.Hold: the border is nil: give the one that a function of OnBorder is shown: %w", ecs.ErrArgument))
	case f == nil:
		panic(fmt.Errorf("system: monitor.Hold: the function is nil: %w", ecs.ErrArgument))
	}
	if b.Ticker == nil {
		f()
		return
	}
	b.Ticker.Hold(f)
}
