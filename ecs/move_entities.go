package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// MoveEntities moves all entities of the world src to w, in whole chunks. For example, src may be a world
// in which a region was loaded. It also moves the memory. If a slab contains only chunks of src, the slab
// becomes a slab of w without a copy. The rows of other slabs are copied, so that the worlds never share a
// slab. The chunks are appended after the chunks of w, and their rows stay in order. All rows count as
// changed. Enabled bits, cleanup components, chunk components and managed components move too. Shared
// values are found in w or added to it.
//
// The entities get new ids. References to moved entities are replaced by the new ids, in components,
// buffers, chunk components, shared values and managed values. References to other entities become
// null. If m is not nil, it then maps old ids to new ids.
//
// MoveEntities is a structural change of both worlds. The error is of category [ErrArgument], and nothing
// is moved, if both worlds are the same. The same error is returned if an open query of src has a
// [WithShared] term, because that query holds a shared value of src.
func MoveEntities(w, src *World, m *EntityMap) error {
	const op = "MoveEntities"
	if w == nil {
		return noWorldError(op)
	}
	if err := w.beginBoth(op, src); err != nil {
		return err
	}
	defer endBothUnchanged(w, src)
	for _, q := range src.queries.list {
		for _, f := range q.sharedFilters {
			if f.valueIndex != 0 {
				return w.gate.fault(ErrArgument, op, "%v of world %q holds a shared value: close it first, or use MoveMatching", q, src.gate.name).forComponent(f.comp)
			}
		}
	}
	src.queries.selectedRows = src.queries.selectedRows[:0]
	for _, a := range src.tables.archetypes {
		if !a.isMeta {
			for _, r := range a.chunks {
				src.queries.selectedRows = append(src.queries.selectedRows, rowRange{r, 0, r.count})
			}
		}
	}
	return w.moveSelected(op, src, m)
}

// MoveMatching is like [MoveEntities], but moves only the chunks of another world that match a query
// and pass its filters. In two more cases the error is also of category [ErrArgument]: the query
// matches meta entities, or it asks for enableable components without [IgnoreEnabled]. The second
// case is an error because enableable components are on or off for each row, whereas MoveMatching
// moves whole chunks.
func MoveMatching(w *World, q *Query, m *EntityMap) error {
	const op = "MoveMatching"
	if w == nil {
		return noWorldError(op)
	}
	if q == nil {
		return w.gate.fault(ErrArgument, op, "the query is nil")
	}
	src := q.World()
	if err := src.checkOwnQuery(op, q); err != nil {
		return err
	}
	if err := w.beginBoth(op, src); err != nil {
		return err
	}
	defer endBothUnchanged(w, src)
	if bits := slices.Concat(q.enableables, q.enableableMembers()); len(bits) > 0 {
		return w.gate.fault(ErrArgument, op, "whole chunks are moved, and %v asks for what each row has on or off: add IgnoreEnabled", q).forComponent(bits[0])
	}
	src.queries.selectedRows = src.queries.selectedRows[:0]
	for _, m := range q.matches {
		first := len(src.queries.selectedRows)
		for _, r := range m.candidateChunks(&src.tables) {
			if m.chunkPasses(r, q.since) {
				src.queries.selectedRows = append(src.queries.selectedRows, rowRange{r, 0, r.count})
			}
		}
		if len(src.queries.selectedRows) > first {
			if err := src.tables.checkNotMeta(op, m.arch); err != nil {
				return err
			}
		}
	}
	return w.moveSelected(op, src, m)
}

// CopyEntities copies entities of the world src to w, and returns the ids of the copies in the order of
// ids. The copies have all components except cleanup components. Managed components refer to the same
// objects. References between the entities become references between the copies. References to other
// entities become null, because those exist only in src.
//
// The error is of category [ErrArgument], and nothing is created, if an entity does not exist, is a
// destroyed entity that waits for its cleanup, or occurs twice. The error is also of this category
// if both worlds are the same, because [World.CloneAll] makes copies within a world.
func CopyEntities(w, src *World, ids []Entity) ([]Entity, error) {
	const op = "CopyEntities"
	if w == nil {
		return nil, noWorldError(op)
	}
	if err := w.beginBoth(op, src); err != nil {
		return nil, err
	}
	defer endBothUnchanged(w, src)
	src.editScratch.entitySet.reset(len(src.tables.entities.slots))
	src.editScratch.copySources = src.editScratch.copySources[:0]
	if w.moveScratch.copyMoves == nil {
		w.moveScratch.copyMoves = map[*archetype]*archetypeMove{}
	}
	defer func() { clear(src.editScratch.copySources); clear(w.moveScratch.copyMoves) }() // ways are not kept: see moveBetween
	for _, e := range ids {
		s, err := src.copySourceOf(op, e)
		if err != nil {
			return nil, err
		}
		if s.move = w.moveScratch.copyMoves[s.chunk.arch]; s.move == nil {
			if s.move, err = w.moveBetween(op, s.chunk.arch); err != nil {
				return nil, err
			}
			w.moveScratch.copyMoves[s.chunk.arch] = s.move
		}
		src.editScratch.copySources = append(src.editScratch.copySources, s)
	}
	m := &w.moveScratch.defaultMap
	m.oldIDs.reset(len(src.tables.entities.slots))
	for _, e := range ids {
		m.oldIDs.push(e)
	}
	m.peekIDs(&w.tables)
	w.moveScratch.targetGroups = w.moveScratch.targetGroups[:0]
	err := w.shared.internTogether(func() error {
		if err := w.planSourceGroups(op, src, m); err != nil {
			return err
		}
		w.callCommitHooks(op)
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.gate.endViews()
	copies := w.copySourcesFrom(src, m)
	m.copyNames(w, src)
	clear(w.moveScratch.targetGroups)
	w.endChange()
	return copies, nil
}

// beginBoth prepares both worlds for a structural change, and completes the jobs that write their data.
func (w *World) beginBoth(op string, src *World) error {
	switch src {
	case nil:
		return w.gate.fault(ErrArgument, op, "the other world is nil")
	case w:
		return w.gate.fault(ErrArgument, op, "both worlds are the same")
	}
	for _, one := range []*World{w, src} {
		if err := one.checkCanChange(op); err != nil {
			if one == src {
				w.gate.endUnchanged()
			}
			return err
		}
	}
	for _, one := range []*World{w, src} {
		if err := one.completeJobs(op); err != nil {
			endBothUnchanged(w, src)
			return err
		}
	}
	return nil
}

// endBothUnchanged ends the change of both worlds if nothing was changed.
func endBothUnchanged(w, src *World) {
	w.gate.endUnchanged()
	src.gate.endUnchanged()
}

// EntityMap maps old ids to new ids, for entities that were moved from one world to another. A program
// that uses the same map for each move allocates nothing.
type EntityMap struct {
	Entities []Entity // the ids in the new world, in the order of archetypes, chunks and rows

	oldIDs sparseSet // the old ids, and those of meta entities
	newIDs []Entity
}

// NewID returns the id in the new world of the entity that had the id old in its former world.
// NewID returns the null entity if the last move did not include that entity.
func (m *EntityMap) NewID(old Entity) Entity {
	if k := m.oldIDs.indexOf(old); k >= 0 {
		return m.newIDs[k]
	}
	return Entity{}
}

// moveSelected moves the chunks that contain the selected rows of src. If there is an error, or if a method of a shared
// value panics, before both worlds have committed the change, both worlds are unchanged. After that nothing can fail.
// It moves chunks first, because moving them reads the meta entities of src. Then it moves the meta entities, and it
// updates the lists last.
func (w *World) moveSelected(op string, src *World, m *EntityMap) error {
	rows, refs, err := w.prepareMove(op, src)
	if err != nil {
		return err
	}
	if m == nil && (refs || src.gate.entityNames.hasNames()) {
		m = &w.moveScratch.defaultMap
	}
	planned := false
	defer func() {
		if clear(w.moveScratch.targetGroups); !planned && m != nil { // a method of a shared value has panicked
			m.oldIDs.reset(0)
		}
	}()
	if m != nil {
		m.predictIDs(w, src)
	}
	err = w.shared.internTogether(func() error {
		if err := w.planGroups(op, src, m); err != nil {
			return err
		}
		if err := w.beginAllowedChange(op); err != nil {
			return err
		}
		return src.beginAllowedChange(op)
	})
	if err != nil {
		return err
	}
	planned = true
	w.tables.entities.growFor(rows)
	w.takeOverChunks(op, src)
	w.adoptMemory(src)
	at := 0
	for i, s := range src.queries.selectedRows {
		r := w.tables.scratch.chunks[i]
		g := &r.arch.groups.single
		if r.arch.sharedCount > 0 {
			if w.moveScratch.targetGroups[at].source != s.chunk.group {
				at++
			}
			g = r.arch.groups.findOrCreate(w.moveScratch.targetGroups[at].values[:r.arch.sharedCount])
		}
		w.enlistTakenOver(r, g, m)
		src.forgetChunk(s.chunk)
	}
	clear(w.tables.scratch.chunks)
	if m != nil {
		m.Entities = m.newIDs[:rows]
		m.copyNames(w, src)
	}
	defer src.endChange() // runs even if a method panics that w.finish calls
	w.endChange()
	return nil
}

// prepareMove creates the archetypes that the selected rows of src need. prepareMove returns the number of
// rows, and reports whether the rows' values refer to entities.
func (w *World) prepareMove(op string, src *World) (rows int, refs bool, err error) {
	a := (*archetype)(nil)
	for _, s := range src.queries.selectedRows {
		if rows += s.count; s.chunk.arch != a {
			a = s.chunk.arch
			if _, err := w.equivalentArchetype(op, a); err != nil {
				return 0, false, err
			}
			refs = refs || a.hasRefs()
		}
	}
	return rows, refs, nil
}

// takeOverChunks creates a chunkData for each chunk in the selected rows of src, in their order,
// and takes over the meta entities of these chunks.
func (w *World) takeOverChunks(op string, src *World) {
	w.tables.scratch.chunks = w.tables.scratch.chunks[:0]
	var a *archetype
	for i, s := range src.queries.selectedRows {
		if i == 0 || s.chunk.arch != src.queries.selectedRows[i-1].chunk.arch {
			a, _ = w.equivalentArchetype(op, s.chunk.arch) // it exists
		}
		w.tables.scratch.chunks = append(w.tables.scratch.chunks, w.takeOverChunk(src, s.chunk, a))
	}
	for i, s := range src.queries.selectedRows {
		if !s.chunk.meta.IsZero() {
			w.takeOverMeta(src, s.chunk, w.tables.scratch.chunks[i])
		}
	}
}

// targetGroup describes the group of w that the chunks of a group of another world will join. A
// targetGroup identifies this group by its shared values.
type targetGroup struct {
	source *chunkGroup
	values [maxShared]int32
}

// planGroups determines the target groups of the chunks in the selected rows of src.
func (w *World) planGroups(op string, src *World, m *EntityMap) error {
	src.gate.blockChanges() // w does so itself
	defer src.gate.unblockChanges()
	w.moveScratch.targetGroups = w.moveScratch.targetGroups[:0]
	for _, s := range src.queries.selectedRows {
		if s.chunk.arch.sharedCount == 0 {
			continue
		}
		a, _ := w.equivalentArchetype(op, s.chunk.arch) // it exists
		if _, err := w.targetGroupOf(op, a, s.chunk, m); err != nil {
			return err
		}
	}
	return nil
}

// targetGroupOf returns the index of the target group of a chunk of another world. a is the archetype
// to which the chunk's rows will belong.
func (w *World) targetGroupOf(op string, a *archetype, s *chunkData, m *EntityMap) (int, error) {
	last := len(w.moveScratch.targetGroups) - 1
	if last >= 0 && w.moveScratch.targetGroups[last].source == s.group {
		return last, nil
	}
	to := targetGroup{source: s.group}
	for i, own := range a.sharedStores {
		k := s.arch.columns[s.arch.findColumn(own.comp.key)].sharedIndex
		if from := s.group.valueIndices[k]; from != 0 {
			var err error
			if to.values[i], err = w.shared.intern(op, own, m.remapShared(own.comp, s.arch.sharedStores[k].values[from])); err != nil {
				return 0, err
			}
		}
	}
	w.moveScratch.targetGroups = append(w.moveScratch.targetGroups, to)
	return last + 1, nil
}

// predictIDs fills m with the ids that w will assign to the selected rows of src, and then to the
// meta entities of these chunks.
func (m *EntityMap) predictIDs(w, src *World) {
	m.Entities = nil
	m.oldIDs.reset(len(src.tables.entities.slots))
	for _, s := range src.queries.selectedRows {
		for _, e := range s.ids() {
			m.oldIDs.push(e)
		}
	}
	for _, s := range src.queries.selectedRows {
		if !s.chunk.meta.IsZero() {
			m.oldIDs.push(s.chunk.meta)
		}
	}
	m.peekIDs(&w.tables)
}

// peekIDs fills the list of new ids in m with the ids that w will use next.
func (m *EntityMap) peekIDs(w *tables) {
	n := len(m.oldIDs.list)
	w.entities.growFor(n)
	m.newIDs = slices.Grow(m.newIDs[:0], n)[:n]
	w.entities.peekIDs(m.newIDs)
}

// equivalentArchetype returns the archetype of w with the components of an archetype of another world.
func (w *World) equivalentArchetype(op string, a *archetype) (*archetype, error) {
	set := w.tables.scratch.editedSet[:0]
	for i := range a.columns {
		set = append(set, a.columns[i].comp)
	}
	w.tables.scratch.editedSet = set
	return w.tables.archetypeOf(op, set)
}

// takeOverChunk makes the rows of a chunk of src the rows of a new chunkData of w, and gives them new ids.
// Neither world has updated its lists yet.
func (w *World) takeOverChunk(src *World, s *chunkData, a *archetype) *chunkData {
	src.tables.noteRowsChanged(s)
	s.arch.worldMoveCount += uint32(s.count)
	a.worldMoveCount += uint32(s.count)
	r := w.tables.takeChunkData()
	own := s.ids()[:s.count]
	src.tables.entities.freeIDs(own)
	w.tables.entities.assignIDs(own, r.id, 0)
	r.arch, r.Place, r.count = a, s.Place, s.count
	r.bufferHeaps, s.bufferHeaps = s.bufferHeaps, r.bufferHeaps
	r.enabledBits, s.enabledBits = s.enabledBits, r.enabledBits
	r.managedColumns, s.managedColumns = s.managedColumns, nil
	r.throughVersions = r.throughVersions[:0] // it may have been a chunk of meta entities
	s.arch.rowCount -= s.count
	s.Place, s.count = table.Place{}, 0
	return r
}

// adoptMemory transfers the memory of the chunks that w has taken over from src to w. It runs
// after the meta entities of src are gone. So if a world is moved completely, nothing is left that
// would keep a slab alive.
func (w *World) adoptMemory(src *World) {
	list := w.tables.scratch.arrivals[:0]
	for _, r := range w.tables.scratch.chunks {
		list = append(list, table.Arrival{Place: &r.Place, Shape: r.arch.shape, Rows: r.count})
	}
	w.tables.memory.Adopt(list, src.tables.memory)
	clear(list)
	w.tables.scratch.arrivals = list[:0]
}

// takeOverMeta creates a meta entity for a chunk that w has taken over. It copies the values of the
// old meta entity, and destroys the old one.
func (w *World) takeOverMeta(src *World, s, r *chunkData) {
	w.tables.newMeta(r)
	old, meta := src.tables.entities.find(s.meta), w.tables.entities.find(r.meta)
	from, to := src.tables.chunks[old.chunk], w.tables.chunks[meta.chunk]
	to.arch.rowCopy.Rows(&to.Place, int(meta.row), &from.Place, int(old.row), 1) // equal types have equal lanes
	src.tables.destroyIgnoringCleanup(rowRange{from, int(old.row), 1})
	src.tables.metaCount--
	s.meta = Entity{}
}

// enlistTakenOver adds a chunk that w has taken over to the lists of w.
func (w *World) enlistTakenOver(r *chunkData, g *chunkGroup, m *EntityMap) {
	w.tables.enlist(r, r.arch, g)
	r.arch.rowCount += r.count
	w.tables.noteRowsChanged(r)
	w.tables.markAllColumns(r)
	if m == nil {
		return
	}
	to := func(_ int, id Entity) Entity { return m.NewID(id) }
	if r.arch.holdsEntityIDs {
		rowRange{r, 0, r.count}.mapRefs(to)
	}
	if !r.meta.IsZero() {
		meta := w.tables.entities.find(r.meta)
		rowRange{w.tables.chunks[meta.chunk], int(meta.row), 1}.mapRefs(to)
	}
}

// forgetChunk removes a chunkData whose chunk now belongs to another world.
func (w *World) forgetChunk(s *chunkData) {
	w.tables.delist(s)
	clear(s.bufferHeaps)
	s.arch, s.group = nil, nil
	w.tables.spareChunks = append(w.tables.spareChunks, s)
}

// remapShared returns a copy of a shared value in which entity ids are replaced by the new ids.
func (m *EntityMap) remapShared(c *component, v any) any { return remapBoxedRefs(c, v, m.NewID) }

// planSourceGroups does the work of planGroups for entities that are copied from src.
func (w *World) planSourceGroups(op string, src *World, m *EntityMap) (err error) {
	src.gate.blockChanges()
	defer src.gate.unblockChanges()
	for k := range src.editScratch.copySources {
		s := &src.editScratch.copySources[k]
		if s.move.to.sharedCount > 0 && err == nil {
			s.targetIndex, err = w.targetGroupOf(op, s.move.to, s.chunk, m)
		}
	}
	return err
}

// copySourcesFrom copies the entities in the list copySources of src. copySourcesFrom first assigns ids
// to all copies, because a shared value may refer to a later copy.
func (w *World) copySourcesFrom(src *World, m *EntityMap) []Entity {
	copies := make([]Entity, len(src.editScratch.copySources))
	w.tables.entities.assignIDs(copies, 0, 0)
	to := func(_ int, id Entity) Entity { return m.NewID(id) }
	for k, s := range src.editScratch.copySources {
		g := &s.move.to.groups.single
		if s.move.to.sharedCount > 0 {
			g = s.move.to.groups.findOrCreate(w.moveScratch.targetGroups[s.targetIndex].values[:s.move.to.sharedCount])
		}
		dst := w.tables.claimRows(s.move.to, g, 1)
		dst.ids()[0] = copies[k]
		w.tables.entities.setRows(dst.ids(), dst.chunk.id, dst.first)
		s.move.repeatRow(dst, s.chunk, s.row)
		w.tables.markAllColumns(dst.chunk)
		dst.mapRefs(to)
	}
	return copies
}

// moveBetween returns the move from an archetype of another world to the archetype in w to which the
// copies will belong. It is not cached, so that no world keeps another world alive.
func (w *World) moveBetween(op string, a *archetype) (*archetypeMove, error) {
	set := slices.DeleteFunc(a.components(), func(c *component) bool { return c.kind.has(isCleanup) })
	b, err := w.tables.archetypeOf(op, set)
	if err != nil {
		return nil, err
	}
	return a.newMove(b), nil
}

// copyNames sets the names of the moved entities to the names that they had in src.
func (m *EntityMap) copyNames(w, src *World) {
	if !src.gate.entityNames.hasNames() {
		return
	}
	eachName(src.gate.entityNames.pages, func(old Entity, name string) {
		if id := m.NewID(old); w.tables.entities.find(id) != nil {
			w.nameEntity(id, name)
		}
	})
}

// moveScratch holds memory that is reused by moves and copies from other worlds.
type moveScratch struct {
	copyMoves    map[*archetype]*archetypeMove // of CopyEntities
	defaultMap   EntityMap                     // of MoveEntities, if it is given no map
	targetGroups []targetGroup                 // of both: where chunks go
}
