package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Runner is what jobs are scheduled on: a *jobs.Pool or a *jobs.Scope.
type Runner interface {
	ParallelFor(j jobs.RangeJob, n, grain int, after ...jobs.Handle) jobs.Handle
}

// schedule is what a world knows of its jobs.
type schedule struct {
	pending bool // jobs were scheduled since the last sync point
	pool    *jobs.Pool
	on      Runner // the pool, if nil
	tracker access.Tracker
	owner   *jobs.Task    // what scheduled the first of them, if that was a job of the pool
	block   uint64        // of that, by jobs.CallerBlock
	order   uint32        // counts the jobs
	noted   uint32        // counts how often some were expected, for the owner
	asked   int           // how many were asked about with Before and not given to Track
	failed  []error       // of jobs that a sync point completed
	access  access.Access // scratch
	after   []jobs.Handle
}

func (w *gate) report(err error) {
	if err != nil {
		w.jobs.failed = append(w.jobs.failed, err)
	}
}

func (w *gate) workers() *jobs.Pool {
	if w.jobs.pool == nil {
		w.jobs.pool = jobs.Default()
	}
	return w.jobs.pool
}

// complete waits for all jobs of the world and forgets them. What fails of them
// is for Sync to say. It returns an error, and some may still run, if it is
// called from one of them.
func (w *changes) complete(op string) error {
	if err := w.looks(op); err != nil {
		return err
	}
	if !w.jobs.pending {
		return nil
	}
	const text = "a job cannot wait for all jobs of its world"
	if w.inJob() {
		return w.fault(ErrState, op, text)
	}
	over := false
	defer func() {
		if !over {
			w.faulted() // a hook has panicked, or a job of this goroutine has ended it
		}
	}()
	for _, f := range w.hooks.syncs {
		(*f)()
	}
	done := w.waiting(nil)
	err := w.jobs.tracker.WaitAll()
	if refused(err) {
		done()
		return w.fault(ErrState, op, text).because(err)
	}
	w.report(err)
	w.jobs.pending = false
	done() // it may panic: what the jobs have said is kept
	over = true
	return nil
}

// refused reports whether a wait was given up because it would never end. That a
// job has failed because one of its own waits would not is another matter.
func refused(err error) bool {
	switch err := err.(type) {
	case *jobs.DeadlockError:
		return true
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(), refused)
	}
	return false
}

// await completes jobs that write c, or touch it at all if the owner is about to
// write it.
func (w *changes) await(op string, c *component, write bool) error {
	if err := w.notInJob(op); err != nil {
		return err // before the scratch is touched, which is the owner's
	}
	if write {
		if err := w.looks(op); err != nil {
			return err
		}
	}
	if !w.jobs.pending {
		return nil
	}
	a := &w.jobs.access
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
func (w *changes) awaitAccess(op string, a *access.Access) error {
	if err := w.notInJob(op); err != nil {
		return err
	}
	w.jobs.after = w.jobs.tracker.Before(a, w.jobs.after[:0])
	if len(w.jobs.after) == 0 {
		return nil
	}
	done := w.waiting(a)
	err := w.jobs.tracker.WaitFor(a)
	done()
	if err != nil {
		return w.fault(ErrState, op, "a job on this data failed; Sync reports that and goes on").because(err)
	}
	return nil
}

// notInJob returns an error if the caller is a job, to which nothing but its
// chunk belongs.
func (w *gate) notInJob(op string) error {
	if w.inJob() {
		return w.fault(ErrState, op, "a job sees the world through its chunk: use Column, or a Lookup")
	}
	return nil
}
