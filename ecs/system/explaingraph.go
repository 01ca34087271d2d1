package system

import (
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// fences are the jobs that touch one component, as the world's tracker keeps
// them: the last writers, and the readers since.
type fences struct{ writers, readers []fence }

// fence is a job of a step.
type fence struct {
	step   int
	access *jobs.Access
}

// graph finds out whose jobs wait for whose.
func (x *explainer) graph() {
	x.before = make([][]int, len(x.steps))
	components := make(map[int]*fences)
	for at, s := range x.steps {
		if s.in.roster != x.roster || s.in.group != nil {
			continue
		}
		for _, a := range s.in.declared() {
			x.order(at, a, components)
		}
	}
}

// order notes what a job of a step waits for, and then the job itself.
func (x *explainer) order(at int, a *jobs.Access, components map[int]*fences) {
	of := func(id int) *fences {
		if components[id] == nil {
			components[id] = new(fences)
		}
		return components[id]
	}
	covered := func(f fence) bool {
		return a.Where.Empty() || !f.access.Where.Empty() && a.Where.Covers(&f.access.Where)
	}
	note := func(list []fence) []fence {
		if !x.works(x.steps[at]) {
			return list // it uses the data itself, and whoever comes later finds it done
		}
		return append(list, fence{at, a})
	}
	for id := range a.Write.All() {
		f := of(id)
		x.waits(at, a, Wait{Component: ecs.ComponentName(id), Writes: true, ForItWrites: true}, f.writers)
		x.waits(at, a, Wait{Component: ecs.ComponentName(id), Writes: true}, f.readers)
		f.writers = note(slices.DeleteFunc(f.writers, covered))
		f.readers = slices.DeleteFunc(f.readers, covered)
	}
	for id := range a.Read.All() {
		if a.Write.Has(id) {
			continue
		}
		f := of(id)
		x.waits(at, a, Wait{Component: ecs.ComponentName(id), ForItWrites: true}, f.writers)
		f.readers = note(f.readers)
	}
}

// waits notes that a step waits, in the manner of w, for those of the list that
// are where it is.
func (x *explainer) waits(at int, a *jobs.Access, w Wait, list []fence) {
	for _, f := range list {
		apart := !a.Where.Empty() && !f.access.Where.Empty() && !a.Where.Meets(&f.access.Where)
		if apart || x.steps[f.step].in == x.steps[at].in {
			continue
		}
		if !slices.Contains(x.before[at], f.step) {
			x.before[at] = append(x.before[at], f.step)
		}
		w.System, w.For = x.name(x.steps[at].in), x.name(x.steps[f.step].in)
		if !slices.Contains(x.out.Waits, w) {
			x.out.Waits = append(x.out.Waits, w)
		}
	}
}

// parallel puts every step with jobs into the first wave after those that it
// waits for and after the last sync point.
func (x *explainer) parallel() {
	wave := make([]int, len(x.steps))
	var waves [][]string
	base := 0
	for at, s := range x.steps {
		if x.syncs(s) {
			base = len(waves)
		}
		if s.in.roster != x.roster || s.in.group != nil || !x.works(s) {
			continue
		}
		wave[at] = base
		for _, b := range x.before[at] {
			wave[at] = max(wave[at], wave[b]+1)
		}
		for len(waves) <= wave[at] {
			waves = append(waves, nil)
		}
		if name := x.name(s.in); !slices.Contains(waves[wave[at]], name) {
			waves[wave[at]] = append(waves[wave[at]], name)
		}
	}
	for _, w := range waves {
		if len(w) > 1 {
			x.out.Parallel = append(x.out.Parallel, w)
		}
	}
}

// critical finds the longest way through the frame. Updates come one after the
// other; the jobs of a step come after its update and after the jobs that they
// wait for; an update that is a sync point, or uses what jobs write, comes after
// these.
func (x *explainer) critical() {
	if x.out.Frames == 0 {
		return
	}
	const none = -1
	update := func(step int) int { return 2 * step }
	work := func(step int) int { return 2*step + 1 }
	end := make([]time.Duration, 2*len(x.steps))
	from := make([]int, 2*len(x.steps))
	// finish sets when a node ends that takes so long and comes after others.
	finish := func(node int, took time.Duration, after ...int) {
		from[node] = none
		for _, a := range after {
			if a != none && (from[node] == none || end[a] > end[from[node]]) {
				from[node] = a
			}
		}
		end[node] = took
		if from[node] != none {
			end[node] += end[from[node]]
		}
	}
	longest := none // of the nodes so far
	for at, s := range x.steps {
		before := []int{none}
		if at > 0 {
			before[0] = update(at - 1)
		}
		if x.syncs(s) {
			before = append(before, longest)
		}
		var jobs []int
		for _, b := range x.before[at] {
			jobs = append(jobs, work(b))
		}
		if !x.works(s) {
			before = append(before, jobs...)
		}
		finish(update(at), x.out.Order[at].Own, before...)
		finish(work(at), x.out.Order[at].Span, append(jobs, update(at))...)
		for _, node := range []int{update(at), work(at)} {
			if longest == none || end[node] > end[longest] {
				longest = node
			}
		}
	}
	for node := longest; node != none; node = from[node] {
		s := x.out.Order[node/2]
		leg := Leg{System: s.System, Jobs: node%2 == 1, Time: s.Own}
		if leg.Jobs {
			leg.Time = s.Span
		}
		if leg.Time > 0 {
			x.out.Critical = append(x.out.Critical, leg)
		}
	}
	slices.Reverse(x.out.Critical)
}
