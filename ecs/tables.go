package ecs

import (
	"iter"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// tables holds the entities of a world: the chunk and row of each entity, the archetypes with their chunks, and the memory
// of the chunks. Its methods add, move and remove rows. These methods neither wait for jobs nor check the
// owner, because the structural change that calls them has already done so: see World.beginChange.
type tables struct {
	gate     *gate
	contents // next to gate, because each change reads both
	types    *componentTypes
	shared   *sharedValues

	archetypeWorld *World        // the world to which archetypes belong: that of these tables, or the lender if that is the world of a transaction's jobs
	observer       tableObserver // the queries
	createdRows    []rowRange    // rows of the last Create
	deferredChunks emptiedChunks // chunks that playRows has emptied
	scratch        tablesScratch // memory of operations
}

// contents is the part of the tables that is lent to a transaction.
type contents struct {
	entities     entities
	metaCount    int          // meta entities
	chunks       []*chunkData // by id; those in spareChunks have no place
	spareChunks  []*chunkData
	unusedChunks []chunkData // to be handed out
	listEpoch    uint32      // counts changes of chunk lists
	memory       *table.Memory

	archetypes            []*archetype
	archetypeBySet        map[string]*archetype
	archetypesByComponent []archetypeSet   // the archetypes that have a component, by its index
	changeSummaries       []*changeSummary // change versions, one summary for 64 archetypes
	restoreMemo           restoreMemo
	reachTables           []*reachTable // for lookups

	guardWorld
}

// tablesScratch holds memory that operations on the tables reuse.
type tablesScratch struct {
	setKey          []byte          // of archetypeOf
	editedSet       []*component    // of edit
	enabledBits     []enabledBitset // of relabelEnabledBits
	arrivals        []table.Arrival // of Compact and MoveEntities: memory of chunks
	chunks          []*chunkData    // the same: the chunks
	compactedChunks []*chunkData    // the same
	mergedGroups    []*chunkGroup   // of Defragment
}

// tableObserver is notified when operations add archetypes or free memory. The queries are the
// only observer.
type tableObserver interface {
	// matchNew is called for each new archetype.
	matchNew(a *archetype)
	// forgetMemory drops pointers to memory that was freed.
	forgetMemory()
}

// noEntityError returns the error for an entity that does not exist, with the probable reason.
func (w *World) noEntityError(op string, e Entity) *Error {
	switch {
	case e.Index < 0:
		return w.gate.fault(ErrArgument, op, "the entity is only deferred: a Commands buffer has still to make it, use it in later commands of that buffer").forEntity(e)
	case e.IsZero():
		return w.gate.fault(ErrArgument, op, "the null entity does not exist")
	case int(e.Index) >= len(w.tables.entities.slots):
		return w.gate.fault(ErrArgument, op, "the entity does not exist: this world never had one of this index").forEntity(e)
	case w.isReserved(e):
		return w.gate.fault(ErrArgument, op, "the entity does not exist yet: a later command of the buffer that is being played makes it").forEntity(e)
	}
	return w.gate.fault(ErrArgument, op, "the entity does not exist: it was destroyed").forEntity(e)
}

// absentError returns nil for entities that Destroy ignores. These are the null entity and ids that
// existed once.
func (w *World) absentError(op string, e Entity) error {
	if err := w.gate.checkOpen(op); err != nil {
		return err
	}
	if e.Index < 0 || int(e.Index) >= len(w.tables.entities.slots) && !e.IsZero() {
		return w.noEntityError(op, e)
	}
	return nil
}

// exists implements World.Exists.
func (w *World) exists(e Entity) bool {
	return w.tables.entities.find(e) != nil || w.gate.mustNotBeLent("Exists")
}

// entityError returns the error for an operation on e, which does not exist.
func (w *World) entityError(op string, e Entity) error {
	if err := w.gate.checkOpen(op); err != nil {
		return err
	}
	return w.noEntityError(op, e)
}

// leadingRows finds the longest beginning of the list ids whose entities are in consecutive rows of
// one chunk, and returns these rows. It also returns their number. If the first entity of the list
// does not exist, it returns an empty range without a chunk, and the number 1.
func (t *tables) leadingRows(ids []Entity) (rowRange, int) {
	s := t.entities.find(ids[0])
	if s == nil {
		return rowRange{}, 1
	}
	r, first := s.chunk, s.row
	n := 1
	for n < len(ids) {
		next := t.entities.find(ids[n])
		if next == nil || next.chunk != r || next.row != first+int32(n) {
			break
		}
		n++
	}
	return rowRange{t.chunks[r], int(first), n}, n
}

// rowLocations holds the chunk numbers and rows of some entities. The chunk number is freeSlot if
// the entity does not exist.
type rowLocations struct {
	chunks, rows [gatherStep]int32
}

// gatherStep is the number of entities that RowSet and Extract locate before they read the first row. So
// the CPU can fetch the memory of many rows at the same time, instead of waiting for one row after the
// other.
const gatherStep = 64

// locate finds the chunks and rows of at most gatherStep entities.
func (t *tables) locate(f *rowLocations, ids []Entity) {
	slots := t.entities.slots
	for i, e := range ids[:min(len(ids), gatherStep)] {
		f.chunks[i] = freeSlot
		if uint(e.Index) < uint(len(slots)) {
			if s := &slots[e.Index]; s.version == e.Version {
				f.chunks[i], f.rows[i] = s.chunk, s.row
			}
		}
	}
}

// chunkAt returns the chunk of entity i, or nil if the entity does not exist.
func (f *rowLocations) chunkAt(w *tables, i int) *chunkData {
	if f.chunks[i] == freeSlot {
		return nil
	}
	return w.chunks[f.chunks[i]]
}

// giveContents moves the contents of w to another world, which has none.
func (w *World) giveContents(to *World) {
	to.gate.entityNames, w.gate.entityNames = w.gate.entityNames, nil
	to.gate.endWorkPending = w.gate.endWorkPending
	to.shared.stores, to.shared.notices, to.shared.noticesHeld = w.shared.stores, w.shared.notices, w.shared.noticesHeld
	w.shared.stores, w.shared.notices, w.shared.noticesHeld = nil, nil, 0
	to.types.byName, to.types.admitted = w.types.byName, w.types.admitted
	w.types.byName, w.types.admitted = nil, nil
	to.tables.contents, w.tables.contents = w.tables.contents, contents{}
}

// contentsWorld returns the world that has the contents of w now.
func (w *World) contentsWorld() *World {
	switch {
	case w.transactionWorld != nil:
		return w.transactionWorld
	case w.tables.archetypeWorld != w && w.tables.entities.slots == nil && w.tables.archetypes == nil: // given back
		return w.tables.archetypeWorld.contentsWorld()
	}
	return w
}

// Exists reports whether e is alive. An entity that was destroyed but has cleanup components exists until
// these are removed. It panics with an *Error while the world is lent to a transaction, as Len and
// Entities do.
func (w *World) Exists(e Entity) bool { return w.exists(e) }

// Len returns the number of entities, including destroyed ones that wait for their cleanup. Meta entities
// of chunks do not count.
func (w *World) Len() int {
	w.gate.mustNotBeLent("Len")
	return w.tables.entities.liveCount() - w.tables.metaCount
}

// Entities yields all entities, including destroyed ones that wait for their cleanup, in the order of
// archetypes, chunks and rows. Meta entities of chunks are left out; a query with a term for ChunkHeader
// finds them.
func (w *World) Entities() iter.Seq[Entity] {
	w.mustNotBeNil("Entities")
	return func(yield func(Entity) bool) {
		w.gate.mustNotBeLent("Entities")
		if err := w.gate.checkNotInJob("Entities"); err != nil {
			panic(err)
		}
		w.gate.activeLoops++
		defer func() { w.gate.activeLoops-- }()
		for _, a := range w.tables.archetypes {
			if a.isMeta {
				continue
			}
			for _, r := range a.chunks {
				for _, e := range r.ids()[:r.count] {
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// ArchetypeOf returns the archetype of e, or the zero Archetype if e does not exist. ArchetypeOf
// panics with an *Error while the world is lent to a transaction.
func (w *World) ArchetypeOf(e Entity) Archetype {
	if s := w.tables.entities.find(e); s != nil {
		return Archetype{w.tables.chunks[s.chunk].arch}
	}
	w.gate.mustNotBeLent("ArchetypeOf")
	return Archetype{}
}
