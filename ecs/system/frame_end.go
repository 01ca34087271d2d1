package system

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// Pauser is a driver of a world's frames that can pause, for example a Loop of package app.
type Pauser interface {
	// Pause calls f, which may take a long time: see [FrameEnd.Pause].
	Pause(f func())
}

// FrameEnd is the argument of a function that was passed to [OnFrameEnd]. A FrameEnd describes a
// moment between two frames: all jobs of one frame have finished, and the next frame has not
// begun. A FrameEnd is valid only during the call.
type FrameEnd struct {
	World      *ecs.World
	By         Pauser // the loop that runs the frame; nil if Update runs it
	Frame      uint64 // the number of the frame in its world, from 1
	Start, End time.Duration
	Timed      bool    // whether the times of the frame were measured: see RecordTimes
	Turns      []Turn  // the updates and waits of the frame, if its times were measured
	Errs       []error // the errors of the frame
}

// Turn is one update of a system in a frame, or one wait for jobs. Updates and waits happen on the
// goroutine of the world's owner. The times are readings of profile.Clock.
type Turn struct {
	Instance   *Instance // the system that updated, or whose jobs the owner waited for; nil if the jobs belong to no system
	Start, End time.Duration
	Depth      int  // number of updates that contain this one
	Wait       bool // the turn is a wait for jobs of Instance; if several systems had jobs, Instance is the one whose jobs worked most during the wait
}

// Pause calls f, which may take a long time, for example because it waits for a person. The time of
// the loop's worlds does not advance during the call. Pause panics if f is nil.
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

// frameEnds holds the functions that observe the ends of a world's frames, and the arguments of
// these functions.
type frameEnds struct {
	watchers    []*func(*FrameEnd)
	event       FrameEnd
	turns       []Turn
	updateDepth int // current nesting of updates
}

// OnFrameEnd makes the owner of w call f at the end of each frame of w. OnFrameEnd calls f after
// the functions of earlier calls. If a loop has several worlds, their frames end together. If f
// panics, the frame returns a *[PanicError]. Call remove to end these calls. A program may call
// remove several times, and f may call it too. If no function is set, a frame costs one comparison.
// Only the owner of w may call OnFrameEnd. OnFrameEnd panics if f is nil.
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

// everyFrameEnd holds the functions that observe the frames of all worlds. A writer holds mu. The
// writer replaces the list and never changes it in place, because the owners of all worlds read
// the list without a lock. The list is nil if there is no function.
var everyFrameEnd struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(*FrameEnd)]
}

// OnEveryFrameEnd calls f at the end of each frame of each world, including later worlds, as
// [OnFrameEnd] does for one world. OnEveryFrameEnd and remove are safe for concurrent use. If a
// call of f has begun or is about to begin when remove is called, it may still run after remove
// has returned. Each world calls f on its owner's goroutine, so f must be safe for concurrent
// calls. If no function is set, a frame costs one atomic load.
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

// mustBeBetweenFrames panics if a frame is running.
func (a *attachment) mustBeBetweenFrames(call string) {
	if what := a.busyReason(); what != "" {
		panic(fmt.Errorf("system: %s: world %q: %s; measure whole frames: %w", call, a.world.Name(), what, ecs.ErrState))
	}
}

// callFrameEndWatchers calls the functions that observe the ends of frames. The parameter errs contains
// the errors of the frame. callFrameEndWatchers returns these errors and the errors of the functions.
func (a *attachment) callFrameEndWatchers(errs []error) []error {
	a.frameCount++
	timed := len(a.recorders) > 0 && !a.frameUntimed
	all := everyFrameEnd.list.Load()
	if len(a.frameEnds.watchers) == 0 && all == nil || a.closed {
		if timed {
			a.keepSamples()
		}
		a.frameEnds.turns, a.frameEnds.updateDepth = a.frameEnds.turns[:0], 0 // do not show updates that functions run
		return errs
	}
	a.frameEnds.event = FrameEnd{World: a.world, By: a.pauser, Frame: a.frameCount, Start: a.frameStart, End: a.frameEnd, Timed: timed, Turns: a.frameEnds.turns, Errs: errs}
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
