package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// moveRows moves a range of rows to group g of the new archetype. If the target chunk has too few free
// rows, the last rows of the range are moved first. It returns the new place of the first row.
func (t *tables) moveRows(m *archetypeMove, s rowRange, g *chunkGroup) rowRange {
	if s.count == 1 && m.lanesOnly {
		return t.moveRow(m, s.chunk, s.first, g)
	}
	for {
		dst := t.claimRows(m.to, g, s.count)
		part := rowRange{s.chunk, s.first + s.count - dst.count, dst.count}
		t.copyRows(m, dst, part)
		t.dropRows(part)
		if s.count -= dst.count; s.count == 0 {
			return dst
		}
	}
}

// copyRows copies rows from src to dst: the ids, the columns that both archetypes have, and the
// versions of these columns. The other columns become zero.
func (t *tables) copyRows(m *archetypeMove, dst, src rowRange) {
	to, from := dst.chunk, src.chunk
	copy(dst.ids(), src.ids())
	t.entities.setRows(dst.ids(), to.id, dst.first)
	m.copy.Rows(&to.Place, dst.first, &from.Place, src.first, dst.count)
	for _, pair := range m.commonBuffers {
		to.bufferHeaps[pair[0]].moveBlocksFrom(dst, &from.bufferHeaps[pair[1]], src)
	}
	for _, pair := range m.commonBits {
		to.enabledBits[pair[0]].copyBits(dst.first, &from.enabledBits[pair[1]], src.first, dst.count)
	}
	for _, pair := range m.commonManaged {
		to.managedColumns[pair[0]].copyRows(dst.first, &from.managedColumns[pair[1]], src.first, dst.count)
	}
	m.mergeVersions(to, dst.count, from)
	m.zeroNewColumns(dst, t.gate.changeVersion)
}

// zeroNewColumns clears the columns that only the new archetype has, in rows that were moved.
func (m *archetypeMove) zeroNewColumns(dst rowRange, version uint32) {
	for _, i := range m.newColumns {
		m.to.columns[i].zeroRows(dst)
		dst.chunk.versions[i] = version
	}
}

// relabelChunk makes a whole chunk part of the new archetype, in group g, without moving it. The chunk
// keeps its memory and rows. Columns that both archetypes have keep their versions.
func (t *tables) relabelChunk(m *archetypeMove, r *chunkData, g *chunkGroup) {
	t.noteRowsChanged(r)
	own := m.to.nextVersions()
	for _, k := range m.commonColumns {
		own[k.to] = r.versions[k.from]
	}
	for _, i := range m.newColumns {
		own[i] = t.gate.changeVersion
	}
	m.to.retainValues(g) // values that only this chunk has must not be dropped in between
	t.delist(r)
	r.versions = own
	m.from.rowCount -= r.count
	m.to.rowCount += r.count
	if m.to == m.from { // other shared values, and one chunk less than when the place was found
		t.enlist(r, m.to, g)
	} else {
		t.enlistPlaced(r, m.to, g)
	}
	m.to.releaseValues(g)
	if m.from.enableableCount+m.to.enableableCount > 0 {
		t.relabelEnabledBits(m, r)
	}
	if m.from.managedCount+m.to.managedCount > 0 {
		m.relabelManaged(r)
	}
	if m.from.meta != m.to.meta {
		t.relabelMeta(m.from, r)
	}
	t.noteRowsChanged(r)
}

// relabelEnabledBits adapts the list of enabled bits of a chunk that has become a chunk of archetype m.to.
// Memory for bits that the chunk no longer needs is kept after the end of the list.
func (t *tables) relabelEnabledBits(m *archetypeMove, r *chunkData) {
	old := r.enabledBits[:cap(r.enabledBits)]
	list := resize(t.scratch.enabledBits, m.to.enableableCount)
	for _, pair := range m.commonBits {
		list[pair[0]], old[pair[1]] = old[pair[1]], enabledBitset{}
	}
	for _, i := range m.newColumns {
		if bit := m.to.columns[i].enabledIndex; bit >= 0 {
			list[bit].words = reuseWords(old, wordsFor(r.RowCapacity()))
			list[bit].turnOn(0, r.count)
		}
	}
	for _, s := range old {
		if s.words != nil {
			list = append(list, s)
		}
	}
	clear(old)
	r.enabledBits = append(r.enabledBits[:0], list...)[:m.to.enableableCount]
	t.scratch.enabledBits = list
	clear(t.scratch.enabledBits) // the words belong to the chunk
}

// relabelManaged adapts the list of managed columns of a chunk that has become a chunk of archetype
// m.to.
func (m *archetypeMove) relabelManaged(r *chunkData) {
	list := make([]managedColumn, m.to.managedCount)
	for i, j := range m.sourceColumns {
		switch c := &m.to.columns[i]; {
		case c.managedIndex < 0:
		case j >= 0:
			list[c.managedIndex] = r.managedColumns[m.from.columns[j].managedIndex]
		default:
			list[c.managedIndex] = newManagedColumn(c.comp.typ, r.RowCapacity())
		}
	}
	r.managedColumns = list
}

// repeatManaged copies the managed components of one row to all rows of dst. The copy is shallow: pointers
// refer to the same objects.
func (m *archetypeMove) repeatManaged(dst rowRange, r *chunkData, row int) {
	for _, pair := range m.commonManaged {
		to, v := dst.chunk.managedColumns[pair[0]].sliceValue, r.managedColumns[pair[1]].sliceValue.Index(row)
		for i := range dst.count {
			to.Index(dst.first + i).Set(v)
		}
	}
}

// Programs often edit entities one by one. Code for a range of rows is slow for a single row, because it
// checks the size of each lane and the other data of each chunk. The functions below move single rows
// between archetypes that store all of their components in lanes, for example without buffers and shared
// values.

// moveRow does the work of moveRows for a single row, between archetypes that store all data in
// lanes.
func (t *tables) moveRow(m *archetypeMove, r *chunkData, row int, g *chunkGroup) rowRange {
	dst := t.claimRows(m.to, g, 1)
	e := *r.idAt(row)
	*dst.chunk.idAt(dst.first) = e
	t.entities.slots[e.Index].put(dst.chunk.id, dst.first)
	m.copy.Row(&dst.chunk.Base, dst.first, &r.Base, row)
	m.mergeVersions(dst.chunk, 1, r)
	if len(m.newColumns) > 0 {
		dst.chunk.ZeroRow(m.newLanes, dst.first)
		version := t.gate.changeVersion
		for _, i := range m.newColumns {
			dst.chunk.versions[i] = version
		}
	}
	t.dropRow(r, row)
	return dst
}

// dropRow does the work of dropRows for a single row of an archetype that stores all data in lanes.
func (t *tables) dropRow(r *chunkData, row int) {
	if last := r.count - 1; row < last {
		e := *r.idAt(last)
		*r.idAt(row) = e
		t.entities.slots[e.Index].row = int32(row)
		r.arch.rowCopy.RowWithin(&r.Base, row, last)
	}
	t.dropLastRows(r, 1)
}

// destroyRows destroys the entities in a range of rows. If they have cleanup components, only these
// remain.
func (t *tables) destroyRows(op string, s rowRange) error {
	a := s.chunk.arch
	if !a.kinds.has(isCleanup) {
		t.destroyIgnoringCleanup(s)
		return nil
	}
	m, err := t.cleanupMove(op, a)
	if err != nil {
		return err
	}
	t.moveRows(m, s, m.groupFor(s.chunk))
	return nil
}

// swapRows exchanges a row of r with a row of a chunk of the same archetype.
func (r *chunkData) swapRows(i int, s *chunkData, j int) {
	own, other := r.idAt(i), s.idAt(j)
	*own, *other = *other, *own
	for _, l := range r.arch.rowCopy.Pairs() {
		a := r.Bytes(table.Lane{Index: l.To, Size: l.Size}, i, 1)
		b := s.Bytes(table.Lane{Index: l.To, Size: l.Size}, j, 1)
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
	}
	for k := range r.bufferHeaps {
		swapBufferHeaps(&r.bufferHeaps[k], i, r.RowCapacity(), &s.bufferHeaps[k], j, s.RowCapacity())
	}
	for k := range r.arch.enableableCount {
		a, b := &r.enabledBits[k], &s.enabledBits[k]
		on := a.isOn(i)
		a.set(i, b.isOn(j))
		b.set(j, on)
	}
	for k := range r.arch.managedCount {
		a, b := r.managedColumns[k].sliceValue.Index(i), s.managedColumns[k].sliceValue.Index(j)
		own := reflect.New(a.Type()).Elem()
		own.Set(a)
		a.Set(b)
		b.Set(own)
	}
}

// swapBufferHeaps exchanges the heap blocks of two buffers.
func swapBufferHeaps(l *bufferHeap, i, rows int, m *bufferHeap, j, others int) {
	if l.rowBlocks == nil && m.rowBlocks == nil {
		return
	}
	if l.rowBlocks == nil {
		l.rowBlocks = make([][]uint64, rows)
	}
	if m.rowBlocks == nil {
		m.rowBlocks = make([][]uint64, others)
	}
	l.rowBlocks[i], m.rowBlocks[j] = m.rowBlocks[j], l.rowBlocks[i]
}

// archetypeMove describes how rows move from one archetype to another: which columns are copied and which are new.
// archetypeMove is created once for each pair.
type archetypeMove struct {
	from, to      *archetype
	copy          table.Copy   // of the lanes that both have
	lanesOnly     bool         // both have only lanes: single rows move with moveRow
	sourceColumns []int        // for each column of to: the column of from, or -1
	commonColumns []columnPair // columns that both have: of to, of from
	newColumns    []int32      // columns of to that from lacks
	newLanes      []table.Lane // the lanes of these
	commonBuffers [][2]int     // buffers that both have: index in bufferHeaps of to, of from
	commonBits    [][2]int     // enabled bits that both have: of to, of from
	commonManaged [][2]int     // managed columns that both have: of to, of from
	sourceShared  []int        // for each shared column of to: the one of from, or -1
	canRelabel    bool         // whole chunks can stay in place
}

// columnPair holds the indices of a column that both archetypes have.
type columnPair struct{ to, from int32 }

// moveTo returns the move from a to b.
func (a *archetype) moveTo(b *archetype) *archetypeMove {
	for _, m := range a.moves {
		if m.to == b {
			return m
		}
	}
	m := a.newMove(b)
	a.moves = append(a.moves, m)
	return m
}

// newMove creates the move from a to b.
func (a *archetype) newMove(b *archetype) *archetypeMove {
	m := &archetypeMove{from: a, to: b, sourceColumns: make([]int, len(b.columns)), sourceShared: make([]int, b.sharedCount), canRelabel: a.compatible(&b.archetypeLayout)}
	var pairs []table.Pair
	for i := range b.columns {
		dst := &b.columns[i]
		j := a.findColumn(dst.comp.key)
		m.sourceColumns[i] = j
		if j < 0 {
			m.newColumns, m.newLanes = append(m.newColumns, int32(i)), append(m.newLanes, dst.lanes...)
			if dst.sharedIndex >= 0 {
				m.sourceShared[dst.sharedIndex] = -1
			}
			continue
		}
		m.commonColumns = append(m.commonColumns, columnPair{int32(i), int32(j)})
		src := &a.columns[j]
		for k, l := range dst.lanes {
			pairs = append(pairs, table.Pair{To: l.Index, From: src.lanes[k].Index, Size: l.Size})
		}
		if dst.bufferIndex >= 0 {
			m.commonBuffers = append(m.commonBuffers, [2]int{dst.bufferIndex, src.bufferIndex})
		}
		if dst.enabledIndex >= 0 {
			m.commonBits = append(m.commonBits, [2]int{dst.enabledIndex, src.enabledIndex})
		}
		if dst.managedIndex >= 0 {
			m.commonManaged = append(m.commonManaged, [2]int{dst.managedIndex, src.managedIndex})
		}
		if dst.sharedIndex >= 0 {
			m.sourceShared[dst.sharedIndex] = src.sharedIndex
		}
	}
	m.copy = table.NewCopy(pairs)
	m.lanesOnly = a.lanesOnly && b.lanesOnly
	return m
}

// groupFor returns the group of the new archetype to which the rows of chunk r move. This group has
// the shared values of r, and the default value of each shared component that r lacks.
func (m *archetypeMove) groupFor(r *chunkData) *chunkGroup {
	if m.to.sharedCount == 0 {
		return &m.to.groups.single
	}
	var values [maxShared]int32
	for i, from := range m.sourceShared {
		if from >= 0 {
			values[i] = r.group.valueIndices[from]
		}
	}
	return m.to.groups.findOrCreate(values[:m.to.sharedCount])
}

// mergeVersions updates the versions of a chunk to which n rows were moved from another chunk. Each
// column gets the newer of the versions that it has in the two chunks, so that no change is missed.
func (m *archetypeMove) mergeVersions(r *chunkData, n int, from *chunkData) {
	to, old := r.versions, from.versions
	if n == r.count { // the chunk was empty
		for _, k := range m.commonColumns {
			to[k.to] = old[k.from]
		}
	} else {
		for _, k := range m.commonColumns {
			if v := old[k.from]; v != to[k.to] {
				to[k.to] = newerNonZero(to[k.to], v) // versions of meta entities may be 0
			}
		}
	}
}
