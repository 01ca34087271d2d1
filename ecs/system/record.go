package system

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// HistoryLen is the number of frames that a recording keeps of each system.
const HistoryLen = 240

// Sample is the time that a system took in one frame. If Updates is 0 the system did not update in it.
type Sample struct {
	Frame   uint64
	Updates int
	Jobs    int
	Own     time.Duration // these four are as in ReportSystem
	Waited  time.Duration
	Work    time.Duration
	Span    time.Duration
}

// sampling has the recorders of a world, and decides which frames are timed.
type sampling struct {
	recorders []*recorder
	share     float64       // the greatest of theirs
	next      time.Duration // a frame that begins then or later is timed
	metered   bool          // the pool was told to meter jobs
}

// recorder is one call of RecordTimes.
type recorder struct{ share float64 }

// history is what is kept of a system of each frame whose times were taken.
type history struct {
	sum  Sample // of all frames so far
	ring []Sample
	kept uint64 // samples so far
}

// RecordTimes keeps the times of w's systems frame by frame, for [Instance.AppendSamples], and
// shows their turns at the ends of its frames, until stop is called. It takes times as [Measure]
// does, and does not touch other measurements: [Explain] shows the frames of both.
//
// Share is how much of the time that may take. With 1 or more the times of every frame are
// taken. With less, a frame is left out that begins before what the last one has cost is
// down to that share: of frames of a hundred microseconds hardly one is, of frames of ten, with
// a share of 0.01, all but one in ten or twenty. A frame is timed or it is not, as a whole, and
// all numbers are of those that are. While Measure is on, all are.
//
// Of several recorders the greatest share holds; what the last one stops ends. Both functions
// panic in the middle of a frame, and RecordTimes if share is not above 0.
func RecordTimes(w *ecs.World, share float64) (stop func()) {
	a := attachmentFor("RecordTimes", w)
	a.mustBeOpen("record")
	a.mustBeBetweenFrames("RecordTimes")
	if !(share > 0) {
		panic(fmt.Errorf("system: RecordTimes: world %q: the share is %v; it is above 0, and 1 for every frame: %w", w.Name(), share, ecs.ErrArgument))
	}
	own := &recorder{share}
	a.recorders = append(a.recorders, own)
	a.chooseShare()
	if a.measure == nil {
		a.remeasure()
	} else if len(a.recorders) == 1 {
		for _, in := range a.instances {
			in.timing().history = history{sum: in.timing().sum(), ring: make([]Sample, HistoryLen)} // what came before is of no frame
		}
	}
	stopped := false
	return func() {
		if stopped || a.closed {
			return
		}
		a.mustBeBetweenFrames("RecordTimes")
		stopped = true
		a.recorders = slices.DeleteFunc(a.recorders, func(o *recorder) bool { return o == own })
		if a.chooseShare(); len(a.recorders) > 0 {
			return
		}
		a.ends.turns = nil
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
		m.noSync, m.noWait = a.world.Hooks().OnSync(m.sync), a.world.Hooks().OnWait(m.wait)
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

// TimeNextFrame takes the times of the next frame of w in any case, even where the share of [RecordTimes] would leave it out.
func TimeNextFrame(w *ecs.World) { attachmentFor("TimeNextFrame", w).next = 0 }

// keep takes note of what all systems took in a frame, and of when times are to be taken again.
func (a *attachment) keep() {
	jobs := 0
	for _, in := range a.instances {
		jobs += in.timing().keep(a.frames)
	}
	if a.share < 1 {
		cost := time.Duration(frameReads+turnReads*len(a.ends.turns)+jobReads*jobs+systemReads*len(a.instances)) * clockCost()
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
	s := &h.ring[h.kept%HistoryLen]
	*s = Sample{
		Frame: frame, Updates: sum.Updates - h.sum.Updates, Jobs: sum.Jobs - h.sum.Jobs, Own: sum.Own - h.sum.Own,
		Waited: sum.Waited - h.sum.Waited, Work: sum.Work - h.sum.Work, Span: sum.Span - h.sum.Span,
	}
	h.sum = sum
	h.kept++
	return s.Jobs
}

// sum is what is known of a system since Measure.
func (t *timing) sum() Sample {
	waited := t.syncs.waited + t.others.waited
	return Sample{Updates: t.updates, Jobs: t.jobs, Own: max(t.update-t.members-waited, 0), Waited: waited, Work: t.work, Span: t.span}
}

// AppendSamples appends the samples of the system in the frames after since that are
// kept, the oldest first, to list. There are none without a recording: see [RecordTimes].
func (in *Instance) AppendSamples(list []Sample, since uint64) []Sample {
	in.given("Instance.AppendSamples")
	if in.timer == nil || in.timing().history.ring == nil {
		return list
	}
	h := &in.timing().history
	first := h.kept
	for oldest := h.kept - min(h.kept, HistoryLen); first > oldest && h.ring[(first-1)%HistoryLen].Frame > since; first-- {
	}
	for ; first < h.kept; first++ {
		list = append(list, h.ring[first%HistoryLen])
	}
	return list
}

// beginTurn takes note that a system begins to update; it returns what endTurn wants.
func (a *attachment) beginTurn(in *Instance, at time.Duration) int {
	if len(a.recorders) == 0 {
		return -1
	}
	a.ends.turns = append(a.ends.turns, Turn{Instance: in, Start: at, Depth: a.ends.nesting})
	a.ends.nesting++
	return len(a.ends.turns) - 1
}

// endTurn takes note that it has updated.
func (a *attachment) endTurn(k int, at time.Duration) {
	if k >= 0 && k < len(a.ends.turns) {
		a.ends.turns[k].End = at
		a.ends.nesting = max(a.ends.nesting-1, 0)
	}
}

// recordWait takes note of a wait that is over, for the jobs of one system most of all;
// in is nil if they were no system's.
func (a *attachment) recordWait(in *Instance, start, end time.Duration) {
	if len(a.recorders) == 0 || a.skipped || end-start < time.Microsecond {
		return
	}
	a.ends.turns = append(a.ends.turns, Turn{Instance: in, Start: start, End: end, Depth: a.ends.nesting, Wait: true})
}
