package system

import (
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Explain says in which order the systems of w update, what waits for what and
// what could run at once, by what the systems declare: a job that a system does
// not schedule waits for nothing. After frames with [Measure] on it also says
// how long everything took, and goes by the jobs that were scheduled in them, and
// by the waits of updates for jobs. It lists which systems were not created, and why. Its String is a text for people.
func Explain(w *ecs.World) *Report { return explainNow("Explain", w).Report() }

// reportBuilder is what makes a report. The instances that it has are copies, see
// Explainer: it may be used on any goroutine.
type reportBuilder struct {
	of        *attachment // for what does not change, and its look-up
	out       *Report
	instances []*Instance
	steps     []placed
	times     map[*Instance]int // how often a system stands in the order
	measure   *measure          // a copy; nil if nothing was measured
	begun     bool              // the world has had a frame
	never     map[*Instance][]string
	warnings  []string

	before [][]int // for each step: the steps whose jobs its jobs wait for
	after  [][]int // for each step: those whose jobs its update was seen to wait for
}

// placed is a system at one of its places.
type placed struct {
	in    *Instance
	depth int
}

// step describes a system at one of its places: if it has several, each gets
// the same part of its times.
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

// foreign reports whether the system is of another world than the one that is explained.
func (x *reportBuilder) foreign(in *Instance) bool { return in.roster != &x.of.roster }

// name is that of the system; one of another world bears that one's name too.
func (x *reportBuilder) name(in *Instance) string {
	if x.foreign(in) {
		return in.owner + " of world " + in.world.Name()
	}
	return in.owner
}

// measured takes over what was measured of the whole world.
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

// syncs reports whether a step is a sync point: it was measured to be one or,
// if nothing was, plays back commands.
func (x *reportBuilder) syncs(s placed) bool {
	if t := x.timing(s.in); t != nil {
		return t.syncs.count > 0
	}
	_, ok := s.in.system.(buffering)
	return ok
}

// works reports whether a step has jobs: it was measured to have some or, if
// nothing was, declares what they would touch.
func (x *reportBuilder) works(s placed) bool {
	if t := x.timing(s.in); t != nil {
		return t.jobs > 0
	}
	return len(s.in.declared()) > 0
}

// timing is what was measured of a system; nil if nothing was.
func (x *reportBuilder) timing(in *Instance) *timing {
	if x.out.Frames == 0 {
		return nil
	}
	return in.timing()
}

// fences are the jobs that touch one component, as the world's tracker keeps
// them: the last writers, and the readers since.
type fences struct{ writers, readers []fence }

// fence is a job of a step.
type fence struct {
	step   int
	access *access.Access
}

// graph finds out whose jobs wait for whose, as the world's tracker does when they are scheduled: it goes through
// the steps in order, and what is kept of a component at each is what a job that came next would have to wait for,
// if no job ended by itself. Waits go back only, so the graph has no cycle.
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

// accesses are those that a system declares, and those of jobs that it was seen
// to schedule; none if it has not updated while that was looked for.
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

// does reports whether a step has a job of access a, as far as that is known, and
// whether its updates were seen to wait for the jobs that write a component of it,
// and for those that read it as well.
func (x *reportBuilder) does(at int, a *access.Access, id int) (job, writers, readers bool) {
	t := x.timing(x.steps[at].in)
	if t == nil {
		return true, false, false
	}
	all := t.syncs.count >= t.updates || t.awaited.Write.Has(id)
	return t.touches(a), all || t.awaited.Read.Has(id), all
}

// order notes what a job of a step waits for, and then the job itself: a writer for the writers and the readers
// since, whose place it takes where it covers them; a reader for the writers. The rule is that of access.Tracker,
// which orders the jobs themselves.
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
	// A system that uses the data itself has waited for what it covers, and what
	// comes later finds it done. One that does nothing with it leaves all as it is.
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

// waits notes that a step waits, in the manner of w, for those of the list that
// are where it is: its jobs, its update or both.
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

// addWait adds a wait, or what it says to one for the same component.
func (x *reportBuilder) addWait(w ReportWait) {
	for i := range x.out.Waits {
		if o := &x.out.Waits[i]; o.System == w.System && o.For == w.For && o.Component == w.Component {
			o.Writes, o.ForItWrites = o.Writes || w.Writes, o.ForItWrites || w.ForItWrites
			return
		}
	}
	x.out.Waits = append(x.out.Waits, w)
}

// parallel puts every step with jobs into the first wave after those that it
// waits for, after those that an update since has waited for, and after the last
// sync point.
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

// critical finds the longest way through the frame. Updates come one after the
// other; the jobs of a step come after its update and after the jobs that they
// wait for; an update that is a sync point, or was seen to wait for jobs, comes
// after these.
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

// chains are the longest chains of nodes of a frame: each step has two, its update and the work of its jobs.
//
// Its invariant: what a node comes after is finished before the node, which is so in the order of the frame;
// so end and from of a node that is finished are those of the longest chain that it is the end of.
type chains struct {
	end     []time.Duration // when a node ends
	from    []int           // which node it waited for last
	longest int             // the node that ends last, of those noted
}

// none is no node.
const none = -1

func updateOf(step int) int { return 2 * step }
func workOf(step int) int   { return 2*step + 1 }

// finish sets when a node ends that takes so long and comes after others.
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

// note makes a node the longest if it is.
func (c *chains) note(node int) {
	if c.longest == none || c.end[node] > c.end[c.longest] {
		c.longest = node
	}
}
