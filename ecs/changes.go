package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// checkCanChange returns an error if a structural change is not possible now. There are three reasons: the
// world is closed, its chunks are being visited, or the caller is not its owner.
func (w *World) checkCanChange(op string) error {
	if w.gate.changeMayBeBarred() {
		return w.checkCanChangeFully(op)
	}
	if w.gate.owner.stillHolder(jobs.Goroutine()) {
		return nil
	}
	return w.gate.beginAlone(op)
}

// checkCanChangeFully does the full check of checkCanChange.
func (w *World) checkCanChangeFully(op string) error {
	switch inJob, stranger := classifyCaller(&w.gate); {
	case inJob: // first, because only the owner may read the other fields
		return w.gate.fault(ErrState, op, "structural changes are not for jobs: %s", remedy(op, "record the change with Commands.Parallel and For", "when the jobs are done"))
	case stranger:
		return w.gate.strangerError(op)
	case !w.gate.usable:
		return w.gate.unavailableError(op)
	case w.gate.owner.awaitedCalls > 0:
		if err := w.gate.checkNotChanging(op); err != nil {
			return err // a method in another goroutine
		}
		return w.gate.fault(ErrState, op, "the world is about to be changed, and asks for something first (Hash or Equal of a shared value, a function of OnCommit): that cannot change it")
	case w.gate.activeLoops > 0:
		return w.gate.fault(ErrState, op, "a loop over chunks or entities is under way: %s", remedy(op, "record the change with Commands and play it back after the loop", "after the loop"))
	}
	if w.gate.owner.updateDepth > 0 {
		return nil // the caller owns the update
	}
	return w.gate.beginAlone(op)
}

// beginChange begins a structural change. A structural change is a sync point: no job of the world runs after
// it begins. It makes all views stale. If the change is not possible now, beginChange returns an error and has
// changed nothing.
func (w *World) beginChange(op string) error {
	if !w.gate.changeMayBeBarred() && w.hooks.onCommit == nil && w.gate.owner.stillHolder(jobs.Goroutine()) { // checkCanChange and commit, in short
		w.gate.endViews()
		return nil
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	return w.beginAllowedChange(op)
}

// beginAllowedChange begins a structural change that checkCanChange has allowed.
func (w *World) beginAllowedChange(op string) error {
	if w.gate.jobs.jobsPending || w.gate.owner.changingG != w.gate.owner.holderG || w.hooks.onCommit != nil {
		return w.beginAllowedChangeFully(op)
	}
	w.gate.endViews()
	return nil
}

// beginAllowedChangeFully does the work of beginAllowedChange if jobs are pending or functions of
// OnCommit must be called.
func (w *World) beginAllowedChangeFully(op string) error {
	if w.gate.jobs.jobsPending {
		if err := w.completeJobs(op); err != nil {
			return err
		}
	}
	if w.gate.owner.updateDepth == 0 {
		if err := w.gate.confirmAlone(op); err != nil {
			return err
		}
	}
	w.callCommitHooks(op)
	w.gate.endViews()
	return nil
}

// checkWouldChange is like checkCanChange, but for operations that do not call endChange.
func (w *World) checkWouldChange(op string) error {
	err := w.checkCanChange(op)
	if err == nil {
		w.gate.endUnchanged()
	}
	return err
}

// expectJob records, before the job can run, that a job of the world is about to be scheduled. From then
// on inJob distinguishes the owner from jobs. If a job of the world is already pending, expectJob writes
// only the count, which no job reads.
func (w *World) expectJob() {
	w.gate.jobs.ownerEpoch++
	if !w.gate.jobs.jobsPending {
		pool := w.gate.workerPool()
		w.gate.jobs.ownerTask = pool.Caller().TaskOf(pool)
		w.gate.jobs.ownerBlock = jobs.CallerBlock()
		w.gate.jobs.jobsPending = true
	}
}

// endChange ends a structural change after its last write.
func (w *World) endChange() {
	g := &w.gate
	g.owner.changingG = 0
	if guard || g.endWorkPending {
		w.endChangeFully()
	}
}

// endChangeFully does the work that only some structural changes need at their end.
func (w *World) endChangeFully() {
	w.reservedIDs.doneCount = len(w.reservedIDs.list)
	if guard {
		w.tables.moveTouchedChunks()
	}
	w.shared.notify()
}

// completeJobs waits for all jobs of the world and forgets them. Sync returns their errors. completeJobs
// returns an error only if a job of the world calls it. After such an error, some jobs may still be
// running.
func (w *World) completeJobs(op string) error {
	if err := w.gate.checkRead(op); err != nil {
		return err
	}
	if !w.gate.jobs.jobsPending {
		return nil
	}
	const text = "a job cannot wait for all jobs of its world"
	if w.gate.inJob() {
		return w.gate.fault(ErrState, op, text)
	}
	over := false
	defer func() {
		if !over {
			w.gate.endFailed() // a hook has panicked, or a job of this goroutine has ended the change
		}
	}()
	for _, f := range w.hooks.onSync {
		(*f)()
	}
	done := w.callWaitHooks(nil)
	err := w.gate.jobs.tracker.WaitAll()
	if isRefusedWait(err) {
		done()
		return w.gate.fault(ErrState, op, text).withCause(err)
	}
	w.gate.addJobError(err)
	w.gate.jobs.jobsPending = false
	done() // it may panic: the errors of jobs are kept
	over = true
	return nil
}

// awaitComponent completes the jobs that write c. If the owner is about to write c, it completes
// all jobs that access c.
func (w *World) awaitComponent(op string, c *component, write bool) error {
	if err := w.gate.checkNotInJob(op); err != nil {
		return err // before the scratch is used, which belongs to the owner
	}
	if write {
		if err := w.gate.checkRead(op); err != nil {
			return err
		}
	}
	if !w.gate.jobs.jobsPending {
		return nil
	}
	a := &w.gate.jobs.accessScratch
	a.Read.Clear()
	a.Write.Clear()
	if write {
		a.Write.Add(c.index)
	} else {
		a.Read.Add(c.index)
	}
	if c.perChunkValue != nil && write {
		a.Write.Add(c.perChunkValue.index)
	} else if c.perChunkValue != nil {
		a.Read.Add(c.perChunkValue.index)
	}
	return w.awaitAccess(op, a)
}

// awaitAccess completes jobs that conflict with a.
func (w *World) awaitAccess(op string, a *access.Access) error {
	if err := w.gate.checkNotInJob(op); err != nil {
		return err
	}
	w.gate.jobs.afterScratch = w.gate.jobs.tracker.Before(a, w.gate.jobs.afterScratch[:0])
	if len(w.gate.jobs.afterScratch) == 0 {
		return nil
	}
	done := w.callWaitHooks(a)
	err := w.gate.jobs.tracker.WaitFor(a)
	done()
	if err != nil {
		return w.gate.fault(ErrState, op, "a job on this data failed; Sync reports that and goes on").withCause(err)
	}
	return nil
}

// isRefusedWait reports whether a wait was refused because it would never end. isRefusedWait returns false
// for a job that failed because one of its own waits was refused.
func isRefusedWait(err error) bool {
	switch err := err.(type) {
	case *jobs.DeadlockError:
		return true
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(), isRefusedWait)
	}
	return false
}
