package ecs

import (
	"fmt"
	"iter"
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/profile"
)

// chunkRun is a scheduled ParallelFor over the chunks of a query. It is the body that package jobs
// runs. The way of a job, from the call to the job's method Chunk:
//
//	Query.schedule           lists the chunks, finds the jobs to wait for, takes a chunkRun (query_jobs.go)
//	Runner.ParallelFor       a jobs.Scope during an update of a system, otherwise the pool
//	jobs: Scope.ParallelFor  makes a node with a loop of one block a chunk, and enqueues it when the jobs
//	                         before it are done (schedule.go, edge.go, queue.go)
//	jobs: worker             finds the node and runs it (worker.go, run.go): alone, or opened to other
//	                         workers, which take blocks of the loop (parallel_for.go, loop.go)
//	chunkRun.RunRange        shows one chunk and calls job.Chunk
type chunkRun struct {
	query      *Query
	job        ChunkJob
	runs       SpanJob      // set instead of job
	list       []listed     // the chunks; RunRange gets an index of this list
	some       []listed     // memory for a list of few chunks
	handle     jobs.Handle  // of this run; when it is done, takeRun uses the chunkRun again
	structural uint32       // the world's structural version when the run was scheduled: a view checks it
	version    uint32       // the world's change version at that time: written columns get it
	since      uint32       // Changed filters pass chunks that were written after this version
	order      uint32       // number of the job: Commands are played in this order
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

// workerChunks has the values of type Chunk that one worker uses to show the chunks of a query to its
// job. No two goroutines are the same worker at the same time.
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
