package jobs

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// edge says that a job needs another job, for one of three reasons: it was scheduled after the
// other job, the other job is its child, or it waits for the other job. The edge belongs to its
// owner, which is the job that needs the other job. An edge is freed when its owner is done.
//
// The fields of an edge are not atomic. The fields are written before the edge is pushed, which is
// an atomic operation on the field word or childEdges of a node. The goroutine that took the list
// away, or that holds a pin on the owner, reads the fields. The fields are written again only after
// the owner's generation has ended.
type edge struct {
	from     *jobNode // the job that is needed
	to       *jobNode // the job that needs it: the owner
	fromGen  uint32   // the generation of from
	nextOut  uint32   // next edge out of from; in a counter, the number of dependencies that are left, see fanIn
	nextIn   uint32   // next edge into to, or next free edge
	position uint32   // index of from in the list of dependencies, or onlyDependency
	counter  uint32   // the edge that counts for fanIn dependencies; 0 for none
}

// fanIn is the number of dependencies that share one counter if a job has many dependencies.
// Without these counters, the workers that complete the dependencies would all write to one cache
// line. A counter is an edge in the owner's list whose field from is not set; its field nextOut is
// the count. The goroutine that links the job adds to the counter, and each dependency subtracts
// one when it ends. The goroutine that brings a counter to 0 subtracts one from
// pendingDependencies. It sees all writes that the other dependencies made before.
const fanIn = 16

// countDown subtracts one dependency from a counter. countDown reports whether that was the last
// one.
func (e *edge) countDown() bool { return atomic.AddUint32(&e.nextOut, ^uint32(0)) == 0 }

// countUp adds n dependencies to a counter. It reports whether all of them are done already.
func (e *edge) countUp(n uint32) bool { return atomic.AddUint32(&e.nextOut, n) == 0 }

// onlyDependency marks the edge of a job's only dependency, which needs no counter.
const onlyDependency = 1 << 31

const (
	edgesPerSlab = 1 << 12
	edgeBatch    = 64   // edges that a context takes from the table at a time
	maxFreeEdges = 4096 // free edges that a caller's context keeps; a worker keeps an eighth of that
)

// edges is the table of the edges of all pools. The pools share it because a job may depend on a
// job of another pool. Index 0 means no edge.
var edges struct {
	// A slab is stored once, under mu, before an index into it is handed out. So a goroutine that
	// has an index of an edge always finds the edge's slab.
	slabs [1 << edgeBits / edgesPerSlab]atomic.Pointer[[edgesPerSlab]edge]

	mu   sync.Mutex
	free uint32 // list linked by nextIn
	used uint32 // indices handed out so far
}

// edgeAt returns the edge with index i.
func edgeAt(i uint32) *edge {
	return &edges.slabs[i/edgesPerSlab].Load()[i%edgesPerSlab]
}

// newEdge takes an edge from the context's free list.
func (m *freeLists) newEdge() (uint32, *edge) {
	if m.freeEdge == 0 {
		m.refillEdges()
	}
	i := m.freeEdge
	e := edgeAt(i)
	m.freeEdge = e.nextIn
	m.freeEdges--
	return i, e
}

// dropEdges frees a list that is linked by nextIn.
func (m *freeLists) dropEdges(i uint32) {
	for i != 0 {
		e := edgeAt(i)
		next := e.nextIn
		e.from, e.to = nil, nil
		e.nextIn = m.freeEdge
		m.freeEdge = i
		m.freeEdges++
		i = next
	}
	if m.freeEdges > maxFreeEdges>>m.maxFreeShift {
		m.returnEdges(maxFreeEdges >> m.maxFreeShift / 2)
	}
}

func (m *freeLists) refillEdges() {
	edges.mu.Lock()
	defer edges.mu.Unlock()
	for range edgeBatch {
		i := edges.free
		if i != 0 {
			edges.free = edgeAt(i).nextIn
		} else {
			i = growEdges()
		}
		edgeAt(i).nextIn = m.freeEdge
		m.freeEdge = i
		m.freeEdges++
	}
}

// growEdges hands out an index that was never used. The caller holds the lock.
func growEdges() uint32 {
	edges.used++
	i := edges.used
	if i >= 1<<edgeBits {
		panic(fmt.Sprintf("jobs: more than %d dependencies are live", 1<<edgeBits-1))
	}
	if edges.slabs[i/edgesPerSlab].Load() == nil {
		edges.slabs[i/edgesPerSlab].Store(new([edgesPerSlab]edge))
	}
	return i
}

// returnEdges returns edges to the table until only keep edges are left.
func (m *freeLists) returnEdges(keep int) {
	edges.mu.Lock()
	defer edges.mu.Unlock()
	for m.freeEdges > keep {
		i := m.freeEdge
		e := edgeAt(i)
		m.freeEdge = e.nextIn
		e.nextIn = edges.free
		edges.free = i
		m.freeEdges--
	}
}

// pushEdge tries once to push edge i, which leads out of this job, onto word. The generation in
// word must be the edge's.
func (node *jobNode) pushEdge(word uint64, i uint32, e *edge) bool {
	e.nextOut = uint32(word&wordEdges) >> edgeShift
	return node.word.CompareAndSwap(word, word&^wordEdges|uint64(i)<<edgeShift)
}

// pushChildEdges pushes a list of edges, from the first to the last, whose owner is this job.
func (node *jobNode) pushChildEdges(first uint32, last *edge) {
	for {
		last.nextIn = node.childEdges.Load()
		if node.childEdges.CompareAndSwap(last.nextIn, first) {
			return
		}
	}
}

// linkAfterOne links a new job after one other job. linkAfterOne returns false if that job is done.
//
// The job that was queued last in a context starts a chain. A job becomes the new end of the chain
// under three conditions: the same context schedules the job, the job depends only on the old end,
// and no other job depends on the old end yet. Therefore each job of a chain has at most one
// chained successor. A wait for the end may run the whole chain from its start, without a walk.
func (wc *workerContext) linkAfterOne(node *jobNode, h, a Handle) bool {
	if !a.Done() {
		node.pool.noteCrossPool(a.node.pool)
		i, e := wc.free.newEdge()
		e.from, e.fromGen, e.to, e.position, e.nextIn, e.counter = a.node, a.gen, node, onlyDependency, 0, 0
		node.dependencies = i
		for w := a.node.word.Load(); generation(w) == a.gen; w = a.node.word.Load() {
			lined := a == wc.queue.chainTail && w&wordEdges == 0
			node.chained = lined
			if a.node.pushEdge(w, i, e) {
				if lined {
					wc.queue.chainTail = h
				}
				return true
			}
		}
	}
	if err := a.Err(); err != nil {
		node.fail(rankDependency, err)
	}
	return false
}

// noteCrossPool records that a job of the pool needs a job of the other pool.
func (p *Pool) noteCrossPool(other *Pool) {
	if other != p && !p.crossPool.Load() {
		p.crossPool.Store(true)
	}
}

// linkAfterAll links a new job after several others. linkAfterAll returns false if all of them are
// done. The list of edges begins with the last dependency: a walk begins with the last dependency,
// and a thief begins with the first.
func (m *freeLists) linkAfterAll(node *jobNode, after []Handle) bool {
	if len(after) <= 2*fanIn {
		linked := m.linkCounted(node, after, 0, 0)
		return linked != 0 && node.pendingDependencies.Add(int32(linked)) != 0
	}
	counters := int32(0)
	for at := 0; at < len(after); at += fanIn {
		i, e := m.newEdge()
		e.from, e.to, e.nextOut = nil, node, 0
		e.nextIn = node.dependencies
		node.dependencies = i
		linked := m.linkCounted(node, after[at:min(at+fanIn, len(after))], at, i)
		if linked != 0 && !e.countUp(linked) {
			counters++
		}
	}
	return counters != 0 && node.pendingDependencies.Add(counters) != 0
}

// linkCounted links a new job to some of its dependencies, and returns the number of those that are
// not done. Parameter at is the index of the first of these dependencies in the list of all
// dependencies.
func (m *freeLists) linkCounted(node *jobNode, after []Handle, at int, counter uint32) (linked uint32) {
	for k, a := range after {
		if a.node == nil {
			continue
		}
		if !a.Done() {
			node.pool.noteCrossPool(a.node.pool)
			i, e := m.newEdge()
			e.from, e.fromGen, e.to, e.position, e.counter = a.node, a.gen, node, uint32(at+k), counter
			e.nextIn = node.dependencies
			node.dependencies = i
			for w := a.node.word.Load(); generation(w) == a.gen; w = a.node.word.Load() {
				if a.node.pushEdge(w, i, e) {
					linked++
					break
				}
			}
			// If the dependency has ended just now, its edge stays in the list without effect.
		}
		if err := a.Err(); err != nil {
			node.fail(rankDependency|uint64(at+k), err)
		}
	}
	return linked
}

// addNeed adds an edge from a job to the job of task t. Either the first job is a child of the
// second job, or the second job waits for the first. addNeed returns the edge.
func (m *freeLists) addNeed(t *Task, from *jobNode, gen, kind uint32) uint32 {
	if t.edgesAdded >= max(t.sweepAt, minSweep) {
		t.edgesAdded, t.sweepAt = 0, 2*m.sweepChildEdges(t.node)
	}
	i, e := m.newEdge()
	e.from, e.fromGen, e.to, e.position = from, gen, t.node, kind
	t.node.pushChildEdges(i, e)
	t.edgesAdded++
	return i
}

// For an edge in the list of children, the field position holds one of these kinds.
const (
	edgeChild = iota
	edgeWait
)

// minSweep is the number of edges that a task adds to the list of a job before it looks for useless
// edges.
const minSweep = 64

// sweepChildEdges frees the edges of a running job that lead from jobs that are done. Otherwise a
// body that never returns would accumulate such edges. sweepChildEdges returns the number of
// edges that are left. A walk that is in the middle of the list starts again from the beginning.
func (m *freeLists) sweepChildEdges(node *jobNode) (left uint32) {
	node.lockEdges()
	var first, gone uint32
	var last *edge
	for i := node.childEdges.Swap(0); i != 0; {
		e := edgeAt(i)
		next := e.nextIn
		switch {
		case e.from == nil, e.position == edgeChild && generation(e.from.word.Load()) != e.fromGen:
			e.nextIn = gone
			gone = i
		default: // the wait itself takes back its edges
			if last == nil {
				first = i
			} else {
				last.nextIn = i
			}
			last = e
			left++
		}
		i = next
	}
	if last != nil {
		node.pushChildEdges(first, last)
	}
	node.sweepCount++
	node.unlockEdges()
	m.dropEdges(gone)
	return left
}
