package ecs

// ChunkHeader is the component of meta entities that refers to their chunk. Queries match meta entities
// only if they have a term for it.
type ChunkHeader struct {
	Managed
	chunk *chunkData
}

// Column defines the view of a column of headers.
func (ChunkHeader) Column() (c []ChunkHeader) { return }

// Len returns the number of rows of the chunk, or 0 for a zero header.
func (h ChunkHeader) Len() int {
	if h.chunk == nil {
		return 0
	}
	return h.chunk.count
}

// Archetype returns the archetype of the chunk, or the zero Archetype for a zero header.
func (h ChunkHeader) Archetype() Archetype {
	if h.chunk == nil {
		return Archetype{}
	}
	return Archetype{h.chunk.arch}
}

// Entities returns the ids of the chunk's rows. The list is valid until the next structural change. The
// caller must not write to the list.
func (h ChunkHeader) Entities() []Entity {
	if h.chunk == nil {
		return nil
	}
	return h.chunk.ids()[:h.chunk.count:h.chunk.count]
}

// newMeta creates the meta entity of a chunk that has none.
func (t *tables) newMeta(r *chunkData) {
	a := r.arch.meta
	s := t.claimRows(a, a.defaultGroup(), 1)
	promised := t.entities.popReserved() // the id is promised to a row of the chunk, not to the meta entity
	t.entities.assignIDs(s.ids(), s.chunk.id, s.first)
	if promised >= 0 {
		t.entities.pushReserved(promised)
	}
	s.zeroRows()
	for i := range s.chunk.throughVersions {
		s.chunk.markThrough(i, t.gate.changeVersion)
	}
	t.scatterBox(s.chunk, s.first, ChunkHeader{chunk: r})
	r.meta = s.ids()[0]
	t.metaCount++
}

// removeMeta destroys the meta entity of a chunk. If the meta entity has cleanup components, only
// these remain.
func (t *tables) removeMeta(r *chunkData) {
	s := t.entities.find(r.meta)
	r.meta = Entity{}
	t.metaCount--
	meta := rowRange{t.chunks[s.chunk], int(s.row), 1}
	if m := meta.chunk.arch.cleanupMove; m != nil {
		t.moveMeta(m, meta)
		return
	}
	t.destroyIgnoringCleanup(meta)
}

// moveMeta moves a meta entity to another archetype, and keeps the versions of writes that were
// made through its chunk.
func (t *tables) moveMeta(m *archetypeMove, meta rowRange) {
	to := t.moveRows(m, meta, m.groupFor(meta.chunk)).chunk
	for i, j := range m.sourceColumns {
		switch {
		case j < 0:
		case m.to.isMeta:
			to.markThrough(i, newerNonZero(to.throughVersions[i], meta.chunk.throughVersions[j]))
		default:
			to.mark(i, newerNonZero(to.versions[i], meta.chunk.throughVersions[j]))
		}
	}
}

// relabelMeta adapts the meta entity of a chunk whose archetype has changed in place.
func (t *tables) relabelMeta(from *archetype, r *chunkData) {
	to := r.arch.meta
	switch {
	case from.meta == to:
	case to == nil:
		t.removeMeta(r)
	case from.meta == nil:
		t.newMeta(r)
	default:
		s := t.entities.find(r.meta)
		m := from.meta.moveTo(to)
		meta := t.chunks[s.chunk]
		t.moveMeta(m, rowRange{meta, int(s.row), 1})
	}
}

// chunkValue returns where the value of a chunk component is: the chunk and the row of the meta
// entity, and the column.
func (t *tables) chunkValue(r *chunkData, per *component) (meta *chunkData, column, row int) {
	s := t.entities.find(r.meta)
	meta = t.chunks[s.chunk]
	return meta, meta.arch.findColumn(per.key), int(s.row)
}

// gatherChunk reads a chunk component.
func (t *tables) gatherChunk(r *chunkData, per *component, value []byte) {
	meta, i, row := t.chunkValue(r, per)
	meta.arch.columns[i].gather(&meta.Place, row, value)
}

// scatterChunk writes a chunk component, which is column i of r, and marks it as changed.
func (t *tables) scatterChunk(r *chunkData, i int, value []byte, version uint32) {
	meta, k, row := t.chunkValue(r, r.arch.columns[i].comp.perChunkValue)
	meta.arch.columns[k].scatter(&meta.Place, row, value)
	meta.markThrough(k, version)
	r.mark(i, version)
}

// metaChangedSince reports whether the chunk component in column i of r was written directly in a meta entity
// after the given version. Because versions are stored per chunk, a write to a neighbour of the meta entity
// counts too.
func (r *chunkData) metaChangedSince(i int, since uint32) bool {
	per := r.arch.columns[i].comp.perChunkValue
	if per == nil || r.meta.IsZero() {
		return false
	}
	meta, k, _ := r.arch.world.contentsWorld().tables.chunkValue(r, per)
	v := loadVersion(&meta.versions[k])
	return v != 0 && changedSince(v, since)
}
