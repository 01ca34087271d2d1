package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// moveRows moves a range of rows to group g of the new archetype. If the chunks there have too few free
// rows for it, the end of the range moves first. It returns the new place of the first row.
func (t *tables) moveRows(m *move, s span, g *group) span {
	if s.n == 1 && m.plain {
		return t.moveRow(m, s.rec, s.first, g)
	}
	for {
		dst := t.claim(m.to, g, s.n)
		part := span{s.rec, s.first + s.n - dst.n, dst.n}
		t.copyRows(m, dst, part)
		t.drop(part)
		if s.n -= dst.n; s.n == 0 {
			return dst
		}
	}
}

// copyRows copies src to dst: ids, common columns and their versions; the other columns become zero.
func (t *tables) copyRows(m *move, dst, src span) {
	to, from := dst.rec, src.rec
	copy(dst.ids(), src.ids())
	t.entities.place(dst.ids(), to.id, dst.first)
	m.copy.Rows(&to.Place, dst.first, &from.Place, src.first, dst.n)
	for _, pair := range m.spills {
		to.spills[pair[0]].copyFrom(dst, &from.spills[pair[1]], src)
	}
	for _, pair := range m.bits {
		to.switches[pair[0]].copy(dst.first, &from.switches[pair[1]], src.first, dst.n)
	}
	for _, pair := range m.objects {
		to.objects[pair[0]].copy(dst.first, &from.objects[pair[1]], src.first, dst.n)
	}
	m.moveVersions(to, dst.n, from)
	m.zeroFresh(dst, t.gate.version)
}

// zeroFresh clears the columns of moved rows that the old archetype does not have.
func (m *move) zeroFresh(dst span, version uint32) {
	for _, i := range m.fresh {
		m.to.columns[i].zero(dst)
		dst.rec.versions[i] = version
	}
}

// relabelChunk makes a whole chunk part of the new archetype, in group g, without moving it: it keeps its
// memory and rows. Columns of both archetypes keep their versions.
func (t *tables) relabelChunk(m *move, r *record, g *group) {
	t.moved(r)
	own := m.to.nextVersions()
	for _, k := range m.kept {
		own[k.to] = r.versions[k.from]
	}
	for _, i := range m.fresh {
		own[i] = t.gate.version
	}
	m.to.retain(g) // values that only this chunk has must not be dropped in between
	t.delist(r)
	r.versions = own
	m.from.rows -= r.n
	m.to.rows += r.n
	if m.to == m.from { // other shared values, and one chunk less than when the place was found
		t.enlist(r, m.to, g)
	} else {
		t.enlistPlaced(r, m.to, g)
	}
	m.to.unretain(g)
	if m.from.switches+m.to.switches > 0 {
		t.relabelSwitches(m, r)
	}
	if m.from.managed+m.to.managed > 0 {
		m.relabelObjects(r)
	}
	if m.from.meta != m.to.meta {
		t.relabelMeta(m.from, r)
	}
	t.moved(r)
}

// relabelSwitches gives a chunk that has become one of m.to the enabled bits of its columns. Words that it
// no longer needs stay after the end of its list.
func (t *tables) relabelSwitches(m *move, r *record) {
	old := r.switches[:cap(r.switches)]
	list := resize(t.scratch.switches, m.to.switches)
	for _, pair := range m.bits {
		list[pair[0]], old[pair[1]] = old[pair[1]], switches{}
	}
	for _, i := range m.fresh {
		if bit := m.to.columns[i].bit; bit >= 0 {
			list[bit].words = takeWords(old, wordsFor(r.Rows()))
			list[bit].fill(0, r.n)
		}
	}
	for _, s := range old {
		if s.words != nil {
			list = append(list, s)
		}
	}
	clear(old)
	r.switches = append(r.switches[:0], list...)[:m.to.switches]
	t.scratch.switches = list
	clear(t.scratch.switches) // the words belong to the chunk
}

// relabelObjects gives a chunk that has become one of m.to the managed columns of m.to.
func (m *move) relabelObjects(r *record) {
	list := make([]objects, m.to.managed)
	for i, j := range m.source {
		switch c := &m.to.columns[i]; {
		case c.object < 0:
		case j >= 0:
			list[c.object] = r.objects[m.from.columns[j].object]
		default:
			list[c.object] = newObjects(c.comp.typ, r.Rows())
		}
	}
	r.objects = list
}

// spreadObjects copies the managed components of one row to all rows of dst. The copy is shallow: pointers
// lead to the same objects.
func (m *move) spreadObjects(dst span, r *record, row int) {
	for _, pair := range m.objects {
		to, v := dst.rec.objects[pair[0]].rows, r.objects[pair[1]].rows.Index(row)
		for i := range dst.n {
			to.Index(dst.first + i).Set(v)
		}
	}
}

// Programs often edit entities one by one. Code for a range of rows is slow for a single row, because it
// checks the size of each lane and the other data of each chunk. The functions below move single rows
// between archetypes that have only lanes.

// moveRow is moveRows for one row between plain archetypes.
func (t *tables) moveRow(m *move, r *record, row int, g *group) span {
	dst := t.claim(m.to, g, 1)
	e := *r.idAt(row)
	*dst.rec.idAt(dst.first) = e
	t.entities.slots[e.Index].put(dst.rec.id, dst.first)
	m.copy.Row(&dst.rec.Base, dst.first, &r.Base, row)
	m.moveVersions(dst.rec, 1, r)
	if len(m.fresh) > 0 {
		dst.rec.ZeroRow(m.zeros, dst.first)
		version := t.gate.version
		for _, i := range m.fresh {
			dst.rec.versions[i] = version
		}
	}
	t.dropRow(r, row)
	return dst
}

// dropRow is drop for one row of a plain archetype.
func (t *tables) dropRow(r *record, row int) {
	if last := r.n - 1; row < last {
		e := *r.idAt(last)
		*r.idAt(row) = e
		t.entities.slots[e.Index].row = int32(row)
		r.arch.copy.Within(&r.Base, row, last)
	}
	t.shorten(r, 1)
}

// destroyRows destroys a range of rows, or reduces them to their cleanup components.
func (t *tables) destroyRows(op string, s span) error {
	a := s.rec.arch
	if !a.kinds.has(isCleanup) {
		t.endRows(s)
		return nil
	}
	m, err := t.cleanupMove(op, a)
	if err != nil {
		return err
	}
	t.moveRows(m, s, m.group(s.rec))
	return nil
}

// swapRows exchanges a row of r with one of a chunk of the same archetype.
func (r *record) swapRows(i int, s *record, j int) {
	own, other := r.idAt(i), s.idAt(j)
	*own, *other = *other, *own
	for _, l := range r.arch.copy.Pairs() {
		a := r.Bytes(table.Lane{Index: l.To, Size: l.Size}, i, 1)
		b := s.Bytes(table.Lane{Index: l.To, Size: l.Size}, j, 1)
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
	}
	for k := range r.spills {
		swapSpills(&r.spills[k], i, r.Rows(), &s.spills[k], j, s.Rows())
	}
	for k := range r.arch.switches {
		a, b := &r.switches[k], &s.switches[k]
		on := a.on(i)
		a.set(i, b.on(j))
		b.set(j, on)
	}
	for k := range r.arch.managed {
		a, b := r.objects[k].rows.Index(i), s.objects[k].rows.Index(j)
		own := reflect.New(a.Type()).Elem()
		own.Set(a)
		a.Set(b)
		b.Set(own)
	}
}

// swapSpills exchanges the heap blocks of two buffers.
func swapSpills(l *spill, i, rows int, m *spill, j, others int) {
	if l.rows == nil && m.rows == nil {
		return
	}
	if l.rows == nil {
		l.rows = make([][]uint64, rows)
	}
	if m.rows == nil {
		m.rows = make([][]uint64, others)
	}
	l.rows[i], m.rows[j] = m.rows[j], l.rows[i]
}

// move describes how rows move from one archetype to another: which columns are copied and which are new.
// It is made once for each pair.
type move struct {
	from, to *archetype
	copy     table.Copy   // of the lanes that both have
	plain    bool         // both have only lanes: single rows move with moveRow
	source   []int        // for each column of to: the column of from, or -1
	kept     []columnPair // columns that both have: of to, of from
	fresh    []int32      // columns of to that from lacks
	zeros    []table.Lane // the lanes of these
	spills   [][2]int     // buffers that both have: spill of to, spill of from
	bits     [][2]int     // enabled bits that both have: of to, of from
	objects  [][2]int     // managed columns that both have: of to, of from
	shared   []int        // for each shared column of to: the one of from, or -1
	relabel  bool         // whole chunks can stay in place
}

// columnPair is a column that both archetypes have.
type columnPair struct{ to, from int32 }

// moveTo returns the move from a to b.
func (a *archetype) moveTo(b *archetype) *move {
	for _, m := range a.moves {
		if m.to == b {
			return m
		}
	}
	m := a.newMove(b)
	a.moves = append(a.moves, m)
	return m
}

// newMove makes the move from a to b.
func (a *archetype) newMove(b *archetype) *move {
	m := &move{from: a, to: b, source: make([]int, len(b.columns)), shared: make([]int, b.shared), relabel: a.compatible(&b.composition)}
	var pairs []table.Pair
	for i := range b.columns {
		dst := &b.columns[i]
		j := a.find(dst.comp.key)
		m.source[i] = j
		if j < 0 {
			m.fresh, m.zeros = append(m.fresh, int32(i)), append(m.zeros, dst.lanes...)
			if dst.shared >= 0 {
				m.shared[dst.shared] = -1
			}
			continue
		}
		m.kept = append(m.kept, columnPair{int32(i), int32(j)})
		src := &a.columns[j]
		for k, l := range dst.lanes {
			pairs = append(pairs, table.Pair{To: l.Index, From: src.lanes[k].Index, Size: l.Size})
		}
		if dst.spill >= 0 {
			m.spills = append(m.spills, [2]int{dst.spill, src.spill})
		}
		if dst.bit >= 0 {
			m.bits = append(m.bits, [2]int{dst.bit, src.bit})
		}
		if dst.object >= 0 {
			m.objects = append(m.objects, [2]int{dst.object, src.object})
		}
		if dst.shared >= 0 {
			m.shared[dst.shared] = src.shared
		}
	}
	m.copy = table.NewCopy(pairs)
	m.plain = a.plain && b.plain
	return m
}

// group returns the group for rows of the chunk r in the new archetype: the one with the same shared
// values; shared components that r lacks get their default.
func (m *move) group(r *record) *group {
	if m.to.shared == 0 {
		return &m.to.groups.only
	}
	var values [maxShared]int32
	for i, from := range m.shared {
		if from >= 0 {
			values[i] = r.group.values[from]
		}
	}
	return m.to.groups.of(values[:m.to.shared])
}

// moveVersions updates the versions of a chunk that n rows have joined. Each column becomes as new as the
// newer of the two chunks, so that no change is missed.
func (m *move) moveVersions(r *record, n int, from *record) {
	to, old := r.versions, from.versions
	if n == r.n { // the chunk was empty
		for _, k := range m.kept {
			to[k.to] = old[k.from]
		}
	} else {
		for _, k := range m.kept {
			if v := old[k.from]; v != to[k.to] {
				to[k.to] = newest(to[k.to], v) // versions of meta entities may be 0
			}
		}
	}
}
