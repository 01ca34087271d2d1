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
	copier // and all that is below it; its first word is the one that views compare

	taken interface{ End() error } // the transaction that the world is lent to

	tidy    tidy        // of CompactAbove
	streams streamMarks // that have begun
	images  *imagePool  // once there was an image
}

// Option is a choice made when a world is made.
type Option func(*World)

// OnPool makes the world run its jobs on p. Without it they run on
// jobs.Default().
func OnPool(p *jobs.Pool) Option { return func(w *World) { w.jobs.pool = p } }

// NewWorld returns an empty world. The name appears in errors.
func NewWorld(name string, opts ...Option) *World {
	w := &World{}
	w.structural, w.version, w.alive, w.name, w.labels = 1, 1, true, name, &labels{}
	w.memory, w.bySet, w.names = table.New(), map[string]*archetype{}, map[string]*component{}
	w.readers, w.home, w.world = &w.matcher, &w.tables, w
	w.streams.all = true
	for i, opt := range opts {
		if opt == nil {
			panic(w.fault(ErrArgument, "NewWorld", "option %d is nil", i))
		}
		opt(w)
	}
	if err := w.knowOwn(); err != nil {
		panic(err)
	}
	return w
}

// Name returns the name that the world was made with.
func (w *World) Name() string { return w.name }

// Exists reports whether e exists. An entity that was destroyed but has cleanup
// components exists until they are removed. It panics with an *Error while the
// world is lent to a transaction, as Len and Entities do.
func (w *World) Exists(e Entity) bool { return w.exists(e) }

// Len returns how many entities exist, meta entities of chunks not counted.
func (w *World) Len() int {
	w.refuseLent("Len")
	return w.entities.live() - w.metas
}

// Entities yields all entities, destroyed ones that wait for their cleanup
// included, in the order of archetypes, chunks and rows. Meta entities of chunks
// are left out: a query that asks for ChunkHeader has them.
func (w *World) Entities() iter.Seq[Entity] {
	w.given("Entities")
	return func(yield func(Entity) bool) {
		w.refuseLent("Entities")
		if err := w.notInJob("Entities"); err != nil {
			panic(err)
		}
		w.visiting++
		defer func() { w.visiting-- }()
		for _, a := range w.archetypes {
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
	if s := w.entities.find(e); s != nil {
		return Archetype{w.records[s.record].arch}
	}
	w.refuseLent("ArchetypeOf")
	return Archetype{}
}

// open, mustBeOpen and own are those of what is below, for a world that may be nil.
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

func (w *World) own(op string, q *Query) error {
	if w == nil {
		return noWorld(op)
	}
	return w.matcher.own(op, q)
}

// World returns the world that q belongs to.
func (q *Query) World() *World { return q.world.world.(*World) }

// Archetype returns the archetype of the types of the terms: With, Read and
// Write say the same here. It panics with an *Error if a term is none of them, a
// type comes twice or is no component, or one row does not fit a chunk.
func (w *World) Archetype(terms ...Term) Archetype {
	const op = "Archetype"
	w.mustBeOpen(op)
	set, err := w.typesOf(op, terms)
	if err != nil {
		panic(err)
	}
	a, err := w.archetypeOf(op, set)
	if err != nil {
		panic(err)
	}
	return Archetype{a}
}

// Stats counts entities, archetypes, chunks and memory. It looks at every chunk, and at the
// rows that have buffers.
func (w *World) Stats() Stats {
	w.given("Stats")
	if w.version == 0 {
		return Stats{} // of the zero World
	}
	w.mustLook("Stats")
	s := Stats{Entities: w.Len(), Archetypes: len(w.archetypes), Bytes: w.memory.Reserved(), Live: w.memory.Live()}
	if !w.alive {
		return s
	}
	rows := 0
	for _, a := range w.archetypes {
		s.Chunks += len(a.chunks)
		s.Rows += len(a.chunks) * a.capacity
		rows += a.rows * a.shape.RowBytes()
		s.Outside += a.beside()
	}
	s.Wasted = s.Bytes - rows
	s.Outside += w.beside()
	if s.Rows > 0 {
		s.Utilisation = float64(w.entities.live()) / float64(s.Rows)
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
	t := &w.entities
	pool, chunks := w.Pool(), []*record(nil)
	for _, a := range w.archetypes {
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
	for _, a := range w.archetypes {
		if a.rows > 0 {
			d.archetype(len(a.columns), sums[:len(a.chunks)], func(i int) *component { return a.columns[i].comp })
		}
		sums = sums[len(a.chunks):]
	}
	w.hooks.eachNamed(d.named)
	return d.sum()
}

// Pool returns the pool that the world's jobs run on.
func (w *World) Pool() *jobs.Pool { return w.workers() }

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
	err := errors.Join(w.jobs.failed...)
	w.jobs.failed = w.jobs.failed[:0]
	if w.tidy.on {
		w.tidyUp()
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
	if w.lent != nil {
		err := w.taken.End()
		if w.lent != nil {
			return err // a job of the transaction wants to close the world that it has
		}
		return errors.Join(err, w.Close())
	}
	if w.borrowed {
		return w.fault(ErrState, op, "the world is that of a transaction's jobs: End the transaction, and close the world that it began with")
	}
	if !w.alive {
		if w.version == 0 {
			return w.unavailable(op)
		}
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
	w.alive = false
	w.structural++
	for _, s := range w.stores {
		if s != nil {
			s.clear()
		}
	}
	held := w.notices
	w.give(&tables{})
	w.wholes = nil
	w.queries, w.cached, w.owned, w.spans, w.runs = nil, nil, nil, nil, nil
	w.recipes, w.chunks = nil, nil // they lead to archetypes, and so to all memory
	w.members, w.copies, w.sources, w.set, w.moving, w.arrived, w.targetGroups = nil, nil, nil, sparseSet{}, EntityMap{}, nil, nil
	if held != nil {
		held.deliver()
	}
	return errors.Join(errs...)
}

// Version returns the world's global version. It starts at 1, grows with every
// update, and is never 0.
func (w *World) Version() uint32 { return w.version }

// ChangeVersion returns the global version at which write access to T in the
// chunk of e was last given; 0 if e has no T.
func ChangeVersion[T any](w *World, e Entity) uint32 {
	w.given("ChangeVersion")
	s := w.entities.find(e)
	if s == nil {
		w.refuseLent("ChangeVersion")
		return 0
	}
	r := w.records[s.record]
	if i := r.arch.find(keyOf[T]()); i >= 0 {
		return r.changedAt(i)
	}
	return 0
}

// editor changes what entities have, and ends them: one, those of a list, those that a
// query matches, and groups that are linked.
type editor struct {
	maker
	members []Entity  // scratch of changes of groups
	set     sparseSet // scratch: which are among those
}

// maker makes rows of values.
type maker struct {
	matcher
	recipes recipeCache // recipes of Spawn and SpawnBundle
}

// copier makes entities of others, in this world or another one.
type copier struct {
	editor
	copies       []Entity             // scratch of instantiate
	sources      []source             // the same
	ways         map[*archetype]*move // scratch of CopyEntities
	moving       EntityMap            // scratch of moves from another world
	targetGroups []targetGroup        // the same: where they go
}
