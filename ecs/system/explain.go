package system

import (
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/explain"
)

// Explain says in which order the systems of w update, what waits for what and
// what could run at once, by what the systems declare: a job that a system does
// not schedule waits for nothing. After frames with [Measure] on it also says
// how long everything took, and goes by the jobs that were scheduled in them, and
// by the waits of updates for jobs. It lists which systems were not created, and why. Its String is a text for people.
func Explain(w *ecs.World) *explain.Report { return takeSnapshot("Explain", w).Explain() }

// explainer is what makes a report. The instances that it has are copies, see
// snapshot: it may be used on any goroutine.
type explainer struct {
	of        *attachment // for what does not change, and its look-up
	out       *explain.Report
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
func (x *explainer) step(p placed) explain.System {
	in := p.in
	s := explain.System{System: x.name(in), Depth: p.depth, Group: in.group != nil}
	s.Reads, s.Writes = in.touches()
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
func (x *explainer) foreign(in *Instance) bool { return in.roster != &x.of.roster }

// name is that of the system; one of another world bears that one's name too.
func (x *explainer) name(in *Instance) string {
	if x.foreign(in) {
		return in.owner + " of world " + in.world.Name()
	}
	return in.owner
}

// measured takes over what was measured of the whole world.
func (x *explainer) measured() {
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

func (x *explainer) sync(name string, w *waits, frames int) {
	if w.count == 0 || frames == 0 {
		return
	}
	s := explain.SyncPoint{System: name, Count: float64(w.count) / float64(frames), Waited: w.waited / time.Duration(frames)}
	for _, o := range w.longest() {
		s.For = append(s.For, explain.Part{System: x.name(o.in), Jobs: true, Time: o.time / time.Duration(frames)})
	}
	x.out.Syncs = append(x.out.Syncs, s)
}

// syncs reports whether a step is a sync point: it was measured to be one or,
// if nothing was, plays back commands.
func (x *explainer) syncs(s placed) bool {
	if t := x.timing(s.in); t != nil {
		return t.syncs.count > 0
	}
	_, ok := s.in.system.(buffering)
	return ok
}

// works reports whether a step has jobs: it was measured to have some or, if
// nothing was, declares what they would touch.
func (x *explainer) works(s placed) bool {
	if t := x.timing(s.in); t != nil {
		return t.jobs > 0
	}
	return len(s.in.declared()) > 0
}

// timing is what was measured of a system; nil if nothing was.
func (x *explainer) timing(in *Instance) *timing {
	if x.out.Frames == 0 {
		return nil
	}
	return in.timing()
}
