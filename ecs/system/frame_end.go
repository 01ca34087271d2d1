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

// Pauser drives the frames of a world from outside and can pause, as a Loop of package app does.
type Pauser interface {
	// Pause calls f, which may take its time: see [FrameEnd.Pause].
	Pause(f func())
}

// FrameEnd is what a function of [OnFrameEnd] gets of a world between two frames: all jobs of one frame are done, and the next
// one has not begun. It is valid during the call only.
type FrameEnd struct {
	World      *ecs.World
	By         Pauser // the loop that drives the frame; nil if the frame is one of Update
	Frame      uint64 // number of the frame among those of the world, from 1
	Start, End time.Duration
	Timed      bool    // the times of the frame were taken: see RecordTimes
	Turns      []Turn  // the updates and waits of a frame whose times were taken
	Errs       []error // the errors of the frame
}

// Turn is one update of a system in a frame on the owner's goroutine, or one wait for jobs.
// Times are those of profile.Clock.
type Turn struct {
	Instance   *Instance // the system that updated, or whose jobs were waited for; nil if the jobs were those of no system
	Start, End time.Duration
	Depth      int  // number of updates around it
	Wait       bool // it is a wait for jobs of Instance: of several systems, the one whose jobs worked most meanwhile
}

// Pause calls f, which may take its time, at the end of a frame: a pause. Real time that passes meanwhile is
// not time of the worlds of the loop: after a pause they continue where they were. It panics if f is nil.
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

// frameEnds has the functions that watch the ends of frames of one world, and the values that they get.
type frameEnds struct {
	watchers []*func(*FrameEnd)
	shown    FrameEnd
	turns    []Turn
	nesting  int // of updates
}

// OnFrameEnd calls f at every end of a frame of w, on the owner's goroutine, after the functions of earlier
// calls. The frames of a loop with several worlds end together. If f panics
// the frame returns a *[PanicError]. Remove takes f out again; it may be called several times, and
// during a call of f too. Without any function a frame costs one comparison. OnFrameEnd is for
// the owner of w, and panics if f is nil.
func OnFrameEnd(w *ecs.World, f func(*FrameEnd)) (remove func()) {
	a := attachmentFor("OnFrameEnd", w)
	a.mustBeOpen("be watched")
	if f == nil {
		panic(fmt.Errorf("system: OnFrameEnd: world %q: the function is nil: to end it call the function that OnFrameEnd has returned: %w", w.Name(), ecs.ErrArgument))
	}
	own := &f
	a.ends.watchers = append(a.ends.watchers[:len(a.ends.watchers):len(a.ends.watchers)], own)
	return func() {
		var others []*func(*FrameEnd)
		for _, o := range a.ends.watchers {
			if o != own {
				others = append(others, o)
			}
		}
		a.ends.watchers = others
	}
}

// everyFrameEnd has the functions that watch all worlds. The list is written under mu, always a new one,
// and read by the owners of all worlds at the ends of their frames; nil is empty.
var everyFrameEnd struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(*FrameEnd)]
}

// OnEveryFrameEnd is [OnFrameEnd] for all worlds, those to come included. It may be called by
// any goroutine, and so may remove; a call of f that is under way, or about to begin,
// may still come after remove has returned. Each world calls f on its own owner's
// goroutine, several at a time. Where there is none it costs a frame one atomic load.
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
	if what := a.busy(); what != "" {
		panic(fmt.Errorf("system: %s: world %q: %s; measure whole frames: %w", call, a.world.Name(), what, ecs.ErrState))
	}
}

// frameEnded calls the functions that watch the world, of whose frame errs went wrong, and appends
// what goes wrong there.
func (a *attachment) frameEnded(errs []error) []error {
	a.frames++
	timed := len(a.recorders) > 0 && !a.skipped
	all := everyFrameEnd.list.Load()
	if len(a.ends.watchers) == 0 && all == nil || a.closed {
		if timed {
			a.keep()
		}
		a.ends.turns, a.ends.nesting = a.ends.turns[:0], 0 // which are not shown
		return errs
	}
	a.ends.shown = FrameEnd{World: a.world, By: a.by, Frame: a.frames, Start: a.began, End: profile.Clock(), Timed: timed, Turns: a.ends.turns, Errs: errs}
	if timed {
		a.keep()
	}
	for _, f := range a.ends.watchers {
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
	a.ends.shown = FrameEnd{}
	a.ends.turns, a.ends.nesting = a.ends.turns[:0], 0
	return errs
}

// show calls one of them.
func (a *attachment) show(f func(*FrameEnd)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &nested{"OnFrameEnd", "", &PanicError{Method: "OnFrameEnd", Value: v, Stack: debug.Stack()}}
		}
	}()
	f(&a.ends.shown)
	return nil
}
