package jobs

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"
)

// slot holds one scheduled job. Slots are used again; a handle names a slot
// and one generation of it. A slot whose job failed is never used again, so
// that its handles can tell the error for as long as they are held.
//
// A single job without parent and scope needs one cache line.
type jobNode struct {
	// word is generation<<32 | first edge out<<8 | pins<<4 | failed<<3 | watched<<2 | phase.
	// When the job is done, one compare-and-swap moves it to the next
	// generation and takes the edges away: what comes later sees that the
	// generation is over. Any goroutine changes it, by read-modify-writes alone: what was
	// written before one is seen by the goroutine that finds its bits.
	word atomic.Uint64

	// left is children that are not done, plus bodyDone. The body adds children, their
	// ends subtract; the goroutine that brings it to bodyDone completes the job, and sees what all did.
	unfinishedChildren atomic.Int32

	// pending is jobs before it that are not done, minus those not yet counted. Linking
	// adds, their ends subtract; the goroutine that brings it to 0 makes the job ready.
	pendingDependencies atomic.Int32

	// children is a list of edges from children and from jobs waited for: pushed by
	// compare-and-swap by the goroutine that runs the body, read by holders of a pin, swapped by sweep.
	childEdges atomic.Uint32

	// Plain fields are written before the job is published, and read by what
	// runs it or pins it.
	dependencies uint32 // edges from the jobs before it
	shape        jobShape
	priority     Priority
	hasExtras    bool // scope, parent, order, owner or later are set
	chained      bool // see follow
	single       Job
	stats        *jobStats
	pool         *Pool

	// failed is swapped in by the goroutine that fails the job, before the bit in word that says so.
	failure     atomic.Pointer[failure]
	loopJob     RangeJob
	n           int
	grain       int
	scope       *Scope
	parent      *jobNode
	childOrder  uint64  // place among the parent's children
	owner       uintptr // the goroutine that must run it; 0 is any
	laterLength *int    // where n will stand; nil if it is known

	walkMark       atomic.Uint64 // last walk that found nothing to do for it: stored and read by walks, of which each knows its own
	compactionMark atomic.Uint64 // last round of deque.makeRoom that has kept an entry of it: stored and read by owners of deques, alike
	openLoop       atomic.Int32  // 1 + index of the loop it runs in, or ran in once: stored by the opener before the loop is open; readers join, and look whose loop it is

	sweepCount uint32 // see sweep; changed while the slot is locked
	_          [24]byte
}

// shape is what a slot holds. It is never printed and has no order, so it has no table of names.
type jobShape uint8

const (
	shapeNone jobShape = iota // a job of Combine
	shapeSingle
	shapeLoop
	shapeExternal // runs on a goroutine of its own
)

const (
	phaseWaiting    = 0 // free, or jobs before it are not done
	phaseReady      = 1 // in a queue; the goroutine that moves it to running may run it
	phaseRunning    = 2
	phaseBackground = 3 // like ready, for waits for it and holders of a permit
	phaseMask       = 3

	wordWatched = 1 << 2 // a goroutine sleeps until it is done
	wordFailed  = 1 << 3 // failed is set
	wordPin     = 1 << 4 // readers that keep the slot from being done
	wordPins    = 15 * wordPin
	edgeShift   = 8
	edgeBits    = 24 // of the index of an edge
	wordEdges   = (1<<edgeBits - 1) << edgeShift
	genShift    = 32

	// bodyDone is added to left when the body has returned but children have not.
	bodyDone = 1 << 30
)

func generation(word uint64) uint32 { return uint32(word >> genShift) }

// ready moves a waiting slot into the ready phase.
func (node *jobNode) markReady() { node.word.Add(phaseReady - phaseWaiting) }

// readyInBackground moves a waiting slot with a background job into its ready phase.
func (node *jobNode) markBackgroundReady() { node.word.Add(phaseBackground - phaseWaiting) }

// claim makes the caller the one that runs the slot's job, if it is ready for
// any seat. Entries of runnexts and deques are hints: what was a job for all
// may be a background job by now.
func (node *jobNode) claimReady() bool {
	w := node.word.Load()
	return w&phaseMask == phaseReady && node.claimGeneration(generation(w))
}

// claimSpare is claim for holders of a permit for background jobs.
func (node *jobNode) claimBackground() bool {
	return node.claimGeneration(generation(node.word.Load()))
}

// claimGeneration is claim for one job and no later one in the same slot, by
// waits for it: they run it whatever its priority.
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

// pin keeps the slot's job from being done while its edges are read. It fails
// when the generation is over.
func (node *jobNode) pin(gen uint32) bool {
	for {
		w := node.word.Load()
		if generation(w) != gen {
			return false
		}
		if w&wordPins == wordPins {
			runtime.Gosched() // 15 others look at it
			continue
		}
		if node.word.CompareAndSwap(w, w+wordPin) {
			return true
		}
	}
}

func (node *jobNode) unpin() { node.word.Add(^uint64(wordPin - 1)) }

// lock keeps all others from reading the edges of a job that cannot end
// meanwhile: it takes all pins.
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

// close ends the generation and returns the last word of it.
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

// watch asks for a wake-up at the end of a generation. It fails when that has
// come already.
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
	nodeBatch    = 32   // how many a seat gets at a time
	maxFreeNodes = 1024 // how many a caller's seat keeps; a worker's, an eighth of it
)

// failsAs reports whether an error of a rank would be the job's, as far as it has failed by now.
func (node *jobNode) wouldReport(rank uint64) bool {
	old := node.failure.Load()
	return old == nil || old.rank > rank
}

// fail records an error of the slot's job.
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

// settle reads the length of a job that was scheduled before it was known. It
// returns false if there is no such length.
func (node *jobNode) readLaterLength() bool {
	n := *node.laterLength
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

// bind makes a new job one of a scope.
func (node *jobNode) bindScope(sc *Scope) {
	if sc != nil {
		node.hasExtras, node.scope = true, sc
	}
}

// store is the memory of slots, which seats take and give back in batches.
type nodeStore struct {
	pool      *Pool // whose jobs they are for
	mu        sync.Mutex
	freeNodes []*jobNode // free ones; under mu
	slabs     []weak.Pointer[[nodesPerSlab]jobNode]
}

// newSlot takes a slot from the seat's own list.
func (m *freeLists) takeNode() *jobNode {
	if len(m.nodes) == 0 {
		m.refillNodes()
	}
	last := len(m.nodes) - 1
	node := m.nodes[last]
	m.nodes = m.nodes[:last]
	return node
}

// dropSlot frees a slot whose generation was closed with the given word.
func (m *freeLists) recycleNode(node *jobNode, word uint64) {
	switch node.shape {
	case shapeSingle, shapeExternal:
		node.single = nil
	case shapeLoop:
		node.loopJob = nil
	}
	node.shape, node.priority, node.chained = shapeNone, Normal, false
	if node.hasExtras {
		node.hasExtras, node.scope, node.parent, node.owner, node.laterLength = false, nil, nil, 0, nil
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
		return // retired: its handles keep the error
	}
	m.nodes = append(m.nodes, node)
	if len(m.nodes) > maxFreeNodes>>m.limitShift {
		m.returnNodes(maxFreeNodes >> m.limitShift / 2)
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

// enlist remembers a slab for unfinished, as long as one of its slots is in use or
// free: those of failed jobs are neither. The lock is held.
func (st *nodeStore) addSlab(slab *[nodesPerSlab]jobNode) {
	if len(st.slabs) == cap(st.slabs) {
		st.slabs = slices.DeleteFunc(st.slabs, func(w weak.Pointer[[nodesPerSlab]jobNode]) bool { return w.Value() == nil })
	}
	st.slabs = append(st.slabs, weak.Make(slab))
}

// returnSlots gives slots back to the pool until keep are left.
func (m *freeLists) returnNodes(keep int) {
	st := m.store
	st.mu.Lock()
	defer st.mu.Unlock()
	st.freeNodes = append(st.freeNodes, m.nodes[keep:]...)
	m.nodes = m.nodes[:keep]
}

// unfinished is the name of a job that is not done, the oldest where slots were not
// used again. The caller holds all seats of a closed pool.
func (st *nodeStore) unfinishedJob() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, w := range st.slabs {
		slab := w.Value()
		if slab == nil {
			continue
		}
		for i := range slab {
			if node := &slab[nodesPerSlab-1-i]; node.shape != shapeNone { // the last is used first
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
