package system

import (
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Explain returns a [Report] about the frames of w: the order in which systems update, which jobs
// wait for which, and which could run at the same time. Without measurements it goes by the
// components that systems declare, so jobs that systems do not declare are missing. After frames
// with [Measure] on, it goes by the jobs and waits of these frames, and has their times. It also
// lists the types without a system, and gives advice. The method String makes a text for people.
// Only the owner may call it, between two frames. It panics if w is nil or closed.
func Explain(w *ecs.World) *Report { return explainNow("Explain", w).Report() }

// reportBuilder makes a report. Its instances are copies, because any goroutine may use it while
// the world goes on: see [Explainer].
type reportBuilder struct {
	of        *attachment // for values that do not change, and for its look-up under a mutex
	out       *Report
	instances []*Instance
	steps     []placed
	times     map[*Instance]int // number of places of a system in the order
	measure   *measure          // a copy; nil without measurements
	begun     bool              // the world has had a frame
	never     map[*Instance][]string
	warnings  []string

	before [][]int // for each step: the steps whose jobs its jobs wait for
	after  [][]int // for each step: the steps whose jobs its update was seen to wait for
}

// placed is a system at one of its places in the order.
type placed struct {
	in    *Instance
	depth int
}

// step describes a system at one of its places. A system with several places gets the same part of
// its times at each, because measurements do not tell the places apart.
func (x *reportBuilder) step(p placed) ReportSystem {
	in := p.in
	s := ReportSystem{System: x.name(in), Depth: p.depth, Group: in.group != nil}
	s.Reads, s.Writes = in.Components()
	m := x.measure
	if m == nil || m.frames == 0 || in.timer == nil {
		return s
	}
	s.Spreads = in.timing().spreads
	t, parts := in.timing(), max(in.timing().frames, 1)*max(x.times[in], 1)
	share := func(d time.Duration) time.Duration { return d / time.Duration(parts) }
	waited := t.syncs.waited + t.others.waited
	s.Updates, s.Jobs = float64(t.updates)/float64(parts), float64(t.jobs)/float64(parts)
	s.Own, s.Waited = share(max(t.update-t.members-waited, 0)), share(waited)
	s.Work, s.Span = share(t.work), share(t.span)
	return s
}

// foreign reports whether the system belongs to another world than the explained one.
func (x *reportBuilder) foreign(in *Instance) bool { return in.roster != &x.of.roster }

// name returns the name of the system, together with its world if that is another one.
func (x *reportBuilder) name(in *Instance) string {
	if x.foreign(in) {
		return in.owner + " of world " + in.world.Name()
	}
	return in.owner
}

// measured copies the measurements of the whole world into the report.
func (x *reportBuilder) measured() {
	m := x.measure
	if m == nil || m.frames == 0 {
		return
	}
	x.out.Frames, x.out.Frame = m.frames, m.total/time.Duration(m.frames)
	for _, in := range x.instances {
		x.sync(x.name(in), &in.timing().syncs, in.timing().frames)
	}
	x.sync("between updates", &m.outside, m.frames)
	x.sync("", &m.end, m.frames)
}

func (x *reportBuilder) sync(name string, w *waits, frames int) {
	if w.count == 0 || frames == 0 {
		return
	}
	s := ReportSync{System: name, Count: float64(w.count) / float64(frames), Waited: w.waited / time.Duration(frames)}
	for _, o := range w.longest() {
		s.For = append(s.For, ReportPart{System: x.name(o.in), Jobs: true, Time: o.time / time.Duration(frames)})
	}
	x.out.Syncs = append(x.out.Syncs, s)
}

// syncs reports whether a step is a sync point: by measurement or, without one, because it is a
// command-buffer system.
func (x *reportBuilder) syncs(s placed) bool {
	if t := x.timing(s.in); t != nil {
		return t.syncs.count > 0
	}
	_, ok := s.in.system.(buffering)
	return ok
}

// works reports whether a step has jobs: by measurement or, without one, because the system
// declares components.
func (x *reportBuilder) works(s placed) bool {
	if t := x.timing(s.in); t != nil {
		return t.jobs > 0
	}
	return len(s.in.declared()) > 0
}

// timing returns the measurements of a system, or nil if there are none.
func (x *reportBuilder) timing(in *Instance) *timing {
	if x.out.Frames == 0 {
		return nil
	}
	return in.timing()
}

// fences are the jobs that a later job on a component may have to wait for, as in the world's
// tracker: the last writers, and the readers since.
type fences struct{ writers, readers []fence }

// fence is a job of a step.
type fence struct {
	step   int
	access *access.Access
}

// graph finds which jobs wait for which, by the rule of the world's tracker. It goes through the
// steps in order and keeps the fences of each component, as if no job ended by itself. A wait
// always refers to an earlier step, so the graph has no cycle.
func (x *reportBuilder) graph() {
	x.before, x.after = make([][]int, len(x.steps)), make([][]int, len(x.steps))
	components := make(map[int]*fences)
	for at, s := range x.steps {
		if x.foreign(s.in) || s.in.group != nil {
			continue
		}
		for _, a := range x.accesses(s.in) {
			x.order(at, a, components)
		}
	}
}

// accesses returns the accesses that a system declares and those of the jobs that it was seen to
// schedule. It returns none if the system has not updated during the measurement.
func (x *reportBuilder) accesses(in *Instance) []*access.Access {
	all, t := in.declared(), x.timing(in)
	if t == nil {
		return all
	}
	if t.updates == 0 {
		return nil
	}
	for _, a := range t.touched {
		if !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

// does reports whether a step has a job of access a, as far as that is known. It also reports
// whether the step's updates were seen to wait for the jobs that write component id, and for the
// jobs that read it.
func (x *reportBuilder) does(at int, a *access.Access, id int) (job, writers, readers bool) {
	t := x.timing(x.steps[at].in)
	if t == nil {
		return true, false, false
	}
	all := t.syncs.count >= t.updates || t.awaited.Write.Has(id)
	return t.touches(a), all || t.awaited.Read.Has(id), all
}

// order notes the jobs that a job of a step waits for, and then the job itself. A writer waits for
// the last writers and the readers since, and replaces those that it covers. A reader waits for the
// last writers. This is the rule of access.Tracker, which orders the jobs in a real frame.
func (x *reportBuilder) order(at int, a *access.Access, components map[int]*fences) {
	of := func(id int) *fences {
		if components[id] == nil {
			components[id] = new(fences)
		}
		return components[id]
	}
	covered := func(f fence) bool {
		return a.Where.Empty() || !f.access.Where.Empty() && a.Where.Covers(&f.access.Where)
	}
	// A system whose update touches the data itself has waited for the fences that it covers, so
	// later jobs find these done. A system that does neither leaves the fences as they are.
	cover := func(list []fence, is bool) []fence {
		if is {
			return slices.DeleteFunc(list, covered)
		}
		return list
	}
	note := func(list []fence, is bool) []fence {
		if is {
			return append(list, fence{at, a})
		}
		return list
	}
	for id := range a.Write.All() {
		f := of(id)
		job, writers, readers := x.does(at, a, id)
		w := ReportWait{Component: ecs.ComponentName(id), Writes: true, ForItWrites: true}
		x.waits(at, a, w, f.writers, job, writers)
		w.ForItWrites = false
		x.waits(at, a, w, f.readers, job, readers)
		f.writers = note(cover(f.writers, job || writers), job)
		f.readers = cover(f.readers, job || readers)
	}
	for id := range a.Read.All() {
		if a.Write.Has(id) {
			continue
		}
		f := of(id)
		job, writers, _ := x.does(at, a, id)
		x.waits(at, a, ReportWait{Component: ecs.ComponentName(id), ForItWrites: true}, f.writers, job, writers)
		f.readers = note(f.readers, job)
	}
}

// waits notes that a step waits, in the manner of w, for the jobs of the list that touch the same
// archetypes. Job and update say which of the two waits.
func (x *reportBuilder) waits(at int, a *access.Access, w ReportWait, list []fence, job, update bool) {
	for _, f := range list {
		apart := !a.Where.Empty() && !f.access.Where.Empty() && !a.Where.Meets(&f.access.Where)
		if apart || x.steps[f.step].in == x.steps[at].in {
			continue
		}
		if job && !slices.Contains(x.before[at], f.step) {
			x.before[at] = append(x.before[at], f.step)
		}
		if update && !slices.Contains(x.after[at], f.step) {
			x.after[at] = append(x.after[at], f.step)
		}
		w.System, w.For = x.name(x.steps[at].in), x.name(x.steps[f.step].in)
		x.addWait(w)
	}
}

// addWait adds a wait, or merges it with one for the same component.
func (x *reportBuilder) addWait(w ReportWait) {
	for i := range x.out.Waits {
		if o := &x.out.Waits[i]; o.System == w.System && o.For == w.For && o.Component == w.Component {
			o.Writes, o.ForItWrites = o.Writes || w.Writes, o.ForItWrites || w.ForItWrites
			return
		}
	}
	x.out.Waits = append(x.out.Waits, w)
}

// parallel puts each step with jobs into the first set after three kinds of steps: those that its
// jobs wait for, those that an update since has waited for, and the last sync point.
func (x *reportBuilder) parallel() {
	level := make([]int, len(x.steps))
	var levels [][]string
	base := 0
	for at, s := range x.steps {
		if x.syncs(s) {
			base = len(levels)
		}
		for _, b := range x.after[at] {
			base = max(base, level[b]+1)
		}
		if x.foreign(s.in) || s.in.group != nil || !x.works(s) {
			continue
		}
		level[at] = base
		for _, b := range x.before[at] {
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

// critical finds the critical path of the frame. An update comes after the update before it. The
// jobs of a step come after its update and after the jobs that they wait for. An update that is a
// sync point, or that was seen to wait for jobs, comes after these jobs.
func (x *reportBuilder) critical() {
	if x.out.Frames == 0 {
		return
	}
	c := chains{end: make([]time.Duration, 2*len(x.steps)), from: make([]int, 2*len(x.steps)), longest: none}
	for at, s := range x.steps {
		before := []int{none}
		if at > 0 {
			before[0] = updateOf(at - 1)
		}
		if x.syncs(s) {
			before = append(before, c.longest)
		}
		for _, b := range x.after[at] {
			before = append(before, workOf(b))
		}
		var jobs []int
		for _, b := range x.before[at] {
			jobs = append(jobs, workOf(b))
		}
		c.finish(updateOf(at), x.out.Order[at].Own, before...)
		c.finish(workOf(at), x.out.Order[at].Span, append(jobs, updateOf(at))...)
		c.note(updateOf(at))
		c.note(workOf(at))
	}
	for node := c.longest; node != none; node = c.from[node] {
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
// the order of the frame. So end and from of a finished node are final.
type chains struct {
	end     []time.Duration // the time at which a node ends
	from    []int           // the predecessor that ends last
	longest int             // the noted node that ends last
}

// none stands for the absence of a node.
const none = -1

func updateOf(step int) int { return 2 * step }
func workOf(step int) int   { return 2*step + 1 }

// finish sets the end of a node that takes the given time after its predecessors.
func (c *chains) finish(node int, took time.Duration, after ...int) {
	c.from[node] = none
	for _, a := range after {
		if a != none && (c.from[node] == none || c.end[a] > c.end[c.from[node]]) {
			c.from[node] = a
		}
	}
	c.end[node] = took
	if c.from[node] != none {
		c.end[node] += c.end[c.from[node]]
	}
}

// note makes the node the longest one if it ends last.
func (c *chains) note(node int) {
	if c.longest == none || c.end[node] > c.end[c.longest] {
		c.longest = node
	}
}
