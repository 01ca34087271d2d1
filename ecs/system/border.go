package system

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/profile"
)

// What is in this file is for tools that look at worlds while they run, as package inspect
// does: they are called between two frames, and have what happened in the last one kept.

// HistoryLen is how many frames are kept of each system while there is a recording.
const HistoryLen = 240

// Ticker is what ticks the frames of a world from outside, as a loop of package app does.
type Ticker interface {
	// Hold calls f, which may take its time: see [Border.Hold].
	Hold(f func())
}

// Border is what functions of [OnBorder] are shown of a world between two frames: after all jobs
// of a frame are done, before the next one begins. It is good during the call only.
type Border struct {
	World      *ecs.World
	Ticker     Ticker // that ticks; nil if the frame is one of [Update]
	Frame      uint64 // number of the frame among those of the world, from 1
	Start, End time.Duration
	Timed      bool    // the times of the frame were taken: see [Record]
	Turns      []Turn  // what updated in a frame whose times were taken
	Errs       []error // what went wrong in the frame
}

// Hold calls f, which may take its time: a pause. Real time that passes meanwhile is
// not time of the worlds of the loop: after a pause they go on where they were.
func (b *Border) Hold(f func()) {
	if b.Ticker == nil {
		f()
		return
	}
	b.Ticker.Hold(f)
}

// Turn is one update of a system in a frame on the owner's goroutine, or one wait for jobs.
// Times are those of [profile.Clock].
type Turn struct {
	Instance   *Instance // that updated, or that was waited for; nil if it is no one system
	Start, End time.Duration
	Depth      int  // how many updates it happened in
	Wait       bool // for jobs of Instance, most of all
}

// Sample is what a system took in one frame, or in none: then Updates is 0.
type Sample struct {
	Frame   uint64
	Updates int
	Jobs    int
	Own     time.Duration // as in explain.System
	Waited  time.Duration
	Work    time.Duration
	Span    time.Duration
}

// borders is what an attachment knows of the functions that watch its world, and what it shows them.
type borders struct {
	watchers []*func(*Border)
	shown    Border
	turns    []Turn
	nesting  int // of updates
}

// OnBorder makes every end of a frame of w call f on the owner's goroutine, after what
// was given before. The frames of a loop with several worlds end together. If f panics
// the frame returns a *[PanicError]. Remove takes f out again, as often as one likes and
// during a call of f too. Where there is none it costs a frame one comparison. It is for
// the owner of w, and panics if f is nil.
func OnBorder(w *ecs.World, f func(*Border)) (remove func()) {
	a := attachmentFor("OnBorder", w)
	a.mustBeOpen("be watched")
	if f == nil {
		panic(fmt.Errorf("system: OnBorder: world %q: the function is nil: to end it call what OnBorder has returned: %w", w.Name(), ecs.ErrArgument))
	}
	own := &f
	a.borders.watchers = append(a.borders.watchers[:len(a.borders.watchers):len(a.borders.watchers)], own)
	return func() {
		var others []*func(*Border)
		for _, o := range a.borders.watchers {
			if o != own {
				others = append(others, o)
			}
		}
		a.borders.watchers = others
	}
}

// everyBorder is the functions that watch all worlds. The list is written under mu, always a new one,
// and read by the owners of all worlds at the ends of their frames; nil is empty.
var everyBorder struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(*Border)]
}

// OnEveryBorder is [OnBorder] for all worlds, those to come included. It may be called by
// any goroutine, and so may remove; a call of f that is under way, or about to begin,
// may still come after remove has returned. Each world calls f on its own owner's
// goroutine, several at a time. Where there is none it costs a frame one atomic load.
func OnEveryBorder(f func(*Border)) (remove func()) {
	if f == nil {
		panic("system: OnEveryBorder: the function is nil")
	}
	own := &f
	change := func(edit func([]*func(*Border)) []*func(*Border)) {
		everyBorder.mu.Lock()
		defer everyBorder.mu.Unlock()
		var list []*func(*Border)
		if before := everyBorder.list.Load(); before != nil {
			list = slices.Clone(*before)
		}
		if list = edit(list); len(list) == 0 {
			everyBorder.list.Store(nil)
			return
		}
		everyBorder.list.Store(&list)
	}
	change(func(list []*func(*Border)) []*func(*Border) { return append(list, own) })
	return func() {
		change(func(list []*func(*Border)) []*func(*Border) {
			return slices.DeleteFunc(list, func(o *func(*Border)) bool { return o == own })
		})
	}
}

// between panics in the middle of a frame.
func (a *attachment) between(call string) {
	if what := a.busy(); what != "" {
		panic(fmt.Errorf("system: %s: world %q: %s; measure whole frames: %w", call, a.world.Name(), what, ecs.ErrState))
	}
}

// endBorder calls the functions that watch the world, of whose frame errs went wrong, and appends
// what goes wrong there.
func (a *attachment) endBorder(errs []error) []error {
	a.frames++
	timed := len(a.recorders) > 0 && !a.skipped
	all := everyBorder.list.Load()
	if len(a.borders.watchers) == 0 && all == nil || a.closed {
		if timed {
			a.keep()
		}
		a.borders.turns, a.borders.nesting = a.borders.turns[:0], 0 // which are not shown
		return errs
	}
	a.borders.shown = Border{World: a.world, Ticker: a.ticker, Frame: a.frames, Start: a.began, End: profile.Clock(), Timed: timed, Turns: a.borders.turns, Errs: errs}
	if timed {
		a.keep()
	}
	for _, f := range a.borders.watchers {
		if err := a.show(*f); err != nil {
			errs = append(errs, err)
		}
	}
	if all != nil {
		for _, f := range *all {
			if err := a.show(*f); err != nil {
				errs = append(errs, err)
			}
		}
	}
	a.borders.shown = Border{}
	a.borders.turns, a.borders.nesting = a.borders.turns[:0], 0
	return errs
}

// show calls one of them.
func (a *attachment) show(f func(*Border)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &nested{"OnBorder", "", &PanicError{Method: "OnBorder", Value: v, Stack: debug.Stack()}}
		}
	}()
	f(&a.borders.shown)
	return nil
}
