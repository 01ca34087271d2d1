package system

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// What is in this file is for tools that look at worlds while they run, as package inspect
// does: they are called between two frames, and have what happened in the last one kept.

// HistoryLen is how many frames are kept of each system while somebody records.
const HistoryLen = 240

// Border is what those are shown who watch a world between two frames: after all jobs
// of a frame are done, before the next one begins. It is good during the call only.
type Border struct {
	World      *ecs.World
	Loop       *Loop  // that ticks; nil if the frame is one of [Update]
	Frame      uint64 // number of the frame among those of the world, from 1
	Start, End time.Duration
	Turns      []Turn  // what updated in the frame, while somebody records: see [Record]
	Errs       []error // what went wrong in the frame
}

// Hold calls f, which may take its time: a pause. Real time that passes meanwhile is
// not time of the worlds of the loop: after a pause they go on where they were.
func (b *Border) Hold(f func()) {
	if b.Loop == nil || b.Loop.now == nil {
		f()
		return
	}
	start := b.Loop.now()
	defer func() { b.Loop.held += b.Loop.now() - start }()
	f()
}

// Turn is one update of a system in a frame on the owner's goroutine, or one wait for jobs.
// Times are those of [jobs.Clock].
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
	Own     time.Duration // as in Explained
	Waited  time.Duration
	Work    time.Duration
	Span    time.Duration
}

// border is what a roster knows of those who watch.
type border struct {
	watchers  []*func(*Border)
	recorders int
	shown     Border
	loop      *Loop
	frames    uint64
	began     time.Duration
	turns     []Turn
	nesting   int // of updates
}

// history is what is kept of a system frame by frame: of frame n in place n of the ring.
type history struct {
	sum  Sample // of all frames so far
	ring []Sample
}

// OnBorder makes every end of a frame of w call f on the owner's goroutine, after what
// was given before. The frames of a loop with several worlds end together. If f panics
// the frame returns a *[PanicError]. Remove takes f out again, as often as one likes and
// during a call of f too. Where there is none it costs a frame one comparison. It is for
// the owner of w, and panics if f is nil.
func OnBorder(w *ecs.World, f func(*Border)) (remove func()) {
	r := rosterFor("OnBorder", w)
	r.mustBeOpen("be watched")
	if f == nil {
		panic(fmt.Errorf("system: OnBorder: world %q: the function is nil: to end it call what OnBorder has returned: %w", w.Name(), ecs.ErrArgument))
	}
	own := &f
	r.watchers = append(r.watchers[:len(r.watchers):len(r.watchers)], own)
	return func() {
		var others []*func(*Border)
		for _, o := range r.watchers {
			if o != own {
				others = append(others, o)
			}
		}
		r.watchers = others
	}
}

// everyBorder is those who watch all worlds. The list is written under mu, always a new one,
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

// Record keeps the times of w's systems frame by frame, for [Instance.AppendSamples], and
// shows their turns at its borders, until stop is called. It takes times as [Measure]
// does, at the same costs, and does not touch what others have measured: Explain shows
// the frames of both. Recorders count: what the last one stops ends. Both functions panic
// in the middle of a frame.
func Record(w *ecs.World) (stop func()) {
	r := rosterFor("Record", w)
	r.mustBeOpen("record")
	r.between("Record")
	if r.recorders++; r.measure == nil {
		r.remeasure()
	} else if r.recorders == 1 {
		for _, in := range r.instances {
			in.timing.history = history{sum: in.timing.sum(), ring: make([]Sample, HistoryLen)} // what came before is of no frame
		}
	}
	stopped := false
	return func() {
		if stopped || r.closed {
			return
		}
		r.between("Record")
		stopped = true
		if r.recorders--; r.recorders > 0 {
			return
		}
		r.turns = nil
		for _, in := range r.instances {
			if in.timing != nil {
				in.timing.history.ring = nil
			}
		}
		if !r.asked {
			r.remeasure()
		}
	}
}

// between panics in the middle of a frame.
func (r *roster) between(call string) {
	if what := r.busy(); what != "" {
		panic(fmt.Errorf("system: %s: world %q: %s; measure whole frames: %w", call, r.world.Name(), what, ecs.ErrState))
	}
}

// endBorder calls those who watch the world, of whose frame errs went wrong, and appends
// what goes wrong there.
func (r *roster) endBorder(errs []error) []error {
	r.frames++
	if r.recorders > 0 {
		for _, in := range r.instances {
			in.timing.keep(r.frames)
		}
	}
	all := everyBorder.list.Load()
	if len(r.watchers) == 0 && all == nil || r.closed {
		return errs
	}
	r.shown = Border{World: r.world, Loop: r.loop, Frame: r.frames, Start: r.began, End: jobs.Clock(), Turns: r.turns, Errs: errs}
	for _, f := range r.watchers {
		if err := r.show(*f); err != nil {
			errs = append(errs, err)
		}
	}
	if all != nil {
		for _, f := range *all {
			if err := r.show(*f); err != nil {
				errs = append(errs, err)
			}
		}
	}
	r.shown = Border{}
	r.turns, r.nesting = r.turns[:0], 0
	return errs
}

// show calls one of those who watch.
func (r *roster) show(f func(*Border)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &nested{"OnBorder", "", &PanicError{Method: "OnBorder", Value: v, Stack: debug.Stack()}}
		}
	}()
	f(&r.shown)
	return nil
}

// keep takes note of what a system took in a frame.
func (t *timing) keep(frame uint64) {
	h := &t.history
	sum := t.sum()
	h.ring[frame%HistoryLen] = Sample{
		Frame: frame, Updates: sum.Updates - h.sum.Updates, Jobs: sum.Jobs - h.sum.Jobs, Own: sum.Own - h.sum.Own,
		Waited: sum.Waited - h.sum.Waited, Work: sum.Work - h.sum.Work, Span: sum.Span - h.sum.Span,
	}
	h.sum = sum
}

// sum is what is known of a system since Measure.
func (t *timing) sum() Sample {
	waited := t.syncs.waited + t.others.waited
	return Sample{Updates: t.updates, Jobs: t.jobs, Own: max(t.update-t.members-waited, 0), Waited: waited, Work: time.Duration(t.work.Load()), Span: t.span}
}

// AppendSamples appends what the system took in each of the frames after since that are
// kept, the oldest first, to list. There are none unless somebody records: see [Record].
func (in *Instance) AppendSamples(list []Sample, since uint64) []Sample {
	if in.timing == nil || in.timing.history.ring == nil {
		return list
	}
	last := in.roster.frames
	first := since + 1
	if last >= HistoryLen {
		first = max(first, last-HistoryLen+1)
	}
	for n := first; n <= last; n++ {
		if s := in.timing.history.ring[n%HistoryLen]; s.Frame == n {
			list = append(list, s)
		}
	}
	return list
}

// beginTurn takes note that a system begins to update; it returns what endTurn wants.
func (r *roster) beginTurn(in *Instance) int {
	if r.recorders == 0 {
		return -1
	}
	r.turns = append(r.turns, Turn{Instance: in, Start: jobs.Clock(), Depth: r.nesting})
	r.nesting++
	return len(r.turns) - 1
}

// endTurn takes note that it has updated.
func (r *roster) endTurn(k int) {
	if k >= 0 && k < len(r.turns) {
		r.turns[k].End = jobs.Clock()
		r.nesting = max(r.nesting-1, 0)
	}
}

// turned takes note of a wait for jobs, of one system most of all, that is over.
func (r *roster) turned(in *Instance, took time.Duration) {
	if r.recorders == 0 || took < time.Microsecond {
		return
	}
	end := jobs.Clock()
	r.turns = append(r.turns, Turn{Instance: in, Start: end - took, End: end, Depth: r.nesting, Wait: true})
}
