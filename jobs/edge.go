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
	from    *slot  // the job that is needed
	to      *slot  // the job that needs it: the owner
	fromGen uint32 // the generation of from that is meant
	nextOut uint32 // next edge out of from; of a counter, what it counts: see fanIn
	nextIn  uint32 // next edge into to, or next free edge
	pos     uint32 // place of from in the list of dependencies, or edgeOnly
	counter uint32 // the edge that counts for fanIn of them; 0 is none
}

// fanIn is how many dependencies share a counter where there are many: the
// workers that end them would else pass one cache line around. The counter is
// nextOut of an edge that leads from nowhere and is in the owner's list too. The seat that links adds, the ends of
// the jobs before it subtract, all atomically; the one that brings it to 0 goes on to slot.pending, and sees what
// the others did before.
const fanIn = 16

// met counts one dependency of a counter as done. It reports whether that was
// the last.
func (e *edge) met() bool { return atomic.AddUint32(&e.nextOut, ^uint32(0)) == 0 }

// expect adds n dependencies to a counter. It reports whether all of them are
// done already.
func (e *edge) expect(n uint32) bool { return atomic.AddUint32(&e.nextOut, n) == 0 }

// edgeOnly says that there is no other dependency: none are counted.
const edgeOnly = 1 << 31

const (
	edgeSlab  = 1 << 12
	edgeBatch = 64   // how many a seat gets at a time
	edgeMost  = 4096 // how many a caller's seat keeps; a worker's, an eighth of it
)

// edges is the table of all edges of all pools: handles may cross pools.
// Index 0 is no edge.
var edges struct {
	// slabs are stored under mu, once, before the index of an edge in them is handed out; a holder of an index finds it.
	slabs [1 << edgeBits / edgeSlab]atomic.Pointer[[edgeSlab]edge]

	mu   sync.Mutex
	free uint32 // list by nextIn
	used uint32 // indices handed out so far
}

// edgeAt is the edge with index i.
func edgeAt(i uint32) *edge {
	return &edges.slabs[i/edgeSlab].Load()[i%edgeSlab]
}

// newEdge takes an edge from the seat's own list.
func (m *memory) newEdge() (uint32, *edge) {
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
func (m *memory) dropEdges(i uint32) {
	for i != 0 {
		e := edgeAt(i)
		next := e.nextIn
		e.from, e.to = nil, nil
		e.nextIn = m.freeEdge
		m.freeEdge = i
		m.freeEdges++
		i = next
	}
	if m.freeEdges > edgeMost>>m.spare {
		m.returnEdges(edgeMost >> m.spare / 2)
	}
}

func (m *memory) refillEdges() {
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
	if edges.slabs[i/edgeSlab].Load() == nil {
		edges.slabs[i/edgeSlab].Store(new([edgeSlab]edge))
	}
	return i
}

// returnEdges gives edges back to the table until keep are left.
func (m *memory) returnEdges(keep int) {
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
func (sl *slot) link(word uint64, i uint32, e *edge) bool {
	e.nextOut = uint32(word&wordEdges) >> edgeShift
	return sl.word.CompareAndSwap(word, word&^wordEdges|uint64(i)<<edgeShift)
}

// addChildren pushes a list of edges, from the first to the last, whose owner this
// slot is.
func (sl *slot) addChildren(first uint32, last *edge) {
	for {
		last.nextIn = sl.children.Load()
		if sl.children.CompareAndSwap(last.nextIn, first) {
			return
		}
	}
}
