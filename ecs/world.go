package ecs

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/jobs"
)

// World owns entities. It holds their ids and components, and the queries over them. Worlds are
// independent of each other: an id or a version of one world has no meaning in another world.
//
// Only one goroutine at a time may use a world. This goroutine is its owner. Jobs access the world
// through the chunks that they receive. Other goroutines are refused while a system is being updated, or
// while the world calls a method of a user's value. At other times, if two goroutines change the world at
// once, the world refuses their calls if it detects this. It cannot always do so. So if several
// goroutines use a world, protect it with a mutex. Two goroutines may use two different worlds at the
// same time, even with the same pool.
type World struct {
	// Each part uses only parts that come before it in this list. An operation that needs several parts is a method of
	// World. The functions that begin and end a structural change are also methods of World.

	gate        gate           // whether the world can be used, and by which goroutine; first, because every view compares its first word
	hooks       hooks          // functions of other packages
	types       componentTypes // the component types that are in use
	shared      sharedValues   // the values of shared components
	tables      tables         // entities, archetypes, chunks
	queries     queryList
	spawnPlans  spawnPlanCache // of Spawn and SpawnBundle
	imagePool   *imagePool     // nil until the first Capture
	streamMarks streamMarks    // the image streams that have begun

	reservedIDs      reservedIDs  // ids of entities that Commands have still to make
	autoCompact      autoCompact  // the option CompactAbove
	transaction      *Transaction // to which the world is lent, or nil
	transactionWorld *World       // of that transaction: it has the contents until the end
	editScratch      editScratch
	moveScratch      moveScratch
}

// Option is a setting for NewWorld.
type Option func(*World)

// OnPool makes the world run its jobs on p. Several worlds may share a pool. Without this option, jobs
// run on jobs.Default().
func OnPool(p *jobs.Pool) Option { return func(w *World) { w.gate.jobs.pool = p } }

// NewWorld returns an empty world. Errors show the name. Close the world when it is no longer used, to
// get the errors of its last jobs. The garbage collector also frees a world that is dropped without
// Close.
func NewWorld(name string, opts ...Option) *World {
	w := uncountedWorld(name, opts...)
	openWorlds.Add(1)
	return w
}

// uncountedWorld returns a world that OpenWorlds does not count, because its user never sees or closes it.
func uncountedWorld(name string, opts ...Option) *World {
	w := &World{}
	w.connectParts(w)
	w.gate.structuralVersion, w.gate.changeVersion, w.gate.usable, w.gate.name, w.gate.entityNames = 1, 1, true, name, &entityNames{}
	w.tables.memory, w.tables.archetypeBySet, w.types.byName = table.New(), map[string]*archetype{}, map[string]*component{}
	w.streamMarks.knowsAll = true
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

// openWorlds counts the worlds of [NewWorld] that are not closed.
var openWorlds atomic.Int64

// OpenWorlds returns the number of worlds in the process that are not closed, with and without
// systems. A world that was dropped without Close stays counted. A test compares the numbers before
// and after, and so finds a forgotten Close. OpenWorlds is safe for concurrent use.
func OpenWorlds() int { return int(openWorlds.Load()) }

// connectParts sets the pointers of the parts of w to the parts that they use. Archetypes of w
// belong to the world original.
func (w *World) connectParts(original *World) {
	w.types.gate, w.shared.gate = &w.gate, &w.gate
	t := &w.tables
	t.gate, t.types, t.shared = &w.gate, &w.types, &w.shared
	t.archetypeWorld, t.observer = original, &w.queries
}

// Name returns the name with which the world was created.
func (w *World) Name() string { return w.gate.name }

// Archetype returns the archetype with the types of the terms, and creates it if it is new. With, Read
// and Write mean the same here. It panics with an *Error if a term is none of these, if a type occurs
// twice or is not a component, or if one row does not fit into a chunk.
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

// Pool returns the pool on which the world's jobs run.
func (w *World) Pool() *jobs.Pool { return w.gate.workerPool() }

// Sync completes all jobs of the world. Sync returns the errors, joined, of all jobs that have
// failed since the last Sync, here or at a structural change. In a world with CompactAbove it may
// then call Compact.
func (w *World) Sync() error {
	if w == nil {
		return noWorldError("Sync")
	}
	if err := w.completeJobs("Sync"); err != nil {
		return err
	}
	err := errors.Join(w.gate.jobs.jobErrors...)
	w.gate.jobs.jobErrors = w.gate.jobs.jobErrors[:0]
	if w.autoCompact.enabled {
		w.compactIfDue()
	}
	return err
}

// Close completes all jobs, calls the functions of Hooks.OnClose in reverse order, and frees the entities.
// Close returns their errors, joined. Closing twice is an error of category [ErrArgument]. Closing during
// the update of one of the world's systems is the same error.
func (w *World) Close() error {
	const op = "Close"
	if w == nil {
		return noWorldError(op)
	}
	if w.gate.lease != nil {
		err := w.transaction.End()
		if w.gate.lease != nil {
			return err // a job of the transaction tries to close the world that it has
		}
		return errors.Join(err, w.Close())
	}
	if w.gate.isBorrower {
		return w.gate.fault(ErrState, op, "the world is that of a transaction's jobs: End the transaction, and close the world that it began with")
	}
	if !w.gate.usable {
		if w.gate.changeVersion == 0 {
			return w.gate.unavailableError(op)
		}
		return w.gate.fault(ErrArgument, op, "the world is closed already")
	}
	if err := w.checkWouldChange(op); err != nil {
		return err
	}
	if w.gate.runningSystem != "" {
		return w.gate.fault(ErrArgument, op, "it is being called: close the world between updates")
	}
	errs := []error{w.Sync()}
	for len(w.hooks.onClose) > 0 {
		last := len(w.hooks.onClose) - 1
		f := w.hooks.onClose[last]
		w.hooks.onClose = w.hooks.onClose[:last]
		errs = append(errs, (*f)())
	}
	errs = append(errs, w.Sync()) // functions of OnClose may have scheduled jobs
	if w.gate.jobs.untrackedJobs > 0 {
		errs = append(errs, w.gate.fault(ErrState, op, "of the jobs that asked Before, %d were not given to Track: nothing has waited for them, and they may be in flight", w.gate.jobs.untrackedJobs))
	}
	w.gate.usable = false
	openWorlds.Add(-1)
	w.gate.endViews()
	for _, s := range w.shared.stores {
		if s != nil {
			s.clear()
		}
	}
	held := w.shared.notices
	w.tables.dropReaches()
	w.giveContents(&World{})
	// These fields refer to archetypes, and so they would keep all memory of the world alive.
	w.queries, w.spawnPlans = queryList{}, nil
	w.tables.scratch, w.tables.createdRows = tablesScratch{}, nil
	w.editScratch, w.moveScratch = editScratch{}, moveScratch{}
	if held != nil {
		held.deliver()
	}
	return errors.Join(errs...)
}

// Version returns the world's change version. The version starts at 1, grows with every update of a
// system, and is never 0. After 4,294,967,295 it wraps around to 1.
func (w *World) Version() uint32 { return w.gate.changeVersion }

// ChangeVersion returns the world's version at the last write access to T in the chunk of e, or 0 if e has
// no T.
func ChangeVersion[T any](w *World, e Entity) uint32 {
	w.mustNotBeNil("ChangeVersion")
	s := w.tables.entities.find(e)
	if s == nil {
		w.gate.mustNotBeLent("ChangeVersion")
		return 0
	}
	r := w.tables.chunks[s.chunk]
	if i := r.arch.findColumn(keyOf[T]()); i >= 0 {
		return r.changedAt(i)
	}
	return 0
}

// String returns the name and the size of the world, for example: world "arena": 2 entities, 1 archetype. Handles of a
// world have String methods, because otherwise package fmt would print their fields. The fields have long values, and
// jobs may be writing them.
func (w *World) String() string {
	switch {
	case w == nil:
		return "<nil>"
	case w.gate.lease != nil:
		return fmt.Sprintf("world %q, lent to a transaction", w.gate.name)
	case w.gate.changeVersion == 0:
		return "the zero World"
	case !w.gate.usable:
		return fmt.Sprintf("world %q, closed", w.gate.name)
	}
	return fmt.Sprintf("world %q: %s, %s", w.gate.name, plural(w.tables.entities.liveCount()-w.tables.metaCount, "entity", "entities"), plural(len(w.tables.archetypes), "archetype", "archetypes"))
}
