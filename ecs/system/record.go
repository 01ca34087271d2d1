package system

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// HistoryLen is the number of frames for which a recording holds the samples of a system.
const HistoryLen = 240

// Sample holds the times of one system in one frame. If Updates is 0, the system did not update in
// that frame.
type Sample struct {
	Frame   uint64
	Updates int
	Jobs    int
	Own     time.Duration // Own, Waited, Work and Span have the same meaning as in ReportSystem
	Waited  time.Duration
	Work    time.Duration
	Span    time.Duration
}

// sampling holds the recorders of a world, and decides which frames are measured.
type sampling struct {
	recorders   []*recorder
	share       float64       // the largest share of the recorders
	nextTimed   time.Duration // the next frame that begins at this time or later is measured
	poolMetered bool          // the pool measures jobs
}

// recorder represents one call of RecordTimes.
type recorder struct{ share float64 }

// history holds the samples of a system. There is one sample for each measured frame.
type history struct {
	sum         Sample // sum over all frames so far
	ring        []Sample
	sampleCount uint64 // number of samples so far
}

// RecordTimes records the times of the systems of w in each frame, until stop is called.
// [Instance.AppendSamples] returns these times, and [FrameEnd] contains the turns of a frame.
// RecordTimes measures times as [Measure] does. RecordTimes and Measure do not disturb each other:
// [Explain] reports each frame that at least one of them has measured.
//
// The parameter share limits how much of the time the recording may cost. If share is 1 or more,
// every frame is measured. If share is smaller, frames are skipped after each measured frame.
// The next frame is measured when the cost of the last measurement is at most that share of the
// time since then. For example, with a share of 0.01, almost every frame is measured if frames
// take 100 µs, but only one in 10 or 20 if they take 10 µs. A frame is measured as a whole or
// not at all, and all numbers refer to measured frames. While Measure is on, every frame is
// measured.
//
// If there are several recorders, the largest share applies. The recording ends when the last of
// them is stopped. RecordTimes and stop panic if a frame is running. RecordTimes also panics unless
// share is positive.
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
		a.restartMeasure()
	} else if len(a.recorders) == 1 {
		for _, in := range a.instances {
			in.timing().history = history{sum: in.timing().sum(), ring: make([]Sample, HistoryLen)} // earlier times do not belong to a frame of the recording
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
		a.frameEnds.turns = nil
		for _, in := range a.instances {
			if in.timer != nil {
				in.timing().history.ring = nil
			}
		}
		if !a.measureOn {
			a.restartMeasure()
		}
	}
}

// restartMeasure restarts the measurement, or ends it if it is no longer needed.
func (a *attachment) restartMeasure() {
	if m := a.measure; m != nil {
		m.removeSyncHook()
		m.removeWaitHook()
		a.measure = nil
	}
	a.nextTimed, a.frameUntimed = 0, false
	if a.measureOn || len(a.recorders) > 0 {
		m := &measure{attachment: a}
		m.waitDone = m.endWait
		m.removeSyncHook, m.removeWaitHook = a.world.Hooks().OnSync(m.beginSync), a.world.Hooks().OnWait(m.beginWait)
		a.measure = m
	}
	a.setMetering(a.measure != nil)
	a.newTimer = nil
	if a.measure != nil {
		a.newTimer = a.measure.timerOf
	}
	for _, in := range a.instances {
		before := in.timing()
		if in.timer = nil; a.newTimer == nil {
			continue
		}
		in.timer = a.newTimer(in)
		if before != nil { // recordings continue
			in.timing().history = history{ring: before.history.ring, sampleCount: before.history.sampleCount}
		}
	}
}

// chooseShare computes the largest share of the recorders.
func (a *attachment) chooseShare() {
	a.share, a.nextTimed = 0, 0
	for _, o := range a.recorders {
		a.share = max(a.share, o.share)
	}
}

// chooseTimed decides whether the frame that has just begun is measured.
func (a *attachment) chooseTimed() {
	a.frameUntimed = !a.measureOn && a.share < 1 && a.frameStart < a.nextTimed
	a.setMetering(!a.frameUntimed)
	if a.frameUntimed {
		return
	}
	if watched := a.watchers != nil; watched != a.measure.watched {
		if a.measure.frameCount > 0 {
			a.restartMeasure() // a mean over frames with and without a watcher would describe none of them
		}
		a.measure.watched = watched
	}
	a.measure.beginFrame(a.frameStart)
}

// setMetering switches the measuring of jobs in the pool on or off.
func (a *attachment) setMetering(on bool) {
	if on != a.poolMetered {
		a.poolMetered = on
		a.world.Pool().Profile().Meter(on)
	}
}

// TimeNextFrame makes w measure its next frame, even if the share of [RecordTimes] would skip that
// frame.
func TimeNextFrame(w *ecs.World) { attachmentFor("TimeNextFrame", w).nextTimed = 0 }

// keepSamples adds a sample of the frame for each system. keepSamples also computes when the next frame
// must be measured.
func (a *attachment) keepSamples() {
	jobs := 0
	for _, in := range a.instances {
		jobs += in.timing().keepSample(a.frameCount)
	}
	if a.share < 1 {
		cost := time.Duration(frameReads+turnReads*len(a.frameEnds.turns)+jobReads*jobs+systemReads*len(a.instances)+a.measure.graphs.reads) * clockCost()
		a.nextTimed = a.frameStart + time.Duration(min(float64(cost)/a.share, float64(longestSkip)))
	}
}

// These constants are the costs of measuring a frame. The unit is one reading of the clock. There
// is a constant for the frame, for each turn, for each job and for each system. They are upper
// bounds. These are the costs of a single measured frame among many unmeasured frames, so the
// measurement's data is not in the caches. If consecutive frames are measured, the cost per frame
// is half as large.
const (
	frameReads  = 20
	turnReads   = 6
	jobReads    = 24
	systemReads = 2
)

// longestSkip is the longest time for which no frame is measured. Without this limit, a tiny share
// would overflow a Duration.
const longestSkip = 100 * 365 * 24 * time.Hour

// clockCost returns the time that one reading of the clock takes: 20 to 50 ns, or about a
// microsecond if the reading needs a system call.
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

// keepSample adds a sample of the frame to the system's history. It returns the number of jobs that
// the system had in the frame.
func (t *timing) keepSample(frame uint64) int {
	h := &t.history
	sum := t.sum()
	s := &h.ring[h.sampleCount%HistoryLen]
	*s = Sample{
		Frame: frame, Updates: sum.Updates - h.sum.Updates, Jobs: sum.Jobs - h.sum.Jobs, Own: sum.Own - h.sum.Own,
		Waited: sum.Waited - h.sum.Waited, Work: sum.Work - h.sum.Work, Span: sum.Span - h.sum.Span,
	}
	h.sum = sum
	h.sampleCount++
	return s.Jobs
}

// sum returns the sum of the system's times since Measure was last switched on.
func (t *timing) sum() Sample {
	waited := t.syncWaits.total + t.jobWaits.total
	return Sample{Updates: t.updates, Jobs: t.jobCount, Own: max(t.updateTime-t.memberTime-waited, 0), Waited: waited, Work: t.jobTime, Span: t.jobSpan}
}

// AppendSamples appends the recorded samples of the system to list, the oldest first. It appends
// only the records of the frames after frame number since. If there is no recording,
// AppendSamples appends nothing: see [RecordTimes]. AppendSamples allocates only if list must
// grow.
func (in *Instance) AppendSamples(list []Sample, since uint64) []Sample {
	in.mustExist("Instance.AppendSamples")
	if in.timer == nil || in.timing().history.ring == nil {
		return list
	}
	h := &in.timing().history
	first := h.sampleCount
	for oldest := h.sampleCount - min(h.sampleCount, HistoryLen); first > oldest && h.ring[(first-1)%HistoryLen].Frame > since; first-- {
	}
	for ; first < h.sampleCount; first++ {
		list = append(list, h.ring[first%HistoryLen])
	}
	return list
}

// beginTurn records that a system begins to update. It returns the number that must be passed to
// endTurn.
func (a *attachment) beginTurn(in *Instance, at time.Duration) int {
	if len(a.recorders) == 0 {
		return -1
	}
	a.frameEnds.turns = append(a.frameEnds.turns, Turn{Instance: in, Start: at, Depth: a.frameEnds.updateDepth})
	a.frameEnds.updateDepth++
	return len(a.frameEnds.turns) - 1
}

// endTurn records that the system has updated.
func (a *attachment) endTurn(k int, at time.Duration) {
	if k >= 0 && k < len(a.frameEnds.turns) {
		a.frameEnds.turns[k].End = at
		a.frameEnds.updateDepth = max(a.frameEnds.updateDepth-1, 0)
	}
}

// recordWait records a wait that has ended. The parameter in is the system whose jobs worked most
// during the wait, or nil if the jobs belong to no system.
func (a *attachment) recordWait(in *Instance, start, end time.Duration) {
	if len(a.recorders) == 0 || a.frameUntimed || end-start < time.Microsecond {
		return
	}
	a.frameEnds.turns = append(a.frameEnds.turns, Turn{Instance: in, Start: start, End: end, Depth: a.frameEnds.updateDepth, Wait: true})
}
