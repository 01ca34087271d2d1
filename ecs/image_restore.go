package ecs

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Restore makes w contain the contents of an image, as Fork does for a new world. Everything that happens
// to w from then on happens as it would have in the captured world: entities get the same ids, and hashes
// are equal. If the image was taken of w, Restore leaves the chunks alone that nothing wrote to since
// then, so that its cost grows with the number of changes. In a world with systems that save their state,
// call the Restore of package system instead: it returns the error of a system that refuses its state,
// while this function panics with it.
//
// Restore is a sync point and a structural change, and so ends views. Queries, lookups, systems and
// handles of archetypes stay valid. Archetypes that were made after the capture leave the order of
// archetypes; they return to its end when an operation needs them. Recorded commands that were not played
// are dropped, unless the buffer has SetMultiPlayback, because they belong to a future that the restored
// world never had. A shared value that the world begins or ceases to hold gets a call of Retain or
// Release. Counters that otherwise only rise, such as that of Query.OrderCount, may have any other value
// afterwards.
//
// The version of the world keeps rising, while chunks get back their old versions. A caller that compares
// versions, such as a system, must therefore be told of the Restore. Systems are: they see the changes
// that they would have seen in the captured world. Packages use Hooks.OnRestore. For other queries call
// [Query.SetSince] with 0.
//
// An image of another world or of an ImageBuilder is copied as a whole: its versions are shifted so that
// its latest version is that of w. Restore releases an image that was made for w; see
// ImageBuilder.AddState. The error is of category [ErrState] while w cannot be changed, for example in a
// system; [ErrDisposed] when w is closed; and [ErrArgument] if the image is released, or has a type with
// the name of another type of w. An error, or a panic of a method of a shared value, changes nothing.
func Restore(w *World, m *Image) error { return restore("Restore", w, m) }

// restore is Restore with the name of the operation for errors.
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

// restoreState is a Restore in progress: the plan, and scratch memory.
type restoreState struct {
	world  *World
	image  *Image
	known  bool   // the image was taken of this world
	shift  uint32 // difference between versions of the world and of the image
	first  int    // the first archetype with another index
	adopts bool   // the chunk being filled has the rows of the image already
	anew   bool   // the table of ids is new: ids of chunks that stay have to be entered

	changed []bool    // by archetype of the image: its chunks or their rows differ
	loose   []*record // chunks that are in no archetype for now
	groups  []*group
	picks   []pick
	before  [][]any  // by store whose values want to be told: the values that were held
	totals  []uint32 // counters of tallies
	copies  copies
	key     []byte
}

// end drops the references that the Restore had.
func (t *restoreState) end() {
	clear(t.loose)
	clear(t.groups)
	clear(t.picks)
	clear(t.before)
	t.loose, t.groups, t.picks, t.before = t.loose[:0], t.groups[:0], t.picks[:0], t.before[:0]
	t.world, t.image, t.adopts = nil, nil, false
}

// plan computes the work to do, and changes nothing, because methods of values may panic in it.
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

// isOf reports whether a has exactly the given components.
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

// listed reports whether a has the chunks, with the rows, of the moment when the image was taken of the
// same world. The counters tell, because each change since then has raised one of them.
func (k *archetypeImage) listed(a *archetype) bool {
	return a.order == k.order && a.orders == k.orders && a.crossings == k.crossings
}

// stays reports whether a is the archetype of the image, with the same chunks and rows. Its index is that
// of the archetype in an image of its world.
func (k *archetypeImage) stays(a *archetype) bool { return isOf(a, k.set) && k.listed(a) }

// apply gives the world the contents of the image. It calls no code of users, and cannot fail.
func (t *restoreState) apply(op string) {
	w, m := t.world, t.image
	if t.shift = 0; !t.known {
		if int32(m.version-w.gate.version) > 0 {
			w.gate.version = m.version
		}
		t.shift = w.gate.version - m.version
		w.images = nil // memory kept for earlier images is of no use for the new contents
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

// version converts a version of the image to one of the world.
func (t *restoreState) version(v uint32) uint32 { return shifted(v, t.shift) }

// ids sets the table of ids, except for the ids in changed chunks.
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

// unchanged sets the slots of ids in unchanged archetypes. If some ids are retired, it first marks all
// slots as retired; the slots of free ids and of other rows are set later.
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

// spares orders the records without chunks: first those of the image, then the newer ones, which are used
// later.
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

// restoreMeta sets the headers of meta entities to the chunks of this world.
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

// names restores the names of entities.
func (t *restoreState) names() {
	l := t.world.gate.labels
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.pages, t.image.names) {
		l.take(t.image.names)
	}
}

// spend releases an image that was made for the world. The values that packages have stored with it stay,
// because functions of OnRestore read them.
func (t *restoreState) spend() {
	m := t.image
	if m.made == nil || m.made.world != t.world {
		return
	}
	kept := m.kept
	_ = m.Release() // the image is not released, so that there is no error
	m.kept = kept
}

// tellOthers calls all functions of OnRestore, even if one panics, because the contents changed for each
// of them.
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

// reorder makes the list of archetypes of the world that of the image, in the same order.
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
			panic("ecs: Restore: the image is not one of a world") // plan has compared the names, and none of these archetypes existed
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

// rest takes the archetypes from an index on out of the order. They have no chunks, but are kept because
// handles may refer to them.
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
	w.recipes = nil // recipes refer to archetypes
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
		q.access.Where.Add(m.arch.index) // it may hold the meta entities of a removed archetype
		if meta := m.arch.meta; meta != nil {
			q.access.Where.Add(meta.index)
		}
	}
	q.matches = f.matches[:n]
	q.shown.Store(f)
	q.list, q.listing = nil, 0
}

// findAgain finds the matches of a query again after its shared values got other indices, and enters it in
// the cache under the new key.
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
