package ecs

import (
	"math/bits"
	"reflect"
	"slices"
)

// detach takes all chunks out of an archetype. They keep their memory for now.
func (t *restoreState) detach(a *archetype) {
	t.totals = t.totals[:0]
	t.eachTally(a, func(one *tally) { t.totals = append(t.totals, one.match.orders()) })
	a.resetVersions() // chunks keep their own versions until they return or end
	for _, r := range a.chunks {
		r.index, r.room = -1, -1
		t.loose = append(t.loose, r)
	}
	clear(a.chunks)
	a.chunks, a.rows = a.chunks[:0], 0
	for _, g := range a.groups.byKey { //lanewise:inexact counts have no order
		for i, s := range a.stores {
			if k := g.values[i]; k > 0 {
				s.refs[k]--
			}
		}
	}
	clear(a.groups.byKey)
	for _, p := range a.groups.sharedIndexes() {
		clear(p.byValue)
	}
	a.groups.only.empty()
	k := 0
	t.eachTally(a, func(one *tally) { // the counters keep rising; attach continues them when it knows the groups
		one.orders, one.listing = t.totals[k], 0
		k++
	})
}

// empty takes all chunks out of a group.
func (g *group) empty() {
	clear(g.room)
	clear(g.list)
	g.room, g.list, g.chunks = g.room[:0], g.list[:0], 0
}

// eachTally calls f for each tally of an archetype, in any order.
func (t *restoreState) eachTally(a *archetype, f func(*tally)) {
	if a.counting == nil {
		return
	}
	for _, q := range t.world.queries.list {
		if len(q.only) == 0 {
			continue
		}
		if m := q.matchOf(a); m != nil && m.tally != nil {
			f(m.tally)
		}
	}
}

// archetype restores an archetype: its list of chunks if that has changed, and otherwise only the columns
// that were written since the image.
func (t *restoreState) archetype(a *archetype, from *archetypeImage, changed bool) {
	switch {
	case changed:
		t.attach(a, from)
	case slices.Equal(a.newest, from.newest):
		return // nothing was written
	default:
		for i, s := range from.spans { // the image was taken of this world
			if s.is(a, i) {
				continue
			}
			records := spanAt(a.chunks, i)
			for j, c := range spanAt(from.chunks, i) {
				if !s.has(j, a, i) {
					t.update(records[j], c)
				}
			}
		}
	}
	a.orders, a.order, a.crossings = from.orders, t.version(from.order), from.crossings
	for i, v := range from.newest {
		a.newest[i] = t.version(v)
	}
	if !t.known {
		a.noteChange(t.world.gate.version)
	}
}

// attach adds the chunks of the image to an archetype without chunks.
func (t *restoreState) attach(a *archetype, from *archetypeImage) {
	t.groups = t.groups[:0]
	for i := range from.groups {
		own := &from.groups[i]
		g := a.groups.of(own.values)
		g.number, g.orders = own.number, own.orders
		t.groups = append(t.groups, g)
	}
	a.groups.made = from.made
	for _, c := range from.chunks {
		t.attachChunk(a, c)
	}
	for i, g := range t.groups {
		g.order(a, &from.groups[i])
	}
	a.rows = from.rows
	t.eachTally(a, func(one *tally) {
		was := one.orders
		one.orders = 0
		one.orders = was + 1 - one.match.orders()
	})
}

// attachChunk appends the next chunk to an archetype. If the record still has the same rows, only the
// changed columns are copied; otherwise the whole chunk is.
func (t *restoreState) attachChunk(a *archetype, c *chunkImage) {
	w := t.world
	r, g := w.tables.records[c.id], t.groups[c.group]
	same := t.known && !r.Nil() && c.rows(r)
	t.adopts = !same && t.adopt(r, a, c)
	if !same && !t.adopts {
		t.room(r, a, g, c.n)
	}
	n := r.n
	r.arch, r.group, r.index, r.room, r.n = a, g, len(a.chunks), -1, c.n
	r.order, r.meta = t.version(c.order), c.meta
	a.chunks = append(a.chunks, r)
	a.placeVersions(r)
	if g.chunks++; g.chunks == 1 {
		for i, s := range a.stores {
			if k := g.values[i]; k > 0 {
				s.refs[k]++
			}
		}
	}
	if !same {
		t.fill(r, c, n)
		return
	}
	if t.anew {
		w.tables.entities.number(c.ids, r.id)
	}
	t.update(r, c)
}

// room gives a chunk memory for n rows of an archetype, and keeps its memory if that fits. It sets r.n to
// the number of rows of the kept memory that were in use.
func (t *restoreState) room(r *record, a *archetype, g *group, n int) {
	w := t.world
	if !r.Nil() {
		if r.Shape() == a.shape && r.Rows() >= n && r.arch == a {
			return
		}
		w.tables.memory.Give(r.Place)
	}
	switch {
	case g.chunks == 0:
		r.Place = w.tables.memory.Take(a.shape, n)
	case len(a.chunks) > 0:
		r.Place = w.tables.memory.TakeFull(a.shape, &a.chunks[len(a.chunks)-1].Place)
	default:
		r.Place = w.tables.memory.TakeFull(a.shape, nil)
	}
	r.empty(a)
}

// adopt gives a chunk the memory of the image if an ImageBuilder has placed the rows in memory of this
// world. It leaves the chunk in the state in which room does.
func (t *restoreState) adopt(r *record, a *archetype, c *chunkImage) bool {
	p := t.image.made.take(c.id, a.shape, t.world.tables.memory)
	if p.Nil() {
		return false
	}
	if !r.Nil() {
		t.world.tables.memory.Give(r.Place)
	}
	r.Place = p
	r.empty(a)
	return true
}

// empty makes the chunk, which has new memory, a chunk of an archetype without rows.
func (r *record) empty(a *archetype) {
	r.n = 0
	clear(r.spills)
	r.spills = resize(r.spills, a.spills)
	r.switches = newSwitches(r.switches, a.switches, r.Rows())
	r.objects = newAllObjects(a, r.Rows())
}

// fill copies a whole chunk of the image; before it, old rows were in use.
func (t *restoreState) fill(r *record, c *chunkImage, old int) {
	w := t.world
	if race {
		announce(r)
	}
	if !t.adopts {
		t.copies.add(sliceBytes(r.ids()[:r.n]), sliceBytes(c.ids))
	}
	t.copies.bear(&w.tables.entities, c.ids, r.id)
	r.versions = t.copyVersions(r.versions, c.versions)
	r.through = t.copyVersions(r.through, c.through)
	for i, k := range c.columns {
		t.column(&r.arch.columns[i], r, k, old)
	}
	if guard {
		poisonRows(r, r.n, r.Rows())
		w.tables.touched(r)
	}
}

// copyVersions copies a list of versions of the image, converted to versions of the world.
func (t *restoreState) copyVersions(to, from []uint32) []uint32 {
	to = append(to[:0], from...)
	if t.shift != 0 {
		for i := range to {
			to[i] = t.version(to[i])
		}
	}
	return to
}

// update copies the columns that were written since the image to a chunk with the same rows.
func (t *restoreState) update(r *record, c *chunkImage) {
	if slices.Equal(r.versions, c.versions) && slices.Equal(r.through, c.through) {
		return
	}
	if race {
		announce(r)
	}
	for i := range c.columns {
		if r.versions[i] != c.versions[i] || len(c.through) > 0 && r.through[i] != c.through[i] {
			t.column(&r.arch.columns[i], r, c.columns[i], r.n)
			r.versions[i] = c.versions[i]
			if len(c.through) > 0 {
				r.through[i] = c.through[i]
			}
		}
	}
	if guard {
		t.world.tables.touched(r)
	}
}

// column restores a column of a chunk, except for the lanes, which are listed for copying. Before it, old
// rows of the column were in use.
func (t *restoreState) column(c *column, r *record, from *columnImage, old int) {
	if from == nil { // a tag, a shared component, or headers, which restoreMeta sets
		if c.object >= 0 && old > r.n {
			r.objects[c.object].clear(r.n, old-r.n)
		}
		return
	}
	if !t.adopts {
		t.copies.in(&r.Place, c.lanes, r.n, from)
	}
	if c.spill >= 0 {
		r.spills[c.spill].restore(r, from.spills)
	}
	if c.bit >= 0 {
		s := &r.switches[c.bit]
		clear(s.words[copy(s.words, from.on):])
		s.count = 0
		for _, v := range s.words {
			s.count += int32(bits.OnesCount64(v))
		}
	}
	if c.object >= 0 && from.items.list != nil {
		r.objects[c.object].copy(0, &from.items, 0, r.n)
		if old > r.n {
			r.objects[c.object].clear(r.n, old-r.n)
		}
	}
}

// restore replaces the heap blocks of a chunk by those of an image.
func (l *spill) restore(r *record, from [][]uint64) {
	switch {
	case len(from) == 0:
		clear(l.rows)
		return
	case l.rows == nil:
		l.rows = make([][]uint64, r.Rows())
	}
	for i, block := range from {
		if own := l.rows[i]; block != nil && len(own) == len(block) {
			copy(own, block)
			continue
		}
		l.rows[i] = slices.Clone(block)
	}
	clear(l.rows[len(from):])
}

// pick is a WithShared term of a query whose value has another index in the image, or is not in it.
type pick struct {
	query *Query
	only  int   // index of the term
	value int32 // index of the value; -1: not in the image
	was   any
	hash  uint64
}

// planValues looks for the values of queries in the image. It calls Equal for values that have another
// index there.
func (t *restoreState) planValues(op string) error {
	w := t.world
	for i := range t.image.stores {
		w.shared.storeOf(t.image.stores[i].comp) // it calls Hash of the zero value of a new store
	}
	for _, q := range w.queries.list {
		for i := range q.only {
			s := w.shared.storeOf(q.only[i].comp)
			k := q.only[i].value
			from := t.image.storeFor(s.comp)
			if k == 0 || from != nil && int(k) < len(from.values) && identical(from.values[k], s.values[k]) {
				continue
			}
			p := pick{query: q, only: i, value: -1, was: s.values[k]}
			if s.byHash != nil {
				p.hash = s.hashes[k]
			}
			if from != nil {
				if err := t.findIn(op, s, from, &p); err != nil {
					return err
				}
			}
			t.picks = append(t.picks, p)
		}
	}
	return nil
}

// findIn looks for the value of a pick among those of the image.
func (t *restoreState) findIn(op string, s *store, from *imageStore, p *pick) error {
	w := t.world
	was, err := w.gate.enter(op)
	if err != nil {
		return err
	}
	whole := false
	w.gate.ask()
	defer func() {
		w.gate.answered()
		w.gate.exit(was, whole)
	}()
	for i, v := range from.values {
		switch {
		case v == nil:
		case s.byHash == nil:
			if v == p.was || alike(reflect.ValueOf(v), reflect.ValueOf(p.was)) {
				p.value = int32(i)
			}
		case from.hashes[i] == p.hash && s.equal.Call([]reflect.Value{reflect.ValueOf(v), reflect.ValueOf(p.was)})[0].Bool():
			p.value = int32(i)
		}
		if p.value >= 0 {
			break
		}
	}
	whole = true
	return nil
}

// remember notes the held values that want to be told of Retain and Release.
func (t *restoreState) remember() {
	for k, s := range t.world.shared.stores {
		t.before = append(t.before, nil)
		if s == nil || s.notices == nil {
			continue
		}
		for i, v := range s.values {
			if s.refs[i] == 0 {
				v = nil
			}
			t.before[k] = append(t.before[k], v)
		}
	}
}

// tell lists the calls of Retain and Release. All calls of Retain come first, so that a resource that both
// contents use is not freed in between.
func (t *restoreState) tell() {
	for _, begins := range []bool{true, false} {
		for k, s := range t.world.shared.stores {
			if s == nil || s.notices == nil {
				continue
			}
			var before []any
			if k < len(t.before) {
				before = t.before[k]
			}
			s.tell(before, begins)
		}
	}
}

// tell lists the values that are held now and were not before, or the reverse.
func (s *store) tell(before []any, begins bool) {
	for i := range max(len(before), len(s.values)) {
		var was, is any
		if i < len(before) {
			was = before[i]
		}
		if i < len(s.values) && s.refs[i] > 0 {
			is = s.values[i]
		}
		if identical(was, is) {
			continue
		}
		v := is
		if !begins {
			v = was
		}
		if v != nil {
			s.notices.add(v, begins)
		}
	}
}

// values gives the stores the values of the image. Unchanged chunks keep their references; the other
// chunks are detached and hold none.
func (t *restoreState) values() {
	w := t.world
	for _, q := range w.queries.list {
		for _, f := range q.only {
			if f.value > 0 {
				w.shared.storeOf(f.comp).refs[f.value]--
			}
		}
	}
	for _, s := range w.shared.stores {
		if s == nil {
			continue
		}
		from := t.image.storeFor(s.comp)
		switch {
		case from != nil && !s.equals(from):
			s.reset(from)
		case from == nil && len(s.values) > 1:
			zero := imageStore{comp: s.comp, values: s.values[:1], hashes: s.hashes[:min(1, len(s.hashes))]}
			s.reset(&zero)
		}
	}
}

// equals reports whether a store has exactly the values of an image, at the same indices.
func (s *store) equals(from *imageStore) bool {
	if len(s.values) != len(from.values) || len(s.free) != len(from.free) {
		return false
	}
	for i := range s.values {
		if !identical(s.values[i], from.values[i]) {
			return false
		}
	}
	for i := range s.free {
		if s.free[i] != from.free[i] {
			return false
		}
	}
	return true
}

// reset gives a store the values of an image, and keeps the reference counts.
func (s *store) reset(from *imageStore) {
	refs := s.refs
	zero := s.values[0]
	if s.byHash != nil {
		clear(s.byHash)
		s.byHash[s.hashes[0]] = append(s.byHash[s.hashes[0]], 0)
	} else {
		clear(s.byKey)
		s.byKey[zero] = 0
	}
	s.odd = nil
	s.fill(from)
	copy(s.refs, refs)
}

// queries gives the queries the indices of their values, and drops the values without references.
func (t *restoreState) queries() {
	w := t.world
	t.pickValues()
	for _, q := range w.queries.list {
		for _, f := range q.only {
			if f.value > 0 {
				w.shared.storeOf(f.comp).refs[f.value]++
			}
		}
	}
	t.tell()
	for _, s := range w.shared.stores {
		if s != nil {
			s.sweep()
		}
	}
	for i := range t.picks {
		if q := t.picks[i].query; i == 0 || t.picks[i-1].query != q {
			findAgain(q)
		}
	}
}

// pickValues enters the values of queries that the stores lack.
func (t *restoreState) pickValues() {
	for i := range t.picks {
		p := &t.picks[i]
		if p.value < 0 {
			p.value = t.world.shared.storeOf(p.query.only[p.only].comp).put(p.was, p.hash)
			for k := i + 1; k < len(t.picks); k++ { // another query may ask for the same value
				if o := &t.picks[k]; o.value < 0 && identical(o.was, p.was) {
					o.value = p.value
				}
			}
		}
		p.query.only[p.only].value = p.value
	}
}
