package ecs

import (
	"reflect"
)

// PerChunk is a component of which all entities of a chunk have one value
// together: bounds of what is in it, a counter, a level of detail. T must be
// plain data, or data that embeds Cleanup. It is another type than T, which the
// entities may have besides.
//
// The value belongs to the chunk: an entity that moves to another chunk finds
// that one's, and a new chunk has a zero one. It lies with an entity of its own,
// the chunk's meta entity, which has T and a [ChunkHeader], so that queries can
// go over the chunks. The meta entity ends with the last row, or the last chunk
// component; if T embeds Cleanup it stays until T is removed from it.
type PerChunk[T any] struct{ Value T }

func (PerChunk[T]) perChunk() reflect.Type { return reflect.TypeFor[T]() }

// ChunkHeader is the component of meta entities that says which chunk they are
// for. Queries match meta entities only if they ask for it.
type ChunkHeader struct {
	Managed
	rec *record
}

// Column names the view of a column of headers.
func (ChunkHeader) Column() (c []ChunkHeader) { return }

// Len returns the number of rows of the chunk.
func (h ChunkHeader) Len() int {
	if h.rec == nil {
		return 0
	}
	return h.rec.n
}

// Archetype returns the archetype of the chunk; the zero Archetype if the header
// is a zero one.
func (h ChunkHeader) Archetype() Archetype {
	if h.rec == nil {
		return Archetype{}
	}
	return Archetype{h.rec.arch}
}

// Entities returns the ids of the chunk's rows, good until the next structural
// change. They must not be written.
func (h ChunkHeader) Entities() []Entity {
	if h.rec == nil {
		return nil
	}
	return h.rec.ids()[:h.rec.n:h.rec.n]
}

// newMeta makes the meta entity of a chunk that has none.
func (w *tables) newMeta(r *record) {
	a := r.arch.meta
	s := w.claim(a, a.defaultGroup(), 1)
	promised := w.entities.withdraw() // to a row of the chunk, not to this one
	w.entities.take(s.ids(), s.rec.id, s.first)
	if promised >= 0 {
		w.entities.offer(promised)
	}
	s.zero()
	for i := range s.rec.through {
		s.rec.markThrough(i, w.gate.version)
	}
	w.scatterBox(s.rec, s.first, ChunkHeader{rec: r})
	r.meta = s.ids()[0]
	w.metas++
}

// endMeta ends the meta entity of a chunk, or reduces it to its cleanup
// components.
func (w *tables) endMeta(r *record) {
	s := w.entities.find(r.meta)
	r.meta = Entity{}
	w.metas--
	meta := span{w.records[s.record], int(s.row), 1}
	if m := meta.rec.arch.toCleanup; m != nil {
		w.moveMeta(m, meta)
		return
	}
	w.endRows(meta)
}

// moveMeta moves a meta entity, with the versions of writes through its chunk.
func (w *tables) moveMeta(m *move, meta span) {
	to := w.moveRows(m, meta, m.group(meta.rec)).rec
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

// relabelMeta makes the meta entity of a chunk that has changed its archetype fit
// the new one.
func (w *tables) relabelMeta(from *archetype, r *record) {
	to := r.arch.meta
	switch {
	case from.meta == to:
	case to == nil:
		w.endMeta(r)
	case from.meta == nil:
		w.newMeta(r)
	default:
		s := w.entities.find(r.meta)
		m := from.meta.moveTo(to)
		meta := w.records[s.record]
		w.moveMeta(m, span{meta, int(s.row), 1})
	}
}

// chunkValue returns where the value of a chunk component is: the chunk, column
// and row of the meta entity.
func (w *tables) chunkValue(r *record, per *component) (meta *record, column, row int) {
	s := w.entities.find(r.meta)
	meta = w.records[s.record]
	return meta, meta.arch.find(per.key), int(s.row)
}

// gatherChunk reads a chunk component.
func (w *tables) gatherChunk(r *record, per *component, value []byte) {
	meta, i, row := w.chunkValue(r, per)
	meta.arch.columns[i].gather(&meta.Place, row, value)
}

// scatterChunk writes a chunk component, which is column i of r, and marks it.
func (w *tables) scatterChunk(r *record, i int, value []byte, version uint32) {
	meta, k, row := w.chunkValue(r, r.arch.columns[i].comp.per)
	meta.arch.columns[k].scatter(&meta.Place, row, value)
	meta.markThrough(k, version)
	r.mark(i, version)
}

// metaChanged reports whether the chunk component in column i of r was written
// since the given version by way of its meta entity, or of a neighbour of that.
func (r *record) metaChanged(i int, since uint32) bool {
	per := r.arch.columns[i].comp.per
	if per == nil || r.meta.IsZero() {
		return false
	}
	meta, k, _ := r.arch.world.holder().tables.chunkValue(r, per)
	v := loadVersion(&meta.versions[k])
	return v != 0 && changedSince(v, since)
}

// ChunkValue returns the value of the chunk component of T. The query must ask to
// Read or Write PerChunk[T]; it panics with an *Error if it does not.
func ChunkValue[T any](c *Chunk) (v T) {
	b := c.chunkBind("ChunkValue", (*PerChunk[T])(nil))
	c.world.tables.gatherChunk(c.rec, b.comp.per, bytesOf(&v))
	return v
}

// SetChunkValue sets the value of the chunk component of T, for all rows of the
// chunk, and marks it as changed. The query must ask to Write PerChunk[T]; it
// panics with an *Error if it does not.
func SetChunkValue[T any](c *Chunk, v T) {
	const op = "SetChunkValue"
	b := c.chunkBind(op, (*PerChunk[T])(nil))
	if !b.write {
		panic(c.missing(b.comp.typ, op, "the query only reads it: ask for it with Write"))
	}
	c.world.tables.scatterChunk(c.rec, int(b.column), bytesOf(&v), c.version)
}

// chunkBind returns the chunk component that p points to among the chunk's
// columns.
func (c *cursor) chunkBind(op string, p any) *bind {
	c.check(op)
	if c.rec.arch.find(pointerKey(p)) < 0 {
		e := c.world.gate.fault(ErrArgument, op, "the chunk has no such component, it has %v: ask HasColumn first", c.rec.arch)
		e.Component = fullName(reflect.TypeOf(p).Elem())
		panic(e)
	}
	return c.bind(op, p)
}
