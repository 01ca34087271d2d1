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

// historyLen is monitor.HistoryLen.
const historyLen = 240

// These are Border, Ticker, Turn and Sample of package monitor, where their fields have comments: they are the same types.
type (
	border = struct {
		World      *ecs.World
		Ticker     ticker
		Frame      uint64
		Start, End time.Duration
		Timed      bool
		Turns      []turn
		Errs       []error
	}
	ticker = interface{ Hold(f func()) }
	turn   = struct {
		Instance   *Instance
		Start, End time.Duration
		Depth      int
		Wait       bool
	}
	sample = struct {
		Frame   uint64
		Updates int
		Jobs    int
		Own     time.Duration
		Waited  time.Duration
		Work    time.Duration
		Span    time.Duration
	}
)

// borders is what an attachment knows of the functions that watch its world, and what it shows them.
type borders struct {
	watchers []*func(*border)
	shown    border
	turns    []turn
	nesting  int // of updates
}

// onBorder is monitor.OnBorder.
func onBorder(w *ecs.World, f func(*border)) (remove func()) {
	a := attachmentFor("monitor.OnBorder", w)
	a.mustBeOpen("be watched")
	if f == nil {
		panic(fmt.Errorf("system: monitor.OnBorder: world %q: the function is nil: to end it call what monitor.OnBorder has returned: %w", w.Name(), ecs.ErrArgument))
	}
	own := &f
	a.borders.watchers = append(a.borders.watchers[:len(a.borders.watchers):len(a.borders.watchers)], own)
	return func() {
		var others []*func(*border)
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
	list atomic.Pointer[[]*func(*border)]
}

// onEveryBorder is monitor.OnEveryBorder.
func onEveryBorder(f func(*border)) (remove func()) {
	if f == nil {
		panic("system: monitor.OnEveryBorder: the function is nil")
	}
	own := &f
	change := func(edit func([]*func(*border)) []*func(*border)) {
		everyBorder.mu.Lock()
		defer everyBorder.mu.Unlock()
		var list []*func(*border)
		if before := everyBorder.list.Load(); before != nil {
			list = slices.Clone(*before)
		}
		if list = edit(list); len(list) == 0 {
			everyBorder.list.Store(nil)
			return
		}
		everyBorder.list.Store(&list)
	}
	change(func(list []*func(*border)) []*func(*border) { return append(list, own) })
	return func() {
		change(func(list []*func(*border)) []*func(*border) {
			return slices.DeleteFunc(list, func(o *func(*border)) bool { return o == own })
		})
	}
}

// mustBeBetweenFrames panics in the middle of a frame.
func (a *attachment) mustBeBetweenFrames(call string) {
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
	a.borders.shown = border{World: a.world, Ticker: a.ticker, Frame: a.frames, Start: a.began, End: profile.Clock(), Timed: timed, Turns: a.borders.turns, Errs: errs}
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
	a.borders.shown = border{}
	a.borders.turns, a.borders.nesting = a.borders.turns[:0], 0
	return errs
}

// show calls one of them.
func (a *attachment) show(f func(*border)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &nested{"OnBorder", "", &PanicError{Method: "OnBorder", Value: v, Stack: debug.Stack()}}
		}
	}()
	f(&a.borders.shown)
	return nil
}
