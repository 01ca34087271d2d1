//go:build lanewise_guard

package ecs

import "slices"

// guardChunk is the part of a Chunk that only the guard build has.
type guardChunk struct {
	checksums   []uint64 // checksums of the memory that must not change
	ownerWrites int
}

// takeChecksums computes checksums of all memory that must not change while a job or a loop uses
// the chunk.
func (c *Chunk) takeChecksums() {
	c.checksums = c.checksums[:0]
	for b := c.bindings; b != nil; b = b.next {
		c.checksums = append(c.checksums, c.columnChecksum(b))
	}
	c.checksums = append(c.checksums, c.idsChecksum())
	if c.worker < 0 {
		c.ownerWrites = c.world.tables.ownerWrites
	}
}

// verifyChecksums panics if read-only memory has changed.
func (c *Chunk) verifyChecksums() {
	for b := c.bindings; b != nil; b = b.next {
		if c.worker < 0 && c.ownerWrites != c.world.tables.ownerWrites {
			break // Set and similar calls may have written any row
		}
		if c.checksums[b.index] != c.columnChecksum(b) {
			panic(c.world.gate.fault(ErrState, "guard", "chunk %d: the column was written, but the query only reads it: ask for it with Write", c.index).forComponent(b.comp))
		}
	}
	if last := len(c.checksums) - 1; c.checksums[last] != c.idsChecksum() {
		panic(c.world.gate.fault(ErrState, "guard", "chunk %d: the ids of the entities were written", c.index))
	}
}

// columnChecksum returns the checksum of a read-only column, or 0 for other columns.
func (c *Chunk) columnChecksum(b *columnBinding) uint64 {
	if b.column < 0 || b.write || b.concurrentWrite {
		return 0
	}
	d := newDigest()
	col := &c.chunk.arch.columns[b.column]
	for _, l := range c.joinedChunks { // only joined chunks; they have no buffers
		for _, lane := range col.lanes {
			d.addBytes(l.chunk.Bytes(lane, 0, l.chunk.count))
		}
	}
	if b.viewKind == viewBuffers {
		for i := range c.chunk.count {
			s := bufferAt(c.chunk, col, i)
			d.addUint64s(uint64(s.head()[0]), uint64(s.head()[1]))
			d.addBytes(s.elementBytes())
		}
		return d.sum()
	}
	for _, l := range col.lanes {
		d.addBytes(c.chunk.Bytes(l, 0, c.chunk.count))
	}
	return d.sum()
}

// idsChecksum returns the checksum of the ids.
func (c *Chunk) idsChecksum() uint64 {
	d := newDigest()
	d.addBytes(sliceBytes(c.chunk.ids()[:c.chunk.count]))
	for _, l := range c.joinedChunks {
		d.addBytes(sliceBytes(l.chunk.ids()[:l.chunk.count]))
	}
	return d.sum()
}

// guardLookup is the part of a look-up for an Elsewhere term that only the guard build has.
type guardLookup struct{ query *Query }

// setQuery stores the query of a look-up for the component of d, if the term is inside Elsewhere.
func (g *guardLookup) setQuery(q *Query, d columnTerm) {
	if d.insideElsewhere {
		g.query = q
	}
}

// mustBeOwnChunk panics if a job of the query accesses a row of another chunk that the query also
// matches, because the job of that chunk may be running. Loops of the owner may do this, because they
// process one chunk after the other.
func (g *guardLookup) mustBeOwnChunk(op string, comp *component, r *chunkData, row int) {
	q := g.query
	if q == nil || op == "Lookup.Has" {
		return
	}
	pool := q.world.gate.workerPool()
	task := pool.Caller().TaskOf(pool)
	if task == nil {
		return
	}
	c := workerChunksOf(task.Worker(), &q.workers).lastTaken()
	if c == nil || c.chunk == r || slices.ContainsFunc(c.joinedChunks, func(l queryChunk) bool { return l.chunk == r }) {
		return
	}
	m := q.matchOf(r.arch)
	if m == nil || !m.matchesGroup(r.group) || m.rowFilter != nil && !m.rowFilter.passesRow(r, row) {
		return
	}
	if !slices.ContainsFunc(q.columnTerms, func(d columnTerm) bool { return d.comp == comp }) {
		return
	}
	panic(q.world.gate.fault(ErrState, "guard", "%s in the job of chunk %d reaches a row that the query matches in another chunk, whose job may be under way, though its term says Elsewhere: read a copy that an earlier job has made", op, c.index).forEntity(r.ids()[row]).forComponent(comp))
}
