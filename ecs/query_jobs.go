package ecs

import (
	"math/bits"

	"github.com/lanewise/lanewise/jobs"
)

// ParallelFor schedules the job over the matching chunks. The job runs after the given handles and after
// every job that conflicts with it. Two jobs conflict if one of them writes a component that the other
// accesses, in an archetype that both match. Each chunk is one index. It does not allocate.
//
// The pool uses the job without a copy until it is done. A panic in the job becomes a *jobs.PanicError,
// whose Index is the index of the chunk. The Wait of the returned handle, and the Sync of the world,
// return this error. All other chunks are still processed. If the job panics for several chunks, the error
// is that of the first of these chunks. Changed terms are applied when the job runs. If it is certain
// before this that no chunk will pass, nothing is scheduled. ParallelFor panics with an *Error in a job,
// and while chunks are being visited.
func (q *Query) ParallelFor(job ChunkJob, after ...jobs.Handle) jobs.Handle {
	return q.scheduleJob("Query.ParallelFor", job, nil, after)
}

// scheduleJob schedules a ChunkJob or a SpanJob.
func (q *Query) scheduleJob(op string, job ChunkJob, runs SpanJob, after []jobs.Handle) jobs.Handle {
	if err := checkOpenQuery(q, op); err != nil {
		panic(err)
	}
	w := q.world
	if job == nil && runs == nil {
		panic(w.gate.fault(ErrArgument, op, "the job is nil"))
	}
	if err := w.checkWouldChange(op); err != nil {
		panic(err)
	}
	if w.gate.isBorrower {
		panic(w.gate.fault(ErrState, op, "the world is lent to a transaction, whose jobs run one after the other: use Run, or a loop over Chunks"))
	}
	list := q.chunksInOrder()
	w.gate.jobs.jobCount++
	if len(list) == 0 {
		return jobs.Combine(after...)
	}
	q.refreshLookups()
	on := w.gate.jobs.runner
	if on == nil {
		on = w.gate.workerPool()
	}
	w.gate.jobs.afterScratch = w.gate.jobs.tracker.Before(&q.access, append(w.gate.jobs.afterScratch[:0], after...))
	run := (*parallelRun)(nil)
	if q.checksVersions() && allDone(w.gate.jobs.afterScratch) {
		run = q.unusedRun(w.gate.workerPool().Workers())
		some := run.passingChunks(list)
		if len(some) == 0 {
			return jobs.Handle{}
		}
		if runs == nil { // the joining of chunks must not depend on which jobs have finished by now
			list = some
		}
	} else {
		run = q.unusedRun(w.gate.workerPool().Workers())
	}
	run.job, run.spanJob, run.chunks = job, runs, list
	run.structuralVersion, run.changeVersion, run.since, run.jobOrder = w.gate.structuralVersion, w.gate.changeVersion, q.since, w.gate.jobs.jobCount
	grain := 1
	if runs != nil {
		grain = spanGrain(len(list))
	}
	w.expectJob()
	run.handle = on.ParallelFor(run, len(list), grain, w.gate.jobs.afterScratch...)
	w.gate.jobs.tracker.Add(&q.access, run.handle)
	return run.handle
}

// allDone reports whether all jobs have finished without an error, so that their results can be read.
func allDone(hs []jobs.Handle) bool {
	for _, h := range hs {
		if !h.Done() || h.Err() != nil {
			return false
		}
	}
	return true
}

// refreshLookups renews the lookups of the query. refreshLookups first waits for jobs of the query
// that are using them.
func (q *Query) refreshLookups() {
	for _, l := range q.lookups {
		if !l.isStale() {
			continue
		}
		for _, r := range q.parallelRuns {
			if r.handle.Done() {
				continue
			}
			done := q.world.callWaitHooks(&q.access)
			_ = r.handle.Wait() // the world reports its error
			done()
		}
		l.refresh()
	}
}

// queryChunk is one chunk of a query.
type queryChunk struct {
	match              *match
	chunk              *chunkData
	index              int     // among all chunks, including those with other shared values
	matchNewestVersion *uint32 // newestVersion of the match, which a filter checks first
}

// Before the owner schedules a job, it checks whether chunks pass the filters. It stops after
// ownerPassingMax chunks have passed, or after it has checked ownerCheckedMax chunks. The job itself
// checks the remaining chunks, because its workers do so in parallel.
const (
	ownerPassingMax = 32
	ownerCheckedMax = 2048
)

// passingChunks returns the query's chunks that may pass its filters. If few chunks pass, it returns these,
// and otherwise all chunks of the archetypes with changes. All jobs that write components of the filters
// must be done.
func (r *parallelRun) passingChunks(list []queryChunk) []queryChunk {
	r.smallList = r.smallList[:0]
	few, looked := true, 0
	for m := range r.query.changedMatches(r.query.since) {
		for _, l := range list[m.firstChunk:][:m.chunkCount] {
			if looked++; few && !m.chunkPasses(l.chunk, r.query.since) {
				continue
			}
			r.smallList = append(r.smallList, l)
			few = few && looked < ownerCheckedMax && len(r.smallList) < ownerPassingMax
		}
	}
	return r.smallList
}

// chunksInOrder returns the chunks of the query in order. It leaves out chunks that do not have the
// shared values of the WithShared terms.
func (q *Query) chunksInOrder() []queryChunk {
	if q.listEpoch == q.world.tables.listEpoch && q.listEpoch != 0 {
		return q.allChunks
	}
	q.allChunks = q.allChunks[:0]
	base := 0
	for _, m := range q.matches {
		if m.firstChunk, m.chunkCount = 0, 0; len(m.arch.chunks) == 0 {
			continue
		}
		m.bindColumnsOnce(&q.queryMatcher)
		m.firstChunk = int32(len(q.allChunks))
		for _, r := range m.selectedChunks(q.world.tables.listEpoch) {
			q.allChunks = append(q.allChunks, queryChunk{m, r, base + r.archetypeIndex, m.newestVersion})
		}
		m.chunkCount = int32(len(q.allChunks)) - m.firstChunk
		base += len(m.arch.chunks)
	}
	q.listEpoch = q.world.tables.listEpoch
	return q.allChunks
}

// SpanJob processes spans. A span is a range of neighbouring chunks, which the job sees as one
// chunk: see [Query.ParallelForSpans]. The job is used without a copy, and several workers call Run
// at the same time.
type SpanJob interface{ Run(*Chunk) }

// ParallelForSpans is like [Query.ParallelFor], but for kernels that are limited by memory. It calls the
// job with spans of up to 16 chunks that follow each other in memory. The job gets one Chunk for a span,
// whose length is the sum of the lengths of the chunks. [Column] returns lanes of the whole span, and
// Entities returns all ids. Write access marks each chunk of the span as changed. Longer lanes are faster
// if the data exceeds the caches; otherwise ParallelFor is as good.
//
// A span joins chunks that follow each other in the loop and in memory, under these conditions:
//
//   - All are full except the last.
//   - They belong to one archetype and have the same shared values.
//   - All of their rows pass the filters.
//   - The query asks for no buffers, managed or chunk components, and for no lanes that begin again
//     in each chunk. Lanes of single bytes may begin again.
//
// Other chunks are passed one by one. Len can exceed the archetype's Capacity. Index, Chunk.ID and First
// refer to the first chunk.
//
// If the job panics in a span, the remaining spans of the same block of up to 16 chunks are
// skipped. All other blocks are processed.
//
// Which chunks are joined does not depend on the number of workers or on the machine. But another
// build of the program, or a call of Compact, may join other chunks, so results must not depend
// on the spans.
func (q *Query) ParallelForSpans(job SpanJob, after ...jobs.Handle) jobs.Handle {
	return q.scheduleJob("Query.ParallelForSpans", nil, job, after)
}

// maxSpanChunks is the largest number of chunks in a span. It equals the largest number of chunks
// in a region of memory.
const maxSpanChunks = 16

// spanGrain returns the number of chunks in each block of a job over n chunks. The number is small enough
// to give work to many workers. If there are many chunks, it is maxSpanChunks. The number is a power of
// two. Regions of memory also begin at powers of two of chunks, so blocks split few regions.
func spanGrain(n int) int { return min(maxSpanChunks, 1<<(bits.Len(uint(n/32)|1)-1)) }
