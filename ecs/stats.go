package ecs

import "reflect"

// Stats is the size of a world. The world uses about Bytes plus Outside bytes of the Go heap.
// Objects to which managed components and shared values point come in addition.
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

// These are the sizes of the parts of a world, in bytes.
var (
	entitySlotBytes    = sizeOf[entitySlot]()
	chunkDataBytes     = sizeOf[chunkData]()
	chunkGroupBytes    = sizeOf[chunkGroup]()
	archetypeBytes     = sizeOf[archetype]()
	columnBytes        = sizeOf[column]()
	matchBytes         = sizeOf[match]()
	filteredMatchBytes = sizeOf[filteredMatch]()
	columnBindingBytes = sizeOf[columnBinding]()
	pointerBytes       = sizeOf[uintptr]()
)

// mapEntryBytes is the approximate overhead of one map entry, in addition to its key and value. Maps are
// between half full and full, and have control bytes.
const mapEntryBytes = 16

func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// outsideBytes returns approximately how many bytes w uses outside of slabs and archetypes.
func (w *World) outsideBytes() int {
	n := cap(w.tables.entities.slots)*entitySlotBytes + 4*cap(w.tables.entities.freeSlots)
	n += (len(w.tables.chunks)+len(w.tables.unusedChunks))*chunkDataBytes + (cap(w.tables.chunks)+cap(w.tables.spareChunks))*pointerBytes
	n += w.tables.memory.OutsideBytes()
	for _, t := range w.tables.reachTables {
		n += cap(t.reaches) * (pointerBytes + 8)
	}
	for _, r := range w.tables.spareChunks {
		n += 24 * cap(r.bufferHeaps)
	}
	n += cap(w.tables.archetypes)*pointerBytes + len(w.tables.archetypeBySet)*(2*pointerBytes+mapEntryBytes)
	for _, set := range w.tables.archetypesByComponent {
		n += 8 * cap(set)
	}
	for _, s := range w.shared.stores {
		if s != nil {
			entries := len(s.byKey) + len(s.hashes)
			n += cap(s.values)*(2*pointerBytes+4) + len(s.values)*int(s.comp.typ.Size()) + 4*cap(s.freeIndices) + entries*(3*pointerBytes+mapEntryBytes)
		}
	}
	for _, q := range w.queries.list {
		size := matchBytes
		if q.filtersChunks {
			size = filteredMatchBytes
		}
		n += (len(q.matches)+len(q.freeMatches)+len(q.freeFilteredMatches))*size + cap(q.matches)*pointerBytes + cap(q.allChunks)*3*pointerBytes
		for _, m := range q.matches {
			n += cap(m.bindings) * columnBindingBytes
		}
		n += cap(q.freeBindings) * columnBindingBytes
	}
	return n
}

// outsideBytes returns approximately how many bytes an archetype uses outside of slabs and
// chunkData.
func (a *archetype) outsideBytes() int {
	lanes := len(a.shape.RowSizes())
	n := archetypeBytes + len(a.columns)*(columnBytes+pointerBytes+4) + 20*lanes + cap(a.chunks)*pointerBytes
	n += (len(a.addEdges) + len(a.removeEdges)) * 2 * pointerBytes
	for _, m := range a.moves {
		n += 2*archetypeBytes/3 + 12*len(m.copy.Pairs()) + 24*len(m.sourceColumns) // their lists
	}
	for range a.groups.byKey {
		n += chunkGroupBytes + 4*a.sharedCount + 4*pointerBytes + mapEntryBytes + 4*a.sharedCount
	}
	n += a.versionTable.memoryBytes(len(a.chunks), len(a.columns))
	for _, r := range a.chunks {
		n += 4*(cap(r.versions)+cap(r.throughVersions)) + 2*pointerBytes // and its entries in lists
		for i := range r.enabledBits {
			n += 8*cap(r.enabledBits[i].words) + 4*pointerBytes
		}
		for i := range r.managedColumns {
			n += r.managedColumns[i].sliceValue.Len()*int(r.managedColumns[i].sliceValue.Type().Elem().Size()) + 6*pointerBytes
		}
		for i := range r.bufferHeaps {
			n += 3*pointerBytes + 3*pointerBytes*len(r.bufferHeaps[i].rowBlocks)
			for _, block := range r.bufferHeaps[i].rowBlocks {
				n += 8 * cap(block)
			}
		}
	}
	return n
}

// memoryBytes returns approximately how many bytes a version table uses, except for the versions themselves.
// chunks is the number of chunks and n the number of columns.
func (t *versionTable) memoryBytes(chunks, n int) (all int) {
	for _, list := range [][][]uint32{t.spans, t.spareSpans} {
		all += 3 * pointerBytes * cap(list)
		for _, own := range list {
			all += 4 * cap(own)
		}
	}
	return all - 4*chunks*n
}

// Stats returns the numbers of entities, archetypes and chunks, and the size of the memory. It reads every
// chunk, and the rows that have buffers.
func (w *World) Stats() Stats {
	w.mustNotBeNil("Stats")
	if w.gate.changeVersion == 0 {
		return Stats{} // of the zero World
	}
	w.gate.mustBeReadable("Stats")
	s := Stats{Entities: w.Len(), Archetypes: len(w.tables.archetypes), Bytes: w.tables.memory.ReservedBytes(), Live: w.tables.memory.LiveBytes()}
	if !w.gate.usable {
		return s
	}
	rows := 0
	for _, a := range w.tables.archetypes {
		s.Chunks += len(a.chunks)
		s.Rows += len(a.chunks) * a.capacity
		rows += a.rowCount * a.shape.RowBytes()
		s.Outside += a.outsideBytes()
	}
	s.Wasted = s.Bytes - rows
	s.Outside += w.outsideBytes()
	if s.Rows > 0 {
		s.Utilisation = float64(w.tables.entities.liveCount()) / float64(s.Rows)
	}
	return s
}
