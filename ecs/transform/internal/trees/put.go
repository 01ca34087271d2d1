package trees

import "github.com/lanewise/lanewise/ecs"

// Rows describes the rows of a chunk.
type Rows struct {
	ID       int // number that identifies the chunk in the world
	Capacity int // largest number of rows
	Roots    bool
	Divided  bool
	Source   uint8
	Entities []ecs.Entity
	Parents  []ecs.Entity // parents of the rows; empty for roots
}

// sourceCode encodes the source of a row's matrix as a number. A divided chunk and an undivided chunk
// with the same source have different codes, because in a divided chunk another system may have
// computed a row.
func (r *Rows) sourceCode() uint8 { return r.Source<<1 | uint8(rowKind(r.Divided)) }

// Put updates the rows of a chunk.
func (f *Forest) Put(r Rows) {
	for 1<<f.placeShift < max(r.Capacity, len(r.Entities)) {
		f.doublePlaces()
	}
	h := f.ensureChunk(r.ID)
	c := &f.Chunks[h]
	old := int(c.Rows)
	f.rowCounts[rowKind(c.Roots)] -= old
	f.rowCounts[rowKind(r.Roots)] += len(r.Entities)
	if c.Divided != r.Divided {
		f.Divided += rowKind(r.Divided) - rowKind(c.Divided)
	}
	f.Work.Rows += max(old, len(r.Entities))
	changed := c.Roots != r.Roots || c.Source != r.Source || c.Divided != r.Divided || old != len(r.Entities)
	c.Roots, c.Source, c.Divided, c.Rows = r.Roots, r.Source, r.Divided, int32(len(r.Entities))
	if changed {
		f.markForCut(h)
	}
	base := f.Place(h, 0)
	for row := len(r.Entities); row < old; row++ {
		f.markLeft(base + row)
	}
	var above ecs.Entity
	for row, e := range r.Entities {
		if !r.Roots {
			above = r.Parents[row]
		}
		at, n := base+row, int32(None)
		if row < old {
			n = f.placeNodes[at]
		}
		if n == None || f.nodes[n].entity != e || int(f.nodes[n].place) != at {
			if n != None {
				f.markLeft(at)
			}
			n = f.putEntity(e, int32(at))
			f.markForCut(h)
		}
		if x := &f.nodes[n]; x.parentEntity != above || x.root != r.Roots || x.source != r.sourceCode() || x.level == ghostLevel {
			f.updateNode(n, above, &r)
		}
	}
}

// markLeft records that a row has left its place, unless the row already has another place.
func (f *Forest) markLeft(at int) {
	n := f.placeNodes[at]
	if x := &f.nodes[n]; int(x.place) == at {
		x.place = None
		f.removedNodes = append(f.removedNodes, n)
	}
}

// putEntity stores which entity is at a place, and returns the number of its node.
func (f *Forest) putEntity(e ecs.Entity, at int32) int32 {
	n := f.findNode(e)
	if n == None {
		n = f.addNode(e)
	}
	x := &f.nodes[n]
	if x.place = at; x.firstChild != None && x.level != ghostLevel {
		f.movedNodes = append(f.movedNodes, n)
	}
	f.placeNodes[at] = n
	return n
}

// updateNode stores the parent of a node, and the source of its matrix.
func (f *Forest) updateNode(n int32, above ecs.Entity, r *Rows) {
	x := &f.nodes[n]
	if x.level == ghostLevel || x.parentEntity != above || x.root != r.Roots {
		if x.level == ghostLevel {
			x.level = rootlessLevel
			f.addRootless(n)
		}
		if !x.linked {
			x.linked = true
			f.linkedNodes = append(f.linkedNodes, n)
		}
	}
	x.parentEntity, x.root, x.source = above, r.Roots, r.sourceCode()
	f.markArrived(n)
}

// markArrived marks a node as arrived.
func (f *Forest) markArrived(n int32) {
	if x := &f.nodes[n]; !x.arrived && !x.root {
		x.arrived = true
		f.arrivedNodes = append(f.arrivedNodes, n)
		if x.place != None {
			f.markForCut(x.place >> f.placeShift)
		}
	}
}

// markForCut marks a chunk for cutting.
func (f *Forest) markForCut(h int32) {
	if c := &f.Chunks[h]; !c.cutPending {
		c.cutPending = true
		f.recutChunks = append(f.recutChunks, h)
	}
}

// ensureChunk returns the number of a chunk. If the chunk is new, it gets a number.
func (f *Forest) ensureChunk(id int) int32 {
	if n := id + 1 - len(f.idChunks); n > 0 {
		f.idChunks = append(f.idChunks, make([]int32, n)...)
	}
	h := f.idChunks[id] - 1
	if h != None {
		return h
	}
	if last := len(f.freeChunks) - 1; last >= 0 {
		h, f.freeChunks = f.freeChunks[last], f.freeChunks[:last]
	} else {
		h = int32(len(f.Chunks))
		f.Chunks = append(f.Chunks, Chunk{})
		f.resizePlaces()
	}
	c := &f.Chunks[h]
	*c = Chunk{ID: int32(id), CopySlot: None, Segments: c.Segments[:0], cutPending: c.cutPending, Stale: c.Stale}
	f.idChunks[id] = h + 1
	return h
}

// resizePlaces allocates memory for all places.
func (f *Forest) resizePlaces() {
	n := f.Places()
	f.placeNodes, f.ParentPlace, f.MatrixPlace, f.Arrived = growTo(f.placeNodes, n), growTo(f.ParentPlace, n), growTo(f.MatrixPlace, n), growTo(f.Arrived, n)
}

// growTo returns a slice of length n that begins with the elements of s.
func growTo[E any](s []E, n int) []E {
	if n <= cap(s) {
		return s[:n]
	}
	t := make([]E, n, n+n/2)
	copy(t, s)
	return t
}

// doublePlaces doubles the number of places of a chunk. All chunks must be cut again, because the
// places change.
func (f *Forest) doublePlaces() {
	old, nodeAt := f.placeShift, f.placeNodes
	f.placeShift = max(f.placeShift+1, 4)
	f.placeNodes, f.ParentPlace, f.MatrixPlace, f.Arrived = nil, nil, nil, nil
	f.resizePlaces()
	for h := range f.Chunks {
		copy(f.placeNodes[h<<f.placeShift:], nodeAt[h<<old:(h+1)<<old])
		f.markForCut(int32(h))
	}
	for n := range f.nodes {
		if p := f.nodes[n].place; p != None {
			f.nodes[n].place = p>>old<<f.placeShift + p&(1<<old-1)
		}
	}
}

// BeginSweep begins a sweep of the chunks: Sweep removes the chunks for which Keep was not called
// after BeginSweep.
func (f *Forest) BeginSweep() { f.walkRound++ }

// Keep records that a chunk exists.
func (f *Forest) Keep(id int) {
	if h := f.Chunk(id); h != None {
		f.Chunks[h].seenRound = f.walkRound
	}
}

// Sweep removes the chunks for which Keep was not called after BeginSweep.
func (f *Forest) Sweep() {
	for h := range f.Chunks {
		c := &f.Chunks[h]
		if c.seenRound == f.walkRound || c.ID == None {
			continue
		}
		for row := range int(c.Rows) {
			f.markLeft(f.Place(int32(h), row))
		}
		f.rowCounts[rowKind(c.Roots)] -= int(c.Rows)
		f.Divided -= rowKind(c.Divided)
		if c.CopySlot != None {
			f.freeSlots = append(f.freeSlots, c.CopySlot)
		}
		f.idChunks[c.ID] = 0
		*c = Chunk{ID: None, CopySlot: None, Segments: c.Segments[:0], cutPending: c.cutPending, Stale: c.Stale}
		f.freeChunks = append(f.freeChunks, int32(h))
		f.Edition++
	}
}
