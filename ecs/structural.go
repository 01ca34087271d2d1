package ecs

import (
	"runtime"
	"strings"
	"sync"
)

// settled returns an error if a structural change cannot be made now: the world
// is closed, its chunks are being visited, or the caller is one of its jobs.
func (w *World) settled(op string) error {
	if !w.jobs.pending && !w.closed && w.visiting == 0 {
		return nil
	}
	return w.unsettled(op)
}

// unsettled is settled when something may be in the way.
func (w *World) unsettled(op string) error {
	switch {
	case w.inJob(): // first: the rest is the owner's to look at
		return w.fault(ErrState, op, "structural changes are not for jobs: %s", remedy(op, "record the change with Commands.Parallel and For", "when the jobs are done"))
	case w.closed:
		return w.shut(op)
	case w.visiting > 0:
		return w.fault(ErrState, op, "the chunks of a query are being visited: %s", remedy(op, "record the change with Commands and play it back after the loop", "after the loop"))
	}
	return nil
}

// remedy says what to do instead of op: to record it if it can be, or else to do
// it later.
func remedy(op, record, later string) string {
	switch op {
	case "Close", "CloseQueries", "Query.Close", "Query.ParallelFor", "Playback":
		return "call it " + later
	}
	return record
}

// change begins a structural change: it is a sync point, after which no job of
// the world runs, and it ends the life of all views. It returns an error, and
// has changed nothing, if the change cannot be made now.
func (w *World) change(op string) error {
	if err := w.settled(op); err != nil {
		return err
	}
	return w.commit(op)
}

// commit begins a structural change that settled has allowed.
func (w *World) commit(op string) error {
	if w.jobs.pending {
		if err := w.complete(op); err != nil {
			return err
		}
	}
	w.structural++
	return nil
}

// finish ends a structural change, which is whole.
func (w *World) finish() {
	w.kept = len(w.promises)
	if guard {
		w.resettle()
	}
	w.notify()
}

// expect notes that a job of the world is about to be scheduled, before it can
// run: from now on there are two sides, and inJob tells them apart. Once that is
// noted nothing is written that jobs may be reading; the count is the owner's.
func (w *World) expect() {
	w.jobs.noted++
	if !w.jobs.pending {
		w.jobs.owner, _ = w.Pool().Current()
		w.jobs.pending = true
	}
}

// inJob reports whether the calling goroutine runs a job of the world's pool, of
// whatever kind, while the world has jobs. The job that owns the world, where it
// is one that schedules them, does not count.
func (w *World) inJob() bool {
	if !w.jobs.pending {
		return false
	}
	if t, ok := w.jobs.pool.Current(); ok {
		return t != nil && t != w.jobs.owner
	}
	return insideJob()
}

// insideJob reports whether the calling goroutine is running the body of a query
// job. It looks at the stack, which takes a microsecond, and is asked only where
// the pool cannot tell; other jobs are found out when they wait for themselves.
func insideJob() bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if isJob(pc) {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// places remembers which places of the program are in one of these: there
// are few that lead to a sync point, and asking the runtime allocates.
var places sync.Map // of pc to bool

// isJob reports whether pc is in one of the methods that call the bodies of jobs.
func isJob(pc uintptr) bool {
	if known, ok := places.Load(pc); ok {
		return known.(bool)
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	is := strings.HasSuffix(frame.Function, "ecs.(*chunkRun).RunRange") || strings.HasSuffix(frame.Function, "ecs.(*turn).Run")
	places.Store(pc, is)
	return is
}
