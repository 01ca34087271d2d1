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
// whose Index is the index of the chunk. The handle's Wait and the world's Sync return it. All other
// chunks are still processed. If several panic, the error is from the first of these chunks. Changed terms
// are applied when the job runs. If it is already certain that no chunk passes, nothing is scheduled.
// ParallelFor panics with an *Error in a job, and while chunks are being visited.
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

// Before it schedules a job, the owner checks chunks until ownerPassingMax have passed the filters or it
// has checked ownerCheckedMax. The jobs check the remaining chunks, because they do so in parallel.
const (
	ownerPassingMax = 32
	ownerCheckedMax = 2048
)

// passingChunks returns the query's chunks that may pass its filters. If few chunks pass, it returns these,
// and otherwise all chunks of the archetypes with changes. The jobs that write the filters' components must
// be done.
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

// chunksInOrder returns the chunks of the query in order, without the chunks whose values differ from
// the WithShared terms.
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

// SpanJob processes a span, which is a range of neighbouring chunks, as if it were one chunk: see
// [Query.ParallelForSpans]. The job is used without a copy, and several workers call Run at the same
// time.
type SpanJob interface{ Run(*Chunk) }

// ParallelForSpans is like [Query.ParallelFor], but for kernels that are limited by memory. It calls the
// job with spans of up to 16 chunks that follow each other in memory. The job gets a Chunk that is as long
// as all of them together. [Column] returns whole lanes of the span, Entities returns all ids, and write
// access marks each of the chunks as changed. Longer lanes are faster if the data exceeds the caches;
// otherwise ParallelFor is as good.
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
// If a span panics, the remaining spans of its block of up to 16 chunks are skipped; all other
// blocks are processed.
//
// Which chunks are joined does not depend on the number of workers or on the machine. But another
// build, or Compact, may join other chunks, so results must not depend on it.
func (q *Query) ParallelForSpans(job SpanJob, after ...jobs.Handle) jobs.Handle {
	return q.scheduleJob("Query.ParallelForSpans", nil, job, after)
}

// maxSpanChunks is the largest number of chunks in a span. It equals the largest number of chunks
// in a region of memory.
const maxSpanChunks = 16

// spanGrain returns the number of chunks of a block if there are n chunks. The number is small enough to
// give work to many workers, and up to maxSpanChunks if there are many chunks. Regions start at powers of
// two of chunks, so blocks of such a length split few of them.
func spanGrain(n int) int { return min(maxSpanChunks, 1<<(bits.Len(uint(n/32)|1)-1)) }
