package ecs

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/jobs"
)

// Transaction lends a world to jobs, one at a time. Each job may do everything with the world that its
// owner can do: create and destroy entities, add and remove components, and play back commands.
//
//	t, err := ecs.BeginTransaction(w) // the world is lent
//	t.Schedule(job, after...)         // any number of jobs, which run one after the other
//	err = t.End()                     // the world is the owner's again
//
// For example, a program can fill a world in the background, and move its entities into another
// world between two frames; see [MoveEntities].
//
// Until End, no other code can use the world. Methods that return errors return an error of category
// [ErrState], and the others panic with one. Only the goroutine that has begun the transaction may call
// Schedule and End.
type Transaction struct {
	lease
	world            *World // the lender
	jobWorld         *World // the world that jobs get
	lastJob          jobs.Handle
	errs             []error
	archetypesBefore int // number of archetypes at the beginning
	ended            bool
}

// TransactionJob is a job that has exclusive use of a world while it runs.
type TransactionJob interface {
	// Change receives a world that is valid until Change returns. The world contains the entities and
	// archetypes of the lent world. Queries of the lent world are not valid here: call w.Query again.
	// [Transaction.End] returns the error of Change.
	Change(w *World) error
}

// TransactionFunc is a function that serves as a [TransactionJob].
type TransactionFunc func(w *World) error

// Change calls the function.
func (f TransactionFunc) Change(w *World) error { return f(w) }

// InTransaction reports whether w is lent to a transaction that has not ended. InTransaction panics with
// an *Error if w is nil.
func (w *World) InTransaction() bool {
	if w == nil {
		panic(noWorldError("World.InTransaction"))
	}
	return w.gate.lease != nil
}

// BeginTransaction lends a world to the jobs of a new transaction. BeginTransaction is a structural
// change, so it first waits for the jobs of the world and makes views stale. All systems and queries see
// the writes of the jobs as new, no matter which version of the world they have seen. The error is of
// category [ErrState] if the world cannot be changed now or is lent already.
func BeginTransaction(w *World) (*Transaction, error) {
	const op = "BeginTransaction"
	if w == nil {
		return nil, noWorldError(op)
	}
	if w.gate.isBorrower {
		return nil, w.gate.fault(ErrState, op, "the world is lent to a transaction already: one job may not lend it again")
	}
	if err := w.beginChange(op); err != nil {
		return nil, err
	}
	defer w.gate.endUnchanged()
	inner := &World{}
	inner.gate.name, inner.gate.runningSystem, inner.gate.structuralVersion, inner.gate.changeVersion = w.gate.name, w.gate.runningSystem, w.gate.structuralVersion, w.gate.changeVersion
	inner.gate.isBorrower = true
	inner.connectParts(w)
	if err := inner.types.findBuiltins(); err != nil {
		return nil, err
	}
	inner.gate.advanceVersion() // w keeps its version until the end
	inner.gate.jobs.pool, inner.hooks.attached = w.Pool(), w.hooks.attached
	t := &Transaction{world: w, jobWorld: inner, archetypesBefore: len(w.tables.archetypes)}
	t.pool = w.Pool()
	w.giveContents(inner)
	w.gate.lease, w.transaction, w.transactionWorld, w.gate.usable = &t.lease, t, inner, false
	return t, nil
}

// Schedule schedules a job that gets the world. The job runs after the earlier jobs of the transaction
// and after the handles. It returns the handle of the job. It panics with an *Error if the transaction
// has ended.
func (t *Transaction) Schedule(job TransactionJob, after ...jobs.Handle) jobs.Handle {
	if err := t.open("Transaction.Schedule"); err != nil {
		panic(err)
	}
	t.lastJob = t.world.gate.workerPool().Schedule(&transactionTurn{t, job}, append([]jobs.Handle{t.lastJob}, after...)...)
	return t.lastJob
}

// Done reports whether all jobs of the transaction are done, so that End would not wait. Done returns
// true for a nil or zero Transaction.
func (t *Transaction) Done() bool { return t == nil || t.lastJob.Done() }

// open returns an error if the transaction cannot be used.
func (t *Transaction) open(op string) error {
	switch {
	case t == nil || t.world == nil:
		return fault(ErrState, op, "the transaction is the zero Transaction: make it with BeginTransaction")
	case t.callerHasWorld():
		return t.world.gate.fault(ErrState, op, "a job of the transaction cannot call it: that is for the goroutine that has begun the transaction")
	case t.ended:
		return t.world.gate.fault(ErrState, op, "the transaction has ended: begin another one")
	}
	return nil
}

// transactionTurn is a job of a transaction.
type transactionTurn struct {
	transaction *Transaction
	job         TransactionJob
}

// Run makes the world usable for the job, and calls the job.
func (r *transactionTurn) Run(task *jobs.Task) {
	w := r.transaction.jobWorld
	w.gate.usable = true
	r.transaction.runningTask.Store(task)
	defer func() {
		r.transaction.runningTask.Store(nil)
		w.gate.endViews() // ends the views
		w.gate.usable = false
	}()
	if err := r.job.Change(w); err != nil {
		r.transaction.errs = append(r.transaction.errs, err)
	}
}

// JobName returns the name of the job's type.
func (r *transactionTurn) JobName() string { return fmt.Sprintf("%T", r.job) }

// End waits for the jobs of the transaction and gives the world back to its owner. End returns the errors
// of the jobs, and the panic of a job that has panicked, joined. The changes that a job has made before it
// failed remain. The error is of category [ErrState] if the transaction has ended already, or if one of
// its own jobs calls End.
func (t *Transaction) End() error {
	const op = "Transaction.End"
	if err := t.open(op); err != nil {
		return err
	}
	w, inner := t.world, t.jobWorld
	failed := t.lastJob.Wait()
	if !t.lastJob.Done() {
		return failed // the caller is a job of the transaction: the wait would never end
	}
	for _, q := range inner.queries.list {
		for _, f := range q.sharedFilters {
			inner.shared.storeOf(f.comp).release(f.valueIndex)
		}
		q.closed = true
	}
	inner.giveContents(w)
	w.gate.structuralVersion = inner.gate.structuralVersion
	w.gate.jobs.ownerEpoch++
	w.gate.changeVersion = inner.gate.changeVersion
	w.gate.lease, w.transaction, w.transactionWorld, w.gate.usable, t.ended = nil, nil, nil, true, true
	for _, a := range w.tables.archetypes[t.archetypesBefore:] {
		w.queries.matchNew(a)
	}
	w.callCommitHooks(op)
	w.shared.notify()
	return errors.Join(append(t.errs, failed)...)
}
