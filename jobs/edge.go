package jobs

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// edge says that one job needs another: because it was scheduled behind it,
// because the other is its child, or because it waits for it. An edge belongs
// to the job that needs: it is freed when that job is done.
//
// Its fields are plain. They are written before the edge is pushed (an atomic
// operation on the slot's word or its children), read by the goroutine that took the list
// away or holds a pin on the owner, and written again only after the owner's
// word has moved on.
type edge struct {
	from     *jobNode // the job that is needed
	to       *jobNode // the job that needs it: the owner
	fromGen  uint32   // the generation of from that is meant
	nextOut  uint32   // next edge out of from; of a counter, what it counts: see fanIn
	nextIn   uint32   // next edge into to, or next free edge
	position uint32   // place of from in the list of dependencies, or edgeOnly
	counter  uint32   // the edge that counts for fanIn of them; 0 is none
}

// fanIn is how many dependencies share a counter where there are many: the
// workers that end them would else pass one cache line around. The counter is
// nextOut of an edge that leads from nowhere and is in the owner's list too. The seat that links adds, the ends of
// the jobs before it subtract, all atomically; the one that brings it to 0 goes on to slot.pending, and sees what
// the others did before.
const fanIn = 16

// met counts one dependency of a counter as done. It reports whether that was
// the last.
func (e *edge) countDown() bool { return atomic.AddUint32(&e.nextOut, ^uint32(0)) == 0 }

// expect adds n dependencies to a counter. It reports whether all of them are
// done already.
func (e *edge) countUp(n uint32) bool { return atomic.AddUint32(&e.nextOut, n) == 0 }

// edgeOnly says that there is no other dependency: none are counted.
const edgeOnly = 1 << 31

const (
	edgesPerSlab = 1 << 12
	edgeBatch    = 64   // how many a seat gets at a time
	maxFreeEdges = 4096 // how many a caller's seat keeps; a worker's, an eighth of it
)

// edges is the table of all edges of all pools: handles may cross pools.
// Index 0 is no edge.
var edges struct {
	// slabs are stored under mu, once, before the index of an edge in them is handed out; a holder of an index finds it.
	slabs [1 << edgeBits / edgesPerSlab]atomic.Pointer[[edgesPerSlab]edge]

	mu   sync.Mutex
	free uint32 // list by nextIn
	used uint32 // indices handed out so far
}

// edgeAt is the edge with index i.
func edgeAt(i uint32) *edge {
	return &edges.slabs[i/edgesPerSlab].Load()[i%edgesPerSlab]
}

// newEdge takes an edge from the seat's own list.
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

// dropEdges frees a list linked by nextIn.
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
	if m.freeEdges > maxFreeEdges>>m.limitShift {
		m.returnEdges(maxFreeEdges >> m.limitShift / 2)
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

// growEdges hands out an index that was never used. The lock is held.
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

// returnEdges gives edges back to the table until keep are left.
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

// link tries once to push edge i, which leads from the slot's job to another,
// onto a word of the generation that is meant.
func (node *jobNode) pushEdge(word uint64, i uint32, e *edge) bool {
	e.nextOut = uint32(word&wordEdges) >> edgeShift
	return node.word.CompareAndSwap(word, word&^wordEdges|uint64(i)<<edgeShift)
}

// addChildren pushes a list of edges, from the first to the last, whose owner this
// slot is.
func (node *jobNode) pushChildEdges(first uint32, last *edge) {
	for {
		last.nextIn = node.childEdges.Load()
		if node.childEdges.CompareAndSwap(last.nextIn, first) {
			return
		}
	}
}

// follow links a slot behind one job. It returns false if that is done.
//
// The job that was queued last on a seat heads a line: a job that is scheduled
// there behind the end of the line alone, and as the first behind that, becomes
// its new end. A wait for the end may run the head and all between them,
// without a walk: each has one that is lined behind it, at most.
func (wc *workerContext) linkAfterOne(node *jobNode, h, a Handle) bool {
	if !a.Done() {
		node.pool.noteCrossPool(a.node.pool)
		i, e := wc.free.newEdge()
		e.from, e.fromGen, e.to, e.position, e.nextIn, e.counter = a.node, a.gen, node, edgeOnly, 0, 0
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

// link notes that a job of the pool needs one of another.
func (p *Pool) noteCrossPool(other *Pool) {
	if other != p && !p.crossPool.Load() {
		p.crossPool.Store(true)
	}
}

// link links a slot behind several jobs. It returns false if all are done. The
// list of edges begins with the last job: that is where a walk begins, and a
// thief with the first.
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

// linkCounted links a slot behind some of its dependencies, the first of which
// is at a place in the list of all, and returns how many are not done.
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
			// If it was done just now, the edge stays behind as one that is met.
		}
		if err := a.Err(); err != nil {
			node.fail(rankDependency|uint64(at+k), err)
		}
	}
	return linked
}

// need adds to what the task's job needs before it is done: a child, or a job
// that it waits for. It returns the edge.
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

// What kind of need an edge in the list of children is, in its pos.
const (
	edgeChild = iota
	edgeWait
)

// sweepLeast is how many edges a task adds to the list of a job before it looks
// for some that have become useless.
const minSweep = 64

// sweep frees the edges in the list of a running job that lead from what is
// done: a body that never returns would pile them up. It returns how many are
// left. What is in the middle of the list begins anew.
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
		default: // edges of a wait are taken back by the wait
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
