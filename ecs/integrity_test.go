package ecs

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
)

// integrity checks all invariants of the world, and returns the first violation.
func integrity(w *World) error {
	if o := &w.gate.owner; o.changingG != 0 && o.methodG == 0 && o.updateDepth == 0 {
		return fmt.Errorf("a change has not ended")
	}
	if err := w.integritySlots(); err != nil {
		return err
	}
	live, metas := 0, 0
	for i, a := range w.tables.archetypes {
		if a.index != i {
			return fmt.Errorf("archetype %v: index %d, place %d", a, a.index, i)
		}
		rows := 0
		for k, r := range a.chunks {
			if err := w.integrityRecord(a, k, r); err != nil {
				return fmt.Errorf("archetype %v: chunk %d: %w", a, k, err)
			}
			rows += r.count
		}
		if rows != a.rowCount {
			return fmt.Errorf("archetype %v: rows %d, in chunks %d", a, a.rowCount, rows)
		}
		live += len(a.chunks)
		if a.isMeta {
			metas += a.rowCount
		}
		if err := a.integrityGroups(); err != nil {
			return fmt.Errorf("archetype %v: %w", a, err)
		}
	}
	if used := w.tables.memory.PlaceCount() - w.tables.quarantinedCount(); used != live {
		return fmt.Errorf("%d places are handed out, %d chunks exist", used, live)
	}
	if err := w.tables.memory.Check(); err != nil {
		return err
	}
	for _, r := range w.tables.spareChunks {
		if !r.Nil() || r.arch != nil || w.tables.chunks[r.id] != r {
			return fmt.Errorf("spare record %d is in use", r.id)
		}
	}
	if err := w.integrityReaches(); err != nil {
		return err
	}
	if metas != w.tables.metaCount {
		return fmt.Errorf("%d meta entities, counted %d", metas, w.tables.metaCount)
	}
	if len(w.tables.spareChunks)+live != len(w.tables.chunks) {
		return fmt.Errorf("%d records, %d spare, %d live", len(w.tables.chunks), len(w.tables.spareChunks), live)
	}
	return w.integrityShared()
}

func (w *World) integritySlots() error {
	t := &w.tables.entities
	isFree := make([]bool, len(t.slots))
	for _, i := range t.freeSlots {
		if isFree[i] {
			return fmt.Errorf("slot %d is free twice", i)
		}
		isFree[i] = true
	}
	retired := 0
	for i, s := range t.slots {
		if s.version < 1 {
			return fmt.Errorf("slot %d: version %d", i, s.version)
		}
		if s.chunk == freeSlot {
			if !isFree[i] {
				retired++
			}
			continue
		}
		if isFree[i] {
			return fmt.Errorf("slot %d: in the free list, record %d", i, s.chunk)
		}
		r := w.tables.chunks[s.chunk]
		if r.Nil() || int(s.row) >= r.count {
			return fmt.Errorf("slot %d: row %d of record %d, which has %d", i, s.row, s.chunk, r.count)
		}
		if got, want := *r.idAt(int(s.row)), (Entity{int32(i), s.version}); got != want {
			return fmt.Errorf("slot %d: row %d of record %d holds %v, want %v", i, s.row, s.chunk, got, want)
		}
	}
	if retired != t.retired {
		return fmt.Errorf("%d slots are neither free nor used, %d were retired", retired, t.retired)
	}
	return nil
}

func (w *World) integrityRecord(a *archetype, k int, r *chunkData) error {
	switch {
	case r.arch != a || r.archetypeIndex != k || w.tables.chunks[r.id] != r:
		return fmt.Errorf("record %d: archetype %v, index %d", r.id, r.arch, r.archetypeIndex)
	case r.count < 1 || r.count > a.capacity:
		return fmt.Errorf("%d rows of %d", r.count, a.capacity)
	case r.Nil() || r.RowCapacity() < r.count || r.RowCapacity() > a.capacity || r.RowCapacity() < a.capacity && r.RowCapacity()%16 != 0 || r.Shape() != a.shape:
		return fmt.Errorf("memory for %d rows, %d live, %d is the capacity", r.RowCapacity(), r.count, a.capacity)
	case (r.count < a.capacity) != (r.roomIndex >= 0):
		return fmt.Errorf("%d rows of %d, room %d", r.count, a.capacity, r.roomIndex)
	case r.roomIndex >= 0 && r.group.withRoom[r.roomIndex] != r:
		return fmt.Errorf("room %d is another chunk's", r.roomIndex)
	case len(a.columns) > 0 && &r.versions[0] != &a.versionsOfSpan(k / spanChunks)[k%spanChunks*len(a.columns)]:
		return fmt.Errorf("the versions are not at place %d of the table", k)
	case len(r.versions) != len(a.columns) || len(r.bufferHeaps) != a.bufferCount:
		return fmt.Errorf("%d versions, %d spills", len(r.versions), len(r.bufferHeaps))
	case len(r.throughVersions) != 0 && !a.isMeta || a.isMeta && len(r.throughVersions) != len(a.columns):
		return fmt.Errorf("%d versions of writes through chunks", len(r.throughVersions))
	case len(r.group.valueIndices) != a.sharedCount:
		return fmt.Errorf("%d shared values", len(r.group.valueIndices))
	case changedSince(r.orderVersion, w.gate.changeVersion) && r.orderVersion != w.gate.changeVersion:
		return fmt.Errorf("order version %d is in the future of %d", r.orderVersion, w.gate.changeVersion)
	}
	for i := range r.versions {
		if v := r.changedAt(i); v == 0 || int32(v-w.gate.changeVersion) > 0 {
			return fmt.Errorf("column %d: version %d, the world's is %d", i, v, w.gate.changeVersion)
		}
	}
	if err := w.integrityMeta(r); err != nil {
		return err
	}
	for i := range a.managedCount {
		if rows := r.managedColumns[i].sliceValue; rows.Len() != r.RowCapacity() || !allZero(rows, r.count) {
			return fmt.Errorf("managed column %d: %d rows, or one behind the last that is not zero", i, rows.Len())
		}
	}
	for i := range a.enableableCount {
		s := &r.enabledBits[i]
		n := 0
		for _, v := range s.words {
			n += bits.OnesCount64(v)
		}
		if first := nextBit(s.words, r.count, 64*len(s.words), 0); first < 64*len(s.words) {
			return fmt.Errorf("switch %d: row %d of %d is on", i, first, r.count)
		}
		if n != int(s.onCount) || len(s.words) != wordsFor(r.RowCapacity()) {
			return fmt.Errorf("switch %d: %d rows are on, counted %d, in %d words for %d rows", i, n, s.onCount, len(s.words), r.RowCapacity())
		}
	}
	for i := range a.columns {
		c := &a.columns[i]
		if c.bufferIndex < 0 {
			continue
		}
		rows := r.bufferHeaps[c.bufferIndex].rowBlocks
		if rows != nil && len(rows) != r.RowCapacity() {
			return fmt.Errorf("%d heap blocks of %d rows", len(rows), r.RowCapacity())
		}
		for row := range r.RowCapacity() {
			heap := rows != nil && rows[row] != nil
			if row >= r.count {
				if heap {
					return fmt.Errorf("row %d of %d keeps a heap block", row, r.count)
				}
				continue
			}
			s := bufferAt(r, c, row)
			if n := int(s.head()[0]); n < 0 || n > s.capacity() || heap != (s.head()[1] > 0) {
				return fmt.Errorf("row %d: buffer of %d, capacity %d, on the heap %v", row, n, s.capacity(), heap)
			}
		}
	}
	return nil
}

func (a *archetype) integrityGroups() error {
	if len(a.chunks)+len(a.groups.byKey)+len(a.groups.single.withRoom)+a.groups.single.chunkCount == 0 {
		return nil // most archetypes have none, and this is called often
	}
	check := func(g *chunkGroup) error {
		chunks := 0
		for _, r := range a.chunks {
			if r.group == g {
				chunks++
			}
		}
		if a.sharedCount > 0 && len(g.allChunks) != g.chunkCount {
			return fmt.Errorf("the group %v lists %d of %d chunks", g.valueIndices, len(g.allChunks), g.chunkCount)
		}
		for i, r := range g.allChunks {
			if r.groupIndex != i || r.group != g || a.chunks[r.archetypeIndex] != r {
				return fmt.Errorf("place %d of the chunks of %v: record %d", i, g.valueIndices, r.id)
			}
		}
		for at, p := range a.groups.sharedIndexes() {
			if p.byValue != nil && g != &a.groups.single && (len(p.byValue[g.valueIndices[at]]) <= int(g.indexPositions[at]) || p.byValue[g.valueIndices[at]][g.indexPositions[at]] != g) {
				return fmt.Errorf("the group %v is not on the list of its value %d", g.valueIndices, at)
			}
		}
		for i, r := range g.withRoom {
			if r.roomIndex != i || r.group != g || r.arch != a {
				return fmt.Errorf("place %d of the chunks with room: record %d", i, r.id)
			}
		}
		if chunks != g.chunkCount {
			return fmt.Errorf("group %v: %d chunks, counted %d", g.valueIndices, g.chunkCount, chunks)
		}
		return nil
	}
	for _, g := range a.groups.byKey {
		if g.chunkCount == 0 {
			return fmt.Errorf("group %v has no chunk", g.valueIndices)
		}
		if err := check(g); err != nil {
			return err
		}
	}
	return check(&a.groups.single)
}

func (w *World) integrityShared() error {
	for _, s := range w.shared.stores {
		if s == nil {
			continue
		}
		refs := make([]int32, len(s.values))
		for _, a := range w.tables.archetypes {
			if len(a.groups.byKey) == 0 { // most archetypes have none, and this is called often
				continue
			}
			if i := a.findColumn(s.comp.key); i >= 0 {
				for _, g := range a.groups.byKey {
					refs[g.valueIndices[a.columns[i].sharedIndex]]++
				}
			}
		}
		for _, q := range w.queries.list {
			for _, f := range q.sharedFilters {
				if f.comp == s.comp {
					refs[f.valueIndex]++
				}
			}
		}
		refs[0] = 0
		if !slices.Equal(refs, s.refCounts) {
			return fmt.Errorf("%s: reference counts %v, want %v", s.comp.name, s.refCounts, refs)
		}
		for i, v := range s.values {
			if gone := slices.Contains(s.freeIndices, int32(i)); gone != (v == nil) || gone != (i > 0 && refs[i] == 0) {
				return fmt.Errorf("%s: value %d is %v, free %v, %d references", s.comp.name, i, v, gone, refs[i])
			}
		}
	}
	return nil
}

// integrityQueries checks that every query matches exactly the right archetypes.
func integrityQueries(w *World) error {
	for _, q := range w.queries.list {
		fresh := &queryMatcher{world: w, signature: signature{columnTerms: q.columnTerms, with: q.with, without: q.without, anyOf: q.anyOf, present: q.present, absent: q.absent}, excluded: q.excluded}
		fresh.findRequired()
		for _, a := range w.tables.archetypes {
			fresh.addIfMatching(a)
		}
		same := func(a, b *match) bool { return a.arch == b.arch }
		if !slices.EqualFunc(fresh.matches, q.matches, same) {
			return fmt.Errorf("%v has %d matches, want %d", q, len(q.matches), len(fresh.matches))
		}
		for _, a := range w.tables.archetypes {
			at := slices.IndexFunc(q.matches, func(m *match) bool { return m.arch == a })
			if got := q.matchOf(a); (got == nil) != (at < 0) || at >= 0 && got != q.matches[at] {
				return fmt.Errorf("%v: the match of %v is not found", q, a)
			}
		}
		if set := q.candidates(); !slices.EqualFunc(w.tables.archetypes, w.tables.archetypes, func(a, _ *archetype) bool {
			return (a.index>>6 < len(set) && set[a.index>>6]>>(a.index&63)&1 != 0) == q.matchesArchetype(a)
		}) {
			return fmt.Errorf("%v: the sets of archetypes are not what there are", q)
		}
	}
	return nil
}

// allZero reports whether all elements of a slice, from index first on, are zero.
func allZero(rows reflect.Value, first int) bool {
	for i := first; i < rows.Len(); i++ {
		if !rows.Index(i).IsZero() {
			return false
		}
	}
	return true
}

// integrityMeta checks that a chunk with chunk components has a meta entity that belongs to no other
// chunk, and that other chunks have no meta entity.
func (w *World) integrityMeta(r *chunkData) error {
	if r.arch.meta == nil {
		if !r.meta.IsZero() {
			return fmt.Errorf("the chunk has a meta entity, and no chunk components")
		}
		return nil
	}
	s := w.tables.entities.find(r.meta)
	if s == nil {
		return fmt.Errorf("the meta entity %v does not exist", r.meta)
	}
	meta := w.tables.chunks[s.chunk]
	header := *managedOf[ChunkHeader](meta, &meta.arch.columns[meta.arch.findColumn(w.types.chunkHeader.key)], int(s.row))
	if meta.arch != r.arch.meta || header.chunk != r {
		return fmt.Errorf("the meta entity %v is of %v, for record %d", r.meta, meta.arch, header.chunk.id)
	}
	return nil
}

// integrityReaches checks that each reach table has all chunks with its component, and no others. It then
// creates the tables of all components, as lookups do. So the next call can check whether the world has kept
// these tables up to date.
func (w *World) integrityReaches() error {
	defer func() {
		for _, a := range w.tables.archetypes {
			for i := range a.columns {
				w.tables.reachTableOf(a.columns[i].comp)
			}
		}
	}()
	for _, t := range w.tables.reachTables {
		for id, r := range w.tables.chunks {
			var got, want reach
			if id < len(t.reaches) {
				got = t.reaches[id]
			}
			if r.arch != nil {
				if i := r.arch.findColumn(t.comp.key); i >= 0 {
					c := &r.arch.columns[i]
					(&archetypeReach{t, int16(i), c.comp.reachKind, c.firstLane}).putReach(&want, &r.Base)
				}
			}
			if got != want {
				return fmt.Errorf("record %d: the reach of %v is %v, want %v", id, t.comp.typ, got, want)
			}
		}
		if len(t.reaches) > len(w.tables.chunks) {
			return fmt.Errorf("%d reaches of %v, %d records", len(t.reaches), t.comp.typ, len(w.tables.chunks))
		}
	}
	return nil
}
