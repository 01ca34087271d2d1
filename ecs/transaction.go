package ecs

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/jobs"
)

// Transaction lends a world to jobs, one at a time, each of which may do with it
// whatever its owner does otherwise: make and end entities, add and remove
// components, play back commands. A world that is filled in the background, to be
// moved into another one between two frames, is what it is for.
//
// Until the transaction has ended no other can use the world: functions that can
// fail return an error of category ErrState, others panic with one. Schedule and End
// are for the goroutine that has begun it.
type Transaction struct {
	lease
	world *World // the lender
	inner *World // what the jobs are given
	last  jobs.Handle
	errs  []error
	known int // archetypes that there were
	over  bool
}

// TransactionJob is a job that has a world to itself.
type TransactionJob interface {
	// Change is given a world that is good until it returns, with the entities and
	// archetypes of the one that was lent. Queries of that one are not: ask for them
	// here. What it returns comes out of [Transaction.End].
	Change(w *World) error
}

// TransactionFunc is a function as a TransactionJob.
type TransactionFunc func(w *World) error

// Change calls the function.
func (f TransactionFunc) Change(w *World) error { return f(w) }

// Schedule hands the world to a job: after those given to the transaction before, and
// after the handles. It panics with an *Error if the transaction has ended.
func (t *Transaction) Schedule(job TransactionJob, after ...jobs.Handle) jobs.Handle {
	if err := t.open("Transaction.Schedule"); err != nil {
		panic(err)
	}
	t.last = t.world.workers().Schedule(&turn{t, job}, append([]jobs.Handle{t.last}, after...)...)
	return t.last
}

// Done reports whether all jobs given to the transaction are done, so that End does
// not wait.
func (t *Transaction) Done() bool { return t.last.Done() }

// open returns an error if the transaction cannot be used.
func (t *Transaction) open(op string) error {
	switch {
	case t == nil || t.world == nil:
		return fault(ErrState, op, "the transaction is the zero Transaction: make it with World.BeginTransaction")
	case t.mine():
		return t.world.fault(ErrState, op, "a job of the transaction cannot call it: that is for the goroutine that has begun the transaction")
	case t.over:
		return t.world.fault(ErrState, op, "the transaction has ended: begin another one")
	}
	return nil
}

// turn is a job of a transaction.
type turn struct {
	t   *Transaction
	job TransactionJob
}

// Run lets the job have the world.
func (r *turn) Run(task *jobs.Task) {
	w := r.t.inner
	w.closed = false
	r.t.running.Store(task)
	defer func() {
		r.t.running.Store(nil)
		w.structural++ // the views end
		w.closed = true
	}()
	if err := r.job.Change(w); err != nil {
		r.t.errs = append(r.t.errs, err)
	}
}

// JobName returns the name of the job's type.
func (r *turn) JobName() string { return fmt.Sprintf("%T", r.job) }

// End waits for the jobs of the transaction and gives the world back to its owner. It
// returns what the jobs have returned, and the panic of one that has failed, joined:
// what they have done until then stays. The error is of category ErrState if the
// transaction has ended already, or one of its own jobs wants to end it.
func (t *Transaction) End() error {
	const op = "Transaction.End"
	if err := t.open(op); err != nil {
		return err
	}
	w, inner := t.world, t.inner
	failed := t.last.Wait()
	if !t.last.Done() {
		return failed // the caller is a job, and the wait would never end
	}
	for _, q := range inner.queries {
		for _, f := range q.only {
			inner.storeOf(f.comp).release(f.value)
		}
		q.closed = true
	}
	inner.give(&w.tables)
	w.structural = inner.structural
	w.version = inner.version
	w.lent, w.taken, w.tenant, w.closed, t.over = nil, nil, nil, false, true
	for _, a := range w.archetypes[t.known:] {
		w.made(a)
	}
	w.committing(op)
	w.notify()
	return errors.Join(append(t.errs, failed)...)
}
