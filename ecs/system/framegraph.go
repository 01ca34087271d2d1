package system

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// A frameGraph is the recording of one frame. A frameGraph contains the pieces of the owner's
// work, in the order in which they began, and the jobs, in the order in which they were
// scheduled. A report uses the recording to simulate the frame with any number of workers.
//
// Only some of the measured frames are recorded, because the recording reads the clock twice for
// each block of a loop. For example, recording a frame with 1,000 blocks costs the workers another 60
// µs. The memory of a graph is reused for later frames.
type frameGraph struct {
	frame  int           // number of the measured frame
	length time.Duration // from the start of the frame to the end of its last job; 0 while it is recorded
	nodes  []graphNode
	after  []int // the explicit dependencies of all jobs: see graphNode.afterFrom

	accesses     []*access.Access // memory for the accesses of waits
	accessesUsed int
}

// graphNode is a piece of the owner's work, or a job.
type graphNode struct {
	in      *Instance // the system; nil if the owner works between two updates
	job     bool
	work    time.Duration // time on the owner, or the sum over the blocks of the job
	longest time.Duration // the longest block of the job
	blocks  int
	rows    int // of a loop, the number of its rows or indices

	wait   waitKind       // of a piece: for which jobs the owner waited before it
	access *access.Access // of a job, or of a wait for conflicting jobs; may be nil

	handle             jobs.Handle // of a job
	afterFrom, afterTo int         // of a job: positions in frameGraph.after
	times              *blockTimes // of a job, while the frame runs
}

// waitKind says for which jobs the owner waits.
type waitKind uint8

const (
	waitNone        waitKind = iota
	waitAll                  // all jobs, in a sync point or at the end of the frame
	waitConflicting          // the jobs that conflict with an access of the owner
	waitOwn                  // the jobs of the system that is updating
)

// keptGraphs is the number of recordings that are kept.
const keptGraphs = 8

// graphRecorder records the graphs of frames. Only the owner uses it, except for blockTimes.
type graphRecorder struct {
	current    *frameGraph // nil while the frame is not recorded
	ring       []*frameGraph
	count      int // number of recorded frames
	pieceStart time.Duration
	piece      graphNode // the piece in progress
	pending    int       // 1 + index of the job that is being scheduled; 0 for none
	newJobs    bool      // jobs were scheduled since the owner last waited for all jobs
	busyBefore []time.Duration
	memory     []*blockTimes
	used       int // how many of memory are in use
	skip       int // number of measured frames to skip before the next one is recorded
	reads      int // readings of the clock for the recording of this frame; 0 if it is not recorded
}

// blockTimes holds the times of the blocks of one job. Each worker writes to its own element.
type blockTimes struct{ perWorker []workerBlocks }

// workerBlocks holds the times of the blocks that one worker has run. It fills a cache line. Goroutines
// that only wait for a job may share the last element, so all accesses are atomic.
type workerBlocks struct {
	count, rows, sum, longest atomic.Int64
	_                         [32]byte
}

// add adds a block with the given number of rows.
func (b *blockTimes) add(worker, rows int, took time.Duration) {
	w := &b.perWorker[min(worker, len(b.perWorker)-1)]
	w.count.Add(1)
	w.rows.Add(int64(rows))
	w.sum.Add(int64(took))
	for old := w.longest.Load(); int64(took) > old; old = w.longest.Load() {
		if w.longest.CompareAndSwap(old, int64(took)) {
			break
		}
	}
}

// begin starts a recording, unless the next frames are to be skipped.
func (g *graphRecorder) begin(m *measure, at time.Duration) {
	g.current, g.reads = nil, 0
	if g.skip > 0 {
		g.skip--
		return
	}
	if len(g.ring) < keptGraphs {
		g.ring = append(g.ring, &frameGraph{})
	}
	g.current = g.ring[g.count%len(g.ring)] // a frame that a panic has ended is recorded again
	g.current.length = 0
	g.current.frame, g.current.nodes, g.current.after, g.current.accessesUsed = m.frameCount, g.current.nodes[:0], g.current.after[:0], 0
	g.used, g.pending, g.newJobs, g.pieceStart, g.piece = 0, 0, false, at, graphNode{}
	g.busyBefore = g.busyBefore[:0]
	for _, in := range m.attachment.instances {
		g.busyBefore = append(g.busyBefore, in.busyUntil(at))
	}
}

// copyAccess returns a copy of the access of a wait. A copy is needed because the owner may change its access
// after the wait. The copy is valid until the memory of the graph is reused.
func (g *frameGraph) copyAccess(a *access.Access) *access.Access {
	if g.accessesUsed == len(g.accesses) {
		g.accesses = append(g.accesses, new(access.Access))
	}
	own := g.accesses[g.accessesUsed]
	g.accessesUsed++
	assignAccess(own, a)
	return own
}

// cut ends the current piece of the owner's work, and begins a piece of the system in. The parameter
// wait says for which jobs the owner waited between the two pieces.
func (g *graphRecorder) cut(end, start time.Duration, in *Instance, wait waitKind, a *access.Access) {
	if g.current == nil {
		return
	}
	g.piece.work = end - g.pieceStart
	g.current.nodes = append(g.current.nodes, g.piece)
	g.pieceStart, g.piece = start, graphNode{in: in, wait: wait, access: a}
}

// recordWait records that the owner has waited from start to end.
func (g *graphRecorder) recordWait(start, end time.Duration, wait waitKind, a *access.Access) {
	if g.current == nil || wait == waitAll && !g.newJobs {
		return // the owner has waited for all of these jobs already
	}
	if wait == waitAll {
		g.newJobs = false
	}
	g.cut(start, end, g.piece.in, wait, a)
}

// job records a job that is about to be scheduled. job returns the memory for the times of its blocks,
// or nil if the frame is not recorded.
func (g *graphRecorder) job(in *Instance) *blockTimes {
	if g.current == nil {
		return nil
	}
	at := now()
	g.cut(at, at, g.piece.in, waitNone, nil)
	if g.used == len(g.memory) {
		g.memory = append(g.memory, &blockTimes{make([]workerBlocks, in.world.Pool().Workers()+1)})
	}
	times := g.memory[g.used]
	g.used++
	for k := range times.perWorker {
		w := &times.perWorker[k]
		w.count.Store(0)
		w.rows.Store(0)
		w.sum.Store(0)
		w.longest.Store(0)
	}
	g.current.nodes = append(g.current.nodes, graphNode{in: in, job: true, times: times})
	g.newJobs, g.pending = true, len(g.current.nodes)
	return times
}

// recordScheduled adds the access, the handle and the explicit dependencies of the job that was recorded
// last. If the system scheduled the job directly on the pool, no job was recorded for this call, so the
// time of the job is not known.
func (g *graphRecorder) recordScheduled(in *Instance, a *access.Access, h jobs.Handle, after []jobs.Handle) {
	if g.current == nil {
		return
	}
	n := g.pending - 1
	if g.pending = 0; n < 0 {
		at := now()
		g.cut(at, at, g.piece.in, waitNone, nil)
		g.current.nodes = append(g.current.nodes, graphNode{in: in, job: true})
		g.newJobs = true
		n = len(g.current.nodes) - 1
	}
	node := &g.current.nodes[n]
	node.access, node.handle, node.afterFrom = a, h, len(g.current.after)
	for _, before := range after {
		g.addAfter(in, n, before)
	}
	node.afterTo = len(g.current.after)
}

// addAfter adds a dependency of job n. If no recorded job has this handle, the handle may combine
// several handles. In that case, addAfter makes the job come after all earlier jobs of its system.
func (g *graphRecorder) addAfter(in *Instance, n int, before jobs.Handle) {
	if before == (jobs.Handle{}) {
		return
	}
	nodes := g.current.nodes[:n]
	for k := len(nodes) - 1; k >= 0; k-- {
		if nodes[k].job && nodes[k].handle == before {
			g.current.after = append(g.current.after, k)
			return
		}
	}
	for k := range nodes {
		if nodes[k].job && nodes[k].in == in {
			g.current.after = append(g.current.after, k)
		}
	}
}

// end ends the recording of a frame. All jobs have finished.
func (g *graphRecorder) end(m *measure, at time.Duration) {
	if g.current == nil {
		return
	}
	g.cut(at, at, nil, waitNone, nil)
	nodes, cost := g.current.nodes, clockCost() // the times contain readings of the clock, which frames without a recording do not need
	for k := range nodes {
		n := &nodes[k]
		if !n.job {
			n.work = max(n.work-cost, 0) // a piece contains one reading of the clock
		}
		if n.times == nil {
			continue
		}
		for w := range n.times.perWorker {
			t := &n.times.perWorker[w]
			n.blocks += int(t.count.Load())
			n.rows += int(t.rows.Load())
			n.work += time.Duration(t.sum.Load())
			n.longest = max(n.longest, time.Duration(t.longest.Load()))
		}
		n.times = nil
		n.work, n.longest = max(n.work-time.Duration(n.blocks)*cost, 0), max(n.longest-cost, 0)
		g.reads += 2 * n.blocks
	}
	if len(g.busyBefore) == len(m.attachment.instances) { // no system was created in this frame
		for k, in := range m.attachment.instances {
			addOverhead(nodes, in, in.busyUntil(at)-g.busyBefore[k], cost)
		}
	}
	for k := range nodes {
		nodes[k].handle = jobs.Handle{} // so that the graph keeps no job alive
	}
	g.current.length = max(at-m.frameStart, 1)
	g.reads += 2 * len(nodes)
	g.chooseNext(m)
	g.count++
	g.current = nil
}

// chooseNext decides which frame is recorded next. If the program itself has switched Measure on, the
// first frames are recorded, and after them every eighth frame. Otherwise a tool has switched the
// measurement on, so the recording may take only one percent of the time.
func (g *graphRecorder) chooseNext(m *measure) {
	switch cost := time.Duration(g.reads) * clockCost(); {
	case !m.attachment.measureOn:
		g.skip = int(min(100*cost/max(g.current.length, 1), 128))
	case g.count >= keptGraphs:
		g.skip = 7
	}
}

// busyUntil returns the time that workers have spent on the jobs of the system up to the time at.
func (in *Instance) busyUntil(at time.Duration) time.Duration {
	if t := in.timing(); t != nil {
		return t.workUntil(at)
	}
	return 0
}

// addOverhead takes the time that workers have spent on a system's jobs outside of their blocks, and
// divides it among these blocks. busy is the whole time that workers have spent on these jobs. It
// contains two readings of the clock for each block, each of which takes the time cost.
func addOverhead(nodes []graphNode, in *Instance, busy, cost time.Duration) {
	sum := time.Duration(0)
	for k := range nodes {
		if nodes[k].job && nodes[k].in == in {
			sum += nodes[k].work
			busy -= 2 * time.Duration(nodes[k].blocks) * cost
		}
	}
	if sum == 0 || busy <= sum || busy > 2*sum { // nested jobs count twice in busy
		return
	}
	for k := range nodes {
		if n := &nodes[k]; n.job && n.in == in {
			factor := float64(busy) / float64(sum)
			n.work, n.longest = time.Duration(float64(n.work)*factor), time.Duration(float64(n.longest)*factor)
		}
	}
}

// clone returns a copy of the graph for a report.
func (g *frameGraph) clone(c *copier) *frameGraph {
	own := &frameGraph{frame: g.frame, length: g.length, nodes: slices.Clone(g.nodes), after: slices.Clone(g.after)}
	for k := range own.nodes {
		n := &own.nodes[k]
		if n.in != nil {
			n.in = c.copyInstance(n.in)
		}
		if n.access != nil {
			n.access = c.copyAccess(n.access)
		}
	}
	return own
}
