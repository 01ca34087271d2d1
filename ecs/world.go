package ecs

import (
	"errors"
	"iter"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/jobs"
)

// World owns entities: their ids, their components, and the queries over them.
// Ids, versions and memory of two worlds have nothing to do with each other.
//
// A world is for one goroutine at a time, its owner; jobs see it through the
// chunks that they are given. Others are refused while a system updates, or while the
// world calls a user's method. Between those, two goroutines that change it at once are
// refused where that is noticed, which is not always: share it with a mutex. Two worlds
// may be used by two goroutines at once, on one pool.
type World struct {
	structural uint32 // counts structural changes: the first word, every view compares it
	version    uint32 // the global version
	visiting   int    // loops over chunks on the owner's goroutine
	closed     bool
	owner      owner // beside these: every change asks all of them
	jobs       schedule
	name       string
	running    string // the system that is being updated

	contents
	residue  *component // the tag of destroyed entities that wait for their cleanup
	header   *component // of meta entities
	prefab   *component
	inactive *component
	group    *component // LinkedGroup
	omit     *component

	queries []*Query
	cached  map[string]*Query
	chunks  []*Chunk // free, for loops of the owner
	lent    *Transaction
	lender  *World // whose contents these are, in a transaction

	hooks hooks
	fit   archetypeSet // scratch of candidates
	cooks cookbook     // recipes of Spawn and Make

	setKey    []byte               // scratch of archetypeOf
	types     []*component         // scratch of typesOf
	ways      map[*archetype]*move // scratch of CopyFrom
	edited    []*component         // scratch of edit
	versions  []uint32             // scratch of relabelChunk
	switches  []switches           // the same
	spans     []span               // of the last Create
	runs      []span               // scratch of the changes of many entities
	doomed    []Entity             // scratch of changes of groups
	copies    []Entity             // scratch of instantiate
	sources   []source             // the same
	roster    roster               // scratch: who is among those
	moving    Moved                // scratch of moves from another world
	arrived   []*record            // the same: its chunks
	arrivals  []table.Arrival      // the same: their memory
	compacted []*record            // scratch of Compact
	landings  []landing            // the same: where they go
	interned  []interned           // scratch of interning
	promises  []promise            // of the playback that is going on
	kept      int                  // how many of them commands have made that are done
}

// contents is what a world consists of, and what it lends to a transaction.
type contents struct {
	entities   entities
	archetypes []*archetype
	bySet      map[string]*archetype
	having     []archetypeSet // those that have a component, by its index
	names      map[string]*component
	admitted   []bool // components in names, by index
	metas      int    // meta entities
	labels     *labels

	records []*record // by id; those in spare have no place
	spare   []*record
	fresh   []record // to be handed out
	memory  *table.Memory
	listing uint32 // counts changes of chunk lists

	stores  []*store // shared values, by component index
	notices *notices // of those that want to know who holds them
	guardWorld
}

// Option is a choice made when a world is made.
type Option func(*World)

// OnPool makes the world run its jobs on p. Without it they run on
// jobs.Default().
func OnPool(p *jobs.Pool) Option { return func(w *World) { w.jobs.pool = p } }

// NewWorld returns an empty world. The name appears in errors.
func NewWorld(name string, opts ...Option) *World {
	w := &World{structural: 1, version: 1, name: name}
	w.memory, w.bySet, w.names, w.labels = table.New(), map[string]*archetype{}, map[string]*component{}, &labels{}
	for _, opt := range opts {
		opt(w)
	}
	if err := w.knowOwn(); err != nil {
		panic(err)
	}
	return w
}

// Name returns the name that the world was made with.
func (w *World) Name() string { return w.name }

// Close completes all jobs, calls what OnClose was given, the last first, and
// frees the entities. It returns their errors, joined. Closing twice is an error
// of category ErrArgument, and so is closing while one of its systems is called.
func (w *World) Close() error {
	const op = "Close"
	if w.lent != nil {
		err := w.lent.End()
		if w.lent != nil {
			return err // a job of the transaction wants to close the world that it has
		}
		return errors.Join(err, w.Close())
	}
	if w.lender != nil {
		return w.fault(ErrState, op, "the world is that of a transaction's jobs: End the transaction, and close the world that it began with")
	}
	if w.closed {
		return w.fault(ErrArgument, op, "the world is closed already")
	}
	if err := w.may(op); err != nil {
		return err
	}
	if w.running != "" {
		return w.fault(ErrArgument, op, "it is being called: close the world between updates")
	}
	errs := []error{w.Sync()}
	for len(w.hooks.closers) > 0 {
		last := len(w.hooks.closers) - 1
		f := w.hooks.closers[last]
		w.hooks.closers = w.hooks.closers[:last]
		errs = append(errs, (*f)())
	}
	errs = append(errs, w.Sync()) // closers may have scheduled jobs
	if w.jobs.asked > 0 {
		errs = append(errs, w.fault(ErrState, op, "of the jobs that asked Before, %d were not given to Track: nothing has waited for them, and they may be in flight", w.jobs.asked))
	}
	w.closed = true
	w.structural++
	for _, s := range w.stores {
		if s != nil {
			s.clear()
		}
	}
	held := w.notices
	w.contents, w.queries, w.cached, w.spans, w.runs = contents{}, nil, nil, nil, nil
	w.cooks, w.chunks = nil, nil // they lead to archetypes, and so to all memory
	w.doomed, w.copies, w.sources, w.roster, w.moving, w.arrived, w.landings = nil, nil, nil, roster{}, Moved{}, nil, nil
	if held != nil {
		held.deliver()
	}
	return errors.Join(errs...)
}

// Exists reports whether e exists. An entity that was destroyed but has cleanup
// components exists until they are removed. It panics with an *Error while the
// world is lent to a transaction, as Len and Entities do.
func (w *World) Exists(e Entity) bool { return w.entities.find(e) != nil || w.away("Exists") }

// Len returns how many entities exist, meta entities of chunks not counted.
func (w *World) Len() int {
	w.away("Len")
	return w.entities.live() - w.metas
}

// away panics while the contents are lent; otherwise it is false.
func (w *World) away(op string) bool {
	if w.lent != nil {
		panic(w.shut(op))
	}
	return false
}

// Entities yields all entities, destroyed ones that wait for their cleanup
// included, in the order of archetypes, chunks and rows. Meta entities of chunks
// are left out: a query that asks for ChunkHeader has them.
func (w *World) Entities() iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		w.away("Entities")
		if err := w.notInJob("Entities"); err != nil {
			panic(err)
		}
		w.visiting++
		defer func() { w.visiting-- }()
		for _, a := range w.archetypes {
			if a.heads {
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

// ArchetypeOf returns the archetype of e; the zero Archetype if e does not exist.
func (w *World) ArchetypeOf(e Entity) Archetype {
	if s := w.entities.find(e); s != nil {
		return Archetype{w.records[s.record].arch}
	}
	w.away("ArchetypeOf")
	return Archetype{}
}

// Archetypes yields the archetypes in the order in which they were made.
func (w *World) Archetypes() iter.Seq[Archetype] {
	return func(yield func(Archetype) bool) {
		w.away("Archetypes")
		for _, a := range w.archetypes {
			if !yield(Archetype{a}) {
				return
			}
		}
	}
}

// Stats says what a world consists of.
type Stats struct {
	Entities    int     // that exist
	Archetypes  int     // that were ever used
	Chunks      int     // that hold rows
	Rows        int     // that would fit in these chunks
	Utilisation float64 // of these rows, 0 for an empty world
	Bytes       int     // of all slabs: what the chunks have, and what is kept for others
	Live        int     // of these bytes, those of the regions that chunks are in
}

// Stats counts entities, archetypes, chunks and memory.
func (w *World) Stats() Stats {
	w.mustLook("Stats")
	s := Stats{Entities: w.Len(), Archetypes: len(w.archetypes), Bytes: w.memory.Reserved(), Live: w.memory.Used()}
	for _, a := range w.archetypes {
		s.Chunks += len(a.chunks)
		s.Rows += len(a.chunks) * a.capacity
	}
	if s.Rows > 0 {
		s.Utilisation = float64(w.entities.live()) / float64(s.Rows)
	}
	return s
}

// mustBeOpen panics if the world is closed.
func (w *World) mustBeOpen(op string) {
	if err := w.open(op); err != nil {
		panic(err)
	}
}

// open returns an error if there is no world, or it is closed.
func (w *World) open(op string) error {
	if w == nil {
		return noWorld(op)
	}
	if w.closed {
		return w.shut(op)
	}
	return nil
}

// shut says that the world has no contents, or not now.
func (w *World) shut(op string) *Error {
	switch {
	case w.lent != nil:
		return w.fault(ErrState, op, "the world is lent to a transaction: its jobs have the world now, use it when the transaction has ended")
	case w.lender != nil:
		return w.fault(ErrState, op, "the job of a transaction that had this world is done: schedule another one, or End the transaction and use the world that it began with")
	}
	return w.fault(ErrDisposed, op, "the world is closed")
}

// dead says that an entity does not exist, and why that may be.
func (w *World) dead(op string, e Entity) *Error {
	switch {
	case e.Index < 0:
		return w.fault(ErrArgument, op, "the entity is only deferred: a Commands buffer has still to make it, use it in later commands of that buffer").of(e)
	case e.Null():
		return w.fault(ErrArgument, op, "the null entity does not exist")
	case int(e.Index) >= len(w.entities.slots):
		return w.fault(ErrArgument, op, "the entity does not exist: this world never had one of this index").of(e)
	case w.promised(e):
		return w.fault(ErrArgument, op, "the entity does not exist yet: a later command of the buffer that is being played makes it").of(e)
	}
	return w.fault(ErrArgument, op, "the entity does not exist: it was destroyed").of(e)
}
