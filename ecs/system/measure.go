package system

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Measure begins to take the times of w's systems and of their jobs, for
// [Explain], or ends it; what was taken before is forgotten. It costs some
// hundred nanoseconds a system and chunk. It panics in the middle of a frame.
func Measure(w *ecs.World, on bool) {
	r := rosterFor("Measure", w)
	r.mustBeOpen("measure")
	if what := r.busy(); what != "" {
		panic(fmt.Errorf("system: Measure: world %q: %s; measure whole frames: %w", w.Name(), what, ecs.ErrState))
	}
	r.asked = on
	r.remeasure()
}

// remeasure begins to take times anew, or ends it if nobody wants them any more.
func (r *roster) remeasure() {
	if m := r.measure; m != nil {
		m.noSync()
		m.noWait()
		r.measure = nil
	}
	if r.asked || r.recorders > 0 {
		m := &measure{roster: r}
		m.noSync, m.noWait = r.world.OnSync(m.sync), r.world.OnWait(m.wait)
		r.measure = m
	}
	for _, in := range r.instances {
		before := in.timing
		in.timing = r.newTiming()
		if before != nil && in.timing != nil { // what is recorded goes on
			in.timing.history.ring = before.history.ring
		}
	}
}

// newTiming returns what a system's times go into; nil when nobody wants them.
func (r *roster) newTiming() *timing {
	if r.measure == nil {
		return nil
	}
	t := new(timing)
	if r.recorders > 0 {
		t.history.ring = make([]Sample, HistoryLen)
	}
	return t
}

// measure is what is known of the frames of a world since Measure.
type measure struct {
	roster  *roster
	noSync  func() // end its hooks
	noWait  func()
	frames  int
	total   time.Duration // of the frames
	began   time.Duration // the present one
	ending  bool          // it only waits for its jobs yet
	end     waits         // at the ends of frames
	outside waits         // in sync points between the updates of systems
	other   waits         // elsewhere between them, which is nobody's
}

// timing is what is known of one system since Measure.
type timing struct {
	updates int
	update  time.Duration // on the owner's goroutine, all that follows included
	members time.Duration // of that, in updates of other systems
	syncs   waits         // of that, in sync points
	others  waits         // of that, for jobs that it had to see done
	awaited jobs.Access   // what these wrote or read
	jobs    int
	touched []*jobs.Access // by the jobs, each once
	names   []string       // of the jobs, each once
	work    atomic.Int64   // of the jobs, on all workers together, in ns
	span    time.Duration
	first   atomic.Int64 // beginning of the first job since the last fold, and end of the last; 0: none
	last    atomic.Int64
	seen    int64   // scratch of awaitAll: of work
	frames  int     // of a copy: those that were measured when it was made
	history history // frame by frame, while somebody records
}

// waits counts waits.
type waits struct {
	count  int
	waited time.Duration
	whom   []waited
}

// waited is how long one system's jobs were waited for.
type waited struct {
	in   *Instance
	time time.Duration
}

func (w *waits) add(in *Instance, d time.Duration) {
	w.waited += d
	i := slices.IndexFunc(w.whom, func(o waited) bool { return o.in == in })
	if i < 0 {
		i, w.whom = len(w.whom), append(w.whom, waited{in: in})
	}
	w.whom[i].time += d
}

// epoch is when times begin; they are never 0.
var epoch = time.Now().Add(-time.Second)

func now() time.Duration { return time.Since(epoch) }

// sync is called before a sync point waits. It waits instead, to see for whom.
func (m *measure) sync() {
	if m.ending {
		return
	}
	to := m.syncs()
	to.count++
	m.roster.awaitAll(to)
}

// awaitAll waits for the jobs of all systems and keeps them: whether they failed is for
// complete to say. Who made the owner wait is who worked meanwhile: each gets the part
// of the wait that its jobs had of the work. Where nothing was seen to work, because it is
// no job of a shape that is timed, the first gets all whose jobs were not done.
func (r *roster) awaitAll(to *waits) {
	var first *Instance
	for _, in := range r.instances {
		if in.timing == nil {
			continue
		}
		in.timing.seen = in.timing.work.Load()
		if first == nil && slices.ContainsFunc(in.outputs, func(h jobs.Handle) bool { return !h.Done() }) {
			first = in
		}
	}
	if first == nil {
		return
	}
	start := now()
	for _, in := range r.instances {
		for _, h := range in.outputs {
			_ = h.Wait()
		}
	}
	took, sum := now()-start, int64(0)
	for _, in := range r.instances {
		if in.timing != nil {
			in.timing.seen = in.timing.work.Load() - in.timing.seen
			sum += in.timing.seen
		}
	}
	longest := first
	if sum == 0 {
		to.add(first, took)
		sum = 1
	}
	for _, in := range r.instances {
		if t := in.timing; t != nil && t.seen > 0 {
			to.add(in, time.Duration(float64(took)*float64(t.seen)/float64(sum)))
			if t.seen > longest.timing.seen {
				longest = in
			}
		}
	}
	r.turned(longest, took)
}

// syncs is what a sync point of the present moment counts for.
func (m *measure) syncs() *waits {
	if m.ending {
		return &m.end
	}
	if in := m.roster.executing; in != nil && in.timing != nil {
		return &in.timing.syncs
	}
	return &m.outside
}

// wait is called before the owner waits for the jobs that conflict with a, or
// for what sync has not waited for: jobs that are no system's.
func (m *measure) wait(a *jobs.Access) (done func()) {
	start := now()
	to := &m.other
	if in := m.roster.executing; a == nil {
		to = m.syncs()
	} else if in != nil && in.timing != nil {
		to = &in.timing.others
		to.count++
		in.timing.awaited.Read.Union(&a.Read)
		in.timing.awaited.Write.Union(&a.Write)
	}
	return func() {
		took := now() - start
		to.waited += took
		m.roster.turned(m.roster.executing, took)
	}
}

// await waits for the jobs of in and keeps them: whether they failed is for
// complete to say.
func (in *Instance) await(to *waits) {
	if len(in.outputs) == 0 {
		return
	}
	start := now()
	for _, h := range in.outputs {
		_ = h.Wait()
	}
	took := now() - start
	to.add(in, took)
	in.roster.turned(in, took)
}

func (m *measure) beginFrame() { m.began, m.ending = now(), false }

// settle waits for what is left of a frame.
func (m *measure) settle() {
	m.ending = true
	m.end.count++
	m.roster.awaitAll(&m.end)
}

func (m *measure) endFrame() {
	m.frames++
	m.total += now() - m.began
	m.ending = false
}

// fold takes note of how long the jobs since the last fold took from the first
// to the last. All of them are done.
func (t *timing) fold() {
	if first := t.first.Swap(0); first != 0 {
		t.span += time.Duration(t.last.Swap(0) - first)
	}
}

// add takes note of an update that has ended.
func (t *timing) add(u *turn) {
	took := now() - u.start
	t.updates++
	t.update += took
	if u.outer != nil && u.outer.timing != nil {
		u.outer.timing.members += took
	}
}

// ran takes note of a piece of a job.
func (t *timing) ran(start time.Duration) {
	from, to := int64(start), int64(now())
	t.work.Add(to - from)
	for old := t.first.Load(); old == 0 || from < old; old = t.first.Load() {
		if t.first.CompareAndSwap(old, from) {
			break
		}
	}
	for old := t.last.Load(); to > old; old = t.last.Load() {
		if t.last.CompareAndSwap(old, to) {
			break
		}
	}
}

// timedJob is a job of whatever shape whose pieces are timed.
type timedJob struct {
	timing *timing
	chunks ecs.ChunkJob
	single jobs.Job
	ranges jobs.RangeJob
	name   string
}

// maxNames is how many names of a system's jobs an explanation asks for.
const maxNames = 16

// timed returns the job to schedule in place of one of the system.
func (in *Instance) timed(j timedJob, job any, owned bool) *timedJob {
	j.timing, j.name = in.timing, jobName(job)
	if _, named := job.(jobs.Named); owned && !named {
		j.name = in.owner + ": " + j.name
	}
	if t := in.timing; len(t.names) < maxNames && !slices.Contains(t.names, j.name) {
		t.names = append(t.names, j.name)
	}
	return &j
}

// scheduled takes note of a job of access a: over q, which may be nil. Where there
// was nothing to do, h is no job of its own.
func (in *Instance) scheduled(q *ecs.Query, a *jobs.Access, h jobs.Handle) {
	if in.timing == nil || h == (jobs.Handle{}) || q != nil && q.EmptyUnfiltered() {
		return
	}
	in.timing.jobs++
	if !in.timing.touches(a) {
		in.timing.touched = append(in.timing.touched, a)
	}
}

// touches reports whether a job was seen that had this access, or another one of the
// same components and places: some systems make theirs anew in every update.
func (t *timing) touches(a *jobs.Access) bool {
	return slices.ContainsFunc(t.touched, func(b *jobs.Access) bool {
		return a == b || same(&a.Read, &b.Read) && same(&a.Write, &b.Write) && same(&a.Where, &b.Where)
	})
}

func same(a, b *jobs.Set) bool { return a.Covers(b) && b.Covers(a) }

func jobName(job any) string {
	if n, ok := job.(jobs.Named); ok {
		return n.JobName()
	}
	t := reflect.TypeOf(job)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return fmt.Sprint(t)
}

// Chunk does one chunk of a job over a query.
func (j *timedJob) Chunk(c *ecs.Chunk) {
	start := now()
	j.chunks.Chunk(c)
	j.timing.ran(start)
}

// Run does a single job.
func (j *timedJob) Run(t *jobs.Task) {
	start := now()
	j.single.Run(t)
	j.timing.ran(start)
}

// RunRange does a block of a job over indices.
func (j *timedJob) RunRange(t *jobs.Task, lo, hi int) {
	start := now()
	j.ranges.RunRange(t, lo, hi)
	j.timing.ran(start)
}

// JobName is the name of the job that is timed.
func (j *timedJob) JobName() string { return j.name }

// longest returns the waits sorted by time.
func (w *waits) longest() []waited {
	s := slices.Clone(w.whom)
	slices.SortStableFunc(s, func(a, b waited) int { return cmp.Compare(b.time, a.time) })
	return s
}
