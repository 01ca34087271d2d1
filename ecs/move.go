package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
)

// move is the way of rows from one archetype to another: what is copied, what
// is new. It is made once for each pair.
type move struct {
	from, to *archetype
	copy     table.Copy   // of the lanes that both have
	plain    bool         // both have lanes only: single rows move with moveRow
	source   []int        // for each column of to: the column of from, or -1
	kept     []columnPair // columns that both have: of to, of from
	fresh    []int32      // columns of to that from lacks
	zeros    []table.Lane // the lanes of these
	spills   [][2]int     // buffers that both have: spill of to, spill of from
	bits     [][2]int     // switches that both have: of to, of from
	objects  [][2]int     // managed columns that both have: of to, of from
	shared   []int        // for each shared column of to: the one of from, or -1
	relabel  bool         // whole chunks can stay where they are
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

// group returns where rows of the chunk r go in the new archetype: to the
// chunks that share the same values; new shared components have their default.
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

// moveVersions gives the columns of a chunk the versions that n rows which have
// come from another one bring along.
func (m *move) moveVersions(r *record, n int, from *record) {
	to, old := r.versions, from.versions
	if n == r.n { // the chunk was empty
		for _, k := range m.kept {
			to[k.to] = old[k.from]
		}
	} else {
		for _, k := range m.kept {
			if v := old[k.from]; v != to[k.to] {
				to[k.to] = newest(to[k.to], v) // those of meta entities may be 0
			}
		}
	}
}
