package ecs

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/jobs"
)

// Transaction lends a world to jobs, one at a time, each of which may do with it
// whatever its owner does otherwise: make and end entities, add and remove
// components, play back commands.
//
// Until the transaction has ended no other can use the world: functions that can
// fail return an error of category [ErrState], others panic with one. Schedule and End
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
	// Change is given a world that is valid until it returns, with the entities and
	// archetypes of the one that was lent. Queries of that one are not: ask for them
	// here. Its error comes out of [Transaction.End].
	Change(w *World) error
}

// TransactionFunc is a function as a [TransactionJob].
type TransactionFunc func(w *World) error

// Change calls the function.
func (f TransactionFunc) Change(w *World) error { return f(w) }

// InTransaction reports whether a world is lent to a transaction that has not ended.
func (w *World) InTransaction() bool {
	if w == nil {
		panic(noWorld("World.InTransaction"))
	}
	return w.lent != nil
}

// BeginTransaction lends a world to jobs that are given to the transaction. It is
// a structural change, so the jobs of the world are complete and views end. What the
// jobs write is new to all, whichever version of the world they have seen. The
// error is of category [ErrState] if the world is lent already.
func BeginTransaction(w *World) (*Transaction, error) {
	const op = "BeginTransaction"
	if w == nil {
		return nil, noWorld(op)
	}
	if w.borrowed {
		return nil, w.fault(ErrState, op, "the world is lent to a transaction already: one job may not lend it again")
	}
	if err := w.change(op); err != nil {
		return nil, err
	}
	defer w.idle()
	inner := &World{}
	inner.name, inner.running, inner.structural, inner.version = w.name, w.running, w.structural, w.version
	inner.borrowed, inner.readers = true, &inner.matcher
	inner.home, inner.world = &w.tables, inner
	if err := inner.knowOwn(); err != nil {
		return nil, err
	}
	inner.bump() // w stays behind until the end
	inner.jobs.pool, inner.hooks.attached = w.Pool(), w.hooks.attached
	t := &Transaction{world: w, inner: inner, known: len(w.archetypes)}
	t.pool = w.Pool()
	w.give(&inner.tables)
	w.lent, w.taken, w.borrower, w.alive = &t.lease, t, &inner.tables, false
	return t, nil
}

// Schedule hands the world to a job.
func (t *Transaction) Schedule(job TransactionJob, after ...jobs.Handle) jobs.Handle {
	if err := t.open("Transaction.Schedule"); err != nil {
		panic(err)
	}
	t.last = t.world.workers().Schedule(&turn{t, job}, append([]jobs.Handle{t.last}, after...)...)
	return t.last
}

// Done reports whether all jobs are done.
func (t *Transaction) Done() bool { return t == nil || t.last.Done() }

// open returns an error if the transaction cannot be used.
func (t *Transaction) open(op string) error {
	switch {
	case t == nil || t.world == nil:
		return fault(ErrState, op, "the transaction is the zero Transaction: make it with BeginTransaction")
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
	w.alive = true
	r.t.running.Store(task)
	defer func() {
		r.t.running.Store(nil)
		w.structural++ // the views end
		w.alive = false
	}()
	if err := r.job.Change(w); err != nil {
		r.t.errs = append(r.t.errs, err)
	}
}

// JobName returns the name of the job's type.
func (r *turn) JobName() string { return fmt.Sprintf("%T", r.job) }

// End waits for the jobs and gives the world back.
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
	w.lent, w.taken, w.borrower, w.alive, t.over = nil, nil, nil, true, true
	for _, a := range w.archetypes[t.known:] {
		w.made(a)
	}
	w.committing(op)
	w.notify()
	return errors.Join(append(t.errs, failed)...)
}
