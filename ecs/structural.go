package ecs

import (
	"slices"
	"strings"

	"github.com/lanewise/lanewise/jobs"
)

// changes is where structural changes begin: each is a sync point, which completes the
// jobs of the world, and tells what asked for it.
type changes struct {
	gate
	hooks hooks
}

// canChange returns an error if a structural change cannot be made now: the world
// is closed, its chunks are being visited, or the caller is not its owner.
func (w *changes) canChange(op string) error {
	if w.barred() {
		return w.cannotChange(op)
	}
	if w.owner.again(jobs.Goroutine()) {
		return nil
	}
	return w.alone(op)
}

// barred reports whether something may be in the way of a structural change, beside
// another goroutine.
func (w *gate) barred() bool {
	return w.jobs.pending || !w.alive || w.visiting != 0 || w.owner.depth != 0
}

// cannotChange is canChange when something may be in the way.
func (w *changes) cannotChange(op string) error {
	switch inJob, stranger := called(&w.gate); {
	case inJob: // first: the rest is the owner's to look at
		return w.fault(ErrState, op, "structural changes are not for jobs: %s", remedy(op, "record the change with Commands.Parallel and For", "when the jobs are done"))
	case stranger:
		return w.stranger(op)
	case !w.alive:
		return w.unavailable(op)
	case w.owner.asking > 0:
		if err := w.calm(op); err != nil {
			return err // another goroutine's method
		}
		return w.fault(ErrState, op, "the world is about to be changed, and asks for something first (Hash or Equal of a shared value, a function of OnCommit): that cannot change it")
	case w.visiting > 0:
		return w.fault(ErrState, op, "a loop over chunks or entities is under way: %s", remedy(op, "record the change with Commands and play it back after the loop", "after the loop"))
	}
	if w.owner.depth > 0 {
		return nil // others are refused: it is the same goroutine as when it began
	}
	return w.alone(op)
}

// remedy says what to do instead of op: to record it if it can be, or else to do
// it later.
func remedy(op, record, later string) string {
	if slices.Contains(opNames[:], strings.TrimSuffix(op, "All")) {
		return record
	}
	return "call it " + later
}

// change begins a structural change: it is a sync point, after which no job of
// the world runs, and it ends the life of all views. It returns an error, and
// has changed nothing, if the change cannot be made now.
func (w *changes) change(op string) error {
	if !w.barred() && w.hooks.commits == nil && w.owner.again(jobs.Goroutine()) { // canChange and commit, in short
		w.structural++
		return nil
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	return w.commit(op)
}

// commit begins a structural change that canChange has allowed.
func (w *changes) commit(op string) error {
	if w.jobs.pending || w.owner.changing != w.owner.holder || w.hooks.commits != nil {
		return w.begin(op)
	}
	w.structural++
	return nil
}

// begin is commit where there is more to it.
func (w *changes) begin(op string) error {
	if w.jobs.pending {
		if err := w.complete(op); err != nil {
			return err
		}
	}
	if w.owner.depth == 0 {
		if err := w.seize(op); err != nil {
			return err
		}
	}
	w.committing(op)
	w.structural++
	return nil
}

// may is canChange for what is no change that finish ends.
func (w *changes) may(op string) error {
	err := w.canChange(op)
	if err == nil {
		w.idle()
	}
	return err
}

// expect notes that a job of the world is about to be scheduled, before it can
// run: from now on there are two sides, and inJob tells them apart. Once that is
// noted nothing is written that jobs may be reading; the count is the owner's.
func (w *changes) expect() {
	w.jobs.noted++
	if !w.jobs.pending {
		pool := w.workers()
		w.jobs.owner = pool.Caller().TaskOf(pool)
		w.jobs.block = jobs.CallerBlock()
		w.jobs.pending = true
	}
}
