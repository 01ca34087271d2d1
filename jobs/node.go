package jobs

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"
)

// jobNode holds one scheduled job. Nodes are reused, so a handle names a node and one generation of
// it. A node whose job failed is not reused, because its handles must be able to return the error
// as long as they are held.
//
// A single job that has neither a parent nor a scope needs one cache line.
type jobNode struct {
	// word is generation<<32 | first edge out<<8 | pins<<4 | failed<<3 | watched<<2 | phase. When
	// the job is done, one compare-and-swap starts the next generation and takes the list of edges
	// away. So no edge can be added to a finished job. Any goroutine may change word, but only by
	// an atomic read-modify-write. So if a goroutine sees that a bit of word is set, it also sees
	// everything that was written before the bit was set.
	word atomic.Uint64

	// unfinishedChildren is the number of children that are not done, plus bodyDone. The body adds
	// one for each child, and the end of each child subtracts one. The goroutine that brings the
	// number to bodyDone completes the job and sees the writes of all children.
	unfinishedChildren atomic.Int32

	// pendingDependencies is the number of dependencies that are not done, minus the number of
	// dependencies that are not yet counted because the job is still being linked. Linking adds to
	// the number, and the end of each dependency subtracts from it. The goroutine that brings the
	// number to 0 makes the job ready.
	pendingDependencies atomic.Int32

	// childEdges is a list of edges from the job's children and from jobs for which this job waits.
	// The goroutine that runs the body pushes edges by compare-and-swap. Goroutines that hold a pin
	// read the list, and sweepChildEdges swaps it.
	childEdges atomic.Uint32

	// The fields that are not atomic are written before the job is published. They are read by
	// the goroutine that runs the job, by goroutines that hold a pin, and by children of the
	// job, which is not done before its children are.
	dependencies      uint32 // list of edges from the dependencies
	shape             jobShape
	priority          Priority
	hasOptionalFields bool // at least one of scope, parent, childOrder, owner and lengthPointer is set
	chained           bool // see linkAfterOne
	single            Job
	stats             *jobStats
	pool              *Pool

	// The goroutine that records a failure of the job swaps it into the field failure before it
	// sets wordFailed.
	failure       atomic.Pointer[failure]
	loopJob       RangeJob
	n             int
	grain         int
	scope         *Scope
	parent        *jobNode
	childOrder    uint64  // position among the parent's children
	owner         uintptr // the goroutine that must run the job; 0 for any
	lengthPointer *int    // points to n until the job runs; nil if n is known

	walkMark       atomic.Uint64 // the last walk that found nothing to do for this job; each walk has a unique mark
	compactionMark atomic.Uint64 // the last compactOrGrow that kept an entry of this job
	openLoop       atomic.Int32  // 1 + index of the loop that runs this job, or ran an earlier one; stored before the loop opens; a reader joins the loop and then checks the loop's node

	sweepCount uint32 // see sweepChildEdges; changed while the edges are locked
	_          [24]byte
}

// jobShape says which fields of a node describe its job.
type jobShape uint8

const (
	shapeNone jobShape = iota // a job of Combine, which does nothing
	shapeSingle
	shapeLoop
	shapeExternal // runs on a goroutine outside of the pool
)

const (
	phaseWaiting    = 0 // free, or a dependency is not done
	phaseReady      = 1 // queued; the goroutine that changes it to running may run the job
	phaseRunning    = 2
	phaseBackground = 3 // like ready, but only for waits for this job and holders of a permit
	phaseMask       = 3

	wordWatched = 1 << 2 // a goroutine sleeps until the job is done
	wordFailed  = 1 << 3 // failure is set
	wordPin     = 1 << 4 // one reader that keeps the job from being completed
	wordPins    = 15 * wordPin
	edgeShift   = 8
	edgeBits    = 24 // bits for the index of an edge
	wordEdges   = (1<<edgeBits - 1) << edgeShift
	genShift    = 32

	// bodyDone is added to unfinishedChildren when the body has returned before its children.
	bodyDone = 1 << 30
)

func generation(word uint64) uint32 { return uint32(word >> genShift) }

// markReady moves a waiting job into the ready phase.
func (node *jobNode) markReady() { node.word.Add(phaseReady - phaseWaiting) }

// markBackgroundReady moves a waiting background job into its ready phase.
func (node *jobNode) markBackgroundReady() { node.word.Add(phaseBackground - phaseWaiting) }

// claimReady claims the job for the calling goroutine, if every worker may run it. Entries of
// runnext and of deques are hints: the node may already hold another job, even a background job.
func (node *jobNode) claimReady() bool {
	w := node.word.Load()
	return w&phaseMask == phaseReady && node.claimGeneration(generation(w))
}

// claimBackground is like claimReady, for goroutines that hold a permit for background jobs.
func (node *jobNode) claimBackground() bool {
	return node.claimGeneration(generation(node.word.Load()))
}

// claimGeneration claims the job of one generation, and never a later job in the same node. Waits
// for that job call claimGeneration, because they run the job whatever its priority is.
func (node *jobNode) claimGeneration(gen uint32) bool {
	for {
		w := node.word.Load()
		if w&phaseReady == 0 || generation(w) != gen {
			return false
		}
		if node.word.CompareAndSwap(w, w&^phaseMask|phaseRunning) {
			return true
		}
	}
}

// pin keeps the job from being completed while its edges are read. It fails if the generation is
// over.
func (node *jobNode) pin(gen uint32) bool {
	for {
		w := node.word.Load()
		if generation(w) != gen {
			return false
		}
		if w&wordPins == wordPins {
			runtime.Gosched() // 15 other goroutines read the edges
			continue
		}
		if node.word.CompareAndSwap(w, w+wordPin) {
			return true
		}
	}
}

func (node *jobNode) unpin() { node.word.Add(^uint64(wordPin - 1)) }

// lockEdges takes all pins, so that no goroutine reads the edges of the job. The caller ensures
// that the job cannot end meanwhile.
func (node *jobNode) lockEdges() {
	for spins := 0; ; spins++ {
		w := node.word.Load()
		if w&wordPins == 0 && node.word.CompareAndSwap(w, w|wordPins) {
			return
		}
		if spins > 64 {
			runtime.Gosched() // the reader may have lost its processor
		}
	}
}

func (node *jobNode) unlockEdges() { node.word.Add(^uint64(wordPins - 1)) }

// endGeneration starts the next generation and returns the last word of the old generation.
func (node *jobNode) endGeneration() uint64 {
	for spins := 0; ; spins++ {
		w := node.word.Load()
		if w&wordPins == 0 {
			if node.word.CompareAndSwap(w, uint64(generation(w)+1)<<genShift) {
				return w
			}
			continue
		}
		if spins > 64 {
			runtime.Gosched() // the reader may have lost its processor
		}
	}
}

// requestWake asks for a wake-up at the end of a generation. It fails if the generation is over.
func (node *jobNode) requestWake(gen uint32) bool {
	for {
		w := node.word.Load()
		if generation(w) != gen {
			return false
		}
		if w&wordWatched != 0 || node.word.CompareAndSwap(w, w|wordWatched) {
			return true
		}
	}
}

const (
	nodesPerSlab = 64
	nodeBatch    = 32   // nodes that a context takes from the store at a time
	maxFreeNodes = 1024 // free nodes that a caller's context keeps; a worker keeps an eighth of that
)

// wouldReport reports whether an error of this rank would become the job's error.
func (node *jobNode) wouldReport(rank uint64) bool {
	old := node.failure.Load()
	return old == nil || old.rank > rank
}

// fail records an error of the job, unless one of a lower rank is recorded.
func (node *jobNode) fail(rank uint64, err error) {
	f := &failure{generation(node.word.Load()), rank, err}
	for {
		old := node.failure.Load()
		if old != nil && old.rank <= rank {
			return
		}
		if node.failure.CompareAndSwap(old, f) {
			node.word.Or(wordFailed)
			return
		}
	}
}

// readLaterLength reads the length of a loop that was scheduled before its length was known.
// readLaterLength returns false if the length is not valid.
func (node *jobNode) readLaterLength() bool {
	n := *node.lengthPointer
	if n < 0 || node.grain != 0 && uint64(n)/uint64(node.grain) >= maxBlocks {
		node.fail(rankOwn, fmt.Errorf("jobs: ParallelForLater: %s: n is %d, grain is %d", node.stats.name, n, node.grain))
		return false
	}
	node.n = n
	if node.grain == 0 {
		node.grain = autoGrain(n)
	}
	return true
}

// bindScope puts a new job into a scope.
func (node *jobNode) bindScope(sc *Scope) {
	if sc != nil {
		node.hasOptionalFields, node.scope = true, sc
	}
}

// nodeStore holds the memory of the pool's nodes. Contexts take nodes from the store and return
// them in batches.
type nodeStore struct {
	pool      *Pool // the pool of all jobs in these nodes
	mu        sync.Mutex
	freeNodes []*jobNode // guarded by mu
	slabs     []weak.Pointer[[nodesPerSlab]jobNode]
}

// takeNode takes a node from the context's free list.
func (m *freeLists) takeNode() *jobNode {
	if len(m.nodes) == 0 {
		m.refillNodes()
	}
	last := len(m.nodes) - 1
	node := m.nodes[last]
	m.nodes = m.nodes[:last]
	return node
}

// recycleNode frees a node whose generation ended with the given word.
func (m *freeLists) recycleNode(node *jobNode, word uint64) {
	switch node.shape {
	case shapeSingle, shapeExternal:
		node.single = nil
	case shapeLoop:
		node.loopJob = nil
	}
	node.shape, node.priority, node.chained = shapeNone, Normal, false
	if node.hasOptionalFields {
		node.hasOptionalFields, node.scope, node.parent, node.owner, node.lengthPointer = false, nil, nil, 0, nil
	}
	if node.dependencies != 0 {
		m.dropEdges(node.dependencies)
		node.dependencies = 0
	}
	if node.unfinishedChildren.Load() != 0 {
		node.unfinishedChildren.Store(0)
	}
	if children := node.childEdges.Load(); children != 0 {
		node.childEdges.Store(0)
		m.dropEdges(children)
	}
	if word&wordFailed != 0 {
		return // not reused, so that its handles keep the error
	}
	m.nodes = append(m.nodes, node)
	if len(m.nodes) > maxFreeNodes>>m.maxFreeShift {
		m.returnNodes(maxFreeNodes >> m.maxFreeShift / 2)
	}
}

func (m *freeLists) refillNodes() {
	st := m.store
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.freeNodes) == 0 {
		slab := new([nodesPerSlab]jobNode)
		for i := range slab {
			slab[i].pool = st.pool
			st.freeNodes = append(st.freeNodes, &slab[i])
		}
		st.addSlab(slab)
	}
	from := max(len(st.freeNodes)-nodeBatch, 0)
	m.nodes = append(m.nodes, st.freeNodes[from:]...)
	st.freeNodes = st.freeNodes[:from]
}

// addSlab records a slab, so that unfinishedJob can find its nodes. The record is a weak pointer: a
// slab is freed when none of its nodes is in use or in a free list. For example, the node of a
// failed job is not in use and is in no free list. The caller holds the lock.
func (st *nodeStore) addSlab(slab *[nodesPerSlab]jobNode) {
	if len(st.slabs) == cap(st.slabs) {
		st.slabs = slices.DeleteFunc(st.slabs, func(w weak.Pointer[[nodesPerSlab]jobNode]) bool { return w.Value() == nil })
	}
	st.slabs = append(st.slabs, weak.Make(slab))
}

// returnNodes returns nodes to the store until only keep nodes are left.
func (m *freeLists) returnNodes(keep int) {
	st := m.store
	st.mu.Lock()
	defer st.mu.Unlock()
	st.freeNodes = append(st.freeNodes, m.nodes[keep:]...)
	m.nodes = m.nodes[:keep]
}

// unfinishedJob returns the name of a job that is not done. The result is the oldest job that is
// not done, unless nodes were reused. The caller holds all contexts of a closed pool.
func (st *nodeStore) unfinishedJob() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, w := range st.slabs {
		slab := w.Value()
		if slab == nil {
			continue
		}
		for i := range slab {
			if node := &slab[nodesPerSlab-1-i]; node.shape != shapeNone { // the last node of a slab is used first
				return node.stats.name
			}
		}
	}
	return "a job"
}

var (
	noNode, chainNode jobNode // never hold a job

	anyContinuation = continuation{}
	noContinuation  = continuation{node: &noNode}
	nextInChain     = continuation{node: &chainNode}
)
