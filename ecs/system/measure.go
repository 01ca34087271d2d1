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

// Measure switches the measurement of w on or off. While it is on, [Explain] reports times of the
// systems of w and of their jobs. Either call discards earlier measurements. A measurement costs
// some hundred nanoseconds for each system and job, and nothing for a chunk. Only the owner may
// call it. It panics in the middle of a frame.
func Measure(w *ecs.World, on bool) {
	r := attachmentFor("Measure", w)
	r.mustBeOpen("measure")
	if what := r.busy(); what != "" {
		panic(fmt.Errorf("system: Measure: world %q: %s; measure whole frames: %w", w.Name(), what, ecs.ErrState))
	}
	r.asked = on
	r.remeasure()
}

// measure holds the measurements of a world since Measure was switched on.
type measure struct {
	on      *attachment
	noSync  func() // removes the hook of sync points
	noWait  func()
	frames  int
	total   time.Duration // of all frames
	began   time.Duration // start of the current frame
	ending  bool          // the frame only waits for its last jobs
	end     waits         // waits at the ends of frames
	outside waits         // waits of sync points between the updates of systems
	other   waits         // other waits between updates, which are not attributed to a system
	open    []pause       // the current waits, the innermost last
	over    func()        // waited as a function; made once, so that a wait does not allocate
	awaited []*Instance   // reused by awaitAll
}

// pause is a wait that has not ended.
type pause struct {
	to    *waits
	start time.Duration
	of    []candidate // systems whose jobs the wait may be for
}

// candidate is a system with jobs that conflict with the owner's next access.
type candidate struct {
	in   *Instance
	work time.Duration // time that workers spent on its jobs before the wait
	open bool          // some of its jobs were not done when the wait began; if all were, it does not wait for them
}

// timer returns the timer of a system.
func (m *measure) timer(in *Instance) timer {
	t := &timing{in: in, measure: m}
	if len(m.on.recorders) > 0 {
		t.history.ring = make([]Sample, HistoryLen)
	}
	return t
}

// timing returns the measurements of the system, or nil if there are none.
func (in *Instance) timing() *timing {
	t, _ := in.timer.(*timing)
	return t
}

// timing holds the measurements of one system since Measure was switched on. It is the system's
// timer.
type timing struct {
	in           *Instance
	measure      *measure // of the world; nil in a copy
	updates      int
	update       time.Duration // time of the updates on the owner's goroutine, including the next three
	members      time.Duration // part of update: updates of other systems
	syncs        waits         // part of update: sync points
	others       waits         // part of update: waits for conflicting jobs
	awaited      access.Access // the components that those jobs touch
	jobs         int
	touched      []*access.Access // the accesses of the jobs, each once
	names        []string         // the names of the jobs, each once
	work         time.Duration    // time of the finished jobs, summed over all workers
	span         time.Duration
	meter        *profile.Meter   // the meter of the jobs; nil before the first
	metered      []*timedJob      // the wrappers of jobs since the last fold, kept for reuse
	meteredInUse int              // how many of them are in use
	seen         time.Duration    // work as awaitAll has seen it last
	frames       int              // in a copy: number of measured frames at the time of the copy
	spreads      []profile.Spread // in a copy
	history      history          // samples of each frame, while there is a recording
}

// waits counts waits and adds up their times.
type waits struct {
	count     int
	waited    time.Duration
	waitedFor []waited
}

// waited is the time that the owner waited for the jobs of one system.
type waited struct {
	in   *Instance
	time time.Duration
}

func (w *waits) add(in *Instance, d time.Duration) {
	w.waited += d
	i := slices.IndexFunc(w.waitedFor, func(o waited) bool { return o.in == in })
	if i < 0 {
		i, w.waitedFor = len(w.waitedFor), append(w.waitedFor, waited{in: in})
	}
	w.waitedFor[i].time += d
}

// now returns the time of the clock that all measurements use.
func now() time.Duration { return profile.Clock() }

// sync is called before a sync point waits. It does the waiting itself, in order to see for which
// systems the owner waits.
func (m *measure) sync() {
	if m.ending || m.on.skipped {
		return
	}
	to := m.syncs()
	to.count++
	m.awaitAll(to)
}

// awaitAll waits for the jobs of all systems, and keeps their handles because complete has to
// report errors. Each system is charged with a part of the wait, in proportion to the work that its
// jobs did meanwhile. If no work was seen, because the jobs bear no meter, the first system with
// unfinished jobs is charged with all of it.
func (m *measure) awaitAll(to *waits) {
	m.awaited = m.awaited[:0]
	for _, in := range m.on.instances {
		if in.timer != nil && slices.ContainsFunc(in.outputs, func(h jobs.Handle) bool { return !h.Done() }) {
			m.awaited = append(m.awaited, in)
		}
	}
	if len(m.awaited) == 0 {
		return
	}
	start := now()
	for _, in := range m.awaited {
		in.timing().seen = in.timing().workUntil(start)
	}
	for _, in := range m.awaited {
		for _, h := range in.outputs {
			_ = h.Wait()
		}
	}
	end := now()
	took, sum := end-start, time.Duration(0)
	for _, in := range m.awaited {
		in.timing().seen = max(in.timing().workUntil(end)-in.timing().seen, 0)
		sum += in.timing().seen
	}
	longest := m.awaited[0]
	if sum == 0 {
		to.add(longest, took)
		sum = 1
	}
	for _, in := range m.awaited {
		if t := in.timing(); t.seen > 0 {
			to.add(in, time.Duration(float64(took)*float64(t.seen)/float64(sum)))
			if t.seen > longest.timing().seen {
				longest = in
			}
		}
	}
	clear(m.awaited)
	m.on.recordWait(longest, start, end)
}

// workUntil returns the time that workers have spent on the jobs until at, which must be about now.
func (t *timing) workUntil(at time.Duration) time.Duration {
	if t.meter == nil {
		return 0
	}
	return t.meter.Busy(at)
}

// syncs returns the counter that a sync point at this moment is charged to.
func (m *measure) syncs() *waits {
	if m.ending {
		return &m.end
	}
	if in := m.on.executing; in != nil && in.timer != nil {
		return &in.timing().syncs
	}
	return &m.outside
}

// wait is called before the owner waits for the jobs that conflict with a, or for jobs of no
// system, which sync has not waited for.
func (m *measure) wait(a *access.Access) (done func()) {
	if m.on.skipped {
		return func() {}
	}
	to := &m.other
	if in := m.on.executing; a == nil {
		to = m.syncs()
	} else if in != nil && in.timer != nil {
		to = &in.timing().others
		to.count++
		in.timing().awaited.Read.Union(&a.Read)
		in.timing().awaited.Write.Union(&a.Write)
	}
	if n := len(m.open); n < cap(m.open) {
		m.open = m.open[:n+1] // keeps the candidates of the slot, so that it does not allocate
	} else {
		m.open = append(m.open, pause{})
	}
	p := &m.open[len(m.open)-1]
	p.to, p.start, p.of = to, now(), p.of[:0]
	for _, in := range m.on.instances {
		if t := in.timing(); a != nil && t != nil && len(in.outputs) > 0 && t.conflicts(a) {
			p.of = append(p.of, candidate{in, t.workUntil(p.start), slices.ContainsFunc(in.outputs, func(h jobs.Handle) bool { return !h.Done() })})
		}
	}
	return m.over
}

// longest returns the system whose jobs worked most since the wait began, or nil if no system's
// jobs did.
func (p *pause) longest(end time.Duration) (in *Instance) {
	most, open := time.Duration(-1), false
	for _, c := range p.of {
		if work := c.in.timing().workUntil(end) - c.work; work > most || work == most && c.open && !open {
			in, most, open = c.in, work, c.open
		}
	}
	return in
}

// waited is called when a wait has ended.
func (m *measure) waited() {
	if n := len(m.open) - 1; n >= 0 {
		p := &m.open[n]
		end := now()
		p.to.waited += end - p.start
		m.on.recordWait(p.longest(end), p.start, end)
		clear(p.of)
		m.open = m.open[:n]
	}
}

func (m *measure) beginFrame(at time.Duration) {
	m.began, m.ending, m.open = at, false, m.open[:0] // drops waits that a panic has ended
}

// awaitFrame waits for the remaining jobs of a frame.
func (m *measure) awaitFrame() {
	m.ending = true
	m.end.count++
	m.awaitAll(&m.end)
}

func (m *measure) endFrame() {
	m.frames++
	m.total += now() - m.began
	m.ending = false
}

// fold adds the time from the start of the first job to the end of the last one, for the jobs since
// the last fold. All of them are done.
func (t *timing) fold() {
	t.releaseJobs()
	if t.meter == nil {
		return
	}
	work, first, last := t.meter.Take()
	t.work, t.span = work, t.span+last-first
}

// releaseJobs clears the wrappers of the jobs, so that they keep no job alive. All of the jobs are
// done or had nothing to do.
func (t *timing) releaseJobs() {
	for _, j := range t.metered[:t.meteredInUse] {
		j.chunks, j.single, j.ranges = nil, nil, nil
	}
	t.meteredInUse = 0
}

// begin records the start of an update.
func (t *timing) begin() mark {
	at := now()
	return mark{at, t.measure.on.beginTurn(t.in, at)}
}

// end records the end of an update.
func (t *timing) end(m mark, outer *Instance) {
	at := now()
	t.measure.on.endTurn(m.place, at)
	took := at - m.start
	t.updates++
	t.update += took
	if outer != nil && outer.taking() != nil {
		outer.timing().members += took
	}
}

// await waits for the jobs of the system, and keeps their handles because complete has to report
// errors.
func (t *timing) await() {
	if len(t.in.outputs) == 0 {
		return
	}
	start := now()
	for _, h := range t.in.outputs {
		_ = h.Wait()
	}
	end := now()
	t.others.add(t.in, end-start)
	t.measure.on.recordWait(t.in, start, end)
}

// scheduled records a job of access a.
func (t *timing) scheduled(a *access.Access) {
	t.jobs++
	if !t.touches(a) {
		t.touched = append(t.touched, a)
	}
}

// timedJob wraps a job of any kind. It bears the meter of the job's system, so that the pool adds
// the job's time to it.
type timedJob struct {
	meter  *profile.Meter
	chunks ecs.ChunkJob
	single jobs.Job
	ranges jobs.RangeJob
	typ    reflect.Type // type of the job whose name this is
	owned  bool         // the name has the name of the system
	name   string
}

// maxNames limits the job names of one system, because an explanation asks the pool about each.
const maxNames = 16

// chunks returns the job to schedule in place of a job over a query.
func (t *timing) chunks(j ecs.ChunkJob) ecs.ChunkJob {
	own := t.timed(j, true)
	own.chunks = j
	return own
}

// single returns the job to schedule in place of a single job.
func (t *timing) single(j jobs.Job) jobs.Job {
	own := t.timed(j, false)
	own.single = j
	return own
}

// ranges returns the job to schedule in place of a job over indices.
func (t *timing) ranges(j jobs.RangeJob) jobs.RangeJob {
	own := t.timed(j, false)
	own.ranges = j
	return own
}

// timed returns the wrapper of a job of the system.
func (t *timing) timed(job any, owned bool) *timedJob {
	in := t.in
	if t.meter == nil {
		t.meter = in.world.Pool().Profile().NewMeter()
	}
	if t.meteredInUse == len(t.metered) {
		t.metered = append(t.metered, &timedJob{meter: t.meter})
	}
	j := t.metered[t.meteredInUse]
	t.meteredInUse++
	_, named := job.(jobs.Named)
	if typ := reflect.TypeOf(job); named || typ != j.typ || owned != j.owned {
		j.typ, j.owned, j.name = typ, owned, jobName(job)
		if owned && !named && j.name != in.owner { // the same name as without a measurement, because the pool keeps its estimates by name
			j.name = in.owner + ": " + j.name
		}
		if len(t.names) < maxNames && !slices.Contains(t.names, j.name) {
			t.names = append(t.names, j.name)
		}
	}
	return j
}

// touches reports whether a job with this access was seen, or one with an equal access. It compares
// values because some systems make their accesses anew in each update.
func (t *timing) touches(a *access.Access) bool {
	return slices.ContainsFunc(t.touched, func(b *access.Access) bool {
		return a == b || same(&a.Read, &b.Read) && same(&a.Write, &b.Write) && same(&a.Where, &b.Where)
	})
}

// conflicts reports whether a job was seen that conflicts with the access: one of the two writes a
// component that the other touches.
func (t *timing) conflicts(a *access.Access) bool {
	return slices.ContainsFunc(t.touched, func(b *access.Access) bool {
		return a.Write.Meets(&b.Write) || a.Write.Meets(&b.Read) || a.Read.Meets(&b.Write)
	})
}

func same(a, b *access.Set) bool { return a.Covers(b) && b.Covers(a) }

// Chunk runs one chunk of a job over a query.
func (j *timedJob) Chunk(c *ecs.Chunk) { j.chunks.Chunk(c) }

// Run runs a single job.
func (j *timedJob) Run(t *jobs.Task) { j.single.Run(t) }

// RunRange runs a block of a job over indices.
func (j *timedJob) RunRange(t *jobs.Task, lo, hi int) { j.ranges.RunRange(t, lo, hi) }

// NotReturned tells the wrapped job that a body of it did not return. A job over a query is not
// told, with or without a measurement, because its query deals with that.
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

// longest returns the waits, the longest first.
func (w *waits) longest() []waited {
	s := slices.Clone(w.waitedFor)
	slices.SortStableFunc(s, func(a, b waited) int { return cmp.Compare(b.time, a.time) })
	return s
}
