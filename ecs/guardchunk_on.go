//go:build lanewise_guard

package ecs

import "slices"

// guardChunk is the part of a Chunk that only the guard build has.
type guardChunk struct {
	sums    []uint64 // checksums of the memory that must not change
	written int
}

// watch computes checksums of the memory that must not change while a chunk is shown.
func (c *Chunk) watch() {
	c.sums = c.sums[:0]
	for i := range c.binds {
		c.sums = append(c.sums, c.sumOf(&c.binds[i]))
	}
	c.sums = append(c.sums, c.sumOfIDs())
	if c.worker < 0 {
		c.written = c.world.tables.written
	}
}

// inspect panics if read-only memory has changed.
func (c *Chunk) inspect() {
	for i := range c.binds {
		if c.worker < 0 && c.written != c.world.tables.written {
			break // Set and similar calls may have written any row
		}
		if b := &c.binds[i]; c.sums[i] != c.sumOf(b) {
			panic(c.world.gate.fault(ErrState, "guard", "chunk %d: the column was written, but the query only reads it: ask for it with Write", c.index).on(b.comp))
		}
	}
	if last := len(c.sums) - 1; c.sums[last] != c.sumOfIDs() {
		panic(c.world.gate.fault(ErrState, "guard", "chunk %d: the ids of the entities were written", c.index))
	}
}

// sumOf returns the checksum of a read-only column, and 0 for other columns.
func (c *Chunk) sumOf(b *bind) uint64 {
	if b.column < 0 || b.write || b.shared {
		return 0
	}
	d := newDigest()
	col := &c.rec.arch.columns[b.column]
	for _, l := range c.more { // only joined chunks; they have no buffers
		for _, lane := range col.lanes {
			d.bytes(l.rec.Bytes(lane, 0, l.rec.n))
		}
	}
	if b.shape == shapeBuffers {
		for i := range c.rec.n {
			s := bufferAt(c.rec, col, i)
			d.counts(uint64(s.head()[0]), uint64(s.head()[1]))
			d.bytes(s.bytes())
		}
		return d.sum()
	}
	for _, l := range col.lanes {
		d.bytes(c.rec.Bytes(l, 0, c.rec.n))
	}
	return d.sum()
}

// sumOfIDs returns the checksum of the ids.
func (c *Chunk) sumOfIDs() uint64 {
	d := newDigest()
	d.bytes(sliceBytes(c.rec.ids()[:c.rec.n]))
	for _, l := range c.more {
		d.bytes(sliceBytes(l.rec.ids()[:l.rec.n]))
	}
	return d.sum()
}

// guardLookup is the part of a look-up for an Elsewhere term that only the guard build has.
type guardLookup struct{ of *Query }

// keep notes the query of a look-up that reaches d.
func (g *guardLookup) keep(q *Query, d data) {
	if d.apart {
		g.of = q
	}
}

// apart panics if a job of the query reaches a row of another chunk that the query matches, because
// that chunk's job may be running. Loops of the owner may do this, because they process one chunk
// after the other.
func (g *guardLookup) apart(op string, comp *component, r *record, row int) {
	q := g.of
	if q == nil || op == "Lookup.Has" {
		return
	}
	pool := q.world.gate.workers()
	task := pool.Caller().TaskOf(pool)
	if task == nil {
		return
	}
	c := slotOf(task.Worker(), &q.workers).last()
	if c == nil || c.rec == r || slices.ContainsFunc(c.more, func(l listed) bool { return l.rec == r }) {
		return
	}
	m := q.matchOf(r.arch)
	if m == nil || !m.shares(r.group) || m.rows != nil && !m.rows.passes(r, row) {
		return
	}
	if !slices.ContainsFunc(q.data, func(d data) bool { return d.comp == comp }) {
		return
	}
	panic(q.world.gate.fault(ErrState, "guard", "%s in the job of chunk %d reaches a row that the query matches in another chunk, whose job may be under way, though its term says Elsewhere: read a copy that an earlier job has made", op, c.index).of(r.ids()[row]).on(comp))
}
