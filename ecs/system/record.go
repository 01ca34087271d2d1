package system

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
)

// sampling is what a roster knows of recorders, and of which frames times are taken.
type sampling struct {
	recorders []*recorder
	share     float64       // the greatest of theirs
	next      time.Duration // a frame that begins then or later is timed
	metered   bool          // the pool was told to meter jobs
}

// recorder is one call of record.
type recorder struct{ share float64 }

// history is what is kept of a system of each frame whose times were taken.
type history struct {
	sum  sample // of all frames so far
	ring []sample
	kept uint64 // samples so far
}

// record is monitor.Record.
func record(w *ecs.World, share float64) (stop func()) {
	a := attachmentFor("monitor.Record", w)
	a.mustBeOpen("record")
	a.mustBeBetweenFrames("monitor.Record")
	if !(share > 0) {
		panic(fmt.Errorf("system: monitor.Record: world %q: the share is %v; it is above 0, and 1 for every frame: %w", w.Name(), share, ecs.ErrArgument))
	}
	own := &recorder{share}
	a.recorders = append(a.recorders, own)
	a.chooseShare()
	if a.measure == nil {
		a.remeasure()
	} else if len(a.recorders) == 1 {
		for _, in := range a.instances {
			in.timing().history = history{sum: in.timing().sum(), ring: make([]sample, historyLen)} // what came before is of no frame
		}
	}
	stopped := false
	return func() {
		if stopped || a.closed {
			return
		}
		a.mustBeBetweenFrames("monitor.Record")
		stopped = true
		a.recorders = slices.DeleteFunc(a.recorders, func(o *recorder) bool { return o == own })
		if a.chooseShare(); len(a.recorders) > 0 {
			return
		}
		a.borders.turns = nil
		for _, in := range a.instances {
			if in.timer != nil {
				in.timing().history.ring = nil
			}
		}
		if !a.asked {
			a.remeasure()
		}
	}
}

// remeasure begins to take times anew, or ends it if they are not wanted any more.
func (a *attachment) remeasure() {
	if m := a.measure; m != nil {
		m.noSync()
		m.noWait()
		a.measure = nil
	}
	a.next, a.skipped = 0, false
	if a.asked || len(a.recorders) > 0 {
		m := &measure{on: a}
		m.over = m.waited
		m.noSync, m.noWait = plumbing.OnSync(a.world, m.sync), plumbing.OnWait(a.world, m.wait)
		a.measure = m
	}
	a.meter(a.measure != nil)
	a.timers = nil
	if a.measure != nil {
		a.timers = a.measure.timer
	}
	for _, in := range a.instances {
		before := in.timing()
		if in.timer = nil; a.timers == nil {
			continue
		}
		in.timer = a.timers(in)
		if before != nil { // what is recorded goes on
			in.timing().history = history{ring: before.history.ring, kept: before.history.kept}
		}
	}
}

// chooseShare finds the share that holds.
func (a *attachment) chooseShare() {
	a.share, a.next = 0, 0
	for _, o := range a.recorders {
		a.share = max(a.share, o.share)
	}
}

// sample decides whether the times of the frame that has just begun are taken.
func (a *attachment) sample() {
	a.skipped = !a.asked && a.share < 1 && a.began < a.next
	a.meter(!a.skipped)
	if !a.skipped {
		a.measure.beginFrame(a.began)
	}
}

// meter has the pool take the times of jobs, or not.
func (a *attachment) meter(on bool) {
	if on != a.metered {
		a.metered = on
		a.world.Pool().Profile().Meter(on)
	}
}

// timeNext is monitor.TimeNext.
func timeNext(w *ecs.World) { attachmentFor("monitor.TimeNext", w).next = 0 }

// keep takes note of what all systems took in a frame, and of when times are to be taken again.
func (a *attachment) keep() {
	jobs := 0
	for _, in := range a.instances {
		jobs += in.timing().keep(a.frames)
	}
	if a.share < 1 {
		cost := time.Duration(frameReads+turnReads*len(a.borders.turns)+jobReads*jobs+systemReads*len(a.instances)) * clockCost()
		a.next = a.began + time.Duration(min(float64(cost)/a.share, float64(longestSkip)))
	}
}

// What taking the times of a frame costs at most, in readings of the clock, with what goes with them: once,
// of an update or a wait, of a job and of a system. Of frames that follow each other it is half as much;
// one among many that are left out finds nothing in the caches.
const (
	frameReads  = 20
	turnReads   = 6
	jobReads    = 24
	systemReads = 2
)

// longestSkip is how long no frame is timed, at most: a century, since the share may be next to nothing.
const longestSkip = 100 * 365 * 24 * time.Hour

// clockCost is how long a reading of the clock takes: 20 to 50 ns, and a microsecond where the system
// has to be asked.
var clockCost = sync.OnceValue(func() time.Duration {
	const readings = 32
	least := time.Hour
	for range 4 {
		start := now()
		for range readings - 1 {
			_ = now()
		}
		least = min(least, now()-start)
	}
	return least/readings + 1
})

// keep takes note of what a system took in a frame. It returns how many jobs that had.
func (t *timing) keep(frame uint64) int {
	h := &t.history
	sum := t.sum()
	s := &h.ring[h.kept%historyLen]
	*s = sample{
		Frame: frame, Updates: sum.Updates - h.sum.Updates, Jobs: sum.Jobs - h.sum.Jobs, Own: sum.Own - h.sum.Own,
		Waited: sum.Waited - h.sum.Waited, Work: sum.Work - h.sum.Work, Span: sum.Span - h.sum.Span,
	}
	h.sum = sum
	h.kept++
	return s.Jobs
}

// sum is what is known of a system since Measure.
func (t *timing) sum() sample {
	waited := t.syncs.waited + t.others.waited
	return sample{Updates: t.updates, Jobs: t.jobs, Own: max(t.update-t.members-waited, 0), Waited: waited, Work: t.work, Span: t.span}
}

// appendSamples is monitor.AppendSamples.
func (in *Instance) appendSamples(list []sample, since uint64) []sample {
	if in.timer == nil || in.timing().history.ring == nil {
		return list
	}
	h := &in.timing().history
	first := h.kept
	for oldest := h.kept - min(h.kept, historyLen); first > oldest && h.ring[(first-1)%historyLen].Frame > since; first-- {
	}
	for ; first < h.kept; first++ {
		list = append(list, h.ring[first%historyLen])
	}
	return list
}

// beginTurn takes note that a system begins to update; it returns what endTurn wants.
func (a *attachment) beginTurn(in *Instance, at time.Duration) int {
	if len(a.recorders) == 0 {
		return -1
	}
	a.borders.turns = append(a.borders.turns, turn{Instance: in, Start: at, Depth: a.borders.nesting})
	a.borders.nesting++
	return len(a.borders.turns) - 1
}

// endTurn takes note that it has updated.
func (a *attachment) endTurn(k int, at time.Duration) {
	if k >= 0 && k < len(a.borders.turns) {
		a.borders.turns[k].End = at
		a.borders.nesting = max(a.borders.nesting-1, 0)
	}
}

// recordWait takes note of a wait that is over, for the jobs of one system most of all;
// in is nil if they were no system's.
func (a *attachment) recordWait(in *Instance, start, end time.Duration) {
	if len(a.recorders) == 0 || a.skipped || end-start < time.Microsecond {
		return
	}
	a.borders.turns = append(a.borders.turns, turn{Instance: in, Start: start, End: end, Depth: a.borders.nesting, Wait: true})
}
