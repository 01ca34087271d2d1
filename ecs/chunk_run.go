package ecs

import (
	"fmt"
	"iter"
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/profile"
)

// parallelRun is one scheduled ParallelFor over the chunks of a query. Package jobs runs it as a
// RangeJob. This is the call path from scheduling a job to its method Chunk:
//
//	Query.scheduleJob     lists the chunks, finds the jobs to wait for, takes a parallelRun (query_jobs.go)
//	Pool.ParallelFor      newLoop makes a node with one block for each chunk; submit links it after the
//	                      jobs to wait for; enqueue puts it into a queue (schedule.go, edge.go, queue.go of jobs)
//	a worker              findJob finds the node, and runClaimed runs it (worker.go, run.go). A long loop is
//	                      opened to other workers, which take blocks of it: takeBlocks (parallel_for.go, loop.go)
//	parallelRun.RunRange  points a Chunk at one chunk and calls job.Chunk (below)
//	Column                sets the slices of a view to the lanes of the chunk (cursor.column in chunk.go), and
//	                      marks a written column as changed
//	kernels.AddScaled     for example, calls the path of this CPU: see doc.go of kernels
//
// While an execution trace is recorded, a jobs.Scope is used instead of the pool.
type parallelRun struct {
	query             *Query
	job               ChunkJob
	spanJob           SpanJob      // set instead of job
	chunks            []queryChunk // the chunks; RunRange gets an index of this list
	smallList         []queryChunk // memory for a list of few chunks
	handle            jobs.Handle  // of this run; when it is done, unusedRun uses the parallelRun again
	structuralVersion uint32       // the world's structural version when the run was scheduled: a view checks it
	changeVersion     uint32       // the world's change version at that time: written columns get it
	since             uint32       // Changed filters pass chunks that were written after this version
	jobOrder          uint32       // number of the job: Commands are played in this order
	jobType           reflect.Type // the type of the job that jobName is for; nil if that type has names
	jobName           string
}

// unusedRun returns an unused run of the query.
func (q *Query) unusedRun(workers int) *parallelRun {
	growWorkers(&q.workers, workers)
	for _, r := range q.parallelRuns {
		if r.handle.Done() {
			return r
		}
	}
	r := &parallelRun{query: q}
	q.parallelRuns = append(q.parallelRuns, r)
	return r
}

// RunRange processes chunk i. Except for a SpanJob, each block is one chunk, so that an error has
// the chunk's index. RunRange is called for every chunk of every job.
func (r *parallelRun) RunRange(t *jobs.Task, i, end int) {
	if r.spanJob != nil {
		r.runSpans(t, i, end)
		return
	}
	l := &r.chunks[i]
	m, rec := l.match, l.chunk
	if l.matchNewestVersion != nil && !changedSince(loadVersion(l.matchNewestVersion), r.since) || m.mayFilter && !m.admitsChunk(rec, r.since) {
		return
	}
	q, worker := r.query, t.Worker()
	c := workerChunksOf(worker, &q.workers).takeChunk(q.headers)
	c.world, c.structuralVersion, c.changeVersion, c.worker, c.jobOrder = q.world, r.structuralVersion, r.changeVersion, int32(worker), r.jobOrder
	c.task = t
	if l.index != i { // of a query with WithShared
		t.SetLo(l.index)
	}
	c.showRows(m, rowRange{rec, 0, rec.count}, l.index)
	if c.rowMask = nil; m.rowFilter == nil || c.filterRows(m) {
		if guard {
			c.takeChecksums()
		}
		r.job.Chunk(c)
		if guard {
			c.verifyChecksums()
		}
	}
	c.hide()
}

// runSpans processes the spans among chunks [i, end).
func (r *parallelRun) runSpans(t *jobs.Task, i, end int) {
	q, worker := r.query, t.Worker()
	for i < end {
		l := &r.chunks[i]
		m, rec := l.match, l.chunk
		first := i
		if i++; m.mayFilter && !m.admitsChunk(rec, r.since) {
			continue
		}
		n := rec.count
		if m.joinsChunks && m.allRowsPass(rec) {
			for i < end && r.continuesPrevious(i) {
				n += r.chunks[i].chunk.count
				i++
			}
		}
		c := workerChunksOf(worker, &q.workers).takeChunk(q.headers)
		c.world, c.structuralVersion, c.changeVersion, c.worker, c.jobOrder = q.world, r.structuralVersion, r.changeVersion, int32(worker), r.jobOrder
		c.task = t
		t.SetLo(l.index)
		c.showRows(m, rowRange{rec, 0, n}, l.index)
		if c.rowMask = nil; i > first+1 {
			c.joinChunks(r.chunks[first+1 : i])
		}
		if c.joinedChunks != nil || m.rowFilter == nil || c.filterRows(m) {
			r.runSpan(c)
		}
		c.hide()
	}
}

// runSpan passes a span to the job. The guard build checks the span before and after.
func (r *parallelRun) runSpan(c *Chunk) {
	if guard {
		c.takeChecksums()
	}
	r.spanJob.Run(c)
	if guard {
		c.verifyChecksums()
	}
}

// continuesPrevious reports whether chunk i of the list directly follows the chunk before it in memory, and all of
// its rows pass.
func (r *parallelRun) continuesPrevious(i int) bool {
	before, l := &r.chunks[i-1], &r.chunks[i]
	m := l.match
	a, b := before.chunk, l.chunk
	return m == before.match && a.group == b.group && a.count == m.arch.capacity && b.Follows(&a.Place) &&
		(!m.mayFilter || m.admitsChunk(b, r.since) && m.allRowsPass(b))
}

// jobValue returns the SpanJob or, if there is none, the ChunkJob.
func (r *parallelRun) jobValue() any {
	if r.spanJob != nil {
		return r.spanJob
	}
	return r.job
}

// NotReturned hides the Chunk of a job whose method has panicked, or has exited its goroutine.
func (r *parallelRun) NotReturned(worker int) { workerChunksOf(worker, &r.query.workers).endLast() }

// JobPlace describes the chunk whose job has panicked. The chunk still exists, because no structural
// change is possible while its job runs.
func (r *parallelRun) JobPlace(worker int) string {
	c := workerChunksOf(worker, &r.query.workers).lastTaken()
	if c == nil {
		return ""
	}
	return fmt.Sprintf("world %q, archetype %v, chunk of entity %v", c.world.gate.name, c.chunk.arch, c.chunk.ids()[c.firstRow])
}

// JobName returns the name of the system, followed by that of the job's type if the two differ.
func (r *parallelRun) JobName() string {
	job := r.jobValue()
	t := reflect.TypeOf(job)
	if t != r.jobType {
		if named, ok := job.(jobs.Named); ok {
			r.jobType = nil
			return named.JobName()
		}
		r.jobType = t
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		r.jobName = fmt.Sprint(t)
		if o := r.query.owner; o != "" && o != r.jobName {
			r.jobName = o + ": " + r.jobName
		}
	}
	return r.jobName
}

// system returns the name of the system for which the query was created.
func (r *parallelRun) system() string { return r.query.owner }

// JobMeter returns the meter of the job.
func (r *parallelRun) JobMeter() *profile.Meter {
	if m, ok := r.jobValue().(profile.Metered); ok {
		return m.JobMeter()
	}
	return nil
}

// workerChunks holds the values of type Chunk that one worker uses to show the chunks of a query to
// its job. Two goroutines that run at the same time never have the same worker index.
type workerChunks struct {
	firstChunk *Chunk
	_          [56]byte // one cache line for each worker
}

// workerChunksOf does the same as workerAt, but needs no call for one of the pool's own workers.
func workerChunksOf(worker int, all *perWorker[workerChunks]) *workerChunks {
	if worker < len(all.poolWorkers) {
		return &all.poolWorkers[worker]
	}
	return workerAt(all, worker)
}

// takeChunk returns a free Chunk. It is the worker's first Chunk, unless a job that is waiting on the same
// stack uses that Chunk.
func (s *workerChunks) takeChunk(headers int) *Chunk {
	c := s.firstChunk
	if c == nil || c.count >= 0 {
		c = s.takeMore(headers)
	}
	return c
}

// takeMore does the work of takeChunk if the first Chunk is missing or in use.
func (s *workerChunks) takeMore(headers int) *Chunk {
	at := &s.firstChunk
	for *at != nil && (*at).count >= 0 {
		at = &(*at).nestedChunk
	}
	if *at == nil {
		*at = newChunk(headers)
	}
	return *at
}

// endLast hides the Chunk that takeChunk returned last.
func (s *workerChunks) endLast() {
	if last := s.lastTaken(); last != nil {
		last.hide()
	}
}

// lastTaken returns the Chunk that was taken last, or nil.
func (s *workerChunks) lastTaken() (last *Chunk) {
	for c := s.firstChunk; c != nil && c.count >= 0; c = c.nestedChunk {
		last = c
	}
	return last
}

// perWorker is a T for each worker of a pool. The number of the pool's own workers is known from the
// start. A goroutine that waits and helps is a worker with a higher index; there are several if, for
// example, two worlds share a pool. The operations of perWorker are functions and not methods,
// because methods would be compiled in every package that names a World
// (docs/decisions/0028-fronts.md).
type perWorker[T any] struct {
	poolWorkers []T
	mu          sync.Mutex
	helpers     []*T
}

// growWorkers makes elements for the pool's own workers.
func growWorkers[T any](p *perWorker[T], workers int) {
	if len(p.poolWorkers) < workers {
		p.poolWorkers = make([]T, workers)
	}
}

// workerAt returns the T of a worker with any index.
func workerAt[T any](p *perWorker[T], worker int) *T {
	if worker < len(p.poolWorkers) {
		return &p.poolWorkers[worker]
	}
	worker -= len(p.poolWorkers)
	p.mu.Lock()
	defer p.mu.Unlock()
	for worker >= len(p.helpers) {
		p.helpers = append(p.helpers, new(T))
	}
	return p.helpers[worker]
}

// allWorkers yields every T; no worker may be running a job.
func allWorkers[T any](p *perWorker[T]) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range p.poolWorkers {
			if !yield(&p.poolWorkers[i]) {
				return
			}
		}
		for _, v := range p.helpers {
			if !yield(v) {
				return
			}
		}
	}
}
