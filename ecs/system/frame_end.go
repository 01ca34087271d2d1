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

// Pauser is a driver of the frames of a world that can pause; a Loop of package app is one.
type Pauser interface {
	// Pause calls f, which may take long: see [FrameEnd.Pause].
	Pause(f func())
}

// FrameEnd is the argument of a function of [OnFrameEnd]. It describes a moment between two frames:
// all jobs of one frame are done, and the next frame has not begun. It is valid only during the
// call.
type FrameEnd struct {
	World      *ecs.World
	By         Pauser // the loop that drives the frame; nil if Update runs it
	Frame      uint64 // the number of the frame in its world, from 1
	Start, End time.Duration
	Timed      bool    // whether the times of the frame were taken: see RecordTimes
	Turns      []Turn  // the updates and waits of a frame whose times were taken
	Errs       []error // the errors of the frame
}

// Turn is one update of a system in a frame, or one wait for jobs, on the goroutine of the world's
// owner. Its times are those of profile.Clock.
type Turn struct {
	Instance   *Instance // the system that updated, or whose jobs were waited for; nil if the jobs belong to no system
	Start, End time.Duration
	Depth      int  // number of updates that enclose it
	Wait       bool // it is a wait for jobs of Instance: if it was for jobs of several systems, Instance is the one whose jobs worked most meanwhile
}

// Pause calls f, which may take long, for example because it waits for a person. The real time that
// passes meanwhile does not become time of the worlds of the loop: after the pause they continue
// where they were. It panics if f is nil.
func (b *FrameEnd) Pause(f func()) {
	switch {
	case b == nil:
		panic(fmt.Errorf("system: FrameEnd.Pause: the end of the frame is nil: use the one that a function of OnFrameEnd gets: %w", ecs.ErrArgument))
	case f == nil:
		panic(fmt.Errorf("system: FrameEnd.Pause: the function is nil: %w", ecs.ErrArgument))
	}
	if b.By == nil {
		f()
		return
	}
	b.By.Pause(f)
}

// frameEnds holds the functions that watch the ends of frames of one world, and their arguments.
type frameEnds struct {
	watchers    []*func(*FrameEnd)
	event       FrameEnd
	turns       []Turn
	updateDepth int // depth of updates
}

// OnFrameEnd calls f at the end of each frame of w, on the goroutine of the owner, after the
// functions of earlier calls. The frames of a loop with several worlds end together. If f panics,
// the frame returns a *[PanicError]. The function remove ends the calls; it may be called several
// times, and by f itself. If no function watches, a frame costs one comparison. Only the owner of w
// may call OnFrameEnd. It panics if f is nil.
func OnFrameEnd(w *ecs.World, f func(*FrameEnd)) (remove func()) {
	a := attachmentFor("OnFrameEnd", w)
	a.mustBeOpen("be watched")
	if f == nil {
		panic(fmt.Errorf("system: OnFrameEnd: world %q: the function is nil: to end it call the function that OnFrameEnd has returned: %w", w.Name(), ecs.ErrArgument))
	}
	own := &f
	a.frameEnds.watchers = append(a.frameEnds.watchers[:len(a.frameEnds.watchers):len(a.frameEnds.watchers)], own)
	return func() {
		var others []*func(*FrameEnd)
		for _, o := range a.frameEnds.watchers {
			if o != own {
				others = append(others, o)
			}
		}
		a.frameEnds.watchers = others
	}
}

// everyFrameEnd holds the functions that watch all worlds. A writer replaces the list under mu and
// never changes it, because the owners of all worlds read it at the ends of their frames without a
// lock. Nil is the empty list.
var everyFrameEnd struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(*FrameEnd)]
}

// OnEveryFrameEnd calls f at the end of each frame of each world, now and later, as [OnFrameEnd]
// does for one world. Any goroutine may call OnEveryFrameEnd and remove. A call of f that has
// begun, or is about to begin, may still run after remove has returned. Each world calls f on its
// owner's goroutine, so f must be safe for concurrent calls. If no function watches, a frame costs
// one atomic load.
func OnEveryFrameEnd(f func(*FrameEnd)) (remove func()) {
	if f == nil {
		panic("system: OnEveryFrameEnd: the function is nil")
	}
	own := &f
	change := func(edit func([]*func(*FrameEnd)) []*func(*FrameEnd)) {
		everyFrameEnd.mu.Lock()
		defer everyFrameEnd.mu.Unlock()
		var list []*func(*FrameEnd)
		if before := everyFrameEnd.list.Load(); before != nil {
			list = slices.Clone(*before)
		}
		if list = edit(list); len(list) == 0 {
			everyFrameEnd.list.Store(nil)
			return
		}
		everyFrameEnd.list.Store(&list)
	}
	change(func(list []*func(*FrameEnd)) []*func(*FrameEnd) { return append(list, own) })
	return func() {
		change(func(list []*func(*FrameEnd)) []*func(*FrameEnd) {
			return slices.DeleteFunc(list, func(o *func(*FrameEnd)) bool { return o == own })
		})
	}
}

// mustBeBetweenFrames panics in the middle of a frame.
func (a *attachment) mustBeBetweenFrames(call string) {
	if what := a.busyReason(); what != "" {
		panic(fmt.Errorf("system: %s: world %q: %s; measure whole frames: %w", call, a.world.Name(), what, ecs.ErrState))
	}
}

// callFrameEndWatchers calls the functions that watch the world. The argument has the errors of the frame;
// the result has the errors of the functions too.
func (a *attachment) callFrameEndWatchers(errs []error) []error {
	a.frameCount++
	timed := len(a.recorders) > 0 && !a.frameUntimed
	all := everyFrameEnd.list.Load()
	if len(a.frameEnds.watchers) == 0 && all == nil || a.closed {
		if timed {
			a.keepSamples()
		}
		a.frameEnds.turns, a.frameEnds.updateDepth = a.frameEnds.turns[:0], 0 // those of functions are not shown
		return errs
	}
	a.frameEnds.event = FrameEnd{World: a.world, By: a.pauser, Frame: a.frameCount, Start: a.frameStart, End: profile.Clock(), Timed: timed, Turns: a.frameEnds.turns, Errs: errs}
	if timed {
		a.keepSamples()
	}
	for _, f := range a.frameEnds.watchers {
		if err := a.callWatcher(*f); err != nil {
			errs = append(errs, err)
		}
	}
	if all != nil {
		for _, f := range *all {
			if err := a.callWatcher(*f); err != nil {
				errs = append(errs, err)
			}
		}
	}
	a.frameEnds.event = FrameEnd{}
	a.frameEnds.turns, a.frameEnds.updateDepth = a.frameEnds.turns[:0], 0
	return errs
}

// callWatcher calls one function.
func (a *attachment) callWatcher(f func(*FrameEnd)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &wrappedError{"OnFrameEnd", "", &PanicError{Method: "OnFrameEnd", Value: v, Stack: debug.Stack()}}
		}
	}()
	f(&a.frameEnds.event)
	return nil
}
