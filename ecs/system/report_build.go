package system

import (
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Explain returns a [Report] about the frames of w. The Report contains the order in which systems
// update, which jobs wait for which, and which could run at the same time. Without measurements,
// the report is based on the components that systems declare. Therefore it does not include jobs
// that use undeclared components. After frames with [Measure] on, the report is based on the jobs
// and waits of these frames, and contains their times. The Report also lists the types without a
// system, and contains advice. The report's method String returns a text for people. Only the
// owner of w may call Explain, and only between two frames. Explain panics if w is nil or closed.
func Explain(w *ecs.World) *Report { return explainNow("Explain", w).Report() }

// reportBuilder builds a report. The builder works on copies of the instances, because any goroutine
// may use it while the world continues: see [Explainer].
type reportBuilder struct {
	attachment   *attachment // used only for values that do not change, and for a look-up under a mutex
	out          *Report
	instances    []*Instance
	steps        []placedSystem
	placeCount   map[*Instance]int // for each system, the number of its places in the order
	measure      *measure          // a copy; nil without measurements
	hadFrame     bool              // the world has had a frame
	neverMatched map[*Instance][]string
	warnings     []string

	jobsBeforeJobs   [][]int // for each step, the steps for whose jobs its jobs wait
	jobsBeforeUpdate [][]int // for each step, the steps for whose jobs its update has waited
}

// placedSystem is a system at one of its places in the order.
type placedSystem struct {
	in    *Instance
	depth int
}

// describeStep describes a system at one of its places. If a system has several places, each gets the same
// part of the system's times, because the measurements do not distinguish the places.
func (x *reportBuilder) describeStep(p placedSystem) ReportSystem {
	in := p.in
	s := ReportSystem{System: x.name(in), Depth: p.depth, Group: in.group != nil}
	s.Reads, s.Writes = in.Components()
	m := x.measure
	if m == nil || m.frameCount == 0 || in.timer == nil {
		return s
	}
	s.LoopModes = in.timing().loopModes
	t, parts := in.timing(), max(in.timing().frameCount, 1)*max(x.placeCount[in], 1)
	share := func(d time.Duration) time.Duration { return d / time.Duration(parts) }
	waited := t.syncWaits.total + t.jobWaits.total
	s.Updates, s.Jobs = float64(t.updates)/float64(parts), float64(t.jobCount)/float64(parts)
	s.Own, s.Waited = share(max(t.updateTime-t.memberTime-waited, 0)), share(waited)
	s.Work, s.Span = share(t.jobTime), share(t.jobSpan)
	return s
}

// ofOtherWorld reports whether the system belongs to another world than the one that the report
// describes.
func (x *reportBuilder) ofOtherWorld(in *Instance) bool { return in.roster != &x.attachment.roster }

// name returns the name of the system. If the system belongs to another world, the name contains
// that world.
func (x *reportBuilder) name(in *Instance) string {
	if x.ofOtherWorld(in) {
		return in.uniqueName + " of world " + in.world.Name()
	}
	return in.uniqueName
}

// copyMeasurements copies the measurements of the whole world into the report.
func (x *reportBuilder) copyMeasurements() {
	m := x.measure
	if m == nil || m.frameCount == 0 {
		return
	}
	x.out.Frames, x.out.Frame, x.out.Watched = m.frameCount, m.frameTime/time.Duration(m.frameCount), m.watched
	for _, in := range x.instances {
		x.addSync(x.name(in), &in.timing().syncWaits, in.timing().frameCount)
	}
	x.addSync("between updates", &m.outsideSyncs, m.frameCount)
	x.addSync("", &m.frameEndWaits, m.frameCount)
}

func (x *reportBuilder) addSync(name string, w *waits, frames int) {
	if w.count == 0 || frames == 0 {
		return
	}
	s := ReportSync{System: name, Count: float64(w.count) / float64(frames), Waited: w.total / time.Duration(frames)}
	for _, o := range w.longestFirst() {
		s.For = append(s.For, ReportPart{System: x.name(o.in), Jobs: true, Time: o.time / time.Duration(frames)})
	}
	x.out.Syncs = append(x.out.Syncs, s)
}

// isSyncPoint reports whether a step is a sync point. If there are measurements, a step is a sync point
// if the system has waited for all jobs. Without measurements, a step is a sync point if its system is
// a command-buffer system.
func (x *reportBuilder) isSyncPoint(s placedSystem) bool {
	if t := x.timing(s.in); t != nil {
		return t.syncWaits.count > 0
	}
	_, ok := s.in.system.(commandBufferSystem)
	return ok
}

// hasJobs reports whether a step has jobs. If there are measurements, a step has jobs if jobs of its
// system were measured. Without measurements, a step has jobs if its system declares components.
func (x *reportBuilder) hasJobs(s placedSystem) bool {
	if t := x.timing(s.in); t != nil {
		return t.jobCount > 0
	}
	return len(s.in.declaredAccesses()) > 0
}

// timing returns the measurements of a system, or nil if there are none.
func (x *reportBuilder) timing(in *Instance) *timing {
	if x.out.Frames == 0 {
		return nil
	}
	return in.timing()
}

// priorJobs holds the earlier jobs that use a component. A later job that uses this component may
// have to wait for them. As in the world's tracker, these are the last jobs that write the
// component, and the jobs that read it after them.
type priorJobs struct{ writers, readers []priorJob }

// priorJob is a job of a step.
type priorJob struct {
	step   int
	access *access.Access
}

// findWaits finds which jobs wait for which. findWaits uses the rule by which the world's tracker
// orders jobs. findWaits visits the steps in order and keeps the prior jobs of each component, as
// if no job ever finished. A wait always refers to an earlier step, so the graph has no cycle.
func (x *reportBuilder) findWaits() {
	x.jobsBeforeJobs, x.jobsBeforeUpdate = make([][]int, len(x.steps)), make([][]int, len(x.steps))
	components := make(map[int]*priorJobs)
	for at, s := range x.steps {
		if x.ofOtherWorld(s.in) || s.in.group != nil {
			continue
		}
		for _, a := range x.listAccesses(s.in) {
			x.orderJob(at, a, components)
		}
	}
}

// listAccesses returns the accesses that a system declares, and the accesses of the jobs that the system has
// scheduled during the measurement. If the system has not updated during the measurement, listAccesses returns
// none.
func (x *reportBuilder) listAccesses(in *Instance) []*access.Access {
	all, t := in.declaredAccesses(), x.timing(in)
	if t == nil {
		return all
	}
	if t.updates == 0 {
		return nil
	}
	for _, a := range t.jobAccesses {
		if !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

// hasJobOf reports whether a step has a job with access a. Without measurements, it assumes that
// the step has such a job. hasJobOf also reports whether the step's updates have waited for the
// jobs that write component id, and for the jobs that read it.
func (x *reportBuilder) hasJobOf(at int, a *access.Access, id int) (job, writers, readers bool) {
	t := x.timing(x.steps[at].in)
	if t == nil {
		return true, false, false
	}
	all := t.syncWaits.count >= t.updates || t.awaitedAccess.Write.Has(id)
	return t.hasRecorded(a), all || t.awaitedAccess.Read.Has(id), all
}

// orderJob records the jobs for which a job of a step waits, and then adds the job itself to the
// prior jobs. A job that writes a component waits for the last writers and for the readers after
// them. In the lists, the new job replaces each job whose archetypes are all archetypes of the
// new job, too. A job that reads the component waits for the last writers. The type
// access.Tracker orders the jobs in a real frame by the same rule.
func (x *reportBuilder) orderJob(at int, a *access.Access, components map[int]*priorJobs) {
	of := func(id int) *priorJobs {
		if components[id] == nil {
			components[id] = new(priorJobs)
		}
		return components[id]
	}
	covered := func(f priorJob) bool {
		return a.Where.Empty() || !f.access.Where.Empty() && a.Where.Covers(&f.access.Where)
	}
	// If the update of a system uses the data itself, it has already waited for the prior jobs
	// that use this data. So these jobs count as finished for later jobs. If neither the system's
	// jobs nor its update use the data, the lists do not change.
	cover := func(list []priorJob, is bool) []priorJob {
		if is {
			return slices.DeleteFunc(list, covered)
		}
		return list
	}
	note := func(list []priorJob, is bool) []priorJob {
		if is {
			return append(list, priorJob{at, a})
		}
		return list
	}
	for id := range a.Write.All() {
		f := of(id)
		job, writers, readers := x.hasJobOf(at, a, id)
		w := ReportWait{Component: ecs.ComponentName(id), Writes: true, ForItWrites: true}
		x.addWaits(at, a, w, f.writers, job, writers)
		w.ForItWrites = false
		x.addWaits(at, a, w, f.readers, job, readers)
		f.writers = note(cover(f.writers, job || writers), job)
		f.readers = cover(f.readers, job || readers)
	}
	for id := range a.Read.All() {
		if a.Write.Has(id) {
			continue
		}
		f := of(id)
		job, writers, _ := x.hasJobOf(at, a, id)
		x.addWaits(at, a, ReportWait{Component: ecs.ComponentName(id), ForItWrites: true}, f.writers, job, writers)
		f.readers = note(f.readers, job)
	}
}

// addWaits records that a step waits for the jobs in list that use the same archetypes as access a.
// The parameter w describes the wait for the report. The parameter job says whether the step's job
// waits, and update says whether the step's update waits.
func (x *reportBuilder) addWaits(at int, a *access.Access, w ReportWait, list []priorJob, job, update bool) {
	for _, f := range list {
		if !sameArchetypes(a, f.access) || x.steps[f.step].in == x.steps[at].in {
			continue
		}
		if job && !slices.Contains(x.jobsBeforeJobs[at], f.step) {
			x.jobsBeforeJobs[at] = append(x.jobsBeforeJobs[at], f.step)
		}
		if update && !slices.Contains(x.jobsBeforeUpdate[at], f.step) {
			x.jobsBeforeUpdate[at] = append(x.jobsBeforeUpdate[at], f.step)
		}
		w.System, w.For = x.name(x.steps[at].in), x.name(x.steps[f.step].in)
		x.addWait(w)
	}
}

// addWait adds a wait. If the report already contains a wait of the same systems for the same
// component, addWait merges the two.
func (x *reportBuilder) addWait(w ReportWait) {
	for i := range x.out.Waits {
		if o := &x.out.Waits[i]; o.System == w.System && o.For == w.For && o.Component == w.Component {
			o.Writes, o.ForItWrites = o.Writes || w.Writes, o.ForItWrites || w.ForItWrites
			return
		}
	}
	x.out.Waits = append(x.out.Waits, w)
}

// findParallel divides the steps with jobs into sets that can run at the same time. A step is in the
// first set that comes after all steps for which it must wait: steps for which its jobs wait, steps for
// which a later update has waited, and the last sync point.
func (x *reportBuilder) findParallel() {
	level := make([]int, len(x.steps))
	var levels [][]string
	base := 0
	for at, s := range x.steps {
		if x.isSyncPoint(s) {
			base = len(levels)
		}
		for _, b := range x.jobsBeforeUpdate[at] {
			base = max(base, level[b]+1)
		}
		if x.ofOtherWorld(s.in) || s.in.group != nil || !x.hasJobs(s) {
			continue
		}
		level[at] = base
		for _, b := range x.jobsBeforeJobs[at] {
			level[at] = max(level[at], level[b]+1)
		}
		for len(levels) <= level[at] {
			levels = append(levels, nil)
		}
		if name := x.name(s.in); !slices.Contains(levels[level[at]], name) {
			levels[level[at]] = append(levels[level[at]], name)
		}
	}
	for _, w := range levels {
		if len(w) > 1 {
			x.out.Parallel = append(x.out.Parallel, w)
		}
	}
}

// findCritical finds the critical path of the frame. In the path, an update comes after the previous
// update. The jobs of a step come after its update, and after the jobs for which they wait. If an
// update is a sync point, or has waited for jobs, it comes after these jobs.
func (x *reportBuilder) findCritical() {
	if x.out.Frames == 0 {
		return
	}
	c := chains{endTimes: make([]time.Duration, 2*len(x.steps)), predecessor: make([]int, 2*len(x.steps)), lastNode: noNode}
	for at, s := range x.steps {
		before := []int{noNode}
		if at > 0 {
			before[0] = updateNode(at - 1)
		}
		if x.isSyncPoint(s) {
			before = append(before, c.lastNode)
		}
		for _, b := range x.jobsBeforeUpdate[at] {
			before = append(before, jobsNode(b))
		}
		var jobs []int
		for _, b := range x.jobsBeforeJobs[at] {
			jobs = append(jobs, jobsNode(b))
		}
		c.finish(updateNode(at), x.out.Order[at].Own, before...)
		c.finish(jobsNode(at), x.out.Order[at].Span, append(jobs, updateNode(at))...)
		c.note(updateNode(at))
		c.note(jobsNode(at))
	}
	for node := c.lastNode; node != noNode; node = c.predecessor[node] {
		s := x.out.Order[node/2]
		part := ReportPart{System: s.System, Jobs: node%2 == 1, Time: s.Own}
		if part.Jobs {
			part.Time = s.Span
		}
		if part.Time > 0 {
			x.out.Critical = append(x.out.Critical, part)
		}
	}
	slices.Reverse(x.out.Critical)
}

// chains computes the longest chains of nodes in a frame. Each step has two nodes: its update and
// the work of its jobs.
//
// Invariant: the predecessors of a node are finished before the node, because nodes are finished in
// the order of the frame. So the values of endTimes and predecessor for a finished node are final.
type chains struct {
	endTimes    []time.Duration // when each node ends
	predecessor []int           // the predecessor of each node that ends last
	lastNode    int             // of the nodes passed to note, the one that ends last
}

// noNode means that there is no node.
const noNode = -1

func updateNode(step int) int { return 2 * step }
func jobsNode(step int) int   { return 2*step + 1 }

// finish computes the time at which a node ends. The node begins when its predecessors have ended, and
// takes the given time.
func (c *chains) finish(node int, took time.Duration, after ...int) {
	c.predecessor[node] = noNode
	for _, a := range after {
		if a != noNode && (c.predecessor[node] == noNode || c.endTimes[a] > c.endTimes[c.predecessor[node]]) {
			c.predecessor[node] = a
		}
	}
	c.endTimes[node] = took
	if c.predecessor[node] != noNode {
		c.endTimes[node] += c.endTimes[c.predecessor[node]]
	}
}

// note records the node as the last one if it ends later than all nodes before.
func (c *chains) note(node int) {
	if c.lastNode == noNode || c.endTimes[node] > c.endTimes[c.lastNode] {
		c.lastNode = node
	}
}
