package ecs

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
)

// integrity checks all invariants of the world, and returns the first violation.
func integrity(w *World) error {
	if o := &w.gate.owner; o.changing != 0 && o.method == 0 && o.depth == 0 {
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
			rows += r.n
		}
		if rows != a.rows {
			return fmt.Errorf("archetype %v: rows %d, in chunks %d", a, a.rows, rows)
		}
		live += len(a.chunks)
		if a.isMeta {
			metas += a.rows
		}
		if err := a.integrityGroups(); err != nil {
			return fmt.Errorf("archetype %v: %w", a, err)
		}
	}
	if used := w.tables.memory.Places() - w.tables.quarantined(); used != live {
		return fmt.Errorf("%d places are handed out, %d chunks exist", used, live)
	}
	if err := w.tables.memory.Check(); err != nil {
		return err
	}
	for _, r := range w.tables.spare {
		if !r.Nil() || r.arch != nil || w.tables.records[r.id] != r {
			return fmt.Errorf("spare record %d is in use", r.id)
		}
	}
	if metas != w.tables.metas {
		return fmt.Errorf("%d meta entities, counted %d", metas, w.tables.metas)
	}
	if len(w.tables.spare)+live != len(w.tables.records) {
		return fmt.Errorf("%d records, %d spare, %d live", len(w.tables.records), len(w.tables.spare), live)
	}
	return w.integrityShared()
}

func (w *World) integritySlots() error {
	t := &w.tables.entities
	isFree := make([]bool, len(t.slots))
	for _, i := range t.free {
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
		if s.record == free {
			if !isFree[i] {
				retired++
			}
			continue
		}
		if isFree[i] {
			return fmt.Errorf("slot %d: in the free list, record %d", i, s.record)
		}
		r := w.tables.records[s.record]
		if r.Nil() || int(s.row) >= r.n {
			return fmt.Errorf("slot %d: row %d of record %d, which has %d", i, s.row, s.record, r.n)
		}
		if got, want := *r.idAt(int(s.row)), (Entity{int32(i), s.version}); got != want {
			return fmt.Errorf("slot %d: row %d of record %d holds %v, want %v", i, s.row, s.record, got, want)
		}
	}
	if retired != t.retired {
		return fmt.Errorf("%d slots are neither free nor used, %d were retired", retired, t.retired)
	}
	return nil
}

func (w *World) integrityRecord(a *archetype, k int, r *record) error {
	switch {
	case r.arch != a || r.index != k || w.tables.records[r.id] != r:
		return fmt.Errorf("record %d: archetype %v, index %d", r.id, r.arch, r.index)
	case r.n < 1 || r.n > a.capacity:
		return fmt.Errorf("%d rows of %d", r.n, a.capacity)
	case r.Nil() || r.Rows() < r.n || r.Rows() > a.capacity || r.Rows() < a.capacity && r.Rows()%16 != 0 || r.Shape() != a.shape:
		return fmt.Errorf("memory for %d rows, %d live, %d is the capacity", r.Rows(), r.n, a.capacity)
	case (r.n < a.capacity) != (r.room >= 0):
		return fmt.Errorf("%d rows of %d, room %d", r.n, a.capacity, r.room)
	case r.room >= 0 && r.group.room[r.room] != r:
		return fmt.Errorf("room %d is another chunk's", r.room)
	case len(a.columns) > 0 && &r.versions[0] != &a.versionsOf(k / spanChunks)[k%spanChunks*len(a.columns)]:
		return fmt.Errorf("the versions are not at place %d of the table", k)
	case len(r.versions) != len(a.columns) || len(r.spills) != a.spills:
		return fmt.Errorf("%d versions, %d spills", len(r.versions), len(r.spills))
	case len(r.through) != 0 && !a.isMeta || a.isMeta && len(r.through) != len(a.columns):
		return fmt.Errorf("%d versions of writes through chunks", len(r.through))
	case len(r.group.values) != a.shared:
		return fmt.Errorf("%d shared values", len(r.group.values))
	case changedSince(r.order, w.gate.version) && r.order != w.gate.version:
		return fmt.Errorf("order version %d is in the future of %d", r.order, w.gate.version)
	}
	for i := range r.versions {
		if v := r.changedAt(i); v == 0 || int32(v-w.gate.version) > 0 {
			return fmt.Errorf("column %d: version %d, the world's is %d", i, v, w.gate.version)
		}
	}
	if err := w.integrityMeta(r); err != nil {
		return err
	}
	for i := range a.managed {
		if rows := r.objects[i].rows; rows.Len() != r.Rows() || !allZero(rows, r.n) {
			return fmt.Errorf("managed column %d: %d rows, or one behind the last that is not zero", i, rows.Len())
		}
	}
	for i := range a.switches {
		s := &r.switches[i]
		n := 0
		for _, v := range s.words {
			n += bits.OnesCount64(v)
		}
		if first := scan(s.words, r.n, 64*len(s.words), 0); first < 64*len(s.words) {
			return fmt.Errorf("switch %d: row %d of %d is on", i, first, r.n)
		}
		if n != int(s.count) || len(s.words) != wordsFor(r.Rows()) {
			return fmt.Errorf("switch %d: %d rows are on, counted %d, in %d words for %d rows", i, n, s.count, len(s.words), r.Rows())
		}
	}
	for i := range a.columns {
		c := &a.columns[i]
		if c.spill < 0 {
			continue
		}
		rows := r.spills[c.spill].rows
		if rows != nil && len(rows) != r.Rows() {
			return fmt.Errorf("%d heap blocks of %d rows", len(rows), r.Rows())
		}
		for row := range r.Rows() {
			heap := rows != nil && rows[row] != nil
			if row >= r.n {
				if heap {
					return fmt.Errorf("row %d of %d keeps a heap block", row, r.n)
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
	if len(a.chunks)+len(a.groups.byKey)+len(a.groups.only.room)+a.groups.only.chunks == 0 {
		return nil // most archetypes have none, and this is called often
	}
	check := func(g *group) error {
		chunks := 0
		for _, r := range a.chunks {
			if r.group == g {
				chunks++
			}
		}
		if a.shared > 0 && len(g.list) != g.chunks {
			return fmt.Errorf("the group %v lists %d of %d chunks", g.values, len(g.list), g.chunks)
		}
		for i, r := range g.list {
			if r.member != i || r.group != g || a.chunks[r.index] != r {
				return fmt.Errorf("place %d of the chunks of %v: record %d", i, g.values, r.id)
			}
		}
		for at, p := range a.groups.sharedIndexes() {
			if p.byValue != nil && g != &a.groups.only && (len(p.byValue[g.values[at]]) <= int(g.places[at]) || p.byValue[g.values[at]][g.places[at]] != g) {
				return fmt.Errorf("the group %v is not on the list of its value %d", g.values, at)
			}
		}
		for i, r := range g.room {
			if r.room != i || r.group != g || r.arch != a {
				return fmt.Errorf("place %d of the chunks with room: record %d", i, r.id)
			}
		}
		if chunks != g.chunks {
			return fmt.Errorf("group %v: %d chunks, counted %d", g.values, g.chunks, chunks)
		}
		return nil
	}
	for _, g := range a.groups.byKey {
		if g.chunks == 0 {
			return fmt.Errorf("group %v has no chunk", g.values)
		}
		if err := check(g); err != nil {
			return err
		}
	}
	return check(&a.groups.only)
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
			if i := a.find(s.comp.key); i >= 0 {
				for _, g := range a.groups.byKey {
					refs[g.values[a.columns[i].shared]]++
				}
			}
		}
		for _, q := range w.queries.list {
			for _, f := range q.only {
				if f.comp == s.comp {
					refs[f.value]++
				}
			}
		}
		refs[0] = 0
		if !slices.Equal(refs, s.refs) {
			return fmt.Errorf("%s: reference counts %v, want %v", s.comp.name, s.refs, refs)
		}
		for i, v := range s.values {
			if gone := slices.Contains(s.free, int32(i)); gone != (v == nil) || gone != (i > 0 && refs[i] == 0) {
				return fmt.Errorf("%s: value %d is %v, free %v, %d references", s.comp.name, i, v, gone, refs[i])
			}
		}
	}
	return nil
}

// integrityQueries checks that every query matches exactly the right archetypes.
func integrityQueries(w *World) error {
	for _, q := range w.queries.list {
		fresh := &matching{world: w, signature: signature{data: q.data, with: q.with, without: q.without, anyOf: q.anyOf, present: q.present, absent: q.absent}, excluded: q.excluded}
		fresh.findRules()
		for _, a := range w.tables.archetypes {
			fresh.consider(a)
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
			return (a.index>>6 < len(set) && set[a.index>>6]>>(a.index&63)&1 != 0) == q.fits(a)
		}) {
			return fmt.Errorf("%v: the sets of archetypes are not what there are", q)
		}
	}
	return nil
}

// allZero reports whether the elements of a slice from first on are zero.
func allZero(rows reflect.Value, first int) bool {
	for i := first; i < rows.Len(); i++ {
		if !rows.Index(i).IsZero() {
			return false
		}
	}
	return true
}

// integrityMeta checks that a chunk with chunk components has a meta entity, which belongs to it alone,
// and that other chunks have none.
func (w *World) integrityMeta(r *record) error {
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
	meta := w.tables.records[s.record]
	header := *objectOf[ChunkHeader](meta, &meta.arch.columns[meta.arch.find(w.types.header.key)], int(s.row))
	if meta.arch != r.arch.meta || header.rec != r {
		return fmt.Errorf("the meta entity %v is of %v, for record %d", r.meta, meta.arch, header.rec.id)
	}
	return nil
}
