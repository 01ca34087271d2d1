package trees

import "github.com/lanewise/lanewise/ecs"

// Rows describes the rows of a chunk.
type Rows struct {
	ID       int // number of the chunk in the world
	Capacity int // largest number of rows
	Roots    bool
	Divided  bool
	Source   uint8
	Entities []ecs.Entity
	Parents  []ecs.Entity // empty for roots
}

// from returns the source of a row's matrix as a number. A divided chunk has another number than an
// undivided one of the same source, because a row of it may have been computed by others.
func (r *Rows) from() uint8 { return r.Source<<1 | uint8(kind(r.Divided)) }

// Put updates the rows of a chunk.
func (f *Forest) Put(r Rows) {
	for 1<<f.shift < max(r.Capacity, len(r.Entities)) {
		f.widen()
	}
	h := f.enlist(r.ID)
	c := &f.Chunks[h]
	old := int(c.Rows)
	f.rows[kind(c.Roots)] -= old
	f.rows[kind(r.Roots)] += len(r.Entities)
	if c.Divided != r.Divided {
		f.Divided += kind(r.Divided) - kind(c.Divided)
	}
	f.Work.Rows += max(old, len(r.Entities))
	changed := c.Roots != r.Roots || c.Source != r.Source || c.Divided != r.Divided || old != len(r.Entities)
	c.Roots, c.Source, c.Divided, c.Rows = r.Roots, r.Source, r.Divided, int32(len(r.Entities))
	if changed {
		f.cutLater(h)
	}
	base := f.Place(h, 0)
	for row := len(r.Entities); row < old; row++ {
		f.lose(base + row)
	}
	var above ecs.Entity
	for row, e := range r.Entities {
		if !r.Roots {
			above = r.Parents[row]
		}
		at, n := base+row, int32(None)
		if row < old {
			n = f.nodeAt[at]
		}
		if n == None || f.nodes[n].entity != e || int(f.nodes[n].place) != at {
			if n != None {
				f.lose(at)
			}
			n = f.come(e, int32(at))
			f.cutLater(h)
		}
		if x := &f.nodes[n]; x.above != above || x.root != r.Roots || x.source != r.from() || x.level == absent {
			f.change(n, above, &r)
		}
	}
}

// lose notes that a row has left its place, unless it is known to be at another one.
func (f *Forest) lose(at int) {
	n := f.nodeAt[at]
	if x := &f.nodes[n]; int(x.place) == at {
		x.place = None
		f.removed = append(f.removed, n)
	}
}

// come puts an entity in a place, and returns its number.
func (f *Forest) come(e ecs.Entity, at int32) int32 {
	n := f.find(e)
	if n == None {
		n = f.number(e)
	}
	x := &f.nodes[n]
	if x.place = at; x.first != None && x.level != absent {
		f.moved = append(f.moved, n)
	}
	f.nodeAt[at] = n
	return n
}

// change records the parent and the source of a node in its place.
func (f *Forest) change(n int32, above ecs.Entity, r *Rows) {
	x := &f.nodes[n]
	if x.level == absent || x.above != above || x.root != r.Roots {
		if x.level == absent {
			x.level = rootless
			f.idle++
		}
		if !x.linked {
			x.linked = true
			f.linked = append(f.linked, n)
		}
	}
	x.above, x.root, x.source = above, r.Roots, r.from()
	f.arrive(n)
}

// arrive marks a node as arrived.
func (f *Forest) arrive(n int32) {
	if x := &f.nodes[n]; !x.arrived && !x.root {
		x.arrived = true
		f.arrivals = append(f.arrivals, n)
		if x.place != None {
			f.cutLater(x.place >> f.shift)
		}
	}
}

// cutLater marks a chunk for cutting.
func (f *Forest) cutLater(h int32) {
	if c := &f.Chunks[h]; !c.cut {
		c.cut = true
		f.recut = append(f.recut, h)
	}
}

// enlist returns the number of a chunk, and gives it one if it is new.
func (f *Forest) enlist(id int) int32 {
	if n := id + 1 - len(f.handles); n > 0 {
		f.handles = append(f.handles, make([]int32, n)...)
	}
	h := f.handles[id] - 1
	if h != None {
		return h
	}
	if last := len(f.unused) - 1; last >= 0 {
		h, f.unused = f.unused[last], f.unused[:last]
	} else {
		h = int32(len(f.Chunks))
		f.Chunks = append(f.Chunks, Chunk{})
		f.resize()
	}
	c := &f.Chunks[h]
	*c = Chunk{ID: int32(id), Copies: None, Segments: c.Segments[:0], cut: c.cut, Stale: c.Stale}
	f.handles[id] = h + 1
	return h
}

// resize allocates memory for all places.
func (f *Forest) resize() {
	n := f.Places()
	f.nodeAt, f.Up, f.From, f.Arrived = grown(f.nodeAt, n), grown(f.Up, n), grown(f.From, n), grown(f.Arrived, n)
}

// grown returns s with length n and the same elements.
func grown[E any](s []E, n int) []E {
	if n <= cap(s) {
		return s[:n]
	}
	t := make([]E, n, n+n/2)
	copy(t, s)
	return t
}

// widen doubles the number of places of a chunk. All chunks are cut again, because places change.
func (f *Forest) widen() {
	old, nodeAt := f.shift, f.nodeAt
	f.shift = max(f.shift+1, 4)
	f.nodeAt, f.Up, f.From, f.Arrived = nil, nil, nil, nil
	f.resize()
	for h := range f.Chunks {
		copy(f.nodeAt[h<<f.shift:], nodeAt[h<<old:(h+1)<<old])
		f.cutLater(int32(h))
	}
	for n := range f.nodes {
		if p := f.nodes[n].place; p != None {
			f.nodes[n].place = p>>old<<f.shift + p&(1<<old-1)
		}
	}
}

// Count begins a count of the chunks that exist: Sweep removes those without a Keep after Count.
func (f *Forest) Count() { f.round++ }

// Keep says that a chunk exists.
func (f *Forest) Keep(id int) {
	if h := f.Chunk(id); h != None {
		f.Chunks[h].seen = f.round
	}
}

// Sweep removes the chunks without a Keep since Count.
func (f *Forest) Sweep() {
	for h := range f.Chunks {
		c := &f.Chunks[h]
		if c.seen == f.round || c.ID == None {
			continue
		}
		for row := range int(c.Rows) {
			f.lose(f.Place(int32(h), row))
		}
		f.rows[kind(c.Roots)] -= int(c.Rows)
		f.Divided -= kind(c.Divided)
		if c.Copies != None {
			f.slots = append(f.slots, c.Copies)
		}
		f.handles[c.ID] = 0
		*c = Chunk{ID: None, Copies: None, Segments: c.Segments[:0], cut: c.cut, Stale: c.Stale}
		f.unused = append(f.unused, int32(h))
		f.Edition++
	}
}
