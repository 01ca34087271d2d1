package ecs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/jobs"
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
	tracker jobs.Tracker
	owner   *jobs.Task  // what scheduled the first of them, if that was a job
	order   uint32      // counts the jobs
	noted   uint32      // counts how often some were expected, for the owner
	asked   int         // how many were asked about with Before and not given to Track
	failed  []error     // of jobs that a sync point completed
	access  jobs.Access // scratch
	after   []jobs.Handle
}

// Pool returns the pool that the world's jobs run on.
func (w *World) Pool() *jobs.Pool {
	if w.jobs.pool == nil {
		w.jobs.pool = jobs.Default()
	}
	return w.jobs.pool
}

// Sync completes all jobs of the world. It returns the errors of those that
// failed since the last Sync, here or at a structural change, joined.
func (w *World) Sync() error {
	if err := w.complete("Sync"); err != nil {
		return err
	}
	err := errors.Join(w.jobs.failed...)
	w.jobs.failed = w.jobs.failed[:0]
	return err
}

// Report adds an error to those that the next Sync returns.
func (w *World) Report(err error) {
	if err != nil {
		w.jobs.failed = append(w.jobs.failed, err)
	}
}

// complete waits for all jobs of the world and forgets them. What fails of them
// is for Sync to say. It returns an error, and some may still run, if it is
// called from one of them.
func (w *World) complete(op string) error {
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
	w.Report(err)
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
func (w *World) await(op string, c *component, write bool) error {
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
func (w *World) awaitAccess(op string, a *jobs.Access) error {
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
func (w *World) notInJob(op string) error {
	if w.inJob() {
		return w.fault(ErrState, op, "a job sees the world through its chunk: use Column, or a Lookup")
	}
	return nil
}

// ParallelFor schedules the job over the chunks that match, after those given
// and after every job that it conflicts with: that writes what it touches, or
// touches what it writes, in an archetype that both match. One chunk is one
// index. It does not allocate.
//
// The job is held, not copied, until it is done. A panic in it surfaces as a
// *jobs.PanicError, whose Index is that of the chunk, from the handle's Wait and
// from the world's Sync. Changed terms are heeded when the job runs; where it is
// known already that no chunk passes, nothing is scheduled. It panics with an
// *Error in a job, and while chunks are being visited.
func (q *Query) ParallelFor(job ChunkJob, after ...jobs.Handle) jobs.Handle {
	const op = "Query.ParallelFor"
	w := q.world
	if err := w.own(op, q); err != nil {
		panic(err)
	}
	if err := w.may(op); err != nil {
		panic(err)
	}
	if w.lender != nil {
		panic(w.fault(ErrState, op, "the world is lent to a transaction, whose jobs run one after the other: use Each, or a loop over Chunks"))
	}
	list := q.flatten()
	w.jobs.order++
	if len(list) == 0 {
		return jobs.Combine(after...)
	}
	q.refreshLookups()
	on := w.jobs.on
	if on == nil {
		on = w.Pool()
	}
	w.jobs.after = w.jobs.tracker.Before(&q.access, append(w.jobs.after[:0], after...))
	if q.watches() && done(w.jobs.after) && q.still() {
		return jobs.Handle{}
	}
	run := q.takeRun(w.Pool().Workers())
	run.job, run.list = job, list
	run.structural, run.version, run.since, run.order = w.structural, w.version, q.since, w.jobs.order
	w.expect()
	run.handle = on.ParallelFor(run, len(list), 1, w.jobs.after...)
	w.jobs.tracker.Add(&q.access, run.handle)
	return run.handle
}

// Quiet reports whether a job over the query would find nothing to do: no chunk
// passes its Changed terms, and no job that could change that is under way. It
// does not wait; where it cannot tell without, it is false. It looks at
// archetypes, not at their chunks.
func (q *Query) Quiet() bool {
	w := q.world
	w.away("Query.Quiet")
	if q.closed || !q.watches() || w.inJob() {
		return false
	}
	if w.jobs.pending {
		w.jobs.after = w.jobs.tracker.Before(&q.access, w.jobs.after[:0])
		if !done(w.jobs.after) {
			return false
		}
	}
	return q.still()
}

// watches reports whether the query has a term that looks at versions.
func (q *Query) watches() bool { return len(q.changed)+len(q.watched) > 0 || q.ordered }

// still reports whether no chunk can pass the filters, as far as the archetypes
// tell.
func (q *Query) still() bool {
	for _, m := range q.matches {
		if !m.still(q.since) {
			return false
		}
	}
	return true
}

// done reports whether all jobs have come to a good end, so that what they wrote
// can be read.
func done(hs []jobs.Handle) bool {
	for _, h := range hs {
		if !h.Done() || h.Err() != nil {
			return false
		}
	}
	return true
}

// refreshLookups makes the look-ups of the query good. Jobs of the query that are
// using them end first.
func (q *Query) refreshLookups() {
	for _, l := range q.lookups {
		if !l.old() {
			continue
		}
		for _, r := range q.runs {
			if r.handle.Done() {
				continue
			}
			done := q.world.waiting(&q.access)
			_ = r.handle.Wait() // its error is the world's to report
			done()
		}
		l.refresh()
	}
}

// listed is one chunk of a query.
type listed struct {
	match *match
	rec   *record
	index int // among all chunks, those of other shared values included
}

// flatten returns the chunks of the query in order, but those that lack the values of
// its Only terms.
func (q *Query) flatten() []listed {
	if q.listing == q.world.listing && q.listing != 0 {
		return q.list
	}
	q.list = q.list[:0]
	base := 0
	for _, m := range q.matches {
		if len(m.arch.chunks) == 0 {
			continue
		}
		if !m.bound {
			m.bind(q)
		}
		for _, r := range m.chosen(q.world.listing) {
			q.list = append(q.list, listed{m, r, base + r.index})
		}
		base += len(m.arch.chunks)
	}
	q.listing = q.world.listing
	return q.list
}

// chunkRun is a scheduled ParallelFor over the chunks of a query.
type chunkRun struct {
	query      *Query
	job        ChunkJob
	list       []listed
	handle     jobs.Handle
	structural uint32
	version    uint32 // the global version when it was scheduled
	since      uint32
	order      uint32
	typ        reflect.Type // of the job that name is for
	name       string
}

// takeRun returns a run of the query that is not in use.
func (q *Query) takeRun(workers int) *chunkRun {
	q.workers.grow(workers)
	for _, r := range q.runs {
		if r.handle.Done() {
			return r
		}
	}
	r := &chunkRun{query: q}
	q.runs = append(q.runs, r)
	return r
}

// RunRange does chunk i: a block is one chunk, so that an error has its index. It
// is called for every chunk of every job. Errors recognise jobs by its name.
func (r *chunkRun) RunRange(t *jobs.Task, i, _ int) {
	l := &r.list[i]
	m, rec := l.match, l.rec
	if m.filtered && !m.lets(rec, r.since) {
		return
	}
	q, worker := r.query, t.Worker()
	c := slotOf(worker, &q.workers).take(q.headers)
	c.world, c.structural, c.version, c.worker, c.order = q.world, r.structural, r.version, int32(worker), r.order
	c.task = t
	if l.index != i { // of a query with Only
		t.SetLo(l.index)
	}
	c.show(m, span{rec, 0, rec.n}, l.index)
	if c.mask = nil; m.rows == nil || c.sift(m) {
		if guard {
			c.watch()
		}
		r.job.Chunk(c)
		if guard {
			c.inspect()
		}
	}
	c.end()
}

// NotReturned ends the Chunk that a body had which did not return.
func (r *chunkRun) NotReturned(worker int) { slotOf(worker, &r.query.workers).abandon() }

// JobName returns the name of the system, and that of the job's type where it is
// another one.
func (r *chunkRun) JobName() string {
	if named, ok := r.job.(jobs.Named); ok {
		return named.JobName()
	}
	t := reflect.TypeOf(r.job)
	if t != r.typ {
		r.typ = t
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		r.name = fmt.Sprint(t)
		if o := r.query.owner; o != "" && o != r.name {
			r.name = o + ": " + r.name
		}
	}
	return r.name
}

// workerChunks keeps the Chunks that one worker shows a query with. No two
// goroutines are the same worker at a time.
type workerChunks struct {
	chunk *Chunk
	_     [56]byte // a cache line each
}

// slotOf is all.at, which is called where the worker is none of the pool's own.
func slotOf(worker int, all *perWorker[workerChunks]) *workerChunks {
	if worker < len(all.own) {
		return &all.own[worker]
	}
	return all.at(worker)
}

// take returns a Chunk that is not shown: the worker's first, or another one while
// that is in use by a job that waits further up on the same worker.
func (s *workerChunks) take(headers int) *Chunk {
	c := s.chunk
	if c == nil || c.n >= 0 {
		c = s.another(headers)
	}
	return c
}

// another is take where the first Chunk is not to be had.
func (s *workerChunks) another(headers int) *Chunk {
	at := &s.chunk
	for *at != nil && (*at).n >= 0 {
		at = &(*at).inner
	}
	if *at == nil {
		*at = newChunk(headers)
	}
	return *at
}

// abandon ends the Chunk that was taken last.
func (s *workerChunks) abandon() {
	var last *Chunk
	for c := s.chunk; c != nil && c.n >= 0; c = c.inner {
		last = c
	}
	if last != nil {
		last.end()
	}
}
