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

// ParallelFor schedules the job over the matching chunks. It runs after the given handles and after every
// job that conflicts with it: that writes a component which this one touches, or touches one which this
// one writes, in an archetype that both match. Each chunk is one index. It does not allocate.
//
// The pool keeps the job, and makes no copy, until it is done. A panic in it becomes a *jobs.PanicError,
// whose Index is that of the chunk; the handle's Wait and the world's Sync return it. All other chunks are
// still processed, and if several panic, the error is that of the first chunk. Changed terms are applied
// when the job runs; if it is already certain that no chunk passes, nothing is scheduled. ParallelFor
// panics with an *Error in a job, and while chunks are being visited.
func (q *Query) ParallelFor(job ChunkJob, after ...jobs.Handle) jobs.Handle {
	return q.schedule("Query.ParallelFor", job, nil, after)
}

// schedule schedules either kind of job.
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
		if runs == nil { // the joining of chunks must not depend on which jobs have finished by now
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

// done reports whether all jobs have finished without an error, so that their results can be read.
func done(hs []jobs.Handle) bool {
	for _, h := range hs {
		if !h.Done() || h.Err() != nil {
			return false
		}
	}
	return true
}

// refreshLookups renews the lookups of the query. It first waits for jobs of the query that are using
// them.
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
			_ = r.handle.Wait() // the world reports its error
			done()
		}
		l.refresh()
	}
}

// listed is one chunk of a query.
type listed struct {
	match  *match
	rec    *record
	index  int     // among all chunks, including those with other shared values
	newest *uint32 // of the match: the version that a filter checks first
}

// The owner checks chunks before it schedules them, until fewPassing have passed the filters or it has
// checked manyLooked. Beyond that the jobs check, because they do so in parallel.
const (
	fewPassing = 32
	manyLooked = 2048
)

// passing returns the query's chunks that may pass its filters: the passing ones if they are few, and
// otherwise all chunks of the archetypes with changes. The jobs that write the filters' components are
// done.
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

// flatten returns the chunks of the query in order, without those that have other values than its
// WithShared terms.
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
	runs       SpanJob // set instead of job
	list       []listed
	some       []listed // memory for a list of few chunks
	handle     jobs.Handle
	structural uint32
	version    uint32 // the world's version when it was scheduled
	since      uint32
	order      uint32
	typ        reflect.Type // the type of the job that name is for
	name       string
}

// takeRun returns an unused run of the query.
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

// RunRange processes chunk i. Each block is one chunk, so that an error has the chunk's index, except for
// a SpanJob. It is called for every chunk of every job.
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

// NotReturned ends the Chunk of a body that has not returned.
func (r *chunkRun) NotReturned(worker int) { slotOf(worker, &r.query.workers).abandon() }

// JobPlace describes the chunk of a body that has panicked. The chunk still exists, because no structural
// change is possible while its job runs.
func (r *chunkRun) JobPlace(worker int) string {
	c := slotOf(worker, &r.query.workers).last()
	if c == nil {
		return ""
	}
	return fmt.Sprintf("world %q, archetype %v, chunk of entity %v", c.world.gate.name, c.rec.arch, c.rec.ids()[c.first])
}

// JobName returns the name of the system, followed by that of the job's type if the two differ.
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

// JobMeter returns the meter of the job.
func (r *chunkRun) JobMeter() *profile.Meter {
	if m, ok := r.body().(profile.Metered); ok {
		return m.JobMeter()
	}
	return nil
}

// workerChunks has the Chunks in which one worker sees the chunks of a query. No two goroutines are the
// same worker at the same time.
type workerChunks struct {
	chunk *Chunk
	_     [56]byte // one cache line for each worker
}

// slotOf is all.at without the call for the pool's own workers.
func slotOf(worker int, all *perWorker[workerChunks]) *workerChunks {
	if worker < len(all.own) {
		return &all.own[worker]
	}
	return all.at(worker)
}

// take returns a free Chunk: the worker's first one, or another one while a job that waits further up on
// the same stack uses the first.
func (s *workerChunks) take(headers int) *Chunk {
	c := s.chunk
	if c == nil || c.n >= 0 {
		c = s.another(headers)
	}
	return c
}

// another is take for the case that the first Chunk is missing or in use.
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

// SpanJob processes a span, a range of neighbouring chunks, as if it were one chunk: see
// [Query.ParallelForSpans]. The value is kept and not copied, and several workers call Run at the same
// time.
type SpanJob interface{ Run(*Chunk) }

// ParallelForSpans is [Query.ParallelFor] for kernels that are limited by memory. It calls the job with
// spans of up to 16 chunks that follow each other in memory, as a Chunk that is as long as all of them
// together. [Column] has whole lanes of the span, Entities has all ids, and write access marks each of the
// chunks as changed. Longer lanes are faster when the data exceeds the caches; otherwise ParallelFor is as
// good.
//
// A span joins chunks that follow each other in the loop and in memory, under these conditions:
//
//   - All are full except the last.
//   - They have one archetype and the same shared values.
//   - All of their rows pass the filters.
//   - The query asks for no buffers, managed or chunk components, and for no lanes that start anew
//     in each chunk, as lanes of single bytes may.
//
// Other chunks come alone. Len can exceed the archetype's Capacity. Index, Chunk.ID and First are those of
// the first chunk.
//
// If a span panics, the rest of its block of up to 16 chunks is left out; all other blocks are processed.
//
// The joining is the same for any number of workers and on all machines. But another build, or Compact,
// may join other chunks, so results must not depend on it.
func (q *Query) ParallelForSpans(job SpanJob, after ...jobs.Handle) jobs.Handle {
	return q.schedule("Query.ParallelForSpans", nil, job, after)
}

// maxRun is the largest number of chunks in a span, which is that of a region of memory.
const maxRun = 16

// runGrain returns how many of n chunks are a block: few enough to give work to many workers, and up to
// maxRun if there are many. Regions start at powers of two of chunks, so that blocks of such a length
// split few of them.
func runGrain(n int) int { return min(maxRun, 1<<(bits.Len(uint(n/32)|1)-1)) }

// doRuns processes the spans among chunks [i, end).
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

// run passes a span to the job, between the checks of the guard build.
func (r *chunkRun) run(c *Chunk) {
	if guard {
		c.watch()
	}
	r.runs.Run(c)
	if guard {
		c.inspect()
	}
}

// follows reports whether chunk i of the list continues the one before it in memory, and all of its rows
// pass.
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

// perWorker is a T for each worker of a pool. The number of the pool's own workers is known from the
// start. A goroutine that waits and helps is a worker with a higher index; there are several if, for
// example, two worlds share a pool.
type perWorker[T any] struct {
	own  []T
	mu   sync.Mutex
	more []*T
}

// grow makes elements for the pool's own workers.
func (p *perWorker[T]) grow(workers int) {
	if len(p.own) < workers {
		p.own = make([]T, workers)
	}
}

// at returns the T of a worker with any index.
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

// all yields every T; no worker may be running a job.
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
