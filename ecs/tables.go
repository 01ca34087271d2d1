package ecs

import (
	"iter"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// tables holds the entities of a world: which entity is in which row of which chunk, the archetypes with their chunks, and the
// memory of the chunks. Its methods add, move and remove rows. They do not wait for jobs and check no owner, because the
// structural change that calls them has done so: see World.change.
type tables struct {
	gate     *gate
	contents // next to gate, because each change reads both
	types    *componentTypes
	shared   *sharedValues

	original *World        // the world to which archetypes belong: that of these tables, or the lender if that is the world of a transaction's jobs
	readers  chunkReaders  // the queries
	created  []span        // rows of the last Create
	late     late          // chunks that playRows has emptied
	scratch  tablesScratch // memory of operations
}

// contents is the part of the tables that is lent to a transaction.
type contents struct {
	entities entities
	metas    int       // meta entities
	records  []*record // by id; those in spare have no place
	spare    []*record
	fresh    []record // to be handed out
	listing  uint32   // counts changes of chunk lists
	memory   *table.Memory

	archetypes []*archetype
	bySet      map[string]*archetype
	having     []archetypeSet   // the archetypes that have a component, by its index
	summaries  []*changeSummary // change versions, one summary for 64 archetypes
	returns    returns

	guardWorld
}

// tablesScratch is memory that operations on the tables use again.
type tablesScratch struct {
	setKey    []byte          // of archetypeOf
	edited    []*component    // of edit
	switches  []switches      // of relabelSwitches
	places    []table.Arrival // of Compact and MoveEntities: memory of chunks
	chunks    []*record       // the same: the chunks
	compacted []*record       // the same
	joined    []*group        // of Defragment
}

// chunkReaders is told of changes by which memory or archetypes come or go. The queries are the only one.
type chunkReaders interface {
	// matchNew looks at an archetype that is new.
	matchNew(a *archetype)
	// forgetMemory drops pointers to memory that has gone.
	forgetMemory()
}

// noEntity returns the error that an entity does not exist, with the probable reason.
func (w *World) noEntity(op string, e Entity) *Error {
	switch {
	case e.Index < 0:
		return w.gate.fault(ErrArgument, op, "the entity is only deferred: a Commands buffer has still to make it, use it in later commands of that buffer").of(e)
	case e.IsZero():
		return w.gate.fault(ErrArgument, op, "the null entity does not exist")
	case int(e.Index) >= len(w.tables.entities.slots):
		return w.gate.fault(ErrArgument, op, "the entity does not exist: this world never had one of this index").of(e)
	case w.isReserved(e):
		return w.gate.fault(ErrArgument, op, "the entity does not exist yet: a later command of the buffer that is being played makes it").of(e)
	}
	return w.gate.fault(ErrArgument, op, "the entity does not exist: it was destroyed").of(e)
}

// absent returns nil for entities that Destroy ignores: the null entity, and ids that existed once.
func (w *World) absent(op string, e Entity) error {
	if err := w.gate.open(op); err != nil {
		return err
	}
	if e.Index < 0 || int(e.Index) >= len(w.tables.entities.slots) && !e.IsZero() {
		return w.noEntity(op, e)
	}
	return nil
}

// exists implements World.Exists.
func (w *World) exists(e Entity) bool {
	return w.tables.entities.find(e) != nil || w.gate.refuseLent("Exists")
}

// entityError returns the error for an operation on e, which does not exist.
func (w *World) entityError(op string, e Entity) error {
	if err := w.gate.open(op); err != nil {
		return err
	}
	return w.noEntity(op, e)
}

// run returns the rows of the first entities of ids that are neighbours in one chunk, and their
// number. If the first entity does not exist, the span has no chunk and the number is 1.
func (t *tables) run(ids []Entity) (span, int) {
	s := t.entities.find(ids[0])
	if s == nil {
		return span{}, 1
	}
	r, first := s.record, s.row
	n := 1
	for n < len(ids) {
		next := t.entities.find(ids[n])
		if next == nil || next.record != r || next.row != first+int32(n) {
			break
		}
		n++
	}
	return span{t.records[r], int(first), n}, n
}

// rowsFound is the places of some entities: the number of the chunk, or free, and the row.
type rowsFound struct {
	chunks, rows [gatherStep]int32
}

// gatherStep is the number of entities that Gather and Scatter locate before they read the first row. The
// CPU then fetches the memory of many rows at the same time, and does not wait for each.
const gatherStep = 64

// locate finds up to gatherStep entities.
func (t *tables) locate(f *rowsFound, ids []Entity) {
	slots := t.entities.slots
	for i, e := range ids[:min(len(ids), gatherStep)] {
		f.chunks[i] = free
		if uint(e.Index) < uint(len(slots)) {
			if s := &slots[e.Index]; s.version == e.Version {
				f.chunks[i], f.rows[i] = s.record, s.row
			}
		}
	}
}

// record returns the chunk of entity i, or nil.
func (f *rowsFound) record(w *tables, i int) *record {
	if f.chunks[i] == free {
		return nil
	}
	return w.records[f.chunks[i]]
}

// giveContents hands the contents of w to another world, which has none.
func (w *World) giveContents(to *World) {
	to.gate.labels, w.gate.labels = w.gate.labels, nil
	to.gate.concludes = w.gate.concludes
	to.shared.stores, to.shared.notices, to.shared.held = w.shared.stores, w.shared.notices, w.shared.held
	w.shared.stores, w.shared.notices, w.shared.held = nil, nil, 0
	to.types.names, to.types.admitted = w.types.names, w.types.admitted
	w.types.names, w.types.admitted = nil, nil
	to.tables.contents, w.tables.contents = w.tables.contents, contents{}
}

// holder returns the world that has the contents of w now.
func (w *World) holder() *World {
	switch {
	case w.borrower != nil:
		return w.borrower
	case w.tables.original != w && w.tables.entities.slots == nil && w.tables.archetypes == nil: // given back
		return w.tables.original.holder()
	}
	return w
}

// Exists reports whether e is alive. An entity that was destroyed but has cleanup components exists until
// they are removed. It panics with an *Error while the world is lent to a transaction, as Len and Entities
// do.
func (w *World) Exists(e Entity) bool { return w.exists(e) }

// Len returns the number of entities, including destroyed ones that wait for their cleanup. Meta entities
// of chunks do not count.
func (w *World) Len() int {
	w.gate.refuseLent("Len")
	return w.tables.entities.live() - w.tables.metas
}

// Entities yields all entities, including destroyed ones that wait for their cleanup, in the order of
// archetypes, chunks and rows. Meta entities of chunks are left out: a query with a term for ChunkHeader
// has them.
func (w *World) Entities() iter.Seq[Entity] {
	w.mustExist("Entities")
	return func(yield func(Entity) bool) {
		w.gate.refuseLent("Entities")
		if err := w.gate.notInJob("Entities"); err != nil {
			panic(err)
		}
		w.gate.visiting++
		defer func() { w.gate.visiting-- }()
		for _, a := range w.tables.archetypes {
			if a.isMeta {
				continue
			}
			for _, r := range a.chunks {
				for _, e := range r.ids()[:r.n] {
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// ArchetypeOf returns the archetype of e; the zero Archetype if e does not exist. It panics with an *Error
// while the world is lent to a transaction.
func (w *World) ArchetypeOf(e Entity) Archetype {
	if s := w.tables.entities.find(e); s != nil {
		return Archetype{w.tables.records[s.record].arch}
	}
	w.gate.refuseLent("ArchetypeOf")
	return Archetype{}
}
