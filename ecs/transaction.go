package ecs

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/jobs"
)

// transaction is transaction.Transaction.
type transaction struct {
	lease
	world *World // the lender
	inner *World // what the jobs are given
	last  jobs.Handle
	errs  []error
	known int // archetypes that there were
	over  bool
}

// change is transaction.Job.
type change = interface{ Change(w *World) error }

// transactions is what package ecs/transaction is made of.
type transactions struct{}

// CanBegin is transaction.CanBegin.
func (transactions) CanBegin(w *World) bool {
	const op = "transaction.CanBegin"
	if w == nil {
		panic(noWorld(op))
	}
	return !w.borrowed && w.may(op) == nil
}

// Lent is transaction.Lent.
func (transactions) Lent(w *World) bool {
	if w == nil {
		panic(noWorld("transaction.Lent"))
	}
	return w.lent != nil
}

// None is what a transaction.Transaction has that has not begun.
func (transactions) None() *transaction { return nil }

// Begin is transaction.Begin.
func (transactions) Begin(w *World) (*transaction, error) {
	const op = "transaction.Begin"
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
	t := &transaction{world: w, inner: inner, known: len(w.archetypes)}
	t.pool = w.Pool()
	w.give(&inner.tables)
	w.lent, w.taken, w.borrower, w.alive = &t.lease, t, &inner.tables, false
	return t, nil
}

// Schedule hands the world to a job.
func (t *transaction) Schedule(job change, after ...jobs.Handle) jobs.Handle {
	if err := t.open("transaction.Transaction.Schedule"); err != nil {
		panic(err)
	}
	t.last = t.world.workers().Schedule(&turn{t, job}, append([]jobs.Handle{t.last}, after...)...)
	return t.last
}

// Done reports whether all jobs are done.
func (t *transaction) Done() bool { return t == nil || t.last.Done() }

// open returns an error if the transaction cannot be used.
func (t *transaction) open(op string) error {
	switch {
	case t == nil:
		return fault(ErrState, op, "the transaction is the zero Transaction: make it with transaction.Begin")
	case t.mine():
		return t.world.fault(ErrState, op, "a job of the transaction cannot call it: that is for the goroutine that has begun the transaction")
	case t.over:
		return t.world.fault(ErrState, op, "the transaction has ended: begin another one")
	}
	return nil
}

// turn is a job of a transaction.
type turn struct {
	t   *transaction
	job change
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
func (t *transaction) End() error {
	const op = "transaction.Transaction.End"
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
