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
//
// Its fields are parts, each of which uses only the parts above it in this list. An operation that needs several of them is a
// method of World, and so are those that begin and end a structural change.
type World struct {
	gate    gate           // whether the world can be used, and by which goroutine; first, because every view compares its first word
	hooks   hooks          // functions of other packages
	types   componentTypes // the component types that are in use
	shared  sharedValues   // the values of shared components
	tables  tables         // entities, archetypes, chunks
	queries queryList
	recipes recipeCache // of Spawn and SpawnBundle
	images  *imagePool  // nil until the first Capture
	streams streamMarks // the image streams that have begun

	playback    playback     // the Commands that are being played
	autoCompact autoCompact  // the option CompactAbove
	transaction *Transaction // to which the world is lent, or nil
	borrower    *World       // of that transaction: it has the contents until the end
	scratch     scratch
}

// scratch is memory that operations on many entities use again.
type scratch struct {
	runs         []span               // the rows that the operation is about
	members      []Entity             // of changes of linked groups
	set          sparseSet            // the entities among those
	copies       []Entity             // of Instantiate
	sources      []source             // the same
	ways         map[*archetype]*move // of CopyEntities
	moving       EntityMap            // of MoveEntities, if it is given no map
	targetGroups []targetGroup        // of both: where chunks go
}

// Option is a choice made when a world is made.
type Option func(*World)

// OnPool makes the world run its jobs on p. Without it they run on
// jobs.Default().
func OnPool(p *jobs.Pool) Option { return func(w *World) { w.gate.jobs.pool = p } }

// NewWorld returns an empty world. The name appears in errors.
func NewWorld(name string, opts ...Option) *World {
	w := &World{}
	w.connect(w)
	w.gate.structural, w.gate.version, w.gate.alive, w.gate.name, w.gate.labels = 1, 1, true, name, &labels{}
	w.tables.memory, w.tables.bySet, w.types.names = table.New(), map[string]*archetype{}, map[string]*component{}
	w.streams.all = true
	for i, opt := range opts {
		if opt == nil {
			panic(w.gate.fault(ErrArgument, "NewWorld", "option %d is nil", i))
		}
		opt(w)
	}
	if err := w.types.findBuiltins(); err != nil {
		panic(err)
	}
	return w
}

// connect gives the parts of w the pointers to those that they use. Archetypes of w belong to the world original.
func (w *World) connect(original *World) {
	w.types.gate, w.shared.gate = &w.gate, &w.gate
	t := &w.tables
	t.gate, t.types, t.shared = &w.gate, &w.types, &w.shared
	t.original, t.readers = original, &w.queries
}

// Name returns the name that the world was made with.
func (w *World) Name() string { return w.gate.name }

// Exists reports whether e exists. An entity that was destroyed but has cleanup
// components exists until they are removed. It panics with an *Error while the
// world is lent to a transaction, as Len and Entities do.
func (w *World) Exists(e Entity) bool { return w.exists(e) }

// Len returns how many entities exist, meta entities of chunks not counted.
func (w *World) Len() int {
	w.gate.refuseLent("Len")
	return w.tables.entities.live() - w.tables.metas
}

// Entities yields all entities, destroyed ones that wait for their cleanup
// included, in the order of archetypes, chunks and rows. Meta entities of chunks
// are left out: a query that asks for ChunkHeader has them.
func (w *World) Entities() iter.Seq[Entity] {
	w.given("Entities")
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

// ArchetypeOf returns the archetype of e; the zero Archetype if e does not exist.
func (w *World) ArchetypeOf(e Entity) Archetype {
	if s := w.tables.entities.find(e); s != nil {
		return Archetype{w.tables.records[s.record].arch}
	}
	w.gate.refuseLent("ArchetypeOf")
	return Archetype{}
}

// open returns an error if w is nil or cannot be used.
func (w *World) open(op string) error {
	if w == nil {
		return noWorld(op)
	}
	return w.gate.open(op)
}

// given panics if there is no world.
func (w *World) given(op string) {
	if w == nil {
		panic(noWorld(op))
	}
}

func (w *World) mustBeOpen(op string) {
	if err := w.open(op); err != nil {
		panic(err)
	}
}

// World returns the world that q belongs to.
func (q *Query) World() *World { return q.world }

// Archetype returns the archetype of the types of the terms: With, Read and
// Write say the same here. It panics with an *Error if a term is none of them, a
// type comes twice or is no component, or one row does not fit a chunk.
func (w *World) Archetype(terms ...Term) Archetype {
	const op = "Archetype"
	w.mustBeOpen(op)
	set, err := w.types.typesOf(op, terms)
	if err != nil {
		panic(err)
	}
	a, err := w.tables.archetypeOf(op, set)
	if err != nil {
		panic(err)
	}
	return Archetype{a}
}

// Stats counts entities, archetypes, chunks and memory. It looks at every chunk, and at the
// rows that have buffers.
func (w *World) Stats() Stats {
	w.given("Stats")
	if w.gate.version == 0 {
		return Stats{} // of the zero World
	}
	w.gate.mustLook("Stats")
	s := Stats{Entities: w.Len(), Archetypes: len(w.tables.archetypes), Bytes: w.tables.memory.Reserved(), Live: w.tables.memory.Live()}
	if !w.gate.alive {
		return s
	}
	rows := 0
	for _, a := range w.tables.archetypes {
		s.Chunks += len(a.chunks)
		s.Rows += len(a.chunks) * a.capacity
		rows += a.rows * a.shape.RowBytes()
		s.Outside += a.beside()
	}
	s.Wasted = s.Bytes - rows
	s.Outside += w.beside()
	if s.Rows > 0 {
		s.Utilisation = float64(w.tables.entities.live()) / float64(s.Rows)
	}
	return s
}

// Hash returns a number that says what the world contains: worlds that are equal
// have the same hash, on every machine, path and number of workers, and worlds
// that differ have different ones except for chance. It completes all jobs first, and
// hashes chunks on all workers of the pool. It does not see change versions,
// capacities of buffers, the order of free rows, scratch rows, managed components,
// and memory addresses.
//
// # What is hashed
//
// A list of numbers is hashed as bytes: each number little end first in its own
// width, one after the other, without padding; a bool is one byte, 0 or 1, a
// complex number is two floats. A NaN is the canonical quiet NaN, 0x7fc00000 or
// 0x7ff8000000000000; −0 is itself. The bytes are cut into pairs of words of 64 bits,
// little end first, the last pair filled up with zero bytes. Pair i of a list
// goes to state i mod 4. A string is the list of its bytes. The hash of a world is that
// of these lists, one after the other:
//
//  1. the list HashVersion, number of slots, number of free slots (uint64 each);
//  2. the list of the hashes of pieces of the list of free slots (int32 index, int32
//     version), the next to be used last: a piece is a hash of its own of 4,096 slots, the
//     last one of what is left;
//  3. for each archetype that has entities, in the order of creation:
//     the list number of columns, number of chunks (uint64 each), for each column in
//     order the list length of the type's full name, and that string, and at last the
//     list of the hashes of its chunks in order;
//  4. what other packages have added, see Hooks.OnHash: most worlds have
//     nothing of that.
//
// The hash of a chunk is that of one list: the number of rows, the hash of the list of
// the rows' ids (int32 index, int32 version), and the hash of each column. The hash of a
// column is that of these lists: of a shared component that of its value's numbers, where
// a string is its length (uint64) and bytes, and other references are left out, or the
// result of its Hash method (uint64); of a buffer the list of the lengths (int32) and the
// list of the elements' numbers for each row; of any other component, for each lane in
// order, the list of the rows' numbers; an enableable one is followed by the list of words
// (uint64) whose bits say which rows are on, row i in bit i mod 64.
//
// The four states of a hash begin as the first 256 bits of the fraction of π. A pair of
// words v, w goes into state s by s = fold(s ^ v, w ^ 0x452821e638d01377), where fold(a, b) is
// the upper half of the product of 128 bits ^ its lower half ^ a. At the end h = s0, then for
// s1, s2, s3: h = mix(h) ^ s, and the hash is mix(h), where mix is the finalizer of
// MurmurHash3.
func (w *World) Hash() uint64 {
	w.mustBeOpen("Hash")
	if err := w.hashedNow("Hash"); err != nil {
		panic(err)
	}
	if err := w.complete("Hash"); err != nil {
		panic(err)
	}
	t := &w.tables.entities
	pool, chunks := w.Pool(), []*record(nil)
	for _, a := range w.tables.archetypes {
		chunks = append(chunks, a.chunks...)
	}
	values := sharedSums{}
	for _, r := range chunks {
		for k, s := range r.arch.stores {
			values.take(s.comp, r.group.values[k], s.values)
		}
	}
	sums := hashEach(pool, len(chunks), func(d *digest, i int) uint64 { return d.record(chunks[i], values) })
	free := hashFree(pool, len(t.free), func(i int) Entity { return Entity{t.free[i], t.slots[t.free[i]].version} })
	d := newDigest()
	d.counts(HashVersion, uint64(len(t.slots)), uint64(len(t.free)))
	d.counts(free...)
	for _, a := range w.tables.archetypes {
		if a.rows > 0 {
			d.archetype(len(a.columns), sums[:len(a.chunks)], func(i int) *component { return a.columns[i].comp })
		}
		sums = sums[len(a.chunks):]
	}
	w.hooks.eachNamed(d.named)
	return d.sum()
}

// Pool returns the pool that the world's jobs run on.
func (w *World) Pool() *jobs.Pool { return w.gate.workers() }

// Sync completes all jobs of the world. It returns the errors of those that
// failed since the last Sync, here or at a structural change, joined. In worlds with
// CompactAbove it may call Compact then.
func (w *World) Sync() error {
	if w == nil {
		return noWorld("Sync")
	}
	if err := w.complete("Sync"); err != nil {
		return err
	}
	err := errors.Join(w.gate.jobs.failed...)
	w.gate.jobs.failed = w.gate.jobs.failed[:0]
	if w.autoCompact.on {
		w.compactIfDue()
	}
	return err
}

// Query returns the query of the given terms. It panics with an *Error if a type
// is no component or comes twice, or a filter is for a type that the query does
// not ask for.
func (w *World) Query(terms ...Term) *Query {
	const op = "Query"
	w.mustBeOpen(op)
	return w.queryFor(op, "", terms)
}

// Close completes all jobs, calls what Hooks.OnClose was given, the last first, and
// frees the entities. It returns their errors, joined. Closing twice is an error
// of category ErrArgument, and so is closing while one of its systems is called.
func (w *World) Close() error {
	const op = "Close"
	if w == nil {
		return noWorld(op)
	}
	if w.gate.lent != nil {
		err := w.transaction.End()
		if w.gate.lent != nil {
			return err // a job of the transaction wants to close the world that it has
		}
		return errors.Join(err, w.Close())
	}
	if w.gate.borrowed {
		return w.gate.fault(ErrState, op, "the world is that of a transaction's jobs: End the transaction, and close the world that it began with")
	}
	if !w.gate.alive {
		if w.gate.version == 0 {
			return w.gate.unavailable(op)
		}
		return w.gate.fault(ErrArgument, op, "the world is closed already")
	}
	if err := w.may(op); err != nil {
		return err
	}
	if w.gate.running != "" {
		return w.gate.fault(ErrArgument, op, "it is being called: close the world between updates")
	}
	errs := []error{w.Sync()}
	for len(w.hooks.closers) > 0 {
		last := len(w.hooks.closers) - 1
		f := w.hooks.closers[last]
		w.hooks.closers = w.hooks.closers[:last]
		errs = append(errs, (*f)())
	}
	errs = append(errs, w.Sync()) // closers may have scheduled jobs
	if w.gate.jobs.asked > 0 {
		errs = append(errs, w.gate.fault(ErrState, op, "of the jobs that asked Before, %d were not given to Track: nothing has waited for them, and they may be in flight", w.gate.jobs.asked))
	}
	w.gate.alive = false
	w.gate.structural++
	for _, s := range w.shared.stores {
		if s != nil {
			s.clear()
		}
	}
	held := w.shared.notices
	w.giveContents(&World{})
	w.queries.wholes = nil
	w.queries.list, w.queries.byID, w.queries.byOwner, w.tables.created, w.scratch.runs = nil, nil, nil, nil, nil
	w.recipes, w.queries.free = nil, nil // they lead to archetypes, and so to all memory
	w.scratch.members, w.scratch.copies, w.scratch.sources, w.scratch.set, w.scratch.moving, w.tables.scratch.arrived, w.scratch.targetGroups = nil, nil, nil, sparseSet{}, EntityMap{}, nil, nil
	if held != nil {
		held.deliver()
	}
	return errors.Join(errs...)
}

// Version returns the world's global version. It starts at 1, grows with every
// update, and is never 0.
func (w *World) Version() uint32 { return w.gate.version }

// ChangeVersion returns the global version at which write access to T in the
// chunk of e was last given; 0 if e has no T.
func ChangeVersion[T any](w *World, e Entity) uint32 {
	w.given("ChangeVersion")
	s := w.tables.entities.find(e)
	if s == nil {
		w.gate.refuseLent("ChangeVersion")
		return 0
	}
	r := w.tables.records[s.record]
	if i := r.arch.find(keyOf[T]()); i >= 0 {
		return r.changedAt(i)
	}
	return 0
}
