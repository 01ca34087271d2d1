package ecs

import (
	"fmt"
	"iter"
	"math/bits"
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/profile"
)

// ParallelFor schedules the job over the chunks that match, after those given
// and after every job that it conflicts with: that writes what it touches, or
// touches what it writes, in an archetype that both match. One chunk is one
// index. It does not allocate.
//
// The job is held, not copied, until it is done. A panic in it surfaces as a
// *jobs.PanicError, whose Index is that of the chunk, from the handle's Wait and
// from the world's Sync. All other chunks are done nevertheless, and of several that
// panic the error is that of the first. Changed terms are heeded when the job runs; where it is
// known already that no chunk passes, nothing is scheduled. It panics with an
// *Error in a job, and while chunks are being visited.
func (q *Query) ParallelFor(job ChunkJob, after ...jobs.Handle) jobs.Handle {
	return q.schedule("Query.ParallelFor", job, nil, after)
}

// schedule schedules one of two kinds of jobs.
func (q *Query) schedule(op string, job ChunkJob, runs SpanJob, after []jobs.Handle) jobs.Handle {
	if err := asked(q, op); err != nil {
		panic(err)
	}
	w := q.world
	if job == nil && runs == nil {
		panic(w.gate.fault(ErrArgument, op, "the job is nil"))
	}
	if err := w.may(op); err != nil {
		panic(err)
	}
	if w.gate.borrowed {
		panic(w.gate.fault(ErrState, op, "the world is lent to a transaction, whose jobs run one after the other: use Run, or a loop over Chunks"))
	}
	list := q.flatten()
	w.gate.jobs.order++
	if len(list) == 0 {
		return jobs.Combine(after...)
	}
	q.refreshLookups()
	on := w.gate.jobs.on
	if on == nil {
		on = w.gate.workers()
	}
	w.gate.jobs.after = w.gate.jobs.tracker.Before(&q.access, append(w.gate.jobs.after[:0], after...))
	run := (*chunkRun)(nil)
	if q.watches() && done(w.gate.jobs.after) {
		run = q.takeRun(w.gate.workers().Workers())
		some := run.passing(list)
		if len(some) == 0 {
			return jobs.Handle{}
		}
		if runs == nil { // which chunks are joined must not hang on what is done by now
			list = some
		}
	} else {
		run = q.takeRun(w.gate.workers().Workers())
	}
	run.job, run.runs, run.list = job, runs, list
	run.structural, run.version, run.since, run.order = w.gate.structural, w.gate.version, q.since, w.gate.jobs.order
	grain := 1
	if runs != nil {
		grain = runGrain(len(list))
	}
	w.expect()
	run.handle = on.ParallelFor(run, len(list), grain, w.gate.jobs.after...)
	w.gate.jobs.tracker.Add(&q.access, run.handle)
	return run.handle
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
	match  *match
	rec    *record
	index  int     // among all chunks, those of other shared values included
	newest *uint32 // of the match: what a filter asks first
}

// Chunks are looked at before they are scheduled, until so many pass the filters, or so many
// were looked at: then it is for the jobs to find out which.
const (
	fewPassing = 32
	manyLooked = 2048
)

// passing returns those of the query's chunks that may pass its filters, which look at
// versions: few of them, or all in the archetypes in which something has changed. What
// they look at is done.
func (r *chunkRun) passing(list []listed) []listed {
	r.some = r.some[:0]
	few, looked := true, 0
	for m := range r.query.changing(r.query.since) {
		for _, l := range list[m.first:][:m.chunks] {
			if looked++; few && !m.passes(l.rec, r.query.since) {
				continue
			}
			r.some = append(r.some, l)
			few = few && looked < manyLooked && len(r.some) < fewPassing
		}
	}
	return r.some
}

// flatten returns the chunks of the query in order, but those that lack the values of
// its WithShared terms.
func (q *Query) flatten() []listed {
	if q.listing == q.world.tables.listing && q.listing != 0 {
		return q.list
	}
	q.list = q.list[:0]
	base := 0
	for _, m := range q.matches {
		if m.first, m.chunks = 0, 0; len(m.arch.chunks) == 0 {
			continue
		}
		m.bindOnce(&q.matching)
		m.first = int32(len(q.list))
		for _, r := range m.chosen(q.world.tables.listing) {
			q.list = append(q.list, listed{m, r, base + r.index, m.newest})
		}
		m.chunks = int32(len(q.list)) - m.first
		base += len(m.arch.chunks)
	}
	q.listing = q.world.tables.listing
	return q.list
}

// chunkRun is a scheduled ParallelFor over the chunks of a query.
type chunkRun struct {
	query      *Query
	job        ChunkJob
	runs       SpanJob // instead
	list       []listed
	some       []listed // room for list, of few of the chunks
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

// RunRange does chunk i: a block is one chunk, so that an error has its index, unless the job
// is for runs. It is called for every chunk of every job.
func (r *chunkRun) RunRange(t *jobs.Task, i, end int) {
	if r.runs != nil {
		r.doRuns(t, i, end)
		return
	}
	l := &r.list[i]
	m, rec := l.match, l.rec
	if l.newest != nil && !changedSince(loadVersion(l.newest), r.since) || m.filtered && !m.admits(rec, r.since) {
		return
	}
	q, worker := r.query, t.Worker()
	c := slotOf(worker, &q.workers).take(q.headers)
	c.world, c.structural, c.version, c.worker, c.order = q.world, r.structural, r.version, int32(worker), r.order
	c.task = t
	if l.index != i { // of a query with WithShared
		t.SetLo(l.index)
	}
	c.show(m, span{rec, 0, rec.n}, l.index)
	if c.mask = nil; m.rows == nil || c.filterRows(m) {
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

// JobPlace says of which chunk a body was that has panicked. The chunk is still there: no change can be made while its job runs.
func (r *chunkRun) JobPlace(worker int) string {
	c := slotOf(worker, &r.query.workers).last()
	if c == nil {
		return ""
	}
	return fmt.Sprintf("world %q, archetype %v, chunk of entity %v", c.world.gate.name, c.rec.arch, c.rec.ids()[c.first])
}

// JobName returns the name of the system, and that of the job's type where it is
// another one.
func (r *chunkRun) JobName() string {
	job := r.body()
	if named, ok := job.(jobs.Named); ok {
		return named.JobName()
	}
	t := reflect.TypeOf(job)
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

// system returns the name of the system that the query was made for.
func (r *chunkRun) system() string { return r.query.owner }

// JobMeter is that of the job.
func (r *chunkRun) JobMeter() *profile.Meter {
	if m, ok := r.body().(profile.Metered); ok {
		return m.JobMeter()
	}
	return nil
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
	if last := s.last(); last != nil {
		last.end()
	}
}

// last returns the Chunk that was taken last, or nil.
func (s *workerChunks) last() (last *Chunk) {
	for c := s.chunk; c != nil && c.n >= 0; c = c.inner {
		last = c
	}
	return last
}

// SpanJob does runs of neighbouring chunks as if each were one chunk: see
// [Query.ParallelForSpans]. The value is held, not copied, and Run is called for several runs at
// a time.
type SpanJob interface{ Run(*Chunk) }

// ParallelForSpans is [Query.ParallelFor] for kernels that are held up by memory: it calls the
// job with runs of up to 16 chunks, whose lanes lie one behind the other, as a Chunk that is as long as
// all of them. [Column] shows whole lanes of the run, Entities all ids, and write access marks
// each of the chunks. Past the caches longer lanes are faster; within them ParallelFor is
// as good.
//
// Chunks are joined that follow each other in the loop and in memory, all full but the last, of
// one archetype with the same shared values, of which filters leave all rows. Others come
// alone, and so do all if the query asks for buffers, managed or chunk components, or for
// lanes that begin anew in each chunk, as those of single bytes may. So Len can be more than the
// archetype's Capacity, and Index, Chunk.ID and First are those of the first chunk.
//
// A run that panics leaves out the rest of its block, which is up to 16 chunks; all other blocks
// are done.
//
// Which chunks are joined is the same for any number of workers and on all machines, but another
// build or Compact may join others: nothing should hang on it.
func (q *Query) ParallelForSpans(job SpanJob, after ...jobs.Handle) jobs.Handle {
	return q.schedule("Query.ParallelForSpans", nil, job, after)
}

// maxRun is the most chunks that are a run: as many as regions have.
const maxRun = 16

// runGrain is how many of n chunks are a block: what makes blocks enough for many workers, and
// long ones where there is much. Regions are of powers of two of chunks, so that such
// blocks cut few of them.
func runGrain(n int) int { return min(maxRun, 1<<(bits.Len(uint(n/32)|1)-1)) }

// doRuns does the runs among chunks [i, end).
func (r *chunkRun) doRuns(t *jobs.Task, i, end int) {
	q, worker := r.query, t.Worker()
	for i < end {
		l := &r.list[i]
		m, rec := l.match, l.rec
		first := i
		if i++; m.filtered && !m.admits(rec, r.since) {
			continue
		}
		n := rec.n
		if m.long && m.certain(rec) {
			for i < end && r.follows(i) {
				n += r.list[i].rec.n
				i++
			}
		}
		c := slotOf(worker, &q.workers).take(q.headers)
		c.world, c.structural, c.version, c.worker, c.order = q.world, r.structural, r.version, int32(worker), r.order
		c.task = t
		t.SetLo(l.index)
		c.show(m, span{rec, 0, n}, l.index)
		if c.mask = nil; i > first+1 {
			c.join(r.list[first+1 : i])
		}
		if c.more != nil || m.rows == nil || c.filterRows(m) {
			r.run(c)
		}
		c.end()
	}
}

// run gives a run to the job, between the checks of the guard build.
func (r *chunkRun) run(c *Chunk) {
	if guard {
		c.watch()
	}
	r.runs.Run(c)
	if guard {
		c.inspect()
	}
}

// follows reports whether chunk i of the list goes on where the one before it ends, and
// is let through with all of its rows.
func (r *chunkRun) follows(i int) bool {
	before, l := &r.list[i-1], &r.list[i]
	m := l.match
	a, b := before.rec, l.rec
	return m == before.match && a.group == b.group && a.n == m.arch.capacity && b.Follows(&a.Place) &&
		(!m.filtered || m.admits(b, r.since) && m.certain(b))
}

// body returns the job of either kind.
func (r *chunkRun) body() any {
	if r.runs != nil {
		return r.runs
	}
	return r.job
}

// perWorker is a T for each worker of a pool. The pool's own workers are known
// from the start; goroutines that wait at the same time, as two worlds on one
// pool do, are workers of higher indices.
type perWorker[T any] struct {
	own  []T
	mu   sync.Mutex
	more []*T
}

// grow makes room for the pool's own workers.
func (p *perWorker[T]) grow(workers int) {
	if len(p.own) < workers {
		p.own = make([]T, workers)
	}
}

// at returns the T of a worker, which may be any.
func (p *perWorker[T]) at(worker int) *T {
	if worker < len(p.own) {
		return &p.own[worker]
	}
	worker -= len(p.own)
	p.mu.Lock()
	defer p.mu.Unlock()
	for worker >= len(p.more) {
		p.more = append(p.more, new(T))
	}
	return p.more[worker]
}

// all yields every T; no worker may be working.
func (p *perWorker[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range p.own {
			if !yield(&p.own[i]) {
				return
			}
		}
		for _, v := range p.more {
			if !yield(v) {
				return
			}
		}
	}
}
