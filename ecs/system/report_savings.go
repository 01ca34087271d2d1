package system

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// ReportPrediction says how long a frame would take with a certain number of workers. The time comes from a
// simulation of recorded frames.
type ReportPrediction struct {
	Workers int // 0 means any number: no frame is shorter
	Time    time.Duration
}

// ReportSaving is a change of the program that would make a frame shorter, as a simulation of a
// recorded frame predicts it.
type ReportSaving struct {
	System    string
	For       string        // the system for whose jobs it waits; may be empty
	Component string        // the components because of which it waits, separated by ", "; may be empty
	Advice    string        // a sentence that says why a frame takes this time, and what to change
	Waits     time.Duration // the time that this costs in a frame
	Saves     time.Duration // the time by which a frame would be shorter
	Workers   int           // number of workers of the simulation
}

// String returns the advice and the time that it saves.
func (s ReportSaving) String() string {
	return fmt.Sprintf("%s; this saves %s a frame on %s", s.Advice, threeDigits(s.Saves), workersText(s.Workers))
}

// workersText returns a number of workers as text.
func workersText(n int) string {
	if n == 1 {
		return "1 worker"
	}
	return fmt.Sprintf("%d workers", n)
}

// savingKind is the kind of a change that is simulated.
type savingKind uint8

const (
	savingNone   savingKind = iota
	savingWait              // jobs of a system no longer wait for jobs of another system
	savingSync              // a system no longer waits for all jobs
	savingAccess            // an update no longer uses components of running jobs on the owner
	savingOwn               // an update does its work in a job
	savingEven              // all blocks of a loop take equally long
	savingSplit             // a loop of one block is divided into several
)

// predictedWorkers are the numbers of workers for which a report predicts the length of a frame.
var predictedWorkers = []int{1, 2, 4, 8}

// predict simulates the recorded frames. predict computes the work, the span, the predictions, the
// critical path and the savings of the report.
func (x *reportBuilder) predict() {
	if x.measure == nil {
		return
	}
	plans := make([]*schedule, len(x.measure.graphCopies))
	var work, span, lengths []time.Duration
	for k, g := range x.measure.graphCopies {
		plans[k], lengths = planOf(g, planEdit{}), append(lengths, g.length)
	}
	if len(plans) == 0 {
		return
	}
	x.out.Recorded, x.out.RecordedFrame = len(lengths), medianTime(lengths)
	times := make([][]time.Duration, len(predictedWorkers))
	for _, s := range plans {
		d, _ := s.span()
		work, span = append(work, s.work()), append(span, d)
		for k, p := range predictedWorkers {
			_, _, took := s.simulate(p)
			times[k] = append(times[k], took)
		}
	}
	critical := medianPlan(plans, span) // so that its longest chain takes as long as Span says
	x.out.Work, x.out.Span = medianTime(work), medianTime(span)
	for k, p := range predictedWorkers {
		x.out.Predicted = append(x.out.Predicted, ReportPrediction{p, medianTime(times[k])})
	}
	x.out.Predicted = append(x.out.Predicted, ReportPrediction{0, x.out.Span})
	x.out.Workers = x.attachment.world.Pool().Workers()
	x.setCritical(critical)
	x.findSavings(plans)
}

// medianTime returns the median of a list, which it sorts.
func medianTime(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// setCritical sets the critical path of the report to the longest chain of a recorded frame. Pieces of
// the same system that follow each other become one part.
func (x *reportBuilder) setCritical(plan *schedule) {
	_, chain := plan.span()
	x.out.Critical = nil
	for _, k := range chain {
		n := &plan.nodes[k]
		part := ReportPart{System: x.nodeName(n.in), Jobs: n.job, Time: n.leastTime()}
		if part.Time == 0 {
			continue
		}
		if last := len(x.out.Critical) - 1; last >= 0 && x.out.Critical[last].System == part.System && x.out.Critical[last].Jobs == part.Jobs {
			x.out.Critical[last].Time += part.Time
			continue
		}
		x.out.Critical = append(x.out.Critical, part)
	}
}

// nodeName returns the name of the system of a node.
func (x *reportBuilder) nodeName(in *Instance) string {
	if in == nil {
		return "between updates"
	}
	return x.name(in)
}

// candidate is a change of the program that may save time. The field waits is the time that the
// unchanged program loses.
type candidate struct {
	edit  planEdit
	waits time.Duration
}

// maxCandidates is the largest number of changes that a report simulates.
const maxCandidates = 24

// savingGraphs is the largest number of recorded frames in which a change is simulated.
const savingGraphs = 5

// findSavings simulates the changes that could make a frame shorter, and reports those that save at
// least one percent of it, the best first. All times are medians over several recorded frames, so that
// a pause of the machine in one frame causes no advice. The plans describe the recorded frames without
// a change.
func (x *reportBuilder) findSavings(plans []*schedule) {
	workers, graphs := x.out.Workers, x.measure.graphCopies
	first := max(0, len(graphs)-savingGraphs)
	graphs, plans = graphs[first:], plans[first:]
	var took, all []time.Duration
	waits := map[planEdit][]time.Duration{}
	var edits []planEdit // in a fixed order
	for k, plan := range plans {
		_, end, d := plan.simulate(workers)
		took = append(took, d)
		for _, c := range x.candidates(plan, end, workers) {
			if waits[c.edit] == nil {
				waits[c.edit] = make([]time.Duration, len(graphs))
				edits = append(edits, c.edit)
			}
			waits[c.edit][k] = c.waits
		}
	}
	all = slices.Clone(took)
	least := max(medianTime(all)/100, 1)
	var list []candidate
	for _, e := range edits {
		d := medianTime(waits[e])
		if d >= least && !e.in.typ.isLibraryType() && !slices.Contains(defaultTypes(), e.in.typ) { // a program cannot change the systems of this library
			list = append(list, candidate{e, d})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.waits, a.waits) })
	for _, c := range list[:min(len(list), maxCandidates)] {
		saved := make([]time.Duration, len(graphs))
		for k, g := range graphs {
			_, _, better := planOf(g, c.edit).simulate(workers)
			saved[k] = took[k] - better
		}
		if d := medianTime(saved); d >= least {
			x.addSaving(c, d, plans)
		}
	}
	slices.SortStableFunc(x.out.Savings, func(a, b ReportSaving) int { return cmp.Compare(b.Saves, a.Saves) })
}

// addSaving adds a change that saves time to the report.
func (x *reportBuilder) addSaving(c candidate, saved time.Duration, plans []*schedule) {
	s := ReportSaving{System: x.name(c.edit.in), Waits: c.waits, Saves: saved, Workers: x.out.Workers}
	if c.edit.kind == savingWait {
		s.For = x.name(c.edit.before)
	}
	shared := c.edit.sharedComponents(plans)
	names := make([]string, len(shared))
	for k := range shared {
		names[k] = ecs.ComponentName(shared[k].id)
	}
	s.Component = strings.Join(names, ", ")
	s.Advice = savingText(&s, c.edit, shared, c.edit.longestLoop(plans))
	x.out.Savings = append(x.out.Savings, s)
}

// candidates returns the changes that may save time in a simulated frame.
func (x *reportBuilder) candidates(plan *schedule, end []time.Duration, workers int) (list []candidate) {
	add := func(e planEdit, d time.Duration) {
		if e.in == nil || d <= 0 {
			return
		}
		for k := range list {
			if list[k].edit == e {
				list[k].waits += d
				return
			}
		}
		list = append(list, candidate{e, d})
	}
	for k := range plan.nodes {
		n := &plan.nodes[k]
		if !n.job {
			n.ownerCandidates(add, end, workers)
			continue
		}
		if n.isUneven() && workers > 1 {
			add(planEdit{kind: savingEven, in: n.in}, n.longest)
		}
		if n.isOneBlock() && workers > 1 {
			add(planEdit{kind: savingSplit, in: n.in, workers: workers}, n.work)
		}
		for i, e := range n.after {
			before := plan.nodes[e.node].in
			dropped := func(o planEdge) bool { return o.conflict && plan.nodes[o.node].in == before }
			if !e.conflict || before == n.in || slices.ContainsFunc(n.after[:i], dropped) {
				continue
			}
			add(planEdit{kind: savingWait, in: n.in, before: before}, lastEnd(n.after, end, nil)-lastEnd(n.after, end, dropped))
		}
	}
	return list
}

// ownerCandidates adds the changes of a piece of work on the owner's goroutine.
func (n *planNode) ownerCandidates(add func(planEdit, time.Duration), end []time.Duration, workers int) {
	if d := lastEnd(n.after, end, nil) - lastEnd(n.after[:min(len(n.after), 1)], end, nil); d > 0 {
		switch n.wait {
		case waitAll:
			add(planEdit{kind: savingSync, in: n.in}, d)
		case waitConflicting:
			add(planEdit{kind: savingAccess, in: n.in}, d)
		}
	}
	if workers > 1 {
		add(planEdit{kind: savingOwn, in: n.in, workers: workers}, n.work)
	}
}

// lastEnd returns the latest time at which one of the preceding nodes ends. lastEnd ignores the nodes
// that the function without selects.
func lastEnd(after []planEdge, end []time.Duration, without func(planEdge) bool) (at time.Duration) {
	for _, e := range after {
		if without == nil || !without(e) {
			at = max(at, end[e.node])
		}
	}
	return at
}

// sharedComponents returns components because of which a system waits in the recorded frames.
// sharedComponents returns those whose conflicts the edit removes.
func (e *planEdit) sharedComponents(plans []*schedule) (list []sharedComponent) {
	if e.kind != savingWait && e.kind != savingAccess {
		return nil
	}
	for _, plan := range plans {
		for k := range plan.nodes {
			n := &plan.nodes[k]
			if n.in != e.in || n.job != (e.kind == savingWait) {
				continue
			}
			for _, edge := range n.after {
				if b := &plan.nodes[edge.node]; edge.conflict && (e.kind == savingAccess || b.in == e.before) {
					list = addShared(list, n.access, b.access)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b sharedComponent) int { return cmp.Compare(a.id, b.id) })
	return list
}

// longestLoop returns, of the loops that the edit changes in all recorded frames, the one with the longest block.
func (e *planEdit) longestLoop(plans []*schedule) (loop planNode) {
	if e.kind != savingEven && e.kind != savingSplit {
		return loop
	}
	for _, plan := range plans {
		for _, n := range plan.nodes {
			if n.in == e.in && (e.kind == savingSplit && n.isOneBlock() || e.kind == savingEven && n.isUneven()) && n.longest > loop.longest {
				loop = n
			}
		}
	}
	return loop
}

// addShared adds the components because of which one job waits for another one. addShared adds each
// component only once.
func addShared(list []sharedComponent, a, before *access.Access) []sharedComponent {
	for c := range conflictingComponents(a, before) {
		at := slices.IndexFunc(list, func(o sharedComponent) bool { return o.id == c.id })
		if at < 0 {
			list = append(list, c)
			continue
		}
		list[at].writes, list[at].beforeWrites = list[at].writes || c.writes, list[at].beforeWrites || c.beforeWrites
	}
	return list
}

// shortNames returns the names of the components that keep accepts, as in "a, b and c". If keep is nil, it
// returns all names.
func shortNames(list []sharedComponent, keep func(sharedComponent) bool) string {
	var names []string
	for _, c := range list {
		if keep == nil || keep(c) {
			names = append(names, shortComponent(ecs.ComponentName(c.id)))
		}
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// waitText returns the reason why jobs of one system wait for jobs of another system, and the changes of
// the program that remove the wait. Running the other system later does not help, because then the other
// system waits.
func waitText(name, before string, shared []sharedComponent) (because, change string) {
	var reasons, changes []string
	if both := shortNames(shared, func(c sharedComponent) bool { return c.writes && c.beforeWrites }); both != "" {
		reasons = append(reasons, "both write "+both)
		changes = append(changes, fmt.Sprintf("split %s into components that only one of them uses", both))
	}
	if reads := shortNames(shared, func(c sharedComponent) bool { return !c.writes }); reads != "" {
		reasons = append(reasons, fmt.Sprintf("%s reads %s, which %s writes", name, reads, before))
		changes = append(changes, fmt.Sprintf("let %s read a copy of %s", name, reads))
	}
	if writes := shortNames(shared, func(c sharedComponent) bool { return !c.beforeWrites }); writes != "" {
		reasons = append(reasons, fmt.Sprintf("%s writes %s, which %s reads", name, writes, before))
		changes = append(changes, fmt.Sprintf("let %s write a copy of %s", name, writes))
	}
	return strings.Join(reasons, ", and "), strings.Join(changes, ", and ")
}

// savingText returns a sentence that says why a frame takes longer than necessary, and what to change.
func savingText(s *ReportSaving, e planEdit, shared []sharedComponent, loop planNode) string {
	name, before := shortName(s.System), shortName(s.For)
	switch e.kind {
	case savingWait:
		because, change := waitText(name, before, shared)
		return fmt.Sprintf("%s's jobs wait %s a frame for %s, because %s: %s", name, threeDigits(s.Waits), before, because, change)
	case savingSync:
		return fmt.Sprintf("%s waits %s a frame for all jobs, because it changes the structure: record the changes in a command buffer", name, threeDigits(s.Waits))
	case savingAccess:
		return fmt.Sprintf("%s waits %s a frame in its update, because it uses %s on the owner's goroutine: use it in a job", name, threeDigits(s.Waits), shortNames(shared, nil))
	case savingOwn:
		return fmt.Sprintf("%s works %s a frame on the owner's goroutine: do this work in a job over a query", name, threeDigits(s.Waits))
	case savingSplit:
		return fmt.Sprintf("%s's loop runs %s a frame as one block of %d rows, so only one worker runs it: use a smaller grain, or a component with a smaller ChunkCapacity", name, threeDigits(s.Waits), loop.rows)
	}
	return fmt.Sprintf("one of the %d blocks of %s's loop over %d rows takes %s, more than twice the mean: use a smaller grain, or spread the expensive entities over chunks", loop.blocks, name, loop.rows, threeDigits(s.Waits))
}

// writePredictions writes how long a frame would take with other numbers of workers.
func (e *Report) writePredictions(b *strings.Builder) {
	if len(e.Predicted) == 0 || e.Span == 0 {
		return
	}
	var lines []string
	for _, p := range e.Predicted {
		if p.Workers == 0 {
			lines = append(lines, fmt.Sprintf("any number: %s", threeDigits(p.Time)))
		} else {
			lines = append(lines, fmt.Sprintf("%s: %s", workersText(p.Workers), threeDigits(p.Time)))
		}
	}
	heading := fmt.Sprintf("predicted length of a frame: work %s, span %s, so at most %.3g times as fast as one worker", threeDigits(e.Work), threeDigits(e.Span), float64(e.Work)/float64(e.Span))
	writeLines(b, heading, lines)
}
