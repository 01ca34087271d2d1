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

// Measure begins to take the times of w's systems and of their jobs, for
// [Explain], or ends it; what was taken before is forgotten. It costs some
// hundred nanoseconds a system and job, and nothing a chunk. It panics in the
// middle of a frame.
func Measure(w *ecs.World, on bool) {
	r := attachmentFor("Measure", w)
	r.mustBeOpen("measure")
	if what := r.busy(); what != "" {
		panic(fmt.Errorf("system: Measure: world %q: %s; measure whole frames: %w", w.Name(), what, ecs.ErrState))
	}
	r.asked = on
	r.remeasure()
}

// measure is what is known of the frames of a world since Measure.
type measure struct {
	on      *attachment
	noSync  func() // end its hooks
	noWait  func()
	frames  int
	total   time.Duration // of the frames
	began   time.Duration // the present one
	ending  bool          // it only waits for its jobs yet
	end     waits         // at the ends of frames
	outside waits         // in sync points between the updates of systems
	other   waits         // elsewhere between them, which counts for no system
	open    []pause       // the waits that are going on, the innermost last
	over    func()        // ends it; made once
	awaited []*Instance   // scratch of awaitAll
}

// pause is a wait that is going on.
type pause struct {
	to    *waits
	start time.Duration
	of    []candidate // the systems that it may be for
}

// candidate is a system with jobs that conflict with what the owner is about to do.
type candidate struct {
	in   *Instance
	work time.Duration // of workers at its jobs before the wait
	open bool          // some of its jobs were not done; where all were, they are so by now
}

// timer makes what takes the times of a system.
func (m *measure) timer(in *Instance) timer {
	t := &timing{in: in, measure: m}
	if len(m.on.recorders) > 0 {
		t.history.ring = make([]Sample, HistoryLen)
	}
	return t
}

// timing is what is known of the system's times; nil if nothing is.
func (in *Instance) timing() *timing {
	t, _ := in.timer.(*timing)
	return t
}

// timing is what is known of one system since Measure. It is the system's timer.
type timing struct {
	in           *Instance
	measure      *measure // of the world; nil in a copy
	updates      int
	update       time.Duration // on the owner's goroutine, all that follows included
	members      time.Duration // of that, in updates of other systems
	syncs        waits         // of that, in sync points
	others       waits         // of that, for jobs that it had to see done
	awaited      access.Access // what these wrote or read
	jobs         int
	touched      []*access.Access // by the jobs, each once
	names        []string         // of the jobs, each once
	work         time.Duration    // of the jobs that are done, on all workers together
	span         time.Duration
	meter        *profile.Meter   // of the jobs; nil before the first
	metered      []*timedJob      // what bears it, as many as there ever were since the last fold
	meteredInUse int              // of these, those in use
	seen         time.Duration    // scratch of awaitAll: of the work
	frames       int              // of a copy: those that were measured when it was made
	spreads      []profile.Spread // of a copy
	history      history          // frame by frame, while there is a recording
}

// waits counts waits.
type waits struct {
	count     int
	waited    time.Duration
	waitedFor []waited
}

// waited is how long one system's jobs were waited for.
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

// now is the time of everything here.
func now() time.Duration { return profile.Clock() }

// sync is called before a sync point waits. It waits instead, to see for which systems.
func (m *measure) sync() {
	if m.ending || m.on.skipped {
		return
	}
	to := m.syncs()
	to.count++
	m.awaitAll(to)
}

// awaitAll waits for the jobs of all systems and keeps them: whether they failed is for
// complete to say. What made the owner wait is what worked meanwhile: each gets the part
// of the wait that its jobs had of the work. Where nothing was seen to work, because it is
// no job that bears a meter, the first gets all whose jobs were not done.
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

// workUntil is how long workers were at the jobs up to a time, which is about now.
func (t *timing) workUntil(at time.Duration) time.Duration {
	if t.meter == nil {
		return 0
	}
	return t.meter.Busy(at)
}

// syncs is what a sync point of the present moment counts for.
func (m *measure) syncs() *waits {
	if m.ending {
		return &m.end
	}
	if in := m.on.executing; in != nil && in.timer != nil {
		return &in.timing().syncs
	}
	return &m.outside
}

// wait is called before the owner waits for the jobs that conflict with a, or
// for what sync has not waited for: jobs that are no system's.
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
		m.open = m.open[:n+1] // which keeps the room for candidates
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

// longest returns the system whose jobs worked most since the wait began; nil if it was
// for no system's jobs.
func (p *pause) longest(end time.Duration) (in *Instance) {
	most, open := time.Duration(-1), false
	for _, c := range p.of {
		if work := c.in.timing().workUntil(end) - c.work; work > most || work == most && c.open && !open {
			in, most, open = c.in, work, c.open
		}
	}
	return in
}

// waited is called when a wait is over.
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
	m.began, m.ending, m.open = at, false, m.open[:0] // a wait that a panic has ended left its beginning there
}

// awaitFrame waits for what is left of a frame.
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

// fold takes note of how long the jobs since the last fold took from the first
// to the last. All of them are done.
func (t *timing) fold() {
	t.releaseJobs()
	if t.meter == nil {
		return
	}
	work, first, last := t.meter.Take()
	t.work, t.span = work, t.span+last-first
}

// releaseJobs lets go of the jobs that were timed. All of them are done, or had nothing to do.
func (t *timing) releaseJobs() {
	for _, j := range t.metered[:t.meteredInUse] {
		j.chunks, j.single, j.ranges = nil, nil, nil
	}
	t.meteredInUse = 0
}

// begin takes note of an update that begins.
func (t *timing) begin() mark {
	at := now()
	return mark{at, t.measure.on.beginTurn(t.in, at)}
}

// end takes note of an update that has ended.
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

// await waits for the jobs of the system and keeps them: whether they failed is for
// complete to say.
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

// scheduled takes note of a job of access a.
func (t *timing) scheduled(a *access.Access) {
	t.jobs++
	if !t.touches(a) {
		t.touched = append(t.touched, a)
	}
}

// timedJob is a job of whatever shape that bears the meter of its system.
type timedJob struct {
	meter  *profile.Meter
	chunks ecs.ChunkJob
	single jobs.Job
	ranges jobs.RangeJob
	typ    reflect.Type // of the job that name is for
	owned  bool         // the name says whose it is
	name   string
}

// maxNames is how many names of a system's jobs an explanation asks for.
const maxNames = 16

// chunks returns the job to schedule in place of one over a query.
func (t *timing) chunks(j ecs.ChunkJob) ecs.ChunkJob {
	own := t.timed(j, true)
	own.chunks = j
	return own
}

// single returns the one to schedule in place of a single job.
func (t *timing) single(j jobs.Job) jobs.Job {
	own := t.timed(j, false)
	own.single = j
	return own
}

// ranges returns the one to schedule in place of a job over indices.
func (t *timing) ranges(j jobs.RangeJob) jobs.RangeJob {
	own := t.timed(j, false)
	own.ranges = j
	return own
}

// timed returns the job to schedule in place of one of the system.
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
		if owned && !named && j.name != in.owner { // as it is named unmeasured: estimates go by names
			j.name = in.owner + ": " + j.name
		}
		if len(t.names) < maxNames && !slices.Contains(t.names, j.name) {
			t.names = append(t.names, j.name)
		}
	}
	return j
}

// touches reports whether a job was seen that had this access, or another one of the
// same components and places: some systems make theirs anew in every update.
func (t *timing) touches(a *access.Access) bool {
	return slices.ContainsFunc(t.touched, func(b *access.Access) bool {
		return a == b || same(&a.Read, &b.Read) && same(&a.Write, &b.Write) && same(&a.Where, &b.Where)
	})
}

// conflicts reports whether a job was seen that conflicts with an access: one of the two
// writes what the other one touches.
func (t *timing) conflicts(a *access.Access) bool {
	return slices.ContainsFunc(t.touched, func(b *access.Access) bool {
		return a.Write.Meets(&b.Write) || a.Write.Meets(&b.Read) || a.Read.Meets(&b.Write)
	})
}

func same(a, b *access.Set) bool { return a.Covers(b) && b.Covers(a) }

// Chunk does one chunk of a job over a query.
func (j *timedJob) Chunk(c *ecs.Chunk) { j.chunks.Chunk(c) }

// Run does a single job.
func (j *timedJob) Run(t *jobs.Task) { j.single.Run(t) }

// RunRange does a block of a job over indices.
func (j *timedJob) RunRange(t *jobs.Task, lo, hi int) { j.ranges.RunRange(t, lo, hi) }

// NotReturned tells the job that a body of its own did not return. One over a query hears of none,
// timed or not: that is its query's to deal with.
func (j *timedJob) NotReturned(worker int) {
	var job any = j.single
	if j.ranges != nil {
		job = j.ranges
	}
	if u, ok := job.(jobs.Unfinished); ok {
		u.NotReturned(worker)
	}
}

// JobMeter is what takes the times of the system's jobs.
func (j *timedJob) JobMeter() *profile.Meter { return j.meter }

// JobName is the name of the job that is timed.
func (j *timedJob) JobName() string { return j.name }

// longest returns the waits sorted by time.
func (w *waits) longest() []waited {
	s := slices.Clone(w.waitedFor)
	slices.SortStableFunc(s, func(a, b waited) int { return cmp.Compare(b.time, a.time) })
	return s
}
