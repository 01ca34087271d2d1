package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// canChange returns an error if a structural change is not possible now: the world is closed, its chunks
// are being visited, or the caller is not its owner.
func (w *World) canChange(op string) error {
	if w.gate.barred() {
		return w.cannotChange(op)
	}
	if w.gate.owner.again(jobs.Goroutine()) {
		return nil
	}
	return w.gate.alone(op)
}

// cannotChange does the full check of canChange.
func (w *World) cannotChange(op string) error {
	switch inJob, stranger := called(&w.gate); {
	case inJob: // first, because only the owner may read the other fields
		return w.gate.fault(ErrState, op, "structural changes are not for jobs: %s", remedy(op, "record the change with Commands.Parallel and For", "when the jobs are done"))
	case stranger:
		return w.gate.stranger(op)
	case !w.gate.alive:
		return w.gate.unavailable(op)
	case w.gate.owner.asking > 0:
		if err := w.gate.calm(op); err != nil {
			return err // a method in another goroutine
		}
		return w.gate.fault(ErrState, op, "the world is about to be changed, and asks for something first (Hash or Equal of a shared value, a function of OnCommit): that cannot change it")
	case w.gate.visiting > 0:
		return w.gate.fault(ErrState, op, "a loop over chunks or entities is under way: %s", remedy(op, "record the change with Commands and play it back after the loop", "after the loop"))
	}
	if w.gate.owner.depth > 0 {
		return nil // the caller owns the update
	}
	return w.gate.alone(op)
}

// change begins a structural change: it is a sync point, after which no job of the world runs, and it ends
// all views. It returns an error, and has changed nothing, if the change is not possible now.
func (w *World) change(op string) error {
	if !w.gate.barred() && w.hooks.commits == nil && w.gate.owner.again(jobs.Goroutine()) { // canChange and commit, in short
		w.gate.structural++
		return nil
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	return w.commit(op)
}

// commit begins a structural change that canChange has allowed.
func (w *World) commit(op string) error {
	if w.gate.jobs.pending || w.gate.owner.changing != w.gate.owner.holder || w.hooks.commits != nil {
		return w.begin(op)
	}
	w.gate.structural++
	return nil
}

// begin is commit for the case that jobs are pending or functions want to be called.
func (w *World) begin(op string) error {
	if w.gate.jobs.pending {
		if err := w.complete(op); err != nil {
			return err
		}
	}
	if w.gate.owner.depth == 0 {
		if err := w.gate.seize(op); err != nil {
			return err
		}
	}
	w.committing(op)
	w.gate.structural++
	return nil
}

// may is canChange for operations that do not call finish.
func (w *World) may(op string) error {
	err := w.canChange(op)
	if err == nil {
		w.gate.idle()
	}
	return err
}

// expect notes, before it can run, that a job of the world is about to be scheduled. From then on inJob
// distinguishes the owner from jobs. After the first job nothing is written here that jobs may be reading;
// only the owner uses the count.
func (w *World) expect() {
	w.gate.jobs.noted++
	if !w.gate.jobs.pending {
		pool := w.gate.workers()
		w.gate.jobs.owner = pool.Caller().TaskOf(pool)
		w.gate.jobs.block = jobs.CallerBlock()
		w.gate.jobs.pending = true
	}
}

// finish ends a structural change after its last write.
func (w *World) finish() {
	g := &w.gate
	g.owner.changing = 0
	if guard || g.concludes {
		w.conclude()
	}
}

// conclude does the work that only some structural changes need at their end.
func (w *World) conclude() {
	w.reserved.made = len(w.reserved.list)
	if guard {
		w.tables.resettle()
	}
	w.shared.notify()
}

// complete waits for all jobs of the world and forgets them. Sync returns their errors. complete itself
// returns an error if a job of the world calls it; some jobs may still run then.
func (w *World) complete(op string) error {
	if err := w.gate.looks(op); err != nil {
		return err
	}
	if !w.gate.jobs.pending {
		return nil
	}
	const text = "a job cannot wait for all jobs of its world"
	if w.gate.inJob() {
		return w.gate.fault(ErrState, op, text)
	}
	over := false
	defer func() {
		if !over {
			w.gate.faulted() // a hook has panicked, or a job of this goroutine has ended the change
		}
	}()
	for _, f := range w.hooks.syncs {
		(*f)()
	}
	done := w.waiting(nil)
	err := w.gate.jobs.tracker.WaitAll()
	if refused(err) {
		done()
		return w.gate.fault(ErrState, op, text).because(err)
	}
	w.gate.report(err)
	w.gate.jobs.pending = false
	done() // it may panic: the errors of jobs are kept
	over = true
	return nil
}

// await completes jobs that write c, or that touch it at all if the owner is about to write it.
func (w *World) await(op string, c *component, write bool) error {
	if err := w.gate.notInJob(op); err != nil {
		return err // before the scratch is used, which belongs to the owner
	}
	if write {
		if err := w.gate.looks(op); err != nil {
			return err
		}
	}
	if !w.gate.jobs.pending {
		return nil
	}
	a := &w.gate.jobs.access
	a.Read.Clear()
	a.Write.Clear()
	if write {
		a.Write.Add(c.index)
	} else {
		a.Read.Add(c.index)
	}
	if c.per != nil && write {
		a.Write.Add(c.per.index)
	} else if c.per != nil {
		a.Read.Add(c.per.index)
	}
	return w.awaitAccess(op, a)
}

// awaitAccess completes jobs that conflict with a.
func (w *World) awaitAccess(op string, a *access.Access) error {
	if err := w.gate.notInJob(op); err != nil {
		return err
	}
	w.gate.jobs.after = w.gate.jobs.tracker.Before(a, w.gate.jobs.after[:0])
	if len(w.gate.jobs.after) == 0 {
		return nil
	}
	done := w.waiting(a)
	err := w.gate.jobs.tracker.WaitFor(a)
	done()
	if err != nil {
		return w.gate.fault(ErrState, op, "a job on this data failed; Sync reports that and goes on").because(err)
	}
	return nil
}

// refused reports whether a wait was refused because it would never end. A job that has failed because one
// of its own waits was refused is a different case.
func refused(err error) bool {
	switch err := err.(type) {
	case *jobs.DeadlockError:
		return true
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(), refused)
	}
	return false
}
