package system

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
	"github.com/lanewise/lanewise/jobs/profile"
)

// Measure switches the measurement of w on or off. While it is on, [Explain] reports the times of
// the systems of w and of their jobs. Switching it on or off discards earlier measurements. A
// measurement costs a few hundred nanoseconds for each system and job. In the first frames, and then
// in one of eight, it also reads the clock twice for each chunk or block of a job. Only the owner of w
// may call Measure. Measure panics if a frame is running.
func Measure(w *ecs.World, on bool) {
	r := attachmentFor("Measure", w)
	r.mustBeOpen("measure")
	if what := r.busyReason(); what != "" {
		panic(fmt.Errorf("system: Measure: world %q: %s; measure whole frames: %w", w.Name(), what, ecs.ErrState))
	}
	r.measureOn = on
	r.restartMeasure()
}

// measure holds the measurements of a world since Measure was last switched on.
type measure struct {
	attachment     *attachment
	removeSyncHook func() // removes the hook of sync points
	removeWaitHook func()
	frameCount     int
	frameTime      time.Duration // total time of all frames
	frameStart     time.Duration // start of the current frame
	inFrameEnd     bool          // the frame is only waiting for its last jobs
	inTool         bool          // the owner does the work of a tool, or waits for it
	watched        bool          // a watcher observes the updates in the measured frames
	frameEndWaits  waits         // waits at the ends of frames
	outsideSyncs   waits         // waits of sync points that were not in a system's update
	otherWaits     waits         // other waits that were not in a system's update
	openWaits      []openWait    // waits that have not ended, the innermost last
	waitDone       func()        // the method endWait; bound only once, so that a wait does not allocate
	awaitedScratch []*Instance   // memory that awaitAll reuses
	graphs         graphRecorder
	graphCopies    []*frameGraph // in a copy, the recorded frames
}

// openWait is a wait that has not ended.
type openWait struct {
	counter    *waits
	start      time.Duration
	access     *access.Access  // a copy of the owner's access if the frame is recorded, in the memory of its graph; nil if the owner waits for jobs of no system
	candidates []waitCandidate // systems for whose jobs the owner may be waiting
}

// waitCandidate is a system that may be the cause of a wait: its jobs conflict with the access for
// which the owner waits.
type waitCandidate struct {
	in         *Instance
	workBefore time.Duration // time that workers had spent on its jobs before the wait
	wasOpen    bool          // some of its jobs were unfinished when the wait began; otherwise the owner does not wait for this system
}

// timerOf returns the timer of a system.
func (m *measure) timerOf(in *Instance) timer {
	t := &timing{in: in, measure: m}
	if len(m.attachment.recorders) > 0 {
		t.history.ring = make([]Sample, HistoryLen)
	}
	return t
}

// timing returns the measurements of the system, or nil if there are none.
func (in *Instance) timing() *timing {
	t, _ := in.timer.(*timing)
	return t
}

// timing holds the measurements of one system since Measure was last switched on. It is the
// system's timer.
type timing struct {
	in            *Instance
	measure       *measure // measurements of the world; nil in a copy
	updates       int
	updateTime    time.Duration // time of the updates on the owner's goroutine, including the next three fields
	memberTime    time.Duration // part of updateTime that was spent in updates of other systems, and in tools
	syncWaits     waits         // part of updateTime that was spent in sync points
	jobWaits      waits         // part of updateTime that was spent waiting for conflicting jobs
	awaitedAccess access.Access // the components that those jobs use
	jobCount      int
	jobAccesses   []*access.Access // the accesses of the jobs, without duplicates
	jobNames      []string         // the names of the jobs, without duplicates
	jobTime       time.Duration    // time of the finished jobs, added over all workers
	jobSpan       time.Duration
	meter         *profile.Meter     // the meter of the jobs; nil before the first job
	wrappers      []*timedJob        // wrappers of the jobs; they are reused after their times were added
	wrappersInUse int                // how many of the wrappers are in use
	jobTimeSeen   time.Duration      // jobTime when awaitAll last read it
	frameCount    int                // in a copy, the number of frames that were measured before it was made
	loopModes     []profile.LoopMode // how the pool splits the loops; set only in a copy
	history       history            // samples of the frames, if they are recorded
}

// waits counts waits and adds up their times.
type waits struct {
	count    int
	total    time.Duration
	bySystem []systemWait
}

// systemWait is the time that the owner waited for the jobs of one system.
type systemWait struct {
	in   *Instance
	time time.Duration
}

func (w *waits) add(in *Instance, d time.Duration) {
	w.total += d
	i := slices.IndexFunc(w.bySystem, func(o systemWait) bool { return o.in == in })
	if i < 0 {
		i, w.bySystem = len(w.bySystem), append(w.bySystem, systemWait{in: in})
	}
	w.bySystem[i].time += d
}

// now returns the time of the clock that all measurements use.
func now() time.Duration { return profile.Clock() }

// beginSync is called before a sync point waits. beginSync does the waiting itself, so that it can find
// out for which systems the owner waits.
func (m *measure) beginSync() {
	if m.inFrameEnd || m.inTool || m.attachment.frameUntimed {
		return
	}
	to := m.syncCounter()
	to.count++
	m.awaitAll(to)
}

// awaitAll waits for the jobs of all systems. awaitAll keeps their handles, because complete must
// report their errors. awaitAll divides the time of the wait among the systems, in proportion to
// the work of their jobs during the wait. If no work was measured, because the jobs have no meter,
// the whole wait is charged to the first system with unfinished jobs.
func (m *measure) awaitAll(to *waits) {
	m.awaitedScratch = m.awaitedScratch[:0]
	for _, in := range m.attachment.instances {
		if in.timer != nil && slices.ContainsFunc(in.updateJobs, func(h jobs.Handle) bool { return !h.Done() }) {
			m.awaitedScratch = append(m.awaitedScratch, in)
		}
	}
	if len(m.awaitedScratch) == 0 {
		if m.graphs.newJobs {
			at := now()
			m.graphs.recordWait(at, at, waitAll, nil) // the jobs would not be done with fewer workers
		}
		return
	}
	start := now()
	for _, in := range m.awaitedScratch {
		in.timing().jobTimeSeen = in.timing().workUntil(start)
	}
	for _, in := range m.awaitedScratch {
		for _, h := range in.updateJobs {
			_ = h.Wait()
		}
	}
	end := now()
	took, sum := end-start, time.Duration(0)
	for _, in := range m.awaitedScratch {
		in.timing().jobTimeSeen = max(in.timing().workUntil(end)-in.timing().jobTimeSeen, 0)
		sum += in.timing().jobTimeSeen
	}
	longest := m.awaitedScratch[0]
	if sum == 0 {
		to.add(longest, took)
		sum = 1
	}
	for _, in := range m.awaitedScratch {
		if t := in.timing(); t.jobTimeSeen > 0 {
			to.add(in, time.Duration(float64(took)*float64(t.jobTimeSeen)/float64(sum)))
			if t.jobTimeSeen > longest.timing().jobTimeSeen {
				longest = in
			}
		}
	}
	clear(m.awaitedScratch)
	m.graphs.recordWait(start, end, waitAll, nil)
	m.attachment.recordWait(longest, start, end)
}

// workUntil returns the time that workers have spent on the jobs until at, which must be close to
// the current time.
func (t *timing) workUntil(at time.Duration) time.Duration {
	if t.meter == nil {
		return 0
	}
	return t.meter.Busy(at)
}

// syncCounter returns the counter to which the wait of the current sync point is added.
func (m *measure) syncCounter() *waits {
	if m.inFrameEnd {
		return &m.frameEndWaits
	}
	if in := m.attachment.executing; in != nil && in.timer != nil {
		return &in.timing().syncWaits
	}
	return &m.outsideSyncs
}

// beginWait is called before the owner waits for the jobs that conflict with a. beginWait is also
// called, with a nil access, before the owner waits for jobs that belong to no system.
func (m *measure) beginWait(a *access.Access) (done func()) {
	if m.inTool || m.attachment.frameUntimed {
		return func() {}
	}
	to := &m.otherWaits
	if in := m.attachment.executing; a == nil {
		to = m.syncCounter()
	} else if in != nil && in.timer != nil {
		to = &in.timing().jobWaits
		to.count++
		in.timing().awaitedAccess.Read.Union(&a.Read)
		in.timing().awaitedAccess.Write.Union(&a.Write)
	}
	if n := len(m.openWaits); n < cap(m.openWaits) {
		m.openWaits = m.openWaits[:n+1] // reuse the candidates of the element, so that it does not allocate
	} else {
		m.openWaits = append(m.openWaits, openWait{})
	}
	p := &m.openWaits[len(m.openWaits)-1]
	p.counter, p.start, p.candidates, p.access = to, now(), p.candidates[:0], nil
	if a != nil && m.graphs.current != nil {
		p.access = m.graphs.current.copyAccess(a)
	}
	for _, in := range m.attachment.instances {
		if t := in.timing(); a != nil && t != nil && len(in.updateJobs) > 0 && t.hasConflict(a) {
			p.candidates = append(p.candidates, waitCandidate{in, t.workUntil(p.start), slices.ContainsFunc(in.updateJobs, func(h jobs.Handle) bool { return !h.Done() })})
		}
	}
	return m.waitDone
}

// busiest returns the system whose jobs worked most since the wait began, or nil if none worked.
func (p *openWait) busiest(end time.Duration) (in *Instance) {
	most, open := time.Duration(-1), false
	for _, c := range p.candidates {
		if work := c.in.timing().workUntil(end) - c.workBefore; work > most || work == most && c.wasOpen && !open {
			in, most, open = c.in, work, c.wasOpen
		}
	}
	return in
}

// endWait is called when a wait has ended.
func (m *measure) endWait() {
	if n := len(m.openWaits) - 1; n >= 0 {
		p := &m.openWaits[n]
		end := now()
		p.counter.total += end - p.start
		kind := waitAll
		if p.access != nil {
			kind = waitConflicting
		}
		m.graphs.recordWait(p.start, end, kind, p.access)
		m.attachment.recordWait(p.busiest(end), p.start, end)
		clear(p.candidates)
		m.openWaits = m.openWaits[:n]
	}
}

func (m *measure) beginFrame(at time.Duration) {
	m.frameStart, m.inFrameEnd, m.inTool, m.openWaits = at, false, false, m.openWaits[:0] // discards waits and tools that a panic has ended
	m.graphs.begin(m, at)
}

// runTool calls f, which does the work of a tool such as a watcher, or waits for jobs only because of
// the tool. Without the tool, the program would not spend this time. So the time is counted for no
// system. A recorded frame leaves it out, as if the owner had continued at once while the jobs ran.
func (a *attachment) runTool(f func()) {
	m := a.measure
	if m == nil || m.inTool || a.frameUntimed {
		f()
		return
	}
	start := now()
	m.inTool = true
	f()
	m.inTool = false
	end := now()
	m.graphs.cut(start, end, m.graphs.piece.in, waitNone, nil)
	if outer := a.executing; outer != nil && outer.timer != nil {
		outer.timing().memberTime += end - start
	}
}

// awaitFrame waits for the remaining jobs of a frame.
func (m *measure) awaitFrame() {
	m.inFrameEnd = true
	m.frameEndWaits.count++
	m.awaitAll(&m.frameEndWaits)
}

func (m *measure) endFrame() {
	m.frameCount++
	at := now()
	m.frameTime += at - m.frameStart
	m.graphs.end(m, at)
	m.inFrameEnd = false
}

// noteJobsDone adds the time from the start of the first job to the end of the last job. noteJobsDone
// covers all jobs since the previous call of noteJobsDone, and all of these jobs must have finished.
func (t *timing) noteJobsDone() {
	t.releaseJobs()
	if t.meter == nil {
		return
	}
	work, first, last := t.meter.Take()
	t.jobTime, t.jobSpan = work, t.jobSpan+last-first
}

// releaseJobs clears the wrappers of the jobs, so that the wrappers keep no job alive. All of the
// jobs must have finished or had nothing to do.
func (t *timing) releaseJobs() {
	for _, j := range t.wrappers[:t.wrappersInUse] {
		j.chunks, j.single, j.ranges, j.times = nil, nil, nil, nil
	}
	t.wrappersInUse = 0
}

// begin records the start of an update.
func (t *timing) begin() timerMark {
	at := now()
	t.measure.graphs.cut(at, at, t.in, waitNone, nil)
	return timerMark{at, t.measure.attachment.beginTurn(t.in, at)}
}

// end records the end of an update.
func (t *timing) end(m timerMark, outer *Instance) {
	at := now()
	t.measure.attachment.endTurn(m.turnIndex, at)
	t.measure.graphs.cut(at, at, outer, waitNone, nil)
	took := at - m.start
	t.updates++
	t.updateTime += took
	if outer != nil && outer.activeTimer() != nil {
		outer.timing().memberTime += took
	}
}

// await waits for the jobs of the system. await keeps their handles, because complete must report their
// errors.
func (t *timing) await() {
	if len(t.in.updateJobs) == 0 {
		return
	}
	start := now()
	for _, h := range t.in.updateJobs {
		_ = h.Wait()
	}
	end := now()
	t.jobWaits.add(t.in, end-start)
	t.measure.graphs.recordWait(start, end, waitOwn, nil)
	t.measure.attachment.recordWait(t.in, start, end)
}

// noteJob records the access of a job, its handle, and the handles of the jobs after which it was
// scheduled.
func (t *timing) noteJob(a *access.Access, h jobs.Handle, after []jobs.Handle) {
	t.jobCount++
	t.measure.graphs.recordScheduled(t.in, a, h, after)
	if !t.hasRecorded(a) {
		t.jobAccesses = append(t.jobAccesses, a)
	}
}

// dropWrapped makes the recorder forget the last wrapped job, so that the next call of recordScheduled
// does not take it for its own job.
func (t *timing) dropWrapped() { t.measure.graphs.pending = 0 }

// timedJob wraps a job of any kind so that the job is measured. timedJob has the meter of the job's
// system, so that the pool adds the job's time to that meter.
type timedJob struct {
	meter         *profile.Meter
	times         *blockTimes // where the times of the blocks are added; nil if the frame is not recorded
	chunks        ecs.ChunkJob
	single        jobs.Job
	ranges        jobs.RangeJob
	jobType       reflect.Type // type of the job to which name belongs
	nameHasSystem bool         // the name contains the name of the system
	name          string
}

// maxNames is the largest number of job names that are stored for a system. This limit is small because
// a report asks the pool about each name.
const maxNames = 16

// wrapChunkJob returns the job to schedule in place of a job over a query.
func (t *timing) wrapChunkJob(j ecs.ChunkJob) ecs.ChunkJob {
	own := t.wrapperOf(j, true)
	own.chunks = j
	return own
}

// wrapJob returns the job to schedule in place of a single job.
func (t *timing) wrapJob(j jobs.Job) jobs.Job {
	own := t.wrapperOf(j, false)
	own.single = j
	return own
}

// wrapRangeJob returns the job to schedule in place of a job over indices.
func (t *timing) wrapRangeJob(j jobs.RangeJob) jobs.RangeJob {
	own := t.wrapperOf(j, false)
	own.ranges = j
	return own
}

// wrapperOf returns the wrapper of a job of the system.
func (t *timing) wrapperOf(job any, owned bool) *timedJob {
	in := t.in
	if t.meter == nil {
		t.meter = in.world.Pool().Profile().NewMeter()
	}
	if t.wrappersInUse == len(t.wrappers) {
		t.wrappers = append(t.wrappers, &timedJob{meter: t.meter})
	}
	j := t.wrappers[t.wrappersInUse]
	t.wrappersInUse++
	j.times = t.measure.graphs.job(in)
	_, named := job.(jobs.Named)
	if typ := reflect.TypeOf(job); named || typ != j.jobType || owned != j.nameHasSystem {
		j.jobType, j.nameHasSystem, j.name = typ, owned, jobName(job)
		if owned && !named && j.name != in.uniqueName { // use the same name as without a measurement, because the pool stores its estimates by name
			j.name = in.uniqueName + ": " + j.name
		}
		if len(t.jobNames) < maxNames && !slices.Contains(t.jobNames, j.name) {
			t.jobNames = append(t.jobNames, j.name)
		}
	}
	return j
}

// hasRecorded reports whether a job with this access, or with an equal one, was recorded. hasRecorded
// compares values, because some systems create their accesses again in each update.
func (t *timing) hasRecorded(a *access.Access) bool {
	return slices.ContainsFunc(t.jobAccesses, func(b *access.Access) bool {
		return a == b || sameAccess(&a.Read, &b.Read) && sameAccess(&a.Write, &b.Write) && sameAccess(&a.Where, &b.Where)
	})
}

// hasConflict reports whether a recorded job conflicts with the access.
func (t *timing) hasConflict(a *access.Access) bool {
	return slices.ContainsFunc(t.jobAccesses, func(b *access.Access) bool { return conflict(a, b) })
}

func sameAccess(a, b *access.Set) bool { return a.Covers(b) && b.Covers(a) }

// Chunk runs one chunk of a job over a query.
func (j *timedJob) Chunk(c *ecs.Chunk) {
	if j.times == nil {
		j.chunks.Chunk(c)
		return
	}
	times, worker, rows, start := j.times, c.Task().Worker(), c.Len(), now()
	j.chunks.Chunk(c)
	times.add(worker, rows, now()-start)
}

// Run runs a single job.
func (j *timedJob) Run(t *jobs.Task) {
	if j.times == nil {
		j.single.Run(t)
		return
	}
	times, start := j.times, now()
	j.single.Run(t)
	times.add(t.Worker(), 0, now()-start)
}

// RunRange runs a block of a job over indices.
func (j *timedJob) RunRange(t *jobs.Task, lo, hi int) {
	if j.times == nil {
		j.ranges.RunRange(t, lo, hi)
		return
	}
	times, start := j.times, now()
	j.ranges.RunRange(t, lo, hi)
	times.add(t.Worker(), hi-lo, now()-start)
}

// NotReturned tells the wrapped job that one of its calls did not return. A job over a query is not
// reported here, because its query handles it, with or without a measurement.
func (j *timedJob) NotReturned(worker int) {
	var job any = j.single
	if j.ranges != nil {
		job = j.ranges
	}
	if u, ok := job.(jobs.Unfinished); ok {
		u.NotReturned(worker)
	}
}

// JobMeter returns the meter of the job's system.
func (j *timedJob) JobMeter() *profile.Meter { return j.meter }

// JobName returns the name of the wrapped job.
func (j *timedJob) JobName() string { return j.name }

// longestFirst returns the waits in decreasing order of their times.
func (w *waits) longestFirst() []systemWait {
	s := slices.Clone(w.bySystem)
	slices.SortStableFunc(s, func(a, b systemWait) int { return cmp.Compare(b.time, a.time) })
	return s
}
