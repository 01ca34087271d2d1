package ecs

import (
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// MoveEntities moves all entities of the world src to w, by whole chunks. It takes over the
// memory too: a slab that only these chunks use changes its owner as it is, and
// the rows of other slabs are copied, so that w never keeps memory that
// src still uses. The chunks come behind those of w, rows stay in
// their order, and all of them count as changed. Enabled bits, cleanup components,
// chunk components and managed components come along. Shared values are found in
// w or added to it.
//
// The entities get new ids, and so does every reference to them in components,
// buffers, chunk components, shared and managed values. References to other entities
// become null. The map m, unless it is nil, tells which id became which.
//
// It is a structural change of both worlds. The error is of category [ErrArgument],
// and nothing is moved, if both worlds are the same, or an open query of src has a [WithShared] term, because
// the query holds a shared value that would stay behind.
func MoveEntities(w, src *World, m *EntityMap) error {
	if w == nil {
		return noWorld("MoveEntities")
	}
	return w.moveFrom(src, m)
}

// MoveMatching is [MoveEntities] for the chunks that a query of another world
// matches. Filters of the query apply. The error is of category [ErrArgument] too if the query
// asks for enableable components, because these are on or off for each row, or matches meta
// entities.
func MoveMatching(w *World, q *Query, m *EntityMap) error {
	if w == nil {
		return noWorld("MoveMatching")
	}
	return w.moveMatchingFrom(q, m)
}

// CopyEntities makes copies in w of entities of the world src, and returns their ids in the
// order of ids. The copies have all components except those of cleanup. Managed
// components point to the same objects. References between the entities become references between the copies.
// References to others become null, because those are of the other world.
//
// The error is of category [ErrArgument], and nothing is made, if one of the entities
// does not exist, was destroyed, or comes twice, or if both worlds are the same: [World.CloneAll] copies
// within a world.
func CopyEntities(w, src *World, ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("CopyEntities")
	}
	return w.copyFrom(src, ids)
}

// moveFrom is MoveEntities for a world that is not nil.
func (w *World) moveFrom(src *World, moved *EntityMap) error {
	const op = "MoveEntities"
	if err := w.readyBoth(op, src); err != nil {
		return err
	}
	defer idleBoth(w, src)
	for _, q := range src.queries.list {
		for _, f := range q.only {
			if f.value != 0 {
				return w.gate.fault(ErrArgument, op, "%v of world %q holds a shared value: close it first, or use MoveMatching", q, src.gate.name).on(f.comp)
			}
		}
	}
	src.scratch.runs = src.scratch.runs[:0]
	for _, a := range src.tables.archetypes {
		if !a.isMeta {
			for _, r := range a.chunks {
				src.scratch.runs = append(src.scratch.runs, span{r, 0, r.n})
			}
		}
	}
	return w.moveRuns(op, src, moved)
}

// moveMatchingFrom is MoveMatching for a world that is not nil.
func (w *World) moveMatchingFrom(q *Query, moved *EntityMap) error {
	const op = "MoveMatching"
	if q == nil {
		return w.gate.fault(ErrArgument, op, "the query is nil")
	}
	src := q.World()
	if err := src.own(op, q); err != nil {
		return err
	}
	if err := w.readyBoth(op, src); err != nil {
		return err
	}
	defer idleBoth(w, src)
	if bits := slices.Concat(q.bits, q.switched()); len(bits) > 0 {
		return w.gate.fault(ErrArgument, op, "whole chunks are moved, and %v asks for what each row has on or off: add IgnoreEnabled", q).on(bits[0])
	}
	src.scratch.runs = src.scratch.runs[:0]
	for _, m := range q.matches {
		first := len(src.scratch.runs)
		for _, r := range m.look(&src.tables) {
			if m.passes(r, q.since) {
				src.scratch.runs = append(src.scratch.runs, span{r, 0, r.n})
			}
		}
		if len(src.scratch.runs) > first {
			if err := src.tables.mayEdit(op, m.arch); err != nil {
				return err
			}
		}
	}
	return w.moveRuns(op, src, moved)
}

// copyFrom is CopyEntities for a world that is not nil.
func (w *World) copyFrom(src *World, ids []Entity) ([]Entity, error) {
	const op = "CopyEntities"
	if err := w.readyBoth(op, src); err != nil {
		return nil, err
	}
	defer idleBoth(w, src)
	src.scratch.set.reset(len(src.tables.entities.slots))
	src.scratch.sources = src.scratch.sources[:0]
	if w.scratch.ways == nil {
		w.scratch.ways = map[*archetype]*move{}
	}
	defer func() { clear(src.scratch.sources); clear(w.scratch.ways) }() // ways are not kept: see wayBetween
	for _, e := range ids {
		s, err := src.sourceOf(op, e)
		if err != nil {
			return nil, err
		}
		if s.move = w.scratch.ways[s.rec.arch]; s.move == nil {
			if s.move, err = w.wayBetween(op, s.rec.arch); err != nil {
				return nil, err
			}
			w.scratch.ways[s.rec.arch] = s.move
		}
		src.scratch.sources = append(src.scratch.sources, s)
	}
	m := &w.scratch.moving
	m.from.reset(len(src.tables.entities.slots))
	for _, e := range ids {
		m.from.push(e)
	}
	m.promise(&w.tables)
	w.scratch.targetGroups = w.scratch.targetGroups[:0]
	err := w.shared.interning(func() error {
		if err := w.landSources(op, src, m); err != nil {
			return err
		}
		w.committing(op)
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.gate.structural++
	copies := w.takeCopies(src, m)
	m.carry(w, src)
	clear(w.scratch.targetGroups)
	w.finish()
	return copies, nil
}

// readyBoth makes both worlds ready for a structural change, and their data
// available.
func (w *World) readyBoth(op string, src *World) error {
	switch src {
	case nil:
		return w.gate.fault(ErrArgument, op, "the other world is nil")
	case w:
		return w.gate.fault(ErrArgument, op, "both worlds are the same")
	}
	for _, one := range []*World{w, src} {
		if err := one.canChange(op); err != nil {
			if one == src {
				w.gate.idle()
			}
			return err
		}
	}
	for _, one := range []*World{w, src} {
		if err := one.complete(op); err != nil {
			idleBoth(w, src)
			return err
		}
	}
	return nil
}

// idleBoth ends the changes that between has begun, where that is left to do.
func idleBoth(w, src *World) {
	w.gate.idle()
	src.gate.idle()
}

// compactIfDue calls Compact if that is due and can be.
func (w *World) compactIfDue() {
	if w.gate.visiting == 0 && w.autoCompact.due(&w.tables) && Compact(w) == nil {
		w.autoCompact.listing = w.tables.listing
	}
}

// EntityMap has the new ids of entities that were moved from one world to another. A program that keeps
// it and uses it for the next move allocates nothing.
type EntityMap struct {
	Entities []Entity // their ids in the new world: archetypes, chunks and rows in order

	from sparseSet // their old ids, and those of meta entities
	to   []Entity
}

// NewID returns the id in the new world of an entity that had the id old in the old world; the null
// entity if the last move did not include it.
func (m *EntityMap) NewID(old Entity) Entity {
	if k := m.from.find(old); k >= 0 {
		return m.to[k]
	}
	return Entity{}
}

// moveRuns takes over the chunks that src has in its runs. Until both worlds have committed nothing has moved, and an
// error or a panic of a method of a shared value leaves them as they were; behind that nothing fails. Chunks are taken
// over first, then meta entities, so that those of src are still there to be asked, then the lists that say so.
func (w *World) moveRuns(op string, src *World, m *EntityMap) error {
	rows, refs, err := w.prepare(op, src)
	if err != nil {
		return err
	}
	if m == nil && (refs || src.gate.labels.any()) {
		m = &w.scratch.moving
	}
	planned := false
	defer func() {
		if clear(w.scratch.targetGroups); !planned && m != nil { // a method of a shared value has panicked
			m.from.reset(0)
		}
	}()
	if m != nil {
		m.expect(w, src)
	}
	err = w.shared.interning(func() error {
		if err := w.land(op, src, m); err != nil {
			return err
		}
		if err := w.commit(op); err != nil {
			return err
		}
		return src.commit(op)
	})
	if err != nil {
		return err
	}
	planned = true
	w.tables.entities.reserve(rows)
	w.arrive(op, src)
	w.adopt(src)
	at := 0
	for i, s := range src.scratch.runs {
		r := w.tables.scratch.arrived[i]
		g := &r.arch.groups.only
		if r.arch.shared > 0 {
			if w.scratch.targetGroups[at].from != s.rec.group {
				at++
			}
			g = r.arch.groups.of(w.scratch.targetGroups[at].values[:r.arch.shared])
		}
		w.settle(r, g, m)
		src.leave(s.rec)
	}
	clear(w.tables.scratch.arrived)
	if m != nil {
		m.Entities = m.to[:rows]
		m.carry(w, src)
	}
	defer src.finish() // though a method panics that the other calls
	w.finish()
	return nil
}

// prepare makes the archetypes that the runs of src need, and returns how many rows these have, and whether values of
// them refer to entities.
func (w *World) prepare(op string, src *World) (rows int, refs bool, err error) {
	a := (*archetype)(nil)
	for _, s := range src.scratch.runs {
		if rows += s.n; s.rec.arch != a {
			a = s.rec.arch
			if _, err := w.archetypeLike(op, a); err != nil {
				return 0, false, err
			}
			refs = refs || a.refers()
		}
	}
	return rows, refs, nil
}

// arrive makes records of the chunks in the runs of src, in their order, and takes over their meta entities.
func (w *World) arrive(op string, src *World) {
	w.tables.scratch.arrived = w.tables.scratch.arrived[:0]
	var a *archetype
	for i, s := range src.scratch.runs {
		if i == 0 || s.rec.arch != src.scratch.runs[i-1].rec.arch {
			a, _ = w.archetypeLike(op, s.rec.arch) // it is there
		}
		w.tables.scratch.arrived = append(w.tables.scratch.arrived, w.takeOver(src, s.rec, a))
	}
	for i, s := range src.scratch.runs {
		if !s.rec.meta.IsZero() {
			w.takeMeta(src, s.rec, w.tables.scratch.arrived[i])
		}
	}
}

// targetGroup is where chunks of a group of another world go: the shared values that they
// will have.
type targetGroup struct {
	from   *group
	values [maxShared]int32
}

// land finds out where the chunks that src has in its runs go.
func (w *World) land(op string, src *World, m *EntityMap) error {
	src.gate.ask() // w does so itself
	defer src.gate.answered()
	w.scratch.targetGroups = w.scratch.targetGroups[:0]
	for _, s := range src.scratch.runs {
		if s.rec.arch.shared == 0 {
			continue
		}
		a, _ := w.archetypeLike(op, s.rec.arch) // it is there
		if _, err := w.targetGroupOf(op, a, s.rec, m); err != nil {
			return err
		}
	}
	return nil
}

// targetGroupOf returns the place in the targetGroups of that of a chunk of another world,
// whose rows will be of archetype a.
func (w *World) targetGroupOf(op string, a *archetype, s *record, m *EntityMap) (int, error) {
	last := len(w.scratch.targetGroups) - 1
	if last >= 0 && w.scratch.targetGroups[last].from == s.group {
		return last, nil
	}
	to := targetGroup{from: s.group}
	for i, own := range a.stores {
		k := s.arch.columns[s.arch.find(own.comp.key)].shared
		if from := s.group.values[k]; from != 0 {
			var err error
			if to.values[i], err = w.shared.intern(op, own, m.shared(own.comp, s.arch.stores[k].values[from])); err != nil {
				return 0, err
			}
		}
	}
	w.scratch.targetGroups = append(w.scratch.targetGroups, to)
	return last + 1, nil
}

// expect fills m with the ids that w will give the rows of the chunks that src has in
// its runs, and then the meta entities of these chunks.
func (m *EntityMap) expect(w, src *World) {
	m.Entities = nil
	m.from.reset(len(src.tables.entities.slots))
	for _, s := range src.scratch.runs {
		for _, e := range s.ids() {
			m.from.push(e)
		}
	}
	for _, s := range src.scratch.runs {
		if !s.rec.meta.IsZero() {
			m.from.push(s.rec.meta)
		}
	}
	m.promise(&w.tables)
}

// promise gives those that m is from the ids that w will give next.
func (m *EntityMap) promise(w *tables) {
	n := len(m.from.list)
	w.entities.reserve(n)
	m.to = slices.Grow(m.to[:0], n)[:n]
	w.entities.peek(m.to)
}

// archetypeLike returns the archetype of w with the components of one of another
// world.
func (w *World) archetypeLike(op string, a *archetype) (*archetype, error) {
	set := w.tables.scratch.edited[:0]
	for i := range a.columns {
		set = append(set, a.columns[i].comp)
	}
	w.tables.scratch.edited = set
	return w.tables.archetypeOf(op, set)
}

// refers reports whether there are entity ids in the rows, or the shared values, of
// a.
func (a *composition) refers() bool {
	for i := range a.columns {
		if c := a.columns[i].comp; len(c.refs)+len(c.boxed) > 0 {
			return true
		}
	}
	return false
}

// takeOver makes the rows of a chunk of src those of a record of w, with new ids.
// Neither is in a list that says so yet.
func (w *World) takeOver(src *World, s *record, a *archetype) *record {
	src.tables.moved(s)
	s.arch.crossings += uint32(s.n)
	a.crossings += uint32(s.n)
	r := w.tables.takeRecord()
	own := s.ids()[:s.n]
	src.tables.entities.release(own)
	w.tables.entities.take(own, r.id, 0)
	r.arch, r.Place, r.n = a, s.Place, s.n
	r.spills, s.spills = s.spills, r.spills
	r.switches, s.switches = s.switches, r.switches
	r.objects, s.objects = s.objects, nil
	r.through = r.through[:0] // it may have been a chunk of meta entities
	s.arch.rows -= s.n
	s.Place, s.n = table.Place{}, 0
	return r
}

// adopt makes the memory of the chunks that have arrived memory of w. It comes after the
// meta entities of src have gone, so that a world which is moved as a whole has nothing
// left that would keep a slab.
func (w *World) adopt(src *World) {
	list := w.tables.scratch.arrivals[:0]
	for _, r := range w.tables.scratch.arrived {
		list = append(list, table.Arrival{Place: &r.Place, Shape: r.arch.shape, Rows: r.n})
	}
	w.tables.memory.Adopt(list, src.tables.memory)
	clear(list)
	w.tables.scratch.arrivals = list[:0]
}

// takeMeta makes the meta entity of a chunk that w has taken over, with the values
// of the old one, and ends that.
func (w *World) takeMeta(src *World, s, r *record) {
	w.tables.newMeta(r)
	old, meta := src.tables.entities.find(s.meta), w.tables.entities.find(r.meta)
	from, to := src.tables.records[old.record], w.tables.records[meta.record]
	to.arch.copy.Rows(&to.Place, int(meta.row), &from.Place, int(old.row), 1) // equal types: equal lanes
	src.tables.endRows(span{from, int(old.row), 1})
	src.tables.metas--
	s.meta = Entity{}
}

// settle puts a chunk that w has taken over into its lists.
func (w *World) settle(r *record, g *group, m *EntityMap) {
	w.tables.enlist(r, r.arch, g)
	r.arch.rows += r.n
	w.tables.moved(r)
	w.tables.touchAll(r)
	if m == nil {
		return
	}
	to := func(_ int, id Entity) Entity { return m.NewID(id) }
	if r.arch.refs {
		span{r, 0, r.n}.mapRefs(to)
	}
	if !r.meta.IsZero() {
		meta := w.tables.entities.find(r.meta)
		span{w.tables.records[meta.record], int(meta.row), 1}.mapRefs(to)
	}
}

// leave forgets a record whose chunk is another world's now.
func (w *World) leave(s *record) {
	w.tables.delist(s)
	clear(s.spills)
	s.arch, s.group = nil, nil
	w.tables.spare = append(w.tables.spare, s)
}

// shared returns a shared value in which the entity ids are the new ones.
func (m *EntityMap) shared(c *component, v any) any { return boxRefs(c, v, m.NewID) }

// landSources is land for the entities that are the sources of src.
func (w *World) landSources(op string, src *World, m *EntityMap) (err error) {
	src.gate.ask()
	defer src.gate.answered()
	for k := range src.scratch.sources {
		s := &src.scratch.sources[k]
		if s.move.to.shared > 0 && err == nil {
			s.target, err = w.targetGroupOf(op, s.move.to, s.rec, m)
		}
	}
	return err
}

// takeCopies copies the sources of src. They have ids before they have a place: a
// shared value may refer to one that comes later.
func (w *World) takeCopies(src *World, m *EntityMap) []Entity {
	copies := make([]Entity, len(src.scratch.sources))
	w.tables.entities.take(copies, 0, 0)
	to := func(_ int, id Entity) Entity { return m.NewID(id) }
	for k, s := range src.scratch.sources {
		g := &s.move.to.groups.only
		if s.move.to.shared > 0 {
			g = s.move.to.groups.of(w.scratch.targetGroups[s.target].values[:s.move.to.shared])
		}
		dst := w.tables.claim(s.move.to, g, 1)
		dst.ids()[0] = copies[k]
		w.tables.entities.place(dst.ids(), dst.rec.id, dst.first)
		s.move.spread(dst, s.rec, s.row)
		w.tables.touchAll(dst.rec)
		dst.mapRefs(to)
	}
	return copies
}

// wayBetween returns the way from an archetype of another world to that of copies
// in w. It is not kept, so that no world keeps another one alive.
func (w *World) wayBetween(op string, a *archetype) (*move, error) {
	set := slices.DeleteFunc(a.components(), func(c *component) bool { return c.kind.has(isCleanup) })
	b, err := w.tables.archetypeOf(op, set)
	if err != nil {
		return nil, err
	}
	return a.newMove(b), nil
}

// carry gives what came from src under other ids the names that it had there.
func (m *EntityMap) carry(w, src *World) {
	if !src.gate.labels.any() {
		return
	}
	eachName(src.gate.labels.pages, func(old Entity, name string) {
		if id := m.NewID(old); w.tables.entities.find(id) != nil {
			w.label(id, name)
		}
	})
}

// boxRefs returns a shared value in which f has replaced the ids.
func boxRefs(c *component, v any, f func(Entity) Entity) any {
	if len(c.boxed) == 0 {
		return v
	}
	box := reflect.New(c.typ)
	box.Elem().Set(reflect.ValueOf(v))
	for _, at := range c.boxed {
		id := entityIn(box, at)
		*id = f(*id)
	}
	return box.Elem().Interface()
}
