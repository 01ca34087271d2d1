package ecs

// ChunkHeader is the component of meta entities that refers to their chunk. Queries match meta entities
// only if they have a term for it.
type ChunkHeader struct {
	Managed
	rec *record
}

// Column defines the view of a column of headers.
func (ChunkHeader) Column() (c []ChunkHeader) { return }

// Len returns the number of rows of the chunk, 0 for a zero header.
func (h ChunkHeader) Len() int {
	if h.rec == nil {
		return 0
	}
	return h.rec.n
}

// Archetype returns the archetype of the chunk; the zero Archetype for a zero header.
func (h ChunkHeader) Archetype() Archetype {
	if h.rec == nil {
		return Archetype{}
	}
	return Archetype{h.rec.arch}
}

// Entities returns the ids of the chunk's rows, valid until the next structural change. The caller must
// not write to the list.
func (h ChunkHeader) Entities() []Entity {
	if h.rec == nil {
		return nil
	}
	return h.rec.ids()[:h.rec.n:h.rec.n]
}

// newMeta makes the meta entity of a chunk that has none.
func (t *tables) newMeta(r *record) {
	a := r.arch.meta
	s := t.claim(a, a.defaultGroup(), 1)
	promised := t.entities.withdraw() // the id is promised to a row of the chunk, not to the meta entity
	t.entities.take(s.ids(), s.rec.id, s.first)
	if promised >= 0 {
		t.entities.offer(promised)
	}
	s.zero()
	for i := range s.rec.through {
		s.rec.markThrough(i, t.gate.version)
	}
	t.scatterBox(s.rec, s.first, ChunkHeader{rec: r})
	r.meta = s.ids()[0]
	t.metas++
}

// endMeta destroys the meta entity of a chunk, or reduces it to its cleanup components.
func (t *tables) endMeta(r *record) {
	s := t.entities.find(r.meta)
	r.meta = Entity{}
	t.metas--
	meta := span{t.records[s.record], int(s.row), 1}
	if m := meta.rec.arch.toCleanup; m != nil {
		t.moveMeta(m, meta)
		return
	}
	t.endRows(meta)
}

// moveMeta moves a meta entity, with the versions of writes through its chunk.
func (t *tables) moveMeta(m *move, meta span) {
	to := t.moveRows(m, meta, m.group(meta.rec)).rec
	for i, j := range m.source {
		switch {
		case j < 0:
		case m.to.isMeta:
			to.markThrough(i, newest(to.through[i], meta.rec.through[j]))
		default:
			to.mark(i, newest(to.versions[i], meta.rec.through[j]))
		}
	}
}

// relabelMeta changes the meta entity of a chunk whose archetype has changed.
func (t *tables) relabelMeta(from *archetype, r *record) {
	to := r.arch.meta
	switch {
	case from.meta == to:
	case to == nil:
		t.endMeta(r)
	case from.meta == nil:
		t.newMeta(r)
	default:
		s := t.entities.find(r.meta)
		m := from.meta.moveTo(to)
		meta := t.records[s.record]
		t.moveMeta(m, span{meta, int(s.row), 1})
	}
}

// chunkValue returns the place of the value of a chunk component: the chunk, column and row of the meta
// entity.
func (t *tables) chunkValue(r *record, per *component) (meta *record, column, row int) {
	s := t.entities.find(r.meta)
	meta = t.records[s.record]
	return meta, meta.arch.find(per.key), int(s.row)
}

// gatherChunk reads a chunk component.
func (t *tables) gatherChunk(r *record, per *component, value []byte) {
	meta, i, row := t.chunkValue(r, per)
	meta.arch.columns[i].gather(&meta.Place, row, value)
}

// scatterChunk writes a chunk component, which is column i of r, and marks it as changed.
func (t *tables) scatterChunk(r *record, i int, value []byte, version uint32) {
	meta, k, row := t.chunkValue(r, r.arch.columns[i].comp.per)
	meta.arch.columns[k].scatter(&meta.Place, row, value)
	meta.markThrough(k, version)
	r.mark(i, version)
}

// metaChanged reports whether the chunk component in column i of r was written through a meta entity after
// the given version. Because versions are kept by chunk, a write to a neighbour of the meta entity counts
// too.
func (r *record) metaChanged(i int, since uint32) bool {
	per := r.arch.columns[i].comp.per
	if per == nil || r.meta.IsZero() {
		return false
	}
	meta, k, _ := r.arch.world.holder().tables.chunkValue(r, per)
	v := loadVersion(&meta.versions[k])
	return v != 0 && changedSince(v, since)
}
