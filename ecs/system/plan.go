package system

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/lanewise/lanewise/jobs/access"
)

// A schedule is a copy of a recorded frame that does not refer to the world. A schedule contains the
// pieces of the owner's work and the jobs, with their times and their order. A schedule can be
// simulated with any number of workers.
type schedule struct {
	nodes  []planNode
	length time.Duration // measured length of the frame
}

// planNode is a piece of the owner's work, or a job.
//
// Invariant: each node depends only on nodes with lower indices. So a pass over the nodes in increasing
// order has already computed everything on which a node depends.
type planNode struct {
	in      *Instance // nil: the owner between two updates
	job     bool
	work    time.Duration // of the piece, or of all blocks of the job together
	longest time.Duration // the longest block of the job
	blocks  int
	rows    int // of a loop; 0 for a single job
	after   []planEdge
	wait    waitKind // of a piece, for which the owner has waited before it
	access  *access.Access
}

// isOneBlock reports whether the node is a loop that ran as one block, although it has several rows.
func (n *planNode) isOneBlock() bool { return n.job && n.blocks == 1 && n.rows > 1 }

// isUneven reports whether the node is a loop of which one block took more than twice the mean.
func (n *planNode) isUneven() bool {
	return n.job && n.blocks > 1 && n.longest*time.Duration(n.blocks) > 2*n.work
}

// planEdge says that a node begins after another node has ended.
type planEdge struct {
	node     int
	conflict bool // because of components that both use; false: the program asked for the order, the owner waits, or the owner has scheduled the job
}

// planEdit describes a change of the program whose effect is simulated. The zero planEdit changes
// nothing.
type planEdit struct {
	kind    savingKind
	in      *Instance // the system that changes
	before  *Instance // the system for which it no longer waits
	workers int
}

// The simulation adds these times to the measured times. They are estimates. The delay of an idle
// worker depends on the machine, and is not measured here.
const (
	jobOverhead  = 300 * time.Nanosecond  // to begin and end a job
	joinOverhead = 1500 * time.Nanosecond // until another worker runs a part of a loop
)

// planOf converts a recorded frame to a schedule and applies the edit to it, which describes a change
// of the program.
func planOf(g *frameGraph, edit planEdit) *schedule {
	s := &schedule{length: g.length, nodes: make([]planNode, 0, len(g.nodes))}
	index := make([]int, len(g.nodes)) // of the nodes of g in s
	last, open := noNode, []int(nil)   // the last piece; the jobs that the owner has not waited for since
	for k := range g.nodes {
		n := &g.nodes[k]
		own := planNode{in: n.in, job: n.job, work: n.work, longest: n.longest, blocks: max(n.blocks, 1), rows: n.rows, wait: n.wait, access: n.access}
		if last != noNode {
			own.after = append(own.after, planEdge{last, false})
		}
		if n.job {
			own.work += jobOverhead
			if edit.kind == savingSplit && n.in == edit.in && own.isOneBlock() {
				own.blocks = min(own.rows, 4*edit.workers)
			}
			if (edit.kind == savingEven || edit.kind == savingSplit) && n.in == edit.in {
				own.longest = own.work / time.Duration(own.blocks)
			}
			own.after = edit.comeAfter(own.after, g, n, open, index)
			open = append(open, k)
		} else if n.wait != waitNone {
			open = slices.DeleteFunc(open, func(b int) bool {
				conflict, waits := edit.waitsFor(n, &g.nodes[b])
				if waits {
					own.after = append(own.after, planEdge{index[b], conflict})
				}
				return waits
			})
		}
		if !n.job && edit.kind == savingOwn && n.in == edit.in && n.in != nil {
			// In the simulated program the owner schedules the work as a job and waits for this job, so
			// that the order of everything else stays the same.
			loop := own
			loop.job, loop.blocks = true, 4*edit.workers
			loop.longest = own.work / time.Duration(loop.blocks)
			s.nodes = append(s.nodes, loop)
			own.work, own.after = 0, []planEdge{{len(s.nodes) - 1, false}}
			if last != noNode {
				own.after = append(own.after, planEdge{last, false})
			}
		}
		index[k] = len(s.nodes)
		s.nodes = append(s.nodes, own)
		if !n.job {
			last = index[k]
		}
	}
	return s
}

// comeAfter appends the predecessors of a job: its explicit dependencies, and the open jobs that
// conflict with it.
func (e *planEdit) comeAfter(after []planEdge, g *frameGraph, n *graphNode, open, index []int) []planEdge {
	for _, b := range g.after[n.afterFrom:n.afterTo] {
		after = append(after, planEdge{index[b], false})
	}
	for _, b := range open {
		if conflict(n.access, g.nodes[b].access) && !e.dropsOrder(n.in, g.nodes[b].in) {
			after = append(after, planEdge{index[b], true})
		}
	}
	return after
}

// waitsFor reports whether the owner waits for a job before a piece of its own work, and whether the reason
// is a conflict.
func (e *planEdit) waitsFor(n, job *graphNode) (conflicting, waits bool) {
	if n.in != nil && n.in == e.in && (e.kind == savingSync && n.wait == waitAll || e.kind == savingAccess && n.wait == waitConflicting) {
		return false, false
	}
	if n.wait == waitConflicting {
		waits = conflict(n.access, job.access)
		return waits, waits
	}
	return false, n.wait == waitAll || n.wait == waitOwn && job.in == n.in
}

// dropsOrder reports whether the edit removes the order between the jobs of two systems. Such an edit
// removes all conflicts between the jobs. A mere change of the order of the systems would not remove them,
// because the jobs conflict in either order.
func (e *planEdit) dropsOrder(in, before *Instance) bool {
	return e.kind == savingWait && in == e.in && before == e.before
}

// sharedComponent is a component that two jobs use, so that the later job must wait for the earlier
// one.
type sharedComponent struct {
	id                   int
	writes, beforeWrites bool // the job writes it; the earlier job writes it
}

// conflictingComponents returns the components because of which conflict is true for a job and an earlier job.
func conflictingComponents(a, before *access.Access) iter.Seq[sharedComponent] {
	return func(yield func(sharedComponent) bool) {
		if !sameArchetypes(a, before) {
			return
		}
		for id := range a.Write.All() {
			if w := before.Write.Has(id); (w || before.Read.Has(id)) && !yield(sharedComponent{id, true, w}) {
				return
			}
		}
		for id := range a.Read.All() {
			if before.Write.Has(id) && !a.Write.Has(id) && !yield(sharedComponent{id, false, true}) {
				return
			}
		}
	}
}

// conflict reports whether a job must wait for an earlier job because of components. A job must wait if
// one of the two jobs writes a component that the other one uses, and both use the same archetype. The
// rule of conflict is the rule of access.Tracker.
func conflict(a, before *access.Access) bool {
	return sameArchetypes(a, before) && (a.Write.Meets(&before.Write) || a.Write.Meets(&before.Read) || a.Read.Meets(&before.Write))
}

// sameArchetypes reports whether two jobs may use the same archetypes. sameArchetypes returns false if the
// access of one of them is not known.
func sameArchetypes(a, b *access.Access) bool {
	return a != nil && b != nil && (a.Where.Empty() || b.Where.Empty() || a.Where.Meets(&b.Where))
}

// work returns the time that one worker needs without any waiting.
func (s *schedule) work() (sum time.Duration) {
	for k := range s.nodes {
		sum += s.nodes[k].work
	}
	return sum
}

// leastTime returns the time that a node takes even with an unlimited number of workers. For a parallel
// loop, this is the time of its longest block plus the time that another worker needs to join.
func (n *planNode) leastTime() time.Duration {
	if !n.job || n.blocks <= 1 {
		return n.work
	}
	return min(n.work, n.longest+jobOverhead+joinOverhead)
}

// span returns the time of the longest chain, and the nodes of that chain in order. A frame takes
// at least this time, however many workers there are.
func (s *schedule) span() (time.Duration, []int) {
	c := chains{endTimes: make([]time.Duration, len(s.nodes)), predecessor: make([]int, len(s.nodes)), lastNode: noNode}
	before := []int(nil)
	for k := range s.nodes {
		before = before[:0]
		for _, e := range s.nodes[k].after {
			before = append(before, e.node)
		}
		c.finish(k, s.nodes[k].leastTime(), before...)
		c.note(k)
	}
	if c.lastNode == noNode {
		return 0, nil
	}
	var chain []int
	for node := c.lastNode; node != noNode; node = c.predecessor[node] {
		chain = append(chain, node)
	}
	slices.Reverse(chain)
	return c.endTimes[c.lastNode], chain
}

// maxUnits is the largest number of parts into which the simulation divides a loop.
const maxUnits = 96

// simulation runs a schedule on a number of workers. The first worker is the owner. The owner runs its
// own pieces in order, and helps with the jobs while it waits, as in a real frame. A free worker takes
// the next part of the first job that is ready.
type simulation struct {
	plan       *schedule
	start, end []time.Duration
	open       []int // for each node, the number of nodes before it that have not ended
	next       [][]int
	pieces     []int // the owner's pieces that have not begun
	ready      []int // jobs that are ready and have parts left, in the order in which they became ready
	parts      []simulatedJob
	workers    []simulatedWorker
	now        time.Duration
}

// simulatedJob is the state of a job.
type simulatedJob struct {
	left, running int
	parts         int
	rest          time.Duration // time of each part but the longest
	longest       time.Duration
}

// simulatedWorker is the state of a worker.
type simulatedWorker struct {
	busy  bool
	until time.Duration
	node  int
	last  int // the node of its last part
}

// simulate returns the times at which the nodes begin and end, and the time of the whole frame.
func (s *schedule) simulate(workers int) (start, end []time.Duration, took time.Duration) {
	n := len(s.nodes)
	m := &simulation{plan: s, start: make([]time.Duration, n), end: make([]time.Duration, n), open: make([]int, n), next: make([][]int, n), parts: make([]simulatedJob, n), workers: make([]simulatedWorker, max(workers, 1))}
	for k := range s.nodes {
		m.open[k] = len(s.nodes[k].after)
		for _, e := range s.nodes[k].after {
			m.next[e.node] = append(m.next[e.node], k)
		}
		if !s.nodes[k].job {
			m.pieces = append(m.pieces, k)
			continue
		}
		m.parts[k] = s.nodes[k].divide(len(m.workers))
		if m.open[k] == 0 {
			m.ready = append(m.ready, k)
		}
	}
	for k := range m.workers {
		m.workers[k].last = noNode
	}
	for {
		for k := range m.workers {
			if !m.workers[k].busy {
				m.give(k)
			}
		}
		if !m.advance() {
			return m.start, m.end, m.now
		}
	}
}

// divide returns the parts of a job for a number of workers.
func (n *planNode) divide(workers int) simulatedJob {
	parts := min(n.blocks, maxUnits)
	if workers == 1 || parts == 1 || n.work <= joinOverhead {
		return simulatedJob{left: 1, parts: 1, longest: n.work}
	}
	j := simulatedJob{left: parts, parts: parts, longest: min(n.longest, n.work)}
	j.rest = (n.work - j.longest) / time.Duration(parts-1)
	return j
}

// give gives a free worker something to do, if there is anything.
func (m *simulation) give(worker int) {
	w := &m.workers[worker]
	if worker == 0 && len(m.pieces) > 0 && m.open[m.pieces[0]] == 0 {
		k := m.pieces[0]
		m.pieces = m.pieces[1:]
		m.start[k] = m.now
		w.busy, w.node, w.last, w.until = true, k, k, m.now+m.plan.nodes[k].work
		return
	}
	if len(m.ready) == 0 {
		return
	}
	k := m.ready[0]
	j := &m.parts[k]
	took := j.rest
	if j.left == (j.parts+1)/2 { // the longest block is neither the first nor the last
		took = j.longest
	}
	if j.left == j.parts {
		m.start[k] = m.now
	}
	if len(m.workers) > 1 && w.last != k && worker != 0 {
		took += joinOverhead
	}
	j.running++
	if j.left--; j.left == 0 {
		m.ready = m.ready[1:]
	}
	w.busy, w.node, w.last, w.until = true, k, k, m.now+took
}

// advance moves to the next time at which a worker becomes free. It returns false if no worker is
// busy.
func (m *simulation) advance() bool {
	at, any := time.Duration(0), false
	for k := range m.workers {
		if w := &m.workers[k]; w.busy && (!any || w.until < at) {
			at, any = w.until, true
		}
	}
	if !any {
		return false
	}
	m.now = at
	for k := range m.workers {
		w := &m.workers[k]
		if !w.busy || w.until != at {
			continue
		}
		w.busy = false
		if j := &m.parts[w.node]; m.plan.nodes[w.node].job {
			if j.running--; j.running > 0 || j.left > 0 {
				continue
			}
		}
		m.end[w.node] = at
		for _, o := range m.next[w.node] {
			if m.open[o]--; m.open[o] == 0 && m.plan.nodes[o].job {
				m.ready = append(m.ready, o)
			}
		}
	}
	return true
}

// medianPlan returns the plan with the median value; values[k] is the value of list[k].
func medianPlan(list []*schedule, values []time.Duration) *schedule {
	order := make([]int, len(list))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return list[order[len(order)/2]]
}
