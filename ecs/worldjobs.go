package ecs

import (
	"errors"

	"github.com/lanewise/lanewise/jobs"
)

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
