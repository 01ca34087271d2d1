package ecs

import (
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// gate says whether a world can be used now, and by which goroutine. Every operation asks it first. It holds
// the data that decides this: the jobs of the world, its owner, and a transaction. It also holds the
// version, and the names that errors show. It does not know about entities.
type gate struct {
	structuralVersion uint32     // counts structural changes; the first word, because every view compares it
	changeVersion     uint32     // the global version
	activeLoops       int        // loops over chunks on the owner's goroutine
	usable            bool       // the world was made, has its contents, and is not closed
	endWorkPending    bool       // World.endChange has more to do: ids are reserved, or shared values must be told
	owner             ownerState // next to these, because every change asks all of them
	jobs              jobState
	name              string
	runningSystem     string       // the system that is being updated
	recorderSystem    string       // the system that has recorded the commands being played; empty if unknown
	lease             *lease       // the loan of the contents to the jobs of a transaction
	isBorrower        bool         // the world is that of a transaction's jobs
	entityNames       *entityNames // names of entities, for errors
}

// mustNotBeLent panics while the contents are lent to a transaction; otherwise it returns false.
func (g *gate) mustNotBeLent(op string) bool {
	if g.lease != nil {
		panic(g.unavailableError(op))
	}
	return false
}

// checkOpen returns an error if the world does not exist, is closed, or has lent its contents.
func (g *gate) checkOpen(op string) error {
	if !g.usable {
		return g.unavailableError(op)
	}
	return nil
}

// unavailableError returns the error for a world without contents, for example because it is lent
// or closed.
func (g *gate) unavailableError(op string) *Error {
	switch {
	case g.lease != nil:
		return g.fault(ErrState, op, "the world is lent to a transaction: its jobs have the world now, use it when the transaction has ended")
	case g.isBorrower:
		return g.fault(ErrState, op, "the job of a transaction that had this world is done: schedule another one, or End the transaction and use the world that it began with")
	case g.changeVersion == 0:
		return fault(ErrState, op, "the world is the zero World: make one with NewWorld")
	}
	return g.fault(ErrDisposed, op, "the world is closed")
}

// blockChanges prevents changes of the world while an operation waits for a result of the user's code: a
// method of a shared value, or a function of OnCommit. The operation has already found rows and groups,
// which must still exist when the function returns. Therefore blockChanges prevents the same changes as a
// loop over chunks.
func (g *gate) blockChanges() {
	g.activeLoops++
	g.owner.awaitedCalls++
}

// unblockChanges ends the period that blockChanges has begun.
func (g *gate) unblockChanges() {
	g.activeLoops--
	g.owner.awaitedCalls--
}

// advanceVersion increments the world's version.
func (g *gate) advanceVersion() {
	if g.changeVersion++; g.changeVersion == 0 {
		g.changeVersion = 1
	}
}

// endViews makes all views and lookups stale, because a structural change begins.
func (g *gate) endViews() {
	g.structuralVersion++
	g.jobs.ownerEpoch++
}

// changeMayBeBarred reports whether a structural change may be impossible. It does not check whether another
// goroutine uses the world.
func (g *gate) changeMayBeBarred() bool {
	return g.jobs.jobsPending || !g.usable || g.activeLoops != 0 || g.owner.updateDepth != 0
}

// fault returns an error of op in this world.
func (g *gate) fault(category error, op, text string, args ...any) *Error {
	g.endFailed()
	e := fault(category, op, text, args...)
	e.World, e.System, e.entityNames = g.name, g.callingSystem(), g.entityNames
	return e
}

// callingSystem returns the system that an error should name. That is the system that is being updated
// or, in a job, the system that has scheduled the job. The result is empty in a job without a query,
// because the system of such a job is unknown. For a job, callingSystem does not return the system
// that is being updated, for two reasons. Only the owner may read the name of that system, and that
// system may be another one, which only waits for the job.
func (g *gate) callingSystem() string {
	if !g.inJob() {
		return g.runningSystem
	}
	if r, ok := g.jobs.pool.Caller().RootJob().(systemJob); ok {
		return r.system()
	}
	return ""
}

// checkNotInJob returns an error if the caller is a job, because a job may use only its chunk.
func (g *gate) checkNotInJob(op string) error {
	if g.inJob() {
		return g.fault(ErrState, op, "a job sees the world through its chunk: use Column, or a Lookup")
	}
	return nil
}

// jobState holds the world's data about its jobs.
type jobState struct {
	jobsPending   bool // jobs were scheduled since the last sync point
	pool          *jobs.Pool
	runner        Runner // the pool, if nil
	tracker       access.Tracker
	ownerTask     *jobs.Task    // the job of the pool that has scheduled the first of them, or nil
	ownerBlock    uint64        // its block, from jobs.CallerBlock
	jobCount      uint32        // counts the jobs
	ownerEpoch    uint32        // counts the structural changes and the jobs, for lookups of the owner; jobs do not read it
	untrackedJobs int           // number of calls of Before without a call of Track
	jobErrors     []error       // errors of jobs that a sync point completed
	accessScratch access.Access // scratch
	afterScratch  []jobs.Handle
}

func (g *gate) addJobError(err error) {
	if err != nil {
		g.jobs.jobErrors = append(g.jobs.jobErrors, err)
	}
}

func (g *gate) workerPool() *jobs.Pool {
	if g.jobs.pool == nil {
		g.jobs.pool = jobs.Default()
	}
	return g.jobs.pool
}

// lease is the state of a world that is lent to a transaction.
type lease struct {
	pool        *jobs.Pool
	runningTask atomic.Pointer[jobs.Task] // the job that has the world: it stores itself, and mine reads it on any goroutine
}

// lentToOther reports whether the world is lent to a transaction, and the caller is not the
// transaction's running job.
func (g *gate) lentToOther() bool { return g.lease != nil && !g.lease.callerHasWorld() }

// callerHasWorld reports whether the caller is the transaction's running job, which has the world.
func (l *lease) callerHasWorld() bool {
	running := l.runningTask.Load()
	return running != nil && running == l.pool.Caller().Task()
}

// checkOpen returns an error if w is nil or cannot be used.
func (w *World) checkOpen(op string) error {
	if w == nil {
		return noWorldError(op)
	}
	return w.gate.checkOpen(op)
}

// mustNotBeNil panics if w is nil.
func (w *World) mustNotBeNil(op string) {
	if w == nil {
		panic(noWorldError(op))
	}
}

func (w *World) mustBeOpen(op string) {
	if err := w.checkOpen(op); err != nil {
		panic(err)
	}
}

// Runner schedules jobs. A Runner is a *jobs.Pool or a *jobs.Scope.
type Runner interface {
	ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle
}

// systemJob is a job that knows the name of the system that has scheduled it.
type systemJob interface{ system() string }
