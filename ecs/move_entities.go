package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// MoveEntities moves all entities of the world src to w, by whole chunks, for example from a world in
// which a region was loaded. It also moves the memory: a slab that only these chunks use changes its owner
// without a copy, and the rows of other slabs are copied, so that the worlds never share a slab. The
// chunks come after those of w, rows stay in their order, and all of them count as changed. Enabled bits,
// cleanup components, chunk components and managed components move too. Shared values are found in w or
// added to it.
//
// The entities get new ids. References to them in components, buffers, chunk components, shared and
// managed values become the new ids, and references to other entities become null. If m is not nil, it
// maps old ids to new ids afterwards.
//
// It is a structural change of both worlds. The error is of category [ErrArgument], and nothing is moved,
// if both worlds are the same, or if an open query of src has a [WithShared] term, because that query
// holds a shared value of src.
func MoveEntities(w, src *World, m *EntityMap) error {
	const op = "MoveEntities"
	if w == nil {
		return noWorld(op)
	}
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
	src.queries.runs = src.queries.runs[:0]
	for _, a := range src.tables.archetypes {
		if !a.isMeta {
			for _, r := range a.chunks {
				src.queries.runs = append(src.queries.runs, span{r, 0, r.n})
			}
		}
	}
	return w.moveRuns(op, src, m)
}

// MoveMatching is [MoveEntities] for the chunks that a query of another world matches and that pass its
// filters. The error is also of category [ErrArgument] in two more cases: if the query matches meta
// entities, or if it asks for enableable components without [IgnoreEnabled]. These are on or off for each
// row, and MoveMatching moves whole chunks.
func MoveMatching(w *World, q *Query, m *EntityMap) error {
	const op = "MoveMatching"
	if w == nil {
		return noWorld(op)
	}
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
	src.queries.runs = src.queries.runs[:0]
	for _, m := range q.matches {
		first := len(src.queries.runs)
		for _, r := range m.look(&src.tables) {
			if m.passes(r, q.since) {
				src.queries.runs = append(src.queries.runs, span{r, 0, r.n})
			}
		}
		if len(src.queries.runs) > first {
			if err := src.tables.mayEdit(op, m.arch); err != nil {
				return err
			}
		}
	}
	return w.moveRuns(op, src, m)
}

// CopyEntities copies entities of the world src to w, and returns the ids of the copies in the order of
// ids. The copies have all components except cleanup components. Managed components refer to the same
// objects. References between the entities become references between the copies. References to other
// entities become null, because those exist only in src.
//
// The error is of category [ErrArgument], and nothing is made, if one of the entities does not exist, is
// destroyed and waits for its cleanup, or comes twice. The same holds if both worlds are equal:
// [World.CloneAll] copies within a world.
func CopyEntities(w, src *World, ids []Entity) ([]Entity, error) {
	const op = "CopyEntities"
	if w == nil {
		return nil, noWorld(op)
	}
	if err := w.readyBoth(op, src); err != nil {
		return nil, err
	}
	defer idleBoth(w, src)
	src.edits.set.reset(len(src.tables.entities.slots))
	src.edits.sources = src.edits.sources[:0]
	if w.moves.ways == nil {
		w.moves.ways = map[*archetype]*move{}
	}
	defer func() { clear(src.edits.sources); clear(w.moves.ways) }() // ways are not kept: see wayBetween
	for _, e := range ids {
		s, err := src.sourceOf(op, e)
		if err != nil {
			return nil, err
		}
		if s.move = w.moves.ways[s.rec.arch]; s.move == nil {
			if s.move, err = w.wayBetween(op, s.rec.arch); err != nil {
				return nil, err
			}
			w.moves.ways[s.rec.arch] = s.move
		}
		src.edits.sources = append(src.edits.sources, s)
	}
	m := &w.moves.moving
	m.from.reset(len(src.tables.entities.slots))
	for _, e := range ids {
		m.from.push(e)
	}
	m.promise(&w.tables)
	w.moves.targetGroups = w.moves.targetGroups[:0]
	err := w.shared.interning(func() error {
		if err := w.planSources(op, src, m); err != nil {
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
	clear(w.moves.targetGroups)
	w.finish()
	return copies, nil
}

// readyBoth prepares both worlds for a structural change, and completes the jobs that write their data.
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

// idleBoth ends the change of both worlds if nothing was changed.
func idleBoth(w, src *World) {
	w.gate.idle()
	src.gate.idle()
}

// EntityMap has the new ids of entities that were moved from one world to another. A program that uses the
// same map for each move allocates nothing.
type EntityMap struct {
	Entities []Entity // the ids in the new world, in the order of archetypes, chunks and rows

	from sparseSet // the old ids, and those of meta entities
	to   []Entity
}

// NewID returns the id in the new world of the entity that had the id old in the old world; the null
// entity if the last move did not include it.
func (m *EntityMap) NewID(old Entity) Entity {
	if k := m.from.find(old); k >= 0 {
		return m.to[k]
	}
	return Entity{}
}

// moveRuns moves the chunks in the runs of src. Before both worlds have committed, an error, or a panic of
// a method of a shared value, leaves them unchanged; after that nothing fails. It moves chunks first, then
// meta entities, because it still reads the meta entities of src then, and updates the lists last.
func (w *World) moveRuns(op string, src *World, m *EntityMap) error {
	rows, refs, err := w.prepare(op, src)
	if err != nil {
		return err
	}
	if m == nil && (refs || src.gate.labels.any()) {
		m = &w.moves.moving
	}
	planned := false
	defer func() {
		if clear(w.moves.targetGroups); !planned && m != nil { // a method of a shared value has panicked
			m.from.reset(0)
		}
	}()
	if m != nil {
		m.expect(w, src)
	}
	err = w.shared.interning(func() error {
		if err := w.planGroups(op, src, m); err != nil {
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
	w.takeChunks(op, src)
	w.adoptMemory(src)
	at := 0
	for i, s := range src.queries.runs {
		r := w.tables.scratch.chunks[i]
		g := &r.arch.groups.only
		if r.arch.shared > 0 {
			if w.moves.targetGroups[at].from != s.rec.group {
				at++
			}
			g = r.arch.groups.of(w.moves.targetGroups[at].values[:r.arch.shared])
		}
		w.settle(r, g, m)
		src.leave(s.rec)
	}
	clear(w.tables.scratch.chunks)
	if m != nil {
		m.Entities = m.to[:rows]
		m.carry(w, src)
	}
	defer src.finish() // runs even if a method panics that w.finish calls
	w.finish()
	return nil
}

// prepare makes the archetypes that the runs of src need. It returns the number of rows, and reports
// whether their values refer to entities.
func (w *World) prepare(op string, src *World) (rows int, refs bool, err error) {
	a := (*archetype)(nil)
	for _, s := range src.queries.runs {
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

// takeChunks makes records of the chunks in the runs of src, in their order, and takes over their meta entities.
func (w *World) takeChunks(op string, src *World) {
	w.tables.scratch.chunks = w.tables.scratch.chunks[:0]
	var a *archetype
	for i, s := range src.queries.runs {
		if i == 0 || s.rec.arch != src.queries.runs[i-1].rec.arch {
			a, _ = w.archetypeLike(op, s.rec.arch) // it exists
		}
		w.tables.scratch.chunks = append(w.tables.scratch.chunks, w.takeOver(src, s.rec, a))
	}
	for i, s := range src.queries.runs {
		if !s.rec.meta.IsZero() {
			w.takeMeta(src, s.rec, w.tables.scratch.chunks[i])
		}
	}
}

// targetGroup is the group that the chunks of a group of another world join, given by its shared values.
type targetGroup struct {
	from   *group
	values [maxShared]int32
}

// planGroups finds out where the chunks that src has in its runs go.
func (w *World) planGroups(op string, src *World, m *EntityMap) error {
	src.gate.ask() // w does so itself
	defer src.gate.answered()
	w.moves.targetGroups = w.moves.targetGroups[:0]
	for _, s := range src.queries.runs {
		if s.rec.arch.shared == 0 {
			continue
		}
		a, _ := w.archetypeLike(op, s.rec.arch) // it exists
		if _, err := w.targetGroupOf(op, a, s.rec, m); err != nil {
			return err
		}
	}
	return nil
}

// targetGroupOf returns the index of the target group of a chunk of another world. Its rows will have
// archetype a.
func (w *World) targetGroupOf(op string, a *archetype, s *record, m *EntityMap) (int, error) {
	last := len(w.moves.targetGroups) - 1
	if last >= 0 && w.moves.targetGroups[last].from == s.group {
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
	w.moves.targetGroups = append(w.moves.targetGroups, to)
	return last + 1, nil
}

// expect fills m with the ids that w will give to the rows in the runs of src, and then to the meta
// entities of these chunks.
func (m *EntityMap) expect(w, src *World) {
	m.Entities = nil
	m.from.reset(len(src.tables.entities.slots))
	for _, s := range src.queries.runs {
		for _, e := range s.ids() {
			m.from.push(e)
		}
	}
	for _, s := range src.queries.runs {
		if !s.rec.meta.IsZero() {
			m.from.push(s.rec.meta)
		}
	}
	m.promise(&w.tables)
}

// promise sets the new ids of m to the ids that w will use next.
func (m *EntityMap) promise(w *tables) {
	n := len(m.from.list)
	w.entities.reserve(n)
	m.to = slices.Grow(m.to[:0], n)[:n]
	w.entities.peek(m.to)
}

// archetypeLike returns the archetype of w with the components of an archetype of another world.
func (w *World) archetypeLike(op string, a *archetype) (*archetype, error) {
	set := w.tables.scratch.edited[:0]
	for i := range a.columns {
		set = append(set, a.columns[i].comp)
	}
	w.tables.scratch.edited = set
	return w.tables.archetypeOf(op, set)
}

// takeOver moves the rows of a chunk of src to a record of w, with new ids. Neither world has updated its
// lists yet.
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

// adoptMemory makes the memory of the chunks that were taken over memory of w. It comes after the
// meta entities of src have gone, so that a world which is moved as a whole has nothing
// left that would keep a slab.
func (w *World) adoptMemory(src *World) {
	list := w.tables.scratch.places[:0]
	for _, r := range w.tables.scratch.chunks {
		list = append(list, table.Arrival{Place: &r.Place, Shape: r.arch.shape, Rows: r.n})
	}
	w.tables.memory.Adopt(list, src.tables.memory)
	clear(list)
	w.tables.scratch.places = list[:0]
}

// takeMeta makes a meta entity for a chunk that w has taken over, copies the values of the old meta
// entity, and destroys that.
func (w *World) takeMeta(src *World, s, r *record) {
	w.tables.newMeta(r)
	old, meta := src.tables.entities.find(s.meta), w.tables.entities.find(r.meta)
	from, to := src.tables.records[old.record], w.tables.records[meta.record]
	to.arch.copy.Rows(&to.Place, int(meta.row), &from.Place, int(old.row), 1) // equal types have equal lanes
	src.tables.endRows(span{from, int(old.row), 1})
	src.tables.metas--
	s.meta = Entity{}
}

// settle enters a chunk that w has taken over in the lists of w.
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

// leave forgets a record whose chunk now belongs to another world.
func (w *World) leave(s *record) {
	w.tables.delist(s)
	clear(s.spills)
	s.arch, s.group = nil, nil
	w.tables.spare = append(w.tables.spare, s)
}

// shared returns a shared value in which the entity ids are the new ones.
func (m *EntityMap) shared(c *component, v any) any { return boxRefs(c, v, m.NewID) }

// planSources is planGroups for the entities that are the sources of src.
func (w *World) planSources(op string, src *World, m *EntityMap) (err error) {
	src.gate.ask()
	defer src.gate.answered()
	for k := range src.edits.sources {
		s := &src.edits.sources[k]
		if s.move.to.shared > 0 && err == nil {
			s.target, err = w.targetGroupOf(op, s.move.to, s.rec, m)
		}
	}
	return err
}

// takeCopies copies the sources of src. It first gives ids to all copies, because a shared value may refer
// to a later copy.
func (w *World) takeCopies(src *World, m *EntityMap) []Entity {
	copies := make([]Entity, len(src.edits.sources))
	w.tables.entities.take(copies, 0, 0)
	to := func(_ int, id Entity) Entity { return m.NewID(id) }
	for k, s := range src.edits.sources {
		g := &s.move.to.groups.only
		if s.move.to.shared > 0 {
			g = s.move.to.groups.of(w.moves.targetGroups[s.target].values[:s.move.to.shared])
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

// wayBetween returns the move from an archetype of another world to the archetype of the copies in w. It
// is not cached, so that no world keeps another one alive.
func (w *World) wayBetween(op string, a *archetype) (*move, error) {
	set := slices.DeleteFunc(a.components(), func(c *component) bool { return c.kind.has(isCleanup) })
	b, err := w.tables.archetypeOf(op, set)
	if err != nil {
		return nil, err
	}
	return a.newMove(b), nil
}

// carry gives the moved entities the names that they had in src.
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

// moveScratch is memory that moves and copies from another world use again.
type moveScratch struct {
	ways         map[*archetype]*move // of CopyEntities
	moving       EntityMap            // of MoveEntities, if it is given no map
	targetGroups []targetGroup        // of both: where chunks go
}
