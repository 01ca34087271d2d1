package ecs

import "reflect"

// Stats is the size of a world. The world takes about Bytes plus Outside bytes of the Go heap, and in
// addition the objects of managed components and shared values.
type Stats struct {
	Entities    int     // that exist
	Archetypes  int     // that were ever used
	Chunks      int     // that hold rows
	Rows        int     // rows that would fit in these chunks
	Utilisation float64 // fraction of Rows that is in use, 0 to 1; 0 for an empty world
	Bytes       int     // bytes of all slabs: those of chunks, and those kept for later chunks
	Live        int     // the part of Bytes that belongs to chunks, with the free rows at their ends
	Wasted      int     // the part of Bytes without a row: free rows, and memory of no chunk
	Outside     int     // approximate bytes outside of slabs: ids, lists, values, blocks of buffers
}

// Sizes of the parts of a world, in bytes.
var (
	slotBytes      = sizeOf[slot]()
	recordBytes    = sizeOf[record]()
	groupBytes     = sizeOf[group]()
	archetypeBytes = sizeOf[archetype]()
	columnBytes    = sizeOf[column]()
	matchBytes     = sizeOf[match]()
	bindBytes      = sizeOf[bind]()
	wordBytesOf    = sizeOf[uintptr]()
)

// entryBytes is the approximate size of a map entry without its key and value: maps are half full to full,
// and have control bytes.
const entryBytes = 16

func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// beside returns approximately how many bytes w has outside of slabs and archetypes.
func (w *World) beside() int {
	n := cap(w.tables.entities.slots)*slotBytes + 4*cap(w.tables.entities.free)
	n += (len(w.tables.records)+len(w.tables.fresh))*recordBytes + (cap(w.tables.records)+cap(w.tables.spare))*wordBytesOf
	n += w.tables.memory.Beside()
	for _, r := range w.tables.spare {
		n += 24 * cap(r.spills)
	}
	n += cap(w.tables.archetypes)*wordBytesOf + len(w.tables.bySet)*(2*wordBytesOf+entryBytes)
	for _, set := range w.tables.having {
		n += 8 * cap(set)
	}
	for _, s := range w.shared.stores {
		if s != nil {
			entries := len(s.byKey) + len(s.hashes)
			n += cap(s.values)*(2*wordBytesOf+4) + len(s.values)*int(s.comp.typ.Size()) + 4*cap(s.free) + entries*(3*wordBytesOf+entryBytes)
		}
	}
	for _, q := range w.queries.list {
		n += (len(q.matches)+len(q.pool))*matchBytes + cap(q.matches)*wordBytesOf + cap(q.list)*3*wordBytesOf
		for _, m := range q.matches {
			n += cap(m.binds) * bindBytes
		}
		n += cap(q.rest) * bindBytes
	}
	return n
}

// beside returns approximately how many bytes an archetype has outside of slabs and records.
func (a *archetype) beside() int {
	lanes := len(a.shape.Lanes())
	n := archetypeBytes + len(a.columns)*(columnBytes+wordBytesOf+4) + 20*lanes + cap(a.chunks)*wordBytesOf
	n += (len(a.adds) + len(a.removes)) * 2 * wordBytesOf
	for _, m := range a.moves {
		n += 2*archetypeBytes/3 + 12*len(m.copy.Pairs()) + 24*len(m.source) // their lists
	}
	for range a.groups.byKey {
		n += groupBytes + 4*a.shared + 4*wordBytesOf + entryBytes + 4*a.shared
	}
	n += a.table.bytes(len(a.chunks), len(a.columns))
	for _, r := range a.chunks {
		n += 4*(cap(r.versions)+cap(r.through)) + 2*wordBytesOf // and its entries in lists
		for i := range r.switches {
			n += 8*cap(r.switches[i].words) + 4*wordBytesOf
		}
		for i := range r.objects {
			n += r.objects[i].rows.Len()*int(r.objects[i].rows.Type().Elem().Size()) + 6*wordBytesOf
		}
		for i := range r.spills {
			n += 3*wordBytesOf + 3*wordBytesOf*len(r.spills[i].rows)
			for _, block := range r.spills[i].rows {
				n += 8 * cap(block)
			}
		}
	}
	return n
}

// bytes returns approximately how much memory a table takes, without the versions of the given number of
// chunks with n columns each.
func (t *versionTable) bytes(chunks, n int) (all int) {
	for _, list := range [][][]uint32{t.spans, t.spare} {
		all += 3 * wordBytesOf * cap(list)
		for _, own := range list {
			all += 4 * cap(own)
		}
	}
	return all - 4*chunks*n
}

// Stats returns the numbers of entities, archetypes and chunks, and the size of the memory. It reads every
// chunk, and the rows that have buffers.
func (w *World) Stats() Stats {
	w.mustExist("Stats")
	if w.gate.version == 0 {
		return Stats{} // of the zero World
	}
	w.gate.mustLook("Stats")
	s := Stats{Entities: w.Len(), Archetypes: len(w.tables.archetypes), Bytes: w.tables.memory.Reserved(), Live: w.tables.memory.Live()}
	if !w.gate.alive {
		return s
	}
	rows := 0
	for _, a := range w.tables.archetypes {
		s.Chunks += len(a.chunks)
		s.Rows += len(a.chunks) * a.capacity
		rows += a.rows * a.shape.RowBytes()
		s.Outside += a.beside()
	}
	s.Wasted = s.Bytes - rows
	s.Outside += w.beside()
	if s.Rows > 0 {
		s.Utilisation = float64(w.tables.entities.live()) / float64(s.Rows)
	}
	return s
}
