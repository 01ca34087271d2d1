package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Restore makes w contain what an image does, as Fork makes a new world do: everything that
// happens to it from now on happens as it would have to the world that was captured, ids and
// hashes included. What was not written since then is left alone, so that the cost is that of
// what was, if the image was taken of w.
//
// It is a sync point, a structural change, and ends views. Queries, look-ups, systems and
// handles of archetypes stay good. Archetypes that were made later leave the order, and come back
// to its end when something needs them. What [Commands] have recorded and not played is dropped,
// unless they have SetMultiPlayback: it is of a time that has not happened. Values of shared components that came
// or went are told so by Retain and Release. Counts that never run back
// otherwise, like that of Query.OrderCount, are others afterwards.
//
// The version of the world goes on and never back, while chunks have the versions that they
// had. Whoever has seen the world until some version has to know of the Restore: packages
// do by Hooks.OnRestore, and systems see what they would have seen. Others give their queries
// 0 by [Query.SetSince].
//
// An image of another world, or of an ImageBuilder, is taken over as a whole: its versions are moved so
// that its latest one is that of w. One that was made for w, see ImageBuilder.AddState, is released by it. The error is of category ErrState while w cannot be
// changed, in a system too; ErrDisposed when it is closed; and ErrArgument if the
// image is released, or has a type whose name another type has in w. An error, or a panic of a
// method of a shared value, changes nothing.
func Restore(w *World, m *Image) error { return restore("Restore", w, m) }

// restore is Restore by a name of its own in errors.
func restore(op string, w *World, m *Image) error {
	switch {
	case w == nil:
		return noWorld(op)
	case m == nil || m.pool == nil:
		return w.gate.fault(ErrArgument, op, "the image is released, or is the zero Image")
	case w.gate.borrowed:
		return w.gate.fault(ErrState, op, "a transaction's job has the world: restore it when the transaction has ended")
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	if len(w.reserved.list) > 0 {
		w.gate.idle()
		return w.gate.fault(ErrState, op, "commands are being played, which have written ids of entities that are yet to be made: restore the world when the playback is over")
	}
	if w.gate.running != "" {
		w.gate.idle()
		return w.gate.fault(ErrState, op, "a system is being updated: restore the world between updates")
	}
	if err := w.complete(op); err != nil {
		w.gate.idle()
		return err
	}
	t, _ := w.tables.returns.scratch.(*restoreState)
	if t == nil {
		t = &restoreState{}
		w.tables.returns.scratch = t
	}
	t.world, t.image = w, m
	defer t.end()
	err := t.plan(op)
	if err == nil {
		err = w.commit(op)
	}
	if err != nil {
		w.gate.idle()
		return err
	}
	t.apply(op)
	defer w.finish()
	t.spend()
	t.tellOthers()
	return nil
}

// restoreState is a Restore that is under way: what it has found out, and memory.
type restoreState struct {
	world  *World
	image  *Image
	known  bool   // the image was taken of this world
	shift  uint32 // from versions of the image to those of the world
	first  int    // the first archetype that has another place
	adopts bool   // the chunk that is filled has the rows of the image already
	anew   bool   // the table of ids was made anew: chunks that stay have to be put into it

	changed []bool    // archetypes of the image whose chunks are others, or have other rows
	loose   []*record // chunks that are in no archetype meanwhile
	groups  []*group
	picks   []pick
	before  [][]any  // of each store whose values want to know: those that were held
	totals  []uint32 // of tallies
	copies  copies
	key     []byte
}

// end lets go of what the Restore had.
func (t *restoreState) end() {
	clear(t.loose)
	clear(t.groups)
	clear(t.picks)
	clear(t.before)
	t.loose, t.groups, t.picks, t.before = t.loose[:0], t.groups[:0], t.picks[:0], t.before[:0]
	t.world, t.image, t.adopts = nil, nil, false
}

// plan finds out what is to be done, and changes nothing: methods of values may panic in it.
func (t *restoreState) plan(op string) error {
	w, m := t.world, t.image
	t.known = m.pool == w.images
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].set {
			if other := w.types.names[c.name]; other != nil && other != c {
				return w.gate.fault(ErrArgument, op, "another type has the same name in this world: types declared inside functions share names, declare one of them outside").on(c)
			}
		}
	}
	t.first = 0
	for t.first < min(len(w.tables.archetypes), len(m.archetypes)) && isOf(w.tables.archetypes[t.first], m.archetypes[t.first].set) {
		t.first++
	}
	t.changed = resize(t.changed, len(m.archetypes))
	for i := range t.changed {
		t.changed[i] = !t.known || i >= t.first || !m.archetypes[i].listed(w.tables.archetypes[i])
	}
	return t.planValues(op)
}

// isOf reports whether a is of a set of components.
func isOf(a *archetype, set []*component) bool {
	if len(a.columns) != len(set) {
		return false
	}
	for i := range set {
		if a.columns[i].comp != set[i] {
			return false
		}
	}
	return true
}

// listed reports whether a has the chunks, and these have the rows, that they had when the image was taken
// of the same world: what has changed since then has a newer version.
func (k *archetypeImage) listed(a *archetype) bool {
	return a.order == k.order && a.orders == k.orders && a.crossings == k.crossings
}

// stays reports whether a, at the place that the archetype had in an image of its world, is that archetype, and has the chunks
// and rows of then.
func (k *archetypeImage) stays(a *archetype) bool { return isOf(a, k.set) && k.listed(a) }

// apply makes the world what the image is. It calls no code of users, and cannot fail.
func (t *restoreState) apply(op string) {
	w, m := t.world, t.image
	if t.shift = 0; !t.known {
		if int32(m.version-w.gate.version) > 0 {
			w.gate.version = m.version
		}
		t.shift = w.gate.version - m.version
		w.images = nil // what it has kept says nothing of what comes now
	}
	w.tables.returns.shift = t.shift
	t.remember()
	rows := t.first < len(w.tables.archetypes)
	for i, a := range w.tables.archetypes {
		if i >= t.first || t.changed[i] {
			rows = true
			t.detach(a)
		}
	}
	rows = rows || t.first < len(m.archetypes) || !t.known
	t.reorder(op)
	t.values()
	if rows {
		t.ids()
	}
	for i := range m.archetypes {
		t.archetype(w.tables.archetypes[i], &m.archetypes[i], t.changed[i])
	}
	t.copies.all(w.gate.workers())
	if rows {
		t.spares()
		w.tables.metas = m.metas
		t.restoreMeta()
		w.tables.listing++
		w.queries.forgetMemory()
	}
	t.queries()
	t.names()
	w.hooks.restores++
	w.streams = streamMarks{m.streams.list, true, m.streams.all}
	w.gate.bump()
}

// version is one of the image's as one of the world's.
func (t *restoreState) version(v uint32) uint32 { return shifted(v, t.shift) }

// ids makes the table of ids, but for those in chunks that have changed.
func (t *restoreState) ids() {
	m, e := t.image, &t.world.tables.entities
	if n := m.slots - len(e.slots); n > 0 && m.slots > cap(e.slots) {
		e.grow(n)
	}
	e.slots = e.slots[:m.slots]
	retired := m.slots - len(m.free)
	for i := range m.archetypes {
		retired -= m.archetypes[i].rows
	}
	if t.anew = retired+e.retired > 0 || !t.known; t.anew {
		t.unchanged(retired > 0)
	}
	e.retired, e.offered, e.free = retired, false, e.free[:0]
	for _, id := range m.free {
		e.free = append(e.free, id.Index)
		e.slots[id.Index] = slot{id.Version, free, 0}
	}
	for len(t.world.tables.records) < m.records {
		t.world.tables.takeRecord()
	}
	for i := range t.loose {
		if r := t.loose[i]; int(r.id) >= len(m.byID) || m.byID[r.id] == nil {
			t.leave(r)
		}
	}
}

// unchanged sets the slots of ids in archetypes that have not changed, and if some ids are retired first all to that of
// such a one: those of free ids and of other rows are set behind it.
func (t *restoreState) unchanged(retired bool) {
	e := &t.world.tables.entities
	if retired {
		for i := range e.slots {
			e.slots[i] = slot{1, free, 0}
		}
	}
	for i, a := range t.world.tables.archetypes {
		if t.changed[i] {
			continue
		}
		for _, r := range a.chunks {
			e.number(r.ids()[:r.n], r.id)
		}
	}
}

// leave gives back the memory of a chunk that the image does not have.
func (t *restoreState) leave(r *record) {
	t.world.tables.memory.Give(r.Place)
	clear(r.spills)
	r.Place, r.n, r.arch, r.group, r.versions, r.objects, r.meta = table.Place{}, 0, nil, nil, nil, nil, Entity{}
}

// spares puts the records without chunks into their order: those of the image, and behind them, for later, those that came since.
func (t *restoreState) spares() {
	w, m := t.world, t.image
	w.tables.spare = w.tables.spare[:0]
	for k := len(w.tables.records) - 1; k >= m.records; k-- {
		w.tables.spare = append(w.tables.spare, w.tables.records[k])
	}
	for _, id := range m.spare {
		w.tables.spare = append(w.tables.spare, w.tables.records[id])
	}
}

// restoreMeta makes the headers of meta entities say which chunk of this world they are for.
func (t *restoreState) restoreMeta() {
	w := t.world
	if w.tables.metas == 0 {
		return
	}
	for _, c := range t.image.byID {
		if c != nil && !c.meta.IsZero() {
			s := w.tables.entities.find(c.meta)
			w.tables.scatterBox(w.tables.records[s.record], int(s.row), ChunkHeader{rec: w.tables.records[c.id]})
		}
	}
}

// names gives the entities the names that they had.
func (t *restoreState) names() {
	l := t.world.gate.labels
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.pages, t.image.names) {
		l.take(t.image.names)
	}
}

// spend releases an image that was made for the world. What was kept with it stays, for those that are told of the Restore.
func (t *restoreState) spend() {
	m := t.image
	if m.made == nil || m.made.world != t.world {
		return
	}
	kept := m.kept
	_ = m.Release() // which it is not
	m.kept = kept
}

// tellOthers tells those that want to know: all of them, though one panics, because the world is another one for each.
func (t *restoreState) tellOthers() {
	m, list := t.image, t.world.hooks.images // a function may restore the world again
	tellImage(list, m)
}

func tellImage(list list[func(image any)], m *Image) {
	if len(list) > 0 {
		defer tellImage(list[1:], m)
		(*list[0])(m)
	}
}

// reorder makes the archetypes of the world those of the image, in order.
func (t *restoreState) reorder(op string) {
	w, m := t.world, t.image
	if t.first == len(w.tables.archetypes) && t.first == len(m.archetypes) {
		return
	}
	if t.first < len(w.tables.archetypes) {
		t.rest(t.first)
	}
	for i := t.first; i < len(m.archetypes); i++ {
		a, err := w.tables.archetypeOf(op, slices.Clone(m.archetypes[i].set))
		if err != nil || a.index != i {
			panic("ecs: Restore: the image is not one of a world") // plan has looked at names, and others were made once
		}
	}
	for _, a := range w.tables.archetypes {
		if a.isMeta && a.kinds.has(isCleanup) {
			if _, err := w.tables.cleanupMove(op, a); err != nil {
				panic(err) // as above
			}
		}
	}
}

// rest takes the archetypes from a place on out of the order. They have no chunks, but handles
// may lead to them.
func (t *restoreState) rest(first int) {
	w := t.world
	if w.tables.returns.unlisted == nil {
		w.tables.returns.unlisted = map[string]*archetype{}
	}
	w.tables.returns.reordered++
	for _, q := range w.queries.list {
		cutMatches(q, first)
	}
	for c := range w.tables.having {
		w.tables.having[c].cut(first)
	}
	for _, a := range w.tables.archetypes[first:] {
		key := string(t.keyOf(a))
		delete(w.tables.bySet, key)
		w.tables.returns.unlisted[key] = a
		a.index, a.counting = unlisted, nil
		a.adds, a.removes, a.moves, a.toCleanup = nil, nil, nil, nil
	}
	clear(w.queries.wholes[min(first, len(w.queries.wholes)):])
	clear(w.tables.archetypes[first:])
	w.tables.archetypes = w.tables.archetypes[:first]
	for _, a := range w.tables.archetypes {
		gone := func(m *move) bool { return m.to.index == unlisted }
		a.moves = slices.DeleteFunc(a.moves, gone)
		a.adds = slices.DeleteFunc(a.adds, func(e edge) bool { return gone(e.move) })
		a.removes = slices.DeleteFunc(a.removes, func(e edge) bool { return gone(e.move) })
		if a.toCleanup != nil && gone(a.toCleanup) {
			a.toCleanup = nil
		}
	}
	w.recipes = nil // recipes lead to archetypes
}

// keyOf returns the key of an archetype in bySet.
func (t *restoreState) keyOf(a *archetype) []byte {
	t.key = t.key[:0]
	for i := range a.columns {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(a.columns[i].comp.index))
	}
	return t.key
}

// cutMatches forgets the matches of archetypes from an index on.
func cutMatches(q *Query, first int) {
	n := len(q.matches)
	for n > 0 && q.matches[n-1].arch.index >= first {
		n--
		q.access.Where.Remove(q.matches[n].arch.index)
	}
	if n == len(q.matches) {
		return
	}
	for _, m := range q.matches[n:] {
		m.uncount()
		if meta := m.arch.meta; meta != nil {
			q.access.Where.Remove(meta.index)
		}
	}
	kept := q.matches[:n]
	f := newFound(max(first, 64), max(n, 4))
	for i, m := range kept {
		f.add(m, i)
		if len(q.reach) > 0 {
			continue
		}
		q.access.Where.Add(m.arch.index) // it may hold the meta entities of one that has gone
		if meta := m.arch.meta; meta != nil {
			q.access.Where.Add(meta.index)
		}
	}
	q.matches = f.matches[:n]
	q.shown.Store(f)
	q.list, q.listing = nil, 0
}

// findAgain finds the matches of a query whose values have moved, and its place among the
// queries.
func findAgain(q *Query) {
	w := q.world
	if w.queries.byID[q.id] == q {
		delete(w.queries.byID, q.id)
	}
	id, err := w.idOf("Restore", q.owner, q.terms, q.only)
	if err != nil {
		panic(err) // the types were right when the query was made
	}
	q.id = id
	w.queries.byID[id] = q
	cutMatches(q, 0)
	q.considerAll()
}
